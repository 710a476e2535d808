// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel
import RoostWire

/// A message, as it was when this object was made; only `apply(_:)` changes it.
///
/// Two objects are equal if they are of the same message, also if it was edited in between.
open class BaseMessage: NSObject, NSCopying, Codable, Identifiable {
    private(set) var value: Message
    /// The parts that the app sees once the message is delivered.
    private var parts = MessageParts.all
    private var shownParent: BaseMessage?
    /// The sender that the app set, which may be none.
    private var shownSender: Sender??

    init(_ value: Message) { self.value = value }

    /// Decodes a message; one of another kind is an error, unless the class is `BaseMessage`.
    public required init(from decoder: any Decoder) throws {
        guard case .message(let message) = try SerializedObject(from: decoder) else {
            throw SerializedObject.mismatch(decoder)
        }
        value = message
        super.init()
        guard Self.self == BaseMessage.self || Self.ofKind(of: message) is Self else {
            throw SerializedObject.mismatch(decoder)
        }
    }

    /// Encodes the bytes of `serialize()`.
    open func encode(to encoder: any Encoder) throws {
        try SerializedObject.message(value).encode(to: encoder)
    }

    private func shows(_ part: MessageParts) -> Bool { parts[part] || value.messageID == nil }

    // MARK: Identity

    /// The server's ID; 0 while the message is unsent.
    public var messageId: Int64 { value.messageID?.rawValue ?? 0 }
    /// The identifier of the send call, the same on every retry; "" if the server did not send it.
    public var requestId: String { value.requestID?.rawValue ?? "" }
    /// The message ID, or the request ID while the message is unsent.
    public var id: AnyHashable {
        messageId == 0 ? AnyHashable(requestId) : AnyHashable(messageId)
    }
    /// The channel of the message.
    public var channelURL: String { value.channelURL.rawValue }
    /// The kind of that channel.
    public var channelType: ChannelType { value.isInOpenChannel ? .open : .group }

    /// Returns whether the message is in a group channel.
    public func isGroupChannel() -> Bool { channelType == .group }

    /// Returns whether the message is in an open channel.
    public func isOpenChannel() -> Bool { channelType == .open }

    // MARK: Content

    /// The text of a user or an administrator, or the caption of a file.
    public var message: String { value.text }
    /// The sender; nil for administrators' messages.
    ///
    /// A value set by the app replaces it in this object only.
    public var sender: Sender? {
        get { shownSender ?? value.sender.map { Sender($0) } }
        set { shownSender = .some(newValue) }
    }
    /// The time of creation, in milliseconds: the server's, and before the delivery the device's.
    public var createdAt: Int64 { value.createdAt.milliseconds }
    /// The time of the last edit, in milliseconds; 0 if the message was never edited.
    public var updatedAt: Int64 { value.updatedAt?.milliseconds ?? 0 }
    /// Text of the app's own; the server does not read it.
    public var data: String { value.data }
    /// A type of the app's own, which filters can select.
    public var customType: String? { value.customType }
    /// Named lists of texts; nil without any, and if the app did not ask for them.
    public var metaArrays: [MessageMetaArray]? {
        let arrays = shownArrays
        return arrays.isEmpty ? nil : arrays.map { MessageMetaArray($0) }
    }
    private var shownArrays: [MetaArray] { shows(.metaArrays) ? value.metaArrays : [] }
    /// The preview of the first link in the text; nil without one.
    public var ogMetaData: OGMetaData? { details?.linkPreview.map { OGMetaData($0) } }
    /// Whether the message causes no push and no unread count.
    public var isSilent: Bool { value.isSilent }
    /// The same as `isSilent`.
    public var silent: Bool { isSilent }
    /// Whether the sender was an operator when the message was sent.
    public var isOperatorMessage: Bool { value.sender?.role == .operator }
    /// The seconds until the message disappears; -1 if it stays.
    public var messageSurvivalSeconds: Int { details?.survivalSeconds ?? -1 }

