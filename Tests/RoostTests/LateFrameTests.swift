// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import Testing

@testable import Roost

/// Frames and answers that come after newer ones about the same message.
struct LateFrameTests {
    /// The frames that the first process received.
    enum End: CaseIterable {
        /// The message without its deletion.
        case message
        /// Both, without the channel's new last message.
        case deletion
    }

    @Test(arguments: End.allCases)
    func `the next process corrects effects of late frames in an ended one (scar 57)`(
        end: End
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 3) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let isLogHeldUp = Guarded(true)
            let isUnanswered = Guarded(false)
            let alice = try await world.launch(phone) { line in
                Watch(
                    line,
                    hold: { url in
                        if url.contains("my_group_channels/changelogs") {
                            await world.wait { !isLogHeldUp.withLock { $0 } }
                        } else if url.contains("/sdk/group_channels/") {
                            await world.wait { !isUnanswered.withLock { $0 } }
                        }
                    })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            try await bob.send("early", to: url)
            isLogHeldUp.withLock { $0 = false }
            try await alice.connect()
            await world.pass()
            await phone.network.cut()
            await world.pass(.seconds(60))
            // The log of the next connection comes after the message and its deletion.
            isLogHeldUp.withLock { $0 = true }
            isUnanswered.withLock { $0 = true }
            phone.network.restore()
            await world.pass(.seconds(60))
            phone.network.weather.slowCrossing = 1000
            try await bob.send("late", to: url)
            await bob.waitUntilIdle()
            let late = try #require(try await world.log(of: url).last?.messageID)
            try await bob.delete(late, in: url)
            await bob.waitUntilIdle()
            phone.network.weather = .calm
            isLogHeldUp.withLock { $0 = false }
            var shown: [String?] = []
            for _ in 0..<30_000 where shown.last != (end == .message ? "late" : .some(nil)) {
                await world.pass(.milliseconds(1))
                let text = try await alice.cachedChannel(url)?.lastMessage?.text
                if shown.last != text { shown.append(text) }
            }
            #expect(shown == (end == .message ? ["early", "late"] : ["early", "late", nil]))
            await phone.network.cut()
            isUnanswered.withLock { $0 = false }
            await alice.close()

            phone.network.restore()
            let again = try await world.launch(phone)
            try await again.connect()
            await world.pass()
            let channel = try #require(try await again.cachedChannel(url))
            #expect(channel.lastMessage?.text == "early")
            #expect(channel.unreadMessageCount == 1)
            await again.close()
        }
    }

    @Test(arguments: [false, true])
    func `events that overtake the answer to an HTTP send stay valid (scars 116, 121)`(
        isDeleted: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 8) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let isUploading = Guarded(false)
            let (isUnasked, isUnanswered) = (Guarded(true), Guarded(true))
            phone.network.observe { line in
                if line.contains("/storage/") { isUploading.withLock { $0 = true } }
            }
            let alice = try await world.launch(phone) { line in
                Watch(
                    line,
                    hold: { url in
                        guard url.hasSuffix("/messages") else { return }
                        await world.wait { !isUnasked.withLock { $0 } }
                    },
                    holdAnswer: { url in
                        guard url.hasSuffix("/messages") else { return }
                        await world.wait { !isUnanswered.withLock { $0 } }
                    })
            }
            let tablet = try await world.launch(world.device(of: "alice"))
            try await alice.connect()
            try await tablet.connect()
            let url = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
            try await tablet.send("before", to: url)
            let timeline = try await alice.timeline(of: url)
            await world.pass()
            let picture = OutgoingFile(.bytes([1, 2, 3]), name: "a.png", type: "image/png")
            try await alice.send(FileMessageParams(files: [picture]), to: url)
            await world.wait { isUploading.withLock { $0 } }
            // The socket is lost, so the message is sent by HTTP and arrives with the next socket.
            await phone.network.cut()
            phone.network.restore()
            phone.network.weather.busyLogin = 1000
            await world.pass(.seconds(30))
            phone.network.weather = .calm
            await world.pass(.seconds(60))
            isUnasked.withLock { $0 = false }
            await world.pass()
            let sent = try #require(try await world.log(of: url).last)
            let id = try #require(sent.messageID)
            guard case .file = sent.content else { return #expect(Bool(false)) }
            if isDeleted {
                try await tablet.delete(id, in: url)
            } else {
                try await tablet.edit(.delivered(id), in: url, MessageEdit(data: "edited"))
            }
            await world.pass()
            let shown = await timeline.snapshot.messages
            #expect(shown.map(\.messageID).contains(id) == !isDeleted)
            #expect(isDeleted || shown.last?.data == "edited")
            isUnanswered.withLock { $0 = false }
            await world.pass()
            #expect(await timeline.snapshot.messages == shown)
            #expect(await alice.unsentMessages(in: url).isEmpty)
            await alice.close()
            await tablet.close()
        }
    }

    @Test func `another device's later reaction outweighs the answer to an own one (scar 121)`()
        throws
    {
        try SimulatedWorld.play(seed: 9) { world in
            let isUnanswered = Guarded(true)
            let alice = try await world.launch(world.device(of: "alice")) { line in
                Watch(
                    line,
                    holdAnswer: { url in
                        guard url.contains("/reactions") else { return }
                        await world.wait { !isUnanswered.withLock { $0 } }
                    })
            }
            let tablet = try await world.launch(world.device(of: "alice"))
            try await alice.connect()
            try await tablet.connect()
            let url = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
            try await tablet.send("liked", to: url)
            let timeline = try await alice.timeline(of: url)
            await world.pass()
            let id = try #require(await timeline.snapshot.messages.last?.messageID)
            try await alice.addReaction("like", to: .delivered(id), in: url)
            await world.pass()
            try await tablet.removeReaction("like", from: .delivered(id), in: url)
            await world.pass()
            #expect(await timeline.snapshot.messages.last?.isReactionPending("like") == true)
            isUnanswered.withLock { $0 = false }
            await world.pass()
            #expect(await timeline.snapshot.messages.last?.details.reactions ?? [] == [])
            #expect(await alice.pendingChanges(in: url).isEmpty)
        }
    }

    @Test func `a frame dated ahead counts for no more than the time since the login (scar 57)`() {
        func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
        var clock = FrameClock(since: at(10_000), now: at(500))
        clock.note(at(9_000), now: at(600))
        #expect(clock.until == at(10_000))
        clock.note(at(10_300), now: at(1_000))
        #expect(clock.until == at(10_300))
        clock.note(at(9_999_999), now: at(1_500))
        #expect(clock.until == at(11_000))
        // The device's clock is set back, and one server uses other units.
        clock.note(at(12_000), now: at(100))
        #expect(clock.until == at(11_000))
        var strange = FrameClock(since: .distantFuture, now: at(0))
        strange.note(at(5), now: .distantFuture)
        #expect(strange.until == .distantFuture)
    }

    @Test func `a link lost between two late frames makes messages be read again (scar 57)`() throws
    {
        // The place of the cut is random: some of these worlds have the situation.
        let cuts = try (UInt64(1)...6).count { try Self.playCutBetweenFrames(seed: $0) }
        #expect(cuts > 0)
    }

    /// Cuts the link behind the first of two late frames.
    ///
    /// - Returns: Whether only the first frame had come.
    private static func playCutBetweenFrames(seed: UInt64) throws -> Bool {
        let isBetween = Guarded(false)
        try SimulatedWorld.play(seed: seed) { world in
            let phone = world.device(of: "alice")
            let isHeldUp = Guarded(false)
            let alice = try await world.launch(phone) { line in
                Watch(
                    line,
                    hold: { url in
                        guard url.contains("/messages/changelogs") else { return }
                        await world.wait { !isHeldUp.withLock { $0 } }
                    })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            try await bob.send("early", to: url)
            let timeline = try await alice.timeline(of: url)
            await world.pass()
            let id = try #require(await timeline.snapshot.messages.last?.messageID)
            // The log of the next connection starts behind a reaction and its removal, and is
            // answered before the frames come.
            await phone.network.cut()
            isHeldUp.withLock { $0 = true }
            phone.network.restore()
            await world.pass(.seconds(60))
            phone.network.weather.slowCrossing = 1000
            try await bob.outcome(
                of: bob.addReaction("like", to: .delivered(id), in: url))
            try await bob.outcome(
                of: bob.removeReaction("like", from: .delivered(id), in: url))
            phone.network.weather = .calm
            isHeldUp.withLock { $0 = false }
            func count() async -> Int {
                await timeline.snapshot.messages.last?.details.reactions?.count ?? 0
            }
            for _ in 0..<30_000 where await count() != 1 { await world.pass(.milliseconds(1)) }
            await phone.network.cut()
            await world.pass(.seconds(60))
            let shown = await count()
            isBetween.withLock { $0 = shown == 1 }
            phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await count() == 0)
        }
        return isBetween.withLock { $0 }
    }

    @Test func `a log cut off by a lost link is read again from an earlier place (scars 6, 57)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 10) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let isHeldUp = Guarded(true)
            let watches = Guarded<[Watch]>([])
            let alice = try await world.launch(phone) { line in
                let watch = Watch(
                    line,
                    hold: { url in
                        guard url.contains("my_group_channels/changelogs?token=") else { return }
                        await world.wait { !isHeldUp.withLock { $0 } }
                    })
                watches.withLock { $0.append(watch) }
                return watch
            }
            let watch = try #require(watches.withLock { $0.first })
            /// Returns the places from which the next connection reads.
            func reconnect() async throws -> [String] {
                await phone.network.cut()
                watch.reset()
                phone.network.restore()
                await world.pass(.seconds(60))
                return watch.urls(with: "my_group_channels/changelogs").map { url in
                    String(url.prefix { $0 != "&" }.drop { $0 != "?" })
                }
            }
            func moment(_ questions: [String]) throws -> Int {
                try #require(
                    questions.first.flatMap { Int($0.dropFirst("?change_ts=".count)) })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            try await alice.connect()
            await world.pass()
            await phone.network.cut()
            // A page has a hundred messages.
            for _ in 0..<101 {
                _ = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"]))
            }
            #expect(try await reconnect().count == 2)
            isHeldUp.withLock { $0 = false }
            #expect(try await reconnect().first?.hasPrefix("?token=") == true)
            // From the connection that was cut off, and not from the one that read the rest.
            let begun = try await moment(reconnect())
            let next = try await moment(reconnect())
            #expect(next - begun > 100_000, "two connections of a minute lie between")
        }
    }
}
