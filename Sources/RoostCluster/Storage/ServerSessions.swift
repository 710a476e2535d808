// SPDX-License-Identifier: Apache-2.0

package import RoostPostgres

extension PostgresConfiguration {
    /// Names the sessions of a server, so that an import into its schema finds them.
    package mutating func setServer(_ server: String) { name = "roost \(schema)/\(server)" }
}

extension PostgresQuery where Output == String {
    /// The names of servers that have a session on a schema, at most five.
    ///
    /// The database cuts the name of a session behind 63 bytes.
    static func servers(on schema: String) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT DISTINCT coalesce(
                    nullif(substr(application_name, length($1::text) + 8), ''), 'a server')
            FROM pg_stat_activity
            WHERE datname = current_database()
                AND starts_with(application_name, left('roost ' || $1::text || '/', 63))
            ORDER BY 1 LIMIT 5
            """, .text(schema)
        ) { $0.text(0) }
    }
}
