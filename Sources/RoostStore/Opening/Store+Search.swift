// SPDX-License-Identifier: Apache-2.0

extension Store {
    /// Puts the words of all messages into the index that are not in it yet, while everything else goes on.
    ///
    /// Only a cache from before there was an index, and one whose index is in memory, have such messages;
    /// a search says which it cannot find yet. Stops early when the task is cancelled, and may be called
    /// again at any time.
    ///
    /// - Parameters:
    ///   - stepSize: Messages put in by each transaction.
    ///   - progress: Told after each.
    /// - Throws: As `StoreWriter.indexSome`.
    package func finishIndex(
        stepSize: Int = 2_000, progress: @Sendable (SearchProgress) -> Void = { _ in }
    ) async throws(StoreError) {
        while !Task.isCancelled {
            let state =
                if let memoryIndex { try await memoryIndex.indexSome(limit: stepSize) } else {
                    try await writer.indexSome(limit: stepSize)
                }
            progress(state)
            if state.isComplete { return }
        }
    }
}
