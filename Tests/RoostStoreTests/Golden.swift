// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The values of the frozen bytes.
///
/// Every field is set and differs from its neighbours.
///
/// The values never change, because the bytes do not.
enum Golden {
    static let people = ["ann", "bob", "cid", "dan", "eve", "fay"].map {
        User(id: $0, nickname: $0.rawValue.uppercased())
    }

    static func row(_ id: UserID) -> Int64 {
        guard let index = people.firstIndex(where: { $0.id == id }) else {
            preconditionFailure("\(id) has no row.")
        }
        return Int64(index + 100)
    }

    static func user(_ row: Int64) -> User {
        people.indices.contains(Int(row) - 100) ? people[Int(row) - 100] : User(id: "")
    }

    static func moment(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds)
    }

    static func unknown(_ name: String, _ json: String) -> UnknownFields {
        var fields = UnknownFields()
        fields.keep(UnknownFields.Field(name: name, json: json))
        return fields
    }

    static func thumbnail(_ number: Int) -> Thumbnail {
        var thumbnail = Thumbnail(url: "t\(number)")
        thumbnail.plainURL = "p\(number)"
        (thumbnail.width, thumbnail.height) = (number, number + 1)
        (thumbnail.realWidth, thumbnail.realHeight) = (number + 2, number + 3)
        return thumbnail
    }

    static func file(_ name: String, size: Int64) -> FileContent {
        var file = FileContent(
            url: "u\(name)", name: name, type: "image/png", size: ByteCount(bytes: size),
            caption: "c\(name)")
        file.data = "d\(name)"
        file.requiresAuth = true
        file.thumbnails = [thumbnail(10), thumbnail(20)]
        return file
    }

    static let album: FileContent = {
        var album = file("a", size: 70)
        album.files = [file("b", size: 71), file("c", size: 72)]
        album.files[1].thumbnails = []
        album.files[1].requiresAuth = false
        return album
    }()

    static let message: Message = {
        var message = Fixture.message(7, text: "Hi", from: people[0])
        var details = MessageDetails()
        var reaction = Reaction(key: "heart", userIDs: ["ann", "zoe"], updatedAt: moment(11))
        reaction.count = 12
        details.reactions = [reaction]
        var thread = ThreadInfo(replyCount: 13)
        thread.mostReplies = [people[1], people[2]]
        (thread.lastRepliedAt, thread.updatedAt) = (moment(14), moment(15))
        (thread.memberCount, thread.unreadMessageCount, thread.isPushEnabled) = (16, 17, true)
        details.threadInfo = thread
        var parent = ParentPreview(content: .file(album))
        parent.sender = people[3]
        (parent.createdAt, parent.updatedAt) = (moment(18), moment(19))
        (parent.data, parent.customType, parent.translations) = ("pd", "pc", ["de": "pt"])
        details.parentPreview = parent
        var link = LinkPreview()
        (link.title, link.url, link.summary) = ("lt", "lu", "ls")
        var image = LinkPreview.Image()
        (image.url, image.secureURL, image.type, image.alternativeText) = ("iu", "is", "it", "ia")
        (image.width, image.height) = (20, 21)
        link.image = image
        details.linkPreview = link
        details.poll = poll
        details.translations = ["de": "td", "fr": "tf"]
        details.mentionedUsers = [people[4], people[5]]
        details.mentionTemplate = "@{eve}"
        details.extendedMessage = #"{"e":1}"#
        details.extendedMessagePayload = #"{"p":2}"#
        details.plugins = "[3]"
        var schedule = Schedule(id: 22)
        (schedule.sendsAt, schedule.status) = (moment(23), "pending")
        details.schedule = schedule
        (details.survivalSeconds, details.retentionHours) = (24, 25)
        var alert = CriticalAlert()
        (alert.sound, alert.volume) = ("bell", 0.25)
        details.criticalAlert = alert
        var effects = MessageEffects()
        (effects.push, effects.updatesUnreadCount) = ("sender", false)
        (effects.updatesMentionCount, effects.updatesLastMessage) = (true, false)
        details.effects = effects
        details.isRemoved = true
        var notification = NotificationInfo(id: "nid")
        (notification.status, notification.data) = ("READ", #"{"n":4}"#)
        details.notification = notification
        message.details = details
        return message
    }()

    static let poll: Poll = {
        var poll = Poll(id: 30)
        (poll.title, poll.status) = ("which", .closed)
        (poll.createdAt, poll.updatedAt, poll.closesAt) = (moment(31), moment(32), moment(33))
        (poll.messageID, poll.dataType, poll.dataText) = (34, "pdt", "pdx")
        (poll.voterCount, poll.createdBy) = (35, "zoe")
        (poll.allowsSuggestions, poll.allowsMultipleVotes) = (true, false)
        poll.votedOptionIDs = [36, 37]
        var option = Poll.Option(id: 36)
        (option.text, option.createdBy) = ("this", "yan")
        (option.createdAt, option.updatedAt) = (moment(38), moment(39))
        (option.voteCount, option.voters) = (40, [people[1], people[4]])
        poll.options = [option, Poll.Option(id: 37)]
        return poll
    }()

    static let channel: GroupChannel = {
        var channel = GroupChannel(
            url: "c", name: "Name", coverURL: "cover", data: "data", customType: "type",
            createdAt: moment(5), createdBy: people[0], isDistinct: true, isSuper: false,
            isBroadcast: true, isPublic: false, isFrozen: true, members: [Member(user: people[1])],
            memberCount: 41, joinedMemberCount: 42, unreadMessageCount: 43,
            unreadMentionCount: 44, myState: .invited, myRole: .operator, myLastRead: moment(45),
            messageOffset: moment(46), unknownFields: unknown("x", "[1]"))
        channel.members[0].state = .invited
        channel.members[0].role = .operator
        channel.members[0].isMuted = true
        (channel.members[0].joinedAt, channel.members[0].mutedUntil) = (moment(47), moment(48))
        channel.members[0].muteReason = "noise"
        (channel.members[0].readAt, channel.members[0].deliveredAt) = (moment(49), moment(50))
        (channel.members[0].isBlockedByMe, channel.members[0].isBlockingMe) = (true, true)
        channel.members.append(Member(user: people[2]))
        var last = Fixture.message(8, in: "c", text: "last", from: people[3], updatedAt: 51)
        (last.customType, last.parentID) = ("last type", 6)
        channel.lastMessage = last
        channel.isExclusive = true
        channel.isEphemeral = true
        channel.isChatNotification = true
        channel.hasBot = true
        channel.ignoresProfanityFilter = true
        channel.isSurvivalTriggeredByRead = true
        (channel.operators, channel.inviter) = ([people[4]], people[5])
        (channel.invitedAt, channel.joinedAt) = (moment(52), moment(53))
        (channel.hiddenState, channel.countPreference) = (.untilShown, .off)
        channel.pushTrigger = .mentions
        channel.latestMessage = Fixture.place(54, 55)
        channel.readReceipts = ["zoe": moment(56), "ann": moment(57)]
        channel.deliveryReceipts = ["bob": moment(58)]
        (channel.purgeOffset, channel.messageSurvivalSeconds) = (moment(59), 60)
        (channel.maxMessageLength, channel.pinnedMessageIDs) = (61, [62, 63])
        channel.latestPinnedMessage = Fixture.message(9, in: "c", text: "pin", from: nil)
        channel.metadata = ["mk": "mv"]
        return channel
    }()

    static let fullUser: User = {
        var user = User(
            id: "ann", nickname: "Ann", profileURL: "pic", metadata: ["b": "2", "a": "null"],
            isActive: false, unknownFields: unknown("x", #"{"y":1}"#))
        var details = UserDetails()
        (details.isOnline, details.lastSeenAt) = (true, moment(64))
        details.preferredLanguages = ["de", "fr"]
        (details.friendDiscoveryKey, details.friendName) = ("key", "Annie")
        details.requiresAuthForProfileImage = true
        user.details = details
        return user
    }()

    static let channelUpdate: ChannelUpdateParams = {
        var params = ChannelUpdateParams(
            name: "un", coverURL: "uc", data: "ud", customType: "ut")
        params.accessCode = "ua"
        params.isPublic = true
        params.isDiscoverable = false
        params.messageSurvivalSeconds = 79
        params.operatorIDs = ["bob", "cid"]
        return params
    }()

    static let fileParams: FileMessageParams = {
        var copied = OutgoingFile(.copy(of: "/a/b"), name: "n1", type: "t1")
        copied.size = ByteCount(bytes: 65)
        copied.thumbnailSizes = [
            OutgoingFile.ThumbnailSize(width: 66, height: 67),
            OutgoingFile.ThumbnailSize(width: 68, height: 69),
        ]
        copied.requiresAuth = true
        var sent = OutgoingFile(.url("https://x/f"), name: "n4", type: "t4")
        sent.thumbnails = [thumbnail(70), thumbnail(80)]
        return FileMessageParams(
            files: [
                copied, OutgoingFile(.reference(to: "/c"), name: "n2", type: "t2"),
                OutgoingFile(.bytes([1, 2, 255]), name: "n3", type: "t3"), sent,
            ],
            caption: "words", data: "data", customType: "type",
            mention: Mention(kind: .channel, userIDs: ["bob"]),
            metaArrays: [MetaArray(key: "k", values: ["v", "w"])], parentID: 71,
            isReplyToChannel: true, isSilent: false)
    }()
}
