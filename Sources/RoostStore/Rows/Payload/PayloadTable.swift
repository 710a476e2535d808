// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of an object, as its table of fields says it: the flags, then the values in the
/// order of their places.
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
            try form.readFlags(bytes, from: &reader, into: address)
            try form.readValues(
                form.values.indices, version, bytes, from: &reader, into: address, in: channel,
                user: user)
        }
    }

    /// Reads up to the value of a kind, so that the reader stands in front of it.
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
            try form.readFlags(bytes, from: &reader, into: address)
            try form.readValues(0..<end, .max, bytes, from: &reader, into: address, in: "") { _ in
                nobody
            }
        }
    }
}

/// A table of fields in the form in which the store needs it, without the type of its object.
private final class PayloadForm: Sendable {
    /// A line without references, because a copy of each would count them.
    struct Entry {
        let kind: FieldKind
        let usualFlag: Bool
        let offset: Int
        /// The number of the bit, or the place.
        let number: Int
        let since: UInt8
        /// The index of the words; -1 for other kinds.
        let words: Int
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
            func entry(_ number: Int, since: UInt8 = 1) -> Entry {
                Entry(
                    kind: line.kind, usualFlag: line.usualFlag, offset: line.offset,
                    number: number, since: since, words: line.words == nil ? -1 : count)
            }
            switch line.stored {
            case .bit(let number):
                precondition(
                    line.kind == .flag
                        || (line.words?.words.count == 2 && line.words?.usual == 0),
                    "A bit has room for two values, not for \(line.name).")
                bits.append(entry(number))
            case .at(let place, let since): values.append(entry(place, since: since))
            case .elsewhere: break
            }
            if line.words != nil { count += 1 }
        }
        bits.sort { $0.number < $1.number }
        values.sort { $0.number < $1.number }
        precondition(bits.map(\.number) == Array(0..<bits.count), "Each bit is given once.")
        precondition(values.map(\.number) == Array(0..<values.count), "Each place is given once.")
        (self.bits, self.values, self.words) = (bits, values, words)
        allBits = (1 << UInt64(bits.count)) - 1
    }
}

// MARK: - Writing

extension PayloadForm {
    func write(_ object: ObjectAddress, to bytes: inout [UInt8], row: (UserID) -> Int64) {
        if !bits.isEmpty { bytes.append(number: flags(of: object)) }
        for entry in values { write(entry, of: object, to: &bytes, row: row) }
    }

    private func flags(of object: ObjectAddress) -> UInt64 {
        var flags: UInt64 = 0
        for entry in bits {
            let isSet =
                entry.words < 0
                ? object[entry.offset, Bool.self] != entry.usualFlag
                : words[entry.words].get(object) == 1
            flags |= (isSet ? 1 : 0) << UInt64(truncatingIfNeeded: entry.number)
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
            bytes.append(optional: object[offset, Int?.self]) { $0.append(signed: Int64($1)) }
        case .seconds: bytes.append(signed: object[offset, Timestamp.self].milliseconds)
        case .optionalSeconds, .moment: bytes.append(moment: object[offset, Timestamp?.self])
        case .word: bytes.append(count: words[entry.words].get(object))
        case .user:
            bytes.append(optional: object[offset, User?.self]) { $0.append(signed: row($1.id)) }
        case .users:
            bytes.append(list: object[offset, [User].self]) { $0.append(signed: row($1.id)) }
        case .members:
            bytes.append(list: object[offset, [Member].self]) {
                $0.append(member: $1, row: row)
            }
        case .message:
            bytes.append(optional: object[offset, Message?.self]) {
                $0.append(embedded: $1, row: row)
            }
        case .boxedMessage:
            bytes.append(optional: object[offset, Indirect<Message>?.self]) {
                $0.append(embedded: $1.value, row: row)
            }
        case .optionalTexts:
            bytes.append(optional: object[offset, [String: String]?.self]) {
                $0.append(texts: $1)
            }
        case .receipts: bytes.append(receipts: object[offset, [UserID: Timestamp]?.self])
        case .position:
            bytes.append(optional: object[offset, Position?.self]) { bytes, place in
                bytes.append(signed: place.createdAt.milliseconds)
                bytes.append(signed: place.messageID.rawValue)
            }
        case .messageIDs:
            bytes.append(list: object[offset, [MessageID].self]) { $0.append(signed: $1.rawValue) }
        case .unknown: bytes.append(unknown: object[offset, UnknownFields.self])
        case .own, .derived: break
        }
    }
}

// MARK: - Reading

extension PayloadForm {
    func readFlags(
        _ bytes: Span<UInt8>, from reader: inout PayloadReader, into object: ObjectAddress
    ) throws(PayloadError) {
        if bits.isEmpty { return }
        let flags = try reader.number(bytes)
        guard flags & ~allBits == 0 else { throw .invalid }
        // The object has the usual values, and few bits are set.
        var rest = flags
        while rest != 0 {
            let entry = bits[rest.trailingZeroBitCount]
            rest &= rest - 1
            if entry.words >= 0 {
                words[entry.words].set(object, 1)
            } else {
                object[entry.offset, Bool.self] = !entry.usualFlag
            }
        }
    }

    func readValues(
        _ range: Range<Int>, _ version: UInt8, _ bytes: Span<UInt8>,
        from reader: inout PayloadReader, into object: ObjectAddress, in channel: ChannelURL,
        user: (Int64) -> User
    ) throws(PayloadError) {
        for index in range where values[index].since <= version {
            try read(values[index], bytes, from: &reader, into: object, in: channel, user: user)
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
        case .optionalCount, .limit: object[offset, Int?.self] = try reader.optionalInt(bytes)
        case .seconds:
            object[offset, Timestamp.self] = Timestamp(milliseconds: try reader.signed(bytes))
        case .optionalSeconds, .moment: object[offset, Timestamp?.self] = try reader.moment(bytes)
        case .word:
            let words = words[entry.words]
            let index = Int(try reader.byte(bytes))
            guard words.words.indices.contains(index) else { throw .invalid }
            words.set(object, index)
        case .user: object[offset, User?.self] = try reader.optionalUser(bytes, user)
        case .users: object[offset, [User].self] = try reader.users(bytes, user)
        case .members:
            object[offset, [Member].self] = try reader.list(bytes) {
                reader, bytes throws(PayloadError) in try reader.member(bytes, user: user)
            }
        case .message:
            object[offset, Message?.self] = try reader.embeddedMessageIfPresent(
                bytes, in: channel, user: user)
        case .boxedMessage:
            object[offset, Indirect<Message>?.self] = try reader.embeddedMessageIfPresent(
                bytes, in: channel, user: user
            ).map { Indirect($0) }
        case .optionalTexts:
            object[offset, [String: String]?.self] = try reader.optional(bytes) {
                reader, bytes throws(PayloadError) in try reader.texts(bytes)
            }
        case .receipts: object[offset, [UserID: Timestamp]?.self] = try reader.receipts(bytes)
        case .position:
            object[offset, Position?.self] = try reader.optional(bytes) {
                reader, bytes throws(PayloadError) in
                Position(
                    createdAt: Timestamp(milliseconds: try reader.signed(bytes)),
                    messageID: MessageID(try reader.signed(bytes)))
            }
        case .messageIDs:
            object[offset, [MessageID].self] = try reader.list(bytes) {
                reader, bytes throws(PayloadError) in MessageID(try reader.signed(bytes))
            }
        case .unknown: object[offset, UnknownFields.self] = try reader.unknownFields(bytes)
        case .own, .derived: break
        }
    }
}
