// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// A query of the application's public channels with a position for the next page; each page needs
/// a connection.
public final class SBDPublicGroupChannelListQuery: NSObject {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// The order of the list; `.channelNameAlphabetical` is answered with an error, because the
    /// client cannot ask for it.
    public var order = SBDPublicGroupChannelListOrder.chronological
    /// The condition on the user's membership.
    public var publicMembershipFilter = SBDPublicGroupChannelMembershipFilter.all
    /// Whether channels without a last message are shown; true unless the app says otherwise.
    public var includeEmptyChannel = true
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// Without effect: members come with every channel.
    public var includeMemberList = true
    /// Without effect: metadata come with every channel.
    public var includeMetaData = true
    /// The kind of channel.
    public var superChannelFilter = SBDGroupChannelSuperChannelFilter.all
    /// The custom types, any of which fits; empty for all.
    public var customTypesFilter: [String] = []
    /// The beginning of the custom type; nil for all.
    public var customTypeStartsWithFilter: String?
    /// The channels, any of which fits; empty for all.
    public var channelUrlsFilter: [String] = []
    /// A part of the channel's name, upper and lower case being equal.
    public var channelNameContainsFilter: String?

    private let reader = PageReader<GroupChannel>(SBDMain.door)

    override init() {}

    /// Whether there may be more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next channels from the server.
    public func loadNextPage(
        completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil
    ) {
        let question = ChannelQuestion(SBDMain.door)
        let callback = Callback.answer(completionHandler) { (channels: [GroupChannel]) in
            channels.map { SBDGroupChannel($0, answering: question) }
        }
        let (filter, pageSize, order) = (filter, Int(clamping: limit), order)
        reader.load(then: callback) { client, token throws(RoostError) in
            guard order == .chronological else { throw .missing("public channels by name") }
            return try await client.publicChannels(filter, pageSize: pageSize, after: token)
        }
    }

    private var filter: ChannelFilter {
        var filter = ChannelFilter()
        filter.includesEmpty = includeEmptyChannel
        filter.includesFrozen = includeFrozenChannel
        filter.membership = publicMembershipFilter == .joined ? .joined : nil
        filter.kind = superChannelFilter.value
        filter.customTypes = Set(customTypesFilter)
        filter.customTypePrefix = customTypeStartsWithFilter
        filter.urls = Set(channelUrlsFilter.map { ChannelURL($0) })
        filter.name = channelNameContainsFilter.map { .contains($0) }
        return filter
    }
}
