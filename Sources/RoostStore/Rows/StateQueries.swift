// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// The queries of the owner's row, which has another name in each of the two databases.
struct OwnerQueries: Sendable {
    let insert: Query<StoreOwner, Void>
    /// Replaces the names of the same owner.
    let rename: Query<StoreOwner, Void>
    let select: Query<Void, StoreOwner>

    static let cache = OwnerQueries(
        insert: """
            INSERT OR IGNORE INTO store_state (id, application, user) VALUES (1, ?1, ?2)
            """,
        rename: "UPDATE store_state SET application = ?1, user = ?2",
        select: "SELECT application, user FROM store_state")
    static let outbox = OwnerQueries(
        insert: "INSERT OR IGNORE INTO outbox_state (id, application, user) VALUES (1, ?1, ?2)",
        rename: "UPDATE outbox_state SET application = ?1, user = ?2",
        select: "SELECT application, user FROM outbox_state")

    private init(insert: SQL, rename: SQL, select: SQL) {
        self.insert = Query(
            sql: insert,
            bind: { owner, bindings in
                bindings.append(owner.application)
                bindings.append(owner.user)
            })
        self.rename = Query(
            sql: rename,
            bind: { owner, bindings in
                bindings.append(owner.application)
                bindings.append(owner.user)
            })
        self.select = Query(sql: select) { row in
            StoreOwner(application: row.text(0), user: row.text(1))
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    /// The number of the last commit.
    static let sequence = Query(sql: "SELECT sequence FROM recent WHERE channel_id = 0") { row in
        row.int64(0)
    }
}

extension Query where Input == Int64, Output == Void {
    /// Sets the number of this commit, in the one row by its key, so no savepoint is taken.
    static let setSequence = Query(
        sql: "UPDATE recent SET sequence = ?1 WHERE channel_id = 0",
        bind: { sequence, bindings in bindings.append(sequence) })
}

extension Connection {
    /// Returns the number of the last commit of any process; zero before the first.
    ///
    /// - Throws: `isMalformedValue` for a number that counting does not reach.
    func lastCommitNumber() throws(SQLiteError) -> Int64 {
        let number = try first(.sequence) ?? 0
        guard (0...(1 << 62)).contains(number) else {
            throw .malformed("the number of the last commit", because: "it is impossible")
        }
        return number
    }

    /// Takes the number of this commit, one more than `last`, the number at the beginning of the
    /// transaction.
    func takeCommitNumber(after last: Int64) throws(SQLiteError) -> Int64 {
        try execute(.setSequence, last + 1)
        return last + 1
    }
}
