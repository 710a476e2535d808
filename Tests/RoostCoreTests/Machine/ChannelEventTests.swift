// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// Events of channels: the change of the cache and the event for the app.
struct ChannelEventTests {
    private typealias Script = MachineScript

    private static let url = Script.channel
    private static let other = User(id: "other")
    private static let moment = Timestamp(milliseconds: 2_000_000)

    /// The way from a frame to the app's event.
    private enum Path {
        /// The event contains the whole change: one commit.
        case commit([Mutation])
        /// Only the server knows the change: the event follows a look-up.
        case lookUp
        case nothing
    }

    private static func event(
        _ category: ChannelEvent.Category, _ content: ChannelEvent.Content = .other(data: "{}")
    ) -> ChannelEvent {
        ChannelEvent(
            category, channelURL: url, timestamp: moment, content: content, messageOffset: moment)
    }

    private static let restricted = RestrictedUser(user: other)
    private static let me = User(id: "me")

    private static let table: [(ChannelEvent, Path, ChatEvent?)] = [
        (event(.joined, .joined([], .init())), .lookUp, .joined([], url)),
        (event(.left, .left(other, .init())), .lookUp, .left(other, url)),
        (event(.left, .left(me, .init())), .commit([.removeChannel(url)]), .left(me, url)),
        (
            event(.invited, .invited(inviter: other, invitees: [], at: nil, .init())), .lookUp,
            .invited([], by: other, url)
        ),
        (
            event(.invitationDeclined, .declined(inviter: other, invitee: me, .init())),
            .commit([.removeChannel(url)]), .declined(me, inviter: other, url)
        ),
        (
            event(.invitationDeclined, .declined(inviter: nil, invitee: other, .init())), .lookUp,
            .declined(other, inviter: nil, url)
        ),
        (event(.operatorsChanged, .operators([other])), .lookUp, .operatorsChanged([other], url)),
        (
            event(.frozen, .frozen(true)), .commit([.channelNews(url, .frozen(true))]),
            .frozen(true, url)
        ),
        (
            event(.hidden, .hidden(hidesPrevious: false, allowsAutoUnhide: true)),
            .commit([.channelNews(url, .hidden(.untilNextMessage, through: nil))]), .hidden(url)
        ),
        (
            event(.hidden, .hidden(hidesPrevious: true, allowsAutoUnhide: false)),
            .commit([
                .channelNews(url, .hidden(.untilShown, through: moment)),
                .channelNews(url, .readBy(["me": moment])),
            ]), .hidden(url)
        ),
        (
            event(.unhidden), .commit([.channelNews(url, .hidden(.unhidden, through: nil))]),
            .unhidden(url)
        ),
        (
            event(
                .metadataChanged,
                .metadata(created: ["a": "1"], updated: ["b": "2"], deleted: ["c"])),
            .commit([.channelNews(url, .metadata(set: ["a": "1", "b": "2"], removed: ["c"]))]),
            .metadataChanged(created: ["a": "1"], updated: ["b": "2"], deleted: ["c"], url)
        ),
        (
            event(.metaCountersChanged, .counters(created: ["a": 1], updated: [:], deleted: [])),
            .nothing, .countersChanged(created: ["a": 1], updated: [:], deleted: [], url)
        ),
        (event(.muted, .restricted(restricted, .init())), .lookUp, .muted(restricted, url)),
        (event(.unmuted, .restricted(restricted, .init())), .lookUp, .unmuted(other, url)),
        (event(.banned, .restricted(restricted, .init())), .lookUp, .banned(restricted, url)),
        (event(.unbanned, .restricted(restricted, .init())), .lookUp, .unbanned(other, url)),
        (
            event(.banned, .restricted(RestrictedUser(user: me), .init())),
            .commit([.removeChannel(url)]), .banned(RestrictedUser(user: me), url)
        ),
        (event(.propertiesChanged), .lookUp, .channelChanged(url)),
        (event(.pinsChanged), .lookUp, .pinsChanged(url)),
        (event(.deleted), .commit([.removeChannel(url)]), .channelDeleted(url)),
        (event(ChannelEvent.Category(99_999)), .lookUp, nil),
        (event(.typingEnd, .typing(other, isTyping: false)), .nothing, nil),
    ]

