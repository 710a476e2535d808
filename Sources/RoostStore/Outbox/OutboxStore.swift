// SPDX-License-Identifier: Apache-2.0

package import RoostModel
internal import RoostSQLite

/// Keeps unsent messages through crashes, migrations, a damaged cache and a loss of power (scar 15).
///
/// A call that has returned is on the disk. Nothing here is ever deleted but by `remove`.
package actor OutboxStore {
    private nonisolated let executor: any SerialExecutor
    /// Nil in memory.
    private let files: StoreFiles?
    private var connection: Connection?
    /// Keeps the files where they are.
    private var lock: FolderLock?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor, files: StoreFiles?) {
        self.executor = executor
        self.files = files
    }

    /// Writes down a message behind all others.
    ///
    /// A request ID that is known already keeps the item it has: the call may be repeated.
    ///
    /// - Parameters:
    ///   - requestID: The name of this act of sending, the same on every try.
    ///   - channel: Where it shall go.
    ///   - createdAt: When it was written, on the device's clock.
    ///   - content: What it says.
    /// - Returns: The item as it is on the disk.
    /// - Throws: `.full` and others; then nothing was saved.
    package func append(
        _ requestID: RequestID, to channel: ChannelURL, createdAt: Timestamp,
        content: OutboxContent
    ) throws(StoreError) -> OutboxItem {
        let draft = OutboxDraft(
            requestID: requestID, channel: channel, createdAt: createdAt, content: content)
        return try write { connection throws(SQLiteError) in
            try connection.insertItem(draft)
            guard let item = try connection.outboxItem(requestID)?.item else {
                throw .malformed("an unsent message", because: "its row cannot be read back")
            }
            return item
        }
    }

    /// Everything unsent, in the order it was written.
    package func items() throws(StoreError) -> OutboxItems {
        try write { connection throws(SQLiteError) in
            let rows = try connection.outboxItems()
            return OutboxItems(
                items: rows.compactMap(\.item),
                unreadable: rows.filter { $0.item == nil }.map(\.requestID))
        }
    }

    /// Notes where an item stands; one that is gone stays gone.
    package func update(_ requestID: RequestID, state: UnsentState) throws(StoreError) {
        try write { connection throws(SQLiteError) in
            _ = try connection.execute(.updateItem, (connection.itemName(requestID), state))
        }
    }

    /// Notes that sending begins; to be called before the first byte leaves.
    package func noteAttempt(_ requestID: RequestID) throws(StoreError) {
        try write { connection throws(SQLiteError) in
            _ = try connection.execute(.noteAttempt, connection.itemName(requestID))
        }
    }

    /// Forgets an item: the server has it, or the person took it back.
    package func remove(_ requestID: RequestID) throws(StoreError) {
        try write { connection throws(SQLiteError) in
            _ = try connection.execute(.deleteItem, connection.itemName(requestID))
        }
    }

    func open(
        owner: StoreOwner, patience: Duration, _ protection: StoreProtection
    ) throws(StoreError) -> OutboxReport {
        precondition(connection == nil, "An outbox is opened once.")
        var opened = try OutboxOpening(
            owner: owner, files: files, patience: patience, protection: protection
        ).open()
        lock = opened.takeLock()
        connection = opened.connection
        return opened.report ?? .intact
    }

    func close() {
        connection = nil
        lock = nil
    }

    private func write<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        guard let connection else { throw .closed }
        do throws(SQLiteError) {
            return try connection.transaction { () throws(SQLiteError) in try body(connection) }
        } catch {
            // A key that was made meanwhile is gone again.
            connection.seals?.vault.forgetKeys()
            throw StoreError(error, in: files?.outbox ?? ":memory:")
        }
    }
}
