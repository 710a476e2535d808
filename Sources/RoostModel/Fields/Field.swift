// SPDX-License-Identifier: Apache-2.0

/// An object with a table of its fields.
///
/// The table is the only list of them: it drives the JSON of the wire, the stored payload and the
/// description. A new field is a stored property and a line here. The compiler compares all stored
/// properties by itself; a test finds a property without a line.
package protocol FieldOwner: Equatable, Sendable {
    /// The names of fields whose wire form differs from that of their kind.
    ///
    /// The coding of the object has a case for each.
    associatedtype Special: RawRepresentable<UInt8>

    /// The object with the usual value in each field.
    static var usual: Self { get }
    /// The table, in the order in which the wire writes the fields.
    static var fields: [Field<Self>] { get }
}

package typealias FieldPath<Object, Value> = any WritableKeyPath<Object, Value> & Sendable

/// A line of an object's table.
package struct Field<Object: FieldOwner>: Sendable {
    package private(set) var line: FieldLine

    private init<Value: Equatable & Sendable>(
        _ name: String, _ kind: FieldKind, _ path: FieldPath<Object, Value>,
        _ stored: StoredPlace, _ written: WrittenWhen = .unusual
    ) {
        guard let offset = MemoryLayout<Object>.offset(of: path) else {
            preconditionFailure("A table lists stored properties; \(name) is none.")
        }
        let usual = Object.usual[keyPath: path]
        line = FieldLine(
            name: name, kind: kind, offset: offset, stored: stored, written: written,
            described: { object in
                let value = object[offset, Value.self]
                guard value != usual else { return nil }
                return (value as? any Wrapping)?.text ?? String(describing: value)
            })
    }

    private func with(_ change: (inout FieldLine) -> Void) -> Self {
        var field = self
        change(&field.line)
        return field
    }
}

// MARK: - Kinds

extension Field {
    package static func text(
        _ name: String, _ path: FieldPath<Object, String>, _ stored: StoredPlace,
        _ written: WrittenWhen = .always
    ) -> Self { Self(name, .text, path, stored, written) }

    package static func flag(
        _ name: String, _ path: FieldPath<Object, Bool>, _ stored: StoredPlace,
        _ written: WrittenWhen = .always
    ) -> Self {
        Self(name, .flag, path, stored, written).with {
            $0.usualFlag = Object.usual[keyPath: path]
        }
    }

    package static func count(
        _ name: String, _ path: FieldPath<Object, Int>, _ stored: StoredPlace
    ) -> Self { Self(name, .count, path, stored) }

    package static func count(
        _ name: String, _ path: FieldPath<Object, Int?>, _ stored: StoredPlace
    ) -> Self { Self(name, .optionalCount, path, stored) }

    package static func limit(
        _ name: String, _ path: FieldPath<Object, Int?>, _ stored: StoredPlace
    ) -> Self { Self(name, .limit, path, stored) }

    package static func seconds(
        _ name: String, _ path: FieldPath<Object, Timestamp>, _ stored: StoredPlace
    ) -> Self { Self(name, .seconds, path, stored) }

    package static func seconds(
        _ name: String, _ path: FieldPath<Object, Timestamp?>, _ stored: StoredPlace
    ) -> Self { Self(name, .optionalSeconds, path, stored) }

    package static func moment(
        _ name: String, _ path: FieldPath<Object, Timestamp?>, _ stored: StoredPlace
    ) -> Self { Self(name, .moment, path, stored) }

