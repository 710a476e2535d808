// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// Damage of the cache that is found while it is in use.

extension SyncEngine {
    /// Passes found damage on to the machine until the store closes.
    func watchDamage() {
        let damage = store.damage()
        // Ends with the store.
        Task(executorPreference: executor) { [weak self] in
            for await found in damage { await self?.take(found) }
        }
    }

    private func take(_ damage: CacheDamage) {
        switch damage {
        case .forgotten(let count, let channel):
            receive(.forgotten(messages: count, in: channel))
        case .suspected: receive(.suspected)
        }
    }

    /// Tells the app of messages that could not be read.
    func tellOfForgotten(_ count: Int, in channel: ChannelURL) {
        emit(
            .storageRepaired(
                "\(count) message\(count == 1 ? "" : "s") of the channel \(channel) could not be "
                    + "read and will be fetched again; unsent messages were not touched."))
    }

    /// Checks the cache and repairs it; a store that is suspended or closed leaves that to its next
    /// opening.
    func mend() async throws(RoostError) -> CacheCheck {
        do {
            guard let report = try await store.mend(), report != .intact else { return .intact }
            return .repaired(reports: Repairs(cache: report).sentences)
        } catch {
            throw RoostError(error)
        }
    }
}
