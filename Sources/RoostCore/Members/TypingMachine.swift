// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Who types where, and how often the user's own typing is told (`docs/protocol` 2.7).
package struct TypingMachine: Hashable, Sendable {
    package enum Timer: Hashable, Sendable {
        /// Somebody may have gone without a word.
        case expiry(ChannelURL, UserID)
        /// The user's typing was told just now.
        case pause(ChannelURL)

        package var duration: Duration {
            switch self {
            case .expiry: .seconds(10)
            case .pause: .seconds(1)
            }
        }
    }

    package enum Effect: Hashable, Sendable {
        /// Starts a timer; one of the same kind that runs begins anew.
        case arm(Timer)
        case disarm(Timer)
        /// Others type in this channel than before.
        case changed(ChannelURL)
        case tell(ChannelURL, isTyping: Bool)
    }

    private struct Own: Hashable {
        /// Whether the server takes the user to be typing.
        var isTold = false
        var isPausing = false
        /// The user typed on during the pause.
        var isDue = false
    }

    private var others: [ChannelURL: [User]] = [:]
    private var own: [ChannelURL: Own] = [:]

    package init() {}

    /// Those who type in a channel, in the order they began.
    package func users(in channel: ChannelURL) -> [User] { others[channel] ?? [] }

    // MARK: Others

    package mutating func began(_ user: User, in channel: ChannelURL) -> [Effect] {
        let timer = Timer.expiry(channel, user.id)
        if users(in: channel).contains(where: { $0.id == user.id }) { return [.arm(timer)] }
        others[channel, default: []].append(user)
        return [.arm(timer), .changed(channel)]
    }

    /// They say so, have left, or their message has arrived.
    package mutating func ended(_ user: UserID, in channel: ChannelURL) -> [Effect] {
        guard remove(user, from: channel) else { return [] }
        return [.disarm(.expiry(channel, user)), .changed(channel)]
    }

    /// The connection is lost: nobody would tell of an end.
    package mutating func lostConnection() -> [Effect] {
        let gone = others.sorted { $0.key < $1.key }
        others = [:]
        let pauses = own.filter(\.value.isPausing).keys.sorted()
        own = [:]
        return gone.flatMap { channel, users in
            users.map { .disarm(.expiry(channel, $0.id)) } + [.changed(channel)]
        } + pauses.map { .disarm(.pause($0)) }
    }

    private mutating func remove(_ user: UserID, from channel: ChannelURL) -> Bool {
        guard let index = users(in: channel).firstIndex(where: { $0.id == user }) else {
            return false
        }
        others[channel]?.remove(at: index)
        if users(in: channel).isEmpty { others[channel] = nil }
        return true
    }

    // MARK: The user

    /// The user types; may be called with every key.
    package mutating func start(in channel: ChannelURL) -> [Effect] {
        guard own[channel]?.isPausing != true else {
            own[channel]?.isDue = true
            return []
        }
        own[channel] = Own(isTold: true, isPausing: true)
        return [.tell(channel, isTyping: true), .arm(.pause(channel))]
    }

    /// The user has stopped; tells nobody who was not told of the typing.
    package mutating func stop(in channel: ChannelURL) -> [Effect] {
        guard let state = own[channel] else { return [] }
        own[channel] = state.isPausing ? Own(isPausing: true) : nil
        return state.isTold ? [.tell(channel, isTyping: false)] : []
    }

    // MARK: Time

    package mutating func fired(_ timer: Timer) -> [Effect] {
        switch timer {
        case .expiry(let channel, let user):
            return remove(user, from: channel) ? [.changed(channel)] : []
        case .pause(let channel):
            guard let state = own[channel] else { return [] }
            if state.isDue {
                own[channel] = Own()
                return start(in: channel)
            }
            own[channel] = state.isTold ? Own(isTold: true) : nil
            return []
        }
    }
}