    private static func events(_ effects: [Script.Effect]) -> [ChatEvent] {
        effects.notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    /// Answers the commit and the reads and questions that follow, and returns all effects.
    private static func finish(
        _ script: inout Script, _ effects: [Script.Effect]
    ) -> [Script.Effect] {
        var (all, waiting) = (effects, effects)
        while !waiting.isEmpty {
            let next: [Script.Effect] =
                switch waiting.removeFirst() {
                case .commit(let id, _, _, _): script.commit(id)
                case .read(let id, .channel(let url)):
                    script.read(id, .channel(Script.channel(url)))
                case .ask(let id, .channel(let call), _):
                    script.answer(id, .channel(Script.channel(call.channelURL)))
                default: []
                }
            all += next
            waiting += next
        }
        return all
    }

    @Test(arguments: table.indices)
    func `an event of a channel changes the cache and is announced`(_ index: Int) {
        let (event, path, announcement) = Self.table[index]
        var script = Script.connected()
        let first = script.frame(.channel(event))
        switch path {
        case .commit(let mutations):
            #expect(first.mutations == mutations)
            #expect(Self.events(first).isEmpty)
        case .lookUp:
            #expect(first.mutations.isEmpty && Self.events(first).isEmpty)
            #expect(first.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
        case .nothing:
            #expect(first.mutations.isEmpty)
            #expect(!first.contains { if case .ask = $0 { true } else { false } })
        }
        #expect(Self.events(Self.finish(&script, first)) == [announcement].compactMap { $0 })
    }

    // MARK: Events of messages and users

    private static func edit(mentioned: Bool, before: Bool, answers id: RequestID? = nil)
        -> EditEvent
    {
        var message = Script.message(5)
        message.sender = Sender(user: other)
        if mentioned { message.mention = Mention(kind: .users, userIDs: ["me"]) }
        return EditEvent(
            message: message, acknowledges: id,
            oldMention: before ? Mention(kind: .users, userIDs: ["me"]) : Mention())
    }

    private static func reading(_ user: User) -> ReadEvent {
        ReadEvent(channelURL: url, user: user, timestamp: moment)
    }

    private static let reaction = ReactionChange(
        key: "smile", userID: "other", isAdded: true, updatedAt: moment)

    private static let votes = PollVotes(pollID: 7, at: moment)

    private static let others: [(ServerEvent, [Mutation], [ChatEvent], looksUp: Bool)] = [
        (
            .edited(edit(mentioned: false, before: false)),
            [.edited(edit(mentioned: false, before: false).message)],
            [.messageUpdated(edit(mentioned: false, before: false).message)], false
        ),
        (
            .edited(edit(mentioned: true, before: false)),
            [.edited(edit(mentioned: true, before: false).message)],
            [.messageUpdated(edit(mentioned: true, before: false).message)], true
        ),
        (
            .edited(edit(mentioned: false, before: false, answers: "r")),
            [.edited(edit(mentioned: false, before: false).message)], [], false
        ),
        (
            .read(reading(other)), [.channelNews(url, .readBy(["other": moment]))],
            [.read(other, through: moment, url)], false
        ),
        (
            .read(reading(me)),
            [
                .channelNews(url, .readBy(["me": moment])), .channelNews(url, .read(moment)),
            ], [.read(me, through: moment, url)], false
        ),
        (
            .delivered(url, ["other": moment]),
            [.channelNews(url, .deliveredTo(["other": moment]))],
            [.delivered(["other": moment], url)], false
        ),
        (
            .memberCounts(
                [
                    MemberCounts(
                        channelURL: url, memberCount: 3, joinedMemberCount: 2, timestamp: nil)
                ], []), [.channelNews(url, .memberCounts(all: 3, joined: 2))],
            [.memberCountsChanged(url)], false
        ),
        (
            .reaction(ReactionEvent(channelURL: url, messageID: 5, change: reaction)),
            [.reacted(url, 5, reaction)], [.reactionChanged(reaction, 5, url)], false
        ),
        (
            .thread(
                ThreadEvent(channelURL: url, parentID: 5, threadInfo: ThreadInfo(replyCount: 2))),
            [.replied(url, 5, ThreadInfo(replyCount: 2))],
            [.threadChanged(ThreadInfo(replyCount: 2), 5, url)], false
        ),
        (
            .poll(PollEvent(channelURL: url, messageID: 5, change: .edited(Poll(id: 7)))),
            [.polled(url, 5, .edited(Poll(id: 7)))], [.pollChanged(Poll(id: 7), 5, url)], false
        ),
        (
            .poll(PollEvent(channelURL: url, messageID: 5, change: .voted(votes))),
            [.polled(url, 5, .voted(votes))], [.pollVoted(votes, 5, url)], false
        ),
    ]

    @Test(arguments: others.indices)
    func `an event of messages or users changes the cache and is announced`(_ index: Int) {
        let (event, mutations, events, looksUp) = Self.others[index]
        var script = Script.connected()
        let first = script.frame(event)
        // The change of the channel that shows the message may follow.
        #expect(Array(first.mutations.prefix(mutations.count)) == mutations)
        #expect(Self.events(first).isEmpty)
        let all = Self.finish(&script, first)
        #expect(Self.events(all) == events)
        #expect(
            looksUp == all.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `an expired session key is renewed, also by an error that answers a command`() {
        for event in [
            ServerEvent.expired(reason: nil, expiresIn: nil),
            .error(ServerError(.sessionKeyExpired, ""), acknowledges: "r"),
        ] {
            var script = Script.connected()
            let effects = script.frame(event)
            #expect(effects.notices.contains(.closeSocket))
            #expect(script.machine.state.session == nil)
        }
    }
}
