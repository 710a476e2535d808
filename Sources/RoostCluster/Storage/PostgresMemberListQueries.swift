// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer

extension PostgresQuery where Output == Void {
    /// Hides the messages through a moment from the joined and invited users of a channel.
    ///
    /// The traits keep the order in which `MemberTraits` writes them: the offset comes first. It is a
    /// number in the text exactly if `beginning` has its copy.
    static func forgetHistory(of channel: Int64, through end: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET last_read = greatest(last_read, $2::bigint),
                beginning = greatest(beginning, $2::bigint),
                traits = CASE
                    WHEN beginning >= $2::bigint THEN traits
                    WHEN traits = '{}' THEN '{"offset":' || $2::bigint || '}'
                    WHEN beginning IS NULL
                        THEN '{"offset":' || $2::bigint || ',' || substr(traits, 2)
                    ELSE regexp_replace(
                        traits, '^[{]"offset":-?[0-9]+', '{"offset":' || $2::bigint)
                END
            WHERE channel = $1 AND state <> 'none'
            """, .int(channel), .int(end.milliseconds))
    }
}
