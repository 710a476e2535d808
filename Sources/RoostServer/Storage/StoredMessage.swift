// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// A row of a channel's log in a database, with the rows of its sender and of its live parent.
///
/// The JSON of a message has no name and picture of the sender. They come from the user's row, so a
/// rename changes one row.
package struct StoredMessage: Sendable {
    /// The texts of a message's row and its sender's row.
    package struct Text: Sendable {
        let createdAt: Timestamp
        let body: String
        let senderBody: String?

        package init(createdAt: Timestamp, body: String, senderBody: String?) {
            self.createdAt = createdAt
            self.body = body
            self.senderBody = senderBody
        }

        /// The message with the sender of its own row, and its edits.
        func read() throws(WireError) -> (message: Message, edits: MadeEdits) {
            var reader = JSONReader(body)
            // No client can read deeper JSON within a list.
            reader.depthBound = JSONReader.contentDepth + JSONReader.wrappingDepth
            var message = try reader.readMessage()
            let edits = try MadeEdits(takenFrom: &message)
            return (message, edits)
        }

        func message() throws(WireError) -> Message {
            var message = try read().message
            message.createdAt = createdAt
            if let senderBody {
                var reader = JSONReader(senderBody)
                message.sender?.user = try reader.readUser()
            }
            return message
        }
    }

    package let id: Int64
    package let sequence: Int64
    package let deletedAt: Timestamp?
    private let text: Text
    private let parent: Text?

    package init(id: Int64, sequence: Int64, deletedAt: Timestamp?, text: Text, parent: Text?) {
        self.id = id
        self.sequence = sequence
        self.deletedAt = deletedAt
        self.text = text
        self.parent = parent
    }

    package var createdAt: Timestamp { text.createdAt }

    package var position: Position {
        Position(createdAt: createdAt, messageID: MessageID(id))
    }

    /// Returns the message with the present name of its sender and the present state of its parent.
    package func decoded() throws(WireError) -> Message {
        var message = try text.message()
        message.delivery = .delivered(MessageID(id), message.requestID)
        if message.parentID != nil {
            message.details.parentPreview = try parent?.message().shownPreview
        }
        // A log has no votes of single users.
        if !message.hasNoDetails { message.details.poll?.votedOptionIDs = nil }
        return message
    }

    /// Returns the edits of the message; none if the row cannot be read.
    package var madeEdits: MadeEdits { (try? text.read().edits) ?? MadeEdits() }

    /// The message; nil inside if the row cannot be read.
    package var readable: Readable<Message> { Readable(value: try? decoded()) }

    package var change: Readable<MessageChangePage.Change> {
        if let deletedAt { return Readable(value: .deleted(MessageID(id), at: deletedAt)) }
        return Readable(value: readable.value.map { .current($0) })
    }

    /// Returns the answer to a repeated request: the stored message, or if it was deleted the
    /// repeated content in its place.
    ///
    /// - Parameters:
    ///   - stored: This row's message.
    ///   - message: The repeated message.
    ///   - previous: The live message before this row.
    /// - Returns: The answer.
    package func answer(
        _ stored: Message, to message: Message, after previous: MessageID?
    ) -> Appended {
        var answer = stored
        if deletedAt != nil {
            answer = message
            answer.createdAt = stored.createdAt
            answer.delivery = stored.delivery
            answer.sender = stored.sender
        }
        return Appended(
            message: answer, previousID: previous, isRepeat: true, isDeleted: deletedAt != nil)
    }
}

extension Message {
    /// The stored text: the message without the data in its row, the sender's row and the parent's.
    ///
    /// - Parameter edits: The edits that were made.
    /// - Returns: The JSON text.
    package func storedBody(_ edits: MadeEdits = MadeEdits()) -> String {
        var message = self
        if parentID != nil { message.details.parentPreview = nil }
        message.delivery = .delivered(MessageID(1), requestID)
        if let sender { message.sender?.user = User(id: sender.user.id) }
        edits.write(into: &message)
        var writer = JSONWriter()
        writer.message(message)
        return writer.text
    }

    /// The place of the message: 0 in the channel, 1 in a thread, 2 in both.
    package var replyNumber: Int64 {
        if parentID == nil { return 0 }
        return isReplyToChannel ? 2 : 1
    }
}

extension User {
    /// The stored text of a user's public data.
    package var storedBody: String {
        var writer = JSONWriter()
        writer.user(self)
        return writer.text
    }

    /// Reads the stored text.
    package init(stored text: String) throws(WireError) {
        var reader = JSONReader(text)
        self = try reader.readUser()
    }
}

/// The value of a row; nil if the row cannot be read.
package struct Readable<Value: Sendable>: Sendable {
    package let value: Value?

    package init(value: Value?) { self.value = value }
}
