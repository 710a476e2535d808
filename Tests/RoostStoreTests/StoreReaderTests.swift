// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

struct StoreReaderTests {
    @Test func `pages inside one millisecond lose and repeat no message, both ways (scar 24)`()
        async throws
    {
        let store = try await Store.test()
        let messages = (1...200).map { Fixture.message(Int64($0), at: 1_000) }
        let range = CoveredRange(
            lower: Fixture.place(1_000, 1), upper: Fixture.place(1_000, 200))
        try await store.writer.commit([
            .messages(Fixture.channel, messages.reversed(), covering: range)
        ])
        for newest in [true, false] {
            var seen: [Message] = []
            var point = newest ? Position.distantFuture : .distantPast
            while seen.count < 200 {
                let window = try await store.reader.window(
                    WindowQuery(
                        channel: Fixture.channel, lower: point, upper: point,
                        olderCount: newest ? 7 : 0, newerCount: newest ? 0 : 7))
                // The message at the point itself came with the page before.
                let page = window.messages.filter { $0.position != point }
                try #require(!page.isEmpty)
                seen = newest ? page + seen : seen + page
                point = try #require((newest ? page.first : page.last)?.position)
            }
            #expect(seen == messages)
        }
    }

    @Test(arguments: [
        // Around a moment inside: its own message and the neighbours.
        (Fixture.place(5), Fixture.place(5), 2, 2, [3, 4, 5, 6, 7], 3, 7),
        // A stretch, and one more message on each side.
        (Fixture.place(4), Fixture.place(6), 1, 1, [3, 4, 5, 6, 7], 3, 7),
        // At the ends of the range the extent is that of the range.
        (Fixture.place(2), Fixture.place(2), 9, 9, [1, 2, 3, 4, 5, 6, 7, 8, 9], 1, 9),
        (Position.distantPast, Position.distantPast, 9, 2, [1, 2], 1, 2),
        (Position.distantFuture, Position.distantFuture, 2, 9, [28, 29], 28, 29),
        // A moment in the hole is answered from the next newer range.
        (Fixture.place(15), Fixture.place(15), 9, 2, [21, 22], 21, 22),
    ])
    func `a window is answered from one covered range`(
        lower: Position, upper: Position, older: Int, newer: Int, ids: [Int], from: Int, to: Int
    ) async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...9), Fixture.page(21...29)])
        let window = try await store.reader.window(
            WindowQuery(
                channel: Fixture.channel, lower: lower, upper: upper, olderCount: older,
                newerCount: newer))
        #expect(window.messages == ids.map { Fixture.message(Int64($0)) })
        #expect(
            window.extent
                == CacheWindow.Extent(
                    lower: Fixture.place(Int64(from)), upper: Fixture.place(Int64(to))))
        #expect(window.coverage == Coverage([Fixture.range(1, 9), Fixture.range(21, 29)]))
        #expect(window.sequence == 1)
    }

    @Test func `a channel without coverage has an empty window without extent`() async throws {
        let store = try await Store.test()
        let query = WindowQuery.around(
            .distantFuture, in: Fixture.channel, olderCount: 9, newerCount: 0)
        let nothing = CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 0)
        #expect(try await store.reader.window(query) == nothing)
        try await store.writer.commit([.channels([Fixture.group(Fixture.channel)])])
        #expect(try await store.reader.window(query).extent == nil)
    }

    @Test func `a count includes both ends, separates equal moments, and is of one channel`()
        async throws
    {
        let store = try await Store.test()
        let others = (1...50).map { Fixture.message(100 + $0, at: $0, in: "other") }
        let range = CoveredRange(lower: Fixture.place(1, 101), upper: Fixture.place(50, 150))
        try await store.writer.commit([
            Fixture.page(1...9), .messages("other", others, covering: range),
        ])
        let reader = store.reader
        let counts: [(Int64, Int64, Int)] = [(3, 5, 3), (.min, .max, 9), (9, 99, 1), (5, 4, 0)]
        for (from, through, count) in counts {
            #expect(
                try await reader.messageCount(
                    in: Fixture.channel, from: Timestamp(milliseconds: from),
                    through: Fixture.place(through)
                ).value == count)
        }
        let tied = (60...62).map { Fixture.message($0, at: 60) }
        try await store.writer.commit([
            .messages(Fixture.channel, tied, covering: Fixture.range(60, 62))
        ])
        let place = try #require(tied[1].position)
        #expect(
            try await reader.messageCount(
                in: Fixture.channel, from: place.createdAt, through: place
            ).value == 2)
        #expect(
            try await reader.messageCount(
                in: "nowhere", from: .distantPast, through: .distantFuture
            ).value == 0)
    }

    @Test(arguments: [ChannelOrder.latestLastMessage, .chronological, .name], [false, true])
    func `a list of named channels reads only these, in its order`(
        order: ChannelOrder, isSealed: Bool
    ) async throws {
        var options = Fixture.options
        if isSealed { options.protection = .sealed(MasterKeys(Fixture.key(1))) }
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        let channels = (1...9).map { number in
            Fixture.group(ChannelURL("c\(number)"), createdAt: Int64(number % 2), name: "n")
        }
        var filter = ChannelFilter()
        filter.urls = ["c1", "c2", "c3", "c4", "nowhere"]
        try await store.writer.commit([.channels(channels)])
        // A read of any other channel fails.
        try await store.writer.withConnection { connection throws(SQLiteError) in
            try connection.executeScript("UPDATE channel SET payload = x'ff' WHERE id > 4")
        }
        let wanted = channels[..<4].sorted { order.key(of: $0) < order.key(of: $1) }
        let first = try await store.reader.channels(filter, order: order, limit: 3).value
        #expect(first == Array(wanted[..<3]))
        let last = order.key(of: wanted[2])
        let rest = try await store.reader.channels(filter, order: order, after: last, limit: 3)
        #expect(rest.value == Array(wanted[3...]))
        filter.isUnread = true
        #expect(try await store.reader.channels(filter, order: order, limit: 3).value == [])
        await store.close()
    }

    @Test(
        arguments: [
            ChannelOrder.latestLastMessage, .chronological, .name, .metadataValue(key: "k"),
        ], [true, false])
    func `channel lists page in their own order, ties included (scars 97, 98, 99)`(
        order: ChannelOrder, includesEmpty: Bool
    ) async throws {
        let store = try await Store.test()
        var random = SplitMix64(seed: 1)
        var channels: [GroupChannel] = []
        for index in 0..<100 {
            let url = ChannelURL("channel \(random.next() % 1_000_000) \(index)")
            let moment = Int64(random.next() % 3)
            let last = random.next() % 3 == 0 ? nil : Fixture.message(moment + 7, in: url)
            channels.append(
                Fixture.group(url, createdAt: Int64(random.next() % 3), last: last))
        }
        // The user has left it, so it is in no list.
        var left = Fixture.group("left", createdAt: 2, last: Fixture.message(9, in: "left"))
        left.myState = .none
        try await store.writer.commit([.channels(channels + [left])])

        var seen: [GroupChannel] = []
        while true {
            let page = try await store.reader.channels(
                includesEmpty ? ChannelFilter() : .filled, order: order,
                after: seen.last.map(order.key), limit: 7
            ).value
            seen += page
            if page.isEmpty { break }
        }
        let expected = channels.filter { includesEmpty || $0.lastMessage != nil }
            .sorted { order.key(of: $0) < order.key(of: $1) }
        #expect(seen == expected)
    }

    @Test
    func `a renamed user has the new name everywhere, and no message changes (scar 123)`()
        async throws
    {
        let store = try await Store.test()
        let before = User(id: "anna", nickname: "Anna", metadata: ["team": "red"])
        let after = User(id: "anna", nickname: "Ann")
        let message = Fixture.message(5, from: before)
        var channel = Fixture.group(Fixture.channel, last: message, members: [before])
        channel.createdBy = before
        try await store.writer.commit([.channels([channel]), Fixture.page(1...9)])
        try await store.writer.commit([.edited(message)])

        let commit = try await store.writer.commit([.users([after])])
        #expect(commit.changes == [.users([Update(before: before, after: after)])])
        #expect(try await store.reader.newest().allSatisfy { $0.sender?.user == after })
        let renamed = try #require(try await store.reader.channel(Fixture.channel).value)
        #expect(renamed.members.map(\.user) == [after])
        #expect(renamed.createdBy == after)
        #expect(renamed.lastMessage?.sender?.user == after)
        #expect(try await store.writer.commit([.users([after])]).changes == [])
    }

    @Test func `an answer that leaves receipts or metadata out clears neither`() async throws {
        let store = try await Store.test()
        var channel = Fixture.group(Fixture.channel, members: [User(id: "anna")])
        channel.readReceipts = ["anna": Timestamp(milliseconds: 3)]
        channel.deliveryReceipts = ["anna": Timestamp(milliseconds: 4)]
        channel.metadata = ["key": "value"]
        try await store.writer.commit([.channels([channel])])
        channel.name = "New"
        var answer = channel
        (answer.readReceipts, answer.deliveryReceipts, answer.metadata) = (nil, nil, nil)
        try await store.writer.commit([.channels([answer])])
        #expect(try await store.reader.channel(Fixture.channel).value == channel)
    }

    @Test func `a sender seen in passing renames a user, but absent fields stay`() async throws {
        let store = try await Store.test()
        let full = User(
            id: "anna", nickname: "Anna", profileURL: "p", metadata: ["team": "red"])
        try await store.writer.commit([
            .users([full]),
            .liveMessage(Fixture.message(1, from: User(id: "anna")), predecessor: nil),
        ])
        #expect(try await store.reader.newest().first?.sender?.user == full)
        let live = Fixture.message(2, from: User(id: "anna", nickname: "Ann"))
        let commit = try await store.writer.commit([.liveMessage(live, predecessor: 1)])
        let renamed = User(id: "anna", nickname: "Ann", profileURL: "p", metadata: ["team": "red"])
        #expect(commit.users == [Update(before: full, after: renamed)])
        #expect(commit.messages()?.inserted.first?.sender?.user == renamed)
        #expect(commit.messages()?.updated == [])
    }

    @Test func `an unchanged channel is no change of a commit (scar 83)`() async throws {
        let store = try await Store.test()
        let old = Fixture.group("a", last: Fixture.message(5, in: "a"), members: [User(id: "x")])
        var new = old
        new.unreadMessageCount = 1
        let first = try await store.writer.commit([.channels([old, Fixture.group("b")])])
        #expect(first.channels?.inserted == [old, Fixture.group("b")])
        #expect(
            try await store.writer.commit([.channels([old, Fixture.group("b")])]).changes == [])
        let second = try await store.writer.commit([.channels([new, Fixture.group("b")])])
        #expect(second.channels == ChannelsChange(updated: [Update(before: old, after: new)]))
    }

    @Test func `cursors survive a round trip, or are absent (scar 78)`()
        async throws
    {
        let store = try await Store.test()
        let reader = store.reader
        #expect(try await reader.cursor(.channelChanges).value == nil)
        let moment = Cursor.moment(Timestamp(milliseconds: .min))
        for cursor in [Cursor.token(""), .token("null"), moment] {
            try await store.writer.commit([
                .cursor(.channelChanges, cursor), .cursor(.messageChanges("a"), cursor),
            ])
            #expect(try await reader.cursor(.channelChanges).value == cursor)
            #expect(try await reader.cursor(.messageChanges("a")).value == cursor)
            #expect(try await reader.cursor(.messageChanges("b")).value == nil)
        }
        #expect(try await reader.channel("a").value == nil)
        try await store.writer.commit([
            .removeCursor(.messageChanges("a")), .removeCursor(.messageChanges("b")),
        ])
        #expect(try await reader.cursor(.messageChanges("a")).value == nil)
        #expect(try await reader.cursor(.channelChanges).value == moment)
    }

    @Test func `a first cursor is stored only if there is none (scars 2, 7)`() async throws {
        let store = try await Store.test()
        let key = CursorKey.messageChanges("a")
        let moment = Cursor.moment(Timestamp(milliseconds: 7))
        for cursor in [moment, .token("x")] {
            try await store.writer.commit([.firstCursor(key, cursor)])
            #expect(try await store.reader.cursor(key).value == moment)
        }
        try await store.writer.commit([.removeCursor(key), .firstCursor(key, .token("x"))])
        #expect(try await store.reader.cursor(key).value == .token("x"))
    }

    @Test func `an inspection counts the stored objects`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([
            Fixture.page(1...9), .liveMessage(Fixture.message(20, in: "b"), predecessor: 19),
            .cursor(.messageChanges("b"), .token("t")), .cursor(.channelChanges, .token("u")),
        ])
        let inspection = try await store.reader.inspection()
        #expect(inspection.channels.map(\.url) == ["b", Fixture.channel])
        #expect(inspection.channels.map(\.messageCount) == [1, 9])
        #expect(inspection.channels.map(\.cursor) == [.token("t"), nil])
        #expect(inspection.channels.map { $0.coverage.holes.count } == [1, 1])
        #expect(inspection.channelCursor == .token("u"))
        #expect(inspection.userCount == 1)
        #expect(inspection.usedBytes > 0)
    }
}
