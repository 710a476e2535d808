// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Messages that the server sends later.
struct ScheduledMessageTests {
    /// Plays a scene of Alice's channel, which has Bob; the closure gets a time in an hour.
    private static func play(
        seed: UInt64,
        _ scene: @escaping @Sendable (Pair, SimulatedWorld, Timestamp) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: seed) { world in
            let pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            try await pair.alice.send("hello", to: pair.channel)
            await pair.alice.waitUntilIdle()
            let now = try await pair.alice.fetchMessages(
                of: pair.channel, around: .distantFuture, older: 1
            )[0].createdAt
            try await scene(pair, world, Timestamp(milliseconds: now.milliseconds + 3_600_000))
            await pair.alice.close()
            await pair.bob.close()
        }
    }

    private static func texts(of pair: Pair) async throws -> [String] {
        let messages = try await pair.bob.fetchMessages(
            of: pair.channel, around: .distantFuture, older: 10)
        return messages.map { message in
            switch message.content {
            case .user(let text): text
            case .file(let file): file.caption + "|" + file.name
            default: "?"
            }
        }
    }

    @Test func `a scheduled text is changed, waits for its time and is sent once`() throws {
        try Self.play(seed: 130) { pair, world, later in
            let params = UserMessageParams(
                text: "lunch", customType: "food", mention: Mention(userIDs: ["bob"]))
            let made = try await pair.alice.schedule(params, to: pair.channel, at: later)
            #expect(made.status == .pending && made.sendsAt == later)
            #expect(made.channelURL == pair.channel)
            #expect(made.message.content == .user(text: "lunch"))
            #expect(made.message.details.schedule?.id == made.id)
            #expect(made.message.requestID?.rawValue.count == 32)
            let sooner = Timestamp(milliseconds: later.milliseconds - 1_800_000)
            let changed = try await pair.alice.updateScheduledMessage(
                made.id, in: pair.channel,
                ScheduledMessageUpdateParams(sendsAt: sooner, text: "dinner", data: "d"))
            #expect(changed.sendsAt == sooner)
            #expect(changed.message.content == .user(text: "dinner"))
            #expect(changed.message.data == "d" && changed.message.customType == "food")
            await world.sendDue()
            #expect(try await Self.texts(of: pair) == ["hello"])
            await world.pass(.seconds(1_801))
            await world.sendDue()
            #expect(try await Self.texts(of: pair) == ["hello", "dinner"])
            let sent = try await pair.alice.scheduledMessage(made.id, in: pair.channel)
            #expect(sent.status == .sent)
            await world.pass(.seconds(3_600))
            await world.sendDue()
            #expect(try await Self.texts(of: pair) == ["hello", "dinner"])
            let refusal = await #expect(throws: RoostError.self) {
                try await pair.alice.cancelScheduledMessage(made.id, in: pair.channel)
            }
            #expect(refusal?.code == .invalidValue)
        }
    }

    @Test func `a scheduled file is uploaded first, and sent now on demand`() throws {
        try Self.play(seed: 131) { pair, world, later in
            let file = OutgoingFile(
                .bytes(Array(repeating: 7, count: 5_000)), name: "a.png", type: "image/png")
            let made = try await pair.alice.schedule(
                FileMessageParams(files: [file], caption: "look"), to: pair.channel, at: later)
            guard case .file(let content) = made.message.content else {
                return #expect(Bool(false))
            }
            #expect(content.url.contains("/files/"))
            #expect(content.size == ByteCount(bytes: 5_000))
            #expect(try await Self.texts(of: pair) == ["hello"])
            let sent = try await pair.alice.sendScheduledMessage(made.id, in: pair.channel)
            #expect(sent.status == .sent)
            #expect(try await Self.texts(of: pair) == ["hello", "look|a.png"])
            let refusal = await #expect(throws: RoostError.self) {
                try await pair.alice.sendScheduledMessage(made.id, in: pair.channel)
            }
            #expect(refusal?.code == .invalidValue)
            let failure = await #expect(throws: RoostError.self) {
                let lost = OutgoingFile(.reference(to: "/none/at/all"), name: "b")
                return try await pair.alice.schedule(
                    FileMessageParams(files: [lost]), to: pair.channel, at: later)
            }
            #expect(failure?.code == .invalidParameter)
        }
    }

    @Test func `scheduled messages are listed in pages and counted, by channel and state`() throws {
        try Self.play(seed: 132) { pair, _, later in
            let other = try await pair.alice.createChannel(
                ChannelCreateParams(memberIDs: [], name: "other")
            ).url
            var ids: [ScheduledMessageID] = []
            for (text, url) in [("a", pair.channel), ("b", other), ("c", pair.channel)] {
                let made = try await pair.alice.schedule(
                    UserMessageParams(text: text), to: url, at: later)
                ids.append(made.id)
            }
            try await pair.alice.cancelScheduledMessage(ids[0], in: pair.channel)
            let first = try await pair.alice.scheduledMessages(pageSize: 2)
            #expect(first.elements.map(\.id) == Array(ids[..<2]))
            #expect(first.elements.map(\.status) == [.canceled, .pending])
            let next = try await pair.alice.scheduledMessages(pageSize: 2, after: first.next)
            #expect(next.elements.map(\.id) == [ids[2]])
            #expect(next.next == nil)
            var latest = ScheduledMessageQuery()
            latest.isReversed = true
            let last = try await pair.alice.scheduledMessages(latest, pageSize: 2)
            #expect(last.elements.map(\.id) == [ids[2], ids[1]])
            let rest = try await pair.alice.scheduledMessages(latest, after: last.next)
            #expect(rest.elements.map(\.id) == [ids[0]])
            let waiting = ScheduledMessageQuery(channel: pair.channel, statuses: [.pending])
            #expect(try await pair.alice.scheduledMessages(waiting).elements.map(\.id) == [ids[2]])
            #expect(try await pair.alice.scheduledMessageCount(waiting) == 1)
            #expect(try await pair.alice.scheduledMessageCount() == 3)
            #expect(try await pair.bob.scheduledMessageCount() == 0)
        }
    }

    @Test func `a refused message fails with the channel's reason`() throws {
        try Self.play(seed: 133) { pair, _, later in
            var params = ChannelCreateParams(memberIDs: ["bob"], name: "strict")
            params.operatorIDs = ["alice"]
            let url = try await pair.alice.createChannel(params).url
            let made = try await pair.bob.schedule(
                UserMessageParams(text: "a"), to: url, at: later)
            try await pair.alice.makeNow(.mute("bob", for: nil, reason: ""), in: url)
            let failed = try await pair.bob.sendScheduledMessage(made.id, in: url)
            #expect(failed.status == .failed)
            #expect(failed.failureCode == RoostError.Code.mutedInChannel)
            #expect(try await Self.texts(of: pair) == ["hello"])
        }
    }

    @Test func `an empty text, a past time and a missing connection are refused`() throws {
        try Self.play(seed: 134) { pair, _, later in
            for (text, moment, code) in [
                ("", later, .invalidParameter), ("a", Timestamp(milliseconds: 1), .invalidValue),
            ] as [(String, Timestamp, RoostError.Code)] {
                let refusal = await #expect(throws: RoostError.self) {
                    try await pair.alice.schedule(
                        UserMessageParams(text: text), to: pair.channel, at: moment)
                }
                #expect(refusal?.code == code)
            }
            let refusal = await #expect(throws: RoostError.self) {
                try await pair.alice.schedule(
                    FileMessageParams(files: []), to: pair.channel, at: later)
            }
            #expect(refusal?.code == .invalidParameter)
            await pair.alice.disconnect()
            let error = await #expect(throws: RoostError.self) {
                try await pair.alice.scheduledMessageCount()
            }
            #expect(error?.code == .connectionRequired)
        }
    }
}
