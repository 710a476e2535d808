// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel

/// The channels whose objects an app keeps.
///
/// The old libraries have one object of each channel, which changes while the app holds it. Here
/// all objects of a channel share a state. Of the values that any of them was made with, they show
/// that of the latest moment. Messages have no such state: their identity changes when they are
/// sent, and apps compare an old message with a new one.
package final class KeptChannels: Sendable {
    /// The moment of a question or of news; no two are equal.
    package struct Moment: Comparable, Sendable {
        private let number: Int

        private static let last = Guarded(0)

        /// The moment before all others, of a value that is neither news nor an answer.
        package static let first = Moment(number: 0)

        /// Returns a moment after all others.
        package static func next() -> Moment {
            Moment(
                number: last.withLock { last in
                    last += 1
                    return last
                })
        }

        package static func < (left: Moment, right: Moment) -> Bool { left.number < right.number }

        /// Returns the moment that counts for a value that the app's queue shows now.
        ///
        /// An event of an open channel brings a value of all its properties; before the look-up of
        /// the channel, only the URL of it is true. So an open channel shows the value that comes
        /// last.
        func ofValueShownNow(isOpen: Bool) -> Moment { isOpen ? .next() : self }
    }

    /// The value of a channel with the latest moment, as long as an object shows it.
    package final class State: Sendable {
        private struct Content {
            var value: GroupChannel
            /// The moment of the news, or of the question whose answer the value is.
            var moment: Moment
        }

        private let content: Guarded<Content>

        /// A state that no other object shares.
        package init(_ value: GroupChannel, askedAt moment: Moment = .first) {
            content = Guarded(Content(value: value, moment: moment))
        }

        package var value: GroupChannel { content.withLock { $0.value } }

        /// Changes the value, whose moment stays.
        package func change(_ change: (inout GroupChannel) -> Void) {
            content.withLock { change(&$0.value) }
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

    /// The state of the reading of all channels, of which there is one at a time.
    private enum Reading { case idle, underWay, followedByAnother }

    private let entries = Guarded(Entries())
    private let reading = Guarded(Reading.idle)

    package init() {}

    /// Returns the state that the objects of a channel share.
    ///
    /// - Parameters:
    ///   - value: A value of the channel.
    ///   - isOpen: Whether the channel is an open one.
    ///   - moment: The moment at which the value was asked for.
    /// - Returns: The state, with the value unless a kept object shows one of a later moment.
    package func state(of value: GroupChannel, isOpen: Bool, askedAt moment: Moment) -> State {
        let shared = state(isOpen: isOpen, keptOr: value, askedAt: moment)
        shared.show(value, askedAt: moment)
        return shared
    }

    /// Returns the state that the objects of a channel share, as it is.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the channel is an open one.
    ///   - value: The value of a new state, which is made if the app keeps no object.
    ///   - moment: The moment of the value; `.first` for one that is neither news nor an answer.
    /// - Returns: The state.
    package func state(
        isOpen: Bool, keptOr value: GroupChannel, askedAt moment: Moment
    ) -> State {
        let address = ChannelAddress(value.url, isOpen: isOpen)
        return entries.withLock { entries in
            if let kept = entries.byChannel[address]?.state { return kept }
            let state = State(value, askedAt: moment)
            entries.byChannel[address] = Entry(state: state)
            if entries.byChannel.count > entries.limit {
                entries.byChannel = entries.byChannel.filter { $0.value.state != nil }
                entries.limit = max(64, 2 * entries.byChannel.count)
            }
            return state
        }
    }

    /// Returns whether the app keeps an object of a channel.
    func contains(_ channel: ChannelAddress) -> Bool {
        entries.withLock { $0.byChannel[channel]?.state } != nil
    }

    /// Shows a value that was asked for at a moment in the kept objects of its channel, unless they
    /// show one of a later moment.
    package func show(_ value: GroupChannel, isOpen: Bool, askedAt moment: Moment) {
        let address = ChannelAddress(value.url, isOpen: isOpen)
        entries.withLock { $0.byChannel[address]?.state }?.show(value, askedAt: moment)
    }

    /// The channels with kept objects.
    var channels: [ChannelAddress] {
        entries.withLock { entries in
            entries.byChannel.filter { $0.value.state != nil }.map(\.key)
        }
    }

    /// Asks for a reading of all channels.
    ///
    /// - Returns: Whether the caller begins one; a reading under way is followed by another one.
    package func beginReading() -> Bool {
        reading.withLock { reading in
            defer { reading = reading == .idle ? .underWay : .followedByAnother }
            return reading == .idle
        }
    }

    /// Ends a reading of all channels.
    ///
    /// - Returns: Whether the caller begins another one, which was asked for meanwhile.
    package func endReading() -> Bool {
        reading.withLock { reading in
            defer { reading = reading == .followedByAnother ? .underWay : .idle }
            return reading == .followedByAnother
        }
    }

    /// Ends the states of another user or application; their objects stay as they are.
    ///
    /// The objects of the same user follow the next client too.
    func belong(to user: UserID, of application: String?) {
        let owner = Owner(user: user, application: application)
        entries.withLock { if $0.owner != owner { $0 = Entries(owner: owner) } }
    }

    /// Ends all states, and a reading that another world began; the objects stay as they are.
    func forget() {
        entries.withLock { $0 = Entries() }
        reading.withLock { $0 = .idle }
    }
}
