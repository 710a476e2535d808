// SPDX-License-Identifier: Apache-2.0

/// A statement with its arguments and the reader of its rows.
package struct PostgresQuery<Output>: Sendable {
    let sql: PostgresSQL
    let values: [PostgresValue]
    let decode: @Sendable (PostgresRow) throws(PostgresError) -> Output

    /// Makes a query.
    ///
    /// - Parameters:
    ///   - sql: One statement, with the parameters `$1`, `$2` and so on.
    ///   - values: The arguments, in the order of the parameters.
    ///   - decode: Reads one row.
    package init(
        _ sql: PostgresSQL, _ values: PostgresValue...,
        decode: @escaping @Sendable (PostgresRow) throws(PostgresError) -> Output
    ) {
        self.sql = sql
        self.values = values
        self.decode = decode
    }

    /// Makes a query from a list of arguments.
    package init(
        _ sql: PostgresSQL, values: [PostgresValue],
        decode: @escaping @Sendable (PostgresRow) throws(PostgresError) -> Output
    ) {
        self.sql = sql
        self.values = values
        self.decode = decode
    }

    func read(_ rows: PostgresRows) throws(PostgresError) -> [Output] {
        var outputs: [Output] = []
        outputs.reserveCapacity(rows.count)
        for index in 0..<rows.count {
            outputs.append(try decode(PostgresRow(rows: rows, index: index)))
        }
        return outputs
    }
}

extension PostgresQuery where Output == Void {
    /// Makes a statement without rows.
    package init(_ sql: PostgresSQL, _ values: PostgresValue...) {
        self.init(sql, values: values) { _ in }
    }
}

/// A literal SQL text from the source code.
///
/// It can only be made from literals without interpolation, so nothing from outside can become part
/// of a statement (scar 38).
package struct PostgresSQL: ExpressibleByStringLiteral, Sendable {
    let text: String
    /// Whether the server keeps the statement prepared for its next use.
    let isKept: Bool

    package init(stringLiteral literal: StaticString) { self.init(nil, literal) }

    /// Makes a statement with a shared beginning.
    package init(_ head: StaticString?, _ literal: StaticString) {
        text = head.map { "\($0)\n\(literal)" } ?? literal.description
        isKept = true
    }

    private init(once text: String) {
        self.text = text
        isKept = false
    }

    /// Makes a statement that is not kept, such as one of a migration.
    package static func once(_ literal: StaticString) -> PostgresSQL {
        PostgresSQL(once: literal.description)
    }

    /// Makes the statement that creates a schema; nil unless the name has letters of ASCII in lower
    /// case, digits and underscores only.
    package static func createSchema(_ name: String) -> PostgresSQL? {
        guard isPlain(name) else { return nil }
        return PostgresSQL(once: "CREATE SCHEMA IF NOT EXISTS \"\(name)\"")
    }

    /// Makes the statement that removes a schema with its content; nil as for `createSchema`.
    package static func dropSchema(_ name: String) -> PostgresSQL? {
        guard isPlain(name) else { return nil }
        return PostgresSQL(once: "DROP SCHEMA IF EXISTS \"\(name)\" CASCADE")
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 63
            && name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
            }
    }
}
