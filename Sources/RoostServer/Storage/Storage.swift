// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The storage of a server.
///
/// Every call is one atomic operation: after a throw nothing has changed. Times come from the
/// caller; their order within a channel, and all numbers, come from the storage.
///
/// An unreadable row is missing in every list, so that it does not hide other rows.
package protocol Storage: UserStorage, CredentialStorage, ChannelStorage, MessageStorage,
    DocumentStorage
{
    /// The number of unreadable rows that were missing in a list.
    var unreadableCount: Int { get }
    /// Proves by a durable write, which changes no data, that the disk accepts writes.
    ///
    /// - Throws: An error if a message could not be stored now.
    func prove() async throws(StorageError)
}

/// A failure of the storage, not of its caller.
package struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The failure, and its remedy.
    package let message: String
    package let underlying: (any Error)?
    /// Whether the call ended because its caller has gone; the storage has not failed.
    let isCancelled: Bool
    /// Whether a message was left out because other work holds its channel.
    package let isHeld: Bool
    /// The number of long stretches of a log that were read before the caller had gone.
    let stretches: Int

    package init(_ message: String, underlying: (any Error)? = nil) {
        self.init(message, underlying: underlying, isCancelled: false)
    }

    private init(
        _ message: String, underlying: (any Error)? = nil, isCancelled: Bool, isHeld: Bool = false,
        stretches: Int = 0
    ) {
        self.message = message
        self.underlying = underlying
        self.isCancelled = isCancelled
        self.isHeld = isHeld
        self.stretches = stretches
    }

    /// Returns the end of a call whose caller has gone, after some long stretches of a log.
    package static func cancelled(after stretches: Int = 0) -> StorageError {
        StorageError("The caller has gone.", isCancelled: true, stretches: stretches)
    }

    /// The outcome of a message whose channel other work holds.
    package static let held = StorageError(
        "Other work holds the channel.", isCancelled: false, isHeld: true)

    package var description: String { underlying.map { "\(message) (\($0))" } ?? message }
}

package protocol UserStorage: Sendable {
    func user(_ id: UserID) async throws(StorageError) -> User?
    /// Returns the existing users among the IDs, in the order of the IDs.
    func users(_ ids: [UserID]) async throws(StorageError) -> [User]
    /// Returns a page of all users by ID.
    func users(after id: UserID?, limit: Int) async throws(StorageError) -> [User]
    /// Creates a user; an existing one stays as it is.
    ///
    /// - Returns: Whether the user was created.
    @discardableResult
    func addUser(_ user: User) async throws(StorageError) -> Bool
    func userRecord(_ id: UserID) async throws(StorageError) -> UserRecord?
    /// Returns the existing users among the IDs with all their data, in the order of the IDs.
    func userRecords(_ ids: [UserID]) async throws(StorageError) -> [UserRecord]
    /// Changes a user in one step with reading the user.
    ///
    /// If the user is inactive after the change, all sessions end, and so do all tokens that
    /// expire.
    ///
    /// - Returns: The user after the change; nil if there is no such user.
    @discardableResult
    func updateUser(
        _ id: UserID, _ change: @Sendable (inout UserRecord) -> Void
    ) async throws(StorageError) -> UserRecord?
    /// Returns a page, by ID, of the users who block a user.
    func blockers(
        of id: UserID, after: UserID?, limit: Int
    ) async throws(StorageError) -> [User]
    /// Stores that users were active on a day, and forgets the days before another one.
    ///
    /// Days are numbers since 1970. Unknown users are not stored.
    func noteActivity(
        of ids: [UserID], on day: Int, forgettingBefore first: Int
    ) async throws(StorageError)
    /// Returns the number of users who were active on one of the days, both ends included.
    func activeUsers(from first: Int, through last: Int) async throws(StorageError) -> Int
    /// Returns a page, by ID, of the users with a device.
    ///
    /// - Parameters:
    ///   - kind: The push service of the device.
    ///   - token: The device's token.
    ///   - id: The last user of the page before; nil for the first page.
    ///   - limit: The most users in the page.
    /// - Returns: The users.
    /// - Throws: A failure of the storage.
    func deviceOwners(
        _ kind: String, _ token: String, after id: UserID?, limit: Int
    ) async throws(StorageError) -> [UserID]
    /// Deletes a user. The user leaves every channel, and all sessions and tokens end; old messages
    /// keep the name, bans stay.
    ///
    /// Messages that wait to be sent and polls outside channels are removed, so a new user of the ID
    /// has none.
    ///
    /// - Returns: The channels of the user; nil if there is no such user.
    func deleteUser(_ id: UserID, now: Timestamp) async throws(StorageError) -> [ChannelURL]?
}

