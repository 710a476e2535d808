// SPDX-License-Identifier: Apache-2.0

/// The progress of an import.
package struct ImportProgress: Equatable, Sendable {
    package enum Step: Sendable {
        /// The folder is read for its fingerprint.
        case reading
        case copying
        /// The database is read back.
        case comparing
    }

    package let step: Step
    package let table: String
    /// The rows of the table so far.
    package let rows: Int
    /// The rows of the table; nil if they are not yet counted.
    package let total: Int?
}

/// The result of an import.
package struct ImportReport: Equatable, Sendable {
    package struct Table: Equatable, Sendable {
        package let name: String
        package let rows: Int
        /// The same on both sides, 64 hexadecimal digits.
        package let fingerprint: String
    }

    package let tables: [Table]
    /// Whether an earlier run had finished.
    package let wasDone: Bool
}
