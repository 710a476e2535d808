// SPDX-License-Identifier: Apache-2.0

/// A message that the server sends at a planned time.
public struct ScheduledMessage: Hashable, Codable, Sendable, Identifiable {
    /// The states of a scheduled message.
    public enum Status: String, Hashable, Codable, Sendable, CaseIterable {
        /// The message waits for its time.
        case pending
        /// The message was sent.
        case sent
        /// The channel refused the message.
        case failed
        /// The user canceled the message.
        case canceled
    }

    /// The identifier, which is not that of the message.
    public let id: ScheduledMessageID
    /// The planned time by the server's clock.
    public var sendsAt: Timestamp
    /// The state.
    public var status: Status
    /// The message; its `messageID` is 0 until it is sent.
    public var message: Message
    /// The reason for a failure; nil in any other state.
    public var failureCode: RoostError.Code?

    /// Creates a scheduled message from the server's message; nil without a schedule or its ID.
    package init?(_ message: Message) {
        guard !message.hasNoDetails, let schedule = message.details.schedule, schedule.id > 0,
            let sendsAt = schedule.sendsAt
        else { return nil }
        id = schedule.id
        self.sendsAt = sendsAt
        self.message = message
        switch schedule.status {
        case "sent": status = .sent
        case "failed": status = .failed
        case "canceled", "removed": status = .canceled
        default: status = .pending
        }
        guard status == .failed else { return }
        failureCode = message.unknownFields["error_code"].flatMap { Int($0) }
            .map { RoostError.Code($0) }
    }

    /// The channel of the message.
    public var channelURL: ChannelURL { message.channelURL }
}

/// The properties of a scheduled message to be changed; nil leaves a property as it is.
public struct ScheduledMessageUpdateParams: Hashable, Codable, Sendable {
    /// The new time, in the future of the server's clock.
    public var sendsAt: Timestamp?
    /// The new text, or the new caption of files.
    public var text: String?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// The new mentions.
    public var mention: Mention?
    /// The new named lists of texts, in place of all earlier ones.
    public var metaArrays: [MetaArray]?
    /// Further fields of the protocol, such as `mentioned_message_template`, which go to the server
    /// as they are.
    public var extraFields = UnknownFields()

    /// Creates parameters that change what is not nil.
    public init(
        sendsAt: Timestamp? = nil, text: String? = nil, data: String? = nil,
        customType: String? = nil, mention: Mention? = nil, metaArrays: [MetaArray]? = nil
    ) {
        self.sendsAt = sendsAt
        self.text = text
        self.data = data
        self.customType = customType
        self.mention = mention
        self.metaArrays = metaArrays
    }
}

/// A selection of the user's scheduled messages; the default selects all.
public struct ScheduledMessageQuery: Hashable, Codable, Sendable {
    /// The channel; nil for all.
    public var channel: ChannelURL?
    /// The states, any of which fits; empty for all.
    public var statuses: Set<ScheduledMessage.Status>
    /// The kind of message.
    public var kind = MessageFilter.Kind.all
    /// The order of a list; a count does not depend on it.
    public var order = Order.creation
    /// Whether the latest message comes first; a count does not depend on it.
    public var isReversed = false

    /// The order of scheduled messages.
    public enum Order: Hashable, Codable, Sendable {
        /// By the time at which they were scheduled.
        case creation
        /// By the time at which they will be sent.
        case sending
    }

    /// Creates a selection of all kinds, in the order of creation, the earliest first.
    public init(
        channel: ChannelURL? = nil, statuses: Set<ScheduledMessage.Status> = []
    ) {
        self.channel = channel
        self.statuses = statuses
    }
}
