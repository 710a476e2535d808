// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
public import RoostModel

/// The messages of others in the user's channels, each handed over at least once, as a sequence.
///
/// An inbox has a place of its own in every joined channel, on disk. A message stays in the inbox
/// until `InboxItem.acknowledge()` has returned. So messages that came while the process was
/// stopped or offline are handed over later. Within a channel they come in order and without a
/// hole: missing messages are fetched first, while other channels continue. A deleted message is
/// left out, and an edited one has its newest text.
///
/// Each iteration begins at the acknowledged places. One task at a time reads an inbox, in one
/// process. The sequence has no end but that of its task or of the client.
public struct Inbox: AsyncSequence, Sendable {
    /// The place at which a new inbox begins.
    public enum Start: Hashable, Sendable {
        /// After the messages that the server has now; a channel joined later begins with the
        /// invitation.
        case now
        /// With the first visible message of every channel.
        case beginning
    }

    /// The name of the inbox.
    public let name: String
    private let engine: SyncEngine

    init(_ name: String, _ engine: SyncEngine) {
        self.name = name
        self.engine = engine
    }

    /// Returns an iterator from the acknowledged places on.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: InboxReader(name, engine))
    }

    /// An iterator of the messages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: InboxReader

        /// Waits for the next message; nil after a cancellation or the end of the client.
        ///
        /// - Throws: `.queryInProgress` if another task reads the inbox; `.localDatabaseError` if
        ///   the cache cannot be read for a minute. The sequence is over then.
        public mutating func next() async throws(RoostError) -> InboxItem? {
            try await next(isolation: nil)
        }

        /// Waits for the next message; nil after a cancellation or the end of the client.
        ///
        /// - Throws: `.queryInProgress` if another task reads the inbox; `.localDatabaseError` if
        ///   the cache cannot be read for a minute. The sequence is over then.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RoostError) -> InboxItem? {
            try await reader.next()
        }
    }
}

/// A message of an inbox.
public struct InboxItem: Sendable {
    /// The message as it is now.
    public let message: Message
    /// The channel of the message.
    public var channel: ChannelURL { message.channelURL }
    private let inbox: String
    private let engine: SyncEngine

    init(_ message: Message, _ inbox: String, _ engine: SyncEngine) {
        self.message = message
        self.inbox = inbox
        self.engine = engine
    }

    /// Acknowledges the message and those before it in its channel; durable on return.
    ///
    /// The inbox does not hand them over again. The call needs no connection.
    ///
    /// - Throws: `.localDatabaseError`; the message stays in the inbox. `.invalidParameter` if the
    ///   inbox was removed.
    public func acknowledge() async throws(RoostError) {
        guard let position = message.position else { return }
        let mark = InboxMarking.Mark(channel, position)
        try await engine.run(.inboxMarking(InboxMarking([mark], in: inbox)))
    }

    /// Saves an answer in the channel of the message and queues it for delivery, once.
    ///
    /// The answer has a request ID that depends on the inbox, the message and the number. If the
    /// process ends before the acknowledgement, the message is handed over again; an answer of the
    /// same number is delivered once all the same. The call returns as `ChatClient.send(_:to:)`
    /// does.
    ///
    /// - Parameters:
    ///   - params: The answer.
    ///   - number: The number of the answer, if a message gets several.
    /// - Returns: The answer with its request ID.
    /// - Throws: `.invalidParameter` for an empty text; `.localDatabaseError`. Nothing was saved
    ///   then.
    @discardableResult
    public func answer(
        _ params: UserMessageParams, number: Int = 1
    ) async throws(RoostError) -> Message {
        let id = message.messageID.map { "\($0.rawValue)" } ?? ""
        let name = RequestID("\(inbox)/\(channel.rawValue)/\(id)/\(number)")
        return try await engine.send(.user(params), to: channel, as: name)
    }

    /// Saves a text as the answer, as `answer(_:number:)` with `UserMessageParams` does.
    ///
    /// - Returns: The answer with its request ID.
    /// - Throws: `.invalidParameter` for an empty text; `.localDatabaseError`. Nothing was saved
    ///   then.
    @discardableResult
    public func answer(_ text: String, number: Int = 1) async throws(RoostError) -> Message {
        try await answer(UserMessageParams(text: text), number: number)
    }
}

