// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

/// One session at a database server, driven by an event loop.
///
/// It runs one batch of statements at a time; the pool lends it to one caller at a time.
///
/// - Invariant: After `init` every use is on the loop's thread. `@unchecked Sendable` relies on that
///   confinement.
@safe final class PostgresConnection: @unchecked Sendable {
    private let library: LibPQ
    private let session: OpaquePointer
    private let loop: EventLoop
    private var watch: SocketWatch?
    private var alarm: LoopTimer?
    private var batch: PostgresBatch?
    /// The names of the statements that the server has prepared, by their text.
    private var prepared: [String: String] = [:]
    private var lastName = 0
    /// Whether the server has warned during the batch.
    private var isWarned = false
    /// The failure that ended the session; nil while it is usable.
    private(set) var failure: PostgresError?
    /// The function for the end of an idle session.
    var onLoss: (() -> Void)?
    /// The number of the server's timeline, which grows with each promotion of a standby.
    var timeline: Int64 = 0
    /// The time since the server's last crash or promotion; nil before the first migration.
    var era: PostgresEra?
    /// The name of the session's row in the table of marks; nil if the schema has no such table.
    var mark: String?

    /// Takes an open session over.
    ///
    /// - Throws: An error if the session cannot be watched; it is closed then.
    init(
        _ session: OpaquePointer, _ library: LibPQ, on loop: EventLoop
    ) throws(PostgresError) {
        self.library = library
        unsafe self.session = unsafe session
        self.loop = loop
        // SAFETY: the session is open and owned by this object, whose `deinit` closes it. The
        // receiver gets this object, which lives as long as the session.
        var isReady = unsafe library.setNonBlocking(session, 1) == 0
        isReady = unsafe library.enterPipeline(session) == 1 && isReady
        let descriptor = unsafe library.socket(session)
        guard isReady, descriptor >= 0 else { throw .lost("It could not be prepared.") }
        unsafe _ = library.setNoticeReceiver(
            session,
            { context, notice in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue()
                    .note(notice)
            }, Unmanaged.passUnretained(self).toOpaque())
        do throws(SocketError) {
            watch = try SocketWatch(descriptor, on: loop) { [weak self] in self?.advance() }
            alarm = try LoopTimer(
                on: loop, onStop: { [weak self] in self?.end(.closed) },
                action: { [weak self] in self?.end(.lost("An answer did not come in time.")) })
        } catch {
            watch?.stop()
            throw PostgresError(.unreachable, error.message)
        }
        watch?.wait(forWriting: false)
    }

    deinit {
        let ended = unsafe EndedSession(session, library, watch, alarm)
        // The loop must forget the socket before it is closed.
        loop.execute { ended.close() }
    }

    /// Runs statements in one round trip, in order; after a refused one none of the rest runs.
    ///
    /// - Parameters:
    ///   - statements: The statements with their arguments.
    ///   - patience: The wait for all answers, after which the connection ends.
    /// - Returns: The rows of each statement, and whether the server has warned.
    /// - Throws: The first refusal, or `.lost`.
    func run(
        _ statements: [(sql: PostgresSQL, values: [PostgresValue])], patience: Duration
    ) async throws(PostgresError) -> (rows: [PostgresRows], isWarned: Bool) {
        if let failure { throw failure }
        precondition(batch == nil, "A connection was used by two callers at once.")
        let result = await withCheckedContinuation {
            (waiter: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>) in
            // The session may have ended since the check above.
            if let failure { return waiter.resume(returning: .failure(failure)) }
            isWarned = false
            batch = PostgresBatch(waiter)
            for (sql, values) in statements where failure == nil { send(sql, values) }
            // SAFETY: the session is open until `deinit`.
            if failure == nil, unsafe library.sync(session) != 1 { end(lossOfSession) }
            guard failure == nil else { return }
            alarm?.start(after: patience)
            advance()
        }
        return (try result.get(), isWarned)
    }

