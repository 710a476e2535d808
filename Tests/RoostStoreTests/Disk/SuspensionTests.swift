// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Work that waits during a suspension, and other processes' commits.
struct SuspensionTests {
    /// The owner of a connection, as the store's actors are.
    private actor Worker {
        private nonisolated let executor = ThreadExecutor(name: "worker")
        let gate = SuspensionGate()
        private let connection: Connection
        private(set) var interruptions = 0
        static let canceled = SQLiteError(code: 9, message: "canceled", action: "wait")

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            // SAFETY: the actor keeps its executor.
            unsafe executor.asUnownedSerialExecutor()
        }

        init(_ path: String) throws {
            connection = try Connection(.file(path), interrupter: gate.interrupter)
            try connection.executeScript("CREATE TABLE log (i INTEGER NOT NULL) STRICT")
        }

        /// Does one piece of work of some milliseconds.
        func work(_ number: Int64) async throws {
            try await gate.perform(isolation: self, orThrow: Self.canceled) {
                () throws(SQLiteError) in
                try attempt(number)
            }
        }

        private func attempt(_ number: Int64) throws(SQLiteError) -> Void? {
            do {
                return try connection.transaction { () throws(SQLiteError) in
                    try connection.execute(.insertLog, number)
                    _ = try connection.first(.countToTenThousand)
                }
            } catch {
                guard error.isInterrupted else { throw error }
                interruptions += 1
                return nil
            }
        }

        /// Begins several pieces of work, in the order of their numbers.
        func begin(_ numbers: Range<Int64>) -> [Task<Void, any Error>] {
            numbers.map { number in Task { try await work(number) } }
        }

        func log() throws -> [Int64] { try connection.all(.log) }

        /// Whether no statement is running; called between two pieces of work.
        var isAtRest: Bool { connection.busyStatementCount == 0 }
    }

    @Test(arguments: 1...4)
    func `work under load is interrupted, waits, and is done once and in order (scar 49)`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("log.sqlite")
        let worker = try Worker(path)
        let other = try Connection(.file(path), ConnectionOptions(busyTimeoutMS: 0))
        var random = SplitMix64(seed: seed)
        var tasks: [Task<Void, any Error>] = []
        for round in 0..<Int64(1_000) {
            // On a busy machine each piece of work may end between two closings.
            if round >= 20, await worker.interruptions > 0 { break }
            tasks += await worker.begin((round * 10)..<((round + 1) * 10))
            // Somewhere in the middle of the work.
            for _ in 0..<(random.next() % 50) { await Task.yield() }
            worker.gate.close().resume()
            #expect(await worker.isAtRest)
            // No lock is held: another process writes at once.
            try other.transaction { () throws(SQLiteError) in }
            if random.next() % 2 == 0 {
                // Closed again before the waiting calls could run.
                worker.gate.open().resume()
                worker.gate.close().resume()
                #expect(await worker.isAtRest)
            }
            worker.gate.open().resume()
        }
        for task in tasks { try await task.value }
        #expect(try await worker.log() == Array(0..<Int64(tasks.count)))
        #expect(await worker.interruptions > 0, "in \(tasks.count) pieces of work")
    }

    @Test func `a canceled task waits at no closed gate, and its turn goes to the next`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let worker = try Worker(folder.file("log.sqlite"))
        worker.gate.close().resume()
        let tasks = await worker.begin(0..<3)
        tasks[0].cancel()
        let error = await #expect(throws: SQLiteError.self) { try await tasks[0].value }
        #expect(error == Worker.canceled)
        worker.gate.open().resume()
        for task in tasks.dropFirst() { try await task.value }
        #expect(try await worker.log() == [1, 2])
        // The work of a canceled task is done while the gate is open.
        let late = await worker.begin(3..<4)
        late[0].cancel()
        try await late[0].value
        #expect(try await worker.log() == [1, 2, 3])
    }

    @Test func `commits of other processes are derived from the numbers, each once (scars 51, 53)`()
    {
        var random = SplitMix64(seed: 53)
        var (sequence, told) = (Int64(0), Set<Int64>())
        var commits = ForeignCommits(last: 0)
        func tell(_ range: ClosedRange<Int64>?) {
            for number in range.map(Array.init) ?? [] {
                #expect(told.insert(number).inserted, "\(number) is told twice")
            }
        }
        for _ in 0..<10_000 {
            switch random.next() % 3 {
            case 0: sequence += 1  // Another process's commit.
            case 1:
                sequence += 1
                tell(commits.noteOwn(sequence))
                #expect(told.insert(sequence).inserted)
            default:
                tell(commits.noteFound(sequence))
                #expect(told.count == Int(sequence))
            }
        }
        // A cache that was made anew counts from one, so all reported commits are void.
        #expect(commits.noteFound(3) == 0...3)
        #expect(commits.noteFound(3) == nil)
        #expect(commits.noteOwn(5) == 4...4)
    }

    @Test func `a reader gets foreign commits together with its own pending ones (scars 53, 86)`() {
        var buffer = JournalBuffer(capacity: 4)
        buffer.miss(1...2)
        #expect(buffer.take() == .missed(from: 1, through: 2))
        buffer.append(Commit(sequence: 3, changes: []))
        buffer.append(Commit(sequence: 4, changes: []))
        #expect(buffer.take() == .commit(Commit(sequence: 3, changes: [])))
        buffer.miss(5...7)
        buffer.append(Commit(sequence: 8, changes: []))
        buffer.miss(9...9)
        #expect(buffer.take() == .missed(from: 4, through: 9))
        #expect(buffer.take() == nil)
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static var insertLog: Query {
        Query(
            sql: "INSERT INTO log (i) VALUES (?1)", bind: { $1.append($0) })
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var log: Query {
        Query(sql: "SELECT i FROM log ORDER BY rowid") { $0.int64(0) }
    }
    fileprivate static var countToTenThousand: Query {
        Query(
            sql: """
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n LIMIT 10000)
                SELECT count(*) FROM n
                """
        ) { $0.int64(0) }
    }
}
