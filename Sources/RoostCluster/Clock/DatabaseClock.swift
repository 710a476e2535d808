// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
import RoostPostgres
package import RoostServer

/// The time of a database, for all servers on it.
///
/// The clocks of machines differ, some by minutes. Each server takes the database's time and lets a clock
/// run on from there that nobody sets.
package final class DatabaseClock: Sendable {
    /// A comparison of both clocks, in milliseconds.
    package struct Sample: Equatable, Sendable {
        /// The time of the database.
        package let database: Int64
        /// The steady clock before the question and after the answer.
        package let asked: Int64
        package let answered: Int64

        package init(database: Int64, asked: Int64, answered: Int64) {
            self.database = database
            self.asked = asked
            self.answered = answered
        }
    }

    private let steady: @Sendable () -> Int64
    private let offset: Guarded<Int64>

    /// The longest answer, in milliseconds, whose time counts.
    package static let longestAnswer: Int64 = 500

    /// Makes a clock from a first comparison.
    ///
    /// - Parameters:
    ///   - sample: The comparison, of any length.
    ///   - steady: A clock in milliseconds that neither jumps nor goes back.
    package init(_ sample: Sample, steady: @escaping @Sendable () -> Int64) {
        self.steady = steady
        offset = Guarded(Self.offset(sample))
    }

    private static func offset(_ sample: Sample) -> Int64 {
        sample.database &- (sample.asked &+ (sample.answered &- sample.asked) / 2)
    }

    /// Takes another comparison, unless its answer took too long.
    package func adjust(_ sample: Sample) {
        let length = sample.answered.subtractingReportingOverflow(sample.asked)
        guard !length.overflow, (0...Self.longestAnswer).contains(length.partialValue) else {
            return
        }
        offset.withLock { $0 = Self.offset(sample) }
    }

    package var now: Timestamp {
        Timestamp(milliseconds: offset.withLock { $0 } &+ steady())
    }
}

extension PostgresStorage {
    /// Compares the database's clock with a steady one.
    package func compareClocks(
        _ steady: @Sendable () -> Int64
    ) async throws(StorageError) -> DatabaseClock.Sample {
        try await read { db async throws(PostgresError) in
            // The first question opens the transaction, whose time is not measured.
            _ = try await db.first(.databaseTime)
            let asked = steady()
            let time = try await db.first(.databaseTime) ?? 0
            return DatabaseClock.Sample(database: time, asked: asked, answered: steady())
        }
    }
}

extension PostgresQuery where Output == Int64 {
    fileprivate static var databaseTime: PostgresQuery {
        PostgresQuery("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint") {
            $0.int64(0)
        }
    }
}
