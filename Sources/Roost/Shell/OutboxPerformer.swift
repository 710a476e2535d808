// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

/// Reads and writes the file of unsent items, and the copies of their files.
struct OutboxPerformer: Sendable {
    private let store: OutboxStore
    private let feed: InputFeed

    init(_ store: OutboxStore, _ feed: InputFeed) {
        self.store = store
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

    /// Reports the writes of other processes until the store closes.
    func reportForeignChanges() async {
        feed.send(await store.signals()) { _ in .outbox(.changedElsewhere) }
    }
}