    /// An enum; `unknown` is the case of a word that this release does not know.
    package static func word<Value: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
        _ name: String, _ path: FieldPath<Object, Value>, unknown: Value, _ stored: StoredPlace,
        _ written: WrittenWhen = .always, synonyms: [(String, Value)] = []
    ) -> Self {
        Self(name, .word, path, stored, written).with { line in
            line.words = FieldWords(
                at: line.offset, usual: Object.usual[keyPath: path], unknown: unknown,
                synonyms: synonyms)
        }
    }

    package static func user(
        _ name: String, _ path: FieldPath<Object, User?>, _ stored: StoredPlace,
        _ written: WrittenWhen = .unusual
    ) -> Self { Self(name, .user, path, stored, written) }

    package static func users(
        _ name: String, _ path: FieldPath<Object, [User]>, _ stored: StoredPlace
    ) -> Self { Self(name, .users, path, stored) }

    package static func members(
        _ name: String, _ path: FieldPath<Object, [Member]>, _ stored: StoredPlace
    ) -> Self { Self(name, .members, path, stored) }

    package static func message(
        _ name: String, _ path: FieldPath<Object, Message?>, _ stored: StoredPlace,
        _ written: WrittenWhen = .unusual
    ) -> Self { Self(name, .message, path, stored, written) }

    package static func message(
        _ name: String, _ path: FieldPath<Object, Indirect<Message>?>, _ stored: StoredPlace
    ) -> Self { Self(name, .boxedMessage, path, stored) }

    package static func messageIDs(
        _ name: String, _ path: FieldPath<Object, [MessageID]>, _ stored: StoredPlace
    ) -> Self { Self(name, .messageIDs, path, stored) }

    package static func texts(
        _ name: String, _ path: FieldPath<Object, [String: String]?>, _ stored: StoredPlace
    ) -> Self { Self(name, .optionalTexts, path, stored) }

    package static func receipts(
        _ name: String, _ path: FieldPath<Object, [UserID: Timestamp]?>, _ stored: StoredPlace
    ) -> Self { Self(name, .receipts, path, stored) }

    package static func json(
        _ name: String, _ path: FieldPath<Object, String?>, _ stored: StoredPlace
    ) -> Self { Self(name, .json, path, stored) }

    package static func texts(
        _ name: String, _ path: FieldPath<Object, [String: String]>, _ stored: StoredPlace,
        _ written: WrittenWhen = .unusual
    ) -> Self { Self(name, .texts, path, stored, written) }

    package static func reactions(
        _ name: String, _ path: FieldPath<Object, [Reaction]?>, _ stored: StoredPlace
    ) -> Self { Self(name, .reactions, path, stored) }

    package static func thread(
        _ name: String, _ path: FieldPath<Object, ThreadInfo?>, _ stored: StoredPlace
    ) -> Self { Self(name, .thread, path, stored) }

    package static func parent(
        _ name: String, _ path: FieldPath<Object, Indirect<ParentPreview>?>, _ stored: StoredPlace
    ) -> Self { Self(name, .parent, path, stored) }

    package static func link(
        _ name: String, _ path: FieldPath<Object, LinkPreview?>, _ stored: StoredPlace
    ) -> Self { Self(name, .link, path, stored) }

    package static func poll(
        _ name: String, _ path: FieldPath<Object, Indirect<Poll>?>, _ stored: StoredPlace
    ) -> Self { Self(name, .poll, path, stored) }

    package static func alert(
        _ name: String, _ path: FieldPath<Object, CriticalAlert?>, _ stored: StoredPlace
    ) -> Self { Self(name, .alert, path, stored) }

    package static func effects(
        _ name: String, _ path: FieldPath<Object, MessageEffects?>, _ stored: StoredPlace
    ) -> Self { Self(name, .effects, path, stored) }

    /// The fields without a line; they stand behind all others on the wire.
    package static func unknown(
        _ path: FieldPath<Object, UnknownFields>, _ stored: StoredPlace
    ) -> Self { Self("unknown fields", .unknown, path, stored) }
}

// MARK: - Special fields

extension Field {
    /// A property that is stored as its kind says, and has a wire form of its own.
    package static func special(
        _ special: Object.Special, _ field: Self
    ) -> Self { field.with { $0.special = special.rawValue } }

    package static func schedule(
        _ name: String, _ path: FieldPath<Object, Schedule?>, _ stored: StoredPlace
    ) -> Self { Self(name, .schedule, path, stored) }

    package static func notification(
        _ name: String, _ path: FieldPath<Object, NotificationInfo?>, _ stored: StoredPlace
    ) -> Self { Self(name, .notification, path, stored) }

    /// The time of the edit inside a parent's preview, as a value of its own in the payload.
    package static func parentEdit(
        _ path: FieldPath<Object, Indirect<ParentPreview>?>, _ stored: StoredPlace
    ) -> Self {
        Self("the parent's edit", .parentEdit, path, stored).with { $0.described = { _ in nil } }
    }

    /// A property that is neither on the wire nor in the payload.
    package static func unlisted<Value: Equatable & Sendable>(
        _ name: String, _ path: FieldPath<Object, Value>
    ) -> Self { Self(name, .own, path, .elsewhere) }

    package static func position(
        _ name: String, _ path: FieldPath<Object, Position?>, _ stored: StoredPlace
    ) -> Self { Self(name, .position, path, stored) }

    /// A property that neither the wire nor the payload has in the form of a kind.
    package static func own<Value: Equatable & Sendable>(
        _ name: String, _ special: Object.Special, _ path: FieldPath<Object, Value>
    ) -> Self { Self(name, .own, path, .elsewhere).with { $0.special = special.rawValue } }

    /// A name on the wire without a property: derived from other fields, or not kept.
    package static func derived(_ name: String, _ special: Object.Special) -> Self {
        Self(
            line: FieldLine(
                name: name, kind: .derived, offset: 0, stored: .elsewhere, written: .unusual,
                special: special.rawValue, described: { _ in nil }))
    }

    private init(line: FieldLine) { self.line = line }
}

/// An optional value, whose description shall not say that it is one.
private protocol Wrapping {
    var text: String { get }
}

extension Optional: Wrapping {
    fileprivate var text: String { map { String(describing: $0) } ?? "nil" }
}
