// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostSockets

/// A counter on its loop, which records runs on any other thread.
private actor Counter {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }
    private let loop: EventLoop
    private(set) var count = 0
    private(set) var strayCount = 0

    init(on loop: EventLoop) { self.loop = loop }

    func add() {
        count += 1
        if !loop.isOnLoop { strayCount += 1 }
    }
}

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct EventLoopTests {
    @Test func `an actor on the loop runs on its thread, from wherever it is called`()
        async throws
    {
        let loop = try EventLoop.start()
        let counter = Counter(on: loop)
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { for _ in 0..<100 { await counter.add() } }
            }
        }
        #expect(await counter.count == 5_000)
        #expect(await counter.strayCount == 0)
        await loop.shutdown()
    }

    @Test func `a task that prefers the loop runs on its thread`() async throws {
        let loop = try EventLoop.start()
        let wasOnLoop = await withTaskExecutorPreference(loop) {
            await Task.yield()
            return loop.isOnLoop
        }
        #expect(wasOnLoop)
        await loop.shutdown()
    }

    @Test func `work runs in the order of its calls`() async throws {
        let loop = try EventLoop.start()
        let seen = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<1_000 { loop.execute { seen.withLock { $0.append(number) } } }
            loop.execute { continuation.resume() }
        }
        #expect(seen.withLock { $0 } == Array(0..<1_000))
        await loop.shutdown()
    }

    @Test func `work that creates work does not delay the sockets`() async throws {
        try await withServer { server, loop in
            let isDone = Atomic<Bool>(false)
            let spinner = Spinner(on: loop) { isDone.load(ordering: .relaxed) }
            spinner.spin()
            let connection = try await WebSocketClient.connect(
                url: "ws://127.0.0.1:\(server.port)/", on: loop)
            try await connection.send("through")
            #expect(try await connection.receive() == .text("through"))
            isDone.store(true, ordering: .relaxed)
            await connection.close()
        }
    }

    @Test func `the sockets have their turn after ten milliseconds of work`() async throws {
        let loop = try EventLoop.start()
        let count = try await Self.jobsInTurn(of: loop) {
            let end = ContinuousClock.now + .milliseconds(11)
            while ContinuousClock.now < end {}
        }
        #expect(count <= 1)
        await loop.shutdown()
    }

    @Test func `the sockets have their turn once the kernel takes no more bytes of a stream`()
        async throws
    {
        let loop = try EventLoop.start()
        let (stream, client) = try await Self.fullStream(on: loop)
        let count = try await Self.jobsInTurn(of: loop) { stream.write([0]) }
        #expect(count <= 1)
        RawClient.reset(client)
        await loop.shutdown()
    }

    /// Returns the number of jobs, each of which creates the next one, before the end of a turn of
    /// the loop.
    private static func jobsInTurn(
        of loop: EventLoop, _ job: @escaping @Sendable () -> Void
    ) async throws -> Int {
        let (row, ended) = (JobRow(of: job, on: loop), Gate())
        try await loop.run { () throws(SocketError) -> Void in
            // The loop releases a closed handle behind the sockets of the same turn.
            let release = Release {
                row.stop()
                ended.open()
            }
            let timer = try LoopTimer(on: loop) { withExtendedLifetime(release) {} }
            timer.close()
            row.next()
        }
        await ended.wait()
        return row.count
    }

    /// Opens a stream to a client that reads nothing, with more bytes than the kernel takes.
    private static func fullStream(
        on loop: EventLoop
    ) async throws -> (stream: ByteStream, client: CInt) {
        let addresses = try await NameResolver.resolve(host: "127.0.0.1", port: 0, on: loop)
        let (streams, accepted) = AsyncStream.makeStream(of: ByteStream.self)
        let listener = try await loop.run { () throws(SocketError) -> TCPListener in
            let listener = try TCPListener(
                bindingTo: addresses[0], named: "127.0.0.1", port: 0, on: loop)
            listener.onConnection = { descriptor in
                defer { accepted.finish() }
                guard let tcp = try? TCPStream(adopting: descriptor, on: loop) else { return }
                let stream = ByteStream(tcp, tls: nil, on: loop)
                stream.start()
                stream.write([UInt8](repeating: 0, count: 32_000_000))
                accepted.yield(stream)
            }
            listener.resume()
            return listener
        }
        let client = RawClient.open("", port: listener.port)
        var iterator = streams.makeAsyncIterator()
        let next = await iterator.next()
        let stream = try #require(next)
        return (stream, client)
    }

    @Test func `an actor works in isolation after its loop has ended`()
        async throws
    {
        let loop = try EventLoop.start()
        let counter = Counter(on: loop)
        await loop.shutdown()
        await loop.shutdown()
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { for _ in 0..<50 { await counter.add() } }
            }
        }
        #expect(await counter.count == 1_000)
    }

    @Test func `a loop that has ended takes no later thread for its own`() async throws {
        let loop = try EventLoop.start()
        let counter = Counter(on: loop)
        await loop.shutdown()
        #expect(loop.threadToken.load(ordering: .acquiring) == 0)
        await counter.add()
        await loop.shutdown()
        for _ in 0..<10 {
            let isOnLoop = await withCheckedContinuation { answer in
                Thread.run { answer.resume(returning: loop.isOnLoop) }
            }
            #expect(!isOnLoop)
        }
    }

    @Test func `a stopped loop starts no servers`() async throws {
        let loop = try EventLoop.start()
        await loop.shutdown()
        let error = await #expect(throws: SocketError.self) {
            _ = try await HTTPServer.start(handler: EchoHandler(), on: loop)
        }
        #expect(error?.kind == .loopStopped)
    }
}

/// A closure that schedules itself again and again.
private final class Spinner: Sendable {
    private let loop: EventLoop
    private let isDone: @Sendable () -> Bool

    init(on loop: EventLoop, until isDone: @escaping @Sendable () -> Bool) {
        self.loop = loop
        self.isDone = isDone
    }

    func spin() {
        loop.execute { [self] in
            if !isDone() { spin() }
        }
    }
}

/// A row of jobs, each of which creates the next one.
private final class JobRow: Sendable {
    private let loop: EventLoop
    private let job: @Sendable () -> Void
    private let isOver = Flag()
    private let finished = Atomic(0)

    /// The number of jobs that ended before `stop`.
    var count: Int { finished.load(ordering: .relaxed) }

    init(of job: @escaping @Sendable () -> Void, on loop: EventLoop) {
        self.job = job
        self.loop = loop
    }

    func stop() { isOver.set() }

    func next() {
        loop.execute { [self] in
            guard !isOver.isSet else { return }
            job()
            finished.add(1, ordering: .relaxed)
            next()
        }
    }
}

/// A closure that is called when the last reference to this object is released.
private final class Release: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}
