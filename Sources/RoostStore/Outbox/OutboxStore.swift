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
    private var isClosed = false
    private let switchboard: StoreSwitch
    private let gate: SuspensionGate

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor, files: StoreFiles?, _ switchboard: StoreSwitch) {
        self.switchboard = switchboard
        gate = switchboard.makeGate()
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
    ) async throws(StoreError) -> OutboxItem {
        let draft = OutboxDraft(
            requestID: requestID, channel: channel, createdAt: createdAt, content: content)
        return try await write { connection throws(SQLiteError) in
            try connection.insertItem(draft)
            guard let item = try connection.outboxItem(requestID)?.item else {
                throw .malformed("an unsent message", because: "its row cannot be read back")
            }
            return item
        }
    }

    /// Everything unsent, in the order it was written.
    package func items() async throws(StoreError) -> OutboxItems {
        try await write { connection throws(SQLiteError) in try connection.storedItems() }
    }

    /// Notes where an item stands; one that is gone stays gone.
    package func update(_ requestID: RequestID, state: UnsentState) async throws(StoreError) {
        try await write { connection throws(SQLiteError) in
            _ = try connection.execute(.updateItem, (connection.itemName(requestID), state))
        }
    }

    /// Notes that sending begins; to be called before the first byte leaves.
    package func noteAttempt(_ requestID: RequestID) async throws(StoreError) {
        try await write { connection throws(SQLiteError) in
            _ = try connection.execute(.noteAttempt, connection.itemName(requestID))
        }
    }

    /// Forgets an item: the server has it, or the person took it back.
    package func remove(_ requestID: RequestID) async throws(StoreError) {
        try await write { connection throws(SQLiteError) in
            _ = try connection.execute(.deleteItem, connection.itemName(requestID))
        }
    }

    /// Opens the outbox; again after `letGo`.
    func open(
        owner: StoreOwner, patience: Duration, _ protection: StoreProtection
    ) throws(StoreError) -> OutboxReport {
        guard !isClosed else { throw .closed }
        guard connection == nil else { return .intact }
        try switchboard.admit(gate)
        var opened = try OutboxOpening(
            owner: owner, files: files, patience: patience, protection: protection
        ).open(gate.interrupter)
        lock = opened.takeLock()
        connection = opened.connection
        return opened.report ?? .intact
    }

    /// Closes the file and gives the lock away; the gate is closed, so nothing is going on.
    func letGo() {
        connection = nil
        lock = nil
    }

    func close() {
        isClosed = true
        letGo()
    }

    private func write<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await gate.perform(isolation: self) { () throws(StoreError) -> T? in
            guard let connection else { throw .closed }
            do throws(SQLiteError) {
                return try connection.transaction { () throws(SQLiteError) in
                    try body(connection)
                }
            } catch {
                // A key that was made meanwhile is gone again.
                connection.seals?.vault.forgetKeys()
                if error.isInterrupted { return nil }
                throw StoreError(error, in: files?.outbox ?? ":memory:")
            }
        }
    }
}
