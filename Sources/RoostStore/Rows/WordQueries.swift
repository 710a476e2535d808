// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// A text that many rows share; compared byte by byte.
struct Word: Identifier {
    let rawValue: String
    init(_ rawValue: String) { self.rawValue = rawValue }
}

extension Query where Input == Word, Output == Int64 {
    static let wordRow = Query(
        sql: "SELECT id FROM word WHERE text = ?1",
        bind: { word, bindings in bindings.append(word.rawValue) },
        decode: { row in row.int64(0) })

    static let insertWord = Query(
        sql: "INSERT INTO word (text) VALUES (?1) RETURNING id",
        bind: { word, bindings in bindings.append(word.rawValue) },
        decode: { row in row.int64(0) })
}

extension Query where Input == Int64, Output == String {
    static let word = Query(
        sql: "SELECT text FROM word WHERE id = ?1",
        bind: { id, bindings in bindings.append(id) },
        decode: { row in row.text(0) })
}

extension Query where Input == Void, Output == Void {
    static let deleteWords = Query(sql: "DELETE FROM word")
}

/// The words of one commit or one read, each looked up once.
struct KnownWords {
    private let connection: Connection
    private var rows: [Word: Int64] = [:]
    private var texts: [Int64: String] = [:]

    /// The number of look-ups; a word that was looked up both ways counts twice.
    var count: Int { rows.count + texts.count }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the row of a word, made if it is new; the empty word has none.
    mutating func row(_ text: String) throws(SQLiteError) -> Int64? {
        if text.isEmpty { return nil }
        if let row = rows[Word(text)] { return row }
        let row = try connection.wordRowMaking(text)
        rows[Word(text)] = row
        return row
    }

    /// Returns the row of a word; nil for the empty word and for one without a row.
    mutating func knownRow(_ text: String) throws(SQLiteError) -> Int64? {
        if text.isEmpty { return nil }
        if let row = rows[Word(text)] { return row }
        let row = try connection.wordRow(text)
        if let row { rows[Word(text)] = row }
        return row
    }

    /// Returns the word of a row to which another row refers.
    mutating func text(inRow row: Int64) throws(SQLiteError) -> String {
        if let text = texts[row] { return text }
        guard let text = try connection.word(inRow: row) else {
            throw .malformed("a word", because: "the row that others refer to is missing")
        }
        texts[row] = text
        return text
    }
}
