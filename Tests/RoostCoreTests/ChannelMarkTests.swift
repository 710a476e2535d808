// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// Waiting changes and drafts on the channels of a list.
struct ChannelMarkTests {
    private static func channel(_ url: ChannelURL, name: String = "") -> GroupChannel {
        GroupChannel(
            url: url, name: name,
            lastMessage: Message(
                delivery: .delivered(1, nil), channelURL: url,
                createdAt: Timestamp(milliseconds: 1), content: .user(text: "hi")))
    }

    private static func marks(
        _ changes: ChannelChange..., in url: ChannelURL, draft: String? = nil
    ) -> ChannelMarks {
        ChannelMarks(
            changes: changes.enumerated().map { index, change in
                PendingChange(
                    id: RequestID("r\(index)"), channel: url,
                    createdAt: Timestamp(milliseconds: 1), action: .channel(change))
            },
            draft: draft.map {
                MessageDraft($0, at: DraftPlace(url), editedAt: Timestamp(milliseconds: 2))
            })
    }

    private static func list(
        _ order: ChannelOrder = .name, _ channels: GroupChannel..., hasMore: Bool = false
    ) -> ChannelListMachine {
        var machine = ChannelListMachine(order: order, filter: ChannelFilter(), viewer: "me")
        _ = machine.replace(with: channels, hasMore: hasMore, sequence: 1)
        return machine
    }

    @Test func `a waiting change makes a list be read again, a draft does not`() {
        let (a, b) = (Self.channel("a", name: "a"), Self.channel("b", name: "b"))
        var machine = Self.list(.name, a, b)
        var diff = machine.mark("a", Self.marks(in: "a", draft: "later"))
        #expect(!machine.isBehind)
        #expect(diff.updated.map(\.after.draft?.text) == ["later"])
        diff = machine.mark(
            "a", Self.marks(.update(ChannelUpdateParams(name: "c")), in: "a", draft: "later"))
        #expect(machine.isBehind && diff.isEmpty)
        diff = machine.replace(with: [a, b], hasMore: false, sequence: 1)
        #expect(!machine.isBehind)
        #expect(machine.channels.map(\.name) == ["b", "c"])
        #expect(machine.channels.last?.pendingChanges.map(\.id) == ["r0"])
        #expect(machine.channels.last?.draft?.text == "later")
        // A commit of the channel does not take the marks away.
        var renamed = a
        renamed.data = "d"
        let change = ChannelsChange(updated: [Update(before: a, after: renamed)])
        _ = machine.apply(Commit(sequence: 2, changes: [.channels(change)]))
        #expect(machine.channels.last?.name == "c" && machine.channels.last?.data == "d")
        #expect(machine.mark("a", nil).isEmpty && machine.isBehind)
        _ = machine.replace(with: [renamed, b], hasMore: false, sequence: 2)
        #expect(machine.channels == [renamed, b])
    }

    @Test func `a hidden channel makes room for one more of an unfinished list (scar 102)`() {
        let channels = ["a", "b", "c"].map { Self.channel(ChannelURL($0), name: $0) }
        var machine = Self.list(.name, channels[0], channels[1], hasMore: true)
        _ = machine.mark("a", Self.marks(.hide(allowsAutoUnhide: false), in: "a"))
        _ = machine.replace(with: Array(channels[..<2]), hasMore: true, sequence: 1)
        #expect(machine.channels.map(\.url) == ["b"])
        #expect(machine.leftOut == 1 && machine.isBehind)
        _ = machine.replace(with: channels, hasMore: true, sequence: 1)
        #expect(machine.channels.map(\.url) == ["b", "c"])
        #expect(machine.leftOut == 1 && !machine.isBehind)
    }

    @Test func `a waiting change brings a channel into the list at its place`() {
        var (a, b) = (Self.channel("a", name: "a"), Self.channel("b", name: "b"))
        a.hiddenState = .untilShown
        var machine = Self.list(.name, b)
        _ = machine.mark("a", Self.marks(.unhide, in: "a"))
        _ = machine.replace(with: [b], marked: [a], hasMore: true, sequence: 1)
        #expect(machine.channels.map(\.url) == ["a", "b"])
        // At the end of an unfinished list it belongs to a later page.
        b.hiddenState = .untilShown
        machine = Self.list(.name, Self.channel("a", name: "a"), hasMore: true)
        _ = machine.mark("b", Self.marks(.unhide, in: "b"))
        _ = machine.replace(
            with: [Self.channel("a", name: "a")], marked: [b], hasMore: true, sequence: 1)
        #expect(machine.channels.map(\.url) == ["a"])
    }

