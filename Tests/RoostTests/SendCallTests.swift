// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestSupport
import Testing

/// Send calls on an app's threads; the address has no listener.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SendCallTests {
    private static func open(_ folder: TemporaryFolder) async throws -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "calls", server: "http://127.0.0.1:9", userID: "ada",
                cache: .folder(folder.path)))
    }

    private static func texts(_ client: ChatClient) async -> [String] {
        await client.unsentMessages(in: "c").map(\.text)
    }

    private static func file(_ text: String) -> MessageParams {
        .file(
            FileMessageParams(
                files: [OutgoingFile(.bytes([1]), name: "a", type: "a/b")], caption: text))
    }

    /// The texts of messages of either kind.
    private static func words(_ client: ChatClient) async -> [String] {
        await client.unsentMessages(in: "c").map { message in
            if case .file(let file) = message.content { file.caption } else { message.text }
        }
    }

    @Test func `a message or a change without a channel is refused, and is not kept`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let client = try await Self.open(folder)
        for call in [
            { _ = try await client.send("Hello", to: "") },
            { _ = try await client.send(Self.file("look"), to: "", as: nil) },
            { _ = try await client.unhide("") as RequestID },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: RoostError.self) { try await call() }
            #expect(error?.code == .invalidParameter && error?.remedy == .correctInput)
        }
        #expect(await client.unsentMessages(in: "").isEmpty)
        #expect(await client.health.outbox.pending == 0)
        await client.close()
    }

    @Test func `concurrent calls come on the disk in their order (scar 12)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let client = try await Self.open(folder)
        let timeline = try await client.timeline(of: "c")
        // All begin on one thread, one after the other.
        let caller = ThreadExecutor(name: "caller")
        let calls = (0..<400).map { number in
            Task(executorPreference: caller) {
                let params: MessageParams =
                    number % 37 == 36
                    ? Self.file("\(number)") : .user(UserMessageParams(text: "\(number)"))
                _ = try await client.send(params, to: "c", as: nil)
            }
        }
        for call in calls { try await call.value }
        let expected = (0..<400).map { "\($0)" }
        #expect(await Self.words(client) == expected)
        #expect(await timeline.snapshot.messages.count == 400)
        await client.close()
        let again = try await Self.open(folder)
        #expect(await Self.words(again) == expected)
        await again.close()
    }

    @Test func `a call's message is in the next list of every kind (scar 68)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        // Not on the pool, where each return would wait for a simulation.
        let test = Task(executorPreference: ThreadExecutor(name: "caller")) {
            let client = try await Self.open(folder)
            let timeline = try await client.timeline(of: "c")
            let events = await client.outboxEvents()
            for number in 0..<20 {
                let sent = try await client.send("\(number)", to: "c")
                #expect(sent.status == .pending)
                #expect(await timeline.snapshot.messages.count == number + 1)
                // With the same request ID it is the same message.
                let params = UserMessageParams(text: "other")
                let again = try await client.send(.user(params), to: "c", as: sent.requestID)
                #expect(again.text == "\(number)")
            }
            let expected = (0..<20).map { "\($0)" }
            #expect(await Self.texts(client) == expected)
            await client.close()
            var queued: [String] = []
            for await case .queued(let message) in events { queued.append(message.text) }
            #expect(queued == expected)
        }
        try await test.value
    }

    @Test func `a call that finds the files closed is not overtaken by the next one (scar 12)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let caller = ThreadExecutor(name: "caller")
        let test = Task(executorPreference: caller) {
            let client = try await Self.open(folder)
            for round in 0..<200 {
                await client.suspend()
                let calls = (0..<3).map { number in
                    Task(executorPreference: caller) {
                        try await client.send("\(round * 3 + number)", to: "c")
                    }
                }
                try await client.resume()
                for call in calls { _ = try await call.value }
            }
            #expect(await Self.texts(client) == (0..<600).map { "\($0)" })
            await client.close()
        }
        try await test.value
    }

    @Test func `calls during a suspension wait and keep their order (scars 12, 49)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let caller = ThreadExecutor(name: "caller")
        let test = Task(executorPreference: caller) {
            let client = try await Self.open(folder)
            try await client.send("0", to: "c")
            await client.suspend()
            let calls = (1..<50).map { number in
                Task(executorPreference: caller) { try await client.send("\(number)", to: "c") }
            }
            try await client.resume()
            for call in calls { _ = try await call.value }
            #expect(await Self.texts(client) == (0..<50).map { "\($0)" })
            try await client.send("last", to: "c")
            #expect(await Self.texts(client).last == "last")
            await client.close()
            await #expect(throws: RoostError.self) { try await client.send("never", to: "c") }
            #expect(await Self.texts(client).count == 51)
        }
        try await test.value
    }
}
