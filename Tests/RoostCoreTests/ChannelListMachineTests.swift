// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import Testing

struct ChannelListMachineTests {
    private static func message(_ id: Int64, in url: ChannelURL) -> Message {
        Message(
            delivery: .delivered(MessageID(id), nil), channelURL: url,
            createdAt: Timestamp(milliseconds: id), content: .user(text: "\(id)"))
    }

    private static func channel(_ url: ChannelURL, lastMessage id: Int64? = nil) -> GroupChannel {
        GroupChannel(
            url: url, createdAt: Timestamp(milliseconds: 1),
            lastMessage: id.map { message($0, in: url) })
    }

    private static func opened(hasMore: Bool, _ channels: GroupChannel...) -> ChannelListMachine {
        var machine = ChannelListMachine(
            order: .latestLastMessage, filter: ChannelFilter(), viewer: "me")
        _ = machine.replace(with: channels, hasMore: hasMore, sequence: 1)
        return machine
    }

    @Test(arguments: [(Int.max, 100), (.min, 1), (0, 1), (101, 100), (7, 7)])
    func `the size of a page stays in its range, set or decoded`(size: Int, expected: Int) throws {
        var query = ChannelListQuery()
        query.pageSize = size
        #expect(query.pageSize == expected)
        let data = try JSONEncoder().encode(ChannelListQuery(pageSize: 77))
        let text = String(decoding: data, as: UTF8.self)
            .replacingOccurrences(of: "77", with: "\(size)")
        let decoded = try JSONDecoder().decode(ChannelListQuery.self, from: Data(text.utf8))
        let list = OpenList(ListID(1), decoded, viewer: "me")
        #expect(list.query.pageSize == expected)
    }

    private static func urls(_ machine: ChannelListMachine) -> [ChannelURL] {
        machine.channels.map(\.url)
    }

    @Test
    func `lists are ordered by newest message, then by URL (scars 97, 98, 99)`() {
        let machine = Self.opened(
            hasMore: false, Self.channel("empty"), Self.channel("b", lastMessage: 5),
            Self.channel("c", lastMessage: 9), Self.channel("a", lastMessage: 5))
        #expect(Self.urls(machine) == ["c", "a", "b", "empty"])
    }

    @Test func `a channel with a new message moves up as one change (scar 101)`() {
        var machine = Self.opened(
            hasMore: false, Self.channel("a", lastMessage: 9), Self.channel("b", lastMessage: 5))
        let before = Self.channel("b", lastMessage: 5)
        let after = Self.channel("b", lastMessage: 12)
        let change = ChannelsChange(updated: [Update(before: before, after: after)])
        let diff = machine.apply(Commit(sequence: 2, changes: [.channels(change)]))
        #expect(Self.urls(machine) == ["b", "a"])
        #expect(diff.updated == [Update(before: before, after: after)])
        #expect(diff.inserted.isEmpty && diff.deleted.isEmpty)
    }

    @Test func `a channel that an update adds or removes has its value outside the list (R89)`() {
        var machine = Self.opened(hasMore: false, Self.channel("a", lastMessage: 9))
        let shown = Self.channel("b", lastMessage: 5)
        var hidden = shown
        hidden.hiddenState = .untilShown
        let added = ChannelsChange(updated: [Update(before: hidden, after: shown)])
        let first = machine.apply(Commit(sequence: 2, changes: [.channels(added)]))
        #expect(first.inserted == [shown] && first.counterparts == [hidden])
        let removed = ChannelsChange(updated: [Update(before: shown, after: hidden)])
        let second = machine.apply(Commit(sequence: 3, changes: [.channels(removed)]))
        #expect(second.deleted == [shown] && second.counterparts == [hidden])
        let ends = ChannelsChange(inserted: [shown], deleted: ["a"])
        let third = machine.apply(Commit(sequence: 4, changes: [.channels(ends)]))
        #expect(third.inserted == [shown] && third.deleted.count == 1)
        #expect(third.counterparts.isEmpty)
    }

    @Test func `after a skipped commit the list is behind until it is read (scar 53)`() {
        var machine = Self.opened(hasMore: false, Self.channel("a", lastMessage: 9))
        _ = machine.apply(Commit(sequence: 2, changes: []))
        #expect(!machine.isBehind)
        _ = machine.apply(Commit(sequence: 4, changes: []))
        #expect(machine.isBehind)
        // As in a cache that was made anew.
        _ = machine.replace(with: [Self.channel("b")], hasMore: false, sequence: 1)
        #expect(!machine.isBehind && machine.sequence == 1)
        machine.missCommits()
        #expect(machine.isBehind)
    }

