// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// A user and the number of the user's row.
struct StoredUser: Sendable {
    let row: Int64
    let user: User
}

extension Query where Input == UserID, Output == StoredUser {
    static let userByID = Query(
        sql: "SELECT id, user_id, payload FROM user WHERE user_id = ?1",
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row throws(SQLiteError) in try StoredUser(row) })
}

extension Query where Input == Int64, Output == StoredUser {
    static let userByRow = Query(
        sql: "SELECT id, user_id, payload FROM user WHERE id = ?1",
        bind: { id, bindings in bindings.append(id) },
        decode: { row throws(SQLiteError) in try StoredUser(row) })
}

extension Query where Input == [Int64], Output == StoredUser {
    /// The existing users among several rows, in no order.
    static let usersInRows = Query(
        sql: """
            SELECT user.id, user_id, payload
            FROM json_each(?1) AS wanted CROSS JOIN user ON user.id = wanted.value
            """,
        bind: { rows, bindings in bindings.append(rows.jsonArray) },
        decode: { row throws(SQLiteError) in try StoredUser(row) })
}

extension Query where Input == User, Output == Int64 {
    static let insertUser = Query(
        sql: "INSERT INTO user (user_id, payload) VALUES (?1, ?2) RETURNING id",
        bind: { user, bindings in
            bindings.append(user.id.rawValue)
            bindings.appendBytes { UserPayload.write(user, to: &$0) }
        },
        decode: { row in row.int64(0) })
}

extension Query where Input == StoredUser, Output == Void {
    static let updateUser = Query(
        sql: "UPDATE user SET payload = ?2 WHERE id = ?1",
        bind: { stored, bindings in
            bindings.append(stored.row)
            bindings.appendBytes { UserPayload.write(stored.user, to: &$0) }
        })
}

extension Query where Input == Void, Output == Void {
    static let deleteUsers = Query(sql: "DELETE FROM user")
}

extension StoredUser {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        let id = UserID(row.text(1))
        self.row = row.int64(0)
        user = try row.withBytes(2) { bytes throws(SQLiteError) in
            do throws(PayloadError) {
                return try UserPayload.read(bytes, id: id)
            } catch {
                throw error.asSQLiteError(reading: "a user")
            }
        }
    }
}

extension [Int64] {
    /// The numbers as a JSON array, the form of a list for a statement.
    var jsonArray: String {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        bytes.reserveCapacity(count * 8 + 2)
        for number in self {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: String(number).utf8)
        }
        bytes.append(UInt8(ascii: "]"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
