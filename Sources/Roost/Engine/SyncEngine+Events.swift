// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Live events. The link hands over the next one only when this one is on disk.

extension SyncEngine {
    /// `beginning` is when the question was asked, in the numbers of the channel's ledger, where the event
    /// is what an answer by HTTP amounts to: only such a one can be overtaken by others.
    func take(
        _ event: ServerEvent, from origin: ChangeOrigin = .event, since beginning: Int? = nil
    ) async {
        do throws(RoostError) {
            try await apply(
                event, from: event.acknowledges == nil ? origin : .answer, since: beginning)
        } catch {
            // The event is not on disk, so nothing claims to know it: what is covered ends before it,
            // no cursor is past it, and the catch-up brings it again once the disk takes it (scar 47).
            if let channel = event.channelURL {
                sync.session?.caughtUp.remove(channel)
                repairLater(channel)
            }
            repairLater(nil)
        }
        // The server has the message, whatever this disk says.
        if case .message(let event) = event { await outbox?.delivered(event.message) }
        if case .edited(let event) = event, let requestID = event.acknowledges {
            await outbox?.made(requestID)
        }
        answer(event)
    }

    /// Has the disk know of an event, whether it came live or is what an answer amounts to.
    func apply(
        _ event: ServerEvent, from origin: ChangeOrigin, since beginning: Int? = nil
    ) async throws(RoostError) {
        switch event {
        case .message(let event): try await receive(event, from: origin, since: beginning)
        case .edited(let event):
            let channel = event.message.channelURL
            guard event.message.hasPossibleTimes else { throw .impossible }
            sync.ledgers[channel]?.note(editOf: event.message)
            sync.changesRead[channel]?.replace(editOf: event.message)
            try await commit(
                [.edited(event.message)] + tell(.edited(event.message), in: channel),
                from: origin)
            // Whether it called the user while it was unread, the server alone knows.
            if let before = event.oldMention, before.calls(me) != event.message.mention.calls(me) {
                lookUp(channel)
            }
            if event.acknowledges == nil {
                hear(event.message.updatedAt)
                emit(.messageUpdated(event.message))
            }
        case .deleted(let event):
            try await forget([event.messageID], in: event.channelURL, from: origin)
            // What this device did comes back to it as an event too.
            if origin == .event {
                hear(event.timestamp)
                emit(.messageDeleted(event.messageID, event.channelURL))
            }
        case .read(let event): try await receive(event, from: origin)
        case .delivered(let channel, let moments):
            try await receiveDelivery(moments, in: channel)
        case .memberCounts(let counts): try await receive(counts)
        case .user(let category, let data): receiveUserEvent(category, data)
        case .channel(let event): try await receive(event)
        case .error(let error, acknowledges: let requestID?):
            await outbox?.refused(requestID, RoostError(error))
            await renewSession(after: RoostError(error))
        case .expired: await link?.renewSession()
        case .reaction(let event):
            sync.ledgers[event.channelURL]?.note(.reaction(event.change), to: event.messageID)
            try await commit(
                [.reacted(event.channelURL, event.messageID, event.change)], from: origin)
            if origin == .event {
                hear(event.change.updatedAt)
                emit(.reactionChanged(event.change, event.messageID, event.channelURL))
            }
        case .thread(let event):
            sync.ledgers[event.channelURL]?.note(.thread(event.threadInfo), to: event.parentID)
            try await commit(
                [.replied(event.channelURL, event.parentID, event.threadInfo)], from: origin)
            emit(.threadChanged(event.threadInfo, event.parentID, event.channelURL))
        case .poll(let event):
            // Who does not say which message carries it tells it in the change log all the same.
            guard let id = event.messageID else { return }
            sync.ledgers[event.channelURL]?.note(.poll(event.change), to: id)
            try await commit([.polled(event.channelURL, id, event.change)], from: origin)
        case .login, .pong, .error, .busy, .unknown:
            break
        }
    }

    private func receive(
        _ event: MessageEvent, from origin: ChangeOrigin, since beginning: Int?
    ) async throws(RoostError) {
        guard let session else { return }
        let channel = event.message.channelURL
        guard event.message.hasPossibleTimes else { throw .impossible }
        let rewinds = try await rewinds(before: event)
        guard let (message, amendments) = upToDate(event.message, since: beginning) else { return }
        let isMine = message.sender?.user.id == me
        var mutations: [Mutation] = [
            .liveMessage(message, predecessor: event.previousMessageID)
        ]
        mutations += amendments
        let login = session.login
        // Silent messages of others change neither preview nor counts (`docs/protocol` 2.6).
        let isHeard = isMine || !message.isSilent
        let reception = ChannelNews.Reception(
            isPreview: (isHeard || event.forcesLastMessage)
                && login.lastMessageReplies.admits(message),
            isUnread: !isMine && isHeard && login.unreadReplies.admits(message),
            isMention: message.mention.calls(me), superLimit: login.maxUnreadOnSuperGroup)
        mutations += tell(.received(message, reception), in: channel)
        // Whoever writes has read what stands above (`docs/protocol` 3.11).
        if isMine { mutations += tell(.read(message.createdAt), in: channel) }
        try await commit(
            mutations
                + sync.firstCursor(of: channel, before: message, since: session.loginAt),
            rewinding: rewinds, in: channel, from: origin)
        let cached = try await cachedChannel(channel)
        // What nobody sees of a message may bring its channel back all the same.
        if cached == nil || cached?.hiddenState == .untilNextMessage { lookUp(channel) }
        noteArrival(of: message, event)
        guard !isMine, let id = message.messageID else { return }
        // Only a courtesy to the sender; a lost one is made good by the next message's.
        try? await link?.send(.messageAcknowledgement(channel, id))
    }

