// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The wire form of an object, as its table of fields says it.
package final class WireTable<Object: FieldOwner>: Sendable {
    private let form: WireForm

    package init(_ fields: [Field<Object>] = Object.fields) {
        form = WireForm(fields.map(\.line))
    }

    /// The names of the lines; nil for a line without one.
    var names: [String?] { form.lines.map(\.wireName) }

    /// Reads an object's fields; `special` consumes the value of a special one.
    @inline(__always)
    package func read(
        into object: inout Object, from reader: inout JSONReader,
        special: (Object.Special, inout Object, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        try ObjectAddress.lend(&object) { address throws(WireError) in
            try form.read(into: address, from: &reader) { number, reader throws(WireError) in
                guard let field = Object.Special(rawValue: number) else { return }
                try special(field, &address[0, Object.self], &reader)
            }
        }
    }

    /// Reads the value of one line; returns whether the field is neither empty nor nil then.
    @inline(__always)
    func read(
        line: Int, into object: inout Object, from reader: inout JSONReader,
        special: (Object.Special, inout Object, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) -> Bool {
        var isPresent = false
        try ObjectAddress.lend(&object) { address throws(WireError) in
            isPresent = try form.read(line, into: address, from: &reader) {
                number, reader throws(WireError) in
                guard let field = Object.Special(rawValue: number) else { return }
                try special(field, &address[0, Object.self], &reader)
            }
        }
        return isPresent
    }

    /// Writes an object's fields into the current object; `special` writes a special one, or nothing.
    @inline(__always)
    package func write(
        _ object: Object, to writer: inout JSONWriter,
        special: (Object.Special, inout JSONWriter) -> Void
    ) {
        ObjectAddress.lend(reading: object) { address in
            form.write(address, to: &writer) { number, writer in
                guard let field = Object.Special(rawValue: number) else { return }
                special(field, &writer)
            }
        }
    }
}

/// A table of fields in the form in which the wire needs it, without the type of its object.
private final class WireForm: Sendable {
    /// A line without references, because a copy of each would count them.
    private struct Entry {
        let kind: FieldKind
        let written: WrittenWhen
        let usualFlag: Bool
        let special: UInt8?
        let offset: Int
        /// The place of the quoted name.
        let name: Range<Int>
    }

    private let entries: [Entry]
    let lines: [FieldLine]
    private let names: NameTable
    private let quotedNames: [UInt8]
    /// The offset of the unknown fields; nil if the object has no place for any.
    private let unknown: Int?

    init(_ lines: [FieldLine]) {
        var quoted: [UInt8] = []
        entries = lines.map { line in
            let start = quoted.count
            quoted += "\"\(line.name)\":".utf8
            return Entry(
                kind: line.kind, written: line.written, usualFlag: line.usualFlag,
                special: line.special, offset: line.offset, name: start..<quoted.count)
        }
        self.lines = lines
        quotedNames = quoted
        names = NameTable(lines.map(\.wireName))
        unknown = lines.first { $0.kind == .unknown }?.offset
    }

    @inline(__always)
    func read(
        into object: ObjectAddress, from reader: inout JSONReader,
        special: (UInt8, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        try reader.readFields(names) { index, name, reader throws(WireError) in
            guard let index else {
                guard let offset = unknown else { return try reader.skipValue() }
                return try object[offset, UnknownFields.self].keep(
                    reader.name(name), from: &reader)
            }
            let entry = entries[index]
            if let number = entry.special { return try special(number, &reader) }
            try read(entry, index, into: object, from: &reader)
        }
    }

    @inline(__always)
    func read(
        _ index: Int, into object: ObjectAddress, from reader: inout JSONReader,
        special: (UInt8, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) -> Bool {
        let entry = entries[index]
        if let number = entry.special {
            try special(number, &reader)
            return lines[index].kind == .derived || lines[index].described(object) != nil
        }
        try read(entry, index, into: object, from: &reader)
        return entry.kind.isPresent(at: entry.offset, in: object)
    }

    private func read(
        _ entry: Entry, _ index: Int, into object: ObjectAddress, from reader: inout JSONReader
    ) throws(WireError) {
        let offset = entry.offset
        switch entry.kind {
        case .text: object[offset, String.self] = try reader.readStringIfPresent() ?? ""
        case .flag: object[offset, Bool.self] = try reader.readBoolIfPresent() ?? entry.usualFlag
        case .count: object[offset, Int.self] = try reader.readCount() ?? 0
        case .optionalCount: object[offset, Int?.self] = try reader.readCount()
        case .limit: object[offset, Int?.self] = try reader.readLimit()
        case .seconds:
            object[offset, Timestamp.self] =
                try reader.readSeconds() ?? Timestamp(milliseconds: 0)
        case .optionalSeconds: object[offset, Timestamp?.self] = try reader.readSeconds()
        case .moment: object[offset, Timestamp?.self] = try reader.readMoment()
        case .word:
            let word = try reader.readStringIfPresent() ?? ""
            if let words = lines[index].words { words.set(object, words.index(of: word)) }
        case .user: object[offset, User?.self] = try reader.readUserIfPresent()
        case .users: object[offset, [User].self] = try reader.readUsers()
        case .members:
            object[offset, [Member].self] = try reader.readList { reader throws(WireError) in
                try reader.readMember()
            }
        case .message:
            object[offset, Message?.self] = try reader.readNull() ? nil : try reader.readMessage()
        case .boxedMessage:
            object[offset, Indirect<Message>?.self] =
                try reader.skipEmptyOrNull() ? nil : Indirect(try reader.readMessage())
        case .optionalTexts:
            object[offset, [String: String]?.self] =
                try reader.readNull() ? nil : try reader.readTexts()
        case .receipts: object[offset, [UserID: Timestamp]?.self] = try reader.readReceipts()
        case .messageIDs:
            object[offset, [MessageID].self] = try reader.readList { reader throws(WireError) in
                try reader.readMessageID()
            }.compactMap(\.self)
        case .json: object[offset, String?.self] = try reader.readRawIfAny()
        case .texts: object[offset, [String: String].self] = try reader.readTexts()
        case .reactions:
            object[offset, [Reaction]?.self] = try reader.readReactions()
        case .thread: object[offset, ThreadInfo?.self] = try reader.readThreadInfoIfPresent()
        case .link: object[offset, LinkPreview?.self] = try reader.readLinkPreview()
        case .alert: object[offset, CriticalAlert?.self] = try reader.readCriticalAlert()
        case .effects: object[offset, MessageEffects?.self] = try reader.readEffects()
        case .parent:
            object[offset, Indirect<ParentPreview>?.self] =
                try reader.readParentPreview().map { Indirect($0) }
        case .poll:
            object[offset, Indirect<Poll>?.self] =
                try reader.readPollIfPresent().map { Indirect($0) }
        case .position, .schedule, .notification, .parentEdit, .unknown, .own, .derived:
            try reader.skipValue()
        }
    }

    @inline(__always)
    func write(
        _ object: ObjectAddress, to writer: inout JSONWriter,
        special: (UInt8, inout JSONWriter) -> Void
    ) {
        for index in entries.indices {
            let entry = entries[index]
            if let number = entry.special {
                special(number, &writer)
            } else {
                write(entry, index, of: object, to: &writer)
            }
        }
    }

    private func write(
        _ entry: Entry, _ index: Int, of object: ObjectAddress, to writer: inout JSONWriter
    ) {
        let offset = entry.offset
        func name() { writer.name(quoted: entry.name, of: quotedNames) }
        func number(_ value: Int64?) {
            guard let value else { return }
            name()
            writer.int(value)
        }
        switch entry.kind {
        case .text:
            if entry.written == .unusual, object[offset, String.self].isEmpty { return }
            name()
            writer.string(object[offset, String.self])
        case .flag:
            let value = object[offset, Bool.self]
            guard entry.written == .always || value != entry.usualFlag else { return }
            name()
            writer.bool(value)
        case .count: number(Int64(object[offset, Int.self]))
        case .optionalCount, .limit: number(object[offset, Int?.self].map { Int64($0) })
        case .seconds: number(object[offset, Timestamp.self].seconds)
        case .optionalSeconds: number(object[offset, Timestamp?.self]?.seconds)
        case .moment: number(object[offset, Timestamp?.self]?.milliseconds)
        case .word:
            guard let words = lines[index].words else { return }
            let value = words.get(object)
            guard entry.written == .always || value != words.usual else { return }
            name()
            writer.string(words.words[value])
        case .user:
            orNull(entry, object[offset, User?.self], &writer) { $1.user($0) }
        case .users:
            list(entry, object[offset, [User].self], &writer) { $1.user($0) }
        case .members:
            list(entry, object[offset, [Member].self], &writer) { $1.member($0) }
        case .message:
            orNull(entry, object[offset, Message?.self], &writer) { $1.message($0) }
        case .boxedMessage:
            orNull(entry, object[offset, Indirect<Message>?.self], &writer) { $1.message($0.value) }
        case .optionalTexts:
            orNull(entry, object[offset, [String: String]?.self], &writer) { $1.texts($0) }
        case .receipts:
            orNull(entry, object[offset, [UserID: Timestamp]?.self], &writer) { $1.receipts($0) }
        case .messageIDs:
            list(entry, object[offset, [MessageID].self], &writer) { $1.int($0.rawValue) }
        case .unknown: unknown(object[offset, UnknownFields.self], of: object, &writer)
        case .json:
            orNull(entry, object[offset, String?.self], &writer) { $1.raw($0) }
        case .texts:
            guard entry.written == .always || !object[offset, [String: String].self].isEmpty else {
                return
            }
            name()
            writer.texts(object[offset, [String: String].self])
        case .reactions:
            orNull(entry, object[offset, [Reaction]?.self], &writer) { $1.reactions($0) }
        case .thread:
            orNull(entry, object[offset, ThreadInfo?.self], &writer) { $1.threadInfo($0) }
        case .link:
            orNull(entry, object[offset, LinkPreview?.self], &writer) { $1.linkPreview($0) }
        case .alert:
            orNull(entry, object[offset, CriticalAlert?.self], &writer) { $1.criticalAlert($0) }
        case .effects:
            orNull(entry, object[offset, MessageEffects?.self], &writer) { $1.effects($0) }
        case .parent:
            orNull(entry, object[offset, Indirect<ParentPreview>?.self], &writer) {
                $1.parentPreview($0.value)
            }
        case .poll:
            orNull(entry, object[offset, Indirect<Poll>?.self], &writer) { poll, writer in
                writer.object { $0.fields(of: poll.value) }
            }
        case .position, .schedule, .notification, .parentEdit, .own, .derived: break
        }
    }

    private func orNull<Value>(
        _ entry: Entry, _ value: Value?, _ writer: inout JSONWriter,
        _ write: (Value, inout JSONWriter) -> Void
    ) {
        guard value != nil || entry.written == .orNull else { return }
        writer.name(quoted: entry.name, of: quotedNames)
        if let value { write(value, &writer) } else { writer.null() }
    }

    private func list<Value>(
        _ entry: Entry, _ values: [Value], _ writer: inout JSONWriter,
        _ write: (Value, inout JSONWriter) -> Void
    ) {
        guard entry.written == .always || !values.isEmpty else { return }
        writer.name(quoted: entry.name, of: quotedNames)
        writer.array { writer in
            for value in values { write(value, &writer) }
        }
    }

    /// Writes the unknown fields, except those inside an object that a special field has written
    /// with them.
    private func unknown(
        _ unknown: UnknownFields, of object: ObjectAddress, _ writer: inout JSONWriter
    ) {
        for field in unknown.fields {
            if let index = names.index(field.name), entries[index].special != nil,
                lines[index].described(object) != nil
            {
                continue
            }
            writer.field(field.name, raw: field.json)
        }
    }
}
