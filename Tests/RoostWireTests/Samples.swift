// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostTestSupport
import RoostWire

/// A generator of values, in which every field is set now and then, from a seed.
struct Samples {
    private var random: SplitMix64
    /// Whether every value has all its fields.
    private let isFull: Bool

    init(seed: UInt64, isFull: Bool = false) {
        random = SplitMix64(seed: seed)
        self.isFull = isFull
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func flag() -> Bool { Bool.random(using: &random) }

    mutating func text() -> String {
        let pieces = [
            "a", "é", "日本", "👩‍👩‍👧", "\"", "\\", "\n", "\u{0}", "\u{7F}", "/", "null", " ", "\u{2028}",
            "'; --",
        ]
        return (0..<number(0...6)).map { _ in pieces[number(0...(pieces.count - 1))] }.joined()
    }

    mutating func name() -> String { "n\(number(0...999))" + text() }

    mutating func moment() -> Timestamp {
        Timestamp(milliseconds: Int64(number(1...2_000_000_000_000)))
    }

    mutating func seconds() -> Timestamp { Timestamp(seconds: Int64(number(1...2_000_000_000))) }

    mutating func optional<Value>(_ make: (inout Samples) -> Value) -> Value? {
        has() ? make(&self) : nil
    }

    /// Returns whether an optional field is present.
    private mutating func has() -> Bool {
        let isThere = flag()
        return isFull || isThere
    }

    mutating func list<Value>(_ make: (inout Samples) -> Value) -> [Value] {
        (0..<number((isFull ? 1 : 0)...3)).map { _ in make(&self) }
    }

    mutating func unknown(_ names: [String]) -> UnknownFields {
        var fields = UnknownFields()
        for name in names where flag() {
            fields.keep(UnknownFields.Field(name: name, json: value(depth: 2).text))
        }
        return fields
    }

    mutating func value(depth: Int) -> JSONValue {
        switch number(0...(depth > 0 ? 6 : 4)) {
        case 0: .null
        case 1: .bool(flag())
        case 2: .int(Int64.random(in: .min ... .max, using: &random))
        case 3: .number("\(number(0...99)).5e-\(number(0...20))")
        case 4: .string(text())
        case 5: .array(list { $0.value(depth: depth - 1) })
        default:
            .object(
                list { $0.number(0...9_999) }.enumerated().map {
                    JSONValue.Field("k\($0.offset)-\($0.element)", value(depth: depth - 1))
                })
        }
    }

    mutating func user() -> User {
        var user = User(
            id: UserID(name()), nickname: text(), profileURL: text(), metadata: texts(),
            isActive: flag(), unknownFields: unknown(["locale", "from_the_future"]))
        guard has() else { return user }
        var details = UserDetails()
        details.isOnline = optional { $0.flag() }
        details.lastSeenAt = optional { $0.moment() }
        details.preferredLanguages = list { $0.name() }
        details.friendDiscoveryKey = optional { $0.name() }
        details.friendName = optional { $0.text() }
        details.requiresAuthForProfileImage = flag()
        user.details = details
        return user
    }

    /// Returns a user as in senders and members, without unknown fields of their own.
    private mutating func person() -> User {
        var user = user()
        user.unknownFields = UnknownFields()
        return user
    }

    mutating func texts() -> [String: String] {
        var texts: [String: String] = [:]
        for _ in 0..<number(0...3) { texts[name()] = text() }
        return texts
    }

    mutating func role() -> Role { flag() ? .operator : .none }

    mutating func member() -> Member {
        var member = Member(
            user: person(), state: flag() ? .joined : .invited, role: role(), isMuted: flag(),
            joinedAt: optional { $0.seconds() })
        member.mutedUntil = optional { $0.moment() }
        member.muteReason = text()
        member.isBlockedByMe = flag()
        member.isBlockingMe = flag()
        member.readAt = optional { $0.moment() }
        member.deliveredAt = optional { $0.moment() }
        member.unknownFields = unknown(["locale", "from_the_future"])
        return member
    }

    mutating func sender() -> Sender {
        var sender = Sender(user: person(), role: role())
        sender.isBlockedByMe = flag()
        sender.unknownFields = unknown(["locale", "from_the_future"])
        return sender
    }

    mutating func content() -> MessageContent {
        switch number(0...2) {
        case 0: .user(text: text())
        case 1: .file(fileWithAll())
        default: .admin(text: text())
        }
    }

    mutating func message() -> Message {
        var message = Message(
            delivery: .delivered(
                MessageID(Int64(number(1...Int(Int32.max)))),
                optional { RequestID($0.name()) }),
            channelURL: ChannelURL(name()), createdAt: moment(),
            updatedAt: optional { $0.moment() },
            content: content(), data: text(), customType: text(),
            metaArrays: list { $0.metaArray() },
            isSilent: flag(),
            unknownFields: unknown(["scribble", "from_the_future"]))
        message.parentID = optional { MessageID(Int64($0.number(1...999))) }
        message.isReplyToChannel = message.parentID != nil && flag()
        if case .admin = message.content {
        } else {
            message.sender = Sender(user: person(), role: role())
            message.sender?.unknownFields = unknown(["locale", "from_the_future"])
        }
        if case .file(var file) = message.content {
            // A message without data takes over its file's.
            if message.data.isEmpty { file.data = "" }
            message.content = .file(file)
        }
        message.sender?.isBlockedByMe = flag()
        if has() { message.details = details() }
        message.setMention(flag() ? .users : .channel, users: list { $0.user() })
        return message
    }

    private mutating func metaArray() -> MetaArray {
        // The keys of one message differ.
        var array = MetaArray(
            key: "k\(UInt64.random(in: .min ... .max, using: &random))", values: list { $0.text() })
        array.unknownFields = unknown(["from_the_future"])
        return array
    }

    mutating func channel() -> GroupChannel {
        let channel = GroupChannel(
            url: ChannelURL(name()), name: text(), coverURL: text(), data: text(),
            customType: text(), createdAt: seconds(), createdBy: optional { $0.user() },
            isDistinct: flag(), isSuper: flag(), isBroadcast: flag(), isPublic: flag(),
            isFrozen: flag(), members: list { $0.member() }, memberCount: number(0...99),
            joinedMemberCount: number(0...99), unreadMessageCount: number(0...99),
            unreadMentionCount: number(0...99), lastMessage: optional { $0.message() },
            myState: flag() ? .joined : .invited, myRole: role(),
            myLastRead: optional { $0.moment() }, messageOffset: optional { $0.moment() },
            unknownFields: unknown(["sms_fallback", "from_the_future"]))
        return withRareFields(channel)
    }
}

// MARK: - Rare fields

extension Samples {
    mutating func fileWithAll() -> FileContent {
        var file = file()
        file.caption = text()
        guard has() else { return file }
        file.data = name()
        file.thumbnails = list { $0.thumbnail() }
        file.requiresAuth = flag()
        file.files = list { samples in
            var file = samples.file()
            file.data = samples.text()
            file.thumbnails = samples.list { $0.thumbnail() }
            file.requiresAuth = samples.flag()
            return file
        }
        return file
    }

