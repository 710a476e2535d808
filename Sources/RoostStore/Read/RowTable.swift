// SPDX-License-Identifier: Apache-2.0

/// Values by row number.
///
/// Rows are numbered from one upwards. The first ones are in an array, whose access takes far less
/// time than hashing. Higher numbers are in a dictionary, because a damaged row may have any
/// number.
struct RowTable<Value> {
    private static var denseCount: Int64 { 16_384 }

    private var dense: [Value?] = []
    private var sparse: [Int64: Value] = [:]
    private(set) var count = 0

    subscript(row: Int64) -> Value? {
        guard row >= 0, row < Self.denseCount else { return sparse[row] }
        return row < dense.count ? dense[Int(row)] : nil
    }

    /// Removes a row.
    mutating func remove(_ row: Int64) {
        guard row >= 0, row < Self.denseCount else {
            if sparse.removeValue(forKey: row) != nil { count -= 1 }
            return
        }
        guard row < dense.count, dense[Int(row)] != nil else { return }
        dense[Int(row)] = nil
        count -= 1
    }

    /// Adds a row that is not in the table.
    mutating func add(_ value: Value, at row: Int64) {
        count += 1
        guard row >= 0, row < Self.denseCount else {
            sparse[row] = value
            return
        }
        while dense.count <= row { dense.append(nil) }
        dense[Int(row)] = value
    }
}
