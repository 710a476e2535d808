// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// Where the server keeps everything, in the words of chat.
///
/// Every call is one atomic operation: after a throw nothing has changed. Times come from the caller;
/// their order within a channel, and all numbers, are the storage's.
///
/// A row that cannot be read is left out of every list, so that it does not hide its neighbours.
package protocol Storage: UserStorage, CredentialStorage, ChannelStorage, MessageStorage,
    DocumentStorage
{
    /// How many times a row was left out of a list because it could not be read.
    var unreadableCount: Int { get }
    /// Writes durably and changes nothing.
    ///
    /// - Throws: When a message could not be kept now.
    func prove() async throws(StorageError)
}

/// The storage could not do what it was asked; the world failed, not the caller.
package struct StorageError: Error, Sendable, CustomStringConvertible {
    /// What failed and how to put it right.
    package let message: String
    package let underlying: (any Error)?

    package init(_ message: String, underlying: (any Error)? = nil) {
        self.message = message
        self.underlying = underlying
    }

    package var description: String { underlying.map { "\(message) (\($0))" } ?? message }
}

package protocol UserStorage: Sendable {
    func user(_ id: UserID) async throws(StorageError) -> User?
    /// Those of the users that exist, in the order asked for.
    func users(_ ids: [UserID]) async throws(StorageError) -> [User]
    /// A page of all users by ID.
    func users(after id: UserID?, limit: Int) async throws(StorageError) -> [User]
    /// Makes a user or replaces what others see of one.
    func saveUser(_ user: User) async throws(StorageError)
    func userRecord(_ id: UserID) async throws(StorageError) -> UserRecord?
    /// Returns the users that exist with all that is known of them, in the order asked for.
    func userRecords(_ ids: [UserID]) async throws(StorageError) -> [UserRecord]
    /// Changes what is known of a user, in one step with reading it.
    ///
    /// The sessions of a user who is not active afterwards end, and so do tokens that have an end.
    ///
    /// - Returns: What is known now; nil when there is no such user.
    @discardableResult
    func updateUser(
        _ id: UserID, _ change: @Sendable (inout UserRecord) -> Void
    ) async throws(StorageError) -> UserRecord?
    /// A page, by ID, of those who have blocked a user.
    func blockers(
        of id: UserID, after: UserID?, limit: Int
    ) async throws(StorageError) -> [User]
    /// Forgets a user but for their name under what they said, takes them out of every channel and
    /// ends their sessions and tokens.
    ///
    /// - Returns: The channels they were in; nil when there is no such user.
    func deleteUser(_ id: UserID, now: Timestamp) async throws(StorageError) -> [ChannelURL]?
}

package protocol ChannelStorage: Sendable {
    /// Creates a channel, or finds the distinct one of the members and lets all of them in again.
    func createChannel(_ new: NewChannel, now: Timestamp) async throws(StorageError)
        -> CreateOutcome
    /// Whether a channel exists, and how a user stands to it; nil when there is none.
    func access(to url: ChannelURL, of id: UserID?) async throws(StorageError) -> ChannelAccess?
    /// Changes a channel's record, in one step with reading it; its URL stays.
    ///
    /// - Returns: The record now; nil when there is no such channel.
    @discardableResult
    func updateChannel(
        _ url: ChannelURL, now: Timestamp, _ change: @Sendable (inout ChannelRecord) -> Void
    ) async throws(StorageError) -> ChannelRecord?
    /// Deletes a channel and all that was said in it; its members' change logs tell it.
    ///
    /// - Returns: False when there is no such channel.
    func deleteChannel(_ url: ChannelURL, now: Timestamp) async throws(StorageError) -> Bool
    /// A page of all channels by URL.
    func channels(
        after url: ChannelURL?, limit: Int
    ) async throws(StorageError) -> [ChannelRecord]
    /// Lets users in, or invites them; those who stand so already, or better, stay as they are.
    ///
    /// Users with a ban that has not ended are passed over, as in `createChannel`.
    ///
    /// - Returns: Whose state changed, in the order asked for; unknown users are passed over.
    func addMembers(
        _ ids: [UserID], as state: MembershipState, inviter: UserID?, to url: ChannelURL,
        now: Timestamp
    ) async throws(StorageError) -> [UserID]
    /// Takes a user out; false when they were not in.
    func removeMember(
        _ id: UserID, from url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> Bool
    /// Who is in, joined or invited, in the order they came.
    func memberIDs(of url: ChannelURL) async throws(StorageError) -> [UserID]
    /// The same users, each with what they may hear.
    func hearers(of url: ChannelURL) async throws(StorageError) -> [Hearer]
    /// Everybody a channel knows, those who left or were banned included, in the order they came.
    func memberRecords(of url: ChannelURL) async throws(StorageError) -> [MemberRecord]
    /// Changes how a user stands to a channel, in one step with reading it; a stranger begins with the
    /// state `.none`.
    ///
    /// The user and the times of joining stay. To let somebody in, or take them out, is for
    /// `addMembers` and `removeMember`.
    ///
    /// - Returns: How the user stands now; nil when there is no such channel or user.
    @discardableResult
    func updateMember(
        _ id: UserID, of url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout MemberRecord) -> Void
    ) async throws(StorageError) -> MemberRecord?
    /// Channels with their members, last messages and the viewer's counts, in the order asked for.
    ///
    /// - Complexity: A fixed number of questions to the database, however many channels there are.
    func channelStates(
        _ urls: [ChannelURL], viewer: UserID?
    ) async throws(StorageError) -> [ChannelState]
    /// Every channel the user is or was in, without its contents.
    func listings(of id: UserID) async throws(StorageError) -> [ChannelListing]
    /// Moves a user's read mark to now, or to the newest message if that lies ahead; never back.
    ///
    /// - Returns: The mark; nil when the user is not in.
    func markRead(
        _ url: ChannelURL, by id: UserID, now: Timestamp
    ) async throws(StorageError) -> Timestamp?
    /// Notes up to when a user has received a channel's messages; never back.
    func markDelivered(
        _ url: ChannelURL, to id: UserID, at moment: Timestamp
    ) async throws(StorageError)
    /// What a user has not read, in all channels they have joined together.
    func unreadTotal(of id: UserID) async throws(StorageError) -> Int
}

