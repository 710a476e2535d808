// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Fields that parameters carry to the server without a property of their own.

extension UnknownFields.Field {
    /// The mark of a message that causes no push notification.
    package static let noPush = Self(name: "push_option", json: "\"suppress\"")
    /// The mark of a message that the server pins.
    package static let pinned = Self(name: "pin_message", json: "true")
}

extension UnknownFields {
    /// The name of the field for the text with placeholders for the mentioned users' names.
    package static let mentionTemplateName = "mentioned_message_template"

    /// Returns whether the fields have a field with the same value.
    package func contains(_ field: Field) -> Bool { self[field.name] == field.json }

    /// The text with placeholders for the mentioned users' names; nil without any.
    package var mentionTemplate: String? {
        self[Self.mentionTemplateName].flatMap { try? JSONValue(parsing: $0).string }
    }

    /// Sets the text with placeholders for the mentioned users' names.
    package mutating func keep(mentionTemplate: String) {
        var writer = JSONWriter()
        writer.string(mentionTemplate)
        keep(Field(name: Self.mentionTemplateName, json: writer.text))
    }
}
