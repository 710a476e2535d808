// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

/// A transaction on one session.
///
/// Statements without a waiting caller are kept back and go with the next question, so most
/// transactions take two round trips.
///
/// - Invariant: It is used on the loop's thread, by one caller.
package final class PostgresTransaction {
    private typealias Statement = (sql: PostgresSQL, values: [PostgresValue])

    private let connection: PostgresConnection
    private let patience: Duration
    private var waiting: [Statement] = []
    /// The number of first answers that belong to no call.
    private var leading = 0
    /// The transaction's number at the server; nil before the first answer, and for reads.
    private(set) var number: String?
    private let purpose: Purpose
    /// Whether the server may have got the order to begin.
    private var hasBegun = false
    /// Whether the server may have got the order to commit.
    private var hasSentCommit = false

    fileprivate enum Purpose {
        case reading
        /// Writes; after a lost commit the work finds its own effects, or needs proof of them.
        case writing(needsProof: Bool)

        var isWriting: Bool { if case .writing = self { true } else { false } }
        var needsProof: Bool { if case .writing(needsProof: true) = self { true } else { false } }
    }

    fileprivate init(_ connection: PostgresConnection, _ purpose: Purpose, patience: Duration) {
        self.connection = connection
        self.patience = patience
        self.purpose = purpose
        waiting = [(purpose.isWriting ? Self.beginWriting : Self.beginReading, [])]
        leading = 1
        if purpose.isWriting {
            waiting.append((Self.ownNumber, []))
            leading = 2
        }
    }

    /// The number of the server's timeline.
    package var timeline: Int64 { connection.timeline }

    /// The time since the server's last crash or promotion; nil if it is unknown.
    package var era: PostgresEra? { connection.era }

    /// The number of a writing transaction, known after its first question; 0 before.
    package var change: Int64 { number.flatMap { Int64($0) } ?? 0 }

    /// Runs a statement without rows, together with the next question or the end.
    package func add(_ statement: PostgresQuery<Void>) {
        waiting.append((statement.sql, statement.values))
    }

    /// Returns all rows of a query.
    package func all<Output>(
        _ query: PostgresQuery<Output>
    ) async throws(PostgresError) -> [Output] {
        let rows = try await ask([(query.sql, query.values)])
        return try query.read(rows[0])
    }

    /// Returns the first row of a query, which has a limit or a key.
    package func first<Output>(
        _ query: PostgresQuery<Output>
    ) async throws(PostgresError) -> Output? {
        try await all(query).first
    }

    /// Returns the rows of two queries, in one round trip.
    package func all<One, Two>(
        _ one: PostgresQuery<One>, _ two: PostgresQuery<Two>
    ) async throws(PostgresError) -> ([One], [Two]) {
        let rows = try await ask([(one.sql, one.values), (two.sql, two.values)])
        return (try one.read(rows[0]), try two.read(rows[1]))
    }

    /// Returns the rows of three queries, in one round trip.
    package func all<One, Two, Three>(
        _ one: PostgresQuery<One>, _ two: PostgresQuery<Two>, _ three: PostgresQuery<Three>
    ) async throws(PostgresError) -> ([One], [Two], [Three]) {
        let rows = try await ask([
            (one.sql, one.values), (two.sql, two.values), (three.sql, three.values),
        ])
        return (try one.read(rows[0]), try two.read(rows[1]), try three.read(rows[2]))
    }

    /// Returns the rows of four queries, in one round trip.
    package func all<One, Two, Three, Four>(
        _ one: PostgresQuery<One>, _ two: PostgresQuery<Two>, _ three: PostgresQuery<Three>,
        _ four: PostgresQuery<Four>
    ) async throws(PostgresError) -> ([One], [Two], [Three], [Four]) {
        let rows = try await ask([
            (one.sql, one.values), (two.sql, two.values), (three.sql, three.values),
            (four.sql, four.values),
        ])
        return (
            try one.read(rows[0]), try two.read(rows[1]), try three.read(rows[2]),
            try four.read(rows[3])
        )
    }

    private func ask(_ questions: [Statement]) async throws(PostgresError) -> [PostgresRows] {
        let statements = waiting + questions
        waiting = []
        hasBegun = true
        let rows = try await connection.run(statements, patience: patience).rows
        guard rows.count == statements.count else {
            throw .malformed("answer", because: "The server left out an answer.")
        }
        note(rows)
        return rows.suffix(questions.count)
    }

    private func note(_ rows: [PostgresRows]) {
        if leading == 2, rows.count > 1, rows[1].count == 1 {
            number = PostgresRow(rows: rows[1], index: 0).text(0)
        }
        leading = 0
    }

    // MARK: The end

    /// Sends the rest and ends the transaction.
    ///
    /// - Throws: `.lost` if nobody knows whether the transaction has taken effect, as after a warning
    ///   that the wait for a standby was cut short.
    fileprivate func commit() async throws(PostgresError) {
        // Nothing was asked, so there is nothing to end.
        guard leading == 0 || waiting.count > leading else { return }
        if purpose.needsProof {
            // The server cannot be asked about a commit whose number is unknown.
            if number == nil { _ = try await ask([]) }
            if let mark = connection.mark { waiting.append((PostgresMark.leave, [.text(mark)])) }
        }
        hasBegun = true
        hasSentCommit = true
        let statements = waiting + [(Self.commit, [])]
        waiting = []
        let (rows, isWarned): ([PostgresRows], Bool)
        do throws(PostgresError) {
            (rows, isWarned) = try await connection.run(statements, patience: patience)
        } catch {
            // The server may have committed before it ended the session.
            throw error.endsConnection ? .lost(error.message) : error
        }
        note(rows)
        if purpose.isWriting, isWarned {
            let error = PostgresError(
                .lost,
                "A commit is not known to have reached a standby; the call is repeated.")
            // Another write of this session would take the place of the mark.
            connection.end(error)
            throw error
        }
    }

    /// The trace of the commit, if it was sent and the transaction has a number.
    fileprivate var trace: PostgresTrace? {
        guard hasSentCommit, let number else { return nil }
        return PostgresTrace(
            number: number, era: connection.era, mark: purpose.needsProof ? connection.mark : nil,
            needsProof: purpose.needsProof)
    }

    fileprivate func rollBack() async {
        guard connection.failure == nil, hasBegun else { return }
        do throws(PostgresError) {
            _ = try await connection.run([(Self.rollback, [])], patience: patience)
        } catch {
            connection.end(error)
        }
    }

    private static let beginWriting: PostgresSQL = "BEGIN ISOLATION LEVEL READ COMMITTED"
    private static let beginReading: PostgresSQL = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    private static let ownNumber: PostgresSQL = "SELECT pg_current_xact_id()"
    private static let commit: PostgresSQL = "COMMIT"
    private static let rollback: PostgresSQL = "ROLLBACK"
}

