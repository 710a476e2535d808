// SPDX-License-Identifier: Apache-2.0

// The end of the user's own mute. A mute ends by itself: no frame and no change log reports it.

package import RoostModel
import RoostWire

/// The requests and timers for the user's own mutes.
package struct Mutes: Equatable, Codable, Sendable {
    /// The requests and the timer for the mute of one channel.
    struct Mute: Equatable, Codable, Sendable {
        /// The number of the last request while a check runs; earlier answers are ignored.
        var question = 0
        /// The number of unfinished checks.
        var running = 0
        /// The number of requests in a row about the end.
        var tries = 0
        /// Whether there is a timer for the end.
        var isAwaited = false
    }

    private var channels: [ChannelURL: Mute] = [:]

    /// The mute of a channel; nothing is kept of one without requests and timer.
    subscript(channel: ChannelURL) -> Mute {
        get { channels[channel] ?? Mute() }
        set { channels[channel] = newValue == Mute() ? nil : newValue }
    }

    /// The channels with a timer for the end of a mute, sorted.
    fileprivate var awaited: [ChannelURL] {
        channels.filter(\.value.isAwaited).keys.sorted()
    }
}

/// A request whether the user is muted, and the timer for the end of the mute.
package struct MuteCheck: SyncOperation {
    /// The time between the end and the next look-up of the channel (`docs/protocol` 6.3).
    private static let grace = Duration.seconds(1)

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingChannel
        case pacing
        case asking(number: Int)
        /// Waits after a failed request.
        case resting
        case readingEnd
    }

    private let channel: ChannelURL
    /// Whether a channel that is not muted in the cache needs no request.
    private let isOnlyForKnown: Bool
    private var epoch: LinkMachine.Epoch?
    private var failures = 0
    private var state = State.beginning

    package init(_ channel: ChannelURL, onlyIfKnown isOnlyForKnown: Bool) {
        self.channel = channel
        self.isOnlyForKnown = isOnlyForKnown
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        if case .begin = reply { sync.mutes[channel].running += 1 }
        let step = decide(reply, &sync)
        if case .end = step {
            sync.mutes[channel].running -= 1
            if sync.mutes[channel].running == 0 { sync.mutes[channel].question = 0 }
        }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard isOnlyForKnown else { return pace(&sync) }
            state = .readingChannel
            return .need(.read(.channel(channel)))
        case (.readingChannel, .read(.success(.channel(let known)))):
            return known?.isMuted == true ? pace(&sync) : .end(.done)
        case (.pacing, .paused): return ask(&sync)
        case (.asking(let number), .answer(.success(.mute(let mute)))):
            guard sync.mutes[channel].question == number else { return .end(.done) }
            return judge(mute, &sync)
        case (.asking(let number), .answer(.failure(let error))):
            guard sync.mutes[channel].question == number, error.remedy == .retry else {
                return .end(.done)
            }
            failures += 1
            state = .resting
            let wait = Backoff.standard.wait(
                beforeAttempt: failures, entropy: sync.random.next())
            return .need(.pause(wait, .retry))
        case (.resting, .paused): return pace(&sync)
        case (.readingEnd, .read(.success(.channel(let known?)))) where known.isMuted:
            let user = known.members.first { $0.user.id == sync.me }?.user ?? User(id: sync.me)
            sync.emit(.unmuted(user, channel), afterLookUpOf: channel)
            return .end(.done)
        // Without a connection, the next catch-up of the channel repeats the request.
        default: return .end(.done)
        }
    }

    private mutating func pace(_ sync: inout SyncState) -> Step {
        guard let session = sync.session else { return .end(.done) }
        epoch = session.epoch
        state = .pacing
        return sync.spendRequest() ?? ask(&sync)
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        let number = sync.mutes[channel].question + 1
        sync.mutes[channel].question = number
        state = .asking(number: number)
        return .need(.ask(.mute(AskMute(channelURL: channel, userID: sync.me))))
    }

    private mutating func judge(_ mute: AskMute.Answer, _ sync: inout SyncState) -> Step {
        guard mute.isMuted else {
            sync.endMute(in: channel)
            state = .readingEnd
            return .need(.read(.channel(channel)))
        }
        guard let remaining = mute.remaining else {
            sync.disarmMute(in: channel)
            return .end(.done)
        }
        // A mute whose end is always now leads to fewer and fewer requests.
        let tries = sync.mutes[channel].tries
        sync.mutes[channel].tries = tries + 1
        let grace =
            tries == 0
            ? Self.grace : Backoff.standard.wait(beforeAttempt: tries, entropy: sync.random.next())
        sync.mutes[channel].isAwaited = true
        sync.arm(
            .mute(channel), for: min(max(remaining, .zero), MachineTimer.longest - grace) + grace)
        return .end(.done)
    }
}

extension SyncState {
    /// Requests the user's own mute after an event about a change.
    mutating func noteMute(_ event: ChannelEvent) {
        guard case .restricted(let user, _) = event.content, user.user.id == me else { return }
        let channel = event.channelURL
        switch event.category {
        case .muted: start(.muteCheck(MuteCheck(channel, onlyIfKnown: false)))
        case .unmuted: endMute(in: channel)
        default: break
        }
    }

    /// Requests the user's own mutes that a commit brings without an event, if they end by
    /// themselves.
    mutating func noteMutes(in commit: Commit, from origin: ChangeOrigin) {
        guard session != nil else { return }
        for case .channels(let change) in commit.changes {
            // Most new channels have no mute that ends; each request would count in the pacing.
            for channel in change.inserted {
                guard let end = channel.muteEnd(of: me), end < .distantFuture else { continue }
                start(.muteCheck(MuteCheck(channel.url, onlyIfKnown: false)))
            }
            for update in change.updated {
                let url = update.after.url
                // The event of a mute has led to a request already; the device may have missed it.
                let isAsked = mutes[url].running > 0 || mutes[url].isAwaited
                guard origin != .event || !isAsked,
                    let end = update.after.muteEnd(of: me), end != update.before.muteEnd(of: me)
                else { continue }
                start(.muteCheck(MuteCheck(url, onlyIfKnown: false)))
            }
        }
    }

    mutating func checkMuteAgain(in channel: ChannelURL) {
        mutes[channel].isAwaited = false
        // The mute may have been extended. Without a connection, the next catch-up checks it.
        if session != nil { start(.muteCheck(MuteCheck(channel, onlyIfKnown: false))) }
    }

    /// Ends the wait for the end of a mute: the mute is over, or the user has left the channel.
    mutating func endMute(in channel: ChannelURL) {
        mutes[channel].tries = 0
        disarmMute(in: channel)
    }

    fileprivate mutating func disarmMute(in channel: ChannelURL) {
        guard mutes[channel].isAwaited else { return }
        mutes[channel].isAwaited = false
        disarm(.mute(channel))
    }

    /// Ends the wait for the end of mutes, because the app has disconnected.
    mutating func forgetMuteTimers() {
        for channel in mutes.awaited { disarmMute(in: channel) }
    }
}

extension GroupChannel {
    /// The end of the user's own mute, as the cache has it; nil without a mute or without an end.
    ///
    /// A large channel does not list all members, so the end may be unknown: `distantFuture`.
    fileprivate func muteEnd(of me: UserID) -> Timestamp? {
        guard isMuted else { return nil }
        guard let member = members.first(where: { $0.id == me }) else { return .distantFuture }
        return member.mutedUntil
    }
}
