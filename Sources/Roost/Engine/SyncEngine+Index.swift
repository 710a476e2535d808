// SPDX-License-Identifier: Apache-2.0

import RoostStore

extension SyncEngine {
    /// Messages put in at a time; a live message waits no longer than that takes, some 5 ms.
    private static let indexingStep = 500

    /// Puts words into the index that an older release, or a process that does not search, has left out.
    ///
    /// Nothing waits for it: until it is done, searches say what they cannot find. Asked again, it goes
    /// on where it was.
    func finishIndex() {
        guard !isIndexing else { return }
        isIndexing = true
        // Ends with the index, with the disk's first refusal or with the store.
        Task(executorPreference: world.executor) { [weak self, store] in
            // What is refused now is tried again with the next connection.
            try? await store.finishIndex(stepSize: Self.indexingStep)
            await self?.endIndexing()
        }
    }

    private func endIndexing() { isIndexing = false }
}
