// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostModel
internal import RoostSQLite

extension FolderInspection {
    /// Returns the names of the cached channels that have one; changes nothing.
    ///
    /// - Throws: The errors of `FolderInspection.of`.
    package static func channelNames(
        of folder: String, _ protection: StoreProtection = .none
    ) async throws(StoreError) -> [ChannelURL: String] {
        let (owner, keys) = protection.ofFolder(folder)
        return try await reading(
            StoreFiles(folder: folder).cache, StoreSchema.current.cache, keys, owner
        ) { connection throws(StoreError) in
            try await connection.snapshot { session throws(SQLiteError) in
                var names: [ChannelURL: String] = [:]
                for url in try session.connection.channelURLs() {
                    names[url] = try session.readableChannel(url)?.givenName
                }
                return names
            }
        }
    }

    /// Finds messages in the cache of a folder without opening a store; changes nothing.
    ///
    /// An encrypted file contains no words, so all its messages are indexed in memory first.
    ///
    /// - Throws: `.searchUnavailable` if a plaintext file has no index, and the errors
    ///   of `FolderInspection.of`.
    package static func search(
        _ folder: String, for question: SearchQuestion, _ protection: StoreProtection = .none
    ) async throws(StoreError) -> SearchAnswer {
        let files = StoreFiles(folder: folder)
        if StoreProtection.isPlaintext(files.cache) {
            return try await reading(files.cache, StoreSchema.current.cache) {
                connection throws(StoreError) in
                try await StoreReader(source: connection).search(question).value
            }
        }
        let (owner, keys) = protection.ofFolder(folder)
        // Fails early if the file is damaged or the key is wrong.
        try await reading(files.cache, StoreSchema.current.cache, keys, owner) { _ in }
        let executor = ThreadExecutor(name: "roost.inspect")
        let index = MemoryIndex(
            on: executor, path: files.cache, owner: owner, keys, writer: nil)
        let outcome: Result<SearchAnswer, StoreError>
        do throws(StoreError) {
            // The index starts again if a client writes meanwhile, so the number of attempts is
            // bounded.
            for _ in 0..<1_000 where try await index.indexSome(limit: 2_000).isComplete { break }
            let reader = StoreReader(source: index, index: index)
            outcome = .success(try await reader.search(question).value)
        } catch {
            outcome = .failure(error)
        }
        await index.close()
        await executor.shutDown()
        return try outcome.get()
    }
}
