// SPDX-License-Identifier: Apache-2.0

/// The kind of a field: the type of the property, and the form of its value on the wire.
package enum FieldKind: Sendable {
    /// `String`.
    case text
    /// `Bool`.
    case flag
    /// `Int`, a count; nil reads as 0.
    case count
    /// `Int?`, a count.
    case optionalCount
    /// `Int?`, a limit; the wire writes a negative number for none.
    case limit
    /// `Timestamp` and `Timestamp?` in whole seconds.
    case seconds, optionalSeconds
    /// `Timestamp?` in milliseconds.
    case moment
    /// An enum with a word for each case; see `FieldWords`.
    case word
    /// `User?` and `[User]`.
    case user, users
    /// `[Member]`.
    case members
    /// `Message?` and `Indirect<Message>?`.
    case message, boxedMessage
    /// `[String: String]?`.
    case optionalTexts
    /// `[UserID: Timestamp]?`.
    case receipts
    /// `Position?`; the wire has no form of its own for it.
    case position
    /// `[MessageID]`.
    case messageIDs
    /// `String?`, the JSON text of a value.
    case json
    /// `[String: String]`.
    case texts
    /// `[Reaction]?`, `ThreadInfo?`, `LinkPreview?`, `CriticalAlert?` and `MessageEffects?`.
    case reactions, thread, link, alert, effects
    /// `Indirect<ParentPreview>?`, and the time of its edit, which came to the payload later.
    case parent, parentEdit
    /// `Indirect<Poll>?`.
    case poll
    /// `Schedule?` and `NotificationInfo?`, whose fields the wire has among those of the message.
    case schedule, notification
    /// `UnknownFields`.
    case unknown
    /// A property that only the code of its owner reads and writes.
    case own
    /// No property: a name on the wire that is derived from other fields, or not kept.
    case derived
}

/// The place of a field in its object's stored payload.
///
/// Numbers are given once: an earlier release has written payloads with them.
package enum StoredPlace: Hashable, Sendable {
    /// A bit of the flags, set if the value differs from the usual one.
    case bit(Int)
    /// The place among the values behind the flags, counted from 0; payloads of versions before
    /// `since` lack the value.
    case at(Int, since: UInt8 = 1)
    /// A place as `at`, taken only by an unusual value: then this bit of the flags is set.
    case part(Int, at: Int)
    /// Not in the payload: in a column of the row, or not stored.
    case elsewhere
}

/// The condition under which the wire has a field.
package enum WrittenWhen: UInt8, Sendable {
    case always
    /// If the value differs from the usual one: not empty, not nil, not the default.
    case unusual
    /// Always; nil as null.
    case orNull
}

/// The words of an enum on the wire, in the order of its cases.
package final class FieldWords: Sendable {
    package let words: [String]
    /// The case of the usual value.
    package let usual: Int
    /// Further words that a peer may use, with their case.
    private let synonyms: [(word: String, index: Int)]
    /// The case of an unknown word.
    private let unknown: Int
    /// The case of a property, and the change of the property to a case.
    package let get: @Sendable (ObjectAddress) -> Int
    package let set: @Sendable (ObjectAddress, Int) -> Void

    init<Value: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
        at offset: Int, usual: Value, unknown: Value, synonyms: [(String, Value)]
    ) {
        let all = Array(Value.allCases)
        func index(_ value: Value) -> Int { all.firstIndex(of: value) ?? 0 }
        words = all.map(\.rawValue)
        self.usual = index(usual)
        self.unknown = index(unknown)
        self.synonyms = synonyms.map { ($0, index($1)) }
        get = { all.firstIndex(of: $0[offset, Value.self]) ?? 0 }
        set = { $0[offset, Value.self] = all[$1] }
    }

    /// Returns the case of a word.
    package func index(of word: String) -> Int {
        words.firstIndex(of: word) ?? synonyms.first { $0.word == word }?.index ?? unknown
    }
}

/// A line of a table of fields, without the type of its object.
package struct FieldLine: Sendable {
    /// The name on the wire.
    package let name: String
    package let kind: FieldKind
    /// The offset of the property in the object.
    package let offset: Int
    package let stored: StoredPlace
    package let written: WrittenWhen
    /// The number of the code that reads and writes the wire form; nil if the kind says it.
    package var special: UInt8?
    /// The usual value of a flag.
    package var usualFlag = false
    package var words: FieldWords?
    /// The value as text for descriptions; nil for the usual value.
    package var described: @Sendable (ObjectAddress) -> String?

    /// The name that the wire has for the line; nil for none.
    package var wireName: String? {
        switch kind {
        case .unknown, .parentEdit: nil
        case .own where special == nil: nil
        default: name
        }
    }
}
