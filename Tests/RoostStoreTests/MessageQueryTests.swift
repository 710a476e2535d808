// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

struct MessageQueryTests {
    private static let users = [
        User(id: "anna", nickname: "Anna"), User(id: "bob"), User(id: "cleo"),
    ]

    private static func log(_ random: inout SplitMix64, count: Int64) -> [Message] {
        (1...count).map { id in
            var message = Fixture.message(
                id, at: 100 + id / 3,
                from: random.below(9) == 0 ? nil : users[random.below(3)])
            message.customType = ["", "", "sticker", "note"][random.below(4)]
            if random.below(4) == 0 { message.parentID = MessageID(Int64(1 + random.below(3))) }
            message.isReplyToChannel = message.parentID != nil && random.below(2) == 0
            switch random.below(6) {
            case 0: message.content = .admin(text: "notice")
            case 1:
                message.content = .file(
                    FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: 1)))
            default: break
            }
            if random.below(5) == 0 {
                message.updatedAt = Timestamp(milliseconds: Int64(1_000 + random.below(9)))
            }
            if random.below(5) == 0 { message.mention = Mention(userIDs: ["bob", "anna"]) }
            return message
        }
    }

    private static func filter(_ random: inout SplitMix64) -> MessageFilter {
        var filter = MessageFilter.everything
        filter.kind = [.all, .all, .user, .file, .admin][random.below(5)]
        filter.customTypes =
            [nil, nil, [""], ["sticker"], ["note", ""], ["never seen"]][random.below(6)]
        filter.senderIDs = [nil, nil, ["anna"], ["bob", "cleo"], ["nobody"]][random.below(5)]
        filter.replyType = [.all, .all, .none, .onlyReplyToChannel][random.below(4)]
        filter.parentID = [nil, nil, nil, MessageID(2)][random.below(4)]
        return filter
    }

    @Test(arguments: [UInt64](1...40))
    func `a query equals a plain search of the log, page by page (R8, R58)`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let log = Self.log(&random, count: 60)
        let store = try await Store.test()
        try await store.writer.commit([
            Fixture.page(1...9, in: "another"),
            .messages(
                Fixture.channel, log.shuffled(using: &random),
                covering: CoveredRange(lower: .distantPast, upper: .distantFuture)),
        ])
        for _ in 0..<25 {
            let filter = Self.filter(&random)
            let newestFirst = random.below(2) == 0
            var expected = log.filter { message in filter.matches(message) }
            if newestFirst { expected.reverse() }
            var found: [Message] = []
            var query = MessageQuery(
                in: Fixture.channel, filter: filter, newestFirst: newestFirst,
                limit: 1 + random.below(9))
            while true {
                let page = try await store.reader.messages(query).value
                found += page
                guard let last = page.last?.position else { break }
                if newestFirst {
                    query.upper = last.previous
                } else {
                    query.lower = last.next
                }
            }
            #expect(found == expected)
        }
    }

    @Test func `mentions of the user come from every channel, without own messages`() async throws {
        let store = try await Store.test()
        func call(_ id: Int64, in channel: ChannelURL, from user: UserID, _ mention: Mention)
            -> Message
        {
            var message = Fixture.message(id, in: channel, from: User(id: user))
            message.mention = mention
            return message
        }
        let everybody = Mention(kind: .channel)
        let calls = [
            call(1, in: "a", from: "bob", Mention(userIDs: ["anna"])),
            call(2, in: "b", from: "bob", everybody), call(3, in: "a", from: "anna", everybody),
            call(4, in: "a", from: "bob", Mention(userIDs: ["cleo"])),
            call(5, in: "a", from: "cleo", everybody),
        ]
        for message in calls {
            try await store.writer.commit([.liveMessage(message, predecessor: nil)])
        }
        let first = try await store.reader.mentions(limit: 2).value
        #expect(first == [calls[4], calls[1]])
        let last = try #require(first.last?.position)
        #expect(try await store.reader.mentions(before: last, limit: 2).value == [calls[0]])
    }

    @Test func `edited messages are in the order of their edits`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...9)])
        for (id, moment) in [(3, 50), (8, 40), (5, 60)] as [(Int64, Int64)] {
            try await store.writer.commit([
                .edited(Fixture.message(id, text: "new", updatedAt: moment))
            ])
        }
        let edited = try await store.reader.edited(
            in: Fixture.channel, since: Timestamp(milliseconds: 50), limit: 9
        ).value
        #expect(edited.map(\.messageID) == [3, 5])
    }

    @Test(arguments: [UInt64](1...20))
    func `every filter of a channel list equals a plain search (scar 155)`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var channels: [GroupChannel] = []
        for index in 0..<60 {
            let url = ChannelURL("c\(index)")
            var channel = Fixture.group(
                url, createdAt: Int64(random.below(20)),
                last: random.below(4) == 0
                    ? nil : Fixture.message(Int64(random.below(30)), in: url),
                members: Self.users.filter { _ in random.below(2) == 0 },
                name: ["Red room", "Blue Room", "Hall"][random.below(3)])
            channel.isSuper = random.below(2) == 0
            channel.isPublic = random.below(2) == 0
            channel.isDistinct = random.below(2) == 0
            channel.isFrozen = random.below(4) == 0
            channel.unreadMessageCount = random.below(2)
            channel.customType = ["", "work", "workshop"][random.below(3)]
            channel.myState = [.joined, .joined, .invited, .none][random.below(4)]
            channels.append(channel)
        }
        let store = try await Store.test()
        try await store.writer.commit([.channels(channels)])
        for _ in 0..<25 {
            var filter = ChannelFilter()
            filter.includesEmpty = random.below(2) == 0
            filter.includesFrozen = random.below(2) == 0
            filter.kind = [nil, .super, .nonSuper][random.below(3)]
            filter.isPublic = [nil, nil, true][random.below(3)]
            filter.isDistinct = [nil, nil, false][random.below(3)]
            filter.isUnread = random.below(4) == 0
            filter.membership = [nil, .joined, .invited][random.below(3)]
            filter.customTypes =
                [[], [], ["work"], [""], ["work", ""], ["never"]][random.below(6)]
            filter.customTypePrefix = [nil, nil, "work"][random.below(3)]
            filter.name = [nil, nil, .contains("room"), .contains("")][random.below(4)]
            filter.urls = [[], [], ["c1", "c2", "c3"]][random.below(3)]
            filter.members =
                [nil, nil, .exactly(["anna", "bob"]), .allOf(["bob"]), .anyOf(["cleo", "bob"])][
                    random.below(5)]
            let order: ChannelOrder = random.below(2) == 0 ? .latestLastMessage : .chronological
            let expected = channels.filter { filter.matches($0, viewer: "anna") }
                .sorted { order.key(of: $0) < order.key(of: $1) }
            var found: [GroupChannel] = []
            while true {
                let page = try await store.reader.channels(
                    filter, order: order, after: found.last.map(order.key), limit: 4
                ).value
                found += page
                if page.isEmpty { break }
            }
            #expect(found == expected)
        }
    }
}