package protocol ChannelStorage: Sendable {
    /// Creates a channel, or finds the distinct one of the members and lets all of them in again.
    func createChannel(_ new: NewChannel, now: Timestamp) async throws(StorageError)
        -> CreateOutcome
    /// Returns a channel's record and a user's place in it; nil if there is no such channel.
    func access(to url: ChannelURL, of id: UserID?) async throws(StorageError) -> ChannelAccess?
    /// Changes a channel's record in one step with reading it; its URL stays.
    ///
    /// - Returns: The record after the change; nil if there is no such channel.
    @discardableResult
    func updateChannel(
        _ url: ChannelURL, now: Timestamp, _ change: @Sendable (inout ChannelRecord) -> Void
    ) async throws(StorageError) -> ChannelRecord?
    /// Deletes a channel with its messages; the change logs of its members report the deletion.
    ///
    /// A later channel of the URL has no roles, bans and settings of this one. Its polls and messages
    /// to be sent later belong to no channel any more; the waiting ones are due at once, and fail.
    ///
    /// - Returns: False if there is no such channel.
    func deleteChannel(_ url: ChannelURL, now: Timestamp) async throws(StorageError) -> Bool
    /// Returns a page of all channels by URL, as brief records.
    func channels(
        after url: ChannelURL?, limit: Int
    ) async throws(StorageError) -> [ChannelRecord]
    /// Returns the existing channels among URLs with all their data, in the order of the URLs.
    ///
    /// - Complexity: One query for any number of channels.
    func channelRecords(_ urls: [ChannelURL]) async throws(StorageError) -> [ChannelRecord]
    /// Adds joined or invited users; members stay members, and invited users stay
    /// invited if the call invites them again.
    ///
    /// Banned users are left out, as in `createChannel`.
    ///
    /// - Returns: The users whose state changed, in the order of the call; unknown users are left
    ///   out.
    func addMembers(
        _ ids: [UserID], as state: MembershipState, inviter: UserID?, to url: ChannelURL,
        now: Timestamp
    ) async throws(StorageError) -> [UserID]
    /// Removes a member; returns false if the user was not one.
    func removeMember(
        _ id: UserID, from url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> Bool
    /// Returns the joined and invited users, in the order of their entries.
    func memberIDs(of url: ChannelURL) async throws(StorageError) -> [UserID]
    /// Returns the joined and invited users in any order, or so many of them as the limit allows.
    func someMemberIDs(
        of url: ChannelURL, atMost limit: Int
    ) async throws(StorageError) -> [UserID]
    /// Returns the joined and invited users in any order, each with the part of the history that the
    /// user sees.
    func audienceMembers(of url: ChannelURL) async throws(StorageError) -> [AudienceMember]
    /// Returns all users with a row in the channel, former and banned ones included, in the order
    /// of entry.
    func memberRecords(of url: ChannelURL) async throws(StorageError) -> [MemberRecord]
    /// Returns a page of the joined and invited users, in an order of the storage's own.
    ///
    /// `id` is the last user of the page before; nil for the first page.
    func members(
        of url: ChannelURL, after id: UserID?, limit: Int
    ) async throws(StorageError) -> [MemberRecord]
    /// Returns the numbers of the joined and invited users of channels; zero may be left out.
    func memberCounts(of urls: [ChannelURL]) async throws(StorageError) -> [ChannelURL: Int]
    /// Returns the users among IDs with a row in the channel, former and banned ones included, in
    /// any order.
    ///
    /// - Complexity: Other users of the channel are not read.
    func memberRecords(
        of url: ChannelURL, among ids: [UserID]
    ) async throws(StorageError) -> [MemberRecord]
    /// Returns the operators of channels, those of each channel in the order of their entries.
    ///
    /// A channel without operators is left out.
    ///
    /// - Complexity: Other users of the channels are not read.
    func operators(of urls: [ChannelURL]) async throws(StorageError) -> [ChannelURL: [User]]
    /// Returns a page of the users whose restriction is active at a moment, in the order of their
    /// entries.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - kind: The kind of the restriction.
    ///   - now: The moment.
    ///   - id: The last user of the page before; nil for the first page. The page of a user without
    ///     a row in the channel is empty.
    ///   - limit: The most users in the page.
    /// - Returns: The users.
    /// - Throws: A failure of the storage.
    func restrictedMembers(
        of url: ChannelURL, by kind: Restriction.Kind, at now: Timestamp, after id: UserID?,
        limit: Int
    ) async throws(StorageError) -> [MemberRecord]
    /// Returns the number of users with a ban or a mute in a channel, up to a limit.
    ///
    /// Before it returns the limit, it forgets the restrictions that have ended.
    func restrictedCount(
        of url: ChannelURL, atMost limit: Int, now: Timestamp
    ) async throws(StorageError) -> Int
    /// Changes a user's place in a channel in one step with reading it; a new row begins with the
    /// state `.none`.
    ///
    /// The user and the times of joining stay. `addMembers` and `removeMember` change the state.
    ///
    /// - Returns: The place after the change; nil if there is no such channel or user.
    @discardableResult
    func updateMember(
        _ id: UserID, of url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout MemberRecord) -> Void
    ) async throws(StorageError) -> MemberRecord?
    /// Hides the messages through a moment from all joined and invited users and marks them as
    /// read, in one step.
    ///
    /// A later beginning of a user's history and a later mark stay.
    ///
    /// - Returns: False if there is no such channel.
    func forgetHistory(
        of url: ChannelURL, through end: Timestamp, now: Timestamp
    ) async throws(StorageError) -> Bool
    /// Returns channels with their members, last messages and the viewer's counts, in the order of
    /// the URLs.
    ///
    /// - Parameters:
    ///   - urls: The channels.
    ///   - viewer: The user whose messages count as read; nil for none.
    ///   - withMembers: Whether the states have all members. Otherwise they have a `tally`, and the
    ///     members whom a view names: the viewer, the creator, and the inviter of the viewer.
    /// - Returns: The states of the existing channels.
    /// - Throws: A failure of the storage.
    func channelStates(
        _ urls: [ChannelURL], viewer: UserID?, withMembers: Bool
    ) async throws(StorageError) -> [ChannelState]
    /// Returns every present and former channel of a user as a brief record, without members and
    /// messages.
    func listings(of id: UserID) async throws(StorageError) -> [ChannelListing]
    /// Returns the channels that a user has joined or is invited to, as `listings` does.
    ///
    /// - Complexity: Former and deleted channels, which others can make without end, are not read.
    func presentListings(of id: UserID) async throws(StorageError) -> [ChannelListing]
    /// Returns the newest message of each joined channel of a user before a position, by URL;
    /// channels without one are left out.
    ///
    /// - Complexity: A fixed number of queries for any number of channels.
    func newestPlaces(
        of id: UserID, before end: Position
    ) async throws(StorageError) -> [NewestPlace]
    /// Moves a user's read mark to now, or to a newer last message; never back.
    ///
    /// - Returns: The mark; nil if the user is no member.
    func markRead(
        _ url: ChannelURL, by id: UserID, now: Timestamp
    ) async throws(StorageError) -> Timestamp?
    /// Moves delivery marks of joined members, each unless it is at its new place or later already.
    ///
    /// All marks move in one step; a list has at most one mark of each user in a channel.
    ///
    /// - Returns: The marks that have moved, in any order.
    func markDelivered(_ marks: [DeliveryMark]) async throws(StorageError) -> [DeliveryMark]
    /// Returns the number of unread messages in all joined channels of a user, up to a limit.
    func unreadTotal(of id: UserID, atMost limit: Int) async throws(StorageError) -> Int
    /// Returns the number of a channel's messages that each of the users has not read.
    ///
    /// - Returns: The numbers of the joined members among the users.
    func unreadCounts(
        in url: ChannelURL, of ids: Set<UserID>
    ) async throws(StorageError) -> [UserID: Int]
}

extension ChannelStorage {
    /// Returns the number of a user's unread messages, up to `StorageRules.unreadLimit`.
    package func unreadTotal(of id: UserID) async throws(StorageError) -> Int {
        try await unreadTotal(of: id, atMost: StorageRules.unreadLimit)
    }
}

extension Storage {
    /// Returns the number of messages of a range that match a filter.
    package func messageCount(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter
    ) async throws(StorageError) -> Int {
        try await messageCount(in: url, range, filter, atMost: .max)
    }
}
