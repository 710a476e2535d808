// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

// Each query needs a connection. While a page is being loaded, another call fails.

/// The selection of a list of a channel's polls.
public final class PollListQueryParams: NSObject, NSCopying {
    /// The channel; empty for the user's own polls of all channels.
    public var channelURL = ""
    /// The kind of that channel; without effect, because the server finds it.
    public var channelType = ChannelType.group
    /// The number of polls of a page, 1...100.
    public var limit: UInt = 10

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (PollListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PollListQueryParams().taking(\.channelURL, \.channelType, \.limit, from: self)
    }
}

/// A query of a channel's polls, oldest first, with a position for the next page.
public final class PollListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: PollListQueryParams
    private let reader = PageReader<RoostModel.Poll>(SendbirdChat.door)

    init(_ params: PollListQueryParams) { self.params = params.copied }

    /// The number of polls of a page, 1...100.
    public var limit: UInt { params.limit }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    public func loadNextPage(completionHandler: @escaping PollListHandler) {
        let (url, limit) = (params.channelURL, Int(clamping: params.limit))
        let callback = Callback.answer(completionHandler) { (polls: [RoostModel.Poll]) in
            polls.map { Poll($0) }
        }
        reader.load(then: callback) { client, token throws(RoostError) in
            try await client.polls(
                of: url.isEmpty ? nil : ChannelURL(url), pageSize: limit, after: token)
        }
    }
}

/// The selection of a list of the voters of an option.
public final class PollVoterListQueryParams: NSObject, NSCopying {
    /// The poll.
    public var pollId: Int64 = 0
    /// The option.
    public var pollOptionId: Int64 = 0
    /// The poll's channel; without effect, because the server finds it.
    public var channelURL = ""
    /// The kind of that channel; without effect, because the server finds it.
    public var channelType = ChannelType.group
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (PollVoterListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PollVoterListQueryParams().taking(
            \.pollId, \.pollOptionId, \.channelURL, \.channelType, \.limit, from: self)
    }
}

/// A query of the voters of an option, by user ID, with a position for the next page.
public final class PollVoterListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: PollVoterListQueryParams
    private let reader = PageReader<RoostModel.User>(SendbirdChat.door)

    init(_ params: PollVoterListQueryParams) { self.params = params.copied }

    /// The number of users of a page, 1...100.
    public var limit: UInt { params.limit }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    public func loadNextPage(completionHandler: @escaping UserListHandler) {
        let (poll, option) = (PollID(params.pollId), PollOptionID(params.pollOptionId))
        let limit = Int(clamping: params.limit)
        reader.load(then: .users(completionHandler)) { client, token throws(RoostError) in
            try await client.voters(for: option, in: poll, pageSize: limit, after: token)
        }
    }
}

extension SendbirdChat {
    // MARK: Polls

    /// Returns a query of a channel's polls.
    public class func createPollListQuery(params: PollListQueryParams) -> PollListQuery {
        PollListQuery(params)
    }

    /// Returns a query of a channel's polls with parameters that the closure sets.
    public class func createPollListQuery(
        paramsBuilder: (PollListQueryParams) -> Void
    ) -> PollListQuery { PollListQuery(PollListQueryParams(builder: paramsBuilder)) }

    /// Returns a query of the voters of an option.
    public class func createPollVoterListQuery(
        params: PollVoterListQueryParams
    ) -> PollVoterListQuery { PollVoterListQuery(params) }

    /// Returns a query of the voters of an option with parameters that the closure sets.
    public class func createPollVoterListQuery(
        paramsBuilder: (PollVoterListQueryParams) -> Void
    ) -> PollVoterListQuery {
        PollVoterListQuery(PollVoterListQueryParams(builder: paramsBuilder))
    }
}
