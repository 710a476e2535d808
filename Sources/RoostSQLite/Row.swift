// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// The current row of a statement; valid only inside the closure to which it is lent.
///
/// Columns count from zero. A NULL reads as 0 or "" unless an optional is requested, as in SQLite.
/// The schema decides about the types of columns; its tables are `STRICT`.
@safe package struct Row: ~Copyable {
    private let handle: OpaquePointer

    init(handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    package borrowing func isNull(_ column: Int32) -> Bool {
        // SAFETY: for all columns below: a row is lent only while its statement stands on it.
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package borrowing func int64(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    package borrowing func optionalInt64(_ column: Int32) -> Int64? {
        // This way a column is looked up once.
        // SAFETY: the value lives until the statement steps on. Its own functions take no lock, and
        // need none: one thread at a time uses a connection.
        let value = unsafe sqlite3_column_value(handle, column)
        return unsafe sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
    }

    package borrowing func double(_ column: Int32) -> Double {
        unsafe sqlite3_column_double(handle, column)
    }

    /// Copies a text once, with all characters of the column, NUL included.
    package borrowing func text(_ column: Int32) -> String {
        // SAFETY: the order matters: the length is that of the text just asked for.
        let start = unsafe sqlite3_column_text(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count),
            as: UTF8.self)
    }

    package borrowing func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// Lends a column's bytes without copying them.
    package borrowing func withBytes<T, E>(
        _ column: Int32, _ body: (Span<UInt8>) throws(E) -> T
    ) throws(E) -> T {
        // SAFETY: the bytes live until the statement steps on, which it cannot do during this call.
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return try body(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Lends a column's bytes without generics, which are slow across modules; for values that are
    /// read row after row.
    package borrowing func lendBytes(
        _ column: Int32, _ body: (Span<UInt8>) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        // SAFETY: as for `withBytes` and `optionalInt64`.
        let value = unsafe sqlite3_column_value(handle, column)
        let start = unsafe sqlite3_value_blob(value)
        let count = unsafe start == nil ? 0 : Int(sqlite3_value_bytes(value))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        try body(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Copies a column's bytes.
    package borrowing func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { span in
            // SAFETY: the span is alive, and the array copies it.
            unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }

    package borrowing func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }
}
