// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

// Queries of a channel's users with a part in its moderation; each needs a connection. While a page
// is being loaded, another call fails.

/// The selection of a list of muted users.
public final class MutedUserListQueryParams: NSObject, NSCopying {
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (MutedUserListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        MutedUserListQueryParams().taking(\.limit, from: self)
    }
}

/// A query of a channel's muted users with a position for the next page.
public final class MutedUserListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: MutedUserListQueryParams
    private let channel: ChannelAddress
    private let reader = PageReader<RoostModel.RestrictedUser>(SendbirdChat.door)

    init(_ channel: ChannelAddress, _ params: MutedUserListQueryParams) {
        self.channel = channel
        self.params = params.copied
    }

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
    public func loadNextPage(completionHandler: @escaping ([RestrictedUser]?, SBError?) -> Void) {
        reader.load(.muted, in: channel, limit: params.limit, then: completionHandler)
    }
}

/// The selection of a list of banned users.
public final class BannedUserListQueryParams: NSObject, NSCopying {
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (BannedUserListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        BannedUserListQueryParams().taking(\.limit, from: self)
    }
}

/// A query of a channel's banned users with a position for the next page.
public final class BannedUserListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: BannedUserListQueryParams
    private let channel: ChannelAddress
    private let reader = PageReader<RoostModel.RestrictedUser>(SendbirdChat.door)

    init(_ channel: ChannelAddress, _ params: BannedUserListQueryParams) {
        self.channel = channel
        self.params = params.copied
    }

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
    public func loadNextPage(completionHandler: @escaping ([RestrictedUser]?, SBError?) -> Void) {
        reader.load(.banned, in: channel, limit: params.limit, then: completionHandler)
    }
}

/// The selection of a list of operators.
public final class OperatorListQueryParams: NSObject, NSCopying {
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (OperatorListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        OperatorListQueryParams().taking(\.limit, from: self)
    }
}

/// A query of a channel's operators with a position for the next page.
public final class OperatorListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: OperatorListQueryParams
    private let channel: ChannelAddress
    private let reader = PageReader<RoostModel.User>(SendbirdChat.door)

    init(_ channel: ChannelAddress, _ params: OperatorListQueryParams) {
        self.channel = channel
        self.params = params.copied
    }

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
        let (channel, limit) = (channel, Int(clamping: params.limit))
        reader.load(then: .users(completionHandler)) { client, token throws(RoostError) in
            try await client.operators(of: channel, pageSize: limit, after: token)
        }
    }
}

extension PageReader<RoostModel.RestrictedUser> {
    /// Loads the next page of a channel's users with a restriction.
    fileprivate func load(
        _ restriction: RestrictionType, in channel: ChannelAddress, limit: UInt,
        then handler: @escaping ([RestrictedUser]?, SBError?) -> Void
    ) {
        let pageSize = Int(clamping: limit)
        load(
            then: .answer(handler) { users in users.map { RestrictedUser($0, restriction) } }
        ) { client, token throws(RoostError) in
            switch restriction {
            case .muted:
                try await client.mutedUsers(of: channel, pageSize: pageSize, after: token)
            case .banned:
                try await client.bannedUsers(of: channel, pageSize: pageSize, after: token)
            }
        }
    }
}