    /// Returns the lists of texts with these keys, as far as the message has them.
    public func metaArrays(keys: [String]) -> [MessageMetaArray] {
        shownArrays.filter { keys.contains($0.key) }.map { MessageMetaArray($0) }
    }

    // MARK: Mentions

    /// Whether users or the whole channel are mentioned.
    public var mentionType: MentionType { value.mention.kind == .channel ? .channel : .users }
    /// The mentioned users' IDs.
    public var mentionedUserIds: [String] { value.mention.userIDs.map(\.rawValue) }
    /// The mentioned users' IDs while the message is unsent; nil afterwards.
    public var requestedMentionUserIds: [String]? {
        value.status == .succeeded ? nil : mentionedUserIds
    }
    /// The mentioned users, as far as the server sent them.
    public var mentionedUsers: [User] { (details?.mentionedUsers ?? []).map { User($0) } }
    /// The text with placeholders for the mentioned users' names; nil without any.
    public var mentionedMessageTemplate: String? {
        guard let details else { return nil }
        if !details.mentionTemplate.isEmpty { return details.mentionTemplate }
        // An unsent message has it among its parameters only.
        return (messageParams as? UserMessageCreateParams)?.mentionedMessageTemplate
    }

    // MARK: Reactions and threads

    /// The reactions; empty if there are none, the cache does not know them, or the app did not ask
    /// for them.
    public var reactions: [Reaction] {
        (shows(.reactions) ? details?.reactions ?? [] : []).map { Reaction($0) }
    }
    /// The state of the thread below the message; without replies if the app did not ask for it.
    public var threadInfo: ThreadInfo {
        let info = shows(.threadInfo) ? details?.threadInfo : nil
        return ThreadInfo(info ?? RoostModel.ThreadInfo(replyCount: 0))
    }
    /// The message that this one replies to; 0 outside of threads.
    public var parentMessageId: Int64 { value.parentID?.rawValue ?? 0 }
    /// The message that this one replies to, as far as the reply shows it; nil outside of threads,
    /// and if the app did not ask for it.
    ///
    /// A value set by the app replaces it in this object only.
    public var parentMessage: BaseMessage? {
        get { shownParent ?? (shows(.parent) ? value.parent.map { BaseMessage.make($0) } : nil) }
        set { shownParent = newValue }
    }
    /// Whether a reply stands in the channel as well as in its thread.
    public var isReplyToChannel: Bool { value.isReplyToChannel }

    /// Applies a reaction that was added or removed to this object.
    ///
    /// - Returns: Whether the object has changed; false for an event of another message.
    @discardableResult
    public func apply(_ reactionEvent: ReactionEvent) -> Bool {
        guard reactionEvent.messageId == messageId, messageId != 0 else { return false }
        let before = value.details.reactions ?? []
        let after = before.applying(reactionEvent.change)
        guard after != before else { return false }
        value.details.reactions = after
        parts.insert(.reactions)
        return true
    }

    /// Applies news of the thread below the message to this object.
    ///
    /// - Returns: Whether the object has changed; false for an event of another message and for
    ///   news older than the object.
    @discardableResult
    public func apply(_ threadInfoUpdateEvent: ThreadInfoUpdateEvent) -> Bool {
        guard threadInfoUpdateEvent.targetMessageId == messageId, messageId != 0 else {
            return false
        }
        let before = value.details.threadInfo
        let news = threadInfoUpdateEvent.threadInfo.value
        let after = before?.merged(with: news) ?? news
        guard after != before else { return false }
        value.details.threadInfo = after
        parts.insert(.threadInfo)
        return true
    }

    // MARK: Polls

    /// The poll that the message carries; nil without one, and if the app did not ask for it.
    public var poll: Poll? { shows(.poll) ? details?.poll.map { Poll($0) } : nil }

    /// Applies a newer version of the message's poll to this object.
    ///
    /// - Returns: Whether the object has changed; false for another poll and for an older version.
    @discardableResult
    public func apply(poll: Poll) -> Bool { apply(.edited(poll.value)) }

