// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// The end of the user's own mute. It ends by itself: no frame and no change log tells of it.

extension SyncEngine {
    /// How long after the end the channel is looked at again (`docs/protocol` 6.3).
    private static let muteGrace = Duration.seconds(1)

    /// Notes that somebody was muted, or is no more.
    func noteMute(_ event: ChannelEvent) {
        guard case .restricted(let user, _) = event.content, user.user.id == me else { return }
        let channel = event.channelURL
        switch event.category {
        case .muted: run { engine in await engine.awaitEndOfMute(in: channel) }
        case .unmuted, .banned:
            watch.muteLooks[channel] = nil
            watch.muteTimers.disarm(channel)
        default: break
        }
    }

    /// Asks about a mute that the cache knows of: it may have ended while nobody looked.
    func checkMute(in channel: ChannelURL) async {
        guard (try? await cachedChannel(channel))?.isMuted == true else { return }
        await awaitEndOfMute(in: channel)
    }

    private func awaitEndOfMute(in channel: ChannelURL) async {
        // Without an answer, the next catch-up of the channel asks again.
        let question = AskMute(channelURL: channel, userID: me)
        watch.muteQuestions[channel, default: 0] += 1
        let number = watch.muteQuestions[channel]
        guard (try? await takeTurn()) != nil, let mute = try? await call(question),
            watch.muteQuestions[channel] == number
        else { return }
        guard mute.isMuted else { return await tellEndOfMute(in: channel) }
        guard let remaining = mute.remaining else { return watch.muteTimers.disarm(channel) }
        // A mute whose end is always now is looked at less and less often.
        let looks = watch.muteLooks[channel, default: 0]
        watch.muteLooks[channel] = looks + 1
        let grace =
            looks == 0
            ? Self.muteGrace
            : Backoff.standard.wait(beforeAttempt: looks, entropy: world.entropy())
        let wait = min(max(remaining, .zero), Timers<ChannelURL>.longest) + grace
        watch.muteTimers.arm(channel, for: wait, in: world) {
            // A mute may last for days, and the app may let go of its client meanwhile.
            [weak self] number in
            await self?.muteHasEnded(in: channel, number)
        }
    }

    private func muteHasEnded(in channel: ChannelURL, _ number: Int) async {
        // It may have been made longer; without a connection, the next catch-up asks.
        guard watch.muteTimers.claim(channel, number), isOnline else { return }
        await awaitEndOfMute(in: channel)
    }

    private func tellEndOfMute(in channel: ChannelURL) async {
        watch.muteLooks[channel] = nil
        watch.muteTimers.disarm(channel)
        guard let known = try? await cachedChannel(channel), known.isMuted else { return }
        let user = known.members.first { $0.user.id == me }?.user ?? User(id: me)
        emit(.unmuted(user, channel), afterLookUpOf: channel)
    }
}
