// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// Reads, pages and pauses for the parts that are no operations yet.

extension SyncEngine {
    /// Waits until the engine may make one more request by itself.
    ///
    /// - Throws: `.connectionRequired` when the connection was lost or replaced meanwhile.
    func takeTurn() async throws(RoostError) {
        guard let session else { throw .notConnected }
        sync.now = world.wallTime()
        guard let wait = sync.takeTurn() else { return }
        await pause(for: wait)
        guard sync.isPresent(session.epoch) else {
            sync.pacing.giveBack()
            throw .notConnected
        }
    }

    /// Waits; the next connection ends it early.
    private func pause(for duration: Duration) async {
        let clock = world.clock
        let pause = Task(executorPreference: world.executor) {
            // Ended early or late, the loop looks at the connection again.
            _ = try? await clock.sleep(for: duration)
        }
        pauses.append(pause)
        await pause.value
        pauses.removeAll { $0 == pause }
    }

    /// Fetches a page and stores it with what it states.
    @discardableResult
    func loadPage(
        _ fetch: PageFetch
    ) async throws(RoostError) -> (statement: PageStatement, count: Int) {
        guard case .page(let statement, let count) = try await run(.page(fetch)) else {
            throw .outOfStep
        }
        return (statement, count)
    }

    func coverage(of channel: ChannelURL) async throws(RoostError) -> Coverage {
        do { return try await reader.coverage(of: channel).value } catch { throw RoostError(error) }
    }

    func cursor(_ key: CursorKey) async throws(RoostError) -> Cursor? {
        do { return try await reader.cursor(key).value } catch { throw RoostError(error) }
    }

    /// Whether the disk holds all of the user's channels.
    var isChannelListWhole: Bool {
        get async throws(RoostError) { try await cursor(.channelFill) == .listEnd }
    }
}
