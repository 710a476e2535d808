// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostStore

// What a user writes and changes. Every call returns once it is on disk, connected or not, and what
// follows survives a relaunch: see `docs/delivery.md`.

extension ChatClient {
    // MARK: Messages

    /// Saves a message and queues it for delivery.
    ///
    /// Returns once the message is on disk, connected or not. Open timelines show it at once as
    /// pending; delivery survives a relaunch, keeps the order of calls within a channel and happens once.
    ///
    /// - Throws: `.invalidParameter` for an empty text, `.localDatabaseError` when the disk refuses; in
    ///   both cases nothing was saved.
    @discardableResult
    public func send(
        _ params: UserMessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(.user(params), to: channel, as: nil)
    }

    /// Saves a text and queues it for delivery, as `send(_:to:)` does.
    @discardableResult
    public func send(
        _ text: String, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(UserMessageParams(text: text), to: channel)
    }

    /// Saves a message with its files and queues it for delivery.
    ///
    /// Files that are copied are copied before this returns. Then each is uploaded, its address is
    /// written down, and the message goes; a crash between two of these steps repeats none of them. Text
    /// written later in the same channel waits for the upload. How it goes is told by `outboxEvents()`.
    ///
    /// - Throws: `.invalidParameter` without a file, or for one that cannot be read;
    ///   `.localDatabaseError` when the disk refuses. Nothing was saved then.
    @discardableResult
    public func send(
        _ params: FileMessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(.file(params), to: channel, as: nil)
    }

    /// Sends the like of a message, such as a copy into another channel; files are not uploaded again.
    ///
    /// - Throws: As `send(_:to:)`.
    @discardableResult
    public func send(
        _ params: MessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(params, to: channel, as: nil)
    }

    /// Sends under a name that the caller has made; nil makes one.
    package func send(
        _ params: MessageParams, to channel: ChannelURL, as requestID: RequestID?
    ) async throws(RoostError) -> Message {
        let content: OutboxContent
        switch params {
        case .user(let params):
            guard !params.text.isEmpty else {
                throw RoostError(
                    .invalidParameter, remedy: .correctInput,
                    message: "A message needs some text.")
            }
            content = .userMessage(params)
        case .file(let params):
            guard !params.files.isEmpty else {
                throw RoostError(
                    .invalidParameter, remedy: .correctInput,
                    message: "A file message needs a file: name one, or send a text.")
            }
            content = .fileMessage(params, copies: params.files.map { _ in nil })
        }
        return try await outbox.send(content, to: channel, as: requestID)
    }

    /// Tries a failed message or change again, under the same request ID, behind what waits already.
    ///
    /// It has another three days. A file that was uploaded is not uploaded again.
    ///
    /// - Returns: Whether it will be sent; false for what has not failed or is not there any more.
    @discardableResult
    public func resend(_ requestID: RequestID) async -> Bool { await outbox.resend(requestID) }

    /// Takes an unsent message or a waiting change back; one that is on its way may arrive all the same.
    ///
    /// A disk that refuses is asked again; should the app end before, it waits again after the relaunch.
    /// `delete(_:in:)` throws then instead.
    public func cancel(_ requestID: RequestID) async { await outbox.cancel(requestID) }

    /// The messages of a channel that wait or have failed, in the order they were written.
    public func unsentMessages(in channel: ChannelURL) async -> [Message] {
        await outbox.unsent(in: channel)
    }

    /// The messages of a channel that the outbox has given up, in the order they were written.
    public func failedMessages(in channel: ChannelURL) async -> [Message] {
        await outbox.unsent(in: channel).filter { $0.status == .failed }
    }

    /// Forgets a message that has failed; one that waits stays.
    public func removeFailed(_ requestID: RequestID, in channel: ChannelURL) async {
        guard await failedMessages(in: channel).contains(where: { $0.requestID == requestID })
        else { return }
        await outbox.cancel(requestID)
    }

    // MARK: Changes

    /// Changes the text of an own message.
    ///
    /// - Returns: The name of the change, for `outcome(of:)`.
    /// - Throws: `.localDatabaseError` when the disk refuses; then nothing was saved.
    @discardableResult
    public func edit(
        _ messageID: MessageID, in channel: ChannelURL, text: String
    ) async throws(RoostError) -> RequestID {
        try await edit(.delivered(messageID), in: channel, MessageEdit(text: text))
    }

