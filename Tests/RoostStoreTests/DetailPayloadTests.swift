// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import Testing

/// The round trip of the details of messages, channels and users through the cache.
struct DetailPayloadTests {
    static let bob = User(id: "bob", nickname: "Bob")

    static let rich: Message = {
        var message = PayloadTests.rich
        var file = FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: 3))
        file.data = "d"
        var thumbnail = Thumbnail(url: "x")
        thumbnail.realWidth = 9
        file.thumbnails = [thumbnail]
        file.requiresAuth = true
        file.files = [file, FileContent(url: "v", name: "", type: "", size: ByteCount(bytes: 0))]
        message.content = .file(file)
        message.sender?.isBlockedByMe = true
        var details = MessageDetails()
        details.reactions = [
            Reaction(key: "k", userIDs: ["a"], updatedAt: Timestamp(milliseconds: 1))
        ]
        details.threadInfo = ThreadInfo(replyCount: 2)
        details.threadInfo?.mostReplies = [bob]
        details.parentPreview = ParentPreview(content: .user(text: "p"))
        details.parentPreview?.sender = bob
        details.parentPreview?.updatedAt = Timestamp(milliseconds: 6)
        details.linkPreview = LinkPreview()
        details.linkPreview?.image = LinkPreview.Image()
        var option = Poll.Option(id: 1)
        option.voters = [bob]
        details.poll = Poll(id: 5)
        details.poll?.options = [option]
        details.poll?.votedOptionIDs = [1]
        details.translations = ["de": "x"]
        details.mentionedUsers = [bob]
        details.mentionTemplate = "@{bob}"
        details.extendedMessage = "{\"a\":1}"
        details.extendedMessagePayload = "{\"b\":1}"
        details.plugins = "[1]"
        details.schedule = Schedule(id: 4)
        details.survivalSeconds = 0
        details.retentionHours = 7
        details.criticalAlert = CriticalAlert()
        details.effects = MessageEffects()
        details.isRemoved = true
        details.notification = NotificationInfo(id: "n")
        message.details = details
        return message
    }()

    static let channel: GroupChannel = {
        var channel = PayloadTests.channel
        channel.lastMessage = rich
        channel.lastMessage?.channelURL = "c"
        channel.lastMessage?.sender = Sender(user: bob)
        channel.createdBy = bob
        channel.members = [Member(user: bob)]
        channel.members[0].mutedUntil = Timestamp(milliseconds: 8)
        channel.members[0].isBlockingMe = true
        channel.isExclusive = true
        channel.isPushEnabled = false
        channel.operators = [bob]
        channel.inviter = bob
        channel.hiddenState = .untilShown
        channel.readReceipts = ["bob": Timestamp(milliseconds: 3)]
        channel.deliveryReceipts = [:]
        channel.messageSurvivalSeconds = 60
        channel.countPreference = .off
        channel.pushTrigger = .mentions
        channel.pinnedMessageIDs = [7, 3]
        channel.latestPinnedMessage = channel.lastMessage
        channel.metadata = ["a": "b"]
        return channel
    }()

    private func copy(_ message: Message) throws -> Message {
        var bytes: [UInt8] = []
        MessagePayload.write(message, to: &bytes) { _ in 1 }
        var row = message
        row.sender = Sender(user: Self.bob)
        if let id = message.messageID { row.delivery = .delivered(id, nil) }
        return try MessagePayload.read(bytes.span, as: row) { _ in Self.bob }
    }

    @Test func `a message's payload keeps every detail (scars 76, 78)`() throws {
        let copy = try copy(Self.rich)
        #expect(copy.details == Self.rich.details)
        #expect(copy.content == Self.rich.content)
        #expect(copy.sender?.role == .operator && copy.sender?.isBlockedByMe == true)
    }

    @Test func `own votes keep their choices, no choice and unknown apart (scar 117)`() throws {
        var message = Self.rich
        for own in [nil, [], [1, 2]] as [[PollOptionID]?] {
            message.details.poll?.votedOptionIDs = own
            #expect(try copy(message).details.poll?.votedOptionIDs == own)
        }
    }

    @Test func `a renamed user has the new name in messages that mention the user`() throws {
        var bytes: [UInt8] = []
        MessagePayload.write(Self.rich, to: &bytes) { _ in 1 }
        let robert = User(id: "bob", nickname: "Robert")
        let copy = try MessagePayload.read(bytes.span, as: Self.rich) { _ in robert }
        #expect(copy.people == [robert, robert, robert, robert])
    }

    @Test func `a channel keeps every field, and absent receipts differ from none (scar 78)`()
        throws
    {
        var bytes: [UInt8] = []
        ChannelPayload.write(Self.channel, to: &bytes) { _ in 1 }
        var read = GroupChannel(url: "c", createdAt: Self.channel.createdAt)
        try ChannelPayload.read(bytes.span, into: &read) { _ in Self.bob }
        #expect(read == Self.channel)
        for count in bytes.indices {
            var read = GroupChannel(url: "c")
            #expect(throws: PayloadError.self) {
                try ChannelPayload.read(Array(bytes[..<count]).span, into: &read) { _ in Self.bob }
            }
        }
    }

    @Test(arguments: [
        ("1f0c3a2e-5f6b-4c7d-8e9f-a0b1c2d3e4f5", 17), ("1F0C3A2E-5F6B-4C7D-8E9F-A0B1C2D3E4F5", 17),
        ("1f0c3a2e-5f6b-4c7d-8e9f-A0b1c2d3e4f5", 38), ("1f0c3a2e-5f6b-4c7d-8e9f+a0b1c2d3e4f5", 38),
        ("1700000000001", 15), ("00000000-0000-0000-0000-000000000000", 17),
    ])
    func `a request ID keeps its text, and a UUID takes 16 bytes`(
        text: String, size: Int
    ) throws {
        var message = PayloadTests.plain
        var bytes: [UInt8] = []
        MessagePayload.write(message, to: &bytes) { _ in 1 }
        let sizeWithout = bytes.count
        message.delivery = .delivered(7, RequestID(text))
        bytes = []
        MessagePayload.write(message, to: &bytes) { _ in 1 }
        // The flags take a second byte if a flag beyond the seventh is set.
        #expect(bytes.count - sizeWithout - 1 == size)
        #expect(try copy(message).requestID == RequestID(text))
    }

    @Test func `a user keeps presence and contacts`() throws {
        var user = Self.bob
        var details = UserDetails()
        details.isOnline = false
        details.lastSeenAt = Timestamp(milliseconds: 5)
        details.preferredLanguages = ["de"]
        details.friendName = "B"
        details.requiresAuthForProfileImage = true
        user.details = details
        var bytes: [UInt8] = []
        UserPayload.write(user, to: &bytes)
        #expect(try UserPayload.read(bytes.span, id: "bob") == user)
    }
}
