// SPDX-License-Identifier: Apache-2.0

/// A statement with the types of its arguments and of its rows.
///
/// Queries are declared once, as static members; the connection keeps the prepared statement.
package struct Query<Input, Output>: Sendable {
    package let sql: SQL
    let bind: @Sendable (Input, inout Bindings) -> Void
    package let decode: @Sendable (borrowing Row) throws(SQLiteError) -> Output

    /// Describes a statement that returns rows.
    ///
    /// - Parameters:
    ///   - sql: One statement; its parameters are `?1`, `?2` and so on.
    ///   - bind: Appends the arguments in the order of the parameters.
    ///   - decode: Reads one row, with columns from zero; the row is invalid afterwards.
    package init(
        sql: SQL,
        bind: @escaping @Sendable (Input, inout Bindings) -> Void,
        decode: @escaping @Sendable (borrowing Row) throws(SQLiteError) -> Output
    ) {
        self.sql = sql
        self.bind = bind
        self.decode = decode
    }
}

extension Query where Input == Void {
    /// Describes a statement with rows and without arguments.
    package init(
        sql: SQL, decode: @escaping @Sendable (borrowing Row) throws(SQLiteError) -> Output
    ) {
        self.init(sql: sql, bind: { _, _ in }, decode: decode)
    }
}

extension Query where Output == Void {
    /// Describes a statement that changes rows and returns none.
    package init(sql: SQL, bind: @escaping @Sendable (Input, inout Bindings) -> Void) {
        self.init(sql: sql, bind: bind, decode: { _ in })
    }
}

extension Query where Input == Void, Output == Void {
    /// Describes a statement without arguments and rows.
    package init(sql: SQL) {
        self.init(sql: sql, bind: { _, _ in }, decode: { _ in })
    }
}