extension PostgresPool {
    /// Runs reads at one state of the database, again after a lost connection.
    package func read<T>(
        _ body: (PostgresTransaction) async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        try await repeating { () async throws(PostgresError) in
            try await lend { connection async throws(PostgresError) in
                try await perform(connection, .reading, body)
            }
        }
    }

    /// Runs a transaction that writes, again after a conflict or a lost connection.
    ///
    /// If the connection breaks during the commit, the server is asked whether the transaction took
    /// effect. After a crash or a promotion its number says nothing; then the mark of its session
    /// says it, in a schema that has the table `attempt`.
    ///
    /// - Parameters:
    ///   - recognisesItself: Whether the work finds its own effects when it runs again. It leaves
    ///     no mark then, and runs again after a crash.
    ///   - body: The work; it may run several times, and takes effect once.
    /// - Returns: The result of the run that took effect.
    /// - Throws: The error of the work; `.unreachable` if the database cannot say whether it took
    ///   effect. It is not repeated then.
    package func write<T>(
        recognisesItself: Bool = false,
        _ body: (PostgresTransaction) async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        try await repeating { () async throws(PostgresError) in
            var doubt: Doubt<T>?
            do throws(PostgresError) {
                return try await lend { connection async throws(PostgresError) in
                    try await perform(
                        connection, .writing(needsProof: !recognisesItself), body
                    ) { doubt = $0 }
                }
            } catch {
                guard error.kind == .lost, let doubt else { throw error }
                guard try await isDone(doubt.trace) else { throw error }
                return doubt.result
            }
        }
    }

    /// The result of a transaction whose commit got no answer.
    fileprivate struct Doubt<T> {
        let trace: PostgresTrace
        let result: T
    }

    /// Waits until all commits of the past have reached the standbys that the server waits for.
    ///
    /// A commit can be visible without that, if its session ended during the wait.
    ///
    /// - Returns: The era of the server that has answered; nil if it is unknown.
    /// - Throws: `.lost` if the wait was cut short. It is not repeated.
    package func confirm() async throws(PostgresError) -> PostgresEra? {
        try await lend { connection async throws(PostgresError) in
            try await perform(connection, .writing(needsProof: false)) { transaction in
                transaction.add(PostgresQuery(Self.record))
                return transaction.era
            }
        }
    }

    /// A record in the write-ahead log; a transaction without one waits for nothing.
    private static let record: PostgresSQL = """
        SELECT pg_logical_emit_message(true, 'roost', '')
        """

    private func perform<T>(
        _ connection: PostgresConnection, _ purpose: PostgresTransaction.Purpose,
        _ body: (PostgresTransaction) async throws(PostgresError) -> T,
        inDoubt: ((Doubt<T>) -> Void)? = nil
    ) async throws(PostgresError) -> T {
        let transaction = PostgresTransaction(
            connection, purpose,
            patience: configuration.answerPatience ?? configuration.patience)
        do throws(PostgresError) {
            let result = try await body(transaction)
            do throws(PostgresError) {
                try await transaction.commit()
            } catch {
                if error.kind == .lost, let trace = transaction.trace {
                    inDoubt?(Doubt(trace: trace, result: result))
                }
                throw error
            }
            return result
        } catch {
            await transaction.rollBack()
            throw error
        }
    }

    /// Runs work again after failures that may pass, at most for the patience.
    func repeating<T>(
        _ work: () async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        let end = EventLoop.systemSeconds() + configuration.patience.components.seconds
        var attempts = 0
        while true {
            do throws(PostgresError) {
                return try await work()
            } catch {
                attempts += 1
                guard error.isTransient, attempts < 20, EventLoop.systemSeconds() <= end,
                    !Task.isCancelled
                else { throw error }
                // Two that met must not meet again at once.
                await pause(.milliseconds(Int64(5 << min(attempts, 6))))
            }
        }
    }
}
