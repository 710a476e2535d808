// SPDX-License-Identifier: Apache-2.0

import RoostPostgres
import RoostSQLite

/// The way of one table from the embedded server's database into the shared one.
///
/// The queries of both sides return the same columns, in the types of the shared database. So one
/// form serves the copy and the comparison.
struct TableCopy: Sendable {
    /// A column of the shared database.
    struct Column: Sendable {
        let name: String
        let kind: ImportValue.Kind
        /// The type in the embedded server's database.
        let source: ImportValue.Kind
        /// Makes the value from that of the embedded server; nil for the same value.
        let change: (@Sendable (ImportValue) -> ImportValue)?
        /// Whether the value may stand in a message for operators.
        let isShown: Bool

        static func int(_ name: String) -> Column { made(name, .int) }
        static func bool(_ name: String) -> Column { made(name, .bool) }
        static func text(_ name: String) -> Column { made(name, .text) }

        /// A text of any length that a unique index has in the form of `PostgresStorage.key`.
        static func key(_ name: String, isShown: Bool = true) -> Column {
            Column(
                name: name, kind: .text, source: .text,
                change: { value in
                    guard case .text(let text) = value else { return value }
                    return .text(PostgresStorage.key(text))
                }, isShown: isShown)
        }

        private static func made(_ name: String, _ kind: ImportValue.Kind) -> Column {
            Column(name: name, kind: kind, source: kind, change: nil, isShown: true)
        }
    }

    /// The table's name in the embedded server's database.
    let source: String
    /// The columns of the embedded server that the page's query reads.
    let taken: [String]
    /// The table's name in the shared database.
    let target: String
    let columns: [Column]
    /// The places of the columns by which the embedded server's pages are in order.
    let sourceKey: [Int]
    /// The places of the columns that name a row in the shared database.
    let key: [Int]
    /// Columns of the shared database that get the same value in every row.
    var constants: [String] = []
    /// Rows from a key on.
    ///
    /// Behind the parameters of the key come whether the row of the key itself is wanted, and the
    /// limit.
    let page: SQL
    /// The number of rows, which reads no index.
    let count: SQL
    /// The insertion of rows; each column is one list.
    let insert: PostgresSQL
    /// Rows of the shared database, with the parameters of `page` and the order of `key`.
    let check: PostgresSQL

    /// Returns the kinds of columns, for the least key.
    func kinds(_ places: [Int], isSource: Bool) -> [ImportValue.Kind] {
        places.map { isSource ? columns[$0].source : columns[$0].kind }
    }

    /// Whether the progress of an import may have the key of a row, which has no secret then.
    var keepsPlace: Bool { key.allSatisfy { columns[$0].isShown } }

    /// The number of rows of the embedded server's table.
    var countQuery: Query<Void, Int> { Query(sql: count) { Int(clamping: $0.int64(0)) } }

    /// Returns the key of a row for a message.
    func shownKey(_ row: [ImportValue]) -> String {
        key.map { place in
            "\(columns[place].name) \(columns[place].isShown ? row[place].shown : "(left out)")"
        }.joined(separator: ", ")
    }
}

extension TableCopy {
    /// The copies in their order.
    static let all = [
        users, blocks, devices, activity, tokens, sessions, channels, members, messages, mentions,
        documents,
    ]

    /// The parts of the embedded server's database that no copy reads, each with the reason.
    ///
    /// A name is that of a table, or of a table and a column.
    static let leftOut = [
        "schema_migration": "the record of the file's own schema; the shared database has its own",
        "sqlite_sequence": "the last numbers given, to which the sequences are set at the end",
        "clock.id": "the name of the only row",
        "clock.sequence": "the number behind which the channels and the change base begin",
        "clock.changed_at": "each channel keeps the time of its own last change",
        "channel.sequence": "transactions count these changes; all of them come at the change base",
        "member.sequence": "transactions count these changes; all of them come at the change base",
        "removal": "deleted channels with messages left; the shared database has no such list, "
            + "because it looks for messages whose channel is deleted",
    ]
}

extension TableCopy {
    /// The rows of a source's page, with the parameters of `page`.
    func sourceQuery() -> Query<(place: ImportPlace, isFirst: Bool, limit: Int), [ImportValue]> {
        let kinds = columns.map(\.source)
        return Query(
            sql: page,
            bind: { input, bindings in
                for value in input.place.values {
                    switch value {
                    case .null: bindings.appendNull()
                    case .int(let number): bindings.append(number)
                    case .bool(let flag): bindings.append(flag)
                    case .text(let text): bindings.append(text)
                    }
                }
                bindings.append(input.isFirst)
                bindings.append(input.limit)
            },
            decode: { row in
                kinds.enumerated().map { ImportValue(row, Int32(clamping: $0.offset), $0.element) }
            })
    }

    /// The rows of the shared database behind a key; nil for all.
    func targetQuery(behind place: ImportPlace?, _ limit: Int) -> PostgresQuery<[ImportValue]> {
        let start = place ?? .first(kinds(key, isSource: false))
        let kinds = columns.map(\.kind)
        return PostgresQuery(
            check,
            values: start.values.map(\.argument) + [.bool(place == nil), .int(Int64(limit))]
        ) { row in
            kinds.enumerated().map { ImportValue(row, $0.offset, $0.element) }
        }
    }

    /// The insertion of rows by one statement.
    func insertion(_ rows: [[ImportValue]]) -> PostgresQuery<Void> {
        let lists = columns.indices.map { place -> PostgresValue in
            switch columns[place].kind {
            case .int:
                .ints(rows.map { if case .int(let number) = $0[place] { number } else { nil } })
            case .text:
                .texts(rows.map { if case .text(let text) = $0[place] { text } else { nil } })
            case .bool:
                .bools(rows.map { if case .bool(let flag) = $0[place] { flag } else { false } })
            }
        }
        return PostgresQuery(insert, values: lists) { _ in }
    }
}

extension ImportValue {
    /// The value as an argument of a statement.
    fileprivate var argument: PostgresValue {
        switch self {
        case .null: .null
        case .int(let number): .int(number)
        case .bool(let flag): .bool(flag)
        case .text(let text): .text(text)
        }
    }
}

extension EmbeddedImport {
    /// One table's way, for the test that nothing is left out.
    package struct TableMap: Sendable {
        /// The table of the embedded server with the columns that are read.
        package let source: String
        package let sourceColumns: [String]
        /// The query that reads them.
        package let reading: String
        /// The table of the shared database with the columns that are written.
        package let target: String
        package let targetColumns: [String]
    }

    package static var map: [TableMap] {
        TableCopy.all.map { copy in
            TableMap(
                source: copy.source, sourceColumns: copy.taken, reading: copy.page.description,
                target: copy.target, targetColumns: copy.columns.map(\.name) + copy.constants)
        }
    }

    /// The tables and columns of the embedded server that no query reads, each with the reason.
    package static var leftOut: [String: String] { TableCopy.leftOut }
}