extension ChatClient {
    /// Opens an inbox, or makes it: the messages of others that the app has not acknowledged.
    ///
    /// A new inbox is on disk when the call returns. Inboxes have nothing to do with each other, so
    /// two parts of a program may have one each. They are kept beside the unsent messages: sealed
    /// like those, and untouched when the cache is cleared, repaired or too large. The cache
    /// fetches again what an inbox has not handed over.
    ///
    /// - Parameters:
    ///   - name: The name, 1...128 bytes, the same after each relaunch.
    ///   - start: The place at which a new inbox begins; an existing one continues.
    /// - Returns: The inbox, to be read by one task.
    /// - Throws: `.connectionRequired` if a new inbox begins now and there is no connection,
    ///   because only the server knows the time; `.invalidParameter` for an unfit name;
    ///   `.localDatabaseError`.
    public func inbox(_ name: String, from start: Inbox.Start = .now) async throws(RoostError)
        -> Inbox
    {
        guard (1...128).contains(name.utf8.count) else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "The name of an inbox has 1 to 128 bytes.")
        }
        let opening = InboxOpening(of: name, from: start == .now ? .now : .beginning)
        try await engine.run(.inboxOpening(opening))
        return Inbox(name, engine)
    }

    /// Removes an inbox with its places; its reader ends.
    ///
    /// - Throws: `.localDatabaseError`; the inbox may have lost some places then. Repeat the call.
    public func removeInbox(_ name: String) async throws(RoostError) {
        try await engine.run(.inboxRemoval(InboxRemoval(of: name)))
    }
}

/// One reader of an inbox; it leaves the inbox when its iterator is released.
final class InboxReader: Sendable {
    private enum State {
        case new
        case open(InboxID)
        case over
    }

    private let name: String
    private let engine: SyncEngine
    private let state = Guarded(State.new)

    init(_ name: String, _ engine: SyncEngine) {
        self.name = name
        self.engine = engine
    }

    deinit { close() }

    func next() async throws(RoostError) -> InboxItem? {
        let result = await withTaskCancellationHandler {
            await Result { () async throws(RoostError) in try await self.take() }
        } onCancel: {
            close()
        }
        switch result {
        case .success(let message?): return InboxItem(message, name, engine)
        case .success(nil):
            close()
            return nil
        case .failure(let error):
            close()
            throw error
        }
    }

    /// Waits for the next message; nil at the end.
    private func take() async throws(RoostError) -> Message? {
        guard let id = try await open() else { return nil }
        return try await engine.run(.inboxTaking(InboxTaking(id))).message
    }

    /// Opens the reader if it is new; nil if it is over.
    private func open() async throws(RoostError) -> InboxID? {
        switch state.withLock({ $0 }) {
        case .open(let id): return id
        case .over: return nil
        case .new: break
        }
        let id = InboxID(await engine.nextNumber())
        guard engine.performers.notices.claim(name, for: id) else {
            // A copy of the iterator may have opened the reader meanwhile. The end of this call
            // closes it then, and releases the inbox.
            state.withLock { if case .new = $0 { $0 = .over } }
            throw .inboxTaken
        }
        let isOpen = state.withLock { state -> Bool in
            guard case .new = state else { return false }
            state = .open(id)
            return true
        }
        guard isOpen else {
            _ = engine.performers.notices.release(name, from: id)
            return nil
        }
        try await engine.run(.inboxReaderOpening(InboxReaderOpening(id, of: name)))
        // The task may have been cancelled meanwhile, and the end have come before the beginning.
        guard case .open = state.withLock({ $0 }) else {
            await engine.receive(.closeInbox(id))
            return nil
        }
        return id
    }

    private func close() {
        let id = state.withLock { state -> InboxID? in
            defer { state = .over }
            if case .open(let id) = state { return id }
            return nil
        }
        guard let id, engine.performers.notices.release(name, from: id) else { return }
        engine.feed.send(.closeInbox(id))
    }
}

extension RoostError {
    fileprivate static let inboxTaken = RoostError(
        .queryInProgress, remedy: .correctInput,
        message: "Another task reads this inbox; an inbox of another name has places of its own.")
}
