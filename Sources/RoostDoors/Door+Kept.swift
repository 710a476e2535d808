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

    /// Shows a group channel of the cache in its kept objects, unless they show a value of a later
    /// moment; they change on `queue`, nil for the door's.
    func show(
        _ url: ChannelURL, of client: ChatClient, for user: UserID?,
        on queue: CallbackQueue? = nil
    ) async {
        let moment = KeptChannels.Moment.next()
        guard kept.contains(ChannelAddress(url, isOpen: false)) else { return }
        // Without a readable cache the objects stay as they are.
        guard let value = try? await client.cachedChannel(url) else { return }
        show(value, isOpen: false, askedAt: moment, for: user, on: queue)
    }

    private func show(
        _ value: GroupChannel, isOpen: Bool, askedAt moment: KeptChannels.Moment,
        for user: UserID?, on queue: CallbackQueue? = nil
    ) {
        let (isPresent, queue) = (isPresent(user), queue ?? self.queue)
        queue.async { [kept] in
            guard isPresent() else { return }
            let moment = moment.ofValueShownNow(isOpen: isOpen)
            kept.show(value, isOpen: isOpen, askedAt: moment)
        }
    }

    /// Shows group channels of the cache in their kept objects, on a queue of the app.
    ///
    /// Objects of a channel that the cache does not have stay as they are.
    func showKept(_ channels: [ChannelURL], for user: UserID?, on queue: CallbackQueue) {
        let channels = channels.filter { kept.contains(ChannelAddress($0, isOpen: false)) }
        guard !channels.isEmpty else { return }
        start { [self] in
            // Without a client there is no cache to read.
            guard let client = try? await presentClient().opened().client else { return }
            for url in channels { await show(url, of: client, for: user, on: queue) }
        }
    }

    /// Returns the state of the channel of an event; call it on the app's queue.
    ///
    /// All objects of the channel share the state. It takes the channel of the event unless it has
    /// a value of a later moment. The caller keeps it while the app makes objects for the event.
    func keptState(
        of channel: GroupChannel, in event: ChatEvent, askedAt moment: KeptChannels.Moment
    ) -> KeptChannels.State {
        let isOpen = if case .openChannel = event { true } else { false }
        return kept.state(
            of: channel, isOpen: isOpen, askedAt: moment.ofValueShownNow(isOpen: isOpen))
    }

    /// Reads all channels of kept objects again, because events about them were lost.
    ///
    /// Further losses during a reading cause one more.
    func showKept() {
        guard kept.beginReading() else { return }
        start { [self] in
            repeat { await readKept() } while kept.endReading()
        }
    }

    private func readKept() async {
        let user = account
        // Without a client there is no news.
        guard let client = try? await presentClient().opened().client else { return }
        let moment = KeptChannels.Moment.next()
        for channel in await client.enteredOpenChannels() {
            show(GroupChannel(channel), isOpen: true, askedAt: moment, for: user)
        }
        let urls = kept.channels.filter { !$0.isOpen }.map(\.url)
        for url in urls.sorted() { await show(url, of: client, for: user) }
    }
}

/// The user and the moment of a question whose answer has channels.
package struct ChannelQuestion: Sendable {
    private let moment = KeptChannels.Moment.next()
    private let kept: KeptChannels
    private let isPresent: @Sendable () -> Bool

    /// Creates the question of the present user.
    package init(_ door: Door) {
        (kept, isPresent) = (door.kept, door.isPresent(door.account))
    }

    /// Returns the state of an object for a channel in the answer; call it on the app's queue.
    ///
    /// All objects of the channel share the state. It takes the answer unless it has a value of a
    /// later moment. After the login of another user the object has a state of its own.
    package func state(of value: GroupChannel, isOpen: Bool) -> KeptChannels.State {
        guard isPresent() else { return KeptChannels.State(value) }
        return kept.state(of: value, isOpen: isOpen, askedAt: momentOfAnswer(isOpen: isOpen))
    }

    /// Returns the moment of the answer about a channel that the app's queue shows now.
    package func momentOfAnswer(isOpen: Bool) -> KeptChannels.Moment {
        moment.ofValueShownNow(isOpen: isOpen)
    }
}