    /// Ends the session; a batch under way fails with the error.
    func end(_ error: PostgresError) {
        guard failure == nil else { return }
        failure = error
        watch?.stop()
        alarm?.close()
        let ended = batch
        batch = nil
        ended?.waiter.resume(returning: .failure(error))
        if ended == nil { onLoss?() }
        onLoss = nil
    }

    private var lossOfSession: PostgresError {
        // SAFETY: the session is open; the text is copied at once.
        let text = unsafe library.errorMessage(session).map { unsafe String(cString: $0) } ?? ""
        return .lost(text)
    }

    // MARK: Sending

    private func send(_ sql: PostgresSQL, _ values: [PostgresValue]) {
        let texts = values.map(\.encoded)
        guard sql.isKept else {
            batch?.expected.append(.rows)
            // SAFETY: libpq copies the statement and its arguments during the call.
            let isSent = unsafe withPointers(texts) { values in
                unsafe library.sendQuery(
                    session, sql.text, CInt(texts.count), nil, values, nil, nil, 0)
            }
            if isSent != 1 { end(lossOfSession) }
            return
        }
        let name: String
        if let known = prepared[sql.text] {
            name = known
        } else {
            lastName += 1
            name = "s\(lastName)"
            batch?.expected.append(.preparation(sql.text))
            prepared[sql.text] = name
            // SAFETY: as above.
            guard unsafe library.sendPrepare(session, name, sql.text, 0, nil) == 1 else {
                return end(lossOfSession)
            }
        }
        batch?.expected.append(.rows)
        // SAFETY: as above.
        let isSent = unsafe withPointers(texts) { values in
            unsafe library.sendPrepared(session, name, CInt(texts.count), values, nil, nil, 0)
        }
        if isSent != 1 { end(lossOfSession) }
    }

    /// Lends pointers to texts; nil for NULL.
    private func withPointers(
        _ texts: [String?], _ body: (LibPQ.Texts?) -> CInt
    ) -> CInt {
        var pointers: [UnsafePointer<CChar>?] = unsafe []
        var copies: [UnsafeMutablePointer<CChar>] = unsafe []
        for text in texts {
            guard var text else {
                unsafe pointers.append(nil)
                continue
            }
            // SAFETY: the copy has room for the text's bytes and the zero, and is freed below.
            let count = text.utf8.count
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
            text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(copy).copyMemory(from: start, byteCount: count)
            }
            unsafe copy[count] = 0
            unsafe copies.append(copy)
            unsafe pointers.append(UnsafePointer(copy))
        }
        let count = unsafe copies.count
        defer { for index in 0..<count { unsafe copies[index].deallocate() } }
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }

    // MARK: Receiving

    /// Writes and reads what the socket takes and has, without a wait.
    private func advance() {
        guard failure == nil else { return }
        // SAFETY: the session is open until `deinit`, here and below.
        guard unsafe library.consumeInput(session) == 1 else { return end(lossOfSession) }
        let rest = unsafe library.flush(session)
        guard rest >= 0 else { return end(lossOfSession) }
        watch?.wait(forWriting: rest == 1)
        while failure == nil, batch != nil, unsafe library.isBusy(session) == 0 {
            guard let result = unsafe library.getResult(session) else {
                guard batch?.endOfResults() == true else { break }
                continue
            }
            unsafe take(result)
        }
    }

    private func take(_ result: OpaquePointer) {
        batch?.emptyReads = 0
        // SAFETY: the result is owned here; `PostgresRows` frees it.
        switch unsafe library.resultStatus(result) {
        case Status.rows, Status.done:
            let rows = unsafe PostgresRows(result, library)
            batch?.take(rows)
        case Status.sync:
            unsafe library.clear(result)
            finishBatch()
        case Status.aborted:
            unsafe library.clear(result)
            forgetPreparation()
        default:
            let state = unsafe field(result, Field.state)
            let text = unsafe field(result, Field.text)
            let constraint = unsafe field(result, Field.constraint)
            unsafe library.clear(result)
            forgetPreparation()
            let error = PostgresError.refused(state, text, constraint)
            if batch?.refusal == nil { batch?.refusal = error }
            // After a fatal error no end of the batch follows.
            if error.endsConnection { end(error) }
        }
    }

    /// Drops the name of a statement that was not prepared.
    private func forgetPreparation() {
        if case .preparation(let text) = batch?.expected.first { prepared[text] = nil }
    }

    private func finishBatch() {
        guard let ended = batch else { return }
        batch = nil
        alarm?.stop()
        if let refusal = ended.refusal {
            ended.waiter.resume(returning: .failure(refusal))
        } else {
            ended.waiter.resume(returning: .success(ended.rows))
        }
    }

    /// Notes a message of the server that is no answer.
    private func note(_ notice: OpaquePointer?) {
        guard let notice = unsafe notice else { return }
        // SAFETY: the notice is valid during the call and belongs to libpq.
        if unsafe field(notice, Field.severity) == "WARNING" { isWarned = true }
    }

    private func field(_ result: OpaquePointer, _ code: CInt) -> String {
        unsafe library.resultField(result, code).map { unsafe String(cString: $0) } ?? ""
    }

    /// The numbers of libpq's `ExecStatusType` that a batch can end with.
    private enum Status {
        static let done: CInt = 1
        static let rows: CInt = 2
        static let sync: CInt = 10
        static let aborted: CInt = 11
    }

    /// The codes of the fields of an error.
    private enum Field {
        static let severity = CInt(UInt8(ascii: "V"))
        static let state = CInt(UInt8(ascii: "C"))
        static let text = CInt(UInt8(ascii: "M"))
        static let constraint = CInt(UInt8(ascii: "n"))
    }
}

