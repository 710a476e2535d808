// SPDX-License-Identifier: Apache-2.0

/// The place of a draft: a channel, or a thread in it.
public struct DraftPlace: Hashable, Codable, Sendable {
    /// The channel.
    public let channel: ChannelURL
    /// The first message of the thread; nil for the channel itself.
    public let thread: MessageID?

    /// Creates the place of a channel's draft, or of a thread's.
    public init(_ channel: ChannelURL, thread: MessageID? = nil) {
        self.channel = channel
        self.thread = thread
    }
}

/// A text that the user has not sent yet.
///
/// Drafts stay on this device: they are kept beside the unsent messages, and no server gets them.
public struct MessageDraft: Hashable, Codable, Sendable {
    /// The longest text, in bytes of UTF-8.
    public static let maxByteCount = 65_536
    /// The most drafts of one user; a further one takes the place of the oldest.
    public static let maxCount = 1_000

    /// The channel or thread.
    public let place: DraftPlace
    /// The text.
    public let text: String
    /// The message that the text answers; nil for none.
    public let replyingTo: MessageID?
    /// The users whom the text mentions.
    public let mention: Mention
    /// The time of the last edit by the device's clock.
    public let editedAt: Timestamp

    package init(
        _ text: String, replyingTo: MessageID? = nil, mentioning mention: Mention = Mention(),
        at place: DraftPlace, editedAt: Timestamp
    ) {
        self.text = text
        self.replyingTo = replyingTo
        self.mention = mention
        self.place = place
        self.editedAt = editedAt
    }
}

extension MessageDraft {
    /// The parameters of the message that the draft becomes when it is sent.
    ///
    /// They have the text and its mentioned users. A draft of a thread becomes a message of the
    /// thread. A draft of the channel that answers a message begins that message's thread: the
    /// message must be no reply itself.
    public var params: UserMessageParams {
        UserMessageParams(text: text, mention: mention, parentID: place.thread ?? replyingTo)
    }
}
