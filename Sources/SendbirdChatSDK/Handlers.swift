// SPDX-License-Identifier: Apache-2.0

// The names of handlers, which apps use in their own signatures. A nil error means success; each
// handler is called once, on the queue of `SendbirdChat`.

// MARK: Outcomes

/// The handler of an outcome; nil for success.
public typealias SBErrorHandler = (_ error: SBError?) -> Void
/// The handler of an end that cannot fail.
public typealias VoidHandler = () -> Void
/// The handler of a number, or of the error.
public typealias CountHandler = (_ count: UInt, _ error: SBError?) -> Void

// MARK: Users

/// The handler of a user, or of the error.
public typealias UserHandler = (_ user: User?, _ error: SBError?) -> Void
/// The handler of users, or of the error.
public typealias UserListHandler = (_ users: [User]?, _ error: SBError?) -> Void
/// The handler of members, or of the error.
public typealias MemberListHandler = (_ members: [Member]?, _ error: SBError?) -> Void
/// The handler of the user's mute in a channel; the times are in milliseconds.
public typealias MuteInfoHandler = (
    _ isMuted: Bool, _ description: String, _ startAt: Int64, _ endAt: Int64,
    _ remainingDuration: Int64, _ error: SBError?
) -> Void
/// The handler of the events that cause pushes, or of the error.
public typealias PushTriggerOptionHandler = (
    _ pushTriggerOption: PushTriggerOption, _ error: SBError?
) -> Void
/// The handler of the events of a channel that cause pushes, or of the error.
public typealias GroupChannelPushTriggerOptionHandler = (
    _ pushTriggerOption: GroupChannelPushTriggerOption, _ error: SBError?
) -> Void
/// The handler of one page of push tokens; `token` is the start of the next page.
public typealias GetPushTokensHandler = (
    _ pushTokens: [String], _ pushTokenType: PushTokenType, _ hasMore: Bool, _ token: String?,
    _ error: SBError?
) -> Void
/// The handler of a pause of notifications; the times are in milliseconds.
public typealias SnoozePeriodHandler = (
    _ isSnoozed: Bool, _ startTimestamp: Int64, _ endTimestamp: Int64, _ error: SBError?
) -> Void

// MARK: Channels

/// The handler of a channel of any kind, or of the error.
public typealias BaseChannelHandler = (_ channel: BaseChannel?, _ error: SBError?) -> Void
/// The handler of a channel, or of the error.
public typealias GroupChannelHandler = (_ channel: GroupChannel?, _ error: SBError?) -> Void
/// The handler of channels, or of the error.
public typealias GroupChannelListHandler = (
    _ channels: [GroupChannel]?, _ error: SBError?
) -> Void
/// The handler of an open channel, or of the error.
public typealias OpenChannelHandler = (_ channel: OpenChannel?, _ error: SBError?) -> Void
/// The handler of open channels, or of the error.
public typealias OpenChannelListHandler = (
    _ channels: [OpenChannel]?, _ error: SBError?
) -> Void
/// The handler of the only channel with exactly its members; `isCreated` says whether it is new.
public typealias DistinctGroupChannelHandler = (
    _ channel: GroupChannel?, _ isCreated: Bool, _ error: SBError?
) -> Void
/// The handler of one page of the channel change log.
///
/// `token` is the start of the next page, if `hasMore` is true, and of the next query otherwise.
public typealias ChannelChangeLogsHandler = (
    _ updatedChannels: [GroupChannel]?, _ deletedChannelURLs: [String]?, _ hasMore: Bool,
    _ token: String?, _ error: SBError?
) -> Void
/// The handler of metadata by key, or of the error.
public typealias MetaDataHandler = (_ metaData: [String: String]?, _ error: SBError?) -> Void
/// The handler of counters by key, or of the error.
public typealias MetaCountersHandler = (_ metaCounters: [String: Int]?, _ error: SBError?) -> Void

/// The handler of the categories of reports, or of the error.
public typealias ReportCategoryInfoListHandler = (
    _ categories: [ReportCategoryInfo]?, _ error: SBError?
) -> Void

// MARK: Messages

/// The handler of a message of any kind, or of the error.
public typealias BaseMessageHandler = (_ message: BaseMessage?, _ error: SBError?) -> Void
/// The handler of a text message, or of the error.
public typealias UserMessageHandler = (_ message: UserMessage?, _ error: SBError?) -> Void
/// The handler of a file message, or of the error.
public typealias FileMessageHandler = (_ message: FileMessage?, _ error: SBError?) -> Void
/// The handler of a message with several files, or of the error.
public typealias MultipleFilesMessageHandler = (
    _ message: MultipleFilesMessage?, _ error: SBError?
) -> Void
/// The handler of messages, or of the error.
public typealias MessageListHandler = (_ messages: [BaseMessage]?, _ error: SBError?) -> Void
/// The handler of a thread: its parent and a page of its replies.
public typealias ThreadedMessageListHandler = (
    _ parentMessage: BaseMessage?, _ threadedMessages: [BaseMessage]?, _ error: SBError?
) -> Void
/// The handler of one page of a channel's message change log.
///
/// `token` is the start of the next page, if `hasMore` is true, and of the next query otherwise.
public typealias MessageChangeLogHandler = (
    _ updatedMessages: [BaseMessage]?, _ deletedMessageIds: [Int64]?, _ hasMore: Bool,
    _ token: String?, _ error: SBError?
) -> Void
/// The handler of request IDs, or of the error.
public typealias MessageRequestIdsHandler = (_ requestIds: [String]?, _ error: SBError?) -> Void
/// The handler of a reaction that was added or removed, or of the error.
public typealias ReactionEventHandler = (
    _ reactionEvent: ReactionEvent?, _ error: SBError?
) -> Void

// MARK: Polls

/// The handler of a poll, or of the error.
public typealias PollHandler = (_ poll: Poll?, _ error: SBError?) -> Void
/// The handler of polls, or of the error.
public typealias PollListHandler = (_ polls: [Poll]?, _ error: SBError?) -> Void
/// The handler of a poll's option, or of the error.
public typealias PollOptionHandler = (_ pollOption: PollOption?, _ error: SBError?) -> Void
/// The handler of a vote that counts, or of the error.
public typealias PollVoteEventHandler = (_ event: PollVoteEvent?, _ error: SBError?) -> Void
/// The handler of one page of a channel's poll change log.
///
/// `token` is the start of the next page, if `hasMore` is true, and of the next query otherwise.
public typealias PollChangeLogsHandler = (
    _ updatedPolls: [Poll]?, _ deletedPollIds: [Int64]?, _ hasMore: Bool, _ token: String?,
    _ error: SBError?
) -> Void

// MARK: Uploads

/// The handler of an upload's progress: bytes since the last call, bytes so far, and all bytes.
public typealias ProgressHandler = (
    _ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64
) -> Void
/// The handler of the progress of a message's upload, with the request ID of the message.
public typealias MultiProgressHandler = (
    _ requestId: String?, _ bytesSent: Int64, _ totalBytesSent: Int64,
    _ totalBytesExpectedToSend: Int64
) -> Void
/// The handler of each file of a message, once it is uploaded, with the file's index.
public typealias FileUploadHandler = (
    _ requestId: String, _ index: Int, _ uploadableFileInfo: UploadableFileInfo, _ error: SBError?
) -> Void
