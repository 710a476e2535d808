// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore

/// Reads and writes the file of unsent items, and the copies of their files.
struct OutboxPerformer: Sendable {
    private let store: OutboxStore
    private let downloads: DownloadFolder
    private let feed: InputFeed
    /// The last copy of an uploaded file that was begun; each one waits for the one before.
    private let keeping = Guarded<Task<Void, Never>?>(nil)

    init(_ store: Store, _ feed: InputFeed) {
        self.store = store.outbox
        downloads = store.downloads
        self.feed = feed
    }

    /// The folder of the copies.
    var attachments: String? { store.attachments }

    func answer(_ question: OutboxQuestion, for id: SyncMachine.OperationID) {
        feed.reply(to: id, Reply.outbox) { [store] () async throws(RoostError) in
            try await store.answer(question)
        }
    }

    func deleteFiles(_ copies: [CopiedFile]) { store.deleteFiles(copies) }

    /// Copies an uploaded file to the downloaded ones, and deletes the outbox's copy.
    func keepUploaded(_ copy: CopiedFile, at address: String) {
        guard let attachments else { return }
        keeping.withLock { keeping in
            // The task ends with the copy. Without room the sender downloads the file like all
            // others.
            keeping = Task(executorPreference: feed.executor) { [store, downloads, keeping] in
                await keeping?.value
                try? await downloads.adopt(copy, in: attachments, as: address)
                store.deleteFiles([copy])
            }
        }
    }

    /// Waits for the copies that have begun.
    func finishKeeping() async { await keeping.withLock { $0 }?.value }

    /// Reports the writes of other processes until the store closes.
    func reportForeignChanges() async {
        feed.send(await store.signals()) { _ in .outbox(.changedElsewhere) }
    }
}
