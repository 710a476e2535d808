// SPDX-License-Identifier: Apache-2.0

extension Store {
    /// Adds all messages to the index that are not in it yet; other calls continue meanwhile.
    ///
    /// Only a cache from before the index, and one whose index is in memory, have such messages. A
    /// search reports the missing ones. The call stops early when the task is cancelled, and may be
    /// repeated at any time.
    ///
    /// - Parameters:
    ///   - stepSize: The number of messages in each transaction.
    ///   - progress: Called after each transaction.
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

    /// The number of commits that are kept for an index in memory.
    package static var commitsKeptForIndex: Int { MemoryIndex.capacity }

    /// Whether the index of words is in memory, because the file must not contain plaintext words.
    package var hasIndexInMemory: Bool { memoryIndex != nil }

    /// Brings an index in memory up to the last commit, and adds a step of the messages it lacks.
    ///
    /// An index that is `commitsKeptForIndex` commits behind starts empty. An index in the file
    /// needs no call.
    package func followCommits(stepSize: Int) async throws(StoreError) {
        _ = try await memoryIndex?.indexSome(limit: stepSize)
    }
}