    @Test func `a new name behind the last read channel belongs to a later page (scar 102)`() {
        let (a, b) = (Self.channel("a", name: "a"), Self.channel("b", name: "b"))
        var machine = Self.list(.name, a, b, hasMore: true)
        _ = machine.mark("a", Self.marks(.update(ChannelUpdateParams(name: "z")), in: "a"))
        _ = machine.replace(with: [a, b], hasMore: true, sequence: 1)
        #expect(machine.channels.map(\.url) == ["b"])
        #expect(machine.leftOut == 1 && machine.isBehind)
        let c = Self.channel("c", name: "c")
        _ = machine.replace(with: [a, b, c], hasMore: false, sequence: 1)
        #expect(machine.channels.map(\.name) == ["b", "c", "z"])
    }

    @Test func `a duration becomes whole seconds, rounded up, and a negative one keeps messages`() {
        var params = ChannelUpdateParams()
        params.messageSurvival = .milliseconds(59_001)
        #expect(params.messageSurvivalSeconds == 60 && params.messageSurvival == .seconds(60))
        params.messageSurvival = .milliseconds(-1)
        #expect(params.messageSurvivalSeconds == -1)
        #expect(Duration.milliseconds(1).wholeSeconds == 1)
        #expect(Duration.seconds(7).wholeSeconds == 7 && Duration.zero.wholeSeconds == 0)
    }

    @Test func `each change shows on the channel`() {
        var channel = Self.channel("a", name: "old")
        channel.members = [Member(user: User(id: "bob"))]
        channel.pinnedMessageIDs = [1, 2]
        var params = ChannelUpdateParams(name: "n", coverURL: "u", data: "d", customType: "t")
        params.messageSurvival = .seconds(-2)
        params.accessCode = "code"
        let shown = channel.marked(
            Self.marks(
                .hide(allowsAutoUnhide: true), .update(params), .setPushTrigger(.off),
                .setCountPreference(.messages), .mute("bob", for: .seconds(1), reason: ""), .pin(2),
                .pin(3), .unpin(1), .invite(["carol"]), in: "a"))
        #expect(shown.hiddenState == .untilNextMessage)
        #expect(shown.name == "n" && shown.coverURL == "u")
        #expect(shown.data == "d" && shown.customType == "t")
        #expect(shown.needsAccessCode && shown.messageSurvival == nil)
        #expect(shown.pushTrigger == .off && shown.countPreference == .messages)
        #expect(shown.members.map(\.isMuted) == [true])
        #expect(shown.pinnedMessageIDs == [3, 2])
        #expect(shown.pendingChanges.count == 9)
        #expect(channel.marked(Self.marks(.leave, in: "a")).myState == .none)
        #expect(channel.marked(nil) == channel && channel.pendingChanges.isEmpty)
    }

    @Test(
        arguments: [
            (.unhide, .hide(allowsAutoUnhide: true), true),
            (.setPushTrigger(.all), .setPushTrigger(.off), true),
            (.setPushTrigger(.all), .setCountPreference(.off), false),
            (.mute("bob", for: nil, reason: ""), .unmute("bob"), true),
            (.mute("bob", for: nil, reason: ""), .unmute("carol"), false),
            (.pin(1), .unpin(1), true), (.pin(1), .pin(2), false),
            (.invite(["bob"]), .invite(["bob"]), false), (.leave, .unhide, false),
            (
                .update(ChannelUpdateParams(name: "b", data: "d")),
                .update(ChannelUpdateParams(name: "a")), true
            ),
            (
                .update(ChannelUpdateParams(name: "b")),
                .update(ChannelUpdateParams(name: "a", data: "d")), false
            ),
        ] as [(ChannelChange, ChannelChange, Bool)])
    func `a change replaces an older one of which it leaves nothing`(
        new: ChannelChange, old: ChannelChange, isReplaced: Bool
    ) {
        #expect(new.replaces(old) == isReplaced)
    }
}
