// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// One queue of work per channel, so that changes of a channel happen one after the other.
final class ChannelLanes {
    /// The lanes in use, each with the work that waits for it.
    private var lanes: [ChannelURL: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs work that changes a channel when all earlier work on the channel has ended.
    ///
    /// Work must not wait for the lane that it holds. The admission of a call takes the lane, so the call's
    /// action does not.
    func inLane<T, E: Error>(
        of url: ChannelURL, _ work: () async throws(E) -> T
    ) async throws(E) -> T {
        // The check for a free lane is in the continuation: before it, other work may run.
        await withCheckedContinuation { waiter in
            if lanes[url]?.append(waiter) == nil {
                lanes[url] = []
                waiter.resume()
            }
        }
        defer { leaveLane(of: url) }
        return try await work()
    }

    private func leaveLane(of url: ChannelURL) {
        guard lanes[url]?.isEmpty == false, let next = lanes[url]?.removeFirst() else {
            lanes.removeValue(forKey: url)
            return
        }
        next.resume()
    }
}
