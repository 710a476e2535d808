// SPDX-License-Identifier: Apache-2.0

internal import RoostWire

/// A message from a server of the bus, in the text protocol of NATS.
package enum NATSFrame: Hashable, Sendable {
    case info(NATSServerInfo)
    case message([UInt8])
    case ping
    case pong
    /// A refusal, in the server's words without the quotes.
    case error(String)
}

/// The part of a server's description of itself that matters here.
package struct NATSServerInfo: Hashable, Sendable {
    /// The version of the protocol; 1 has the switch against echoes.
    package var protocolNumber: Int64 = 1
    /// The most bytes of a message.
    package var maxPayload = 1_048_576
    package var requiresTLS = false
    package var offersTLS = false
    /// The other servers of the cluster, as `host:port`.
    package var places: [String] = []

    /// The number of servers that are taken from one description.
    package static let placeLimit = 64

    package init() {}

    /// Reads a description; unknown fields are skipped.
    ///
    /// - Returns: The description; nil if the bytes are no JSON object.
    package init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), case .object(let fields) = value else {
            return nil
        }
        for field in fields {
            switch (field.name, field.value) {
            case ("proto", .int(let number)): protocolNumber = number
            case ("max_payload", .int(let count)):
                maxPayload = max(1, min(Int(clamping: count), NATSParser.payloadLimit))
            case ("tls_required", .bool(let flag)): requiresTLS = flag
            case ("tls_available", .bool(let flag)): offersTLS = flag
            case ("connect_urls", .array(let values)):
                places = values.prefix(Self.placeLimit).compactMap { value in
                    if case .string(let place) = value { place } else { nil }
                }
            default: continue
            }
        }
    }
}

/// The bytes of a server do not follow the protocol.
package struct NATSViolation: Error {
    package let message: String
}

/// The reader of a server's bytes, which come in pieces of any size.
package struct NATSParser {
    /// The most bytes of a message, which is the most that a server can be set to.
    package static let payloadLimit = 67_108_864
    /// The most bytes of a line.
    ///
    /// A description of a large cluster has a few thousand.
    package static let lineLimit = 65_536
    /// The read bytes in front that are kept before they are dropped.
    private static let slack = 65_536

    private var buffer: [UInt8] = []
    /// The first byte that no frame has taken.
    private var start = 0
    /// The first byte after `start` that was not searched for the end of a line.
    private var searched = 0
    /// The length of the message whose first line was read.
    private var payload: Int?

    package init() {}

    /// Whether no part of a frame waits for the rest.
    package var isEmpty: Bool { start == buffer.count && payload == nil }

    package mutating func append(_ bytes: [UInt8]) {
        if start == buffer.count {
            buffer = bytes
            (start, searched) = (0, 0)
            return
        }
        if start > Self.slack {
            buffer.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        buffer += bytes
    }

    /// Returns the next whole frame; nil asks for more bytes.
    ///
    /// - Throws: A violation, after which the connection is of no use.
    package mutating func next() throws(NATSViolation) -> NATSFrame? {
        while true {
            if let count = payload {
                guard let bytes = try takePayload(count) else { return nil }
                payload = nil
                return .message(bytes)
            }
            guard let line = try takeLine() else { return nil }
            if let frame = try frame(of: line) { return frame }
        }
    }

    private mutating func takePayload(_ count: Int) throws(NATSViolation) -> [UInt8]? {
        guard buffer.count - start >= count + 2 else { return nil }
        let end = start + count
        guard buffer[end] == 0x0D, buffer[end + 1] == 0x0A else {
            throw NATSViolation(message: "A message is longer than its length says.")
        }
        defer { (start, searched) = (end + 2, end + 2) }
        return Array(buffer[start..<end])
    }

    private mutating func takeLine() throws(NATSViolation) -> ArraySlice<UInt8>? {
        guard let end = buffer[searched...].firstIndex(of: 0x0A) else {
            searched = buffer.count
            guard searched - start <= Self.lineLimit else {
                throw NATSViolation(message: "A line has no end.")
            }
            return nil
        }
        let line = buffer[start..<end]
        (start, searched) = (end + 1, end + 1)
        guard line.count <= Self.lineLimit else {
            throw NATSViolation(message: "A line is too long.")
        }
        return line.last == 0x0D ? line.dropLast() : line
    }

    /// Returns the frame of a line; nil for one that says nothing, or whose message follows.
    private mutating func frame(of line: ArraySlice<UInt8>) throws(NATSViolation) -> NATSFrame? {
        let name = line.prefix { $0 != 0x20 && $0 != 0x09 }
        let rest = line[name.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
        switch String(decoding: name, as: UTF8.self).uppercased() {
        case "MSG":
            payload = try Self.length(of: rest)
            return nil
        case "PING": return .ping
        case "PONG": return .pong
        case "+OK", "": return nil
        case "-ERR":
            let text = rest.filter { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "'") }
            return .error(String(decoding: text.prefix(256), as: UTF8.self))
        case "INFO":
            guard let info = NATSServerInfo(Array(rest)) else {
                throw NATSViolation(message: "The description of the server is no JSON.")
            }
            return .info(info)
        default: throw NATSViolation(message: "A line begins with an unknown word.")
        }
    }

    /// Reads the length from `subject subscription [reply] length`.
    private static func length(of line: ArraySlice<UInt8>) throws(NATSViolation) -> Int {
        let parts = line.split { $0 == 0x20 || $0 == 0x09 }
        guard (3...4).contains(parts.count), let digits = parts.last,
            digits.count <= 9, digits.allSatisfy({ 0x30...0x39 ~= $0 })
        else { throw NATSViolation(message: "A message has no length.") }
        // Nine digits fit.
        let length = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard length <= payloadLimit else {
            throw NATSViolation(message: "A message is too long.")
        }
        return length
    }
}
