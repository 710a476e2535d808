// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostExecutors
import RoostModel
import RoostServer
import RoostSockets

/// The uploads of a server that shares a database with others.
struct ClusterFiles: Sendable {
    /// The store; nil refuses uploads.
    var store: (any FileStore)?
    /// Returns the rows of its counters.
    var metrics: @Sendable () async -> [MetricRow] = { [] }
    var close: @Sendable () async -> Void = {}

    /// A counter with its name, kind, explanation and value.
    typealias MetricRow = (name: String, kind: String, help: String, value: Int)

    /// Opens the store of the uploads, and proves that it can be used.
    ///
    /// - Parameters:
    ///   - files: The place of the uploads.
    ///   - fileLimitMB: The greatest size of a file.
    ///   - time: The time for signatures.
    ///   - log: The log of failures.
    /// - Returns: The store with its counters.
    /// - Throws: A sentence that says what is wrong and what to do.
    static func open(
        _ files: ChatHost.Configuration.Cluster.Files, fileLimitMB: Int,
        time: @escaping @Sendable () -> Timestamp, _ log: LogWriter
    ) async throws(RoostError) -> ClusterFiles {
        switch files {
        case .none: return ClusterFiles()
        case .folder(let folder):
            try ChatHost.makeFolder(folder)
            let files = FolderFiles(folder)
            // The uploads of a server that has died; those of the others are younger.
            await files.store.sweep(before: time().advanced(by: -86_400_000))
            return ClusterFiles(store: files.store, close: { await files.thread.shutDown() })
        case .bucket(let settings):
            let world = S3World.live(time: time) { log.write($0) }
            return try await bucket(settings.fitting(fileLimitMB: fileLimitMB), world)
        }
    }

    /// Opens the store of uploads in a bucket, on a loop of its own: signing a part takes as long as
    /// the delivery of many messages.
    private static func bucket(
        _ settings: S3Settings, _ world: S3World
    ) async throws(RoostError) -> ClusterFiles {
        let loop: EventLoop
        do throws(SocketError) {
            loop = try EventLoop.start()
        } catch {
            throw ChatHost.refusal(error.message, error)
        }
        do throws(StorageError) {
            let store = try S3FileStore(settings, world, on: loop)
            try await store.check()
            return ClusterFiles(
                store: store, metrics: { rows(await store.counts) },
                close: {
                    await store.close()
                    await loop.shutdown()
                })
        } catch {
            await loop.shutdown()
            throw ChatHost.refusal(error.message, error)
        }
    }

    private static func rows(_ counts: S3FileStore.Counts) -> [MetricRow] {
        [
            (
                "roost_files_up", "gauge", "Whether the last call to the files' bucket succeeded.",
                counts.isAway ? 0 : 1
            ),
            (
                "roost_files_calls_total", "counter", "Calls to the files' bucket.",
                Int(clamping: counts.calls)
            ),
            (
                "roost_files_repeats_total", "counter",
                "Calls to the files' bucket that were repeated.", Int(clamping: counts.repeats)
            ),
            (
                "roost_files_failures_total", "counter",
                "Calls to the files' bucket that failed with all their repeats.",
                Int(clamping: counts.failures)
            ),
        ]
    }
}
