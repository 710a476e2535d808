// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel

/// The channels whose objects an app keeps.
///
/// The old libraries have one object of each channel, which changes while the app holds it. Here
/// all objects of a channel share a state, so a kept object shows the newest value that any of them
/// was made with. Messages have no such state: their identity changes when they are sent, and apps
/// compare an old message with a new one.
package final class KeptChannels: Sendable {
    /// The moment of a question or of news; no two are equal.
    package struct Moment: Comparable, Sendable {
        private let number: Int

        private static let last = Guarded(0)

        /// Returns a moment after all others.
        package static func next() -> Moment {
            Moment(
                number: last.withLock { last in
                    last += 1
                    return last
                })
        }

        package static func < (left: Moment, right: Moment) -> Bool { left.number < right.number }
    }

    /// The newest value of a channel, as long as an object shows it.
    package final class State: Sendable {
        private struct Content {
            var value: GroupChannel
            /// The moment of the news, or of the question whose answer the value is.
            var moment: Moment
        }

        private let content: Guarded<Content>

        /// A state that no other object shares.
        package init(_ value: GroupChannel, askedAt moment: Moment = .next()) {
            content = Guarded(Content(value: value, moment: moment))
        }

        package var value: GroupChannel {
            get { content.withLock { $0.value } }
            set { content.withLock { $0 = Content(value: newValue, moment: .next()) } }
        }

        /// Sets a value that was asked for at a moment, unless that of the state is of a later one.
        package func show(_ value: GroupChannel, askedAt moment: Moment) {
            content.withLock { content in
                guard content.moment < moment else { return }
                content = Content(value: value, moment: moment)
            }
        }
    }

    private struct Entry {
        weak var state: State?
    }

    /// A user of an application.
    private struct Owner: Equatable {
        let user: UserID
        let application: String?
    }

    private struct Entries {
        /// The user whose channels they are; nil before the first one.
        var owner: Owner?
        var byChannel: [ChannelAddress: Entry] = [:]
        /// The number of entries at which those without objects are removed.
        var limit = 64
    }

    private let entries = Guarded(Entries())

    package init() {}

    /// Returns the state that the objects of a channel share.
    ///
    /// - Parameters:
    ///   - value: A value of the channel.
    ///   - isOpen: Whether the channel is an open one.
    ///   - isNews: Whether the value replaces that of a kept object.
    /// - Returns: The state, with the value unless an object is kept and the value is no news.
    package func state(
        of value: GroupChannel, isOpen: Bool, isNews: Bool = true
    ) -> State {
        let (shared, isNew) = sharedState(with: value, isOpen, .next())
        if isNews, !isNew { shared.value = value }
        return shared
    }

    /// Returns the state that the objects of a channel share, with a value that was asked for at a
    /// moment, unless a kept object shows one of a later moment.
    func state(of value: GroupChannel, isOpen: Bool, askedAt moment: Moment) -> State {
        let (shared, isNew) = sharedState(with: value, isOpen, moment)
        if !isNew { shared.show(value, askedAt: moment) }
        return shared
    }

    /// Returns the state of a channel, and whether it is a new one with the value.
    private func sharedState(
        with value: GroupChannel, _ isOpen: Bool, _ moment: Moment
    ) -> (State, Bool) {
        let address = ChannelAddress(value.url, isOpen: isOpen)
        return entries.withLock { entries in
            if let kept = entries.byChannel[address]?.state { return (kept, false) }
            let state = State(value, askedAt: moment)
            entries.byChannel[address] = Entry(state: state)
            if entries.byChannel.count > entries.limit {
                entries.byChannel = entries.byChannel.filter { $0.value.state != nil }
                entries.limit = max(64, 2 * entries.byChannel.count)
            }
            return (state, true)
        }
    }

    /// Shows a value in the kept objects of its channel, if there are any.
    package func note(_ value: GroupChannel, isOpen: Bool) {
        let address = ChannelAddress(value.url, isOpen: isOpen)
        entries.withLock { $0.byChannel[address]?.state }?.value = value
    }

    /// Returns the value that the kept objects of a channel show; nil without any.
    func value(of channel: ChannelAddress) -> GroupChannel? {
        entries.withLock { $0.byChannel[channel]?.state }?.value
    }

    /// Shows a value that was asked for at a moment in the kept objects of its channel, unless they
    /// show one of a later moment.
    func show(_ value: GroupChannel, isOpen: Bool, askedAt moment: Moment) {
        let address = ChannelAddress(value.url, isOpen: isOpen)
        entries.withLock { $0.byChannel[address]?.state }?.show(value, askedAt: moment)
    }

    /// The channels with kept objects.
    var channels: [ChannelAddress] {
        entries.withLock { entries in
            entries.byChannel.filter { $0.value.state != nil }.map(\.key)
        }
    }

    /// Ends the states of another user or application; their objects stay as they are.
    ///
    /// The objects of the same user follow the next client too.
    func belong(to user: UserID, of application: String?) {
        let owner = Owner(user: user, application: application)
        entries.withLock { if $0.owner != owner { $0 = Entries(owner: owner) } }
    }

    /// Ends all states; their objects stay as they are.
    func forget() { entries.withLock { $0 = Entries() } }
}
