// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

// Messages and changes of the user. Each call returns once its item is on disk, with or without a
// connection; delivery survives a relaunch (`docs/delivery.md`). Every view shows it from then on.

extension ChatClient {
    // MARK: Messages

    /// Saves a message and queues it for delivery.
    ///
    /// The call returns once the message is on disk, with or without a connection. Open timelines
    /// show it at once as pending. Delivery survives a relaunch, keeps the order of calls within a
    /// channel, and happens once.
    ///
    /// - Returns: The message with its request ID.
    /// - Throws: `.invalidParameter` for an empty text; `.localDatabaseError`. Nothing was saved
    ///   then.
    @discardableResult
    public func send(
        _ params: UserMessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(.user(params), to: channel, as: nil)
    }

    /// Saves a text and queues it for delivery, as `send(_:to:)` with `UserMessageParams` does.
    ///
    /// - Returns: The message with its request ID.
    /// - Throws: `.invalidParameter` for an empty text; `.localDatabaseError`. Nothing was saved
    ///   then.
    @discardableResult
    public func send(
        _ text: String, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(UserMessageParams(text: text), to: channel)
    }

    /// Saves a message with files and queues it for delivery.
    ///
    /// Files to be copied are copied before the call returns. Then each file is uploaded, its
    /// address is stored, and the message is sent; a crash between two of these steps repeats none
    /// of them. Later messages of the same channel wait for the upload. `outboxEvents()` reports
    /// the progress.
    ///
    /// - Returns: The message with its request ID.
    /// - Throws: `.invalidParameter` without a file, or if a file cannot be read;
    ///   `.localDatabaseError`. Nothing was saved then.
    @discardableResult
    public func send(
        _ params: FileMessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(.file(params), to: channel, as: nil)
    }

    /// Sends a message with the parameters of another one, such as a copy into another channel;
    /// files are not uploaded again.
    ///
    /// - Returns: The message with its request ID.
    /// - Throws: As `send(_:to:)` with `UserMessageParams` or `FileMessageParams`.
    @discardableResult
    public func send(
        _ params: MessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await send(params, to: channel, as: nil)
    }

    /// Returns the bytes of a file of an unsent message, to show it while it waits.
    ///
    /// The file comes from `Message.params`. The outbox has a copy of each file except for
    /// `.reference` and `.url`, also after a restart and in a sealed cache.
    ///
    /// - Returns: The bytes; none for `.url`, which the app fetches itself.
    /// - Throws: `.invalidParameter` if the file was deleted, has changed, or the message was sent.
    public func contents(of file: OutgoingFile) async throws(RoostError) -> [UInt8] {
        do { return try await store.outbox.contents(of: file) } catch { throw RoostError(error) }
    }

    /// Sends under a request ID of the caller; nil creates one.
    package func send(
        _ params: MessageParams, to channel: ChannelURL, as requestID: RequestID?
    ) async throws(RoostError) -> Message {
        try await engine.send(params, to: channel, as: requestID)
    }

    /// Queues a failed message or change again, under the same request ID, behind all waiting
    /// items.
    ///
    /// The item has another three days. A file that was uploaded is not uploaded again.
    ///
    /// - Returns: Whether the item is queued; false if it has not failed or does not exist any
    ///   more.
    @discardableResult
    public func resend(_ requestID: RequestID) async -> Bool {
        let outcome = try? await engine.run(.outbox(.resending(OutboxResending(requestID))))
        return outcome?.flag ?? false
    }

    /// Cancels an unsent message or a waiting change; an item being sent may arrive all the same.
    ///
    /// If the disk refuses, the deletion is retried; if the app ends before, the item waits again
    /// after the relaunch. `delete(_:in:)` throws in this case.
    public func cancel(_ requestID: RequestID) async {
        _ = try? await engine.run(.outbox(.canceling(OutboxCanceling(requestID))))
    }

    /// Returns the waiting and failed messages of all channels, in the order of their send calls.
    ///
    /// A message whose channel was deleted, or has been left, is among them: it stays here until it
    /// is sent or canceled.
    public func unsentMessages() async -> [Message] {
        await engine.read { $0.outbox.unsentInOrder.map(\.message) }
    }

    /// Returns the waiting and failed messages of a channel, in the order of their send calls.
    public func unsentMessages(in channel: ChannelURL) async -> [Message] {
        await engine.read { $0.outbox.unsent(in: channel) }
    }

    /// Returns the failed messages of a channel, in the order of their send calls.
    public func failedMessages(in channel: ChannelURL) async -> [Message] {
        await unsentMessages(in: channel).filter { $0.status == .failed }
    }

    /// Deletes a failed message; a waiting one stays.
    public func removeFailed(_ requestID: RequestID, in channel: ChannelURL) async {
        // The message may be sent again beside this call.
        let operation = OutboxCanceling(requestID, onlyIfFailedIn: channel)
        _ = try? await engine.run(.outbox(.canceling(operation)))
    }

    // MARK: Changes

    /// Edits the text of the user's own message.
    ///
    /// - Returns: The identifier of the change, for `outcome(of:)`.
    /// - Throws: `.localDatabaseError`; nothing was saved then.
    @discardableResult
    public func edit(
        _ messageID: MessageID, in channel: ChannelURL, text: String
    ) async throws(RoostError) -> RequestID {
        try await edit(.delivered(messageID), in: channel, MessageEdit(text: text))
    }

