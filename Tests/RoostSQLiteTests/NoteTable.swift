// SPDX-License-Identifier: Apache-2.0

import RoostSQLite

/// A table for tests with a text and a blob.
enum NoteTable {
    static let schema: SQL = """
        CREATE TABLE note (
            id   INTEGER PRIMARY KEY,
            text TEXT NOT NULL UNIQUE,
            body BLOB
        ) STRICT
        """

    /// Opens a database that has the table.
    static func open(
        _ location: DatabaseLocation = .memory, _ options: ConnectionOptions = ConnectionOptions()
    ) throws(SQLiteError) -> Connection {
        let connection = try Connection(location, options)
        try connection.executeScript(schema)
        return connection
    }
}

extension Query where Input == (text: String, body: [UInt8]?), Output == Void {
    static var insertNote: Query {
        Query(
            sql: "INSERT INTO note (text, body) VALUES (?1, ?2)",
            bind: { input, bindings in
                bindings.append(input.text)
                bindings.append(input.body)
            })
    }
}

extension Query where Input == String, Output == [UInt8]? {
    static var noteBody: Query {
        Query(
            sql: "SELECT body FROM note WHERE text = ?1",
            bind: { text, bindings in bindings.append(text) },
            decode: { row in row.optionalBytes(0) })
    }
}

extension Query where Input == Void, Output == String {
    static var noteTexts: Query {
        Query(sql: "SELECT text FROM note ORDER BY id") { row in row.text(0) }
    }
}

extension Query where Input == Void, Output == Int64 {
    static var noteCount: Query {
        Query(sql: "SELECT count(*) FROM note") { row in row.int64(0) }
    }
}