    private mutating func file() -> FileContent {
        var file = FileContent(
            url: text(), name: text(), type: "image/png",
            size: ByteCount(bytes: Int64(number(0...9_999_999))))
        file.unknownFields = unknown(["beam", "from_the_future"])
        return file
    }

    private mutating func thumbnail() -> Thumbnail {
        var thumbnail = Thumbnail(url: text())
        thumbnail.plainURL = text()
        (thumbnail.width, thumbnail.height) = (number(0...999), number(0...999))
        (thumbnail.realWidth, thumbnail.realHeight) = (number(0...999), number(0...999))
        thumbnail.unknownFields = unknown(["from_the_future"])
        return thumbnail
    }

    mutating func details() -> MessageDetails {
        var details = MessageDetails()
        details.reactions = optional { samples in
            samples.list { samples in
                var reaction = Reaction(
                    key: samples.text(), userIDs: [UserID(samples.name())],
                    updatedAt: samples.moment())
                reaction.count = samples.flag() ? samples.number(2...99) : 0
                reaction.unknownFields = samples.unknown(["from_the_future"])
                return reaction
            }
        }
        details.threadInfo = optional { $0.thread() }
        details.parentPreview = optional { $0.preview() }
        details.linkPreview = optional { $0.link() }
        details.poll = optional { $0.poll() }
        details.translations = texts()
        details.mentionTemplate = text()
        details.extendedMessage = optional { _ in #"{"a":[1]}"# }
        details.extendedMessagePayload = optional { _ in #"{"b":null}"# }
        details.plugins = optional { _ in #"[{"type":"x"}]"# }
        details.schedule = optional { samples in
            var schedule = Schedule(id: ScheduledMessageID(Int64(samples.number(1...999))))
            schedule.sendsAt = samples.optional { $0.moment() }
            schedule.status = samples.text()
            return schedule
        }
        details.survivalSeconds = optional { $0.number(0...999) }
        details.retentionHours = optional { $0.number(0...999) }
        details.criticalAlert = optional { samples in
            var alert = CriticalAlert()
            alert.sound = samples.text()
            alert.volume = 0.25
            alert.unknownFields = samples.unknown(["from_the_future"])
            return alert
        }
        details.effects = optional { samples in
            var effects = MessageEffects()
            effects.push = samples.flag() ? "false" : samples.name()
            effects.updatesLastMessage = samples.flag()
            effects.unknownFields = samples.unknown(["from_the_future"])
            return effects
        }
        details.isRemoved = false  // A frame does not contain it.
        details.notification = optional { samples in
            var notification = NotificationInfo(id: samples.name())
            notification.status = "READ"
            notification.data = samples.optional { _ in #"{"label":"l"}"# }
            return notification
        }
        return details
    }

    private mutating func thread() -> ThreadInfo {
        var thread = ThreadInfo(replyCount: number(1...99))
        thread.mostReplies = list { $0.user() }
        thread.lastRepliedAt = optional { $0.moment() }
        thread.updatedAt = optional { $0.moment() }
        thread.memberCount = optional { $0.number(0...99) }
        thread.unreadMessageCount = optional { $0.number(0...99) }
        thread.isPushEnabled = optional { $0.flag() }
        thread.unknownFields = unknown(["from_the_future"])
        return thread
    }

    private mutating func preview() -> ParentPreview {
        let isFile = has()
        var preview = ParentPreview(content: isFile ? .file(file()) : .user(text: text()))
        preview.unknownFields = unknown(["from_the_future"])
        preview.sender = optional { $0.user() }
        preview.createdAt = optional { $0.moment() }
        preview.data = text()
        preview.customType = text()
        preview.translations = texts()
        preview.updatedAt = optional { $0.moment() }
        return preview
    }

    private mutating func link() -> LinkPreview {
        var link = LinkPreview()
        (link.title, link.url, link.summary) = (text(), text(), text())
        link.unknownFields = unknown(["from_the_future"])
        link.image = optional { samples in
            var image = LinkPreview.Image()
            (image.url, image.secureURL) = (samples.text(), samples.text())
            (image.type, image.alternativeText) = (samples.text(), samples.text())
            (image.width, image.height) = (samples.number(0...99), samples.number(0...99))
            image.unknownFields = samples.unknown(["from_the_future"])
            return image
        }
        return link
    }

    private mutating func poll() -> Poll {
        var poll = Poll(id: PollID(Int64(number(1...999))))
        (poll.title, poll.dataType, poll.dataText) = (text(), name(), text())
        poll.unknownFields = unknown(["from_the_future"])
        poll.status = flag() ? .closed : .removed
        poll.createdAt = optional { $0.seconds() }
        poll.updatedAt = optional { $0.seconds() }
        poll.closesAt = optional { $0.seconds() }
        poll.messageID = optional { MessageID(Int64($0.number(1...99))) }
        poll.voterCount = number(0...99)
        poll.createdBy = optional { UserID($0.name()) }
        (poll.allowsSuggestions, poll.allowsMultipleVotes) = (flag(), flag())
        poll.votedOptionIDs = optional { samples in
            samples.list { PollOptionID(Int64($0.number(0...99))) }
        }
        poll.options = list { samples in
            var option = Poll.Option(id: PollOptionID(Int64(samples.number(1...99))))
            option.text = samples.text()
            option.createdBy = samples.optional { UserID($0.name()) }
            option.createdAt = samples.optional { $0.seconds() }
            option.updatedAt = samples.optional { $0.seconds() }
            option.voteCount = samples.number(0...99)
            option.voters = samples.list { $0.user() }
            option.unknownFields = samples.unknown(["from_the_future"])
            return option
        }
        return poll
    }

    private mutating func receipts() -> [UserID: Timestamp] {
        var receipts: [UserID: Timestamp] = [:]
        for _ in 0..<number(0...3) { receipts[UserID(name())] = moment() }
        return receipts
    }

    private mutating func withRareFields(_ common: GroupChannel) -> GroupChannel {
        var channel = common
        (channel.isExclusive, channel.isDiscoverable, channel.isEphemeral) = (
            flag(), flag(), flag()
        )
        (channel.needsAccessCode, channel.isChatNotification, channel.isPushEnabled) = (
            flag(), flag(), flag()
        )
        (channel.hasBot, channel.hasAIBot, channel.ignoresProfanityFilter) = (
            flag(), flag(), flag()
        )
        (channel.isMuted, channel.isSurvivalTriggeredByRead) = (flag(), has())
        channel.operators = list { $0.user() }
        channel.inviter = optional { $0.user() }
        channel.invitedAt = optional { $0.moment() }
        channel.joinedAt = optional { $0.seconds() }
        channel.hiddenState = HiddenState.allCases[number(0...2)]
        channel.latestMessage = optional {
            Position(createdAt: $0.moment(), messageID: MessageID(Int64($0.number(1...99))))
        }
        channel.readReceipts = optional { $0.receipts() }
        channel.deliveryReceipts = optional { $0.receipts() }
        channel.purgeOffset = optional { $0.moment() }
        channel.messageSurvivalSeconds = optional { $0.number(0...99) }
        channel.maxMessageLength = optional { $0.number(0...5_000) }
        channel.countPreference = CountPreference.allCases[number(0...3)]
        channel.pushTrigger = PushTrigger.allCases[number(0...3)]
        channel.pinnedMessageIDs = list { MessageID(Int64($0.number(1...99))) }
        channel.latestPinnedMessage = optional { $0.message() }
        channel.metadata = optional { $0.texts() }
        return channel
    }
}
