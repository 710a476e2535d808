// SPDX-License-Identifier: Apache-2.0

package import RoostPostgres

/// The upgrade of a database to the newest schema.
package struct PostgresMigrator: Sendable {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) { self.pool = pool }

    /// The state of a database.
    package enum State: Equatable, Sendable {
        /// The migrations that are missing, in their order.
        case behind([String])
        case current
        /// A newer version has migrated the database to this number.
        case ahead(Int)
    }

    /// Returns the state; changes nothing.
    package func state() async throws(PostgresError) -> State {
        let done = try await pool.read { db async throws(PostgresError) -> [Int] in
            guard try await db.first(.hasMigrations) == true else { return [] }
            return try await db.all(.migrations)
        }
        return Self.state(done)
    }

    /// Refuses a database whose schema is not the newest.
    ///
    /// - Throws: An error that names the remedy.
    package func checkIsCurrent() async throws(PostgresError) {
        switch try await state() {
        case .current: break
        case .ahead(let number): throw .newer(number)
        case .behind(let missing):
            throw PostgresError(
                .rejected,
                "The database lacks the migrations \(missing.joined(separator: ", ")). "
                    + "Run: roost migrate --database ...")
        }
    }

    private static func state(_ done: [Int]) -> State {
        if let last = done.max(), last > PostgresSchema.newest { return .ahead(last) }
        let missing = PostgresSchema.migrations.filter { !done.contains($0.number) }
        return missing.isEmpty
            ? .current : .behind(missing.map { "\($0.number) (\($0.name))" })
    }

    /// Brings the database to the newest schema; each migration is one transaction.
    ///
    /// Two processes may migrate at once: one waits for the other. An index of a large table takes long,
    /// so the pool's `answerPatience` should be that of an import.
    ///
    /// - Parameter report: Is called with the name of each migration before its start.
    /// - Throws: A sentence for a newer database, or the failure of a migration; then the migrations
    ///   before it stay.
    package func migrate(
        _ report: @Sendable (String) -> Void = { _ in }
    ) async throws(PostgresError) {
        try await prepare()
        for migration in PostgresSchema.migrations {
            try await pool.write(recognisesItself: true) { db async throws(PostgresError) in
                db.add(.workLong)
                db.add(PostgresQuery("LOCK TABLE migration IN EXCLUSIVE MODE"))
                let done = try await db.all(.migrations)
                if case .ahead(let number) = Self.state(done) { throw .newer(number) }
                guard !done.contains(migration.number) else { return }
                report("\(migration.number) (\(migration.name))")
                for statement in migration.statements { db.add(PostgresQuery(statement)) }
                db.add(.noteMigration(migration.number, migration.name))
            }
        }
    }

    private func prepare() async throws(PostgresError) {
        guard let schema = PostgresSQL.createSchema(pool.configuration.schema) else {
            throw PostgresError(
                .rejected, "A schema's name may have the letters a to z, digits and _ only.")
        }
        // Two creations at once can collide, although each says IF NOT EXISTS.
        try await pool.write(recognisesItself: true) { db async throws(PostgresError) in
            db.add(.lockSchema(pool.configuration.schema))
            db.add(PostgresQuery(schema))
            db.add(PostgresQuery(Self.list))
        }
    }

    private static let list: PostgresSQL = .once(
        """
        CREATE TABLE IF NOT EXISTS migration (
            number     int PRIMARY KEY,
            name       text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """)
}

extension PostgresError {
    package static func newer(_ number: Int) -> PostgresError {
        PostgresError(
            .rejected,
            "The database has schema \(number), which belongs to a newer version; this one knows "
                + "\(PostgresSchema.newest). Install the newer version of roost, or name another "
                + "database. Nothing was changed.")
    }
}

extension PostgresQuery where Output == Int {
    fileprivate static var migrations: PostgresQuery {
        PostgresQuery("SELECT number FROM migration") { Int($0.int64(0)) }
    }
}

extension PostgresQuery where Output == Bool {
    fileprivate static var hasMigrations: PostgresQuery {
        PostgresQuery("SELECT to_regclass('migration') IS NOT NULL") { $0.bool(0) }
    }
}

extension PostgresQuery where Output == Void {
    fileprivate static func lockSchema(_ name: String) -> PostgresQuery {
        PostgresQuery(
            "SELECT pg_advisory_xact_lock(hashtextextended('roost ' || $1, 28))", .text(name))
    }

    fileprivate static func noteMigration(_ number: Int, _ name: String) -> PostgresQuery {
        PostgresQuery(
            "INSERT INTO migration (number, name) VALUES ($1, $2)", .int(Int64(number)),
            .text(name))
    }
}
