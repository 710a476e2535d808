// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// The arguments of one execution, in the order of the statement's parameters.
///
/// Numbers are bound at once. Texts and bytes are collected in one buffer, which the statement
/// keeps between uses and lends to SQLite while it runs. So each is copied once, without an
/// allocation, and no pointer outlives the execution.
@safe package struct Bindings: ~Copyable {
    /// A text or blob with a known place in the buffer, before the buffer's address is known.
    private struct Loan {
        let parameter: Int32
        let range: Range<Int>
        let isText: Bool
    }

    private let handle: OpaquePointer
    /// The number of the statement's parameters.
    private let expected: Int32
    private var buffer: [UInt8] = []
    private var loans: [Loan] = []
    private var count: Int32 = 0
    /// The first error of a binding, such as for a text over a gigabyte; thrown when the statement
    /// runs.
    private var refusal = SQLITE_OK

    /// A larger buffer is freed after use, so one huge message does not stay in memory.
    private static let keptCapacity = 64 * 1024

    init(handle: OpaquePointer) {
        unsafe self.handle = handle
        // SAFETY: the statement has just been compiled.
        expected = unsafe sqlite3_bind_parameter_count(handle)
    }

    package mutating func append(_ value: Int64) {
        // SAFETY: the statement lives as long as its `Statement`, which lends these bindings.
        note(unsafe sqlite3_bind_int64(handle, next(), value))
    }

    package mutating func append(_ value: Int64?) {
        if let value { append(value) } else { appendNull() }
    }

    package mutating func append(_ value: Int) { append(Int64(value)) }

    package mutating func append(_ value: Bool) { append(value ? Int64(1) : 0) }

    package mutating func append(_ value: Double) {
        // SAFETY: as for numbers above.
        note(unsafe sqlite3_bind_double(handle, next(), value))
    }

    /// Binds a text with its length, so that a NUL inside is a character like any other.
    package mutating func append(_ value: String) {
        let start = buffer.count
        buffer.append(contentsOf: value.utf8)
        loans.append(Loan(parameter: next(), range: start..<buffer.count, isText: true))
    }

    package mutating func append(_ value: String?) {
        if let value { append(value) } else { appendNull() }
    }

    package mutating func append(_ value: [UInt8]) {
        appendBytes { buffer in buffer.append(contentsOf: value) }
    }

    package mutating func append(_ value: [UInt8]?) {
        if let value { append(value) } else { appendNull() }
    }

    /// Lets an encoder write its bytes into the buffer that SQLite reads.
    ///
    /// - Parameter write: Appends to the array and leaves its present content alone.
    package mutating func appendBytes(_ write: (inout [UInt8]) -> Void) {
        let start = buffer.count
        write(&buffer)
        loans.append(Loan(parameter: next(), range: start..<buffer.count, isText: false))
    }

    package mutating func appendNull() {
        // SAFETY: as for numbers above.
        note(unsafe sqlite3_bind_null(handle, next()))
    }

    /// Runs `body` while SQLite may read the buffer, then removes the bindings.
    mutating func whileLent<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        precondition(
            count == expected,
            "A statement takes \(expected) arguments and was given \(count): correct its `bind`.")
        defer { takeBack() }
        // Numbers are already bound.
        if loans.isEmpty, refusal == SQLITE_OK { return try body() }
        buffer.append(0)  // An empty text needs an address too: nil would bind NULL.
        // SAFETY: the pointers stay valid until this closure ends; `body` resets the statement
        // before that, and `takeBack` unbinds them before anything can be executed again.
        return try unsafe buffer.withUnsafeBufferPointer { bytes throws(SQLiteError) -> T in
            guard let start = bytes.baseAddress else {
                preconditionFailure("A buffer of at least one byte has an address.")
            }
            for loan in loans where refusal == SQLITE_OK {
                refusal = unsafe lend(loan, of: start)
            }
            guard refusal == SQLITE_OK else {
                throw SQLiteError(
                    code: refusal, message: "a text or value is too long",
                    action: "take the arguments of a statement")
            }
            return try body()
        }
    }

    private func lend(_ loan: Loan, of start: UnsafePointer<UInt8>) -> Int32 {
        let bytes = unsafe start + loan.range.lowerBound
        let count = sqlite3_uint64(loan.range.count)
        // SAFETY: the range was recorded when its bytes were appended; no destructor means that the
        // bytes stay ours.
        return loan.isText
            ? unsafe sqlite3_bind_text64(
                handle, loan.parameter, UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self),
                count, nil, UInt8(SQLITE_UTF8))
            : unsafe sqlite3_bind_blob64(handle, loan.parameter, bytes, count, nil)
    }

    /// Removes all arguments, in SQLite too.
    private mutating func takeBack() {
        count = 0
        refusal = SQLITE_OK
        // Numbers may stay: the next use binds every parameter again.
        guard !loans.isEmpty else { return }
        // SAFETY: the statement was reset, so nothing reads the pointers any more.
        _ = unsafe sqlite3_clear_bindings(handle)
        loans.removeAll(keepingCapacity: true)
        buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
    }

    private mutating func next() -> Int32 {
        count += 1
        return count
    }

    private mutating func note(_ code: Int32) {
        if refusal == SQLITE_OK { refusal = code }
    }
}
