// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// What an app is told in passing, and what of a channel is never stored: who types.

/// What the engine remembers for events, typing and marks.
struct EventWatch {
    var readers = Mailboxes<ChatEvent>()
    /// How many events wait for the account of a channel; of more the first are told without it.
    static let pendingLimit = 100
    /// Told once the channel has been looked up.
    var pending: [ChannelURL: [ChatEvent]] = [:]
    var typing = TypingMachine()
    var typingTimers = Timers<TypingMachine.Timer>()
    var muteTimers = Timers<ChannelURL>()
    /// The number of the last question about a mute: an answer to an earlier one is overtaken.
    var muteQuestions: [ChannelURL: Int] = [:]
    /// How often in a row the end of a mute was asked for.
    var muteLooks: [ChannelURL: Int] = [:]
    var marks = ReadMarkMachine()
    var markTimers = Timers<ChannelURL>()
    var markWaiters: [ChannelURL: [CheckedContinuation<RoostError?, Never>]] = [:]
    /// Those who wait for the mark under way, whatever becomes of it.
    var markEndWaiters: [ChannelURL: [CheckedContinuation<Void, Never>]] = [:]
    /// Where a mark is being taken back: the cache shows the old one until the channel is looked up.
    var retreats: Set<ChannelURL> = []
    /// When the newest message that came live was written, of those too that no list shows.
    var newest: [ChannelURL: Timestamp] = [:]
    /// Of the newest statement about all unread messages.
    var totalAt = Timestamp.distantPast
}

extension SyncEngine {
    /// Every event from now on.
    func events() -> AsyncStream<ChatEvent> {
        let mailbox = watch.readers.open()
        let ticket = ReadersTicket { [weak self] in
            guard let self else { return }
            // Ends at once: it only closes the mailbox.
            Task(executorPreference: self.executor) { await self.closeEvents(mailbox) }
        }
        return AsyncStream { [weak self] in
            await self?.nextEvent(in: mailbox)
        } onCancel: {
            ticket.giveBack()
        }
    }

    private func nextEvent(in mailbox: Int) async -> ChatEvent? {
        await withCheckedContinuation { watch.readers.take(mailbox, $0) }
    }

    private func closeEvents(_ mailbox: Int) { watch.readers.close(mailbox) }

    func emit(_ event: ChatEvent) { watch.readers.post(event) }

    /// Tells of something once the server's present account of the channel is on disk.
    func emit(_ event: ChatEvent, afterLookUpOf channel: ChannelURL) {
        watch.pending[channel, default: []].append(event)
        // A server that refuses for good is not waited for by ever more of them.
        if let waiting = watch.pending[channel], waiting.count > EventWatch.pendingLimit {
            watch.pending[channel]?.removeFirst()
            emit(waiting[0])
        }
        lookUp(channel)
    }

    func emitPending(of channel: ChannelURL) {
        for event in watch.pending.removeValue(forKey: channel) ?? [] { emit(event) }
    }

    /// Tells what waits for an account of its channel, of channels that nobody is asking for any more.
    func emitPending() {
        for channel in watch.pending.keys.sorted() where sync.lookUps[channel] == nil {
            emitPending(of: channel)
        }
    }

    func note(_ total: UnreadCount?) {
        guard let total, total.timestamp >= watch.totalAt else { return }
        watch.totalAt = total.timestamp
        emit(.unreadTotalChanged(total.all))
    }

    // MARK: Typing

    func typingUsers(in channel: ChannelURL) -> [User] { watch.typing.users(in: channel) }

    func startTyping(in channel: ChannelURL) {
        if isOnline { perform(watch.typing.start(in: channel)) }
    }

    func stopTyping(in channel: ChannelURL) {
        if isOnline { perform(watch.typing.stop(in: channel)) }
    }

    func noteTyping(of user: User, _ isTyping: Bool, in channel: ChannelURL) {
        guard user.id != me else { return }
        perform(
            isTyping
                ? watch.typing.began(user, in: channel)
                : watch.typing.ended(user.id, in: channel))
    }

    func forgetTyping() { perform(watch.typing.lostConnection()) }

