// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The order of a member list.
public enum MemberListOrder: Int, Sendable {
    /// By nickname.
    case nicknameAlphabetical
    /// Operators first, each group by nickname.
    case operatorThenMemberNicknameAlphabetical
}

/// A condition on the mute of members.
public enum GroupChannelMutedMemberFilter: Int, Sendable {
    /// All members.
    case all
    /// Muted members.
    case muted
    /// Members who may write.
    case unmuted
}

/// A condition on the role of members.
public enum GroupChannelOperatorFilter: Int, Sendable {
    /// All members.
    case all
    /// Operators.
    case `operator`
    /// Ordinary members.
    case nonOperator
}

/// The selection and order of a member list.
public final class MemberListQueryParams: NSObject, NSCopying {
    /// The number of members of a page, 1...100.
    public var limit: UInt = 20
    /// The order of the list.
    public var order = MemberListOrder.nicknameAlphabetical
    /// The membership.
    public var memberStateFilter = MemberStateFilter.all
    /// The condition on the mute.
    public var mutedMemberFilter = GroupChannelMutedMemberFilter.all
    /// The condition on the role.
    public var operatorFilter = GroupChannelOperatorFilter.all
    /// The beginning of the nickname, upper and lower case being equal.
    public var nicknameStartsWithFilter: String?

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (MemberListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        MemberListQueryParams().taking(
            \.limit, \.order, \.memberStateFilter, \.mutedMemberFilter, \.operatorFilter,
            \.nicknameStartsWithFilter, from: self)
    }

    var value: MemberQuery {
        get throws(RoostError) {
            var query = MemberQuery()
            query.pageSize = Int(clamping: limit)
            query.order = order == .nicknameAlphabetical ? .nickname : .operatorsFirst
            query.membership = try memberStateFilter.membership
            query.isMuted = mutedMemberFilter == .all ? nil : mutedMemberFilter == .muted
            query.isOperator = operatorFilter == .all ? nil : operatorFilter == .operator
            query.nicknamePrefix = nicknameStartsWithFilter
            return query
        }
    }
}

/// A query of a channel's members with a position for the next page; needs a connection.
public final class MemberListQuery: NSObject {
    /// The selection and order of the list; a copy of the parameters given.
    public let params: MemberListQueryParams
    private let url: ChannelURL
    private let reader = PageReader<RoostModel.Member>(SendbirdChat.door)

    init(_ url: ChannelURL, _ params: MemberListQueryParams) {
        self.url = url
        self.params = params.copied
    }

    /// The number of members of a page, 1...100.
    public var limit: UInt {
        get { params.limit }
        set { params.limit = newValue }
    }
    /// The order of the list.
    public var order: MemberListOrder {
        get { params.order }
        set { params.order = newValue }
    }
    /// The membership.
    public var memberStateFilter: MemberStateFilter {
        get { params.memberStateFilter }
        set { params.memberStateFilter = newValue }
    }
    /// The condition on the mute.
    public var mutedMemberFilter: GroupChannelMutedMemberFilter {
        get { params.mutedMemberFilter }
        set { params.mutedMemberFilter = newValue }
    }
    /// The condition on the role.
    public var operatorFilter: GroupChannelOperatorFilter {
        get { params.operatorFilter }
        set { params.operatorFilter = newValue }
    }
    /// The beginning of the nickname, upper and lower case being equal.
    public var nicknameStartsWithFilter: String? {
        get { params.nicknameStartsWithFilter }
        set { params.nicknameStartsWithFilter = newValue }
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    ///
    /// While a page is being loaded, another call fails.
    public func loadNextPage(completionHandler: @escaping ([Member]?, SBError?) -> Void) {
        let (url, query) = (url, Result { () throws(RoostError) in try params.value })
        reader.load(
            then: .answer(completionHandler) { members in members.map { Member($0) } }
        ) { client, token throws(RoostError) in
            try await client.members(of: url, try query.get(), after: token)
        }
    }
}
