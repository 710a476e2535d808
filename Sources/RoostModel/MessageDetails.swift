// SPDX-License-Identifier: Apache-2.0

/// Fields that few messages have (`docs/protocol` 4.4 to 4.8).
public struct MessageDetails: Hashable, Codable, Sendable, RareValue {
    /// The reactions; nil if this copy does not have them, which is not the same as none.
    public var reactions: [Reaction]?
    /// The state of the thread below this message; nil without replies or if this copy does not
    /// tell.
    public var threadInfo: ThreadInfo?
    /// The message that this one replies to, as the reply shows it.
    public var parentPreview: ParentPreview? {
        get { storedPreview?.value }
        set { storedPreview = newValue.map { Indirect($0) } }
    }
    /// The preview of the first link in the text.
    public var linkPreview: LinkPreview?
    /// The poll that the message carries.
    public var poll: Poll? {
        get { storedPoll?.value }
        set { storedPoll = newValue.map { Indirect($0) } }
    }
    /// The text in other languages, by language code.
    public var translations: [String: String] = [:]
    /// The mentioned users with their names, as far as the server sent them.
    public var mentionedUsers: [User] = []
    /// The text with placeholders for the names of the mentioned users.
    public var mentionTemplate = ""
    /// The JSON text of an object that the protocol does not define.
    public var extendedMessage: String?
    /// The JSON text of an object that the protocol does not define.
    public var extendedMessagePayload: String?
    /// The JSON text of a list that the protocol does not define.
    public var plugins: String?
    /// The planned sending of a scheduled message; nil for all others.
    public var schedule: Schedule?
    /// `survival` as the protocol counts.
    package var survivalSeconds: Int?
    /// The time until the message disappears, in whole seconds; nil if it stays.
    public var survival: Duration? {
        get { survivalSeconds.map { .seconds($0) } }
        set { survivalSeconds = newValue?.wholeSeconds }
    }
    /// Hours for which the server keeps the message; nil if it does so without a limit.
    public var retentionHours: Int?
    /// The sound on Apple devices in silent mode.
    public var criticalAlert: CriticalAlert?
    /// The effects of the message on its receivers; nil for the usual ones.
    public var effects: MessageEffects?
    /// Whether the message was removed and the server still shows it.
    public var isRemoved = false
    /// The state of a notification; in notification channels only.
    public var notification: NotificationInfo?

    /// The parameters of the send call; on unsent messages only, and never cached.
    package var params: MessageParams? {
        get { storedParams?.value }
        set { storedParams = newValue.map { Indirect($0) } }
    }

    /// The changes that wait in the outbox and that the message shows; neither stored nor sent.
    package var storedChanges: Indirect<[PendingChange]>?

    package var storedPreview: Indirect<ParentPreview>?
    package var storedParams: Indirect<MessageParams>?
    package var storedPoll: Indirect<Poll>?

    /// Creates empty details.
    public init() {}
}

/// A smaller picture of a file.
public struct Thumbnail: Hashable, Codable, Sendable {
    /// The address of the picture.
    public var url: String
    /// The address to add the file key to; "" if it equals `url`.
    public var plainURL = ""
    /// The greatest width that was asked for, in pixels.
    public var width = 0
    /// The greatest height that was asked for, in pixels.
    public var height = 0
    /// The width of the picture in pixels; 0 if unknown.
    public var realWidth = 0
    /// The height of the picture in pixels; 0 if unknown.
    public var realHeight = 0
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates a thumbnail of unknown size.
    public init(url: String) { self.url = url }
}

/// The parent of a reply, as far as the reply has it.
public struct ParentPreview: Hashable, Codable, Sendable {
    /// The text or file of the parent.
    public var content: MessageContent
    /// The author of the parent; nil if the server did not send it.
    public var sender: User?
    /// The time of the parent by the server's clock; nil if the server did not send it.
    public var createdAt: Timestamp?
    /// The parent's text of the app's own.
    public var data = ""
    /// The parent's custom type; "" for none.
    public var customType = ""
    /// The parent's text in other languages, by language code.
    public var translations: [String: String] = [:]
    /// The time of the parent's last edit; nil if it was never edited or the server did not send it.
    public var updatedAt: Timestamp?
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates a preview; all other fields have their defaults and can be set afterwards.
    public init(content: MessageContent) { self.content = content }
}

/// The description that a web page gives of itself (`og_tag`).
public struct LinkPreview: Hashable, Codable, Sendable {
    /// The picture of a web page.
    public struct Image: Hashable, Codable, Sendable {
        /// The address of the picture, or "".
        public var url = ""
        /// The address over HTTPS, or "".
        public var secureURL = ""
        /// The media type, or "".
        public var type = ""
        /// The text that describes the picture, or "".
        public var alternativeText = ""
        /// The width in pixels; 0 if unknown.
        public var width = 0
        /// The height in pixels; 0 if unknown.
        public var height = 0
        /// Fields of a newer server without a name in this release.
        public var unknownFields = UnknownFields()