    @Test func `a channel of a page that is not loaded is not shown at the end (scar 102)`() {
        var machine = Self.opened(hasMore: true, Self.channel("a", lastMessage: 9))
        let change = ChannelsChange(inserted: [Self.channel("z", lastMessage: 2)])
        #expect(machine.apply(Commit(sequence: 2, changes: [.channels(change)])).isEmpty)
        #expect(Self.urls(machine) == ["a"])
    }

    @Test func `a removed channel leaves the list (scar 58)`() {
        var machine = Self.opened(
            hasMore: false, Self.channel("a", lastMessage: 9), Self.channel("b", lastMessage: 5))
        let change = ChannelsChange(deleted: ["a"])
        let diff = machine.apply(Commit(sequence: 2, changes: [.channels(change)]))
        #expect(diff.deleted.map(\.url) == ["a"])
        #expect(Self.urls(machine) == ["b"])
    }

    @Test func `a renamed member has the new name in every channel (scar 123)`() {
        var known = Self.channel("a", lastMessage: 9)
        known.members = [Member(user: User(id: "bob", nickname: "Bob"))]
        var machine = Self.opened(hasMore: false, known)
        let update = Update(
            before: User(id: "bob", nickname: "Bob"), after: User(id: "bob", nickname: "Robert"))
        let diff = machine.apply(Commit(sequence: 2, changes: [.users([update])]))
        #expect(diff.updated.count == 1)
        #expect(machine.channels.first?.members.first?.user.nickname == "Robert")
    }

    @Test func `a message counts as unread once, even if it comes repeatedly (scar 112)`() {
        let channel = Self.channel("a", lastMessage: 5)
        let news = ChannelNews.received(Self.message(6, in: "a"), .init(isUnread: true))
        let once = channel.applying(news)
        #expect(once.unreadMessageCount == 1)
        #expect(once.applying(news) == once)
        let own = ChannelNews.received(Self.message(7, in: "a"), .init(isUnread: false))
        #expect(once.applying(own).unreadMessageCount == 1)
        let read = once.applying(.read(Timestamp(milliseconds: 6)))
        #expect(read.unreadMessageCount == 0)
        #expect(read.applying(.read(Timestamp(milliseconds: 3))) == read)
    }

    @Test func `the preview follows edits and deletions of the last message (scar 109)`() {
        let channel = Self.channel("a", lastMessage: 5)
        var edited = Self.message(5, in: "a")
        edited.content = .user(text: "better")
        #expect(channel.applying(.edited(edited)).lastMessage == edited)
        #expect(channel.applying(.edited(Self.message(4, in: "a"))) == channel)
        #expect(channel.applying(.deleted([5])).lastMessage == nil)
        #expect(channel.applying(.deleted([4])) == channel)
    }

    @Test func `names are compared byte by byte, as servers and databases do (scar 38)`() {
        let composed: UserID = "caf\u{E9}"
        let decomposed: UserID = "cafe\u{301}"
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
    }

    @Test(arguments: [true, false])
    func `a channel at the end of an unfinished list needs a read (scars 97, 102, 109)`(
        hasMore: Bool
    ) {
        let channels = [Self.channel("a", lastMessage: 9), Self.channel("b", lastMessage: 8)]
        func needsReading(_ change: ChannelsChange) -> Bool {
            var machine = Self.opened(hasMore: hasMore, channels[0], channels[1])
            _ = machine.apply(Commit(sequence: 2, changes: [.channels(change)]))
            return machine.isBehind
        }
        func update(_ index: Int, to id: Int64) -> ChannelsChange {
            let after = Self.channel(channels[index].url, lastMessage: id)
            return ChannelsChange(updated: [Update(before: channels[index], after: after)])
        }
        #expect(needsReading(update(0, to: 3)) == hasMore)
        #expect(needsReading(update(1, to: 3)) == hasMore)
        #expect(needsReading(ChannelsChange(deleted: ["a"])) == hasMore)
        // A change above the end needs no read.
        #expect(!needsReading(update(1, to: 12)))
        #expect(!needsReading(update(1, to: 8)))
    }

    @Test func `a message brings a hidden channel back, one from before a reset does not`() {
        var channel = GroupChannel(url: "c", messageOffset: Timestamp(milliseconds: 50))
        channel.hiddenState = .untilNextMessage
        func message(at moment: Int64) -> Message {
            Message(
                delivery: .delivered(MessageID(moment), nil), channelURL: "c",
                createdAt: Timestamp(milliseconds: moment), content: .user(text: "x"))
        }
        let old = ChannelNews.received(message(at: 50), .init(isUnread: true))
        #expect(channel.applying(old) == channel)
        let after = channel.applying(.received(message(at: 51), .init(isUnread: true)))
        #expect(after.hiddenState == .unhidden)
        #expect(after.lastMessage?.createdAt == Timestamp(milliseconds: 51))
    }
}
