// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of an object by its table of fields: the flags, then the values in the order of
/// their places.
///
/// The order of the table's lines has no effect on the payload.
package final class PayloadTable<Object: FieldOwner>: Sendable {
    fileprivate let form: PayloadForm
    /// The version of the payloads that this release writes.
    package let version: UInt8

    package init(_ fields: [Field<Object>] = Object.fields) {
        form = PayloadForm(fields.map(\.line))
        version = form.values.reduce(1) { max($0, $1.since) }
    }

    /// Appends an object; `row` returns the row of a user.
    package func write(_ object: Object, to bytes: inout [UInt8], row: (UserID) -> Int64) {
        ObjectAddress.lend(reading: object) { form.write($0, to: &bytes, row: row) }
    }

    /// Reads the fields of an object in which they have their usual values; `user` returns the user of a
    /// row.
    package func read(
        _ bytes: Span<UInt8>, from reader: inout PayloadReader, into object: inout Object,
        version: UInt8 = 1, in channel: ChannelURL = "", user: (Int64) -> User
    ) throws(PayloadError) {
        try ObjectAddress.lend(&object) { address throws(PayloadError) in
            let flags = try form.readFlags(bytes, from: &reader, into: address)
            try form.readValues(
                form.values.indices, version, flags, bytes, from: &reader, into: address,
                in: channel, user: user)
        }
    }

    /// Skips to the value of a kind, which is the next to be read.
    ///
    /// - Precondition: The table has a line of the kind.
    func skip(
        to kind: FieldKind, _ bytes: Span<UInt8>, with reader: inout PayloadReader
    ) throws(PayloadError) {
        guard let end = form.values.firstIndex(where: { $0.kind == kind }) else {
            preconditionFailure("No line of the table has this kind.")
        }
        var scratch = Object.usual
        let nobody = User(id: "")
        try ObjectAddress.lend(&scratch) { address throws(PayloadError) in
            let flags = try form.readFlags(bytes, from: &reader, into: address)
            try form.readValues(
                0..<end, .max, flags, bytes, from: &reader, into: address, in: ""
            ) { _ in nobody }
        }
    }
}

/// A table of fields as the store uses it, without the type of its object.
private final class PayloadForm: Sendable {
    /// An entry without references, because a copy of each would count them.
    struct Entry {
        let kind: FieldKind
        let usualFlag: Bool
        /// Whether a byte before the value marks its presence.
        let hasMark: Bool
        let offset: Int
        /// The bit for the usual value or for presence; -1 without one.
        let bit: Int
        /// The place of the value; -1 for a bit alone.
        let place: Int
        let since: UInt8
        /// The index among the words; -1 for other kinds.
        let words: Int

        var mask: UInt64 { 1 << UInt64(truncatingIfNeeded: bit) }
    }

    private let bits: [Entry]
    let values: [Entry]
    private let words: [FieldWords]
    /// All bits that a release has written.
    private let allBits: UInt64

    init(_ lines: [FieldLine]) {
        let words = lines.compactMap(\.words)
        var count = 0
        var (bits, values): ([Entry], [Entry]) = ([], [])
        for line in lines {
            func entry(bit: Int = -1, place: Int = -1, since: UInt8 = 1) -> Entry {
                Entry(
                    kind: line.kind, usualFlag: line.usualFlag,
                    hasMark: bit < 0 && line.kind.isOptional, offset: line.offset, bit: bit,
                    place: place, since: since, words: line.words == nil ? -1 : count)
            }
            switch line.stored {
            case .bit(let bit):
                precondition(
                    line.kind == .flag
                        || (line.words?.words.count == 2 && line.words?.usual == 0),
                    "A bit has room for two values, not for \(line.name).")
                bits.append(entry(bit: bit))
            case .at(let place, let since): values.append(entry(place: place, since: since))
            case .part(let bit, let place):
                bits.append(entry(bit: bit, place: place))
                values.append(entry(bit: bit, place: place))
            case .elsewhere: break
            }
            if line.words != nil { count += 1 }
        }
        bits.sort { $0.bit < $1.bit }
        values.sort { $0.place < $1.place }
        precondition(bits.map(\.bit) == Array(0..<bits.count), "Each bit is given once.")
        precondition(values.map(\.place) == Array(0..<values.count), "Each place is given once.")
        (self.bits, self.values, self.words) = (bits, values, words)
        allBits = (1 << UInt64(bits.count)) - 1
    }
}

// MARK: - Writing

extension PayloadForm {
    func write(_ object: ObjectAddress, to bytes: inout [UInt8], row: (UserID) -> Int64) {
        let flags = flags(of: object)
        if !bits.isEmpty { bytes.append(number: flags) }
        for entry in values {
            if entry.bit >= 0, flags & entry.mask == 0 { continue }
            // The byte before an optional value marks its presence; nil appends no value.
            if entry.hasMark { bytes.append(0) }
            let start = bytes.count
            write(entry, of: object, to: &bytes, row: row)
            if entry.hasMark, bytes.count > start { bytes[start - 1] = 1 }
        }
    }

