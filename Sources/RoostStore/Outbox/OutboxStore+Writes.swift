// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostModel
internal import RoostSQLite

// Several writes in one transaction: a hundred messages sent at once cost few flushes of the disk.

/// The result of one write.
package enum OutboxResult: Sendable {
    case noted(OutboxReceipt)
    /// A reserved place in the order of sending.
    case place(Int64)
    /// The item as it is now; nil if it is gone, may have been sent, or its copies are gone.
    case item(OutboxItem?)
    /// Whether the item was deleted.
    case takenBack(Bool)
}

extension OutboxStore {
    /// Performs several writes, in their order.
    ///
    /// All are one transaction; if the disk refuses it, each is made alone. A note that cannot be
    /// written alone is left out.
    package func perform(
        _ writes: [OutboxWrite]
    ) async -> [Result<OutboxResult, StoreError>] {
        if writes.count > 1, let results = await performTogether(writes) {
            return results.map { .success($0) }
        }
        var results: [Result<OutboxResult, StoreError>] = []
        for write in writes {
            do throws(StoreError) {
                results.append(.success(try await perform(write)))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// Performs one write.
    func perform(_ write: OutboxWrite) async throws(StoreError) -> OutboxResult {
        if case .notes(let notes) = write { return .noted(try await note(notes)) }
        defer { signal?.send() }
        let result = try await self.write { connection throws(SQLiteError) in
            try self.result(of: write, on: connection)
        }
        noteSequence(of: result)
        return result
    }

    /// Performs all writes in one transaction; nil if the disk refuses one of them.
    private func performTogether(_ writes: [OutboxWrite]) async -> [OutboxResult]? {
        defer { signal?.send() }
        let results: [OutboxResult]
        do throws(StoreError) {
            results = try await write { connection throws(SQLiteError) in
                var results: [OutboxResult] = []
                for write in writes { results.append(try self.result(of: write, on: connection)) }
                return results
            }
        } catch {
            return nil
        }
        for result in results { noteSequence(of: result) }
        return results
    }

    private func noteSequence(of result: OutboxResult) {
        if case .item(let item?) = result { highest = max(highest, item.sequence) }
    }

    private func result(
        of write: OutboxWrite, on connection: Connection
    ) throws(SQLiteError) -> OutboxResult {
        switch write {
        case .notes(let notes):
            for note in notes { try connection.note(note) }
            let hasNews = try connection.first(.outboxVersion) != heardVersion
            return .noted(OutboxReceipt(hasNews: hasNews, refused: [:]))
        case .reserve(let id):
            if let item = try connection.outboxItem(id)?.item { return .item(item) }
            return .place(try connection.takeSequence())
        case .append(let draft):
            // Another process may have deleted a copy while this one was suspended. It does so in a
            // transaction of its own, so a copy that exists now still exists when the item is
            // written.
            guard folder?.holds(draft.copies) ?? true else { return .item(nil) }
            return .item(try connection.insertedItem(draft))
        case .keep(let draft):
            try connection.execute(.deleteItem, connection.itemName(draft.requestID))
            return .item(try connection.insertedItem(draft))
        case .fold(let edit, let id, let now):
            guard let item = try connection.outboxItem(id)?.item, !item.mayHaveArrived else {
                return .item(nil)
            }
            if item.change != nil {
                guard item.state == .pending else { return .item(nil) }
                try connection.execute(.updateTime, (connection.itemName(id), now))
            }
            try connection.updateItem(id, in: item.channel, item.content.applying(edit))
            return .item(try connection.outboxItem(id)?.item)
        case .requeue(let id, let createdAt):
            try connection.requeue(id, createdAt)
            return .item(try connection.outboxItem(id)?.item)
        case .takeBack(let id):
            guard let item = try connection.outboxItem(id)?.item, !item.mayHaveArrived else {
                return .takenBack(false)
            }
            try connection.execute(.deleteItem, connection.itemName(id))
            return .takenBack(true)
        }
    }
}
