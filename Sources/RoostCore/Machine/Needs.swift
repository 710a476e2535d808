// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

// The vocabulary between operations and their surroundings: every request of an operation, and
// every answer. All of it is plain values that can be compared.

/// A query of the cache; each is answered from one state of it.
package enum StoreQuestion: Equatable, Sendable {
    case cursor(CursorKey)
    case coverage(ChannelURL, under: MessageFilter)
    case channel(ChannelURL)
    case message(MessageID)
    /// The cached message with a request ID.
    case messageOfRequest(RequestID)
    /// The time of a channel's oldest cached message.
    case oldestMessage(ChannelURL)
    /// The number of cached messages of a channel from a moment to a position, both included.
    case messageCount(ChannelURL, from: Timestamp, through: Position)
    /// The number of cached messages of a channel, and their size in bytes.
    case holding(ChannelURL)
    /// The fingerprints of a channel's coverage, or of a range of it.
    case stretches(ChannelURL, in: CoveredRange?, size: Int)
    case window(WindowQuery)
    /// The first channels of a list; all of them without a limit.
    case channels(ChannelFilter, ChannelOrder, limit: Int?)
    case figures

    static let everyChannel = Self.channels(.everything, .latestLastMessage, limit: nil)
}

package enum StoreAnswer: Equatable, Codable, Sendable {
    case cursor(Cursor?)
    case coverage(Coverage)
    case channel(GroupChannel?)
    case message(Message?)
    case moment(Timestamp?)
    case count(Int)
    case holding(ChannelHolding)
    case stretches([CachedStretch])
    case window(CacheWindow)
    case channels(CachedChannels)
    case figures(CacheFigures)
}

/// A request to the server's REST interface.
package enum ServerQuestion: Equatable, Codable, Sendable {
    case channel(GetChannel)
    case openChannel(GetOpenChannel)
    case messages(ListMessages)
    case gap(MessageGap)
    case messageChanges(MessageChangeLog)
    case channelChanges(ChannelChangeLog)
    case myChannels(ListMyChannels)
    case fingerprints(FingerprintMessages)
    case countMessages(CountMessages)
    case mute(AskMute)
    case markAsRead(MarkAsRead)
    case post(SendMessage)
    case delete(DeleteMessage)
    case react(ReactToMessage)
    case upload(FileUpload)
    case create(CreateChannel)
    case update(UpdateChannel)
    case join(JoinChannel)
    case invite(InviteMembers)
    case leave(LeaveChannel)
    case request(ChannelRequest)
    case moment(MomentRequest)
    case writeMetadata(MetadataQuestion)
}

package enum ServerAnswer: Equatable, Codable, Sendable {
    case channel(GroupChannel)
    case openChannel(OpenChannel)
    case messages(MessagePage)
    case message(Message)
    case reaction(ReactionChange)
    case uploaded(UploadFile.Output)
    case gap(MessageGapAnswer)
    case messageChanges(MessageChanges)
    case channelChanges(ChannelChanges)
    case myChannels(RoostWire.ChannelPage)
    case fingerprints([MessageFingerprint])
    case count(Int)
    case mute(AskMute.Answer)
    case moment(Timestamp?)
    case metadata([String: String])
    case done
}

/// The session key of a request to the server.
package enum Credentials: Equatable, Sendable {
    /// The key of the present connection.
    case connection
    /// The key of the last login, which outlives its socket.
    case lastLogin
}

/// The number of cached messages of a channel, and their approximate size in the file.
package struct ChannelHolding: Equatable, Codable, Sendable {
    package let messages: Int
    package let bytes: Int64

    package init(messages: Int, bytes: Int64) {
        self.messages = messages
        self.bytes = bytes
    }
}

extension StoreQuestion {
    /// Whether the answer takes as long as the cache or a channel is large.
    package var isScan: Bool {
        switch self {
        case .stretches, .figures: true
        case .channels: self == .everyChannel
        case .cursor, .coverage, .channel, .message, .messageOfRequest, .oldestMessage,
            .messageCount, .holding, .window:
            false
        }
    }
}
