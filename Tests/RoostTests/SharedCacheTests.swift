// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostStore
import RoostTestKit
import RoostTestSupport
import Testing

/// A client whose cache another process writes to, such as an app's extension.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SharedCacheTests {
    private static let channel: ChannelURL = "shared"

    private static func message(_ id: Int64, _ text: String) -> Message {
        Message(
            delivery: .delivered(MessageID(id), nil), channelURL: channel,
            createdAt: Timestamp(milliseconds: id), sender: Sender(user: User(id: "bob")),
            content: .user(text: text))
    }

    /// Messages of a channel that is covered from its beginning.
    private static func page(_ texts: String...) -> Mutation {
        let messages = texts.map { message(Int64($0.count), $0) }
        return .messages(
            channel, messages,
            covering: CoveredRange(
                lower: .distantPast, upper: messages.last?.position ?? .distantPast))
    }

    private static func arrival(_ url: ChannelURL) -> Mutation {
        .channels([GroupChannel(url: url, createdAt: Timestamp(milliseconds: 1), myState: .joined)])
    }

    /// Opens the store as another process would.
    private static func asExtension(
        _ folder: TemporaryFolder, on executor: SimulatedExecutor? = nil
    ) async throws -> Store {
        try await Store.open(
            .folder(folder.path), owner: StoreOwner(application: "simulation", user: "alice"),
            Store.Options(executor: executor.map { SimulatedLane(of: $0) }))
    }

    private static func texts(_ snapshot: Timeline.Snapshot) -> [String] {
        snapshot.messages.map(\.text)
    }

    @Test func `an open client shows at once the changes of its extension (scars 51, 53)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let client = try await ChatClient.open(
            Configuration(
                applicationID: "simulation", server: "http://127.0.0.1:1", userID: "alice",
                cache: .folder(folder.path)))
        let timeline = try await client.timeline(of: Self.channel)
        let list = try await client.channelList()
        let other = try await Self.asExtension(folder)
        try await other.writer.commit([Self.arrival(Self.channel), Self.page("a", "bb")])
        for await snapshot in await timeline.snapshots() where !snapshot.messages.isEmpty {
            #expect(Self.texts(snapshot) == ["a", "bb"])
            break
        }
        for await snapshot in await list.snapshots() where !snapshot.channels.isEmpty {
            #expect(snapshot.channels.map(\.url) == [Self.channel])
            break
        }
        // The same holds for a removal.
        try await other.writer.commit([.clearAll])
        for await snapshot in await timeline.snapshots() where snapshot.messages.isEmpty { break }
        for await snapshot in await list.snapshots() where snapshot.channels.isEmpty { break }
        await other.close()
        await client.close()
    }

    @Test func `changes stored during a suspension are shown at the resumption (scar 49)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 1) { world in
            let client = try await world.launch(world.device(of: "alice", folder: folder.path))
            let timeline = try await client.timeline(of: Self.channel)
            let list = try await client.channelList()
            let changes = await timeline.changes()
            await client.suspend()
            let other = try await Self.asExtension(folder, on: world.executor)
            try await other.writer.commit([Self.arrival(Self.channel), Self.page("a", "bb")])
            try await other.writer.commit([Self.page("ccc")])
            await other.close()
            #expect(try await client.resume() == [])
            await world.pass()
            #expect(Self.texts(await timeline.snapshot) == ["a", "bb", "ccc"])
            #expect(await list.snapshot.channels.map(\.url) == [Self.channel])
            await timeline.close()
            await client.close()
            var inserted: [String] = []
            for await change in changes { inserted += change.inserted.map(\.text) }
            #expect(inserted == ["a", "bb", "ccc"])
        }
    }

    @Test func `an own commit after a foreign one brings both to the screen (scar 53)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 2) { world in
            let client = try await world.launch(world.device(of: "alice", folder: folder.path))
            let timeline = try await client.timeline(of: Self.channel)
            let list = try await client.channelList()
            await world.pass()
            let other = try await Self.asExtension(folder, on: world.executor)
            try await other.writer.commit([Self.arrival(Self.channel), Self.page("a", "bb")])
            // In this world no signal reports others' commits, so this one is not seen yet.
            await world.pass()
            #expect(await timeline.snapshot.messages == [])
            try await client.pinCache(of: Self.channel)
            await world.pass()
            #expect(Self.texts(await timeline.snapshot) == ["a", "bb"])
            #expect(await list.snapshot.channels.map(\.url) == [Self.channel])
            await other.close()
            await client.close()
        }
    }

    @Test func `messages missing in the index are found soon after the opening`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 4) { world in
            func open() async throws -> Store {
                var options = Store.Options(executor: SimulatedLane(of: world.executor))
                options.isSearchable = false
                return try await Store.open(
                    .folder(folder.path),
                    owner: StoreOwner(application: "simulation", user: "alice"), options)
            }
            let other = try await open()
            try await other.writer.commit([
                .messages(
                    Self.channel, (1...1_200).map { Self.message($0, "word") },
                    covering: CoveredRange(
                        lower: .distantPast, upper: Self.message(1_200, "").position ?? .distantPast
                    ))
            ])
            let question = SearchQuestion(
                "word", limit: 2_000, liveEnds: [Self.channel: .distantPast])
            await #expect(throws: StoreError.self) {
                try await other.readers[0].search(question)
            }
            let client = try await world.launch(world.device(of: "alice", folder: folder.path))
            await world.pass()
            let answer = try await other.readers[0].search(question).value
            #expect(answer.found.count == 1_200)
            #expect(answer.index.isComplete && answer.index.backfilled == 1_200)
            #expect(answer.sight == .complete)
            await other.close()
            await client.close()
        }
    }

    @Test
    func `a channel that another process clears is fetched again for its open timeline (scar 51)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 3) { world in
            let client = try await world.launch(world.device(of: "alice", folder: folder.path))
            try await client.connect()
            let channel = try await client.createChannel(
                ChannelCreateParams(memberIDs: [], name: "a")
            ).url
            try await client.send("one", to: channel)
            await world.pass()
            let timeline = try await client.timeline(of: channel)
            await world.pass()
            let other = try await Self.asExtension(folder, on: world.executor)
            try await other.writer.commit([.clearMessages(channel)])
            await other.close()
            try await client.pinCache(of: channel)
            await world.pass()
            #expect(Self.texts(await timeline.snapshot) == ["one"])
            let cached = try await Self.asExtension(folder, on: world.executor)
            #expect(try await cached.readers[0].oldestMessage(in: channel).value != nil)
            await cached.close()
            await client.close()
        }
    }
}
