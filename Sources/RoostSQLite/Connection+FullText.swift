// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

// The relevance of a hit.
//
// BM25, the library's own function, divides by the length of a text, which our index does not keep.
// This is its formula without length: a rare word weighs more than a frequent one, and each
// repetition of a word in a message adds less than the one before.

extension Connection {
    /// Defines the function `relevance(table)` for this connection's full-text queries; a better
    /// hit has a smaller value.
    ///
    /// Only words of the table's first column count. The call comes before the first such query.
    ///
    /// - Throws: An error if this SQLite was built without full-text search (FTS5).
    package func defineRelevance() throws(SQLiteError) {
        if hasRelevance { return }
        let api = try unsafe fullTextFunctions()
        // SAFETY: the API lives as long as its database; the name is copied, the function has no context.
        let code = unsafe "relevance".withCString { name in
            unsafe api.pointee.xCreateFunction(api, name, nil, relevance, nil)
        }
        guard code == SQLITE_OK else {
            throw unsafe SQLiteError(of: handle, code: code, action: "search full text")
        }
        hasRelevance = true
    }

    /// Makes a temporary table while `body` runs, on read-only connections too.
    ///
    /// The table may exist already, after an interrupted call.
    package func withTemporaryTable<T>(
        _ creation: Query<Void, Void>, _ removal: Query<Void, Void>,
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try allowingWrites { () throws(SQLiteError) in _ = try execute(creation) }
        let value: T
        do throws(SQLiteError) {
            value = try body()
        } catch {
            // An interruption of the body also prevents the removal of the table; the next call
            // uses that table.
            try? allowingWrites { () throws(SQLiteError) in _ = try execute(removal) }
            throw error
        }
        try allowingWrites { () throws(SQLiteError) in _ = try execute(removal) }
        return value
    }

    private func allowingWrites(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let isReadOnly = try first(Query(sql: "PRAGMA query_only") { row in row.int64(0) != 0 })
        guard isReadOnly == true else { return try body() }
        try executeScript("PRAGMA query_only = OFF")
        let result = Result { () throws(SQLiteError) in try body() }
        try executeScript("PRAGMA query_only = ON")
        try result.get()
    }

    /// Returns the functions of the full-text library; the pointer lives as long as the connection.
    func fullTextFunctions() throws(SQLiteError) -> UnsafeMutablePointer<fts5_api> {
        var statement: OpaquePointer?
        var api: UnsafeMutablePointer<fts5_api>?
        // SAFETY: the handle is ours; SQLite writes the pointer during `sqlite3_step`, while `slot`
        // is lent, and the name of the pointer's type is a literal without end, as it must be.
        let code = unsafe sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &statement, nil)
        defer { _ = unsafe sqlite3_finalize(statement) }
        guard code == SQLITE_OK else {
            throw unsafe SQLiteError(of: handle, code: code, action: "search full text")
        }
        let type: StaticString = "fts5_api_ptr"
        unsafe withUnsafeMutablePointer(to: &api) { slot in
            let name = unsafe UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
            _ = unsafe sqlite3_bind_pointer(statement, 1, slot, name, nil)
            _ = unsafe sqlite3_step(statement)
        }
        guard let api = unsafe api else {
            throw SQLiteError(
                code: SQLITE_ERROR, message: "it has no full-text functions",
                action: "search full text")
        }
        return unsafe api
    }
}

/// The weight of repetitions of a word; the usual value of BM25.
private let saturation = 1.2

/// The weight of each phrase of a query, and its count in a row.
@safe private final class Phrases {
    /// Nil until a row has the phrase.
    ///
    /// The tag of a channel, which no text has, is never counted.
    var weights: [Double?]
    var counts: [Double]

    init(count: Int) {
        weights = Array(repeating: nil, count: count)
        counts = Array(repeating: 0, count: count)
    }
}

// SAFETY, for all below: the library calls us while a query is at a row, with its functions and its
// context, which are valid for the call (a newer library has more functions than we know, so they
// are never copied); the object kept with the query (`xSetAuxdata`) is released with it.

private func relevance(
    api: UnsafePointer<Fts5ExtensionApi>?, row: OpaquePointer?, answer: OpaquePointer?, _: Int32,
    _: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let api = unsafe api else { return }
    var score = 0.0
    let code = unsafe rate(row, by: api, &score)
    if code == SQLITE_OK {
        unsafe sqlite3_result_double(answer, score)
    } else {
        unsafe sqlite3_result_error_code(answer, code)
    }
}

private func rate(
    _ row: OpaquePointer?, by api: UnsafePointer<Fts5ExtensionApi>, _ score: inout Double
) -> Int32 {
    let phrases: Phrases
    if let kept = unsafe api.pointee.xGetAuxdata(row, 0) {
        phrases = unsafe Unmanaged<Phrases>.fromOpaque(kept).takeUnretainedValue()
    } else {
        phrases = Phrases(count: Int(unsafe api.pointee.xPhraseCount(row)))
        let kept = unsafe Unmanaged.passRetained(phrases).toOpaque()
        // Releases the object if it fails, too.
        let code = unsafe api.pointee.xSetAuxdata(row, kept) { kept in
            guard let kept = unsafe kept else { return }
            unsafe Unmanaged<Phrases>.fromOpaque(kept).release()
        }
        if code != SQLITE_OK { return code }
    }
    for phrase in phrases.counts.indices { phrases.counts[phrase] = 0 }
    var count: Int32 = 0
    var code = unsafe api.pointee.xInstCount(row, &count)
    for place in 0..<max(0, count) where code == SQLITE_OK {
        var (phrase, column, offset): (Int32, Int32, Int32) = (0, 0, 0)
        code = unsafe api.pointee.xInst(row, place, &phrase, &column, &offset)
        if code == SQLITE_OK, column == 0 { phrases.counts[Int(phrase)] += 1 }
    }
    for (phrase, count) in phrases.counts.enumerated() where count > 0 && code == SQLITE_OK {
        if phrases.weights[phrase] == nil {
            code = unsafe weigh(Int32(phrase), of: row, by: api, &phrases.weights[phrase])
        }
        score -= (phrases.weights[phrase] ?? 0) * count * (saturation + 1) / (count + saturation)
    }
    return code
}

/// Returns the weight of a phrase: the more rows have it, the smaller.
///
/// It is always positive, unlike in BM25, where a word in half of all rows weighs nothing.
private func weigh(
    _ phrase: Int32, of row: OpaquePointer?, by api: UnsafePointer<Fts5ExtensionApi>,
    _ weight: inout Double?
) -> Int32 {
    var total: Int64 = 0
    var having: Int64 = 0
    var code = unsafe api.pointee.xRowCount(row, &total)
    if code == SQLITE_OK {
        code = unsafe api.pointee.xQueryPhrase(row, phrase, &having) { _, _, having in
            unsafe having?.assumingMemoryBound(to: Int64.self).pointee += 1
            return SQLITE_OK
        }
    }
    guard code == SQLITE_OK else { return code }
    weight = log(1 + (max(0, Double(total - having)) + 0.5) / (Double(having) + 0.5))
    return code
}
