// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

extension WriteSession: RowResolver {
    func user(inRow row: Int64) -> User {
        do throws(SQLiteError) {
            return try users.user(inRow: row)
        } catch {
            failure = failure ?? error
            return User(id: UserID(""))
        }
    }

    var rowSeals: RowSeals? { connection.seals }

    func word(inRow row: Int64) -> String {
        do throws(SQLiteError) {
            return try words.text(inRow: row)
        } catch {
            failure = failure ?? error
            return ""
        }
    }

    func url(ofRow row: Int64) throws(SQLiteError) -> ChannelURL {
        try connection.channelURL(ofRow: row)
    }

    func checkNames() throws(SQLiteError) {
        // The failure is thrown once, because the next row may be sound.
        if let failure = failure.take() { throw failure }
    }
}
