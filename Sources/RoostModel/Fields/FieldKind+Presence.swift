// SPDX-License-Identifier: Apache-2.0

extension FieldKind {
    /// Whether the value of the kind is an optional.
    package var isOptional: Bool {
        switch self {
        case .optionalCount, .limit, .optionalSeconds, .moment, .user, .message, .boxedMessage,
            .optionalTexts, .receipts, .position, .json, .reactions, .thread, .link, .alert,
            .effects, .parent, .parentEdit, .poll, .schedule, .notification:
            true
        case .text, .flag, .count, .seconds, .word, .users, .members, .messageIDs, .texts,
            .unknown, .own, .derived:
            false
        }
    }

    /// Whether a value is neither nil nor empty.
    ///
    /// Flags, numbers and words are always present.
    package func isPresent(at offset: Int, in object: ObjectAddress) -> Bool {
        switch self {
        case .text: !object[offset, String.self].isEmpty
        case .users: !object[offset, [User].self].isEmpty
        case .members: !object[offset, [Member].self].isEmpty
        case .messageIDs: !object[offset, [MessageID].self].isEmpty
        case .texts: !object[offset, [String: String].self].isEmpty
        case .unknown: !object[offset, UnknownFields.self].isEmpty
        case .optionalCount, .limit: object[offset, Int?.self] != nil
        case .optionalSeconds, .moment: object[offset, Timestamp?.self] != nil
        case .user: object[offset, User?.self] != nil
        case .message: object[offset, Message?.self] != nil
        case .boxedMessage: object[offset, Indirect<Message>?.self] != nil
        case .optionalTexts: object[offset, [String: String]?.self] != nil
        case .receipts: object[offset, [UserID: Timestamp]?.self] != nil
        case .position: object[offset, Position?.self] != nil
        case .json: object[offset, String?.self] != nil
        case .reactions: object[offset, [Reaction]?.self] != nil
        case .thread: object[offset, ThreadInfo?.self] != nil
        case .link: object[offset, LinkPreview?.self] != nil
        case .alert: object[offset, CriticalAlert?.self] != nil
        case .effects: object[offset, MessageEffects?.self] != nil
        case .parent: object[offset, Indirect<ParentPreview>?.self] != nil
        case .parentEdit: object[offset, Indirect<ParentPreview>?.self]?.value.updatedAt != nil
        case .poll: object[offset, Indirect<Poll>?.self] != nil
        case .schedule: object[offset, Schedule?.self] != nil
        case .notification: object[offset, NotificationInfo?.self] != nil
        case .flag, .count, .seconds, .word, .own, .derived: true
        }
    }
}
