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
        let channel = ChannelAddress(url, isOpen: false)
        guard let old = kept.value(of: channel) else { return }
        // Without a readable cache the objects stay as they are.
        guard let new = try? await client.cachedChannel(url), new != old else { return }
        let isPresent = isPresent(user)
        queue.async { [kept] in
            if isPresent() { kept.replace(old, of: channel, with: new) }
        }
    }
}
