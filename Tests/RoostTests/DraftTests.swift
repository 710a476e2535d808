// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Drafts of channels and threads, in virtual time.
struct DraftTests {
    @Test func `a draft outlives a relaunch and a cleared cache (scar 40)`() throws {
        try OutboxPair.play(51) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let (place, thread) = (DraftPlace(channel), DraftPlace(channel, thread: 7))
            try await alice.saveDraft("hello wor", at: place)
            try await alice.saveDraft("hello world", replyingTo: 3, at: place)
            try await alice.saveDraft("in the thread", at: thread)
            try await alice.clearCache(includingUnsent: false)
            await alice.close()
            let again = try await world.launch(pair.phone)
            let kept = try #require(await again.draft(at: place))
            #expect(kept.text == "hello world" && kept.replyingTo == 3)
            #expect(await again.drafts().map(\.text) == ["in the thread", "hello world"])
            #expect(await again.drafts(in: "other").isEmpty)
            try await again.saveDraft("", at: thread)
            try await again.removeDraft(at: thread)
            #expect(await again.drafts().map(\.place) == [place])
            // Nothing of it waits to be sent.
            #expect(await again.unsentMessages(in: channel).isEmpty)
            #expect(await again.pendingChanges(in: channel).isEmpty)
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).isEmpty)
            #expect(await again.draft(at: place) == kept)
            await again.close()
        }
    }

    @Test func `a draft in a thread stays in it, even if it answers a reply`() throws {
        try OutboxPair.play(66) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let root = try await pair.deliver("root", from: pair.bob)
            await world.pass()
            let reply = try #require(
                try await alice.send(UserMessageParams(text: "reply", parentID: root), to: channel)
                    .requestID)
            try await alice.outcome(of: reply)
            let answered = try #require(
                try await world.log(of: channel).first { $0.text == "reply" }?.messageID)
            let thread = DraftPlace(channel, thread: root)
            try await alice.saveDraft("answer", replyingTo: answered, at: thread)
            let draft = try #require(await alice.draft(at: thread))
            let sent = try #require(try await alice.send(draft).requestID)
            try await alice.outcome(of: sent)
            let log = try await world.log(of: channel)
            #expect(log.first { $0.text == "answer" }?.parentID == root)
            // Without the thread, the server says how to answer a reply.
            let refused = try #require(
                try await alice.send(
                    UserMessageParams(text: "no", parentID: answered), to: channel
                ).requestID)
            await #expect {
                try await alice.outcome(of: refused)
            } throws: {
                ($0 as? RoostError)?.message.contains("first message of its thread") == true
            }
        }
    }

    @Test func `a list shows the draft of a channel, and events report each change`() throws {
        try OutboxPair.play(52) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let place = DraftPlace(channel)
            var events = await alice.outboxEvents().makeAsyncIterator()
            let list = try await alice.channelList()
            func shown() async -> String? { await list.snapshot.channels.first?.draft?.text }
            try await alice.saveDraft("one", at: place)
            await world.pass(.seconds(1))
            #expect(await shown() == "one")
            #expect(try await alice.channel(channel).draft?.text == "one")
            // A new message of the channel does not take it away, nor does sending one.
            _ = try await pair.deliver("from bob", from: pair.bob)
            _ = try await pair.deliver("from alice", from: alice)
            await world.pass()
            #expect(await shown() == "one")
            try await alice.removeDraft(at: place)
            await world.pass(.seconds(1))
            #expect(await shown() == nil)
            var texts: [String?] = []
            while texts.count < 2, let event = await events.next() {
                if case .draftChanged(place, let draft) = event { texts.append(draft?.text) }
            }
            #expect(texts == ["one", nil])
        }
    }

    @Test func `a draft goes with the membership`() throws {
        try OutboxPair.play(53) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            try await alice.saveDraft("never", at: DraftPlace(channel))
            try await alice.saveDraft("never", at: DraftPlace(channel, thread: 7))
            try await alice.saveDraft("kept", at: DraftPlace("elsewhere"))
            try await alice.outcome(of: try await alice.leave(channel))
            await world.pass()
            #expect(await alice.drafts().map(\.text) == ["kept"])
        }
    }

    @Test func `a draft without a channel is refused`() throws {
        try OutboxPair.play(55) { _, pair in
            for call in [
                { try await pair.alice.saveDraft("lost", at: DraftPlace("")) },
                { try await pair.alice.saveDraft("lost", at: DraftPlace("", thread: 7)) },
                { try await pair.alice.removeDraft(at: DraftPlace("")) },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: RoostError.self) { try await call() }
                #expect(error?.code == .invalidParameter && error?.remedy == .correctInput)
                #expect(error?.message.contains("URL of the channel") == true)
            }
            #expect(await pair.alice.drafts().isEmpty)
        }
    }

    @Test func `sending a draft keeps a newer one that is saved side by side`() throws {
        try OutboxPair.play(56) { world, pair in
            let (alice, place) = (pair.alice, DraftPlace(pair.channel))
            try await alice.saveDraft("sent", at: place)
            let draft = try #require(await alice.draft(at: place))
            async let sent = alice.send(draft)
            try await alice.saveDraft("newer", at: place)
            #expect(try await sent.text == "sent")
            #expect(await alice.draft(at: place)?.text == "newer")
            let newer = try #require(await alice.draft(at: place))
            try await alice.send(newer)
            #expect(await alice.draft(at: place) == nil)
        }
    }

    @Test func `drafts that are saved side by side are limited in number, too`() throws {
        try OutboxPair.play(57) { world, pair in
            let alice = pair.alice
            for number in 0..<MessageDraft.maxCount - 1 {
                try await alice.saveDraft("x", at: DraftPlace(ChannelURL("c\(number)")))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        try await alice.saveDraft("y", at: DraftPlace(ChannelURL("new\(number)")))
                    }
                }
                try await group.waitForAll()
            }
            await world.pass(.seconds(1))
            let drafts = await alice.drafts()
            #expect(drafts.count == MessageDraft.maxCount)
            #expect(drafts.count { $0.text == "y" } == 5)
            for number in 0..<4 {
                #expect(await alice.draft(at: DraftPlace(ChannelURL("c\(number)"))) == nil)
            }
        }
    }

    @Test func `drafts are limited in size and number`() throws {
        try OutboxPair.play(54) { world, pair in
            let alice = pair.alice
            let place = DraftPlace(pair.channel)
            do throws(RoostError) {
                try await alice.saveDraft(
                    String(repeating: "é", count: MessageDraft.maxByteCount / 2 + 1), at: place)
                Issue.record("The draft was taken.")
            } catch {
                #expect(error.code == .invalidParameter)
            }
            for number in 0...MessageDraft.maxCount {
                try await alice.saveDraft("x", at: DraftPlace(ChannelURL("c\(number)")))
            }
            await world.pass(.seconds(1))
            #expect(await alice.drafts().count == MessageDraft.maxCount)
            #expect(await alice.draft(at: DraftPlace("c0")) == nil)
            #expect(await alice.draft(at: DraftPlace("c1")) != nil)
        }
    }
}
