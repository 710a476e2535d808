// SPDX-License-Identifier: Apache-2.0

// A commit whose answer is lost may or may not have taken effect. Within an era the server knows it
// by the number of the transaction. After a crash or a promotion the number may belong to another
// transaction, so the transaction is known by a mark that it wrote itself: each session has a row
// in the table `attempt`, with the number of its last transaction that needs proof. A row for each
// session and not for each transaction: the table stays small without help.

/// The trace of a transaction whose commit got no answer.
struct PostgresTrace {
    /// The number of the transaction.
    let number: String
    /// The era of the number; nil if it is unknown.
    let era: PostgresEra?
    /// The name of the session's mark; nil if the transaction left none.
    let mark: String?
    /// Whether the work must not run again without proof that it has no effect.
    let needsProof: Bool
}

/// The statements about the marks of sessions.
package enum PostgresMark {
    /// Removes the marks of sessions that have not written for an hour.
    ///
    /// A lost commit is looked for within the patience of its call. Marks that another server
    /// removes now are left out, so that two servers do not wait for each other.
    package static var forgetOld: PostgresQuery<Void> {
        PostgresQuery(
            """
            DELETE FROM attempt WHERE session IN (
                SELECT session FROM attempt WHERE at < now() - interval '1 hour'
                FOR UPDATE SKIP LOCKED)
            """)
    }

    /// Leaves the mark of a transaction.
    static let leave: PostgresSQL = """
        INSERT INTO attempt (session, change, at)
        VALUES ($1::text::uuid, pg_current_xact_id(), now())
        ON CONFLICT (session) DO UPDATE SET change = excluded.change, at = excluded.at
        """

    /// Whether the transaction of a number was the last of its session that left a mark.
    static func isThere(_ mark: String, ofTransaction number: String) -> PostgresQuery<Bool> {
        PostgresQuery(
            "SELECT change = $2::text::xid8 FROM attempt WHERE session = $1::text::uuid",
            .text(mark), .text(number)
        ) { $0.bool(0) }
    }
}

extension PostgresPool {
    private enum Fate {
        /// The server of an era has the transaction.
        case committed(PostgresEra)
        case undone
        case underWay
        case unknown
    }

    /// Asks whether a transaction has taken effect for good.
    ///
    /// - Throws: An error after which the work is not repeated: nobody knows whether it was done.
    func isDone(_ trace: PostgresTrace) async throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            return try await repeating { () async throws(PostgresError) -> Bool in
                switch try await settledFate(of: trace) {
                case .committed(let era):
                    // Another server may answer now, which has not got the transaction.
                    guard try await confirm() == era else { throw .changedPrimary }
                    return true
                case .undone: return false
                case .underWay: throw .unknownFate("It was still under way.")
                case .unknown:
                    guard !trace.needsProof else {
                        throw .unknownFate("It has crashed meanwhile, or has another primary.")
                    }
                    return false
                }
            }
        } catch {
            throw error.isTransient ? .unknownFate(error.message) : error
        }
    }

    /// Asks for the fate of a transaction, and waits as long as it is under way.
    ///
    /// The server gives a wait for a standby up after eight seconds, so no commit takes longer.
    private func settledFate(of trace: PostgresTrace) async throws(PostgresError) -> Fate {
        for _ in 0..<120 {
            let fate: Fate
            do throws(PostgresError) {
                fate = try await lend { connection async throws(PostgresError) -> Fate in
                    try await ask(connection, for: trace)
                }
            } catch {
                // The number lies in the future of a server that lost the transaction.
                guard error.kind == .refused("22023") else { throw error }
                return .undone
            }
            guard case .underWay = fate else { return fate }
            await pause(.milliseconds(100))
        }
        return .underWay
    }

    private func ask(
        _ connection: PostgresConnection, for trace: PostgresTrace
    ) async throws(PostgresError) -> Fate {
        guard let era = trace.era, let present = connection.era else { return .unknown }
        guard present == era else {
            guard let mark = trace.mark else { return .unknown }
            let isThere = try await answer(
                PostgresMark.isThere(mark, ofTransaction: trace.number), by: connection)
            return isThere == true ? .committed(present) : .undone
        }
        let query = PostgresQuery<String>(Self.fate, .text(trace.number)) { $0.text(0) }
        let state = try await answer(query, by: connection) ?? ""
        switch state {
        case "committed": return .committed(present)
        case "in progress": return .underWay
        default: return .undone
        }
    }

    private func answer<Output>(
        _ query: PostgresQuery<Output>, by connection: PostgresConnection
    ) async throws(PostgresError) -> Output? {
        let rows = try await connection.run(
            [(query.sql, query.values)], patience: configuration.patience
        ).rows
        return try query.read(rows[0]).first
    }

    private static let fate: PostgresSQL = "SELECT pg_xact_status($1::text::xid8)"
}
