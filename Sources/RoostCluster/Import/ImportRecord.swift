// SPDX-License-Identifier: Apache-2.0

import RoostPostgres

/// The progress of an import, as the shared database keeps it.
struct ImportRecord: Equatable, Sendable {
    /// The fingerprint of the folder.
    var source: String
    /// The number of complete tables.
    var tables = 0
    /// The last row of the next table; nil for none, and for keys that are secrets.
    var place: String?
    /// The number of rows of the next table.
    var rows: Int64 = 0
    var isFinished = false
}

extension PostgresQuery where Output == ImportRecord {
    static var importRecord: PostgresQuery {
        PostgresQuery(
            """
            SELECT source, tables, place, table_rows, finished_at IS NOT NULL FROM import
            """
        ) { read($0) }
    }

    /// The record, which no other transaction changes until the end of the transaction.
    static var lockedImportRecord: PostgresQuery {
        PostgresQuery(
            """
            SELECT source, tables, place, table_rows, finished_at IS NOT NULL FROM import
            FOR UPDATE
            """
        ) { read($0) }
    }

    private static func read(_ row: PostgresRow) -> ImportRecord {
        ImportRecord(
            source: row.text(0), tables: Int(clamping: row.int64(1)), place: row.optionalText(2),
            rows: row.int64(3), isFinished: row.bool(4))
    }
}

extension PostgresQuery where Output == Bool {
    /// Whether the schema has any row of users, channels or their parts.
    static var isOccupied: PostgresQuery {
        PostgresQuery(
            """
            SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM block)
                OR EXISTS (SELECT 1 FROM device) OR EXISTS (SELECT 1 FROM activity)
                OR EXISTS (SELECT 1 FROM token) OR EXISTS (SELECT 1 FROM session)
                OR EXISTS (SELECT 1 FROM channel) OR EXISTS (SELECT 1 FROM member)
                OR EXISTS (SELECT 1 FROM message) OR EXISTS (SELECT 1 FROM mention)
                OR EXISTS (SELECT 1 FROM document)
                OR EXISTS (SELECT 1 FROM server WHERE change_base <> 0)
            """
        ) { $0.bool(0) }
    }
}

extension PostgresQuery where Output == Void {
    /// Lets one import at a time begin.
    static var lockImports: PostgresQuery { PostgresQuery("LOCK TABLE import IN EXCLUSIVE MODE") }

    static func beginImport(_ source: String) -> PostgresQuery {
        PostgresQuery("INSERT INTO import (id, source) VALUES (1, $1)", .text(source))
    }

    static func setChangeBase(_ base: Int64) -> PostgresQuery {
        PostgresQuery("UPDATE server SET change_base = $1", .int(base))
    }

    static func noteProgress(_ record: ImportRecord) -> PostgresQuery {
        PostgresQuery(
            "UPDATE import SET tables = $1, place = $2, table_rows = $3",
            .int(Int64(record.tables)), PostgresValue(record.place), .int(record.rows))
    }

    /// Ends the import; from now on servers may start.
    static var finishImport: PostgresQuery {
        PostgresQuery("UPDATE import SET finished_at = now(), place = NULL")
    }

    /// Lets a commit return before it is on the disk.
    ///
    /// A crash takes the rows of the last batches away together with their progress.
    static var commitLater: PostgresQuery {
        PostgresQuery("SELECT set_config('synchronous_commit', 'off', true)")
    }

    /// Lets the statements of this transaction take almost an hour instead of a server's seconds.
    static var workLong: PostgresQuery {
        PostgresQuery("SELECT set_config('statement_timeout', '59min', true)")
    }

    /// Collects the statistics for the plans of queries, which an import leaves behind.
    static var analyses: [PostgresQuery] {
        let statements: [StaticString] = [
            "ANALYZE users", "ANALYZE block", "ANALYZE device", "ANALYZE activity", "ANALYZE token",
            "ANALYZE session", "ANALYZE channel", "ANALYZE member", "ANALYZE message",
            "ANALYZE mention", "ANALYZE document",
        ]
        return statements.map { PostgresQuery(.once($0)) }
    }

    /// Moves the counters behind the given numbers.
    ///
    /// `messages` is the number behind the timeline, 0 if the counter of messages may begin anew.
    static func continueNumbers(_ numbers: GivenNumbers, messages: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT setval(name::regclass, number)
            FROM (VALUES (pg_get_serial_sequence('users', 'id'), $1::bigint),
                (pg_get_serial_sequence('channel', 'id'), $2::bigint),
                (pg_get_serial_sequence('token', 'id'), $3::bigint),
                (pg_get_serial_sequence('session', 'id'), $4::bigint),
                (pg_get_serial_sequence('document', 'id'), $5::bigint),
                ('message_number', $6::bigint)) AS given (name, number)
            WHERE number > 0
            """, .int(numbers.user), .int(numbers.channel), .int(numbers.token),
            .int(numbers.session), .int(numbers.document), .int(messages))
    }
}
