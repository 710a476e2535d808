// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
package import RoostStore

// Single calls of an outbox for tests. Each goes through `perform` and `copyFiles`, as the engine's
// calls do.

extension OutboxStore {
    /// Writes a message or a change behind all others, after copies of its files.
    ///
    /// - Returns: The item on disk; the earlier one if the request ID exists already.
    /// - Throws: `.full`, `.fileUnreadable` and other errors; then nothing was saved.
    package func append(
        _ requestID: RequestID, to channel: ChannelURL, createdAt: Timestamp,
        content: OutboxContent, leaves: Bool = false
    ) async throws(StoreError) -> OutboxItem {
        var draft = OutboxDraft(
            requestID, to: channel, createdAt: createdAt, content: content, leaves: leaves)
        guard case .fileMessage(let params, _) = content else {
            guard let item = try await item(after: .append(draft)) else { throw .closed }
            return item
        }
        let place: Int64
        switch try await result(of: .reserve(requestID)) {
        case .item(let item?): return item
        case .place(let free): place = free
        default: throw .closed
        }
        draft.sequence = place
        while true {
            (draft.content, draft.copies) = try await copyFiles(of: params, at: place)
            do throws(StoreError) {
                // Another process may have deleted the copies.
                guard let item = try await item(after: .append(draft)) else { continue }
                if item.sequence != place { deleteFiles(draft.copies) }
                return item
            } catch {
                deleteFiles(draft.copies)
                throw error
            }
        }
    }

    /// Moves an item to the end of the order, with a new time of writing; nil if the item is gone.
    package func requeue(
        _ requestID: RequestID, createdAt: Timestamp
    ) async throws(StoreError) -> OutboxItem? {
        try await item(after: .requeue(requestID, createdAt: createdAt))
    }

    /// Merges an edit into an unsent item; nil if the item is gone or may have been sent.
    package func fold(
        _ edit: MessageEdit, into requestID: RequestID, at now: Timestamp
    ) async throws(StoreError) -> OutboxItem? {
        try await item(after: .fold(edit, into: requestID, at: now))
    }

    /// Deletes an unsent item; false if it is gone or may have been sent.
    package func takeBack(_ requestID: RequestID) async throws(StoreError) -> Bool {
        guard case .takenBack(let isGone) = try await result(of: .takeBack(requestID)) else {
            return false
        }
        return isGone
    }

    private func item(after write: OutboxWrite) async throws(StoreError) -> OutboxItem? {
        guard case .item(let item) = try await result(of: write) else { return nil }
        return item
    }

    private func result(of write: OutboxWrite) async throws(StoreError) -> OutboxResult {
        try await perform([write])[0].get()
    }
}
