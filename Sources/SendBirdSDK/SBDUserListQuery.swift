// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// A query of users of one kind with a position for the next page; each page needs a connection.
public class SBDUserListQuery: NSObject {
    enum Kind: Sendable {
        case application
        case blocked
        case muted(ChannelAddress)
        case banned(ChannelAddress)
        case operators(ChannelAddress)
        /// The users inside an open channel.
        case participants(ChannelURL)
    }

    /// The number of users of a page, 1...100.
    public var limit: UInt = 20
    /// The users' IDs, any of which fits; empty for all.
    ///
    /// Only the list of the application's users is selected by the server. The pages of others are
    /// read until all these users are found, and answered as one page.
    public var userIdsFilter: [String] = []

    private let kind: Kind
    private let reader = PageReader<User>(SBDMain.door)

    init(_ kind: Kind) { self.kind = kind }

    /// Whether there may be more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// The beginning of the nicknames; nil for all.
    fileprivate var nicknamePrefix: String? { nil }

    /// Loads the next users from the server.
    public func loadNextPage(completionHandler: (([SBDUser]?, SBDError?) -> Void)? = nil) {
        let callback = Callback.answer(completionHandler) { (users: [User]) in
            users.map { SBDUser($0) }
        }
        let (kind, pageSize) = (kind, Int(clamping: limit))
        var query = UserQuery()
        query.ids = userIdsFilter.isEmpty ? nil : userIdsFilter.map { UserID($0) }
        query.nicknamePrefix = nicknamePrefix
        reader.load(then: callback) { [query] client, token throws(RoostError) in
            if case .application = kind {
                return try await client.users(query, pageSize: pageSize, after: token)
            }
            let size = query.ids == nil ? pageSize : Page<User>.largest
            return try await .selecting(query.ids, after: token) { token throws(RoostError) in
                switch kind {
                case .application, .blocked:
                    try await client.blockedUsers(pageSize: size, after: token)
                case .muted(let channel):
                    try await client.mutedUsers(of: channel, pageSize: size, after: token)
                        .users
                case .banned(let channel):
                    try await client.bannedUsers(of: channel, pageSize: size, after: token)
                        .users
                case .operators(let channel):
                    try await client.operators(of: channel, pageSize: size, after: token)
                case .participants(let url):
                    try await client.participants(
                        ofOpenChannel: url, pageSize: size, after: token)
                }
            }
        }
    }
}

/// A query of the application's users with a position for the next page.
public final class SBDApplicationUserListQuery: SBDUserListQuery {
    /// The beginning of the nicknames; nil for all.
    public var nicknameStartsWithFilter: String?

    init() { super.init(.application) }

    override fileprivate var nicknamePrefix: String? { nicknameStartsWithFilter }
}

/// A query of the users inside an open channel, with a position for the next page.
public final class SBDParticipantListQuery: SBDUserListQuery {
    init(_ channel: ChannelURL) { super.init(.participants(channel)) }
}

extension Page<RestrictedUser> {
    fileprivate var users: Page<User> { Page<User>(elements.map(\.user), next: next) }
}

/// A condition on a member's role.
public enum SBDGroupChannelOperatorFilter: Int, Sendable {
    /// All members.
    case all
    /// Operators.
    case `operator`
    /// Ordinary members.
    case nonOperator
}

/// A condition on a member's mute.
public enum SBDGroupChannelMutedMemberFilter: Int, Sendable {
    /// All members.
    case all
    /// Muted members.
    case muted
    /// Members who are not muted.
    case unmuted
}

/// The order of a list of members.
public enum SBDGroupChannelMemberListOrder: Int, Sendable {
    /// By nickname, upper and lower case being equal.
    case nicknameAlphabetical
    /// Operators first, each group by nickname.
    case operatorThenMemberNicknameAlphabetical
}

/// A query of a group channel's members with a position for the next page; each page needs a
/// connection.
public final class SBDGroupChannelMemberListQuery: NSObject {
    /// The number of members of a page, 1...100.
    public var limit: UInt = 20
    /// The beginning of the nicknames; nil for all.
    public var nicknameStartsWithFilter: String?
    /// The condition on the role.
    public var operatorFilter = SBDGroupChannelOperatorFilter.all
    /// The condition on the mute.
    public var mutedMemberFilter = SBDGroupChannelMutedMemberFilter.all
    /// The condition on the membership.
    public var memberStateFilter = SBDMemberStateFilter.all
    /// The order of the list.
    public var order = SBDGroupChannelMemberListOrder.nicknameAlphabetical

    private let url: ChannelURL
    private let reader = PageReader<Member>(SBDMain.door)

    init(_ url: ChannelURL) { self.url = url }

    /// Whether there may be more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next members from the server.
    public func loadNextPage(completionHandler: (([SBDMember]?, SBDError?) -> Void)? = nil) {
        let callback = Callback.answer(completionHandler) { (members: [Member]) in
            members.map { SBDMember($0) }
        }
        var query = MemberQuery()
        query.pageSize = Int(clamping: limit)
        query.nicknamePrefix = nicknameStartsWithFilter
        query.isOperator = operatorFilter == .all ? nil : operatorFilter == .operator
        query.isMuted = mutedMemberFilter == .all ? nil : mutedMemberFilter == .muted
        query.membership = memberStateFilter.value
        query.order = order == .nicknameAlphabetical ? .nickname : .operatorsFirst
        reader.load(then: callback) { [url, query] client, token throws(RoostError) in
            try await client.members(of: url, query, after: token)
        }
    }
}
