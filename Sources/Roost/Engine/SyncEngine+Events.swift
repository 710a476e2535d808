// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Live events. The link hands over the next one only when this one is on disk.

extension SyncEngine {
    func take(_ event: ServerEvent) async {
        do {
            try await apply(event)
        } catch {
            // The event is not on disk, so nothing claims to know it: what was covered ends before it,
            // and the next catch-up of the channel brings it again.
            if error.remedy == .retry, let channel = event.channelURL { repair(channel) }
        }
        answer(event)
    }

    private func apply(_ event: ServerEvent) async throws(RoostError) {
        switch event {
        case .message(let event): try await receive(event)
        case .edited(let event):
            ledgers[event.message.channelURL]?.note(editOf: event.message)
            try await commit([
                .edited(event.message),
                .channelNews(event.message.channelURL, .edited(event.message)),
            ])
        case .deleted(let event):
            ledgers[event.channelURL]?.note(deletionOf: event.messageID)
            try await forget([event.messageID], in: event.channelURL)
        case .read(let event) where event.user.id == me:
            try await commit([.channelNews(event.channelURL, .read(event.timestamp))])
        case .channel(let event): try await receive(event)
        case .error(let error, acknowledges: let requestID?):
            await outbox?.receive(.failed(requestID, error.code))
        case .login, .pong, .read, .delivered, .user, .error, .busy, .expired, .memberCounts,
            .reaction, .thread, .unknown:
            break
        }
    }

    private func receive(_ event: MessageEvent) async throws(RoostError) {
        guard let session else { return }
        let message = event.message
        let channel = message.channelURL
        if try await cachedChannel(channel) == nil { await lookUp(channel) }
        let isMine = message.sender?.user.id == me
        try await commit(
            [
                .liveMessage(message, predecessor: event.previousMessageID),
                .channelNews(
                    channel, .received(message, countsAsUnread: !isMine && !message.isSilent)),
            ] + firstCursor(of: channel, session))
        if let requestID = message.requestID { await outbox?.receive(.delivered(requestID)) }
        guard !isMine, let id = message.messageID else { return }
        // Only a courtesy to the sender; a lost one is made good by the next message's.
        try? await link?.send(.messageAcknowledgement(channel, id))
    }

    /// Removes messages that are gone, and asks for the channel's new last message if need be.
    func forget(_ ids: [MessageID], in channel: ChannelURL) async throws(RoostError) {
        for id in ids { ledgers[channel]?.note(deletionOf: id) }
        let commit = try await commit([
            .deleted(channel, ids), .channelNews(channel, .deleted(ids)),
        ])
        let lostPreview = commit.changes.contains { change in
            guard case .channels(let change) = change else { return false }
            return change.updated.contains { $0.after.lastMessage == nil }
        }
        if lostPreview { run { engine in await engine.lookUp(channel) } }
    }

    private func receive(_ event: ChannelEvent) async throws(RoostError) {
        switch event.content {
        case .left(let user, _) where user.id == me,
            .declined(_, let user, _) where user.id == me:
            try await commit([.removeChannel(event.channelURL)])
        case .typing: break
        case .joined, .left, .invited, .declined, .operators, .frozen, .hidden, .metadata, .other:
            if event.category == .deleted {
                try await commit([.removeChannel(event.channelURL)])
            } else {
                await lookUp(event.channelURL)
            }
        }
    }

    private func cachedChannel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel? {
        do { return try await reader.channel(url).value } catch { throw RoostError(error) }
    }

    /// Fetches a channel and stores it; wishes for one that is on its way share the answer.
    func lookUp(_ channel: ChannelURL) async {
        guard let session else { return }
        if lookUps[channel] != nil {
            return await withCheckedContinuation { lookUps[channel, default: []].append($0) }
        }
        lookUps[channel] = []
        do {
            let found = try await api.call(
                GetChannel(channelURL: channel, isInternal: true),
                sessionKey: session.login.sessionKey)
            if isPresent(session) { try await commit([.channels([found])]) }
        } catch {
            // Without the channel its events are passed over; its change log brings them later.
        }
        for waiter in lookUps.removeValue(forKey: channel) ?? [] { waiter.resume() }
    }

    // MARK: Answers over the socket

    /// How long a command that waits for its answer may wait (`protocol.md` 2.3).
    private static let answerTimeLimit = Duration.seconds(10)

    /// Sends a command and waits for the frame that names its request ID.
    func ask(_ command: ClientCommand, _ requestID: RequestID) async throws(RoostError)
        -> ServerEvent
    {
        answerTimers.arm(requestID, for: Self.answerTimeLimit, in: world) { number in
            await self.answerIsOverdue(requestID, number)
        }
        // The answer may be faster than the call that sends returns.
        let result = await withCheckedContinuation { waiter in
            answers[requestID] = waiter
            run { engine in await engine.send(command, requestID) }
        }
        return try result.get()
    }

    private func send(_ command: ClientCommand, _ requestID: RequestID) async {
        do throws(RoostError) {
            guard let link else { throw .notConnected }
            try await link.send(command)
        } catch {
            answerTimers.disarm(requestID)
            answers.removeValue(forKey: requestID)?.resume(returning: .failure(error))
        }
    }

    private func answer(_ event: ServerEvent) {
        guard let requestID = event.acknowledges else { return }
        answerTimers.disarm(requestID)
        guard let waiter = answers.removeValue(forKey: requestID) else { return }
        if case .error(let error, _) = event {
            waiter.resume(returning: .failure(RoostError(error)))
        } else {
            waiter.resume(returning: .success(event))
        }
    }

    private func answerIsOverdue(_ requestID: RequestID, _ number: Int) {
        guard answerTimers.claim(requestID, number) else { return }
        answers.removeValue(forKey: requestID)?.resume(
            returning: .failure(
                RoostError(
                    .ackTimeout, remedy: .retry,
                    message: "The server did not answer in time. It may have done as asked.")))
    }

    func failAnswers(with error: RoostError) {
        let waiting = answers
        answers = [:]
        for (requestID, waiter) in waiting.sorted(by: { $0.key < $1.key }) {
            answerTimers.disarm(requestID)
            waiter.resume(returning: .failure(error))
        }
    }
}

extension ServerEvent {
    /// The channel the event is about, where it is about messages.
    fileprivate var channelURL: ChannelURL? {
        switch self {
        case .message(let event): event.message.channelURL
        case .edited(let event): event.message.channelURL
        case .deleted(let event): event.channelURL
        default: nil
        }
    }

    /// The request the event answers.
    fileprivate var acknowledges: RequestID? {
        switch self {
        case .message(let event): event.acknowledges
        case .edited(let event): event.acknowledges
        case .read(let event): event.acknowledges
        case .error(_, let requestID): requestID
        default: nil
        }
    }
}
