// SPDX-License-Identifier: Apache-2.0

/// The rows that a statement returned.
///
/// - Invariant: Nothing changes the result after its receipt, so `@unchecked Sendable` holds.
@safe final class PostgresRows: @unchecked Sendable {
    private let library: LibPQ
    private let result: OpaquePointer
    let count: Int

    /// Takes a result over, and frees it at the end.
    init(_ result: OpaquePointer, _ library: LibPQ) {
        unsafe self.result = unsafe result
        self.library = library
        count = Int(unsafe library.rowCount(result))
    }

    deinit {
        // SAFETY: this object is the only owner.
        unsafe library.clear(result)
    }

    /// The bytes of a field during a call; nil for NULL.
    fileprivate func withField<T>(
        _ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T
    ) -> T? {
        let (row, column) = (CInt(row), CInt(column))
        // SAFETY: the indices are in range, as callers get them from `count` and from their own
        // statements; libpq answers a wrong one with NULL. The bytes live as long as the result.
        guard unsafe library.isNull(result, row, column) == 0,
            let value = unsafe library.value(result, row, column)
        else { return nil }
        let length = Int(unsafe library.length(result, row, column))
        return unsafe value.withMemoryRebound(to: UInt8.self, capacity: length) {
            unsafe body(UnsafeBufferPointer(start: $0, count: length))
        }
    }
}

/// One row, with columns from zero.
package struct PostgresRow {
    let rows: PostgresRows
    let index: Int

    /// Returns a column of numbers; 0 for NULL.
    package func int64(_ column: Int) -> Int64 { optionalInt64(column) ?? 0 }

    package func optionalInt64(_ column: Int) -> Int64? {
        unsafe rows.withField(index, column) { bytes in
            unsafe Int64(String(decoding: bytes, as: UTF8.self))
        } ?? nil
    }

    package func bool(_ column: Int) -> Bool {
        unsafe rows.withField(index, column) { bytes in unsafe bytes.first == 0x74 } ?? false
    }

    /// Returns a column of text; empty for NULL.
    package func text(_ column: Int) -> String { optionalText(column) ?? "" }

    package func optionalText(_ column: Int) -> String? {
        unsafe rows.withField(index, column) { bytes in unsafe PostgresValue.unescaped(bytes) }
    }
}
