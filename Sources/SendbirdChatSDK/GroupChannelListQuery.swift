// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// The order of a channel list.
public enum GroupChannelListOrder: Int, Sendable {
    /// Newest channel first.
    case chronological
    /// Newest last message first.
    case latestLastMessage
    /// By name, upper and lower case being equal.
    case channelNameAlphabetical
    /// By the metadata value under `metaDataOrderKeyFilter`.
    case channelMetaDataValueAlphabetical
}

/// A condition on the user's membership.
public enum MyMemberStateFilter: Int, Sendable {
    /// Joined or invited.
    case all
    /// Invited.
    case invitedOnly
    /// Joined.
    case joinedOnly
}

/// A condition on unread messages.
public enum UnreadChannelFilter: Int, Sendable {
    /// All channels.
    case all
    /// Channels with unread messages.
    case unreadMessage
}

/// A condition on the channel's being hidden.
public enum HiddenChannelFilter: Int, Sendable {
    /// No hidden channels.
    case unhiddenOnly
    /// Hidden channels only.
    case hiddenOnly
    /// Channels hidden until their next message.
    case hiddenAllowAutoUnhide
    /// Channels hidden until the user shows them again.
    case hiddenPreventAutoUnhide
    /// All channels, hidden or not.
    case all
}

/// A condition on the kind of channel.
public enum SuperChannelFilter: Int, Sendable {
    /// All kinds.
    case all
    /// Super channels.
    case superChannelOnly
    /// Channels that are not super channels.
    case nonsuperChannelOnly
    /// Broadcast channels.
    case broadcastChannelOnly
    /// Exclusive channels.
    case exclusiveChannelOnly
}

/// A condition on publicity.
public enum PublicGroupChannelFilter: Int, Sendable {
    /// Public and private channels.
    case all
    /// Public channels.
    case publicChannelOnly
    /// Private channels.
    case privateChannelOnly
}

/// The selection and order of a list of the user's channels.
///
/// An empty list of names, types or users excludes nothing.
public final class GroupChannelListQueryParams: NSObject {
    /// The order of the list.
    public var order = GroupChannelListOrder.latestLastMessage
    /// Whether channels without a last message are shown.
    public var includeEmptyChannel = false
    /// Without effect: members come with every channel.
    public var includeMemberList = true
    /// Without effect: metadata come with every channel.
    public var includeMetaData = true
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// The user's membership.
    public var myMemberStateFilter = MyMemberStateFilter.all
    /// The condition on unread messages.
    public var unreadChannelFilter = UnreadChannelFilter.all
    /// The hidden channels that are shown.
    public var hiddenChannelFilter = HiddenChannelFilter.unhiddenOnly
    /// The kind of channel.
    public var superChannelFilter = SuperChannelFilter.all
    /// The condition on publicity.
    public var publicChannelFilter = PublicGroupChannelFilter.all
    /// The custom types, any of which fits.
    public var customTypesFilter: [String] = []
    /// The beginning of the custom type.
    public var customTypeStartsWithFilter: String?
    /// A part of the channel's name, upper and lower case being equal.
    public var channelNameContainsFilter: String?
    /// The channels, any of which fits.
    public var channelURLsFilter: [String] = []
    /// The users who are all of the members, besides this user.
    public var userIdsExactFilter: [String] = []
    /// The users who are among the members.
    public var userIdsIncludeFilter: [String] = []
    /// A part of the nickname of at least one member.
    public var nicknameContainsFilter: String?
    /// The metadata key that a condition is on.
    public var metaDataKey: String?
    /// The values of that key, any of which fits.
    public var metaDataValues: [String] = []
    /// The beginning of the value of that key.
    public var metaDataValueStartsWith: String?
    /// The metadata key whose value orders the list with `.channelMetaDataValueAlphabetical`.
    public var metaDataOrderKeyFilter: String?

    public override init() {}
}

