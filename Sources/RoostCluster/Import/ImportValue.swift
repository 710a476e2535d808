// SPDX-License-Identifier: Apache-2.0

import RoostPostgres
import RoostSQLite
import RoostWire

/// A value of a row on its way from one database to the other.
enum ImportValue: Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case text(String)

    /// The type of a column.
    enum Kind: Sendable {
        case int
        case bool
        case text
    }

    init(_ row: borrowing Row, _ column: Int32, _ kind: Kind) {
        guard !row.isNull(column) else {
            self = .null
            return
        }
        switch kind {
        case .int: self = .int(row.int64(column))
        case .bool: self = .bool(row.int64(column) != 0)
        case .text: self = .text(row.text(column))
        }
    }

    init(_ row: PostgresRow, _ column: Int, _ kind: Kind) {
        switch kind {
        case .int: self = row.optionalInt64(column).map { .int($0) } ?? .null
        // No column of this kind may be NULL.
        case .bool: self = .bool(row.bool(column))
        case .text: self = row.optionalText(column).map { .text($0) } ?? .null
        }
    }

    /// The space that the value takes, about.
    var byteCount: Int {
        if case .text(let text) = self { text.utf8.count } else { 8 }
    }

    /// Appends the one form of the value that both databases have in common.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(0)
        case .int(let number):
            bytes.append(1)
            Self.append(UInt64(bitPattern: number), to: &bytes)
        case .bool(let flag): bytes.append(flag ? 3 : 2)
        case .text(let text):
            bytes.append(4)
            Self.append(UInt64(text.utf8.count), to: &bytes)
            bytes.append(contentsOf: text.utf8)
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// The value for a person; texts are quoted and cut.
    var shown: String {
        switch self {
        case .null: "none"
        case .int(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .text(let text): JSONValue.string(String(text.prefix(80))).text
        }
    }
}

/// The key of a row, behind which the next page of its table begins.
struct ImportPlace: Sendable {
    let values: [ImportValue]

    init(_ values: [ImportValue]) { self.values = values }

    /// Returns the least key of a table, which a row may have.
    static func first(_ kinds: [ImportValue.Kind]) -> ImportPlace {
        ImportPlace(kinds.map { $0 == .text ? .text("") : .int(.min) })
    }

    /// Reads the form of the database; nil for a text of another form.
    init?(text: String) {
        // An unreadable place is refused by the caller.
        guard let list = (try? JSONValue(parsing: text))?.array else { return nil }
        values = list.compactMap { value in
            value.int.map { .int($0) } ?? value.string.map { .text($0) }
        }
        guard values.count == list.count else { return nil }
    }

    /// The form in which the database keeps the place.
    var text: String {
        JSONValue.array(
            values.map { value in
                switch value {
                case .null: .null
                case .int(let number): .int(number)
                case .bool(let flag): .bool(flag)
                case .text(let text): .string(text)
                }
            }
        ).text
    }
}

/// Rows of a table in the order of their keys.
struct ImportPage: Sendable {
    let rows: [[ImportValue]]
    /// The key of the last row; nil for no rows.
    let end: ImportPlace?
    /// Whether the table has no row behind this page.
    let isLast: Bool
}

/// The bounds of a page, which ends with the row that reaches one of them.
struct ImportPageSize: Sendable {
    var rows: Int
    var bytes: Int

    /// Returns the number of rows for the next page of a database that ends none by its bytes.
    ///
    /// It follows the size of the rows before, and grows step by step.
    func nextCount(after rows: [[ImportValue]]) -> Int {
        let bytes = rows.reduce(0) { sum, row in row.reduce(sum) { $0 + $1.byteCount } }
        let average = max(1, bytes / max(1, rows.count))
        return min(self.rows, rows.count * 8, max(1, self.bytes / average))
    }

    /// The number of rows of the first page, whose size is unknown.
    var firstCount: Int { min(rows, 64) }
}
