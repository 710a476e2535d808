// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

extension ChatClient {
    /// The current health of the client: connection, catch-up, unsent messages, cache and damage.
    ///
    /// The call reads the figures of the cache from the disk and waits for them for a second at
    /// most; afterwards the value has the last known ones.
    public var health: Health {
        get async {
            if await !presentHealth.isSuspended {
                let reading = InTime(.figures(FiguresReading()), within: .seconds(1))
                _ = try? await engine.run(.inTime(reading))
            }
            return await presentHealth
        }
    }

    /// Returns a stream of the current health and all later values; a slow reader misses some but
    /// gets the last.
    ///
    /// A value follows each step that changes it. Ages are moments in it, so a waiting client
    /// publishes nothing. While a reader exists, the figures of the cache are read again at most
    /// every five seconds.
    public func healthStates() async -> AsyncStream<Health> {
        let states = await engine.read {
            [feed = engine.feed, notices = engine.performers.notices] in
            notices.health.open(beginningWith: $0.health) {
                feed.send(.healthReading(isBeginning: false))
            }
        }
        await engine.receive(.healthReading(isBeginning: true))
        return states
    }

    /// The current health, without a read of the disk.
    package var presentHealth: Health { get async { await engine.read { $0.health } } }
}