package protocol MessageStorage: Sendable {
    /// Appends messages to their channels' logs, and to the threads they belong to, each once for its
    /// channel, sender and request ID.
    ///
    /// They are kept in one step, which is what makes many of them cheap; one that cannot be kept fails
    /// alone. Those of a channel are appended in their order.
    ///
    /// A message's own ID and time are not looked at: the time becomes the later of `now` and the
    /// channel's last time plus one, the ID grows throughout the application. A request ID is remembered
    /// as long as its message, deleted or not, which is longer than any client tries.
    ///
    /// - Returns: For each what the log holds now, or what it held already; nil when there is no such
    ///   channel.
    /// - Throws: When none of them is kept.
    func append(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>]
    /// Changes a message.
    ///
    /// - Parameters:
    ///   - edit: What changes.
    ///   - mentioned: The users behind the IDs that the edit mentions.
    ///   - now: Becomes the time of the change.
    /// - Returns: The message after and the mention before, or why nothing changed.
    /// - Throws: When the storage failed; nothing has changed then.
    func edit(
        _ edit: EditCommand, mentioned: [User], now: Timestamp
    ) async throws(StorageError) -> EditOutcome
    /// Changes a live message without calling it edited, in one step with reading it; its place, its
    /// names and its sender stay.
    ///
    /// - Returns: The message now; nil when there is none.
    @discardableResult
    func updateMessage(
        _ id: MessageID, in url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout Message) -> Void
    ) async throws(StorageError) -> Message?
    /// Takes a message's words away and leaves its place and its request ID.
    ///
    /// - Parameters:
    ///   - id: The message.
    ///   - url: Its channel.
    ///   - now: Becomes the time of deletion.
    /// - Returns: The message as it was, or why nothing changed.
    /// - Throws: When the storage failed; nothing has changed then.
    func delete(
        _ id: MessageID, in url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> DeleteOutcome
    func message(_ id: MessageID, in url: ChannelURL) async throws(StorageError) -> Message?
    /// Whether a sender's message of this request is in a channel's log, deleted or not.
    func isKnown(
        _ request: RequestID, of sender: UserID, in url: ChannelURL
    ) async throws(StorageError) -> Bool
    /// Where a message stands or stood: a deleted one keeps its place.
    func position(of id: MessageID, in url: ChannelURL) async throws(StorageError) -> Position?
    /// The first messages of a range that a filter lets through, from either end.
    func messages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) async throws(StorageError) -> [Message]
    func messageCount(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter
    ) async throws(StorageError) -> Int
    /// What was created, edited or deleted after a point, oldest change first, each message once.
    func messageChanges(
        in url: ChannelURL, after point: ChangePoint, limit: Int
    ) async throws(StorageError) -> MessageChangePage
    /// The whole log, deleted messages included; for tests and tools.
    func log(of url: ChannelURL) async throws(StorageError) -> [LogEntry]
}
