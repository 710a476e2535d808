// SPDX-License-Identifier: Apache-2.0

import RoostModel

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A streaming reader of `multipart/form-data` (RFC 7578) that buffers at most a boundary or one
/// part's headers.
package struct MultipartReader: Sendable {
    package struct Part: Equatable, Codable, Sendable {
        package var name: String
        /// The name of the file without a folder; nil for a part that is no file.
        package var fileName: String?
        package var type: String
    }

    package enum Event: Equatable, Sendable {
        case part(Part)
        /// More bytes of the current part.
        case bytes([UInt8])
    }

    private enum State { case preamble, boundary, head, content, end }

    /// The greatest number of parts; a body of a million empty parts is an attack.
    private static let partLimit = 64
    /// The greatest size of a part's headers, enough for a long file name in every spelling.
    private static let headLimit = 16_384
    private static let headEnd = Array("\r\n\r\n".utf8)

    private let boundary: [UInt8]
    private var state = State.preamble
    /// The bytes that were received and not parsed yet.
    private var rest: [UInt8] = []
    private var partCount = 0

    /// Whether the closing boundary of the form was received.
    package var isWhole: Bool { state == .end }

    /// Creates a reader.
    ///
    /// - Throws: `.malformedJSON` if the content type names no boundary.
    package init(contentType: String) throws(ServerError) {
        guard let boundary = HeaderParameters(contentType)?["boundary"], !boundary.isEmpty,
            boundary.utf8.count <= 70
        else { throw Self.malformed }
        self.boundary = Array("\r\n--\(boundary)".utf8)
    }

    /// Parses more bytes; bytes behind the form's end are ignored.
    ///
    /// - Throws: `.malformedJSON` if the body contradicts its content type; the reader cannot be
    ///   used afterwards.
    package mutating func read(_ bytes: [UInt8]) throws(ServerError) -> [Event] {
        guard state != .end else { return [] }
        rest += bytes
        var events: [Event] = []
        var index = 0
        loop: while true {
            switch state {
            case .preamble:
                // The first boundary needs no line break before it.
                let mark = Array(boundary[2...])
                guard let place = Self.find(mark, in: rest, from: index) else {
                    index = max(index, rest.count - mark.count + 1)
                    break loop
                }
                index = place + mark.count
                state = .boundary
            case .boundary:
                guard rest.count - index >= 2 else { break loop }
                let next = rest[index..<(index + 2)]
                guard !next.elementsEqual("--".utf8) else {
                    state = .end
                    rest = []
                    return events
                }
                partCount += 1
                guard next.elementsEqual("\r\n".utf8), partCount <= Self.partLimit else {
                    throw Self.malformed
                }
                index += 2
                state = .head
            case .head:
                let end = Self.find(Self.headEnd, in: rest, from: index)
                guard (end ?? rest.count) - index <= Self.headLimit else { throw Self.malformed }
                guard let end else { break loop }
                events.append(.part(try Self.part(rest[index..<end])))
                index = end + Self.headEnd.count
                state = .content
            case .content:
                let end = Self.find(boundary, in: rest, from: index)
                let known = end ?? max(index, rest.count - boundary.count + 1)
                if known > index { events.append(.bytes(Array(rest[index..<known]))) }
                index = known
                guard end != nil else { break loop }
                index += boundary.count
                state = .boundary
            case .end: break loop
            }
        }
        rest.removeSubrange(..<index)
        return events
    }

    package static let malformed = ServerError(
        .malformedJSON, "The body must be multipart/form-data as its Content-Type says.")

    private static func part(_ head: ArraySlice<UInt8>) throws(ServerError) -> Part {
        var part = Part(name: "", fileName: nil, type: "")
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            // A control character would end the line for some later reader.
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")),
                line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else { throw malformed }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
            switch line[..<colon].lowercased() {
            case "content-disposition":
                guard let parameters = HeaderParameters(value) else { throw malformed }
                part.name = parameters["name"] ?? ""
                part.fileName = parameters["filename"].map { name in
                    name.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? "file"
                }
            case "content-type": part.type = value
            default: break
            }
        }
        guard !part.name.isEmpty else { throw malformed }
        return part
    }

    /// Returns the first occurrence of a text that begins with a carriage return or a dash.
    private static func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        let last = bytes.count - needle.count
        // SAFETY: only bytes at indices below the count are read, while the array is borrowed.
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var index = start
            while index <= last {
                guard let place = unsafe memchr(base + index, Int32(needle[0]), last - index + 1)
                else { return nil }
                index = unsafe place - UnsafeMutableRawPointer(mutating: base)
                if unsafe memcmp(place, needle, needle.count) == 0 { return index }
                index += 1
            }
            return nil
        }
    }
}
