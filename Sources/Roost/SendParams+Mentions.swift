// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostWire

extension UserMessageParams {
    /// The text with the mentioned users in the form `@{user ID}`, from which a view writes their
    /// current names; nil for none.
    ///
    /// It is one of the `extraFields`; the receivers find it in `Message.details`.
    public var mentionTemplate: String? {
        get { extraFields.mentionTemplate }
        set { extraFields.set(mentionTemplate: newValue) }
    }
}

extension FileMessageParams {
    /// The caption with the mentioned users in the form `@{user ID}`, from which a view writes
    /// their current names; nil for none.
    ///
    /// It is one of the `extraFields`; the receivers find it in `Message.details`.
    public var mentionTemplate: String? {
        get { extraFields.mentionTemplate }
        set { extraFields.set(mentionTemplate: newValue) }
    }
}

extension UnknownFields {
    fileprivate mutating func set(mentionTemplate: String?) {
        self = removing(Self.mentionTemplateName)
        if let mentionTemplate { keep(mentionTemplate: mentionTemplate) }
    }
}
