// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Words and counts of what waits in the outbox, in virtual time.
struct WaitingSearchTests {
    private static func found(
        _ words: String, _ client: ChatClient, order: MessageSearch.Order = .newest,
        by senders: [UserID]? = nil, in channels: [ChannelURL]? = nil
    ) async throws -> [String] {
        let search = MessageSearch(words, in: channels, by: senders, order: order)
        return try await client.search(search).matches.map(\.message.text)
    }

    @Test(arguments: [MessageSearch.Order.newest, .relevance])
    func `a search finds unsent words and new texts, and no old or deleted ones`(
        order: MessageSearch.Order
    ) throws {
        try OutboxPair.play(81) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let first = try await pair.deliver("the red boat", from: alice)
            let second = try await pair.deliver("a boat at dawn", from: alice)
            _ = try await pair.deliver("the last boat", from: pair.bob)
            await world.pass()
            await pair.phone.network.cut()
            await world.pass()
            try await alice.edit(first, in: channel, text: "the red kite")
            try await alice.delete(second, in: channel)
            try await alice.send("a boat unsent", to: channel)

            func look(_ client: ChatClient) async throws {
                #expect(
                    try await Self.found("boat", client, order: order)
                        == ["a boat unsent", "the last boat"])
                #expect(try await Self.found("kit", client, order: order) == ["the red kite"])
                // Found by a word that both texts have, it is there once.
                #expect(try await Self.found("red", client, order: order) == ["the red kite"])
                #expect(try await Self.found("red -kite", client, order: order).isEmpty)
                #expect(try await Self.found("dawn", client, order: order).isEmpty)
                #expect(
                    try await Self.found("boat", client, order: order, by: ["bob"])
                        == ["the last boat"])
                #expect(try await Self.found("boat", client, in: ["elsewhere"]).isEmpty)
                let page = try await client.search(MessageSearch("unsent", order: order))
                let match = try #require(page.matches.first)
                #expect(match.message.status == .pending)
                #expect(match.highlights.map { match.snippet[$0] } == ["unsent"])
            }
            try await look(alice)
            await alice.close()
            let again = try await world.launch(pair.phone)
            try await look(again)
            try await pair.connect(world, again)
            #expect(
                try await Self.found("boat", again) == ["a boat unsent", "the last boat"])
            #expect(try await Self.found("kite", again) == ["the red kite"])
            await again.close()
        }
    }

    @Test(arguments: [MessageSearch.Order.newest, .relevance])
    func `pages of a search go on from unsent messages to delivered ones`(
        order: MessageSearch.Order
    ) throws {
        try OutboxPair.play(82) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            for number in 1...4 { _ = try await pair.deliver("boat \(number)", from: alice) }
            let edited = try await pair.deliver("ship 5", from: alice)
            let gone = try await pair.deliver("boat 6", from: alice)
            await pair.phone.network.cut()
            await world.pass()
            for number in 7...9 { try await alice.send("boat \(number)", to: channel) }
            try await alice.edit(edited, in: channel, text: "boat 5")
            try await alice.delete(gone, in: channel)
            var texts: [String] = []
            var sizes: [Int] = []
            var next: MessageSearch? = MessageSearch("boat", order: order, limit: 2)
            while let search = next, sizes.count < 9 {
                let page = try await alice.search(search)
                texts += page.matches.map(\.message.text)
                sizes.append(page.matches.count)
                next = page.next
            }
            #expect(texts == [9, 8, 7, 5, 4, 3, 2, 1].map { "boat \($0)" })
            #expect(sizes.prefix(4) == [2, 2, 2, 2])
        }
    }

    @Test func `no file of a sealed store has the words that a search found`() throws {
        let folder = try TemporaryFolder()
        let keys = try TemporaryFolder()
        try SimulatedWorld.play(seed: 83) { world in
            let device = world.device(
                of: "alice", folder: folder.path, protection: .keyFile(in: keys.path))
            let client = try await world.launch(device)
            try await client.connect()
            let channel = try await client.createChannel(ChannelCreateParams(memberIDs: [])).url
            try await client.send("sandpiper", to: channel)
            await world.pass()
            let timeline = try await client.timeline(of: channel)
            let id = try #require(await timeline.snapshot.messages.first?.messageID)
            await device.network.cut()
            try await client.edit(id, in: channel, text: "curlew")
            try await client.send("whimbrel", to: channel)
            #expect(try await Self.found("curlew", client) == ["curlew"])
            #expect(try await Self.found("whimbrel", client) == ["whimbrel"])
            #expect(try await Self.found("sandpiper", client).isEmpty)
            await client.close()
        }
        let base = URL(fileURLWithPath: folder.path)
        let names = try #require(FileManager.default.enumerator(atPath: folder.path))
            .compactMap { $0 as? String }
        #expect(!names.isEmpty)
        for name in names {
            let data = (try? Data(contentsOf: base.appendingPathComponent(name))) ?? Data()
            for word in ["curlew", "urlew", "whimbrel", "himbrel", "andpiper"] {
                #expect(data.range(of: Data(word.utf8)) == nil, "\(name) has “\(word)”")
            }
        }
    }

    @Test func `a read mark, a hidden and a left channel are off the unread totals at once`() throws
    {
        try OutboxPair.play(84) { world, pair in
            let (alice, bob) = (pair.alice, pair.bob)
            var channels = [pair.channel]
            for name in ["b", "c", "d"] {
                let params = ChannelCreateParams(memberIDs: ["alice"], name: name)
                channels.append(try await bob.createChannel(params).url)
            }
            for channel in channels { try await bob.send("news", to: channel) }
            await world.pass()
            let hidden = channels[3]
            try await alice.outcome(of: try await alice.hide(hidden, allowsAutoUnhide: false))
            await world.pass()
            #expect(try await alice.unreadTotals().messages == 3)
            await pair.phone.network.cut()
            await world.pass()
            let last = try #require(try await alice.channel(channels[0]).lastMessage)
            let list = try await alice.channelList()
            let mark = try await alice.markAsRead(channels[0], through: last.createdAt)
            #expect(try await alice.unreadTotals().messages == 2)
            let shown = try await alice.channel(channels[0])
            #expect(shown.unreadMessageCount == 0 && shown.pendingChanges.map(\.id) == [mark])
            await world.pass(.seconds(1))
            let listed = await list.snapshot.channels.first { $0.url == channels[0] }
            #expect(listed?.unreadMessageCount == 0)
            try await alice.hide(channels[1])
            try await alice.leave(channels[2])
            #expect(try await alice.unreadTotals() == UnreadTotals())
            try await alice.unhide(hidden)
            #expect(try await alice.unreadTotals().messages == 1)

            await alice.close()
            let again = try await world.launch(pair.phone)
            #expect(try await again.unreadTotals().channels == 1)
            try await pair.connect(world, again)
            #expect(try await again.unreadTotals().messages == 1)
            #expect(try await again.channel(channels[0]).pendingChanges.isEmpty)
            #expect(try await again.cachedChannel(channels[0])?.unreadMessageCount == 0)
            await again.close()
        }
    }

    @Test func `a draft keeps its mentioned users and gives them to its message`() throws {
        try OutboxPair.play(85) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let place = DraftPlace(channel)
            try await alice.saveDraft(
                "bob, look", mentioning: Mention(userIDs: ["bob"]), at: place)
            await alice.close()
            let again = try await world.launch(pair.phone)
            let draft = try #require(await again.draft(at: place))
            #expect(draft.mention == Mention(userIDs: ["bob"]))
            try await pair.connect(world, again)
            let message = try await again.send(draft)
            #expect(message.mention == Mention(userIDs: ["bob"]))
            #expect(await again.draft(at: place) == nil)
            await world.pass()
            #expect(try await pair.bob.cachedMentions().map(\.text) == ["bob, look"])
            // A draft of a thread becomes a message of the thread.
            let parent = try #require(try await pair.bob.cachedMentions().first?.messageID)
            let thread = DraftPlace(channel, thread: parent)
            try await again.saveDraft(
                "all", mentioning: Mention(kind: .channel), at: thread)
            let reply = try await again.send(try #require(await again.draft(at: thread)))
            #expect(reply.parentID == parent && reply.mention.kind == .channel)
            await again.close()
        }
    }
}
