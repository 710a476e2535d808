// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite

extension SQLiteStorage {
    package func forgetHistory(
        of url: ChannelURL, through end: Timestamp, now: Timestamp
    ) throws(StorageError) -> Bool {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return false }
            try db.execute(.forgetHistory, (channel, end))
            try db.touch(channel, db.nextChange(now))
            return true
        }
    }
}