/// A session without a connection.
///
/// - Invariant: It is used once, on the loop's thread.
@safe private struct EndedSession: @unchecked Sendable {
    private let session: OpaquePointer
    private let library: LibPQ
    private let watch: SocketWatch?
    private let alarm: LoopTimer?

    init(
        _ session: OpaquePointer, _ library: LibPQ, _ watch: SocketWatch?, _ alarm: LoopTimer?
    ) {
        unsafe self.session = unsafe session
        self.library = library
        self.watch = watch
        self.alarm = alarm
    }

    func close() {
        watch?.stop()
        alarm?.close()
        // SAFETY: the connection, the only owner of the session, is gone.
        unsafe library.finish(session)
    }
}

/// Statements under way on a connection, with the results so far.
struct PostgresBatch {
    enum Expected {
        case preparation(String)
        case rows
    }

    let waiter: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>
    var expected: [Expected] = []
    var rows: [PostgresRows] = []
    var refusal: PostgresError?
    /// The number of reads in a row that found no result.
    var emptyReads = 0

    init(_ waiter: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>) {
        self.waiter = waiter
    }

    mutating func take(_ result: PostgresRows) {
        if case .rows = expected.first { rows.append(result) }
    }

    /// Goes on to the next statement; false if libpq has nothing more for now.
    mutating func endOfResults() -> Bool {
        if !expected.isEmpty { expected.removeFirst() }
        emptyReads += 1
        return emptyReads < 2
    }
}

extension PostgresError {
    static func lost(_ text: String) -> PostgresError {
        let cause = text.split(separator: "\n").first.map(String.init) ?? ""
        return PostgresError(
            .lost, "The connection to the database broke, and is opened again. \(cause)")
    }

    static func refused(_ state: String, _ text: String, _ constraint: String) -> PostgresError {
        let place = constraint.isEmpty ? state : "\(state), \(constraint)"
        return PostgresError(
            .refused(state), "The database refused a statement: \(text) (\(place)).")
    }
}
