// SPDX-License-Identifier: Apache-2.0

import Observation
import Roost
import RoostTestSupport
import Testing

/// What a view on the main actor sees, with the real clock, disk and threads, and no server in reach.
@MainActor
struct ModelTests {
    private static func client(in folder: TemporaryFolder) async throws -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "app", server: "http://127.0.0.1:9", userID: "alice",
                cache: .folder(folder.path), allowsPlainTransport: true))
    }

    /// Returns as soon as the condition holds; asked again whenever what it reads changes.
    private static func until(_ condition: @escaping @MainActor () -> Bool) async {
        while true {
            let changes = AsyncStream.makeStream(of: Void.self)
            let holds = withObservationTracking(condition) { changes.continuation.finish() }
            if holds { return }
            for await _ in changes.stream {}
        }
    }

    @Test func `a view's timeline follows what is written, and says what went wrong`() async throws
    {
        let folder = try TemporaryFolder()
        let client = try await Self.client(in: folder)
        let model = TimelineModel(client, channel: "c")
        let running = Task { await model.run() }
        #expect(await model.send("one"))
        #expect(await model.send("two"))
        await Self.until { model.messages.map(\.text) == ["one", "two"] }
        #expect(model.messages.allSatisfy { $0.status == .pending })
        #expect(Set(model.messages.map(\.rowID)).count == 2)
        #expect(await !model.send(""))
        #expect(model.error?.code == .invalidParameter)
        #expect(await model.send("three"))
        #expect(model.error == nil)
        // Nothing is known of the channel, and no server in reach: paging says so and shows no end.
        await Self.until { model.hasOlder }
        await model.loadOlder()
        #expect(model.error != nil && model.hasOlder)
        running.cancel()
        await running.value
        #expect(model.messages.count == 3)
        await client.close()
    }

    @Test func `a view's channel list shows the disk's and the connection's state`() async throws {
        let folder = try TemporaryFolder()
        let client = try await Self.client(in: folder)
        let model = ChannelListModel(client)
        let running = Task { await model.run() }
        await Self.until { model.connection != nil }
        #expect(model.channels.isEmpty)
        await client.close()
        await running.value
    }

    @Test func `the main actor goes on while the disk keeps somebody waiting there`() async throws {
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
        // Every turn below needs the main actor, and the disk does not answer before they are over.
        var turns = 0
        for _ in 0..<1_000 {
            await Task.detached {}.value
            turns += 1
        }
        #expect(turns == 1_000)
        #expect(!isOpen)
        try await client.resume()
        try await opening.value
        #expect(isOpen)
        await client.disconnect()
        await connecting.value
        await client.close()
    }
}
