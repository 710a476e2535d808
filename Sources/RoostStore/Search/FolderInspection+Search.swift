// SPDX-License-Identifier: Apache-2.0

extension FolderInspection {
    /// Finds messages in the cache of a folder, from outside; changes nothing, as `of` does not.
    ///
    /// - Throws: `.searchUnavailable` when the file holds no index, and as `of`.
    package static func search(
        _ folder: String, for question: SearchQuestion
    ) async throws(StoreError) -> SearchAnswer {
        try await reading(StoreFiles(folder: folder).cache, .cache) {
            connection throws(StoreError) in
            try await StoreReader(source: connection).search(question).value
        }
    }
}