    private func flags(of object: ObjectAddress) -> UInt64 {
        var flags: UInt64 = 0
        for entry in bits {
            let isSet =
                if entry.place >= 0 {
                    entry.kind.isPresent(at: entry.offset, in: object)
                } else if entry.words >= 0 {
                    words[entry.words].get(object) == 1
                } else {
                    object[entry.offset, Bool.self] != entry.usualFlag
                }
            if isSet { flags |= entry.mask }
        }
        return flags
    }

    private func write(
        _ entry: Entry, of object: ObjectAddress, to bytes: inout [UInt8], row: (UserID) -> Int64
    ) {
        let offset = entry.offset
        switch entry.kind {
        case .text: bytes.append(text: object[offset, String.self])
        case .flag: bytes.append(object[offset, Bool.self] ? 1 : 0)
        case .count: bytes.append(signed: Int64(object[offset, Int.self]))
        case .optionalCount, .limit:
            if let value = object[offset, Int?.self] { bytes.append(signed: Int64(value)) }
        case .seconds: bytes.append(signed: object[offset, Timestamp.self].milliseconds)
        case .optionalSeconds, .moment:
            if let value = object[offset, Timestamp?.self] {
                bytes.append(signed: value.milliseconds)
            }
        case .word: bytes.append(count: words[entry.words].get(object))
        case .user:
            if let user = object[offset, User?.self] { bytes.append(signed: row(user.id)) }
        case .users:
            bytes.append(list: object[offset, [User].self]) { $0.append(signed: row($1.id)) }
        case .members:
            bytes.append(list: object[offset, [Member].self]) { $0.append(member: $1, row: row) }
        case .message:
            if let value = object[offset, Message?.self] { bytes.append(embedded: value, row: row) }
        case .boxedMessage:
            if let box = object[offset, Indirect<Message>?.self] {
                bytes.append(embedded: box.value, row: row)
            }
        case .texts: bytes.append(texts: object[offset, [String: String].self])
        case .optionalTexts:
            if let value = object[offset, [String: String]?.self] { bytes.append(texts: value) }
        case .receipts:
            if let value = object[offset, [UserID: Timestamp]?.self] {
                bytes.append(receipts: value)
            }
        case .position:
            if let place = object[offset, Position?.self] {
                bytes.append(signed: place.createdAt.milliseconds)
                bytes.append(signed: place.messageID.rawValue)
            }
        case .messageIDs:
            bytes.append(list: object[offset, [MessageID].self]) { $0.append(signed: $1.rawValue) }
        case .json: if let json = object[offset, String?.self] { bytes.append(text: json) }
        case .reactions:
            if let value = object[offset, [Reaction]?.self] { bytes.append(reactions: value) }
        case .unknown: bytes.append(unknown: object[offset, UnknownFields.self])
        default: writeDetail(entry, of: object, to: &bytes, row: row)
        }
    }

    /// Writes an object that few messages have.
    private func writeDetail(
        _ entry: Entry, of object: ObjectAddress, to bytes: inout [UInt8], row: (UserID) -> Int64
    ) {
        let offset = entry.offset
        switch entry.kind {
        case .thread:
            if let thread = object[offset, ThreadInfo?.self] {
                bytes.append(thread: thread, row: row)
            }
        case .link: if let link = object[offset, LinkPreview?.self] { bytes.append(link: link) }
        case .alert:
            if let alert = object[offset, CriticalAlert?.self] { bytes.append(alert: alert) }
        case .effects:
            if let effects = object[offset, MessageEffects?.self] { bytes.append(effects: effects) }
        case .parent:
            if let box = object[offset, Indirect<ParentPreview>?.self] {
                bytes.append(parent: box.value, row: row)
            }
        case .parentEdit:
            if let edit = object[offset, Indirect<ParentPreview>?.self]?.value.updatedAt {
                bytes.append(signed: edit.milliseconds)
            }
        case .poll:
            if let box = object[offset, Indirect<Poll>?.self] {
                bytes.append(poll: box.value, row: row)
            }
        case .schedule:
            if let schedule = object[offset, Schedule?.self] { bytes.append(schedule: schedule) }
        case .notification:
            if let value = object[offset, NotificationInfo?.self] {
                bytes.append(notification: value)
            }
        default: break
        }
    }
}

// MARK: - Reading

extension PayloadForm {
    /// Reads the flags, and sets the properties that are flags themselves.
    func readFlags(
        _ bytes: Span<UInt8>, from reader: inout PayloadReader, into object: ObjectAddress
    ) throws(PayloadError) -> UInt64 {
        if bits.isEmpty { return 0 }
        let flags = try reader.number(bytes)
        guard flags & ~allBits == 0 else { throw .invalid }
        // The object has the usual values, and few bits are set.
        var rest = flags
        while rest != 0 {
            let entry = bits[rest.trailingZeroBitCount]
            rest &= rest - 1
            if entry.place >= 0 { continue }
            if entry.words >= 0 {
                words[entry.words].set(object, 1)
            } else {
                object[entry.offset, Bool.self] = !entry.usualFlag
            }
        }
        return flags
    }

