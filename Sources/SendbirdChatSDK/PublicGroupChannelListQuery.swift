// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The selection of a list of public channels.
///
/// Nil or an empty list of names or types excludes nothing.
public final class PublicGroupChannelListQueryParams: NSObject, NSCopying {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// The order of the list; any but `.chronological` is refused, as the server has one order.
    public var order = PublicGroupChannelListOrder.chronological
    /// Whether channels without a last message are shown.
    public var includeEmptyChannel = true
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// Without effect: members come with every channel.
    public var includeMemberList = true
    /// Without effect: metadata come with every channel.
    public var includeMetaData = true
    /// The user's membership.
    public var publicMembershipFilter = PublicGroupChannelMembershipFilter.all
    /// The kind of channel.
    public var superChannelFilter = GroupChannelSuperChannelFilter.all
    /// The custom types, any of which fits.
    public var customTypesFilter: [String]?
    /// The beginning of the custom type.
    public var customTypeStartsWithFilter: String?
    /// A part of the channel's name, upper and lower case being equal.
    public var channelNameContainsFilter: String?
    /// The channels, any of which fits.
    public var channelURLsFilter: [String]?
    /// The metadata key that a condition is on.
    public var metaDataKeyFilter: String?
    /// The values of that key, any of which fits.
    public var metaDataValuesFilter: [String]?
    /// The beginning of the value of that key.
    public var metaDataValueStartsWithFilter: String?
    /// The metadata key of an order by metadata, which is refused.
    public var metaDataOrderKeyFilter: String?

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (PublicGroupChannelListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PublicGroupChannelListQueryParams().taking(
            \.limit, \.order, \.includeEmptyChannel, \.includeFrozenChannel, \.includeMemberList,
            \.includeMetaData, \.publicMembershipFilter, \.superChannelFilter, \.customTypesFilter,
            \.customTypeStartsWithFilter, \.channelNameContainsFilter, \.channelURLsFilter,
            \.metaDataKeyFilter, \.metaDataValuesFilter, \.metaDataValueStartsWithFilter,
            \.metaDataOrderKeyFilter, from: self)
    }

    /// Sets the condition on metadata to a key with one of some values.
    public func setMetaDataFilter(withKey key: String, values: [String]) {
        metaDataKeyFilter = key
        metaDataValuesFilter = values
        metaDataValueStartsWithFilter = nil
    }

    var filter: ChannelFilter {
        var filter = ChannelFilter()
        filter.includesEmpty = includeEmptyChannel
        filter.includesFrozen = includeFrozenChannel
        filter.membership = publicMembershipFilter == .joined ? .joined : nil
        filter.kind = superChannelFilter.value
        filter.customTypes = Set(customTypesFilter ?? [])
        filter.customTypePrefix = customTypeStartsWithFilter
        filter.name = channelNameContainsFilter.map { .contains($0) }
        filter.urls = Set((channelURLsFilter ?? []).map { ChannelURL($0) })
        filter.metadata = .condition(
            metaDataKeyFilter, values: metaDataValuesFilter,
            prefix: metaDataValueStartsWithFilter)
        return filter
    }
}

/// A query of public channels with a position for the next page; needs a connection.
public final class PublicGroupChannelListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: PublicGroupChannelListQueryParams
    private let reader = PageReader<RoostModel.GroupChannel>(SendbirdChat.door)

    init(_ params: PublicGroupChannelListQueryParams) { self.params = params.copied }

    /// The number of channels of a page, 1...100.
    public var limit: UInt {
        get { params.limit }
        set { params.limit = newValue }
    }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    ///
    /// While a page is being loaded, another call fails.
    public func loadNextPage(completionHandler: @escaping ([GroupChannel]?, SBError?) -> Void) {
        let (filter, limit) = (params.filter, Int(clamping: params.limit))
        let isOrdered = params.order == .chronological
        let question = ChannelQuestion(SendbirdChat.door)
        let callback = Callback.answer(completionHandler) {
            (channels: [RoostModel.GroupChannel]) in
            channels.map { GroupChannel($0, answering: question) }
        }
        reader.load(then: callback) { client, token throws(RoostError) in
            guard isOrdered else {
                throw .notSupported("The server lists public channels by their age only.")
            }
            return try await client.publicChannels(filter, pageSize: limit, after: token)
        }
    }
}