    /// Edits the user's own message, delivered or not.
    ///
    /// A message that has certainly not been sent is edited in the outbox; otherwise the edit is
    /// sent after it. A waiting edit of the same message is merged with this one, whose values win.
    ///
    /// - Returns: The identifier of the change, for `outcome(of:)`; after a merge, that of the
    ///   other item.
    /// - Throws: `.messageNotFound` for an unknown unsent message; `.localDatabaseError`. Nothing
    ///   was saved then.
    @discardableResult
    public func edit(
        _ target: MessageTarget, in channel: ChannelURL, _ edit: MessageEdit
    ) async throws(RoostError) -> RequestID {
        try await queue(.edit(target, edit), in: channel)
    }

    /// Deletes a delivered message for all members.
    ///
    /// - Returns: As `edit(_:in:_:)`.
    /// - Throws: As `edit(_:in:_:)`.
    @discardableResult
    public func delete(
        _ messageID: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await delete(.delivered(messageID), in: channel)
    }

    /// Deletes a message for all members, delivered or not.
    ///
    /// A message that has certainly not been sent is canceled. One that may have been sent is
    /// canceled too, and deleted at the server should it appear there.
    ///
    /// - Returns: As `edit(_:in:_:)`.
    /// - Throws: As `edit(_:in:_:)`.
    @discardableResult
    public func delete(
        _ target: MessageTarget, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.delete(target), in: channel)
    }

    /// Adds the user's reaction to a message; for an unsent message it is sent after the message.
    ///
    /// - Returns: As `edit(_:in:_:)`.
    /// - Throws: As `edit(_:in:_:)`.
    @discardableResult
    public func addReaction(
        _ key: String, to target: MessageTarget, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.addReaction(key, target), in: channel)
    }

    /// Removes the user's reaction from a message.
    ///
    /// - Returns: As `edit(_:in:_:)`.
    /// - Throws: As `edit(_:in:_:)`.
    @discardableResult
    public func removeReaction(
        _ key: String, from target: MessageTarget, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.removeReaction(key, target), in: channel)
    }

    /// Queues a mark as read up to a moment of the server's clock, such as the last message's time.
    ///
    /// A later mark replaces a waiting one. The server can only mark a whole channel: if newer
    /// messages arrive before the mark is sent, it is dropped, and they stay unread.
    ///
    /// - Returns: As `edit(_:in:_:)`.
    /// - Throws: As `edit(_:in:_:)`.
    @discardableResult
    public func markAsRead(
        _ channel: ChannelURL, through moment: Timestamp
    ) async throws(RoostError) -> RequestID {
        try await queue(.markAsRead(through: moment), in: channel)
    }

    private func queue(
        _ action: PendingChange.Action, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await engine.run(.outbox(.changing(OutboxChanging(action, in: channel))), \.requestID)
    }

    /// Returns the waiting changes of a channel, in the order of their calls.
    ///
    /// Timelines, channel lists, searches and look-ups show messages and channels with them
    /// already.
    public func pendingChanges(in channel: ChannelURL) async -> [PendingChange] {
        await engine.read { $0.outbox.pendingChanges(in: channel) }
    }

    /// Returns the refused changes, oldest first, with the reason and the unchanged message or
    /// channel.
    ///
    /// They are kept until `resend(_:)` or `cancel(_:)` is called for them.
    public func refusals(in channel: ChannelURL? = nil) async -> [ChangeRefusal] {
        let outcome = try? await engine.run(.outbox(.refusals(OutboxRefusals(in: channel))))
        return outcome?.refusals ?? []
    }

    // MARK: Outcomes

    /// Waits until the server has a message or has made a change, however long that takes.
    ///
    /// A cancellation of the task ends the wait; the item is delivered all the same.
    ///
    /// - Throws: The reason, if the outbox gives up or the item is canceled; `.requestCanceled`
    ///   after a cancellation of the task. An unknown request ID counts as done.
    public func outcome(of requestID: RequestID) async throws(RoostError) {
        let operation = Operation.outbox(.outcome(OutboxOutcome(requestID)))
        let outcome = await engine.outcomeUnlessCanceled { .start($0, operation) }
        if case .failed(let error) = outcome { throw error }
    }

    /// Returns a stream of all later changes in the outbox, in order and without losses.
    ///
    /// Read it without pauses: unread events stay in memory.
    public func outboxEvents() async -> AsyncStream<OutboxEvent> {
        engine.performers.notices.outboxEvents.open()
    }

    /// The number of readers of the outbox's events.
    package var outboxReaderCount: Int {
        get async { engine.performers.notices.outboxEvents.readerCount }
    }

    /// Returns a stream of the upload progress of a message's files.
    ///
    /// It ends when the message is delivered, has failed or is canceled. After a failed attempt the
    /// progress starts again.
    public func uploadProgress(of requestID: RequestID) async -> AsyncStream<UploadProgress> {
        let events = engine.performers.notices.outboxEvents.open()
        let known = await engine.read { $0.outbox.isUploading(requestID) }
        let (stream, continuation) = AsyncStream.makeStream(
            of: UploadProgress.self, bufferingPolicy: .bufferingNewest(1))
        guard known else {
            continuation.finish()
            return stream
        }
        // The task ends with the message or with the stream.
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
        default: false
        }
    }
}

extension SyncEngine {
    /// Saves a message and queues it, under a request ID of the caller; nil creates one.
    func send(
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
        let item = try await run(
            .outbox(.sending(OutboxSending(content, to: channel, as: requestID))), \.item)
        guard let message = read({ $0.outbox.message(item) }) else {
            throw .outOfStep
        }
        return message
    }
}