    /// Changes an own message, delivered or not.
    ///
    /// One that certainly has not left yet leaves with the change in it; otherwise the change follows it.
    /// An edit that waits still becomes one with this one: the later words count.
    ///
    /// - Returns: The name of the change, for `outcome(of:)`; where it became part of an unsent message or of
    ///   an edit that waits, that one's.
    /// - Throws: `.messageNotFound` for an unsent message nobody knows; `.localDatabaseError` when the
    ///   disk refuses. Nothing was saved then.
    @discardableResult
    public func edit(
        _ target: MessageTarget, in channel: ChannelURL, _ edit: MessageEdit
    ) async throws(RoostError) -> RequestID {
        try await outbox.change(.edit(target, edit), in: channel)
    }

    /// Deletes a delivered message for everybody.
    ///
    /// - Returns, throws: As `edit(_:in:_:)`.
    @discardableResult
    public func delete(
        _ messageID: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await delete(.delivered(messageID), in: channel)
    }

    /// Deletes a message for everybody.
    ///
    /// One that certainly has not left yet is taken back. One that may have left is taken back too, and
    /// deleted at the server should it show there.
    ///
    /// - Returns, throws: As `edit(_:in:_:)`.
    @discardableResult
    public func delete(
        _ target: MessageTarget, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await outbox.change(.delete(target), in: channel)
    }

    /// Adds the user's reaction to a message; on an unsent one it follows the message.
    ///
    /// - Returns, throws: As `edit(_:in:_:)`.
    @discardableResult
    public func addReaction(
        _ key: String, to target: MessageTarget, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await outbox.change(.addReaction(key, target), in: channel)
    }

    /// Takes the user's reaction back.
    ///
    /// - Returns, throws: As `edit(_:in:_:)`.
    @discardableResult
    public func removeReaction(
        _ key: String, from target: MessageTarget, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await outbox.change(.removeReaction(key, target), in: channel)
    }

    /// Notes that a channel was read up to a moment of the server's clock, such as its last message's.
    ///
    /// A later mark takes the place of one that waits. The server can only mark everything: a mark that
    /// could not be sent before more came is dropped, and what came stays unread.
    ///
    /// - Returns, throws: As `edit(_:in:_:)`.
    @discardableResult
    public func markAsRead(
        _ channel: ChannelURL, through moment: Timestamp
    ) async throws(RoostError) -> RequestID {
        try await outbox.change(.markAsRead(through: moment), in: channel)
    }

    /// The changes of a channel that wait, in the order they were asked for.
    ///
    /// `Message.applying(_:by:)` shows a message as they will make it.
    public func pendingChanges(in channel: ChannelURL) async -> [PendingChange] {
        await outbox.pendingChanges(in: channel)
    }

    /// What the server did not do, oldest first: what was asked, why not, and what stands instead.
    ///
    /// They are kept until `resend` or `cancel` is called for them.
    public func refusals(in channel: ChannelURL? = nil) async -> [ChangeRefusal] {
        await outbox.refusals(in: channel)
    }

    // MARK: What becomes of it

    /// Returns when the server has a message or has made a change, however long that takes.
    ///
    /// - Throws: Why it did not, when the outbox has given up, or it was taken back. A name nobody knows
    ///   any more is that of something done.
    public func outcome(of requestID: RequestID) async throws(RoostError) {
        if let error = await outbox.outcome(of: requestID) { throw error }
    }

    /// Everything that becomes of messages and changes from now on, in order and none left out.
    ///
    /// Read it without pauses: what is not read yet waits in memory.
    public func outboxEvents() async -> AsyncStream<OutboxEvent> { outbox.observers.open() }

    /// How the upload of a message's files goes, until it is over.
    public func uploadProgress(of requestID: RequestID) async -> AsyncStream<UploadProgress> {
        let events = outbox.observers.open()
        let known = await outbox.isUploading(requestID)
        let (stream, continuation) = AsyncStream.makeStream(
            of: UploadProgress.self, bufferingPolicy: .bufferingNewest(1))
        guard known else {
            continuation.finish()
            return stream
        }
        // Ends with the message, or with who listens.
        let task = Task(executorPreference: world.executor) {
            for await event in events {
                if case .uploading(requestID, let progress) = event { continuation.yield(progress) }
                if event.endsUpload(of: requestID) { break }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension OutboxEvent {
    fileprivate func endsUpload(of requestID: RequestID) -> Bool {
        switch self {
        case .delivered(let message), .failed(let message), .canceled(let message):
            message.requestID == requestID
        case .uploading(requestID, let progress): progress.sent == progress.total
        default: false
        }
    }
}
