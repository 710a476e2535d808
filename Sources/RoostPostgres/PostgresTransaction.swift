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
    private let isWriting: Bool
    /// Whether the server may have got the order to begin.
    private var hasBegun = false

    fileprivate init(_ connection: PostgresConnection, isWriting: Bool, patience: Duration) {
        self.connection = connection
        self.patience = patience
        self.isWriting = isWriting
        waiting = [(isWriting ? Self.beginWriting : Self.beginReading, [])]
        leading = 1
        if isWriting {
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
        hasBegun = true
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
        if isWriting, isWarned {
            throw PostgresError(
                .lost,
                "A commit is not known to have reached a standby; the call is repeated.")
        }
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
                try await perform(connection, isWriting: false, body)
            }
        }
    }

    /// Runs a transaction that writes, again after a conflict or a lost connection.
    ///
    /// If the connection breaks during the commit, the server is asked whether the transaction took
    /// effect. After a failover it cannot say that; then the work runs again, so the work must
    /// recognise its own effects.
    package func write<T>(
        _ body: (PostgresTransaction) async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        try await repeating { () async throws(PostgresError) in
            var doubt: Doubt<T>?
            do throws(PostgresError) {
                return try await lend { connection async throws(PostgresError) in
                    try await perform(connection, isWriting: true, body) { doubt = $0 }
                }
            } catch {
                guard error.kind == .lost, let doubt else { throw error }
                guard try await isDone(doubt.number, in: doubt.era) else { throw error }
                return doubt.result
            }
        }
    }

    /// Asks whether a transaction has taken effect for good.
    ///
    /// - Throws: An error after which the work is not repeated: nobody knows whether it was done.
    private func isDone(
        _ number: String, in era: PostgresEra?
    ) async throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            return try await repeating { () async throws(PostgresError) in
                guard try await hasCommitted(number, in: era) else { return false }
                // Another server may answer now, which has not got the transaction.
                guard try await confirm() == era else { throw .changedPrimary }
                return true
            }
        } catch {
            throw error.isTransient ? .unknownFate(error.message) : error
        }
    }

    /// The result of a transaction whose commit got no answer.
    fileprivate struct Doubt<T> {
        let number: String
        let era: PostgresEra?
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
            try await perform(connection, isWriting: true) { transaction in
                transaction.add(PostgresQuery(Self.mark))
                return transaction.era
            }
        }
    }

    /// A record in the write-ahead log; a transaction without one waits for nothing.
    private static let mark: PostgresSQL = """
        SELECT pg_logical_emit_message(true, 'roost', '')
        """

    private func perform<T>(
        _ connection: PostgresConnection, isWriting: Bool,
        _ body: (PostgresTransaction) async throws(PostgresError) -> T,
        inDoubt: ((Doubt<T>) -> Void)? = nil
    ) async throws(PostgresError) -> T {
        let transaction = PostgresTransaction(
            connection, isWriting: isWriting,
            patience: configuration.answerPatience ?? configuration.patience)
        do throws(PostgresError) {
            let result = try await body(transaction)
            do throws(PostgresError) {
                try await transaction.commit()
            } catch {
                if error.kind == .lost, let number = transaction.number {
                    inDoubt?(Doubt(number: number, era: transaction.era, result: result))
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
    private func repeating<T>(
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

    /// Asks whether a transaction has taken effect, and waits for it if it is under way.
    ///
    /// After a crash or a promotion its number may belong to another transaction, so the answer is no.
    /// The server gives a wait for a standby up after eight seconds, so no commit takes longer.
    private func hasCommitted(
        _ number: String, in era: PostgresEra?
    ) async throws(PostgresError) -> Bool {
        guard let era else { return false }
        let query = PostgresQuery<String>(Self.fate, .text(number)) { $0.text(0) }
        for _ in 0..<120 {
            let fate: String?
            do throws(PostgresError) {
                fate = try await lend { connection async throws(PostgresError) -> String? in
                    guard connection.era == era else { return nil }
                    let answer = try await connection.run(
                        [(query.sql, query.values)], patience: configuration.patience)
                    return try query.read(answer.rows[0]).first
                }
            } catch {
                // The number lies in the future of a server that lost the transaction.
                guard error.kind == .refused("22023") else { throw error }
                return false
            }
            guard fate == "in progress" else { return fate == "committed" }
            await pause(.milliseconds(100))
        }
        throw .unknownFate("It was still under way.")
    }

    private static let fate: PostgresSQL = "SELECT pg_xact_status($1::text::xid8)"
}