    func readValues(
        _ range: Range<Int>, _ version: UInt8, _ flags: UInt64, _ bytes: Span<UInt8>,
        from reader: inout PayloadReader, into object: ObjectAddress, in channel: ChannelURL,
        user: (Int64) -> User
    ) throws(PayloadError) {
        for index in range {
            let entry = values[index]
            if entry.since > version { continue }
            if entry.bit >= 0, flags & entry.mask == 0 { continue }
            if entry.hasMark, try !reader.isPresent(bytes) { continue }
            try read(entry, bytes, from: &reader, into: object, in: channel, user: user)
        }
    }

    private func read(
        _ entry: Entry, _ bytes: Span<UInt8>, from reader: inout PayloadReader,
        into object: ObjectAddress, in channel: ChannelURL, user: (Int64) -> User
    ) throws(PayloadError) {
        let offset = entry.offset
        switch entry.kind {
        case .text: object[offset, String.self] = try reader.text(bytes)
        case .flag: object[offset, Bool.self] = try reader.byte(bytes) != 0
        case .count: object[offset, Int.self] = try reader.int(bytes)
        case .optionalCount, .limit: object[offset, Int?.self] = try reader.int(bytes)
        case .seconds: object[offset, Timestamp.self] = try reader.timestamp(bytes)
        case .optionalSeconds, .moment:
            object[offset, Timestamp?.self] = try reader.timestamp(bytes)
        case .word:
            let words = words[entry.words]
            let index = Int(try reader.byte(bytes))
            guard words.words.indices.contains(index) else { throw .invalid }
            words.set(object, index)
        case .user: object[offset, User?.self] = user(try reader.signed(bytes))
        case .users: object[offset, [User].self] = try reader.users(bytes, user)
        case .members:
            object[offset, [Member].self] = try reader.list(bytes) {
                reader, bytes throws(PayloadError) in try reader.member(bytes, user: user)
            }
        case .message:
            object[offset, Message?.self] = try reader.embeddedMessage(
                bytes, in: channel, user: user)
        case .boxedMessage:
            object[offset, Indirect<Message>?.self] = Indirect(
                try reader.embeddedMessage(bytes, in: channel, user: user))
        case .texts: object[offset, [String: String].self] = try reader.texts(bytes)
        case .optionalTexts: object[offset, [String: String]?.self] = try reader.texts(bytes)
        case .receipts: object[offset, [UserID: Timestamp]?.self] = try reader.receipts(bytes)
        case .position:
            object[offset, Position?.self] = Position(
                createdAt: try reader.timestamp(bytes),
                messageID: MessageID(try reader.signed(bytes)))
        case .messageIDs:
            object[offset, [MessageID].self] = try reader.list(bytes) {
                reader, bytes throws(PayloadError) in MessageID(try reader.signed(bytes))
            }
        case .json: object[offset, String?.self] = try reader.text(bytes)
        case .reactions: object[offset, [Reaction]?.self] = try reader.reactions(bytes)
        case .unknown: object[offset, UnknownFields.self] = try reader.unknownFields(bytes)
        default: try readDetail(entry, bytes, from: &reader, into: object, user: user)
        }
    }

    /// Reads an object that few messages have.
    private func readDetail(
        _ entry: Entry, _ bytes: Span<UInt8>, from reader: inout PayloadReader,
        into object: ObjectAddress, user: (Int64) -> User
    ) throws(PayloadError) {
        let offset = entry.offset
        switch entry.kind {
        case .thread: object[offset, ThreadInfo?.self] = try reader.thread(bytes, user)
        case .link: object[offset, LinkPreview?.self] = try reader.link(bytes)
        case .alert: object[offset, CriticalAlert?.self] = try reader.alert(bytes)
        case .effects: object[offset, MessageEffects?.self] = try reader.effects(bytes)
        case .parent:
            object[offset, Indirect<ParentPreview>?.self] = Indirect(
                try reader.parent(bytes, user))
        case .parentEdit:
            let edit = try reader.timestamp(bytes)
            guard var preview = object[offset, Indirect<ParentPreview>?.self]?.value else { return }
            preview.updatedAt = edit
            object[offset, Indirect<ParentPreview>?.self] = Indirect(preview)
        case .poll: object[offset, Indirect<Poll>?.self] = Indirect(try reader.poll(bytes, user))
        case .schedule: object[offset, Schedule?.self] = try reader.schedule(bytes)
        case .notification:
            object[offset, NotificationInfo?.self] = try reader.notification(bytes)
        default: break
        }
    }
}
