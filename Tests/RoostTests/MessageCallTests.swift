// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// An app's calls about single messages, and their effects in its cache and those of other users.
struct MessageCallTests {
    /// Two connected users in one channel.
    private struct Pair {
        let alice: ChatClient
        let bob: ChatClient
        let url: ChannelURL

        init(_ world: SimulatedWorld) async throws {
            alice = try await world.launch(world.device(of: "alice"))
            bob = try await world.launch(world.device(of: "bob"))
            for client in [alice, bob] { try await client.connect() }
            url = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
            await world.pass()
        }
    }

    private static func play(
        seed: UInt64, _ story: @escaping @Sendable (SimulatedWorld, Pair) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: seed) { world in
            let pair = try await Pair(world)
            try await story(world, pair)
            await pair.alice.close()
            await pair.bob.close()
        }
    }

    private static func send(
        _ text: String, _ world: SimulatedWorld, _ pair: Pair
    ) async throws -> MessageID {
        let id = try #require(try await pair.alice.send(text, to: pair.url).requestID)
        try await pair.alice.outcome(of: id)
        return try #require(try await world.log(of: pair.url).last?.messageID)
    }

    @Test func `a pin is in the cache when the call returns, and soon at all members`() throws {
        try Self.play(seed: 21) { world, pair in
            let first = try await Self.send("first", world, pair)
            let second = try await Self.send("second", world, pair)
            try await pair.alice.makeNow(.pin(first), in: pair.url)
            try await pair.alice.makeNow(.pin(second), in: pair.url)
            let mine = try await pair.alice.cachedChannel(pair.url)
            #expect(mine?.pinnedMessageIDs == [second, first])
            await world.pass()
            let bobs = try await pair.bob.cachedChannel(pair.url)
            #expect(bobs?.pinnedMessageIDs == [second, first])
            let page = try await pair.bob.pinnedMessages(of: pair.url, pageSize: 1)
            #expect(page.elements.map(\.text) == ["second"])
            let rest = try await pair.bob.pinnedMessages(of: pair.url, after: page.next)
            #expect(rest.elements.map(\.text) == ["first"])
            #expect(rest.next == nil)
            try await pair.alice.makeNow(.unpin(second), in: pair.url)
            #expect(try await pair.alice.cachedChannel(pair.url)?.pinnedMessageIDs == [first])
        }
    }

    @Test func `meta arrays change at the server, and soon in all caches`() throws {
        try Self.play(seed: 22) { world, pair in
            let id = try await Self.send("hello", world, pair)
            let added = try await pair.alice.addMetaArrays(
                [MetaArray(key: "a", values: ["x", "y"]), MetaArray(key: "b", values: [])],
                to: id, in: pair.url)
            #expect(added.metaArrays.map(\.key) == ["a", "b"])
            let fewer = try await pair.alice.removeMetaArrayTexts(
                [MetaArray(key: "a", values: ["x"])], from: id, in: pair.url)
            #expect(fewer.metaArrays.first?.values == ["y"])
            let left = try await pair.alice.removeMetaArrays(["b"], from: id, in: pair.url)
            #expect(left.metaArrays == [MetaArray(key: "a", values: ["y"])])
            await world.pass()
            for client in [pair.alice, pair.bob] {
                _ = try await client.timeline(of: pair.url)
                await world.pass()
                let held = try await client.cachedMessage(id)
                #expect(held?.metaArrays == [MetaArray(key: "a", values: ["y"])])
            }
            await #expect(throws: RoostError.self) {
                try await pair.bob.addMetaArrays(
                    [MetaArray(key: "c", values: [])], to: id, in: pair.url)
            }
        }
    }

    @Test func `messages are fetched around one of them`() throws {
        try Self.play(seed: 23) { world, pair in
            var ids: [MessageID] = []
            for text in ["a", "b", "c", "d", "e"] {
                ids.append(try await Self.send(text, world, pair))
            }
            let around = try await pair.bob.fetchMessages(
                of: pair.url, around: ids[2], older: 1, newer: 2)
            #expect(around.map(\.text) == ["b", "d", "e"])
            let older = try await pair.bob.fetchMessages(
                of: pair.url, around: ids[2], older: 2, includesMessage: true)
            #expect(older.map(\.text) == ["a", "b", "c"])
        }
    }

    @Test func `each uploaded file is reported, and a waiting upload is canceled by name`() throws {
        try Self.play(seed: 24) { world, pair in
            let events = await pair.alice.outboxEvents()
            let files = [3, 4].map {
                OutgoingFile(.bytes([UInt8](repeating: 7, count: $0)), name: "\($0)")
            }
            let sent = try await pair.alice.send(FileMessageParams(files: files), to: pair.url)
            let id = try #require(sent.requestID)
            try await pair.alice.outcome(of: id)
            #expect(await !pair.alice.cancelUpload(id))
            await pair.alice.disconnect()
            let other = try await pair.alice.send(FileMessageParams(files: files), to: pair.url)
            #expect(await pair.alice.cancelUpload(try #require(other.requestID)))
            #expect(await pair.alice.unsentMessages(in: pair.url).isEmpty)
            await pair.alice.close()
            var uploaded: [Int] = []
            for await case .uploaded(id, let file) in events { uploaded.append(file) }
            #expect(uploaded == [0, 1])
        }
    }

    @Test func `further fields of a message reach the server`() throws {
        try Self.play(seed: 25) { world, pair in
            var text = UserMessageParams(text: "hi bob")
            text.extraFields.keep(
                UnknownFields.Field(name: "mentioned_message_template", json: #""hi @{bob}""#))
            let first = try await pair.alice.send(text, to: pair.url)
            try await pair.alice.outcome(of: try #require(first.requestID))
            var file = FileMessageParams(files: [OutgoingFile(.bytes([1]), name: "a")])
            file.extraFields = text.extraFields
            let second = try await pair.alice.send(file, to: pair.url)
            try await pair.alice.outcome(of: try #require(second.requestID))
            for message in try await world.log(of: pair.url) {
                let id = try #require(message.messageID)
                let shown = try await pair.bob.fetchMessage(id, in: pair.url)
                #expect(shown.details.mentionTemplate == "hi @{bob}")
            }
            #expect(text.mentionTemplate == "hi @{bob}")
            text.mentionTemplate = "hello @{bob}"
            text.mentionTemplate = "dear @{bob}"
            #expect(text.extraFields.fields.map(\.json) == [#""dear @{bob}""#])
            file.mentionTemplate = nil
            #expect(file.mentionTemplate == nil && file.extraFields.fields.isEmpty)
        }
    }
}
