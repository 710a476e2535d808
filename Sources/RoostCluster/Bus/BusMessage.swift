// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
package import RoostServer

/// The number that a host draws at its start; a restarted host is another one.
package struct HostID: Hashable, Sendable, Comparable, RawRepresentable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: HostID, right: HostID) -> Bool { left.rawValue < right.rawValue }
}

/// Bytes with a name, from one host to all others; their meaning is the sender's affair.
package struct Signal: Hashable, Sendable {
    /// The name, by which the receiver chooses what to do; at most 255 bytes.
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

/// The content of a bus message.
package enum BusContent: Equatable, Sendable {
    case notice(Notice)
    /// The name of the host.
    case heartbeat(name: String)
    case signal(Signal)

    var kind: UInt8 {
        switch self {
        case .notice: BusPart.Kind.notice
        case .heartbeat: BusPart.Kind.heartbeat
        case .signal: BusPart.Kind.signal
        }
    }
}

// MARK: Coding

extension BusContent {
    private static let hasRoom: UInt8 = 1
    private static let hasExcept: UInt8 = 2
    private static let hasPlace: UInt8 = 4
    private static let hasEra: UInt8 = 8

    /// The bytes of the content, without the header of a part.
    package var encoded: [UInt8] {
        var writer = BusWriter()
        switch self {
        case .notice(let notice):
            let era = notice.place?.era ?? ""
            writer.append(
                (notice.room == nil ? 0 : Self.hasRoom)
                    | (notice.except == nil ? 0 : Self.hasExcept)
                    | (notice.place == nil ? 0 : Self.hasPlace)
                    | (era.isEmpty ? 0 : Self.hasEra))
            writer.append(notice.frame)
            if let room = notice.room { writer.append(room.rawValue) }
            if let except = notice.except {
                writer.append(except.server)
                writer.append(UInt64(bitPattern: Int64(except.number)))
            }
            writer.append(count: notice.recipients.count)
            for recipient in notice.recipients { writer.append(recipient.rawValue) }
            if let place = notice.place {
                writer.append(place.channel.rawValue)
                writer.append(UInt64(bitPattern: place.sequence))
                writer.append(UInt64(bitPattern: place.first))
                writer.append(UInt64(bitPattern: place.change))
                writer.append(UInt64(bitPattern: place.previousChange))
                if !era.isEmpty { writer.append(era) }
            }
        case .heartbeat(let name):
            writer.append(name)
        case .signal(let signal):
            writer.append(signal.name)
            writer.append(signal.bytes)
        }
        return writer.bytes
    }

    /// Reads content of a kind; nil if the bytes do not hold it.
    ///
    /// Bytes behind the content are ignored, so a later version can add fields there.
    package init?(kind: UInt8, _ bytes: ArraySlice<UInt8>) {
        var reader = BusReader(bytes)
        switch kind {
        case BusPart.Kind.notice:
            guard let notice = Self.notice(from: &reader) else { return nil }
            self = .notice(notice)
        case BusPart.Kind.heartbeat:
            guard let name = reader.text(), name.utf8.count <= BusPart.nameLimit else { return nil }
            self = .heartbeat(name: name)
        case BusPart.Kind.signal:
            guard let name = reader.text(), name.utf8.count <= BusPart.nameLimit,
                let block = reader.block()
            else { return nil }
            self = .signal(Signal(name: name, bytes: Array(block)))
        default:
            return nil
        }
    }

    private static func notice(from reader: inout BusReader) -> Notice? {
        guard let flags = reader.byte(), let frame = reader.text() else { return nil }
        var room: ChannelURL?
        if flags & hasRoom != 0 {
            guard let text = reader.text() else { return nil }
            room = ChannelURL(text)
        }
        var except: SessionID?
        if flags & hasExcept != 0 {
            guard let server = reader.number(), let number = reader.number() else { return nil }
            except = SessionID(server: server, number: Int(Int64(bitPattern: number)))
        }
        // The count is at most that of the remaining bytes, so it bounds the memory.
        guard let count = reader.count() else { return nil }
        var recipients: [UserID] = []
        recipients.reserveCapacity(count)
        for _ in 0..<count {
            guard let text = reader.text() else { return nil }
            recipients.append(UserID(text))
        }
        var notice = Notice(frame: frame, recipients: recipients, room: room, except: except)
        if flags & hasPlace != 0 {
            guard let place = place(from: &reader, hasEra: flags & hasEra != 0) else { return nil }
            notice.place = place
        }
        return notice
    }

    /// Reads a place; nil also for numbers that no log has, with which the order cannot reckon.
    ///
    /// The change before may have a higher number: a transaction draws its number before it waits
    /// for the channel's row.
    private static func place(from reader: inout BusReader, hasEra: Bool) -> LogPlace? {
        guard let channel = reader.text(), let sequence = reader.number(),
            let first = reader.number(), let change = reader.number(),
            let previous = reader.number()
        else { return nil }
        var era = ""
        if hasEra {
            guard let text = reader.text(), !text.isEmpty else { return nil }
            era = text
        }
        let place = LogPlace(
            channel: ChannelURL(channel), sequence: Int64(bitPattern: sequence),
            first: Int64(bitPattern: first), change: Int64(bitPattern: change),
            previousChange: Int64(bitPattern: previous), era: era)
        let isPossible =
            0 < place.first && place.first <= place.sequence && place.sequence < .max
            && 0 < place.change && 0 <= place.previousChange
            && place.previousChange != place.change
        return isPossible ? place : nil
    }
}
