// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension GroupChannel {
    // MARK: Members

    /// Returns a listed member; nil for other users.
    public func getMember(_ userId: String) -> Member? {
        value.members.first { $0.id.rawValue == userId }.map { Member($0) }
    }

    /// Returns whether a user is a listed member.
    public func hasMember(_ userId: String) -> Bool { getMember(userId) != nil }

    /// Returns a query of the members with the defaults of its parameters.
    public func createMemberListQuery() -> MemberListQuery? {
        createMemberListQuery(params: MemberListQueryParams())
    }

    /// Returns a query of the members.
    public func createMemberListQuery(params: MemberListQueryParams) -> MemberListQuery? {
        MemberListQuery(value.url, params)
    }

    /// Returns a query of the members with parameters that the closure sets.
    public func createMemberListQuery(
        paramsBuilder: (MemberListQueryParams) -> Void
    ) -> MemberListQuery? {
        createMemberListQuery(params: MemberListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of a channel's members with the defaults of its parameters.
    public class func createMemberListQuery(channelURL: String) -> MemberListQuery {
        createMemberListQuery(channelURL: channelURL, params: MemberListQueryParams())
    }

    /// Returns a query of a channel's members.
    public class func createMemberListQuery(
        channelURL: String, params: MemberListQueryParams
    ) -> MemberListQuery { MemberListQuery(ChannelURL(channelURL), params) }

    /// Returns a query of a channel's members with parameters that the closure sets.
    public class func createMemberListQuery(
        channelURL: String, paramsBuilder: (MemberListQueryParams) -> Void
    ) -> MemberListQuery {
        createMemberListQuery(
            channelURL: channelURL, params: MemberListQueryParams(builder: paramsBuilder))
    }

    // MARK: Typing

    /// Returns whether a member is typing now, without this user.
    public func isTyping() -> Bool { getTypingUsers()?.isEmpty == false }

    /// Returns the members who are typing now, without this user; a member drops out after ten
    /// seconds.
    public func getTypingUsers() -> [User]? {
        (SendbirdChat.door.report.typing[value.url] ?? []).map { User($0) }
    }

    // MARK: Receipts

    /// Returns the joined members who have read a message; its sender counts as a reader.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - includeAllMembers: Whether this user and the sender are among them.
    /// - Returns: The members; empty where the server counts no receipts, and for a message that is
    ///   not delivered.
    public func getReadMembers(message: BaseMessage, includeAllMembers: Bool) -> [Member] {
        joinedMembers(whoHaveRead: true, message, includeAllMembers)
    }

    /// Returns the joined members who have not read a message; its sender counts as a reader.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - includeAllMembers: Whether this user may be among them.
    /// - Returns: The members; empty where the server counts no receipts, and for a message that is
    ///   not delivered.
    public func getUnreadMembers(message: BaseMessage, includeAllMembers: Bool) -> [Member] {
        joinedMembers(whoHaveRead: false, message, includeAllMembers)
    }

    private func joinedMembers(
        whoHaveRead haveRead: Bool, _ message: BaseMessage, _ includesAll: Bool
    ) -> [Member] {
        value.joinedMembers(
            whoHaveRead: haveRead, message.value, includesAll: includesAll,
            viewer: SendbirdChat.door.account
        ).map { Member($0) }
    }

    /// Returns the number of joined members who have not read a message, without its sender.
    ///
    /// The number is 0 in super and broadcast channels, which count no receipts.
    public func getUnreadMemberCount(_ message: BaseMessage) -> Int {
        value.unreadMembers(of: message.value).count
    }

    /// Returns the number of joined members whom a message has not reached, without its sender.
    ///
    /// The number is 0 in super and broadcast channels, which count no receipts.
    public func getUndeliveredMemberCount(_ message: BaseMessage) -> Int {
        value.undeliveredMembers(of: message.value).count
    }

    /// Returns the times up to which the joined members have read, by user ID.
    ///
    /// - Parameter includeAllMembers: Whether this user is among them.
    /// - Returns: For each member a `User` under `user` and milliseconds under `last_seen_at`,
    ///   which are 0 in super and broadcast channels.
    public func getReadStatus(includeAllMembers: Bool) -> [String: [String: Any]] {
        status(value.countedReadReceipts, includeAllMembers)
    }

    /// Returns the times up to which messages have reached the joined members, by user ID.
    ///
    /// - Parameter includeAllMembers: Whether this user is among them.
    /// - Returns: For each member a `User` under `user` and milliseconds under `last_seen_at`,
    ///   which are 0 in super and broadcast channels.
    public func getDeliveryStatus(includeAllMembers: Bool) -> [String: [String: Any]] {
        status(value.countedDeliveryReceipts, includeAllMembers)
    }

    private func status(
        _ receipts: [UserID: Timestamp]?, _ includesAll: Bool
    ) -> [String: [String: Any]] {
        let me = SendbirdChat.door.account
        var status: [String: [String: Any]] = [:]
        for member in value.members
        where member.state == .joined && (includesAll || member.id != me) {
            status[member.id.rawValue] = [
                "user": Member(member),
                "last_seen_at": receipts?[member.id]?.milliseconds ?? 0,
            ]
        }
        return status
    }
}
