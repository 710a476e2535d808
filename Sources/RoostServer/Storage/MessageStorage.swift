// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

package protocol MessageStorage: Sendable {
    /// Appends messages to their channels' logs and threads, each once per channel, sender and
    /// request ID.
    ///
    /// All messages are stored in one step, which makes large batches cheap; a message that cannot
    /// be stored fails alone. Messages of one channel keep their order.
    ///
    /// The storage assigns IDs and times: the time is the later of `now` and the channel's last
    /// time plus one, the ID grows throughout the application. A request ID is known as long as its
    /// message, deleted or not.
    ///
    /// - Returns: For each message the stored one, new or known; nil if there is no such channel.
    /// - Throws: An error if no message was stored.
    func append(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>]
    /// Appends messages as `append` does, but waits for no channel that other work holds for long.
    ///
    /// All messages of such a channel fail with `.held`; `append` waits for the channel.
    ///
    /// - Returns: For each message the stored one, new or known; nil if there is no such channel.
    /// - Throws: An error if no message was stored.
    func appendUnheld(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>]
    /// Edits a message.
    ///
    /// - Parameters:
    ///   - edit: The edit.
    ///   - mentioned: The users that the edit mentions.
    ///   - now: The time of the edit.
    /// - Returns: The message after the edit and the mention before it, or the reason why nothing
    ///   changed.
    /// - Throws: A failure of the storage; then nothing has changed.
    func edit(
        _ edit: EditCommand, mentioned: [User], now: Timestamp
    ) async throws(StorageError) -> EditOutcome
    /// Changes a message in one step with reading it, without marking it as edited; its place, IDs
    /// and sender stay.
    ///
    /// A deleted message is not changed.
    ///
    /// - Returns: The message after the change; nil if there is none.
    @discardableResult
    func updateMessage(
        _ id: MessageID, in url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout Message) -> Void
    ) async throws(StorageError) -> Message?
    /// Deletes a message's content; its place and its request ID stay.
    ///
    /// - Parameters:
    ///   - id: The message.
    ///   - url: Its channel.
    ///   - now: The time of the deletion.
    /// - Returns: The message before the deletion, or the reason why nothing changed.
    /// - Throws: A failure of the storage; then nothing has changed.
    func delete(
        _ id: MessageID, in url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> DeleteOutcome
    func message(_ id: MessageID, in url: ChannelURL) async throws(StorageError) -> Message?
    /// Appends old messages with their own times, all or none.
    ///
    /// All of them must be later than the log, deleted messages included. So a client that knows
    /// the log up to its end learns of them as of any new message. A message whose time is not
    /// later than the one before moves to the next millisecond.
    ///
    /// - Parameters:
    ///   - messages: The messages, oldest first.
    ///   - url: The channel of all of them.
    ///   - marks: The change of the members' read marks.
    ///   - now: The time of the change.
    /// - Returns: The messages in the log, or the reason why nothing changed.
    /// - Throws: A failure of the storage; then nothing has changed.
    func importMessages(
        _ messages: [Message], into url: ChannelURL, _ marks: ImportMarks, now: Timestamp
    ) async throws(StorageError) -> ImportOutcome
    /// Returns whether a channel's log has a sender's message with a request ID, deleted or not.
    func isKnown(
        _ request: RequestID, of sender: UserID, in url: ChannelURL
    ) async throws(StorageError) -> Bool
    /// Returns the position of a message; a deleted one keeps its position.
    func position(of id: MessageID, in url: ChannelURL) async throws(StorageError) -> Position?
    /// Returns the positions of the messages among IDs; deleted ones keep theirs.
    func positions(
        of ids: [MessageID], in url: ChannelURL
    ) async throws(StorageError) -> [MessageID: Position]
    /// Returns the first messages of a range that match a filter, from either end.
    ///
    /// A filter may leave out most of a log, which is read in stretches. With more of them than
    /// `StorageBounds` allows, the search for messages ends early.
    func findMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) async throws(StorageError) -> FoundMessages
    /// Returns the number of messages of a range that match a filter; a count over `limit` may have
    /// ended early.
    func countMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, atMost limit: Int
    ) async throws(StorageError) -> CountedMessages
    /// Returns the messages that changed after a point, oldest change first, each once.
    func messageChanges(
        in url: ChannelURL, after point: ChangePoint, limit: Int
    ) async throws(StorageError) -> MessageChangePage
    /// Returns the whole log, deleted messages included; for tests and tools.
    func log(of url: ChannelURL) async throws(StorageError) -> [LogEntry]
    /// Returns a page of the log before a position, newest first, deleted messages included.
    func log(
        of url: ChannelURL, before place: Position, limit: Int
    ) async throws(StorageError) -> [LogEntry]
}

extension MessageStorage {
    /// Appends all messages: a storage of one server has no channel that other work holds.
    package func appendUnheld(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>] {
        try await append(messages, now: now)
    }

    /// Returns the first messages of a range that match a filter, from either end.
    package func messages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) async throws(StorageError) -> [Message] {
        let found = try await findMessages(
            in: url, range, filter, newestFirst: newestFirst, limit: limit)
        guard found.isWhole else {
            throw StorageError(
                "A page with a filter would read too many messages of \(url.rawValue).")
        }
        return found.messages
    }

    /// Returns the number of messages of a range that match a filter; a count over `limit` may have
    /// ended early.
    package func messageCount(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, atMost limit: Int
    ) async throws(StorageError) -> Int {
        try await countMessages(in: url, range, filter, atMost: limit).count
    }
}