        /// Creates an image without an address.
        public init() {}
    }

    /// The title of the page, or "".
    public var title = ""
    /// The address of the page, or "".
    public var url = ""
    /// The description of the page, or "".
    public var summary = ""
    /// The picture of the page.
    public var image: Image?
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates an empty preview.
    public init() {}
}

/// The planned sending of a scheduled message.
public struct Schedule: Hashable, Codable, Sendable {
    /// The identifier of the scheduled message, which is not its message ID.
    public var id: ScheduledMessageID
    /// The planned time by the server's clock; nil if the server did not send it.
    public var sendsAt: Timestamp?
    /// The state in the server's words, such as `pending`.
    public var status = ""

    /// Creates a schedule.
    public init(id: ScheduledMessageID) { self.id = id }
}

/// The sound of a critical alert on Apple devices.
public struct CriticalAlert: Hashable, Codable, Sendable {
    /// The name of the sound file.
    public var sound = ""
    /// The volume, 0...1.
    public var volume = 1.0
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates an alert with the full volume.
    public init() {}
}

/// The effects of a message on its receivers; the defaults are the usual ones.
public struct MessageEffects: Hashable, Codable, Sendable {
    /// The receivers of a push, in the server's words; also "true" or "false".
    public var push = "receivers"
    /// Whether the message counts as unread.
    public var updatesUnreadCount = true
    /// Whether the message counts as a mention.
    public var updatesMentionCount = true
    /// Whether the message becomes the channel's last message.
    public var updatesLastMessage = true
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates the usual effects.
    public init() {}
}

/// The state of a message in a notification channel.
public struct NotificationInfo: Hashable, Codable, Sendable {
    /// The notification's identifier.
    public var id: String
    /// The state: `SENT` or `READ`.
    public var status = ""
    /// The JSON text of the notification's object; nil without one.
    public var data: String?

    /// Creates a notification.
    public init(id: String) { self.id = id }
}

/// A question with options to vote for (`docs/protocol` 4.8).
public struct Poll: Hashable, Codable, Sendable, Identifiable {
    /// An option of a poll.
    public struct Option: Hashable, Codable, Sendable, Identifiable {
        /// The identifier.
        public package(set) var id: PollOptionID
        /// The text of the option.
        public var text = ""
        /// The user who added the option; nil if unknown.
        public var createdBy: UserID?
        /// The time of creation by the server's clock, in whole seconds; nil if unknown.
        public var createdAt: Timestamp?
        /// The time of the last change, in whole seconds; nil if unknown.
        public var updatedAt: Timestamp?
        /// The number of votes, as the server counts them.
        public var voteCount = 0
        /// Some of the voters; the server lists no more.
        public var voters: [User] = []
        /// Fields of a newer server without a name in this release.
        public var unknownFields = UnknownFields()

        /// Creates an option without text.
        public init(id: PollOptionID) { self.id = id }
    }

    /// The state of a poll.
    public enum Status: String, Hashable, Codable, Sendable {
        /// Users can vote.
        case open
        /// Voting has ended.
        case closed
        /// The poll was removed.
        case removed
    }

    /// The identifier; unique in the application.
    public package(set) var id: PollID
    /// The question.
    public var title = ""
    /// The state of the poll.
    public var status: Status = .open
    /// The time of creation by the server's clock, in whole seconds; nil if unknown.
    public var createdAt: Timestamp?
    /// The time of the last change, in whole seconds; nil if unknown.
    public var updatedAt: Timestamp?
    /// The end of the vote; nil if it is open-ended.
    public var closesAt: Timestamp?
    /// The message that carries the poll; nil if the server did not send it.
    public var messageID: MessageID?
    /// The type of the app's own data, or "".
    public var dataType = ""
    /// The text of the app's own data, or "".
    public var dataText = ""
    /// The number of users who voted, as the server counts them.
    public var voterCount = 0
    /// The options, in order.
    public var options: [Option] = []
    /// The creator; nil if unknown.
    public var createdBy: UserID?
    /// Whether users may add options.
    public var allowsSuggestions = false
    /// Whether a user may vote for several options.
    public var allowsMultipleVotes = false
    /// The options that the viewer voted for; nil if the server did not send them, which is not the
    /// same as none.
    public var votedOptionIDs: [PollOptionID]?
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates a poll without a question.
    public init(id: PollID) { self.id = id }
}
