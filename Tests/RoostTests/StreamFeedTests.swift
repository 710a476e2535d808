// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostTestKit
import RoostTestSupport
import Testing

@testable import Roost

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct StreamFeedTests {
    /// Runs a story of a simulation on a thread of its own.
    ///
    /// - Returns: The result of the story.
    /// - Throws: The error of the story; `CancellationError` at the time limit if the story hangs.
    private static func play<Value: Sendable>(
        _ story: @escaping @Sendable (SimulatedExecutor) async throws -> Value
    ) async throws -> Value {
        let (results, end) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
        Thread.run {
            let simulation = SimulatedExecutor()
            end.yield(Result(catching: { try simulation.run { try await story(simulation) } }))
            end.finish()
        }
        var iterator = results.makeAsyncIterator()
        guard let result = await iterator.next() else { throw CancellationError() }
        return try result.get()
    }

    /// Reads a stream in a task that waits for its first element on return.
    private static func read<Element: Sendable>(
        _ stream: AsyncStream<Element>, on executor: CancellingExecutor,
        of simulation: SimulatedExecutor
    ) async throws -> Task<[Element], Never> {
        let reader = Task(executorPreference: executor) {
            var elements: [Element] = []
            for await element in stream { elements.append(element) }
            return elements
        }
        // Time passes when no job is left.
        try await simulation.sleep(for: .seconds(1))
        return reader
    }

    @Test func `the streams of a released feed end`() async {
        var feed: StreamFeed<Int>? = StreamFeed(.unbounded)
        let stream = feed?.open(beginningWith: 1)
        feed = nil
        var elements: [Int] = []
        if let stream { for await element in stream { elements.append(element) } }
        #expect(elements == [1])
    }

    @Test func `a reader that has left is forgotten without another element`() async {
        let feed = StreamFeed<Int>(.unbounded)
        for _ in 0..<10 {
            for await _ in feed.open(beginningWith: 1) { break }
        }
        #expect(feed.readerCount == 0)
        var reader = feed.open().makeAsyncIterator()
        #expect(feed.readerCount == 1)
        feed.publish(2)
        #expect(await reader.next() == 2)
    }

    @Test func `a closed feed of steps takes no further steps`() async {
        let feed = StepFeed<ChatEvent>()
        let stream = feed.open()
        feed.publish(.missed(1))
        feed.finish()
        feed.publish(.missed(2))
        var events: [ChatEvent] = []
        for await event in stream { events.append(event) }
        #expect(events == [.missed(1)])
    }

    @Test func `a reader far behind gets every step, the last ones joined`() async {
        let feed = StepFeed<ChatEvent>()
        let stream = feed.open()
        for _ in 0..<300 { feed.publish(.missed(1)) }
        feed.finish()
        var (count, steps) = (0, 0)
        for await event in stream {
            steps += 1
            if case .missed(let number) = event { count += number }
        }
        #expect(count == 300 && steps < 300)
    }

    @Test func `a reader that is cancelled while an element comes gets the element and the end`()
        async throws
    {
        let elements = try await Self.play { simulation in
            let executor = CancellingExecutor(of: simulation)
            let feed = StreamFeed<Int>(.unbounded)
            let reader = try await Self.read(feed.open(), on: executor, of: simulation)
            executor.cancel(reader)
            feed.publish(1)
            feed.publish(2)
            return await reader.value
        }
        #expect(elements == [1])
    }

    @Test func `a reader that is cancelled while a step comes gets the step and the end`()
        async throws
    {
        let steps = try await Self.play { simulation in
            let executor = CancellingExecutor(of: simulation)
            let feed = StepFeed<ChatEvent>()
            let reader = try await Self.read(feed.open(), on: executor, of: simulation)
            executor.cancel(reader)
            feed.publish(.missed(1))
            feed.publish(.missed(2))
            return await reader.value
        }
        #expect(steps == [.missed(1)])
    }

    @Test func `a reader that is cancelled while a feed of steps is closed gets the end`()
        async throws
    {
        let steps = try await Self.play { simulation in
            let executor = CancellingExecutor(of: simulation)
            let feed = StepFeed<ChatEvent>()
            let reader = try await Self.read(feed.open(), on: executor, of: simulation)
            executor.cancel(reader)
            feed.finish()
            return await reader.value
        }
        #expect(steps == [])
    }

    @Test func `two readers of one stream that are cancelled at one moment both get the end`()
        async throws
    {
        let steps = try await Self.play { simulation in
            let executor = CancellingExecutor(of: simulation)
            let feed = StepFeed<ChatEvent>()
            let stream = feed.open()
            let first = try await Self.read(stream, on: executor, of: simulation)
            let second = try await Self.read(stream, on: executor, of: simulation)
            // The end of the stream resumes both.
            executor.cancel(second)
            first.cancel()
            return await first.value + second.value
        }
        #expect(steps == [])
    }

    @Test func `readers are cancelled on one thread while another one publishes`() async {
        let (states, steps) = (StreamFeed<Int>(.bufferingNewest(1)), StepFeed<ChatEvent>())
        let isOver = Flag()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let reading = ThreadExecutor(name: "test.reading")
        let cancelling = ThreadExecutor(name: "test.ending")
        Thread.run {
            while !isOver.isSet {
                states.publish(1)
                steps.publish(.missed(1))
            }
        }
        Task(executorPreference: cancelling) {
            for _ in 0..<1_000 {
                let (hasState, hasStep) = (Gate(), Gate())
                let readers = [
                    Task(executorPreference: reading) {
                        for await _ in states.open() { hasState.open() }
                    },
                    Task(executorPreference: reading) {
                        for await _ in steps.open() { hasStep.open() }
                    },
                ]
                await hasState.wait()
                await hasStep.wait()
                for reader in readers { reader.cancel() }
                for reader in readers { await reader.value }
            }
            isOver.set()
            end.finish()
        }
        // Ends at the time limit too.
        for await _ in ended {}
        #expect(isOver.isSet)
        #expect(states.readerCount == 0)
        #expect(steps.readerCount == 0)
    }
}
