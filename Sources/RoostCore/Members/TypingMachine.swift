// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The typing members of each channel, and the limit on reports of the user's own typing
/// (`docs/protocol` 2.7).
package struct TypingMachine: Equatable, Codable, Sendable {
    package enum Timer: Hashable, Codable, Sendable {
        /// A member may have left without a report.
        case expiry(ChannelURL, UserID)
        /// The user's typing was just reported.
        case pause(ChannelURL)

        package var duration: Duration {
            switch self {
            case .expiry: .seconds(10)
            case .pause: .seconds(1)
            }
        }
    }

    package enum Effect: Equatable, Sendable {
        /// Starts a timer; a running one of the same kind restarts.
        case arm(Timer)
        case disarm(Timer)
        /// The typing members of this channel have changed.
        case changed(ChannelURL)
        case send(ChannelURL, isTyping: Bool)
    }

    private struct Own: Equatable, Codable {
        /// Whether the server counts the user as typing.
        var isSent = false
        var isPausing = false
        /// The user typed during the pause.
        var isDue = false
    }

    private var others: [ChannelURL: [User]] = [:]
    private var own: [ChannelURL: Own] = [:]

    package init() {}

    /// Returns the typing members of a channel, in the order in which they began.
    package func users(in channel: ChannelURL) -> [User] { others[channel] ?? [] }

    // MARK: Other members

    package mutating func began(_ user: User, in channel: ChannelURL) -> [Effect] {
        let timer = Timer.expiry(channel, user.id)
        if users(in: channel).contains(where: { $0.id == user.id }) { return [.arm(timer)] }
        others[channel, default: []].append(user)
        return [.arm(timer), .changed(channel)]
    }

    /// Ends a member's typing: by a report, by leaving, or by a message.
    package mutating func ended(_ user: UserID, in channel: ChannelURL) -> [Effect] {
        guard remove(user, from: channel) else { return [] }
        return [.disarm(.expiry(channel, user)), .changed(channel)]
    }

    /// Ends all typing after the loss of the connection, because no end could arrive.
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

    /// Begins the user's typing; may be called with every key.
    package mutating func start(in channel: ChannelURL) -> [Effect] {
        guard own[channel]?.isPausing != true else {
            own[channel]?.isDue = true
            return []
        }
        own[channel] = Own(isSent: true, isPausing: true)
        return [.send(channel, isTyping: true), .arm(.pause(channel))]
    }

    /// Ends the user's typing; reports the end only if the beginning was reported.
    package mutating func stop(in channel: ChannelURL) -> [Effect] {
        guard let state = own[channel] else { return [] }
        own[channel] = state.isPausing ? Own(isPausing: true) : nil
        return state.isSent ? [.send(channel, isTyping: false)] : []
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
            own[channel] = state.isSent ? Own(isSent: true) : nil
            return []
        }
    }
}
