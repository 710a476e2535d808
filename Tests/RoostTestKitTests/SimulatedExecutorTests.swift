// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

struct SimulatedExecutorTests {
    private actor Diary {
        nonisolated let executor: any WorldExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }
        private(set) var lines: [String] = []

        init(executor: any WorldExecutor) { self.executor = executor }

        func write(_ line: String) { lines.append(line) }

        func sleepAndWrite(_ line: String, on clock: any WorldClock, for duration: Duration) async {
            let task = Task(executorPreference: executor) {
                try? await clock.sleep(for: duration)
                await self.write(line)
            }
            await task.value
        }
    }

    private static func play() throws -> (lines: [String], jobs: Int, time: Duration) {
        let world = SimulatedExecutor()
        let lines = try world.run {
            let diary = Diary(executor: world)
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            await withTaskGroup(of: Void.self) { group in
                for delay in [3, 1, 2] {
                    group.addTask {
                        await diary.sleepAndWrite("\(delay)", on: world, for: .seconds(delay))
                        continuation.yield(delay)
                    }
                }
                var seen = 0
                for await delay in stream {
                    await diary.write("saw \(delay)")
                    seen += 1
                    if seen == 3 { break }
                }
            }
            return await diary.lines
        }
        return (lines, world.jobsRun, world.now)
    }

    @Test func `sleeps end in the order of their deadlines without any real waiting`() throws {
        let (lines, _, time) = try Self.play()
        #expect(lines == ["1", "saw 1", "2", "saw 2", "3", "saw 3"])
        #expect(time == .seconds(3))
    }

    @Test func `a story without an end is a failure and no hang`() {
        let error = #expect(throws: SimulatedExecutor.Endless.self) {
            try SimulatedWorld.play(seed: 1, jobLimit: 5_000) { world in
                while true { await world.pass(.seconds(1)) }
            }
        }
        #expect(error.map { "\($0)" }?.contains("5000 jobs") == true)
    }

    @Test func `the same story takes the same steps each time`() throws {
        let first = try Self.play().jobs
        for _ in 0..<50 { #expect(try Self.play().jobs == first) }
    }

    @Test func `a cancelled sleep ends at once`() throws {
        let world = SimulatedExecutor()
        let wasCancelled = try world.run {
            let task = Task(executorPreference: world) {
                do { try await world.sleep(for: .seconds(60)) } catch { return true }
                return false
            }
            task.cancel()
            return await task.value
        }
        #expect(wasCancelled)
        #expect(world.now == .zero)
    }
}
