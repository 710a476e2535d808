// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The selection of a list of open channels.
public final class OpenChannelListQueryParams: NSObject, NSCopying {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// Without effect: metadata come with every channel.
    public var includeMetaData = false
    /// A part of the channel's name.
    public var channelNameFilter: String?
    /// A part of the channel's URL.
    public var channelURLFilter: String?
    /// The custom type.
    public var customTypeFilter: String?

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (OpenChannelListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        OpenChannelListQueryParams().taking(
            \.limit, \.includeFrozenChannel, \.includeMetaData, \.channelNameFilter,
            \.channelURLFilter, \.customTypeFilter, from: self)
    }
}

/// A query of open channels with a position for the next page; each page needs a connection.
public final class OpenChannelListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: OpenChannelListQueryParams
    private let reader = PageReader<RoostModel.OpenChannel>(SendbirdChat.door)

    init(_ params: OpenChannelListQueryParams) { self.params = params.copied }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    public func loadNextPage(completionHandler: @escaping ([OpenChannel]?, SBError?) -> Void) {
        let limit = Int(clamping: params.limit)
        let query = OpenChannelQuery(
            nameContains: params.channelNameFilter, urlContains: params.channelURLFilter,
            customTypes: params.customTypeFilter.map { [$0] },
            includesFrozen: params.includeFrozenChannel)
        let question = ChannelQuestion(SendbirdChat.door)
        reader.load(
            then: .answer(completionHandler) { channels in
                channels.map { OpenChannel(RoostModel.GroupChannel($0), answering: question) }
            }
        ) { client, token throws(RoostError) in
            try await client.openChannels(query, pageSize: limit, after: token)
        }
    }
}

/// The selection of a list of an open channel's participants.
public final class ParticipantListQueryParams: NSObject, NSCopying {
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (ParticipantListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        ParticipantListQueryParams().taking(\.limit, from: self)
    }
}

/// A query of the users inside an open channel, with a position for the next page; each page needs a
/// connection.
public final class ParticipantListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: ParticipantListQueryParams
    private let url: ChannelURL
    private let reader = PageReader<RoostModel.User>(SendbirdChat.door)

    init(_ url: ChannelURL, _ params: ParticipantListQueryParams) {
        self.url = url
        self.params = params.copied
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    public func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void) {
        let (url, limit) = (url, Int(clamping: params.limit))
        reader.load(
            then: .answer(completionHandler) { users in users.map { Participant(participant: $0) } }
        ) { client, token throws(RoostError) in
            try await client.participants(ofOpenChannel: url, pageSize: limit, after: token)
        }
    }
}

extension OpenChannel {
    /// Returns a query of the users inside a channel.
    public class func createParticipantListQuery(channelURL: String) -> ParticipantListQuery {
        createParticipantListQuery(channelURL: channelURL, params: ParticipantListQueryParams())
    }

    /// Returns a query of the users inside a channel.
    public class func createParticipantListQuery(
        channelURL: String, params: ParticipantListQueryParams
    ) -> ParticipantListQuery { ParticipantListQuery(ChannelURL(channelURL), params) }

    /// Returns a query of the users inside a channel with parameters that the closure sets.
    public class func createParticipantListQuery(
        channelURL: String, paramsBuilder: (ParticipantListQueryParams) -> Void
    ) -> ParticipantListQuery {
        createParticipantListQuery(
            channelURL: channelURL, params: ParticipantListQueryParams(builder: paramsBuilder))
    }
}