    /// Applies a vote in the message's poll to this object.
    ///
    /// - Returns: Whether the object has changed; false for a vote in another poll and for an older
    ///   vote.
    @discardableResult
    public func apply(pollVoteEvent: PollVoteEvent) -> Bool { apply(.voted(pollVoteEvent.votes)) }

    private func apply(_ change: PollChange) -> Bool {
        guard let before = details?.poll else { return false }
        let after = before.applying(change)
        guard after != before else { return false }
        value.details.poll = after
        parts.insert(.poll)
        return true
    }

    // MARK: Sending

    /// The state of sending.
    public var sendingStatus: MessageSendingStatus { MessageSendingStatus(value) }
    /// The reason for a failure, as a number of `ChatError` or the server; 0 without one.
    public var errorCode: Int {
        guard case .unsent(_, .failed(let code)) = value.delivery else { return 0 }
        return code.rawValue
    }
    /// The planned sending of a scheduled message; nil for all others.
    public var scheduledInfo: ScheduledInfo? { details?.schedule.map { ScheduledInfo($0) } }
    /// The parameters that send the message again, or draw it while it waits (R152); nil for kinds
    /// that no user writes.
    public var messageParams: BaseMessageCreateParams? {
        value.params.map { BaseMessageCreateParams.make($0) }
    }

    /// Returns whether the message failed for a reason that may have passed.
    public func isResendable() -> Bool { value.isResendable }

    // MARK: Copies

    /// Returns an equal message, which later calls of `apply(_:)` do not change.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = BaseMessage.make(value, showing: parts)
        (copy.shownParent, copy.shownSender) = (shownParent, shownSender)
        return copy
    }

    /// Returns the message as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.message(value).bytes) }

    /// Returns the message that was serialised; nil for other bytes and for a message of another
    /// kind.
    public class func build(fromSerializedData data: Data?) -> Self? {
        guard let data, case .message(let message)? = SerializedObject(Array(data)) else {
            return nil
        }
        return BaseMessage.make(message) as? Self
    }

    /// Returns the message that was serialised, in another state of sending.
    ///
    /// A message that the server has stays as it is, and an unsent one does not become a sent one.
    public class func build(
        fromSerializedData data: Data?, desiredState: MessageSendingStatus
    ) -> Self? {
        guard let data, case .message(var message)? = SerializedObject(Array(data)) else {
            return nil
        }
        if case .unsent(let id, _) = message.delivery {
            switch desiredState {
            case .pending: message.delivery = .unsent(id, .pending)
            case .failed: message.delivery = .unsent(id, .failed(.pendingError))
            case .canceled: message.delivery = .unsent(id, .canceled)
            case .none, .succeeded, .scheduled: break
            }
        }
        return BaseMessage.make(message) as? Self
    }

    static func make(
        _ message: Message, showing parts: MessageParts = .all
    ) -> BaseMessage {
        let object = ofKind(of: message)
        object.parts = SendbirdChatOptions.includePollDetails() ? parts.union(.poll) : parts
        return object
    }

    private static func ofKind(of message: Message) -> BaseMessage {
        switch message.content {
        case .user: UserMessage(message)
        case .file(let file):
            file.files.count > 1 ? MultipleFilesMessage(message) : FileMessage(message)
        case .admin: AdminMessage(message)
        case .unknown: BaseMessage(message)
        }
    }

    /// The details; nil if there are none, which is cheaper to find out.
    var details: MessageDetails? { value.hasNoDetails ? nil : value.details }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? BaseMessage else { return false }
        return messageId == other.messageId && channelURL == other.channelURL
            && (messageId != 0 || requestId == other.requestId && schedule == other.schedule)
    }

    /// The identifier of the planned sending, which a waiting message has in place of others.
    private var schedule: ScheduledMessageID? { details?.schedule?.id }

    public override var hash: Int {
        messageId == 0 ? requestId.hashValue : messageId.hashValue
    }
}
