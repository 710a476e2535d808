// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import Roost
import RoostDoors
import RoostModel

/// A query of the user's channels with a position for the next page.
///
/// The first page fixes its settings. The old library's pages do not state the defaults of `limit`
/// and `includeEmptyChannel`; here they leave no channel out.
public final class SBDGroupChannelListQuery: NSObject {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// The order of the list.
    public var order = SBDGroupChannelListOrder.latestLastMessage
    /// Whether channels without a last message are shown; true unless the app says otherwise.
    public var includeEmptyChannel = true
    /// Without effect: members come with every channel.
    public var includeMemberList = true
    /// Without effect: metadata come with every channel.
    public var includeMetaData = true
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// The hidden channels that are shown.
    public var channelHiddenStateFilter = SBDChannelHiddenStateFilter.unhiddenOnly
    /// The user's membership.
    public var memberStateFilter = SBDMemberStateFilter.all
    /// The kind of channel.
    public var superChannelFilter = SBDGroupChannelSuperChannelFilter.all
    /// The condition on publicity.
    public var publicChannelFilter = SBDGroupChannelPublicChannelFilter.all
    /// The condition on unread messages.
    public var unreadChannelFilter = SBDUnreadChannelFilter.all
    /// The custom types, any of which fits; empty for all.
    public var customTypesFilter: [String] = []
    /// The custom type; nil for all.
    public var customTypeFilter: String?
    /// The beginning of the custom type; nil for all.
    public var customTypeStartsWithFilter: String?
    /// The channels, any of which fits; empty for all.
    public var channelUrlsFilter: [String] = []
    /// A part of the channel's name, upper and lower case being equal.
    public var channelNameContainsFilter: String?
    /// A part of the nickname of at least one member.
    public var nicknameContainsFilter: String?
    /// The metadata key whose value orders the list with `.channelMetaDataValueAlphabetical`.
    public var metaDataOrderKeyFilter: String?

    private var members: ChannelFilter.Members?
    private var metadata: ChannelFilter.Metadata?
    private let reader = ChannelListReader(SBDMain.door)

    override init() {}

    /// Shows channels with all or any of these users; an empty list ends the condition.
    public func setUserIdsIncludeFilter(
        _ userIds: [String], queryType: SBDGroupChannelListQueryType
    ) {
        let ids = Set(userIds.map { UserID($0) })
        members = ids.isEmpty ? nil : queryType == .and ? .allOf(ids) : .anyOf(ids)
    }

    /// Shows channels with exactly these users and the current one; an empty list ends the
    /// condition.
    public func setUserIdsExactFilter(_ userIds: [String]) {
        members = userIds.isEmpty ? nil : .exactly(Set(userIds.map { UserID($0) }))
    }

    /// Shows channels whose metadata has one of these values under a key.
    public func setMetaDataFilterWithKey(_ key: String, values: [String]) {
        metadata = ChannelFilter.Metadata(
            key: key, value: values.isEmpty ? .any : .oneOf(Set(values)))
    }

    /// Shows channels whose metadata has a value with this beginning under a key.
    public func setMetaDataFilterWithKey(_ key: String, startsWith value: String) {
        metadata = ChannelFilter.Metadata(key: key, value: .hasPrefix(value))
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }

    /// Whether a page is being loaded.
    public func isLoading() -> Bool { reader.isLoading }

    /// Loads the next channels, in step with the server; without a connection those of the cache.
    public func loadNextPage(
        completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil
    ) {
        reader.load(value, then: .channels(completionHandler))
    }

    package var value: ChannelListQuery {
        var filter = ChannelFilter()
        filter.includesEmpty = includeEmptyChannel
        filter.includesFrozen = includeFrozenChannel
        filter.hidden = channelHiddenStateFilter.value
        filter.membership = memberStateFilter.value
        filter.kind = superChannelFilter.value
        filter.isPublic = publicChannelFilter.value
        filter.isUnread = unreadChannelFilter == .unreadMessage
        filter.customTypes = Set(customTypesFilter + (customTypeFilter.map { [$0] } ?? []))
        filter.customTypePrefix = customTypeStartsWithFilter
        filter.urls = Set(channelUrlsFilter.map { ChannelURL($0) })
        filter.name = channelNameContainsFilter.map { .contains($0) }
        filter.memberNickname = nicknameContainsFilter.map { .contains($0) }
        filter.members = members
        filter.metadata = metadata
        let order: ChannelOrder =
            switch order {
            case .chronological: .chronological
            case .latestLastMessage: .latestLastMessage
            case .channelNameAlphabetical: .name
            case .channelMetaDataValueAlphabetical:
                .metadataValue(key: metaDataOrderKeyFilter ?? metadata?.key ?? "")
            }
        return ChannelListQuery(filter, order: order, pageSize: Int(clamping: limit))
    }
}

extension Callback where Value == Result<[GroupChannel], RoostError> {
    /// Returns a handler of a page that is asked for now.
    static func channels(
        _ handler: (([SBDGroupChannel]?, SBDError?) -> Void)?
    ) -> Self {
        let question = ChannelQuestion(SBDMain.door)
        return answer(handler) { channels in
            channels.map { SBDGroupChannel($0, answering: question) }
        }
    }
}
