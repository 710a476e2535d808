// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel

/// The readers of the client's health; a slow reader gets the newest value only.
final class HealthFeed: Sendable {
    private let readers = StreamFeed<Health>(.bufferingNewest(1))
    /// The value that every reader has been given.
    private let last = Guarded<Health?>(nil)

    /// Returns a stream that begins with the current value.
    func open(
        beginningWith present: Health, onEnd: @escaping @Sendable () -> Void
    ) -> AsyncStream<Health> {
        last.withLock { $0 = present }
        return readers.open(beginningWith: present, onEnd: onEnd)
    }

    /// Publishes the value if it differs from the last one; makes it only if a reader exists.
    func publish(_ present: () -> Health) {
        guard readers.readerCount > 0 else { return }
        let health = present()
        let isNew = last.withLock { last in
            defer { last = health }
            return last != health
        }
        if isNew { readers.publish(health) }
    }

    /// Ends all streams.
    func finish() { readers.finish() }
}
