// SPDX-License-Identifier: Apache-2.0

/// One message on the wire of the bus: a header of 19 bytes, and content or a piece of it.
///
/// Content that is larger than the bus takes travels in several parts with consecutive numbers.
package struct BusPart: Equatable, Sendable {
    enum Kind {
        static let notice: UInt8 = 1
        static let heartbeat: UInt8 = 2
        static let signal: UInt8 = 3
    }

    package static let version: UInt8 = 1
    package static let headerSize = 19
    /// The most bytes of a host's or a signal's name.
    package static let nameLimit = 255
    /// The most bytes of content, all parts together.
    ///
    /// A frame has at most 1 MiB; the rest is room for the IDs of some hundred thousand recipients.
    package static let contentLimit = 16_777_216
    /// The size of a part while the bus has not said what it takes; servers take less rarely.
    package static let cautiousSize = 262_144

    private static let continues: UInt8 = 1
    private static let hasMore: UInt8 = 2

    package var kind: UInt8
    package var host: HostID
    /// The place among the host's messages, from 1 on; of a heartbeat, the last one so far.
    package var number: UInt64
    /// Whether the content began in the part with the number before.
    package var continues = false
    /// Whether the content goes on in the part with the next number.
    package var hasMore = false
    package var bytes: ArraySlice<UInt8>

    package var encoded: [UInt8] {
        var writer = BusWriter()
        writer.append(Self.version)
        writer.append(kind)
        writer.append((continues ? Self.continues : 0) | (hasMore ? Self.hasMore : 0))
        writer.append(host.rawValue)
        writer.append(number)
        return writer.bytes + bytes
    }

    package init(
        kind: UInt8, host: HostID, number: UInt64, continues: Bool = false, hasMore: Bool = false,
        bytes: ArraySlice<UInt8>
    ) {
        self.kind = kind
        self.host = host
        self.number = number
        self.continues = continues
        self.hasMore = hasMore
        self.bytes = bytes
    }

    /// Reads a part; nil if the bytes are none of this version.
    package init?(_ message: [UInt8]) {
        var reader = BusReader(message[...])
        guard reader.byte() == Self.version, let kind = reader.byte(), let flags = reader.byte(),
            let host = reader.number(), let number = reader.number()
        else { return nil }
        // Only a heartbeat may come before the first message.
        guard number > 0 || kind == Kind.heartbeat else { return nil }
        self.init(
            kind: kind, host: HostID(rawValue: host), number: number,
            continues: flags & Self.continues != 0, hasMore: flags & Self.hasMore != 0,
            bytes: message[Self.headerSize...])
    }

    /// Divides content into messages for the bus.
    ///
    /// - Parameters:
    ///   - content: The content; a heartbeat is always one part and takes no number.
    ///   - host: The sending host.
    ///   - last: The number of the host's last message, which grows by the parts.
    ///   - limit: The most bytes of a message; zero if unknown.
    /// - Returns: The messages, or none for content beyond `contentLimit`.
    package static func messages(
        of content: BusContent, from host: HostID, after last: inout UInt64, limit: Int
    ) -> [[UInt8]] {
        let bytes = content.encoded
        if case .heartbeat = content {
            let part = BusPart(kind: content.kind, host: host, number: last, bytes: bytes[...])
            return [part.encoded]
        }
        guard bytes.count <= contentLimit else { return [] }
        let size = max(1, (limit > 0 ? limit : cautiousSize) - headerSize)
        var messages: [[UInt8]] = []
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            last &+= 1
            messages.append(
                BusPart(
                    kind: content.kind, host: host, number: last, continues: !messages.isEmpty,
                    hasMore: !rest.isEmpty, bytes: piece
                ).encoded)
        } while !rest.isEmpty
        return messages
    }
}

/// The joining of parts to content.
struct PartAssembler {
    /// The result of one part.
    enum Outcome: Equatable {
        /// The content has further parts.
        case unfinished
        case content(kind: UInt8, ArraySlice<UInt8>)
        /// A part before this one is missing, or the content is too large.
        case broken
    }

    private struct Partial {
        var kind: UInt8
        var lastNumber: UInt64
        var bytes: [UInt8]
    }

    private var partials: [HostID: Partial] = [:]
    /// The bytes of all unfinished contents.
    private(set) var heldBytes = 0

    /// The most bytes of all unfinished contents; four of the largest.
    static let heldLimit = 4 * BusPart.contentLimit

    /// Takes the next part of a host, in the order of its numbers.
    mutating func add(_ part: BusPart) -> Outcome {
        guard part.continues else {
            remove(part.host)
            guard part.hasMore else { return .content(kind: part.kind, part.bytes) }
            partials[part.host] = Partial(kind: part.kind, lastNumber: part.number, bytes: [])
            return extend(part)
        }
        guard let partial = partials[part.host], partial.kind == part.kind,
            partial.lastNumber &+ 1 == part.number
        else {
            remove(part.host)
            return .broken
        }
        return extend(part)
    }

    /// Appends a part to its host's content, in place.
    private mutating func extend(_ part: BusPart) -> Outcome {
        let size = (partials[part.host]?.bytes.count ?? 0) + part.bytes.count
        guard size <= BusPart.contentLimit, heldBytes + part.bytes.count <= Self.heldLimit else {
            remove(part.host)
            return .broken
        }
        partials[part.host]?.bytes += part.bytes
        partials[part.host]?.lastNumber = part.number
        heldBytes += part.bytes.count
        guard part.hasMore else {
            return .content(kind: part.kind, remove(part.host)?.bytes[...] ?? [])
        }
        return .unfinished
    }

    /// Drops the unfinished content of hosts that are not in a list.
    mutating func keepOnly(_ hosts: Set<HostID>) {
        for host in partials.keys.sorted() where !hosts.contains(host) { remove(host) }
    }

    @discardableResult
    private mutating func remove(_ host: HostID) -> Partial? {
        guard let partial = partials.removeValue(forKey: host) else { return nil }
        heldBytes -= partial.bytes.count
        return partial
    }
}