    private func perform(_ effects: [TypingMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .arm(let timer):
                watch.typingTimers.arm(timer, for: timer.duration, in: world) { number in
                    await self.fired(timer, number)
                }
            case .disarm(let timer): watch.typingTimers.disarm(timer)
            case .changed(let channel):
                emit(.typing(watch.typing.users(in: channel), channel))
            case .tell(let channel, let isTyping):
                let now = world.wallTime()
                run { engine in
                    // Nobody misses it when the connection is lost.
                    try? await engine.link?.send(
                        isTyping
                            ? .typingStart(channel, time: now) : .typingEnd(channel, time: now))
                }
            }
        }
    }

    private func fired(_ timer: TypingMachine.Timer, _ number: Int) {
        guard watch.typingTimers.claim(timer, number) else { return }
        perform(watch.typing.fired(timer))
    }

    // MARK: Read marks

    /// Marks a channel as read; returns when the server has taken this or a later mark, at once when
    /// there is nothing to mark.
    func markAsRead(_ channel: ChannelURL) async throws(RoostError) {
        guard isOnline else { throw .notConnected }
        if try await isAllRead(channel) { return }
        let failure: RoostError? = await withCheckedContinuation { waiter in
            wish([waiter], for: channel)
        }
        if let failure { throw failure }
    }

    private func wish(
        _ waiters: [CheckedContinuation<RoostError?, Never>], for channel: ChannelURL
    ) {
        watch.markWaiters[channel, default: []] += waiters
        guard watch.marks.wish(for: channel) == .send else { return }
        run { engine in await engine.sendReadMark(to: channel) }
    }

    /// Takes the mark back; the channel has been looked up when it returns, or cannot be now.
    ///
    /// A mark that was wished before does not come after it.
    func markAsUnread(_ channel: ChannelURL, from id: MessageID) async throws(RoostError) {
        watch.retreats.insert(channel)
        let wishes = watch.markWaiters.removeValue(forKey: channel) ?? []
        watch.marks.settle(channel)
        if watch.marks.isUnderWay(to: channel) {
            await withCheckedContinuation { waiter in
                watch.markEndWaiters[channel, default: []].append(waiter)
            }
        }
        do throws(RoostError) {
            _ = try await call(MarkAsRead(channelURL: channel, unreadFrom: id))
        } catch {
            // A lost answer tells nothing.
            lookUp(channel)
            if !wishes.isEmpty { wish(wishes, for: channel) }
            throw error
        }
        for waiter in wishes { waiter.resume(returning: nil) }
        sync.channelLedger.note(changeOf: channel)
        // An answer that was asked for before the server had it may have removed it.
        watch.retreats.insert(channel)
        await lookUpNow(channel)
    }

    private func sendReadMark(to channel: ChannelURL) async {
        var waiters = watch.markWaiters.removeValue(forKey: channel) ?? []
        watch.markTimers.arm(channel, for: ReadMarkMachine.pause, in: world) { number in
            await self.endReadPause(of: channel, number)
        }
        let requestID = RequestID.random(world.entropy)
        var failure: RoostError?
        do throws(RoostError) {
            _ = try await ask(.read(channel, requestID), requestID)
        } catch {
            failure = error
            // Marks that were wished meanwhile are sent, and their callers do not wait as long once more.
            waiters += watch.markWaiters.removeValue(forKey: channel) ?? []
        }
        for waiter in waiters { waiter.resume(returning: failure) }
        for waiter in watch.markEndWaiters.removeValue(forKey: channel) ?? [] { waiter.resume() }
        if watch.marks.sent(to: channel) {
            run { engine in await engine.sendReadMark(to: channel) }
        }
    }

    private func endReadPause(of channel: ChannelURL, _ number: Int) async {
        guard watch.markTimers.claim(channel, number) else { return }
        // Those who wished during the second need no mark of their own when nothing has come since.
        // Only now: what took the mark back, on whatever device, may be told later than the answer. Whoever
        // wishes during the look has seen what came after it.
        let wishes = watch.markWaiters[channel]?.count
        if wishes != nil, (try? await isAllRead(channel)) ?? false,
            watch.markWaiters[channel]?.count == wishes
        {
            watch.marks.settle(channel)
            for waiter in watch.markWaiters.removeValue(forKey: channel) ?? [] {
                waiter.resume(returning: nil)
            }
        }
        guard watch.marks.paused(in: channel) else { return }
        run { engine in await engine.sendReadMark(to: channel) }
    }

    /// Whether nothing is unread, as far as this connection has been told.
    ///
    /// Who says that a hundred marks are one request (scar 113) cannot ask the server about each: another
    /// device's unread mark whose event is on its way yet is all that this does not know.
    private func isAllRead(_ url: ChannelURL) async throws(RoostError) -> Bool {
        guard let channel = try await cachedChannel(url), channel.unreadMessageCount == 0,
            channel.unreadMentionCount == 0, isOnline, session?.isChannelLogRead == true,
            sync.lookUps[url] == nil, !watch.retreats.contains(url), refused.isEmpty
        else { return false }
        let mark = channel.myLastRead ?? .distantPast
        return channel.lastMessage?.createdAt ?? mark <= mark
            && watch.newest[url] ?? mark <= mark
    }
}
