// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel

// The user's own acts in the objects that the app keeps. The event of an act comes later than its
// outcome, and an own message has no event.

extension Door {
    /// Calls the client about group channels and delivers the outcome, once, on the app's queue.
    ///
    /// The kept objects of the channels show the effect before.
    package func perform<Value: Sendable>(
        on channels: [ChannelURL], then callback: Callback<Result<Value, RoostError>>,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> Value
    ) {
        let user = account
        perform(then: callback) { client throws(RoostError) in
            let value = try await work(client)
            for channel in channels { await self.show(channel, of: client, for: user) }
            return value
        }
    }

    /// Shows a group channel of the cache in its kept objects, unless they change meanwhile.
    func show(_ url: ChannelURL, of client: ChatClient, for user: UserID?) async {
        let moment = KeptChannels.Moment.next()
        guard let old = kept.value(of: ChannelAddress(url, isOpen: false)) else { return }
        // Without a readable cache the objects stay as they are.
        guard let new = try? await client.cachedChannel(url), new != old else { return }
        show(new, isOpen: false, askedAt: moment, for: user)
    }

    private func show(
        _ value: GroupChannel, isOpen: Bool, askedAt moment: KeptChannels.Moment, for user: UserID?
    ) {
        let isPresent = isPresent(user)
        queue.async { [kept] in
            if isPresent() { kept.show(value, isOpen: isOpen, askedAt: moment) }
        }
    }

    /// Reads all channels of kept objects again, because events about them were lost.
    func showKept(for user: UserID?) {
        let current = presentClient()
        start {
            // Without a client there is no news.
            guard let client = try? await current.opened().client else { return }
            let moment = KeptChannels.Moment.next()
            for channel in await client.enteredOpenChannels() {
                self.show(GroupChannel(channel), isOpen: true, askedAt: moment, for: user)
            }
            let urls = self.kept.channels.filter { !$0.isOpen }.map(\.url)
            for url in urls.sorted() { await self.show(url, of: client, for: user) }
        }
    }
}

/// The user and the moment of a question whose answer has channels.
package struct ChannelQuestion: Sendable {
    package let moment = KeptChannels.Moment.next()
    private let kept: KeptChannels
    private let isPresent: @Sendable () -> Bool

    /// Creates the question of the present user.
    package init(_ door: Door) {
        (kept, isPresent) = (door.kept, door.isPresent(door.account))
    }

    /// Returns the state of an object for a channel in the answer; call it on the app's queue.
    ///
    /// It is that of all objects of the channel, which show the answer unless they show news, or the
    /// answer to a later question. After the login of another user the object has a state of its own.
    package func state(of value: GroupChannel, isOpen: Bool) -> KeptChannels.State {
        guard isPresent() else { return KeptChannels.State(value) }
        return kept.state(of: value, isOpen: isOpen, askedAt: moment)
    }
}
