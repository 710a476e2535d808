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

    func word(inRow row: Int64) throws(SQLiteError) -> String {
        try words.text(inRow: row)
    }

    func url(ofRow row: Int64) throws(SQLiteError) -> ChannelURL {
        try connection.channelURL(ofRow: row)
    }

    func checkUsers() throws(SQLiteError) {
        if let failure { throw failure }
    }
}
