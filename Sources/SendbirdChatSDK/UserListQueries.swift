// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

// Queries of users; each needs a connection. While a page is being loaded, another call fails.

/// The selection of a list of the application's users.
public final class ApplicationUserListQueryParams: NSObject, NSCopying {
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20
    /// The users, any of whom fits; nil for all.
    public var userIdsFilter: [String]?
    /// The beginning of the nickname, upper and lower case being equal.
    public var nicknameStartsWithFilter: String?
    private var metaDataKey: String?
    private var metaDataValues: [String]?

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (ApplicationUserListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        ApplicationUserListQueryParams().taking(
            \.limit, \.userIdsFilter, \.nicknameStartsWithFilter, \.metaDataKey, \.metaDataValues,
            from: self)
    }

    /// Sets the condition on metadata to a key with one of some values; nil for no condition.
    public func setMetaDataFilter(key: String?, values: [String]?) {
        metaDataKey = key
        metaDataValues = values
    }

    var value: UserQuery {
        var query = UserQuery()
        query.ids = userIdsFilter?.map { UserID($0) }
        query.nicknamePrefix = nicknameStartsWithFilter
        query.metadataKey = metaDataKey
        query.metadataValues = metaDataValues
        return query
    }
}

/// A query of the application's users with a position for the next page.
public final class ApplicationUserListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: ApplicationUserListQueryParams
    private let reader = PageReader<RoostModel.User>(SendbirdChat.door)

    init(_ params: ApplicationUserListQueryParams) { self.params = params.copied }

    /// The number of users of a page, 1...100.
    public var limit: UInt {
        get { params.limit }
        set { params.limit = newValue }
    }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    public func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void) {
        let (query, limit) = (params.value, Int(clamping: params.limit))
        reader.load(then: .users(completionHandler)) { client, token throws(RoostError) in
            try await client.users(query, pageSize: limit, after: token)
        }
    }
}

/// The selection of a list of the users whom the current user has blocked.
public final class BlockedUserListQueryParams: NSObject, NSCopying {
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20
    /// The users, any of whom fits; empty for all.
    ///
    /// The pages of the list are read until all these users are found, and answered as one page.
    public var userIdsFilter: [String] = []

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (BlockedUserListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        BlockedUserListQueryParams().taking(\.limit, \.userIdsFilter, from: self)
    }
}

/// A query of the users whom the current user has blocked, with a position for the next page.
public final class BlockedUserListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: BlockedUserListQueryParams
    private let reader = PageReader<RoostModel.User>(SendbirdChat.door)

    init(_ params: BlockedUserListQueryParams) { self.params = params.copied }

    /// The number of users of a page, 1...100.
    public var limit: UInt {
        get { params.limit }
        set { params.limit = newValue }
    }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    public func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void) {
        let ids = params.userIdsFilter.isEmpty ? nil : params.userIdsFilter.map { UserID($0) }
        let limit = ids == nil ? Int(clamping: params.limit) : Page<RoostModel.User>.largest
        reader.load(then: .users(completionHandler)) { client, token throws(RoostError) in
            try await .selecting(ids, after: token) { token throws(RoostError) in
                try await client.blockedUsers(pageSize: limit, after: token)
            }
        }
    }
}

extension Callback where Value == Result<[RoostModel.User], RoostError> {
    static func users(_ handler: (([User]?, SBError?) -> Void)?) -> Self {
        answer(handler) { users in users.map { User($0) } }
    }
}

extension SendbirdChat {
    /// Returns a query of the application's users with the defaults of its parameters.
    public class func createApplicationUserListQuery() -> ApplicationUserListQuery {
        ApplicationUserListQuery(ApplicationUserListQueryParams())
    }

    /// Returns a query of the application's users.
    public class func createApplicationUserListQuery(
        params: ApplicationUserListQueryParams
    ) -> ApplicationUserListQuery { ApplicationUserListQuery(params) }

    /// Returns a query of the application's users with parameters that the closure sets.
    public class func createApplicationUserListQuery(
        paramsBuilder: (ApplicationUserListQueryParams) -> Void
    ) -> ApplicationUserListQuery {
        ApplicationUserListQuery(ApplicationUserListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of the blocked users with the defaults of its parameters.
    public class func createBlockedUserListQuery() -> BlockedUserListQuery {
        BlockedUserListQuery(BlockedUserListQueryParams())
    }

    /// Returns a query of the blocked users.
    public class func createBlockedUserListQuery(
        params: BlockedUserListQueryParams
    ) -> BlockedUserListQuery { BlockedUserListQuery(params) }

    /// Returns a query of the blocked users with parameters that the closure sets.
    public class func createBlockedUserListQuery(
        paramsBuilder: (BlockedUserListQueryParams) -> Void
    ) -> BlockedUserListQuery {
        BlockedUserListQuery(BlockedUserListQueryParams(builder: paramsBuilder))
    }
}
