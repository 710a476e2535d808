// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
package import RoostServer
import RoostSockets
import RoostWire

/// The things that the files' bucket takes from outside.
package struct S3World: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// The time for signatures.
    package var time: @Sendable () -> Timestamp
    /// A clock that neither jumps nor goes back, for time limits.
    package var now: @Sendable () -> Instant
    /// Waits; a canceled task waits no longer.
    package var pause: @Sendable (Duration) async -> Void
    package var log: @Sendable (LogLine) -> Void

    package init(
        time: @escaping @Sendable () -> Timestamp, now: @escaping @Sendable () -> Instant,
        pause: @escaping @Sendable (Duration) async -> Void,
        log: @escaping @Sendable (LogLine) -> Void
    ) {
        self.time = time
        self.now = now
        self.pause = pause
        self.log = log
    }
}

/// The calls to one bucket: signed, bounded in number and time, and repeated where that helps.
actor S3Bucket {
    struct Answer: Sendable {
        let response: HTTPClientResponse
        /// The document, if the call asks for one.
        let document: S3Document?
    }

    /// A call that waits for others to end.
    private struct Waiter {
        let number: Int
        let isRead: Bool
        let go: CheckedContinuation<Result<Void, S3Failure>, Never>
    }

    /// Bodies beyond this size are sent in pieces of it, so that a body is not copied as a whole.
    private static let pieceBytes = 262_144
    private static let longestPause: Duration = .seconds(3)

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its loop.
        unsafe loop.asUnownedSerialExecutor()
    }

    nonisolated let settings: S3Settings
    private let loop: EventLoop
    private let host: SocketURL
    private let client: HTTPClient
    private let signature: S3Signature
    private let world: S3World
    private var running = 0
    /// The running calls that read files.
    private var reading = 0
    private var waiting: [Waiter] = []
    private var lastWaiter = 0
    private(set) var counts = S3FileStore.Counts()
    /// Whether the log says that the bucket fails.
    private var isFailureLogged = false
    private var lastLog: S3World.Instant?

    /// Makes the caller of a bucket.
    ///
    /// - Throws: A sentence if the endpoint or the certificates cannot be used.
    init(_ settings: S3Settings, _ world: S3World, on loop: EventLoop) throws(StorageError) {
        self.settings = settings
        self.world = world
        self.loop = loop
        signature = S3Signature(keys: settings.keys, region: settings.region)
        do throws(SocketError) {
            host = try SocketURL(settings.endpoint, .http)
            let file = settings.authoritiesFile
            let tls = file == nil ? nil : try TLSContext.client(extraAuthoritiesFile: file)
            client = HTTPClient(on: loop, tls: tls, idleLimit: settings.callLimit)
        } catch {
            throw StorageError(error.message, underlying: error)
        }
    }

    /// Returns the error for a caller of the store.
    nonisolated func error(_ failure: S3Failure) -> StorageError {
        failure.isCancelled
            ? .cancelled() : StorageError(failure.sentences(settings, peer: host.peer))
    }

    /// Makes a call and returns its answer; a failure that may pass repeats it, within its time.
    func send(_ call: S3Call) async throws(S3Failure) -> Answer {
        counts.calls &+= 1
        let deadline = world.now().advanced(by: call.time)
        let hash =
            call.body.isEmpty
            ? S3Signature.emptyHash : Digest.hex(Digest.sha256(call.body))
        var pause = settings.firstPause
        var attempt = 1
        while true {
            do throws(S3Failure) {
                let answer = try await sendOnce(call, hash, until: deadline)
                noteUse()
                return answer
            } catch {
                guard error.mayPass, attempt < settings.attempts, !Task.isCancelled,
                    world.now().advanced(by: pause) < deadline
                else {
                    note(error, isLogged: call.isLogged)
                    throw error
                }
            }
            counts.repeats &+= 1
            attempt += 1
            await world.pause(pause)
            pause = min(pause * 3, Self.longestPause)
        }
    }

    private func sendOnce(
        _ call: S3Call, _ hash: String, until deadline: S3World.Instant
    ) async throws(S3Failure) -> Answer {
        try await enter(call, until: deadline)
        defer { leave(call) }
        let left = world.now().duration(to: deadline)
        guard left > .zero else { throw S3Failure(.late) }
        var request = request(call, hash)
        request.timeLimit = call.isLong ? left : min(left, settings.attemptTime)
        request.body = body(of: call, until: deadline)
        let response: HTTPClientResponse
        do throws(SocketError) {
            response = try await client.send(request)
        } catch {
            throw S3Failure(error.kind == .bodyUnreadable ? .late : .network(error))
        }
        guard (200..<300).contains(response.status) else {
            throw S3Failure(response, S3Document(response.body))
        }
        guard let root = call.root else { return Answer(response: response, document: nil) }
        guard let document = S3Document(response.body) else { throw S3Failure(.foreign) }
        guard document.root == root else {
            throw document.root == "Error"
                ? S3Failure(response, document) : S3Failure(.foreign)
        }
        return Answer(response: response, document: document)
    }

    private func request(_ call: S3Call, _ hash: String) -> HTTPClientRequest {
        // Names, prefixes and buckets have only characters that stand for themselves.
        let base = host.target == "/" ? "" : host.target
        let path = base + "/" + settings.bucket + "/" + (call.key ?? "")
        let date = S3Signature.date(world.time().milliseconds / 1_000)
        var headers = call.headers
        headers.append("X-Amz-Content-Sha256", hash)
        headers.append("X-Amz-Date", date)
        if let token = settings.keys.sessionToken {
            headers.append("X-Amz-Security-Token", token)
        }
        var signed = headers
        signed.append("Host", host.authority)
        let authorization = signature.authorization(
            of: S3Signature.Call(
                method: call.method, path: path, query: call.query, headers: signed,
                bodyHash: hash), at: date)
        headers.append("Authorization", authorization)
        let query = S3Signature.text(call.query)
        let scheme = host.isSecure ? "https" : "http"
        return HTTPClientRequest(
            method: call.method,
            url: "\(scheme)://\(host.authority)\(path)" + (query.isEmpty ? "" : "?\(query)"),
            headers: headers, timeLimit: settings.attemptTime, answerBytes: call.answerBytes)
    }

    private func body(
        of call: S3Call, until deadline: S3World.Instant
    ) -> HTTPClientRequest.Body {
        let body = call.body
        guard body.count > Self.pieceBytes else {
            // An empty file has a length too.
            return body.isEmpty && call.method != "PUT" && call.method != "POST"
                ? .none : .bytes(body)
        }
        let next = Guarded(0)
        return .pieces(length: Int64(body.count)) { [world] in
            guard world.now() < deadline else { return nil }
            let piece = next.withLock { place in
                let start = place
                place = min(body.count, start + Self.pieceBytes)
                return start..<place
            }
            return Array(body[piece])
        }
    }

    // MARK: The bound on calls

    /// Waits until the call may run, at most until its deadline.
    ///
    /// Calls that join the parts of large files hold their places for minutes.
    private func enter(
        _ call: S3Call, until deadline: S3World.Instant
    ) async throws(S3Failure) {
        let isRead = call.isRead
        guard !mayRun(isRead) else { return begin(isRead) }
        guard waiting.count < settings.waitLimit,
            !isRead || waiting.count(where: \.isRead) < Self.readShare(of: settings.waitLimit)
        else { throw S3Failure(.crowded) }
        lastWaiter += 1
        let number = lastWaiter
        let timer: LoopTimer
        do throws(SocketError) {
            timer = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.giveUp(number, S3Failure(.late)) }
            }
        } catch {
            throw S3Failure(.network(error))
        }
        timer.start(after: world.now().duration(to: deadline))
        // The place is handed over: `leave` has counted the call when it resumes.
        let outcome: Result<Void, S3Failure> = await withTaskCancellationHandler {
            await withCheckedContinuation { go in
                waiting.append(Waiter(number: number, isRead: isRead, go: go))
            }
        } onCancel: {
            loop.execute { [weak self] in
                self?.assumeIsolated { $0.giveUp(number, .cancelled) }
            }
        }
        timer.close()
        try outcome.get()
    }

    /// Ends the wait of a call that has no place yet.
    private func giveUp(_ number: Int, _ failure: S3Failure) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).go.resume(returning: .failure(failure))
    }

    private func leave(_ call: S3Call) {
        running -= 1
        if call.isRead { reading -= 1 }
        guard let next = waiting.firstIndex(where: { mayRun($0.isRead) }) else { return }
        let waiter = waiting.remove(at: next)
        begin(waiter.isRead)
        waiter.go.resume(returning: .success(()))
    }

    /// Whether one more call may run now.
    private func mayRun(_ isRead: Bool) -> Bool {
        running < settings.callLimit
            && (!isRead || reading < Self.readShare(of: settings.callLimit))
    }

    private func begin(_ isRead: Bool) {
        running += 1
        if isRead { reading += 1 }
    }

    /// The part of a bound that reads may fill; the rest is for writes.
    private static func readShare(of limit: Int) -> Int { limit - limit / 4 }

    // MARK: The operator

    private func noteUse() {
        counts.isAway = false
        guard isFailureLogged else { return }
        isFailureLogged = false
        log(.warning, "The files' bucket \(settings.bucket) works again.")
    }

    /// Counts a failure, and logs the first after a success, at most one a minute; missing files are
    /// none.
    private func note(_ failure: S3Failure, isLogged: Bool) {
        if failure.isMissing || failure.isBehindEnd || failure.isUnknownUpload { return noteUse() }
        guard !failure.isCancelled, !failure.isUnexplained else { return }
        counts.failures &+= 1
        counts.isAway = true
        let now = world.now()
        guard isLogged, !isFailureLogged,
            lastLog.map({ $0.advanced(by: .seconds(60)) <= now }) ?? true
        else { return }
        (isFailureLogged, lastLog) = (true, now)
        log(.error, failure.sentences(settings, peer: host.peer))
    }

    private func log(_ level: LogLine.Level, _ message: String) {
        world.log(LogLine(level, "files", [.init("message", .string(message))]))
    }
}