/// A query of the user's channels with a position for the next page.
public final class GroupChannelListQuery: NSObject {
    /// The order of the list.
    public let order: GroupChannelListOrder
    /// Whether channels without a last message are shown.
    public let includeEmptyChannel: Bool
    /// Without effect: members come with every channel.
    public let includeMemberList: Bool
    /// Without effect: metadata come with every channel.
    public let includeMetaData: Bool
    /// Whether frozen channels are shown.
    public let includeFrozenChannel: Bool
    /// The number of channels of a page, 1...100.
    public let limit: UInt
    let value: ChannelListQuery
    private let driver: ChannelListDriver

    init(_ params: GroupChannelListQueryParams) {
        order = params.order
        includeEmptyChannel = params.includeEmptyChannel
        includeMemberList = params.includeMemberList
        includeMetaData = params.includeMetaData
        includeFrozenChannel = params.includeFrozenChannel
        limit = params.limit
        value = params.value
        driver = ChannelListDriver(SendbirdChat.door, params.value) { _ in }
    }

    deinit {
        let driver = driver
        SendbirdChat.door.start { await driver.close() }
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { driver.view.hasMore }

    /// Loads the next channels: at first those of the cache, if it has any.
    public func loadNextPage(completionHandler: (([GroupChannel]?, SBError?) -> Void)? = nil) {
        let (door, callback) = (SendbirdChat.door, Callback.channels(completionHandler))
        // The query lives until the answer, even if the app releases it at once.
        door.start { [driver, kept = Carried(self)] in
            await driver.load { door.notify(callback, $0) }
            withExtendedLifetime(kept) {}
        }
    }
}

extension Callback where Value == Result<[RoostModel.GroupChannel], RoostError> {
    static func channels(_ handler: (([GroupChannel]?, SBError?) -> Void)?) -> Self {
        answer(handler) { channels in channels.map { GroupChannel($0) } }
    }
}

extension GroupChannelListQueryParams {
    var value: ChannelListQuery {
        var filter = ChannelFilter()
        filter.includesEmpty = includeEmptyChannel
        filter.includesFrozen = includeFrozenChannel
        filter.membership =
            switch myMemberStateFilter {
            case .all: nil
            case .invitedOnly: .invited
            case .joinedOnly: .joined
            }
        filter.isUnread = unreadChannelFilter == .unreadMessage
        filter.hidden =
            switch hiddenChannelFilter {
            case .unhiddenOnly: .none
            case .hiddenOnly: .only
            case .hiddenAllowAutoUnhide: .onlyUntilNextMessage
            case .hiddenPreventAutoUnhide: .onlyUntilShown
            case .all: .all
            }
        filter.kind =
            switch superChannelFilter {
            case .all: nil
            case .superChannelOnly: .super
            case .nonsuperChannelOnly: .nonSuper
            case .broadcastChannelOnly: .broadcast
            case .exclusiveChannelOnly: .exclusive
            }
        filter.isPublic =
            publicChannelFilter == .all ? nil : publicChannelFilter == .publicChannelOnly
        filter.customTypes = Set(customTypesFilter)
        filter.customTypePrefix = customTypeStartsWithFilter
        filter.name = channelNameContainsFilter.map { .contains($0) }
        filter.urls = Set(channelURLsFilter.map { ChannelURL($0) })
        if !userIdsExactFilter.isEmpty {
            filter.members = .exactly(Set(userIdsExactFilter.map { UserID($0) }))
        } else if !userIdsIncludeFilter.isEmpty {
            filter.members = .allOf(Set(userIdsIncludeFilter.map { UserID($0) }))
        }
        filter.memberNickname = nicknameContainsFilter.map { .contains($0) }
        if let metaDataKey {
            filter.metadata = ChannelFilter.Metadata(
                key: metaDataKey,
                value: metaDataValueStartsWith.map { .hasPrefix($0) }
                    ?? (metaDataValues.isEmpty ? .any : .oneOf(Set(metaDataValues))))
        }
        return ChannelListQuery(filter, order: channelOrder, pageSize: Int(clamping: limit))
    }

    private var channelOrder: ChannelOrder {
        switch order {
        case .chronological: .chronological
        case .latestLastMessage: .latestLastMessage
        case .channelNameAlphabetical: .name
        case .channelMetaDataValueAlphabetical:
            .metadataValue(key: metaDataOrderKeyFilter ?? metaDataKey ?? "")
        }
    }
}
