// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import Synchronization
import Testing

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
