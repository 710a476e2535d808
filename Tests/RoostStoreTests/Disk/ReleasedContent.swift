// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

/// What stands in `Released/cache-4.sqlite` and `outbox-2.sqlite`: a row of every kind.
///
/// Kept as it was when the files were written. For the files of the next schema add to it what the schema
/// can say besides, as a content of its own, and write them with `ReleasedFilesTests`.
enum ReleasedContent {
    static let channel: ChannelURL = "band"
    private static let (ann, bob) = (Golden.people[0], Golden.people[1])

    static let me: User = {
        var user = User(id: "anna", nickname: "Anna")
        user.details = Golden.fullUser.details
        user.unknownFields = Golden.fullUser.unknownFields
        return user
    }()

    static let group: GroupChannel = {
        var group = Fixture.group(channel, members: [me, ann, bob], name: "Band")
        group.customType = "music"
        return group
    }()

    /// Of each kind one, oldest first, as they are after what happened to them.
    static let messages: [Message] = {
        func message(_ id: Int64, _ content: MessageContent, from sender: User? = ann) -> Message {
            var message = Fixture.message(id, in: channel, from: sender)
            message.content = content
            return message
        }
        var rich = message(5, .user(text: "calls everybody"))
        rich.sender?.role = .operator
        rich.sender?.isBlockedByMe = true
        (rich.data, rich.customType, rich.isSilent) = (#"{"d":1}"#, "greeting", true)
        rich.mention = Mention(kind: .channel)
        rich.metaArrays = [MetaArray(key: "k", values: ["v", ""])]
        rich.unknownFields = Golden.unknown("new_field", #"{"a":[1,2]}"#)
        rich.delivery = .delivered(5, "1f0c3a2e-5f6b-4c7d-8e9f-a0b1c2d3e4f5")
        var reply = message(6, .user(text: "answers"), from: me)
        (reply.parentID, reply.isReplyToChannel) = (5, true)
        reply.updatedAt = Golden.moment(900)
        reply.delivery = .delivered(6, "request 6")
        reply.customType = "greeting"
        var detailed = Golden.message
        detailed.channelURL = channel
        detailed.details.poll = detailed.details.poll?.applying(vote)
        var calling = message(8, .user(text: "calls Anna"), from: bob)
        calling.mention = Mention(userIDs: ["anna"])
        var answered = message(1, .user(text: "first"))
        var details = MessageDetails()
        details.reactions = [
            Reaction(key: "heart", userIDs: ["bob"], updatedAt: Golden.moment(10))
        ]
        details.threadInfo = thread
        answered.details = details
        return [
            answered, message(2, .admin(text: "notice"), from: nil),
            message(3, .unknown(kind: "HOLO")), message(4, .file(Golden.album)), rich, reply,
            detailed, calling,
        ]
    }()

    static let thread: ThreadInfo = {
        var thread = ThreadInfo(replyCount: 2)
        (thread.mostReplies, thread.updatedAt) = ([bob], Golden.moment(12))
        return thread
    }()

    static let vote: PollChange = {
        var votes = PollVotes(pollID: 30, at: Golden.moment(4_000))
        votes.counts = [PollVotes.Count(optionID: 37, voteCount: 3)]
        (votes.votedOptionIDs, votes.voterCount) = ([37], 38)
        return .voted(votes)
    }()

    static let filter = MessageFilter(customTypes: ["greeting"])

    /// Known under a filter alone, because it lies in a hole.
    static let filtered: Message = {
        var message = Fixture.message(15, in: channel, text: "filtered", from: bob)
        message.customType = "greeting"
        return message
    }()

    /// Behind the hole.
    static let live = [20, 21].map { Fixture.message($0, in: channel, from: bob) }

    /// Of a channel whose history was cut after the second.
    static let old = (1...3).map { Fixture.message($0, in: "old", from: me) }

    static let coverage = [
        CoveredRange(lower: .distantPast, upper: Fixture.place(9)),
        CoveredRange(lower: Fixture.place(20), upper: Fixture.place(21), predecessor: 19),
    ]

    /// Writes all of it, in commits as they come: pages first, then what happened.
    static func write(to writer: StoreWriter) async throws {
        // As they are told at first.
        var page = messages
        page[0].details = MessageDetails()
        page[0].details.reactions = []
        page[6].details.poll = Golden.message.details.poll
        let gone = Fixture.message(9, in: channel, from: ann)
        try await writer.commit([
            .users([me] + Golden.people),
            .channels([group, Golden.channel, Fixture.group("gone")]),
            .messages(channel, page + [gone], covering: coverage[0]),
            .cursor(.messageChanges(channel), .token("edits")),
            .cursor(.channelChanges, .token("all")),
            .cursor(.channelFill, .token("page 2")), .session([1, 2, 255]),
        ])
        try await writer.commit([
            .channels([Fixture.group("old", createdAt: 2)]),
            .messages(
                "old", old, covering: Fixture.range(1, 3)
            ),
            .messages(
                channel, [filtered], covering: Fixture.range(15, 16), under: filter),
            .firstCursor(.messageChanges("old"), .moment(Golden.moment(13))),
            .liveMessage(live[0], predecessor: 19),
        ])
        try await writer.commit([
            .liveMessage(live[1], predecessor: 20), .deleted(channel, [9]),
            .reacted(
                channel, 1,
                ReactionChange(
                    key: "heart", userID: "bob", isAdded: true, updatedAt: Golden.moment(10))),
            .replied(channel, 1, thread), .polled(channel, 7, vote),
            .historyCut("old", through: Golden.moment(2)),
            .accessed(channel, at: Golden.moment(14)),
            .pinned("old", true), .removeChannel("gone"),
        ])
    }
}

// MARK: - The outbox

extension ReleasedContent {
    /// What waits, in the order it goes; the name of an item says what it is.
    static let items: [(id: RequestID, content: OutboxContent)] = [
        (
            "words",
            .userMessage(
                UserMessageParams(
                    text: "unsent", data: "d", customType: "c", mention: Mention(userIDs: ["bob"]),
                    metaArrays: [MetaArray(key: "k", values: ["v"])], parentID: 3,
                    isReplyToChannel: true, isSilent: true))
        ),
        (
            "copied file",
            .fileMessage(
                FileMessageParams(
                    files: [
                        OutgoingFile(
                            .bytes([]), name: "n", type: "t", size: ByteCount(bytes: 3))
                    ], caption: "copied"),
                copies: [CopiedFile(name: "", size: 3, key: nil)])
        ),
        ("files", .fileMessage(Golden.fileParams, copies: [nil, nil, nil, nil])),
        ("edit", .change(.edit(.delivered(5), MessageEdit(text: "edited", data: "")))),
        ("deletion", .change(.delete(.unsent("words")))),
        ("reaction", .change(.addReaction("heart", .delivered(5)))),
        ("reaction taken back", .change(.removeReaction("star", .delivered(5)))),
        ("read mark", .change(.markAsRead(through: Golden.moment(16)))),
        ("tried again", .userMessage(UserMessageParams(text: "again"))),
    ]

    static let states: [RequestID: UnsentState] = [
        "files": .failed(.ackTimeout), "deletion": .failed(.notAMember), "reaction": .canceled,
    ]

    static func write(to outbox: OutboxStore) async throws {
        for (number, item) in items.enumerated() where item.id != "tried again" {
            var content = item.content
            if item.id == "copied file", case .fileMessage(var params, _) = content {
                params.files[0].source = .bytes([1, 2, 255])
                content = .fileMessage(params, copies: [nil])
            }
            // What is only named by its path need not be there: the content follows as a note.
            if item.id == "files" { content = .userMessage(UserMessageParams(text: "")) }
            if item.id == "edit" {
                try await append("tried again", 99, items[8].content, to: outbox)
            }
            try await append(item.id, Int64(number), content, to: outbox)
        }
        try await append("taken back", 99, items[0].content, to: outbox)
        try await outbox.note(
            .attempt("words"), .content("files", channel, items[2].content), .removal("taken back"),
            .requeued("tried again", createdAt: Golden.moment(8)))
        for (id, state) in states.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try await outbox.note(.state(id, state))
        }
    }

    private static func append(
        _ id: RequestID, _ moment: Int64, _ content: OutboxContent, to outbox: OutboxStore
    ) async throws {
        _ = try await outbox.append(
            id, to: channel, createdAt: Golden.moment(moment), content: content)
    }
}
