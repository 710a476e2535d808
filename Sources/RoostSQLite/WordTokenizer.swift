// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// The tokenizer of SQLite's full-text index, for code that must split a text exactly as the index
/// does.
@safe package final class WordTokenizer {
    /// One word of a text.
    package struct Token: Equatable, Sendable {
        /// The word in the index's form: in lower case, without diacritics.
        package let word: String
        /// The word's bytes in the given text.
        package let range: Range<Int>
    }

    /// The options by which the index is built too: diacritics are removed, and the listed Unicode
    /// categories are parts of words.
    ///
    /// `L*`, `N*` and `Co` (letters, digits, private use) are SQLite's default. `Mn` and `Mc` add
    /// the marks in Indian and Thai words.
    private static let arguments: [StaticString] = [
        "remove_diacritics", "2", "categories", "L* N* Co Mn Mc",
    ]

    /// Keeps the database of the tokenizer's functions open.
    private let connection: Connection
    private let functions: fts5_tokenizer
    private let handle: OpaquePointer

    /// Makes a tokenizer with the functions of `connection`.
    ///
    /// - Throws: An error if this SQLite was built without full-text search (FTS5).
    package init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        let api = try unsafe connection.fullTextFunctions()
        var context: UnsafeMutableRawPointer?
        var functions = fts5_tokenizer()
        var handle: OpaquePointer?
        // SAFETY: the API lives as long as its database, which `connection` keeps open; the arguments
        // are literals and live as long as the program.
        var code = unsafe api.pointee.xFindTokenizer(api, "unicode61", &context, &functions)
        if code == SQLITE_OK {
            var arguments = unsafe Self.arguments.map { literal in
                unsafe UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
                    as UnsafePointer<CChar>?
            }
            code = unsafe functions.xCreate(context, &arguments, Int32(arguments.count), &handle)
        }
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw SQLiteError(
                code: code == SQLITE_OK ? SQLITE_ERROR : code,
                message: "its tokenizer cannot be made", action: "search full text")
        }
        self.functions = functions
        unsafe self.handle = handle
    }

    deinit {
        // SAFETY: this object is the handle's only owner, and the database is still open.
        unsafe functions.xDelete(handle)
    }

    /// Returns the words of a text in order; the text is UTF-8 and may contain any character.
    package func tokens(of text: [UInt8]) throws(SQLiteError) -> [Token] {
        var tokens: [Token] = []
        guard !text.isEmpty else { return tokens }
        // SAFETY: text and array are lent for the call; the callback runs within it.
        let code = unsafe withUnsafeMutablePointer(to: &tokens) { found in
            unsafe text.withUnsafeBufferPointer { bytes in
                let start = unsafe UnsafeRawPointer(bytes.baseAddress)?
                    .assumingMemoryBound(to: CChar.self)
                return unsafe functions.xTokenize(
                    handle, found, FTS5_TOKENIZE_DOCUMENT, start, Int32(bytes.count)
                ) { found, _, word, count, start, end in
                    let word = unsafe UnsafeRawBufferPointer(start: word, count: Int(count))
                    unsafe found?.assumingMemoryBound(to: [Token].self).pointee.append(
                        Token(
                            word: unsafe String(decoding: word, as: UTF8.self),
                            range: Int(start)..<Int(end)))
                    return SQLITE_OK
                }
            }
        }
        guard code == SQLITE_OK else {
            throw SQLiteError(
                code: code, message: "the text cannot be split into words",
                action: "search full text")
        }
        return tokens
    }
}
