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
    /// The newest value of a channel, as long as an object shows it.
    package final class State: Sendable {
        private let current: Guarded<GroupChannel>

        /// A state that no other object shares.
        package init(_ value: GroupChannel) { current = Guarded(value) }

        package var value: GroupChannel {
            get { current.withLock { $0 } }
            set { current.withLock { $0 = newValue } }
        }

        /// Sets a value, unless the state has another one than `old` meanwhile.
        fileprivate func replace(_ old: GroupChannel, with new: GroupChannel) {
            current.withLock { if $0 == old { $0 = new } }
        }
    }

    private struct Entry {
        weak var state: State?
    }

    private struct Entries {
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
        let address = ChannelAddress(value.url, isOpen: isOpen)
        let (state, isNew) = entries.withLock { entries in
            if let kept = entries.byChannel[address]?.state { return (kept, false) }
            let state = State(value)
            entries.byChannel[address] = Entry(state: state)
            if entries.byChannel.count > entries.limit {
                entries.byChannel = entries.byChannel.filter { $0.value.state != nil }
                entries.limit = max(64, 2 * entries.byChannel.count)
            }
            return (state, true)
        }
        if isNews, !isNew { state.value = value }
        return state
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

    /// Shows a value in the kept objects of a channel, unless they show another one than `old`
    /// meanwhile.
    func replace(_ old: GroupChannel, of channel: ChannelAddress, with new: GroupChannel) {
        entries.withLock { $0.byChannel[channel]?.state }?.replace(old, with: new)
    }

    /// Ends the states, because another user logs in; kept objects stay as they are.
    package func forget() { entries.withLock { $0 = Entries() } }
}
