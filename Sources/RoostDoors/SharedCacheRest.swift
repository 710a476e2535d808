// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors

/// The closing of a shared cache while the app is in the background.
///
/// iOS ends an app that it suspends with a lock on a file of an app group's container (scar 49). So
/// the files are closed once the client has come to rest. A call of the app in the background opens
/// them until the client has come to rest again.
final class SharedCacheRest: Sendable {
    /// The time for the work in progress when the app goes to the background; the system gives
    /// about 5 s.
    private static let leavingTime = Duration.seconds(3)
    /// The time for the work of a call in the background; the system gives 30 s after a push.
    private static let visitTime = Duration.seconds(20)
    /// The pause in which the callback of a call may make another one.
    private static let pause = Duration.milliseconds(500)

    private struct State {
        var isInForeground = true
        /// Whether the files are closed, or are being closed.
        var isResting = false
        /// The number of the app's calls.
        var calls = 0
    }

    private let state = Guarded(State())
    /// The closings and openings, in their order.
    private let queue = WorkQueue()

    /// Closes the files after a move to the background, or opens them.
    func appMoved(toForeground isForeground: Bool, _ door: Door) {
        state.withLock { state in
            state.isInForeground = isForeground
            if isForeground { state.isResting = false }
        }
        queue.add(on: door) {
            guard let client = await self.client(of: door) else { return }
            if isForeground {
                // A refusal leaves calls waiting; the next one tries again.
                _ = try? await client.resume()
            } else {
                await self.rest(client, within: Self.leavingTime, door)
            }
        }
    }

    /// Notes a call of the app, which needs the files.
    func noteCall(_ door: Door) {
        let isClosed = state.withLock { state in
            state.calls += 1
            defer { state.isResting = false }
            return state.isResting
        }
        guard isClosed else { return }
        queue.add(on: door) {
            guard let client = await self.client(of: door) else { return }
            _ = try? await client.resume()
            await self.rest(client, within: Self.visitTime, door)
        }
    }

    /// Returns the present client, which alone has open files.
    ///
    /// Without one no file is open, and a later call in the background opens some until its client
    /// has come to rest.
    private func client(of door: Door) async -> ChatClient? {
        if let client = try? await door.presentClient().opened().client { return client }
        state.withLock { $0.isResting = !$0.isInForeground }
        return nil
    }

    /// Closes the files when the client has come to rest, unless the app is in the foreground then.
    private func rest(_ client: ChatClient, within time: Duration, _ door: Door) async {
        while true {
            let before = state.withLock { $0 }
            if before.isInForeground { return }
            await client.waitUntilIdle(atMost: time)
            try? await door.world.clock.sleep(for: Self.pause)
            let mayRest = state.withLock { state in
                guard !state.isInForeground, state.calls == before.calls else { return false }
                state.isResting = true
                return true
            }
            if mayRest { return await client.suspend() }
        }
    }
}
