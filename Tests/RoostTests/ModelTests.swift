// SPDX-License-Identifier: Apache-2.0

import Observation
import Roost
import RoostTestSupport
import Testing

/// The models for views on the main actor, with the real clock, disk and threads, and without a
/// reachable server.
@MainActor
struct ModelTests {
    private static func client(in folder: TemporaryFolder) async throws -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "app", server: "http://127.0.0.1:9", userID: "alice",
                cache: .folder(folder.path), allowsPlainTransport: true))
    }

    /// Returns as soon as the condition holds; evaluates it after each change of its inputs.
    private static func until(_ condition: @escaping @MainActor () -> Bool) async {
        while true {
            let changes = AsyncStream.makeStream(of: Void.self)
            let holds = withObservationTracking(condition) { changes.continuation.finish() }
            if holds { return }
            for await _ in changes.stream {}
        }
    }

    @Test func `a view's timeline follows the messages and shows errors`() async throws {
        let folder = try TemporaryFolder()
        let client = try await Self.client(in: folder)
        let model = TimelineModel(client, channel: "c")
        #expect(model.isOpening)
        let running = Task { await model.run() }
        // The server cannot be asked.
        await Self.until { !model.isOpening && model.connection != nil }
        #expect(await model.send("one"))
        #expect(await model.send(UserMessageParams(text: "two")))
        await Self.until { model.messages.map(\.text) == ["one", "two"] }
        #expect(model.messages.allSatisfy { $0.status == .pending })
        #expect(Set(model.messages.map(\.id)).count == 2)
        #expect(await !model.send(""))
        #expect(model.error?.code == .invalidParameter)
        #expect(await model.send("three"))
        #expect(model.error == nil)
        // The channel has no coverage, and no server is reachable: paging fails and shows no end.
        await Self.until { model.hasOlder }
        await model.loadOlder()
        #expect(model.error != nil && model.hasOlder)
        running.cancel()
        await running.value
        #expect(model.messages.count == 3)
        await client.close()
    }

    @Test func `a view's channel list shows the cached list and the connection's state`()
        async throws
    {
        let folder = try TemporaryFolder()
        let client = try await Self.client(in: folder)
        let model = ChannelListModel(client)
        let running = Task { await model.run() }
        await Self.until { !model.isOpening && model.connection != nil }
        #expect(model.channels.isEmpty)
        await client.close()
        await running.value
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `the main actor continues while the disk blocks a call (scar 139)`() async throws {
        let folder = try TemporaryFolder()
        let client = try await Self.client(in: folder)
        await client.suspend()
        var isOpen = false
        let opening = Task { @MainActor in
            let timeline = try await client.timeline(of: "c")
            isOpen = true
            await timeline.close()
        }
        let connecting = Task { @MainActor in try? await client.connect() }
        // Every turn below needs the main actor, and the disk does not answer before the last.
        for _ in 0..<1_000 { await Task.detached {}.value }
        #expect(!isOpen)
        try await client.resume()
        try await opening.value
        #expect(isOpen)
        await client.disconnect()
        await connecting.value
        await client.close()
    }
}
