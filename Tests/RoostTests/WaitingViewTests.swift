// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Edits, deletions and reactions that wait in the outbox, in each view, in virtual time.
struct WaitingViewTests {
    /// Own messages of a channel and a thread below the first one; the link is cut.
    private struct Scene {
        let ids: [MessageID]
        let reply: MessageID

        init(_ world: SimulatedWorld, _ pair: OutboxPair) async throws {
            var ids: [MessageID] = []
            for text in ["one", "two", "three"] {
                ids.append(try await pair.deliver(text, from: pair.alice))
            }
            let params = UserMessageParams(text: "reply", parentID: ids[0])
            let sent = try await pair.alice.send(params, to: pair.channel)
            try await pair.alice.outcome(of: try #require(sent.requestID))
            let thread = try await pair.alice.timeline(
                of: pair.channel, filter: MessageFilter(parentID: ids[0]))
            self.ids = ids
            reply = try #require(await thread.snapshot.messages.last?.messageID)
            await thread.close()
            await world.pass()
            await pair.phone.network.cut()
            await world.pass()
        }
    }

    /// Reads all changes as they come, so that none are joined.
    private static func record<Element>(
        _ changes: AsyncStream<ListDiff<Element>>, _ world: SimulatedWorld
    ) -> Task<[ListDiff<Element>], Never> {
        Task(executorPreference: world.executor) {
            var seen: [ListDiff<Element>] = []
            for await change in changes { seen.append(change) }
            return seen
        }
    }

    private static func texts(_ timeline: Timeline) async -> [String] {
        await timeline.snapshot.messages.map(\.text)
    }

    @Test func `waiting changes are in every view at once, and after a relaunch (scar 15)`() throws
    {
        try OutboxPair.play(71) { world, pair in
            let channel = pair.channel
            let scene = try await Scene(world, pair)
            let (one, two, three) = (scene.ids[0], scene.ids[1], scene.ids[2])

            func look(_ client: ChatClient) async throws {
                let timeline = try await client.timeline(of: channel)
                let shown = await timeline.snapshot.messages
                #expect(shown.map(\.text) == ["one!", "two", "reply!"])
                #expect(shown.first?.pendingChanges.map(\.action.kind) == ["edit"])
                let liked = shown.first { $0.messageID == two }
                #expect(liked?.isReactionPending("heart") == true)
                #expect(liked?.details.reactions?.first?.userIDs == ["alice"])
                let thread = try await client.timeline(
                    of: channel, filter: MessageFilter(parentID: one))
                let replies = await thread.snapshot.messages.filter { $0.parentID == one }
                #expect(replies.map(\.text) == ["reply!"])
                #expect(replies.first?.pendingChanges.count == 1)
                // The deleted message was the channel's last one.
                let list = try await client.channelList()
                let listed = try #require(await list.snapshot.channels.first)
                #expect(listed.lastMessage?.text == "two")
                #expect(listed.lastMessage?.isReactionPending("heart") == true)
                #expect(listed.pendingChanges.contains { $0.action == .delete(.delivered(three)) })
                #expect(try await client.channel(channel).lastMessage?.text == "two")
                #expect(try await client.cachedMessage(one)?.text == "one!")
                #expect(try await client.cachedMessage(three) == nil)
                guard case .deleting? = try? await client.explain(three, in: channel) else {
                    Issue.record("not explained")
                    return
                }
                let newest = try await client.cachedMessages(of: channel, limit: 3)
                #expect(newest.filter { $0.parentID == nil }.map(\.text) == ["two", "one!"])
                for view in [timeline, thread] { await view.close() }
                await list.close()
            }

            let alice = pair.alice
            try await alice.edit(one, in: channel, text: "one!")
            try await alice.addReaction("heart", to: .delivered(two), in: channel)
            try await alice.edit(scene.reply, in: channel, text: "reply!")
            try await alice.delete(three, in: channel)
            try await look(alice)
            await alice.close()
            let again = try await world.launch(pair.phone)
            try await look(again)
            try await pair.connect(world, again)
            let timeline = try await again.timeline(of: channel)
            let shown = await timeline.snapshot.messages
            #expect(shown.map(\.text) == ["one!", "two", "reply!"])
            #expect(shown.allSatisfy { $0.pendingChanges.isEmpty })
            let listed = try await again.channel(channel)
            #expect(listed.lastMessage?.text == "two" && listed.pendingChanges.isEmpty)
            await again.close()
        }
    }

    @Test func `an open timeline and an open list show a change at once`() throws {
        try OutboxPair.play(72) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let scene = try await Scene(world, pair)
            let timeline = try await alice.timeline(of: channel)
            let list = try await alice.channelList()
            func preview() async -> Message? { await list.snapshot.channels.first?.lastMessage }
            try await alice.edit(scene.ids[2], in: channel, text: "three!")
            #expect(await Self.texts(timeline) == ["one", "two", "three!", "reply"])
            await world.pass(.seconds(1))
            #expect(await preview()?.text == "three!")
            #expect(await preview()?.pendingChanges.count == 1)
            let deletion = try await alice.delete(scene.ids[2], in: channel)
            #expect(await Self.texts(timeline) == ["one", "two", "reply"])
            await world.pass(.seconds(1))
            #expect(await preview()?.text == "two")
            // Taken back, the deletion leaves the edit.
            await alice.cancel(deletion)
            #expect(await Self.texts(timeline) == ["one", "two", "three!", "reply"])
            await world.pass(.seconds(1))
            #expect(await preview()?.text == "three!")
        }
    }

