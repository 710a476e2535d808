// SPDX-License-Identifier: Apache-2.0

import RoostStore

extension SyncEngine {
    /// The number of messages indexed at a time; a live message waits about 5 ms at most.
    private static let indexingStep = 500

    /// Indexes messages that an older release, or a process without search, has not indexed.
    ///
    /// No caller waits for the indexing. Until it is complete, searches report how much they cannot
    /// find. A further call resumes it.
    func finishIndex() {
        guard !isIndexing else { return }
        isIndexing = true
        // Ends with a complete index, with the disk's first refusal or with the store.
        Task(executorPreference: world.executor) { [weak self, store] in
            // A failed step is repeated after the next connection.
            try? await store.finishIndex(stepSize: Self.indexingStep)
            await self?.endIndexing()
        }
    }

    private func endIndexing() { isIndexing = false }
}
