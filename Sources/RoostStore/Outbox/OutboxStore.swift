// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostExecutors
package import RoostModel
internal import RoostSQLite

/// Keeps unsent messages through crashes, migrations, a damaged cache and a loss of power (scar 15).
///
/// A call that has returned is on disk. Only a note of its removal and `takeBack` delete an item.
package actor OutboxStore {
    private nonisolated let executor: any SerialExecutor
    /// The executor, where it is a thread of its own.
    nonisolated var thread: ThreadExecutor? { executor as? ThreadExecutor }
    /// Nil in memory.
    let files: StoreFiles?
    private var connection: Connection?
    /// The lock that protects the files.
    private var lock: SharedLock?
    private var isClosed = false
    private var isSealed = false
    /// The lock of the one process that sends.
    private var sending: FolderLock? {
        didSet {
            let isHeld = sending != nil
            turns.withLock { turns in
                if isHeld != turns.isHeld { turns.count += 1 }
                turns.isHeld = isHeld
            }
        }
    }
    private nonisolated let turns = Guarded((count: 0, isHeld: false))
    /// The highest number of the order of writing that this process has seen.
    var highest: Int64 = 0
    /// Whether the file was opened again since the last write, so it may not include `highest`.
    private var isReopened = false
    /// Signals writes to other processes and receives their signals; nil in memory.
    var signal: ChangeSignal?
    /// Whether signals of other processes are received; false with an executor that decides the
    /// order of events.
    private let listens: Bool
    /// The open streams of those signals, which the closing ends, and the number of the last one.
    private nonisolated let listeners = Guarded(
        (open: [Int: AsyncStream<Void>.Continuation](), last: 0))
    /// The version of the file as of the last call of `news`; nil if the changes of other processes are
    /// unknown.
    var heardVersion: Int64?
    /// The number of damages that may have lost items in memory, and the last one that was mended.
    private var losses = (count: 0, mended: 0)
    /// The identity of the file that this process has open; nil before the first opening.
    private var file: UInt64?
    private let switchboard: StoreSwitch
    private let gate: SuspensionGate
    let copier: AttachmentCopier
    /// The folder of the copies of files; nil in memory.
    package nonisolated let attachments: String?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(
        on executor: any SerialExecutor, copyingOn copying: any SerialExecutor,
        files: StoreFiles?, listens: Bool, _ switchboard: StoreSwitch
    ) {
        self.listens = listens
        self.switchboard = switchboard
        gate = switchboard.makeGate()
        self.executor = executor
        self.files = files
        attachments = files?.attachments
        copier = AttachmentCopier(
            on: copying, to: files.map { AttachmentFolder(path: $0.attachments) })
    }

    /// Copies the files of a message that has a place in the order.
    package func copyFiles(
        of params: FileMessageParams, at sequence: Int64
    ) async throws(StoreError) -> (OutboxContent, [CopiedFile]) {
        try await copier.content(of: params, at: sequence, isSealed)
    }

    /// Returns all items, in the order of writing.
    package func items() async throws(StoreError) -> OutboxItems {
        // Without a transaction that writes: a full disk must not hide unsent messages.
        try await work { connection throws(SQLiteError) in
            try connection.snapshot { () throws(SQLiteError) in try connection.storedItems() }
        }
    }

    /// Returns the items if another process may have written since the last call.
    ///
    /// - Parameter regardless: Whether to read even if no other process has written.
    /// - Returns: All items, in the order of writing; nil if no other process has written.
    /// - Throws: If the disk cannot be read.
    package func news(regardless: Bool) async throws(StoreError) -> OutboxItems? {
        let (version, items) = try await work {
            connection throws(SQLiteError) -> (Int64?, OutboxItems?) in
            let version = try connection.first(.outboxVersion)
            if version == heardVersion, version != nil, !regardless { return (version, nil) }
            return try connection.snapshot { () throws(SQLiteError) in
                // The first query decides which state is read, so the number belongs to it or is older.
                let items = try connection.storedItems()
                return (version, items)
            }
        }
        heardVersion = version
        guard var items else { return nil }
        // The items are in their order.
        if let last = items.items.last { highest = max(highest, last.sequence) }
        if losses.count > losses.mended {
            let record = files.map { RepairRecord(path: $0.repairRecord) }
            items.loss = OutboxLoss(
                number: losses.count, savedItems: record?.savedItems() ?? [])
        }
        return items
    }

    /// Whether the last repair has lost items, and the damaged file is still there.
    var mayMissItems: Bool {
        guard let files else { return false }
        return RepairRecord(path: files.repairRecord)
            .mayMissItems(DatabaseFiles(files.outbox).quarantined)
    }

    /// Marks a loss as mended.
    ///
    /// An item lost before is in the file again or scheduled; a later missing item was removed by
    /// another process.
    package func mend(_ loss: OutboxLoss) { losses.mended = max(losses.mended, loss.number) }

    /// Writes notes in one transaction; notes of items that are gone have no effect.
    ///
    /// - Returns: The notes that were left out because they cannot be written.
    /// - Throws: An error that concerns all notes, such as `.full`; then nothing was written.
    package func note(_ notes: [OutboxNote]) async throws(StoreError) -> OutboxReceipt {
        defer { signal?.send() }
        var selection = NoteSelection(notes)
        // A new transaction for each attempt: after a damaged page SQLite writes nothing more in
        // the same one.
        while true {
            var failing: Int?
            do throws(StoreError) {
                let hasNews = try await write { connection throws(SQLiteError) in
                    for place in selection.places {
                        failing = place
                        try connection.note(notes[place])
                    }
                    failing = nil
                    return try connection.first(.outboxVersion) != heardVersion
                }
                return OutboxReceipt(hasNews: hasNews, refused: selection.refusals)
            } catch {
                guard let failing, error.mayConcernOne else { throw error }
                selection.leaveOut(failing, because: error)
            }
        }
    }

    /// As `note`, for notes that must all be written.
    @discardableResult
    package func note(_ notes: OutboxNote...) async throws(StoreError) -> Bool {
        let receipt = try await note(notes)
        if let error = receipt.refused.values.first { throw error }
        return receipt.hasNews
    }

    // MARK: Other processes

    /// Takes the turn to send, which one process has at a time; two would send every item twice.
    ///
    /// The process keeps the turn until the store closes or is suspended; the system ends it with
    /// the process.
    ///
    /// - Returns: The number of the turn; nil while another process has it.
    package func maySend() -> Int? {
        guard let files else { return turn }
        if sending == nil, connection != nil { sending = try? FolderLock(file: files.sendingLock) }
        return turn
    }

    /// The number of this process's present turn, different for each turn; nil without one.
    package nonisolated var turn: Int? {
        guard attachments != nil else { return 0 }
        return turns.withLock { $0.isHeld ? $0.count : nil }
    }

    /// Returns a stream of signals that another process may have written; it ends with its reader
    /// or with the store.
    package func signals() -> AsyncStream<Void> {
        let (signals, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard listens, let leave = try? signal?.listen({ continuation.yield() }) else {
            continuation.finish()
            return signals
        }
        let number = listeners.withLock { listeners in
            listeners.last += 1
            listeners.open[listeners.last] = continuation
            return listeners.last
        }
        continuation.onTermination = { [weak listeners] _ in
            leave()
            listeners?.withLock { $0.open[number] = nil }
        }
        return signals
    }

    /// Opens the outbox; again after `letGo`.
    func open(
        owner: StoreOwner, patience: Duration, _ protection: StoreProtection,
        _ schema: StoreSchema
    ) throws(StoreError) -> RepairReport {
        guard !isClosed else { throw .closed }
        guard connection == nil else { return .intact }
        try switchboard.admit(gate)
        let isMissing = files?.hasLostOutbox ?? false
        let opened = try OutboxOpening(
            owner: owner, files: files, patience: patience, protection: protection, schema: schema
        ).open(gate.interrupter)
        lock = opened.lock
        connection = opened.connection
        isSealed = opened.connection.seals != nil
        // A repair replaces the damaged file, now or by another process while this one was
        // suspended. The file is read again even if no loss is known, because the index that would
        // show a loss may be damaged too.
        let file = files.flatMap { PlainFile.identity($0.outbox) }
        if self.file != nil, file != self.file { losses.count += 1 }
        isReopened = self.file != nil
        self.file = file
        // If the system has no file descriptors left, writes of other processes are noticed at the
        // next opening.
        if let files, signal == nil { signal = try? ChangeSignal(file: files.outboxLock) }
        return opened.report ?? (isMissing ? .gone : .intact)
    }

    /// Returns the header of the vault on disk; nil if the outbox is plaintext.
    func vaultHeader() async throws(StoreError) -> [UInt8]? {
        try await work { connection throws(SQLiteError) in try connection.first(.vault)?.header }
    }

    /// Closes the file and releases the lock; the gate is closed, so no work is running.
    func letGo() {
        connection = nil
        heardVersion = nil
        lock = nil
        sending = nil
    }

    func close() {
        isClosed = true
        copier.stop()
        letGo()
        signal = nil
        // Otherwise a reader would wait for ever, and keep the watch and its own executor.
        let ending = listeners.withLock { listeners in
            defer { listeners.open = [:] }
            return listeners.open.values
        }
        for listener in ending { listener.finish() }
    }

    func write<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await work { connection throws(SQLiteError) in
            let value = try connection.transaction { () throws(SQLiteError) in
                if isReopened { try connection.skipSequences(through: highest) }
                return try body(connection)
            }
            isReopened = false
            return value
        }
    }

    func work<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await gate.perform(isolation: self, orThrow: .canceled) {
            () throws(StoreError) -> T? in
            try attempt(body)
        }
    }

    /// Performs work once; nil if it was interrupted and undone.
    private func attempt<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(StoreError) -> T? {
        guard let connection else {
            if gate.isClosed { return nil }
            throw .closed
        }
        do throws(SQLiteError) {
            return try body(connection)
        } catch {
            // Keys that the transaction made are gone again.
            connection.seals?.vault.forgetKeys()
            if error.isInterrupted { return nil }
            throw StoreError(error, in: files?.outbox ?? ":memory:")
        }
    }
}
