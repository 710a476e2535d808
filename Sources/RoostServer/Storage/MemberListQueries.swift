// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite

extension Query where Input == (channel: Int64, end: Timestamp), Output == Void {
    /// Hides the messages through a moment from the joined and invited users of a channel.
    ///
    /// The traits keep the order in which `MemberTraits` writes them: the offset comes first.
    static var forgetHistory: Query {
        Query(
            sql: """
                UPDATE member SET last_read = max(last_read, ?2),
                    traits = CASE
                        WHEN traits = '{}' THEN '{"offset":' || ?2 || '}'
                        WHEN json_extract(traits, '$.offset') IS NULL
                            THEN '{"offset":' || ?2 || ',' || substr(traits, 2)
                        ELSE json_set(traits, '$.offset',
                            max(json_extract(traits, '$.offset'), ?2))
                    END
                WHERE channel = ?1 AND state <> 'none'
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.end.milliseconds)
            })
    }
}
