// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// An app's queries of the cache, as of a database.
struct CachedQuestionTests {
    @Test func `without a link the cache answers queries by place, kind, edit and mention (R8)`()
        throws
    {
        try SimulatedWorld.play(seed: 3) { world in
            let pair = try await OutboxPair(world, folder: nil)
            let (alice, bob, channel) = (pair.alice, pair.bob, pair.channel)
            var ids: [MessageID] = []
            for text in ["one", "two", "three", "four"] {
                ids.append(try await pair.deliver(text, from: alice))
            }
            let call = UserMessageParams(
                text: "alice, look", mention: Mention(userIDs: ["alice"]))
            try await bob.send(call, to: channel)
            await world.pass(.seconds(1))
            for id in [ids[2], ids[0]] {
                try await alice.edit(id, in: channel, text: "edited")
                await world.pass(.seconds(1))
            }
            await pair.phone.network.cut()
            await world.pass()

            let newest = try await alice.cachedMessages(of: channel, limit: 2)
            #expect(newest.map(\.text) == ["alice, look", "four"])
            let place = try #require(newest.last?.position)
            let older = try await alice.cachedMessages(of: channel, before: place, limit: 2)
            #expect(older.map(\.messageID) == [ids[2], ids[1]])
            let newer = try await alice.cachedMessages(
                of: channel, after: try #require(older.last?.position), before: place,
                newestFirst: false)
            #expect(newer.map(\.messageID) == [ids[2]])
            var filter = MessageFilter.everything
            filter.senderIDs = ["bob"]
            filter.kind = .user
            let bobs = try await alice.cachedMessages(of: channel, matching: filter)
            #expect(bobs.map(\.text) == ["alice, look"])

            let edits = try await alice.cachedEdits(in: channel, since: .distantPast)
            #expect(edits.map(\.messageID) == [ids[2], ids[0]])
            let page = try await alice.cachedEdits(in: channel, since: .distantPast, limit: 1)
            #expect(page == [edits[0]])
            let moment = try #require(page[0].updatedAt)
            let next = try await alice.cachedEdits(
                in: channel, since: moment, after: try #require(page[0].position))
            #expect(next == [edits[1]])
            let mentions = try await alice.cachedMentions()
            #expect(mentions == bobs)
            let first = try #require(mentions.first?.position)
            #expect(try await alice.cachedMentions(before: first).isEmpty)

            #expect(try await alice.cachedMessages(of: "never seen").isEmpty)
            let error = await #expect(throws: RoostError.self) {
                _ = try await alice.cachedMessages(of: channel, limit: 0)
            }
            #expect(error?.code == .invalidParameter)
            await pair.close()
        }
    }
}
