// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel

/// The channel of a message collection, followed beside its messages.
package final class WatchedChannel: Sendable {
    private let current: Guarded<(value: GroupChannel, moment: KeptChannels.Moment)>
    private let driver: ChannelListDriver

    /// Creates a channel that is as the app knows it, until `load()` reads it.
    ///
    /// - Parameters:
    ///   - door: The door of the collection.
    ///   - channel: The channel as the app knows it; the cache may have a newer one.
    ///   - queue: The queue of the app for the changes; nil for the door's.
    ///   - notify: The receiver of the changes after the first reading.
    package init(
        _ door: Door, _ channel: GroupChannel, on queue: CallbackQueue? = nil,
        notify: @escaping @Sendable (ChannelListDriver.Event) -> Void
    ) {
        let current = Guarded((value: channel, moment: KeptChannels.Moment.first))
        self.current = current
        driver = ChannelListDriver(door, .only(channel.url), on: queue) { event in
            if let newest = event.change.present.last {
                current.withLock { $0 = (newest, event.moment) }
            }
            notify(event)
        }
    }

    /// The channel as it was read or has changed last, and the moment of this value; a channel that
    /// is gone stays as it was.
    package var latest: (value: GroupChannel, moment: KeptChannels.Moment) {
        current.withLock { $0 }
    }

    /// Whether the user at the creation is still the present one.
    package var isForPresentUser: @Sendable () -> Bool { driver.isForPresentUser }

    /// Opens the cache and looks the channel up.
    package func open() async throws(RoostError) { _ = try await driver.open() }

    /// Reads the channel, and follows it from then on.
    ///
    /// The first reading is reported by no change.
    package func load() async {
        await driver.load { [current] result in
            // The messages arrive even if the channel cannot be followed.
            guard case .success(let page) = result, let channel = page.channels.first else {
                return
            }
            current.withLock { $0 = (channel, page.moment) }
        }
    }

    package func close() async { await driver.close() }
}