    @Test(arguments: [73, 74, 75, 76])
    func `the acknowledgement takes the mark away and shows no old state`(seed: UInt64) throws {
        try OutboxPair.play(seed) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let scene = try await Scene(world, pair)
            let timeline = try await alice.timeline(of: channel)
            let list = try await alice.channelList()
            try await alice.edit(scene.ids[1], in: channel, text: "two!")
            try await alice.addReaction("heart", to: .delivered(scene.ids[0]), in: channel)
            try await alice.delete(scene.ids[2], in: channel)
            await world.pass(.seconds(1))
            let changes = Self.record(await timeline.changes(), world)
            let listChanges = Self.record(await list.changes(), world)
            try await pair.connect(world, alice)
            await timeline.close()
            await list.close()
            for change in await changes.value {
                for message in change.updated.map(\.after) + change.inserted {
                    let isOld =
                        switch message.messageID {
                        case scene.ids[0]?: message.details.reactions?.isEmpty ?? true
                        case scene.ids[1]?: message.text != "two!"
                        default: message.messageID == scene.ids[2]
                        }
                    #expect(!isOld)
                }
                #expect(change.deleted.allSatisfy { !scene.ids.contains($0.messageID ?? 0) })
            }
            for change in await listChanges.value {
                #expect(change.deleted.isEmpty)
                #expect(change.updated.allSatisfy { $0.after.lastMessage?.text == "two!" })
            }
            let shown = await timeline.snapshot.messages
            #expect(shown.map(\.text) == ["one", "two!", "reply"])
            #expect(shown.allSatisfy { $0.pendingChanges.isEmpty })
            #expect(shown.first?.details.reactions?.map(\.key) == ["heart"])
        }
    }

    @Test func `after a refusal each view has the server's state again`() throws {
        try OutboxPair.play(77) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let bobs = try await pair.deliver("bob's", from: pair.bob)
            await world.pass()
            let timeline = try await alice.timeline(of: channel)
            let list = try await alice.channelList()
            await pair.phone.network.cut()
            await world.pass()
            // The server lets no user edit the messages of others.
            let edit = try await alice.edit(bobs, in: channel, text: "not bob's")
            await world.pass(.seconds(1))
            #expect(await Self.texts(timeline) == ["not bob's"])
            #expect(await list.snapshot.channels.first?.lastMessage?.text == "not bob's")
            #expect(
                try await alice.search(MessageSearch("not")).matches.map(\.message.text)
                    == ["not bob's"])
            try await pair.connect(world, alice)
            await #expect(throws: RoostError.self) { try await alice.outcome(of: edit) }
            #expect(await Self.texts(timeline) == ["bob's"])
            #expect(await timeline.snapshot.messages.first?.pendingChanges.isEmpty == true)
            #expect(await list.snapshot.channels.first?.lastMessage?.text == "bob's")
            #expect(try await alice.cachedMessage(bobs)?.text == "bob's")
            #expect(try await alice.search(MessageSearch("not")).matches.isEmpty)
            let refusal = try #require(await alice.refusals(in: channel).first)
            #expect(refusal.change.id == edit && refusal.reason == .notTheOwner)
            #expect(refusal.held?.text == "bob's")
        }
    }

    @Test func `a change of an unsent message is shown on it`() throws {
        try OutboxPair.play(78) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            await world.pass()
            let timeline = try await alice.timeline(of: channel)
            let id = try #require(try await alice.send("waits", to: channel).requestID)
            try await alice.addReaction("ok", to: .unsent(id), in: channel)
            let shown = try #require(await timeline.snapshot.messages.first)
            #expect(shown.status == .pending && shown.isReactionPending("ok"))
            #expect(shown.details.reactions?.map(\.userIDs) == [["alice"]])
            let changes = Self.record(await timeline.changes(), world)
            try await pair.connect(world, alice)
            await timeline.close()
            for change in await changes.value {
                #expect(
                    change.updated.allSatisfy { $0.after.details.reactions?.isEmpty == false })
            }
            #expect(await timeline.snapshot.messages.first?.pendingChanges.isEmpty == true)
        }
    }

    @Test func `a reply shows its parent with the edit that waits`() throws {
        try OutboxPair.play(79) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let root = try await pair.deliver("root", from: alice)
            try await pair.bob.send(
                UserMessageParams(text: "reply", parentID: root, isReplyToChannel: true),
                to: channel)
            await world.pass()
            let thread = try await alice.timeline(
                of: channel, filter: MessageFilter(parentID: root))
            await world.pass()
            func parent() async -> MessageContent? {
                await thread.snapshot.messages.last?.details.parentPreview?.content
            }
            #expect(await parent() == .user(text: "root"))
            await pair.phone.network.cut()
            await world.pass()
            try await alice.edit(root, in: channel, text: "root!")
            #expect(await parent() == .user(text: "root!"))
            try await pair.connect(world, alice)
            #expect(await parent() == .user(text: "root!"))
        }
    }

    @Test func `a client of the older SDKs shows a change when the server has made it`() throws {
        try OutboxPair.play(80) { world, pair in
            let channel = pair.channel
            let scene = try await Scene(world, pair)
            await pair.alice.close()
            let alice = try await world.launch(
                pair.phone, configure: { $0.showsWaitingChanges = false })
            try await alice.edit(scene.ids[2], in: channel, text: "three!")
            try await alice.send("unsent", to: channel)
            let timeline = try await alice.timeline(of: channel)
            let list = try await alice.channelList()
            #expect(await Self.texts(timeline) == ["one", "two", "three", "reply", "unsent"])
            #expect(await list.snapshot.channels.first?.lastMessage?.text == "three")
            #expect(try await alice.cachedMessage(scene.ids[2])?.text == "three")
            #expect(try await alice.search(MessageSearch("unsent")).matches.isEmpty)
            try await pair.connect(world, alice)
            #expect(await Self.texts(timeline) == ["one", "two", "three!", "reply", "unsent"])
            await alice.close()
        }
    }
}
