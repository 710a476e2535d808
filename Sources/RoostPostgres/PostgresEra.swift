// SPDX-License-Identifier: Apache-2.0

/// The time between two crashes or promotions of a database.
///
/// Within an era no number of a transaction is given twice. The next era may give the last numbers of
/// the one before again: those that no standby got, and those that left nothing in the log.
package struct PostgresEra: Equatable, Sendable {
    /// A random name.
    package let name: String
    /// The transaction with which the era began.
    ///
    /// Every session notes the era, or finds the note, before its first write. So all changes of the
    /// era have higher numbers, and those that outlived the era before have lower ones.
    package let start: Int64
    /// The number of the server's timeline, which grows with each promotion of a standby.
    package let timeline: Int64

    package init(name: String, start: Int64, timeline: Int64) {
        self.name = name
        self.start = start
        self.timeline = timeline
    }

    /// Whether two sessions were opened in the same era.
    ///
    /// The start is computed from its lower half only, so a session that is opened billions of
    /// transactions later computes a later one.
    package static func == (one: Self, other: Self) -> Bool {
        one.name == other.name && one.timeline == other.timeline
    }

    /// The first digits of the name; they tell the eras of one database apart.
    package var shortName: String { String(name.prefix(8)) }
}

extension PostgresSQL {
    /// Notes a new era.
    ///
    /// The table is not logged, so a crash or a promotion empties it.
    static let newEra: PostgresSQL = """
        INSERT INTO era (id, name) VALUES (1, gen_random_uuid()) ON CONFLICT DO NOTHING
        """

    /// The name of the era, and the number of the transaction that noted it.
    ///
    /// A row has the lower half of its transaction's number only. The whole number is the last one up
    /// to the present that ends in it.
    static let era: PostgresSQL = """
        SELECT era.name, present.number - (present.number - era.xmin::text::bigint) % 4294967296
        FROM era, LATERAL (
            SELECT greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                pg_current_xact_id_if_assigned()::text::bigint) AS number) AS present
        """
}
