// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// By what a list of channels is sorted.
public enum GroupChannelListOrder: Int, Sendable {
    /// Newest channel first.
    case chronological
    /// Newest last message first.
    case latestLastMessage
    case channelNameAlphabetical
    case channelMetaDataValueAlphabetical
}

public enum MyMemberStateFilter: Int, Sendable {
    case all
    case invitedOnly
    case joinedOnly
}

public enum UnreadChannelFilter: Int, Sendable {
    case all
    case unreadMessage
}

public enum HiddenChannelFilter: Int, Sendable {
    case unhiddenOnly
    case hiddenOnly
    case hiddenAllowAutoUnhide
    case hiddenPreventAutoUnhide
    case all
}

public enum SuperChannelFilter: Int, Sendable {
    case all
    case superChannelOnly
    case nonsuperChannelOnly
    case broadcastChannelOnly
    case exclusiveChannelOnly
}

public enum PublicGroupChannelFilter: Int, Sendable {
    case all
    case publicChannelOnly
    case privateChannelOnly
}

/// Which of the user's channels a list shows, and in which order.
public final class GroupChannelListQueryParams: NSObject {
    public var order = GroupChannelListOrder.latestLastMessage
    public var includeEmptyChannel = false
    /// Members come with every channel, whatever this says.
    public var includeMemberList = true
    /// Metadata come with every channel, whatever this says.
    public var includeMetaData = true
    public var includeFrozenChannel = true
    /// Channels a page, 100 at most.
    public var limit: UInt = 20
    public var myMemberStateFilter = MyMemberStateFilter.all
    public var unreadChannelFilter = UnreadChannelFilter.all
    public var hiddenChannelFilter = HiddenChannelFilter.unhiddenOnly
    public var superChannelFilter = SuperChannelFilter.all
    public var publicChannelFilter = PublicGroupChannelFilter.all
    public var customTypesFilter: [String] = []
    public var customTypeStartsWithFilter: String?
    public var channelNameContainsFilter: String?
    public var channelURLsFilter: [String] = []
    public var userIdsExactFilter: [String] = []
    public var userIdsIncludeFilter: [String] = []
    public var nicknameContainsFilter: String?
    public var metaDataKey: String?
    public var metaDataValues: [String] = []
    public var metaDataValueStartsWith: String?
    /// The key whose value sorts the list with `.channelMetaDataValueAlphabetical`.
    public var metaDataOrderKeyFilter: String?

    public override init() {}
}

/// A question about the user's channels, and where its answer goes on.
public final class GroupChannelListQuery: NSObject {
    public let order: GroupChannelListOrder
    public let includeEmptyChannel: Bool
    public let includeMemberList: Bool
    public let includeMetaData: Bool
    public let includeFrozenChannel: Bool
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

    public var hasNext: Bool { driver.view.hasMore }

    /// The next channels: at first what the cache has, if it has anything.
    public func loadNextPage(completionHandler: (([GroupChannel]?, SBError?) -> Void)? = nil) {
        let (door, callback) = (SendbirdChat.door, Callback.channels(completionHandler))
        // The query lives until it has answered, though the app may let go of it at once.
        door.start { [driver, kept = Carried(self)] in
            await driver.load { door.tell(callback, $0) }
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
