// SPDX-License-Identifier: Apache-2.0

package import RoostCore
import RoostExecutors
package import RoostModel
package import RoostSQLite
package import RoostSealing

/// One user's data on this device: the cache, which can be fetched again, and the outbox, which cannot.
///
/// Two databases, so damage to the cache never affects unsent messages.
package struct Store: Sendable {
    package let writer: StoreWriter
    /// At least one reader; each has a connection of its own, so several can read at once.
    package let readers: [StoreReader]
    package let outbox: OutboxStore
    package let downloads: DownloadFolder
    /// The state of the cache at the opening.
    package let report: RepairReport
    /// The state of the outbox at the opening.
    package let outboxReport: RepairReport

    /// The index, if the cache's file does not contain it.
    let memoryIndex: MemoryIndex?
    let connections: [ReadConnection]
    private let executors: [ThreadExecutor]
    let switchboard: StoreSwitch
    let opening: CacheOpening

    /// The options of a store; the defaults suit an app.
    package struct Options: Sendable {
        /// The executor of all the store's actors; nil gives each database connection its own
        /// thread.
        package var executor: (any SerialExecutor)?
        /// The number of read connections; two let a list scroll during a search.
        package var readerCount = 2
        /// Whether the opening checks the whole cache, which takes a second for each few hundred
        /// MB.
        ///
        /// An opening that finds the mark of damage does so too.
        package var checksForDamage = false
        /// The options of the cache's connections; the outbox always waits for the disk.
        package var connection = ConnectionOptions()
        /// Whether the content is encrypted, and with which key.
        package var protection = StoreProtection.none
        /// The protection class of every file in the folder on Apple platforms; nil is the system's
        /// default.
        package var fileProtection: FileProtection?
        /// The setter of that class.
        package var fileProtector: any FileProtector = SystemFileProtector()
        /// The two classes that a client chooses from.
        package var locksFilesWithDevice: Bool {
            get { fileProtection == .completeUnlessOpen }
            set {
                fileProtection =
                    newValue ? .completeUnlessOpen : .completeUntilFirstUserAuthentication
            }
        }
        /// The longest wait until other processes release files to be made or replaced.
        ///
        /// Shorter than the time that an extension has for a notification.
        package var patience: Duration = .seconds(5)
        /// Whether messages can be searched by their words; the index takes about 60 bytes a
        /// message.
        ///
        /// An index that another process keeps in the file is updated in either case.
        package var isSearchable = true
        /// Whether the index is in memory and not in the file, as always in a sealed cache.
        ///
        /// Words on disk would reveal encrypted content.
        package var keepsIndexInMemory = false
        /// The size limit of the cache, applied by the engine; nil for no limit.
        package var budget: CacheBudget?
        /// The order of eviction.
        package var clearOrder = ClearOrder.lastOpened
        /// The greatest size of all downloaded files in bytes.
        package var downloadsLimit: Int64 = 268_435_456
        /// The device's clock, for the order in which downloaded files are evicted; nil is the time of
        /// their writing.
        package var wallTime: (@Sendable () -> Timestamp)?
        /// The number of newest messages that a channel keeps in an eviction; 0 for none.
        package var keptMessages = 0
        /// Called on the writer's executor with the progress of a large migration.
        package var migrating: @Sendable (MigrationProgress) -> Void = { _ in }
        /// The schemas of the databases; a test adds a made-up next version.
        package var schema = StoreSchema.current

        package init(executor: (any SerialExecutor)? = nil) {
            self.executor = executor
        }
    }

    /// Opens the store of one user, creating missing files.
    ///
    /// A cancellation of the task ends a migration, an encryption, a repair or a wait for another
    /// process within milliseconds, and releases every lock. The next opening continues the work.
    ///
    /// - Parameters:
    ///   - location: Memory, or a folder that contains the stores of all applications and users.
    ///   - owner: The owner; another owner's files are never opened (scar 34).
    ///   - options: See `Options`.
    /// - Returns: The store; its `report` describes the state of the cache.
    /// - Throws: `.folderNotWritable`, `.notAccessible`, `.notADatabase`, `.newerSchema`,
    ///   `.otherOwner`, `.keyMissing`, `.wrongKey` or `.keyUnavailable`; `.locked` if another
    ///   process has the store open and its files must be changed; `.canceled`. The message says how
    ///   to proceed. Damage is no error: see `report` and `outboxReport`.
    package static func open(
        _ location: StoreLocation, owner: StoreOwner, _ options: Options = Options()
    ) async throws(StoreError) -> Store {
        precondition(options.readerCount > 0, "A store needs one reader at least.")
        let switchboard = StoreSwitch()
        let outcome = await withTaskCancellationHandler {
            () async -> Result<Store, StoreError> in
            do throws(StoreError) {
                return .success(try await open(location, owner: owner, options, switchboard))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            switchboard.turnOff()
        }
        switch outcome {
        case .success(let store):
            if switchboard.isOn { return store }
            await store.close()  // The cancellation came after the last step.
            throw .canceled
        case .failure(let error):
            // Only a cancellation turns a store off that is not open yet.
            guard error.kind == .suspended else { throw error }
            var canceled = StoreError.canceled
            canceled.repairs = error.repairs
            throw canceled
        }
    }

    private static func open(
        _ location: StoreLocation, owner: StoreOwner, _ options: Options,
        _ switchboard: StoreSwitch
    ) async throws(StoreError) -> Store {
        guard switchboard.isOn else { throw .suspended }
        let files = location.files(of: owner)
        var threads: [ThreadExecutor] = []
        func executor(_ name: String) -> any SerialExecutor {
            if let executor = options.executor { return executor }
            let thread = ThreadExecutor(name: name)
            threads.append(thread)
            return thread
        }
        let (writing, reading) = (
            executor("roost.writer"),
            files == nil ? [] : (0..<options.readerCount).map { executor("roost.reader.\($0)") }
        )
        // The caller may be the main actor, which must not wait for a disk (scar 139). The first
        // connection is opened on the same thread.
        let work = OpeningWork(on: reading.first ?? writing)
        let interrupter = switchboard.makeGate().interrupter
        let protection = try await work.perform { () throws(StoreError) in
            let locks =
                try options.protection.looksIntoFiles
                ? files?.locks(patience: options.patience, interrupter) : nil
            let protection = try withExtendedLifetime(locks) { () throws(StoreError) in
                try options.protection.prepared(for: owner, files)
            }
            let (fileProtection, protector) = (options.fileProtection, options.fileProtector)
            // There may be thousands of downloaded files.
            try files?.protect(
                as: fileProtection, by: protector,
                leavingOut: files?.downloadFolders(with: fileProtection, by: protector) ?? [])
            return protection
        }
        let opening = CacheOpening(
            owner: owner, files: files, checksForDamage: options.checksForDamage,
            options: options.connection, patience: options.patience,
            // A caller with an executor of its own decides the order of events.
            listens: options.executor == nil, migrating: options.migrating,
            protection: protection, schema: options.schema,
            searchPlace: options.searchPlace(isFile: files != nil))
        let damage = DamageWatch(files)
        let writer = StoreWriter(
            on: writing, path: opening.path, owner: owner, switchboard,
            budget: BudgetKeeper(
                budget: options.budget, order: options.clearOrder,
                keptMessages: max(options.keptMessages, 0)),
            damage: damage)
        let outbox = OutboxStore(
            on: executor("roost.outbox"), copyingOn: executor("roost.files"), files: files,
            listens: options.executor == nil, switchboard)
        // Not that of the copies: a suspension waits for a step of a download, but not for a copy.
        let downloads = DownloadFolder(
            on: executor("roost.downloads"), files: files, protection,
            limit: max(options.downloadsLimit, 0), now: options.wallTime, switchboard)
        let connections = reading.map { executor in
            ReadConnection(
                on: executor, path: opening.path, switchboard, writer: writer,
                access: protection.isSealed ? nil : (owner, protection))
        }
        let memoryIndex =
            opening.searchPlace == .memory
            ? MemoryIndex(
                on: executor("roost.search"), path: opening.path, owner: owner, protection,
                writer: writer, switchboard) : nil
        let sources: [any SnapshotSource] = connections.isEmpty ? [writer] : connections
        var repairs = Repairs()
        do throws(StoreError) {
            try await open(writer, connections, outbox, opening, &repairs)
            // A store in memory says nothing about the owner's files.
            let headers =
                files != nil && protection.hasKeys
                ? [try await writer.vaultHeader(), try await outbox.vaultHeader()] : nil
            try await work.perform { () throws(StoreError) in
                if let headers { try protection.finish(headers) }
                try files?.protect(
                    as: options.fileProtection, by: options.fileProtector,
                    leavingOut: StoreFiles.downloadFolders)
                if protection.isSealed { files?.deleteClearCopies() }
            }
            return Store(
                writer: writer,
                readers: sources.map { StoreReader(source: $0, index: memoryIndex) },
                outbox: outbox, downloads: downloads,
                report: repairs.cache, outboxReport: repairs.outbox, memoryIndex: memoryIndex,
                connections: connections, executors: threads, switchboard: switchboard,
                opening: opening)
        } catch {
            await close(writer, connections, memoryIndex, outbox, threads, switchboard)
            var error = error
            error.repairs = repairs.followed(by: error.repairs)
            throw error
        }
    }

    /// Opens the two databases; both at once if each has a thread of its own and they share no key.
    private static func open(
        _ writer: StoreWriter, _ connections: [ReadConnection], _ outbox: OutboxStore,
        _ opening: CacheOpening, _ repairs: inout Repairs
    ) async throws(StoreError) {
        @Sendable func openOutbox() async -> Result<RepairReport, StoreError> {
            do throws(StoreError) {
                return .success(
                    try await outbox.open(
                        owner: opening.owner, patience: opening.patience, opening.protection,
                        opening.schema))
            } catch {
                return .failure(error)
            }
        }
        let isParallel = opening.listens && !opening.protection.isSealed
        let parallel =
            isParallel ? Task(executorPreference: outbox.thread) { await openOutbox() } : nil
        do throws(StoreError) {
            if let cache = try await connections.first?.openFirst(opening) {
                writer.openLater(cache)
            } else {
                repairs.cache = try await writer.open(opening)
            }
            // The others have their access already.
            for connection in connections where opening.protection.isSealed {
                try await connection.open(opening.owner, opening.protection)
            }
        } catch {
            if case .success(let report) = await parallel?.value { repairs.outbox = report }
            if case .failure(let other) = await parallel?.value {
                repairs = repairs.followed(by: other.repairs)
            }
            throw error
        }
        repairs.outbox =
            if let parallel { try await parallel.value.get() } else { try await openOutbox().get() }
    }

    /// Closes every database after the running work.
    ///
    /// Later calls throw `.closed`.
    package func close() async {
        await Self.close(writer, connections, memoryIndex, outbox, executors, switchboard)
    }

    private static func close(
        _ writer: StoreWriter, _ connections: [ReadConnection], _ memoryIndex: MemoryIndex?,
        _ outbox: OutboxStore, _ executors: [ThreadExecutor], _ switchboard: StoreSwitch
    ) async {
        // A resumption or a repair may be opening files.
        await switchboard.beginMove()
        defer { switchboard.endMove() }
        for connection in connections { await connection.close() }
        await memoryIndex?.close()
        await outbox.close()
        await writer.close()  // Last, because it holds the lock of the folder.
        writer.damage.finish()
        await switchboard.end()
        for executor in executors { await executor.shutDown() }
    }
}

/// The file work of an opening on a thread of the store.
private actor OpeningWork {
    private nonisolated let executor: any SerialExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor) { self.executor = executor }

    func perform<T: Sendable>(
        _ work: @Sendable () throws(StoreError) -> T
    ) throws(StoreError) -> T { try work() }
}

extension Store.Options {
    /// Sets the closure that is called with the progress of a migration or of the encryption.
    package mutating func reportMigration(
        _ report: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) {
        migrating = { report($0.done, $0.total) }
        protection.progress = migrating
    }

    /// Returns the place of the index of words; a database in memory contains it.
    fileprivate func searchPlace(isFile: Bool) -> SearchPlace {
        if !isSearchable { return .nowhere }
        // The words of a sealed cache must not be in its file.
        let isHidden = keepsIndexInMemory || protection.isSealed
        return isHidden && isFile ? .memory : .database
    }
}
