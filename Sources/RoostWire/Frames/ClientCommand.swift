// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A command of a client over the socket (`docs/protocol` 2.2, 2.6, 2.7).
package enum ClientCommand: Equatable, Codable, Sendable {
    case ping(Ping)
    case message(MessageCommand)
    case edit(EditCommand)
    /// Marks the whole channel as read.
    case read(ChannelURL, RequestID?)
    /// Marks a thread as read, by its parent; the channel's own mark stays.
    case readThread(ChannelURL, parentID: MessageID, RequestID?)
    case typingStart(ChannelURL, time: Timestamp)
    case typingEnd(ChannelURL, time: Timestamp)
    /// Reports that a message has arrived on this device; the server does not answer.
    case messageAcknowledgement(ChannelURL, MessageID)
    case refreshSession(SessionRefresh)
    /// Enters an open channel, whose events this connection then gets.
    case enter(ChannelURL, RequestID?)
    case exit(ChannelURL, RequestID?)
    /// Replaces the user's votes in a poll.
    case vote(VoteCommand)
    /// A command of a newer client, or of a feature that this server lacks.
    case unknown(Frame.Command, RequestID?)

    /// The request ID for an answer or an error; nil if none is expected.
    package var requestID: RequestID? {
        switch self {
        case .message(let command): command.requestID
        case .edit(let command): command.requestID
        case .read(_, let requestID), .readThread(_, _, let requestID), .enter(_, let requestID),
            .exit(_, let requestID),
            .unknown(_, let requestID):
            requestID
        case .vote(let vote): vote.requestID
        case .refreshSession(let refresh): refresh.requestID
        case .ping, .typingStart, .typingEnd, .messageAcknowledgement: nil
        }
    }

    /// Decodes every command of a text frame; an error affects its own command only.
    package static func decodeAll(_ text: String) -> [Result<ClientCommand, WireError>] {
        Frame.split(text).map { part in
            part.flatMap { frame in
                Result { () throws(WireError) in try ClientCommand(decoding: frame) }
            }
        }
    }
}

/// A vote in a poll of a message in the channel (VOTE).
package struct VoteCommand: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var pollID: PollID
    package var optionIDs: [PollOptionID]
    package var requestID: RequestID?

    package init(
        channelURL: ChannelURL, pollID: PollID, optionIDs: [PollOptionID], requestID: RequestID?
    ) {
        self.channelURL = channelURL
        self.pollID = pollID
        self.optionIDs = optionIDs
        self.requestID = requestID
    }
}

package struct Ping: Equatable, Codable, Sendable {
    /// The client's clock; the server ignores it.
    package var id: Int64
    package var isActive: Bool

    package init(id: Int64, isActive: Bool = true) {
        self.id = id
        self.isActive = isActive
    }
}

/// A new message for the server, over the socket (MESG, FILE) or over REST.
package struct MessageCommand: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var requestID: RequestID?
    /// The content: `.user` or `.file`; over REST also `.admin`.
    package var content: MessageContent
    package var data: String
    package var customType: String
    package var mention: Mention
    package var metaArrays: [MetaArray]
    package var parentID: MessageID?
    package var isReplyToChannel: Bool
    package var isSilent: Bool
    /// Whether the server pins the message in its group channel.
    package var isPinned = false
    /// Fields that the server passes on unchanged, such as `thumbnails` or `extended_message`.
    package var unknownFields: UnknownFields

    package init(
        channelURL: ChannelURL, requestID: RequestID?, content: MessageContent, data: String = "",
        customType: String = "", mention: Mention = Mention(), metaArrays: [MetaArray] = [],
        parentID: MessageID? = nil, isReplyToChannel: Bool = false, isSilent: Bool = false,
        unknownFields: UnknownFields = UnknownFields()
    ) {
        self.channelURL = channelURL
        self.requestID = requestID
        self.content = content
        self.data = data
        self.customType = customType
        self.mention = mention
        self.metaArrays = metaArrays
        self.parentID = parentID
        self.isReplyToChannel = isReplyToChannel
        self.isSilent = isSilent
        self.unknownFields = unknownFields
    }
}

/// A change of a message; nil leaves a field as it is (`docs/protocol` 2.6).
package struct EditCommand: Equatable, Codable, Sendable {
    /// The way in which a list of meta arrays is applied to the message's own.
    package struct MetaArrayEdit: Equatable, Codable, Sendable {
        package enum Mode: String, Hashable, Codable, Sendable {
            case add
            case remove
        }

        package var arrays: [MetaArray]
        package var mode: Mode
        /// Whether `.add` also creates keys that do not exist.
        package var isUpsert: Bool

        package init(arrays: [MetaArray], mode: Mode, isUpsert: Bool) {
            self.arrays = arrays
            self.mode = mode
            self.isUpsert = isUpsert
        }
    }

    package var channelURL: ChannelURL
    package var messageID: MessageID
    package var requestID: RequestID?
    /// Whether the frame is FEDI; false for MEDI.
    package var isFile: Bool
    package var text: String?
    package var data: String?
    package var customType: String?
    package var mentionKind: Mention.Kind?
    package var mentionedUserIDs: [UserID]?
    package var mentionTemplate: String?
    package var metaArrays: MetaArrayEdit?

    package init(
        channelURL: ChannelURL, messageID: MessageID, requestID: RequestID?, isFile: Bool = false,
        text: String? = nil, data: String? = nil, customType: String? = nil,
        mentionKind: Mention.Kind? = nil, mentionedUserIDs: [UserID]? = nil,
        mentionTemplate: String? = nil, metaArrays: MetaArrayEdit? = nil
    ) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.requestID = requestID
        self.isFile = isFile
        self.text = text
        self.data = data
        self.customType = customType
        self.mentionKind = mentionKind
        self.mentionedUserIDs = mentionedUserIDs
        self.mentionTemplate = mentionTemplate
        self.metaArrays = metaArrays
    }
}

/// A request for a new session key over the open socket (`docs/protocol` 1.4).
package struct SessionRefresh: Equatable, Codable, Sendable {
    package var requestID: RequestID?
    package var token: String?
    package var isExpiring: Bool

    package init(requestID: RequestID?, token: String?, isExpiring: Bool) {
        self.requestID = requestID
        self.token = token
        self.isExpiring = isExpiring
    }
}
