// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

// The typing of the user and of other members.

extension SyncState {
    /// Reports that the user types; does nothing without a connection.
    package mutating func startTyping(in channel: ChannelURL) {
        if session != nil { perform(typing.start(in: channel)) }
    }

    package mutating func stopTyping(in channel: ChannelURL) {
        if session != nil { perform(typing.stop(in: channel)) }
    }

    mutating func noteTyping(of user: User, _ isTyping: Bool, in channel: ChannelURL) {
        guard user.id != me else { return }
        perform(
            isTyping ? typing.began(user, in: channel) : typing.ended(user.id, in: channel))
    }

    mutating func forgetTyping() { perform(typing.lostConnection()) }

    mutating func perform(_ effects: [TypingMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .arm(let timer): arm(.typing(timer), for: timer.duration)
            case .disarm(let timer): disarm(.typing(timer))
            case .changed(let channel): emit(.typing(typing.users(in: channel), channel))
            case .send(let channel, let isTyping):
                send(isTyping ? .typingStart(channel, time: now) : .typingEnd(channel, time: now))
            }
        }
    }
}
