// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostModel
internal import RoostSQLite

/// The one who writes to the cache, and tells what changed.
///
/// - Invariant: A commit is on disk before anybody hears of it, and everybody hears of commits in their
///   order.
package actor StoreWriter {
    private nonisolated let executor: any SerialExecutor
    let path: String
    private let owner: StoreOwner
    private var connection: Connection?
    /// Keeps other clients out of the folder.
    private var lock: FolderLock?
    var readers = JournalReaders()
    /// Where the words are to be found.
    var searchPlace = SearchPlace.nowhere
    var budget: BudgetKeeper

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(
        on executor: any SerialExecutor, path: String, owner: StoreOwner, budget: BudgetKeeper
    ) {
        self.budget = budget
        self.executor = executor
        self.path = path
        self.owner = owner
    }

    /// Writes down what the server said: all of it in one transaction, or nothing.
    ///
    /// - Parameter mutations: Applied in order; see `Mutation` for what each does.
    /// - Returns: What is different now; the same value every reader of the journal gets.
    /// - Throws: `.full` and others; the store is as it was, and the call may be made again.
    @discardableResult
    package func commit(_ mutations: [Mutation]) throws(StoreError) -> Commit {
        guard let connection else { throw .closed }
        connection.carryOver(every: mutations.isBulk ? 4_000 : 1_000)
        do throws(SQLiteError) {
            let commit = try connection.transaction { () throws(SQLiteError) in
                let changes = try WriteSession(connection, me: UserID(owner.user))
                    .apply(mutations)
                return Commit(
                    sequence: try connection.first(.nextSequence) ?? 0, changes: changes)
            }
            connection.seals?.finishErasure()
            readers.append(commit)
            keepLogShort(connection)
            return commit
        } catch {
            // A key that was made meanwhile is gone again.
            connection.seals?.vault.forgetKeys()
            throw StoreError(error, in: path)
        }
    }

    /// Gives freed space back to the system, and with it what stood there.
    ///
    /// - Throws: `.full` when there is no room for the copy this takes; the cache stays as it was.
    /// - Complexity: Writes all that is kept once.
    package func compact() throws(StoreError) {
        try inspect { connection throws(SQLiteError) in try connection.compact() }
    }

    /// Bytes of the cache's file and of its log, as the system counts them; zero in memory.
    package func fileBytes() -> (cache: Int64, log: Int64) {
        let counts = DatabaseFiles(path).byteCounts
        return (counts.main, counts.log)
    }

    /// A feed of every later commit.
    ///
    /// - Parameter capacity: Commits that may wait for the reader before they become one `missed`. The
    ///   default is a second of the busiest channel we expect.
    /// - Returns: The feed; it is told of nothing that was committed before.
    package func journal(capacity: Int = 256) -> JournalFeed {
        let (id, bell) = readers.add(capacity: capacity)
        if connection == nil { readers.finish() }
        return JournalFeed(id: id, writer: self, bell: bell)
    }

    func takeEntry(of id: Int) -> JournalEntry? {
        readers.take(id)
    }

    func open(_ opening: CacheOpening) throws(StoreError) -> CacheReport {
        precondition(connection == nil, "A writer is opened once.")
        var opened = try opening.open()
        lock = opened.takeLock()
        connection = opened.connection
        try prepareIndex(in: opening.searchPlace)
        return opened.report ?? .intact
    }

    func close() {
        connection = nil
        lock = nil
        readers.finish()
    }

    /// Lends the connection outside any transaction.
    func inspect<T>(_ body: (Connection) throws(SQLiteError) -> T) throws(StoreError) -> T {
        guard let connection else { throw .closed }
        do throws(SQLiteError) {
            return try body(connection)
        } catch {
            throw StoreError(error, in: path)
        }
    }
}

extension [Mutation] {
    /// Whether these are a page of history, of which more will come.
    fileprivate var isBulk: Bool {
        contains { mutation in
            if case .messages(_, let messages, _, _) = mutation {
                messages.count > 30
            } else {
                false
            }
        }
    }
}

extension StoreWriter: SnapshotSource {
    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        guard let connection else { throw .closed }
        var book: ReadBook?
        return try connection.read(read, &book, path: path)
    }
}
