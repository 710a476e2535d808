// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// The effects of live events on a channel.
struct ChannelNewsTests {
    private static func message(_ moment: Int64) -> Message {
        Message(
            delivery: .delivered(MessageID(moment), nil), channelURL: "c",
            createdAt: Timestamp(milliseconds: moment), sender: Sender(user: User(id: "bob")),
            content: .user(text: "\(moment)"))
    }

    private static func moment(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds)
    }

    @Test
    func `unread messages and mentions count once each, up to a super channel's limit (scar 112)`()
    {
        var channel = GroupChannel(url: "c")
        let call = ChannelNews.Reception(isUnread: true, isMention: true, superLimit: 2)
        for number in [1, 2, 2, 1, 3] as [Int64] {
            channel = channel.applying(.received(Self.message(number), call))
        }
        #expect(channel.unreadMessageCount == 3 && channel.unreadMentionCount == 3)
        channel.isSuper = true
        channel.unreadMessageCount = 2
        channel = channel.applying(.received(Self.message(4), call))
        #expect(channel.unreadMessageCount == 2)
        channel = channel.applying(.read(Self.moment(4)))
        #expect(channel.unreadMessageCount == 0 && channel.unreadMentionCount == 0)
        // A mark never goes back, and covered messages are no longer unread (scar 114).
        #expect(channel.applying(.read(Self.moment(2))) == channel)
        #expect(channel.applying(.received(Self.message(4), call)) == channel)
    }

    @Test func `each field of a channel takes its change, and unknown receipts stay unknown`() {
        var channel = GroupChannel(url: "c")
        channel.metadata = ["a": "1", "b": "1"]
        let moments = ["u": Self.moment(5)] as [UserID: Timestamp]
        #expect(channel.applying(.readBy(moments)) == channel)
        #expect(channel.applying(.deliveredTo(moments)) == channel)
        channel.readReceipts = ["u": Self.moment(7)]
        channel.deliveryReceipts = [:]
        for news in [
            .metadata(set: ["b": "2", "c": "3"], removed: ["a"]),
            .memberCounts(all: 5, joined: 4), .frozen(true), .readBy(moments),
            .deliveredTo(moments), .countPreference(.off), .pushTrigger(.mentions),
        ] as [ChannelNews] {
            channel = channel.applying(news)
        }
        #expect(channel.metadata == ["b": "2", "c": "3"])
        #expect(channel.memberCount == 5 && channel.joinedMemberCount == 4)
        #expect(channel.isFrozen && channel.countPreference == .off)
        #expect(channel.pushTrigger == .mentions)
        // A receipt never goes back.
        #expect(channel.readReceipts == ["u": Self.moment(7)])
        #expect(channel.deliveryReceipts == moments)
    }

    @Test(arguments: [true, false])
    func `super and broadcast channels take no receipts`(isSuper: Bool) {
        var channel = GroupChannel(url: "c")
        channel.isSuper = isSuper
        channel.isBroadcast = !isSuper
        channel.readReceipts = ["bob": Self.moment(1)]
        channel.deliveryReceipts = ["bob": Self.moment(1)]
        #expect(channel.applying(.readBy(["bob": Self.moment(5)])) == channel)
        #expect(channel.applying(.deliveredTo(["bob": Self.moment(5)])) == channel)
        let message = ChannelNews.received(Self.message(7), .init(isUnread: true))
        #expect(channel.applying(message).readReceipts == channel.readReceipts)
        #expect(channel.applying(message).unreadMessageCount == 1)
    }

    @Test func `a reply as last message follows its parent's changes (scar 116)`() {
        let parent = Self.message(1)
        var reply = Self.message(2)
        reply.parentID = 1
        let blind = GroupChannel(url: "c", lastMessage: reply)
        #expect(blind.applying(.edited(parent)) == blind, "the server does not show the parent")
        reply.details.parentPreview = ParentPreview(content: .user(text: "before"))
        let channel = GroupChannel(url: "c", lastMessage: reply)
        let edited = channel.applying(.edited(parent))
        #expect(edited.lastMessage?.details.parentPreview == parent.preview)
        #expect(edited.lastMessage?.messageID == 2)
        // A late edit does not undo a newer one.
        var newer = parent
        newer.updatedAt = Self.moment(9)
        #expect(
            edited.applying(.edited(newer)).applying(.edited(parent)).lastMessage?.details
                .parentPreview == newer.preview)
        let deleted = edited.applying(.deleted([1]))
        #expect(deleted.lastMessage?.messageID == 2)
        #expect(deleted.lastMessage?.details.parentPreview == nil)
    }

    @Test
    func `the server's policy decides whether a thread reply counts and becomes the last message`()
    {
        let channel = GroupChannel(url: "c", lastMessage: Self.message(1))
        let silent = channel.applying(
            .received(Self.message(2), .init(isPreview: false, isUnread: false)))
        #expect(silent == channel)
    }

    @Test
    func `a message shows a channel hidden until the next message, and no other (scar 107)`() {
        for (state, after) in [
            (HiddenState.untilNextMessage, HiddenState.unhidden), (.untilShown, .untilShown),
        ] {
            var channel = GroupChannel(url: "c", lastMessage: Self.message(5))
            channel.hiddenState = state
            // An older message belongs to the hidden ones.
            let late = channel.applying(.received(Self.message(5), .init(isUnread: true)))
            #expect(late.hiddenState == state)
            let awake = channel.applying(.received(Self.message(6), .init(isUnread: true)))
            #expect(awake.hiddenState == after)
        }
    }

    @Test
    func `hiding previous messages removes preview and counts (scar 59)`() {
        var channel = GroupChannel(
            url: "c", unreadMessageCount: 3, unreadMentionCount: 1, lastMessage: Self.message(5))
        let hidden = channel.applying(.hidden(.untilShown, through: Self.moment(5)))
        #expect(hidden.hiddenState == .untilShown && hidden.lastMessage == nil)
        #expect(hidden.unreadMessageCount == 0 && hidden.unreadMentionCount == 0)
        #expect(hidden.messageOffset == Self.moment(5) && hidden.myLastRead == Self.moment(5))
        #expect(hidden.applying(.received(Self.message(5), .init(isUnread: true))) == hidden)
        // Messages after the moment stay.
        channel = channel.applying(.historyReset(through: Self.moment(4)))
        #expect(channel.lastMessage != nil && channel.unreadMessageCount == 3)
        #expect(channel.hiddenState == .unhidden)
    }

    @Test
    func `receipts only grow, and are kept only if known for all members (scar 114)`() {
        var channel = GroupChannel(url: "c")
        #expect(channel.applying(.readBy(["bob": Self.moment(5)])) == channel)
        channel.readReceipts = ["bob": Self.moment(3), "anna": Self.moment(9)]
        channel.deliveryReceipts = [:]
        channel = channel.applying(.readBy(["bob": Self.moment(5), "anna": Self.moment(4)]))
        #expect(channel.readReceipts == ["bob": Self.moment(5), "anna": Self.moment(9)])
        channel = channel.applying(.deliveredTo(["bob": Self.moment(2)]))
        #expect(channel.deliveryReceipts == ["bob": Self.moment(2)])
    }

    @Test
    func `the unread members of a message are joined members behind it, without its sender`() {
        var channel = GroupChannel(
            url: "c",
            members: ["anna", "bob", "carol", "dave"].map { name in
                Member(
                    user: User(id: UserID(name)), state: name == "dave" ? .invited : .joined)
            })
        #expect(channel.unreadMembers(of: Self.message(5)).isEmpty)
        channel.readReceipts = ["anna": Self.moment(4), "bob": Self.moment(1)]
        #expect(channel.unreadMembers(of: Self.message(5)).map(\.id) == ["anna", "carol"])
        #expect(channel.unreadMembers(of: Self.message(4)).map(\.id) == ["carol"])
        channel.deliveryReceipts = ["anna": Self.moment(9), "carol": Self.moment(9)]
        #expect(channel.undeliveredMembers(of: Self.message(5)).isEmpty)
        channel.isSuper = true
        #expect(channel.unreadMembers(of: Self.message(5)).isEmpty)
    }
}
