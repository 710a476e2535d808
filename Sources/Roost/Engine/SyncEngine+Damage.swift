// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// A cache that turns out to be damaged while it is in use.

extension SyncEngine {
    /// Sees to the damage that is met, until the store closes.
    func mendWhatBreaks() {
        let damage = store.damage()
        // Ends with the store.
        Task(executorPreference: executor) { [weak self] in
            for await found in damage { await self?.see(to: found) }
        }
    }

    private func see(to damage: CacheDamage) async {
        switch damage {
        case .forgotten(let count, let channel):
            emit(
                .storageRepaired(
                    "\(count) message\(count == 1 ? "" : "s") of the channel \(channel) could not be "
                        + "read and will be fetched again; unsent messages were not touched."))
            receive(.lost(channel))
            // The words of a lost message are unknown, so the index has forgotten all of them.
            finishIndex()
        case .suspected:
            await mend()
        }
    }

    private func mend() async {
        underWay += 1
        let report = await mended()
        for sentence in Repairs(cache: report).sentences { emit(.storageRepaired(sentence)) }
        if report != .intact { receive(.repaired) }
        ended()
    }

    /// Everybody waits for the cache until it is open again, so that is tried until it succeeds.
    private func mended() async -> RepairReport {
        while true {
            do throws(StoreError) {
                return try await store.mend() ?? .intact
            } catch {
                guard !isClosed, (try? await world.clock.sleep(for: Self.mendingDelay)) != nil
                else { return .intact }
            }
        }
    }

    /// How long a disk that refused is left alone.
    private static let mendingDelay = Duration.seconds(5)
}
