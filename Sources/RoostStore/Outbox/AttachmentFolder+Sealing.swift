// SPDX-License-Identifier: Apache-2.0

// Encrypts the copies of the files of unsent messages, when a plaintext outbox is sealed. Every item
// names a complete copy at each moment: the encrypted copy is synced before the item names it, and
// the plaintext copy is deleted after that. An interrupted run resumes with the remaining items.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension AttachmentFolder {
    private static let sealedSuffix = "-sealed"

    /// Encrypts the plaintext copies of all items, and deletes the copies that no item names.
    ///
    /// Requires that no other process has the outbox open. A copy that cannot be read to its end
    /// stays as it is: its message cannot be sent in any case.
    ///
    /// - Throws: `.full`, `.notAccessible`, an error of the outbox, or that the store is suspended.
    func sealCopies(
        in outbox: Connection, _ place: String, unless isStopped: () -> Bool
    ) throws(StoreError) {
        for item in try Self.items(in: outbox, place).items {
            guard case .fileMessage(let params, var copies) = item.content else { continue }
            var isChanged = false
            for index in copies.indices {
                guard let copy = copies[index], copy.key == nil,
                    let sealed = try self.sealed(copy, unless: isStopped)
                else { continue }
                copies[index] = sealed
                isChanged = true
            }
            guard isChanged else { continue }
            do throws(SQLiteError) {
                try outbox.transaction { () throws(SQLiteError) in
                    try outbox.updateItem(
                        item.requestID, in: item.channel, .fileMessage(params, copies: copies))
                }
            } catch {
                throw StoreError(error, in: place)
            }
        }
        deleteReplaced(try Self.items(in: outbox, place))
    }

    private static func items(
        in outbox: Connection, _ place: String
    ) throws(StoreError) -> OutboxItems {
        do throws(SQLiteError) {
            return try outbox.storedItems()
        } catch {
            throw StoreError(error, in: place)
        }
    }

    /// Writes an encrypted copy beside a plaintext one; nil if that one cannot be read to its end.
    private func sealed(
        _ copy: CopiedFile, unless isStopped: () -> Bool
    ) throws(StoreError) -> CopiedFile? {
        let name = copy.name + Self.sealedSuffix
        do throws(FileError) {
            if let sealed = try self.sealed(copy, to: name, unless: isStopped) { return sealed }
            delete([name])
        } catch {
            delete([name])
            if error.isUnreadable { return nil }
            throw StoreError(
                error.isFull ? .full : .notAccessible,
                "A file of an unsent message could not be encrypted: \(error.description)")
        }
        if isStopped() { throw .suspended }
        return nil
    }

    /// Deletes the plaintext copies that encrypted ones have replaced, and those without an item.
    private func deleteReplaced(_ stored: OutboxItems) {
        let known = Set(stored.items.flatMap(\.copies).map(\.name))
        delete(
            known.filter { $0.hasSuffix(Self.sealedSuffix) }.map {
                String($0.dropLast(Self.sealedSuffix.count))
            })
        // An unreadable item may name any of the copies.
        guard stored.unreadable.isEmpty else { return }
        deleteOrphans(writtenBefore: .distantFuture) { known.contains($0) }
    }
}