    /// A message as it is by now, and what has to be done once more behind it; nil when it is gone.
    func upToDate(
        _ message: Message, since beginning: Int?
    ) -> (message: Message, amendments: [Mutation])? {
        let channel = message.channelURL
        // The change log may have told already what became of it.
        var known = sync.changesRead[channel]?.upToDate([message]) ?? [message]
        let ledger = beginning.map { sync.news(of: channel, since: $0) } ?? FetchLedger()
        known = ledger.hasDeparture ? [] : ledger.upToDate(known)
        return known.first.map { ($0, ledger.mutations(amending: known, in: channel)) }
    }

    /// Tells of a message that is on disk.
    private func noteArrival(of message: Message, _ event: MessageEvent) {
        let channel = message.channelURL
        watch.newest[channel] = max(message.createdAt, watch.newest[channel] ?? .distantPast)
        if let sender = message.sender?.user { noteTyping(of: sender, false, in: channel) }
        note(event.unread)
        guard event.acknowledges == nil else { return }
        hear(message.createdAt)
        emit(.messageReceived(message))
        if message.sender?.user.id != me, message.mention.calls(me) { emit(.mentioned(message)) }
    }

    /// The news as a mutation; answers about channels that are on their way learn of it too.
    func tell(_ news: ChannelNews, in channel: ChannelURL) -> [Mutation] {
        sync.channelLedger.note(news, in: channel)
        return [.channelNews(channel, news)]
    }

    /// Removes messages that are gone; the server alone knows the channel's new last message, and
    /// whether what is gone was counted as unread.
    func forget(
        _ ids: [MessageID], in channel: ChannelURL, from origin: ChangeOrigin
    ) async throws(RoostError) {
        for id in ids { sync.ledgers[channel]?.note(deletionOf: id) }
        let commit = try await commit(
            [.deleted(channel, ids)] + tell(.deleted(ids), in: channel), from: origin)
        let lostPreview = commit.updatedChannels.contains { $0.lastMessage == nil }
        let unread = try await cachedChannel(channel)?.unreadMessageCount ?? 0
        if lostPreview || unread > 0 { lookUp(channel) }
    }

    func cachedChannel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel? {
        do { return try await reader.channel(url).value } catch { throw RoostError(error) }
    }

    /// Looks again what is missing, as soon as the disk takes something; nil is the list of channels.
    private func repairLater(_ channel: ChannelURL?) {
        guard refused.insert(channel).inserted, refused.count == 1 else { return }
        // Ends with the store; a lost connection repairs everything anyway.
        Task(executorPreference: world.executor) { [clock = world.clock, weak self] in
            repeat {
                guard (try? await clock.sleep(for: Self.repairDelay)) != nil else { return }
            } while await self?.isRefused ?? false
            await self?.repairRefused()
        }
    }

    /// Whether the disk does not take anything, as while the device is locked.
    private var isRefused: Bool {
        get async {
            do throws(RoostError) {
                try await commit([], from: .upkeep)
                return false
            } catch {
                return error.mayPassWithDisk
            }
        }
    }

    private func repairRefused() {
        let channels = refused.compactMap { $0 }.sorted()
        let isListConcerned = refused.contains(nil)
        refused = []
        guard isOnline else { return }
        for channel in channels {
            catchUp(channel)
            lookUp(channel)
        }
        if isListConcerned { catchUpChannels() }
    }

    // MARK: Answers over the socket

    /// How long a disk that refused is left alone.
    private static let repairDelay = Duration.seconds(5)
    /// How long a command waits for its answer: as long as a call (`docs/protocol` 2.3).
    private static let answerTimeLimit = ServerAPI.timeLimit

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
    /// The request the event answers.
    fileprivate var acknowledges: RequestID? {
        switch self {
        case .message(let event): event.acknowledges
        case .edited(let event): event.acknowledges
        case .read(let event): event.acknowledges
        case .poll(let event): event.acknowledges
        case .error(_, let requestID): requestID
        default: nil
        }
    }
}
