// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// The selection and order of a list of the user's channels.
///
/// Nil or an empty list of names, types or users excludes nothing. Of the conditions on nicknames,
/// on user IDs and on the values of a metadata key only one each can be set: two of a kind are
/// refused with the first page, and no collection is made of them.
public final class GroupChannelListQueryParams: NSObject, NSCopying, Codable {
    /// The order of the list.
    public var order = GroupChannelListOrder.chronological
    /// Whether channels without a last message are shown.
    public var includeEmptyChannel = true
    /// Without effect: members come with every channel.
    public var includeMemberList = true
    /// Without effect: metadata come with every channel.
    public var includeMetaData = true
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// Whether a channel needs all of `userIdsIncludeFilter` as members, or one of them.
    public var queryType = GroupChannelListQueryType.and
    /// The user's membership.
    public var myMemberStateFilter = MyMemberStateFilter.all
    /// The condition on unread messages.
    public var unreadChannelFilter = UnreadChannelFilter.all
    /// The hidden channels that are shown.
    public var channelHiddenStateFilter = ChannelHiddenStateFilter.unhiddenOnly
    /// The kind of channel.
    public var superChannelFilter = GroupChannelSuperChannelFilter.all
    /// The condition on publicity.
    public var publicChannelFilter = GroupChannelPublicChannelFilter.all
    /// The custom types, any of which fits.
    public var customTypesFilter: [String]?
    /// The beginning of the custom type.
    public var customTypeStartsWithFilter: String?
    /// A part of the channel's name, upper and lower case being equal.
    public var channelNameContainsFilter: String?
    /// The channels, any of which fits; while it names some, all other conditions are without
    /// effect.
    public var channelURLsFilter: [String]?
    /// The users who are all of the members, besides this user.
    public var userIdsExactFilter: [String]?
    /// The users who are among the members.
    public var userIdsIncludeFilter: [String]?
    /// A part of the nickname of at least one member.
    public var nicknameContainsFilter: String?
    /// The beginning of the nickname of at least one member.
    public var nicknameStartsWithFilter: String?
    /// The nickname of at least one member, upper and lower case being different.
    public var nicknameExactMatchFilter: String?
    /// The metadata key that a condition is on.
    public var metaDataKeyFilter: String?
    /// The values of that key, any of which fits.
    public var metaDataValuesFilter: [String]?
    /// The beginning of the value of that key.
    public var metaDataValueStartsWithFilter: String?
    /// The metadata key whose value orders the list with `.channelMetaDataValueAlphabetical`.
    public var metaDataOrderKeyFilter: String?
    /// The time before which channels were created, in milliseconds; nil for no condition.
    public var createdBefore: Int64?
    /// The time after which channels were created, in milliseconds; nil for no condition.
    public var createdAfter: Int64?
    /// Without effect: the server has no notification channels.
    public var includeChatNotification = false
    private var search: ChannelFilter.Search?

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (GroupChannelListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Sets the condition on metadata to a key with one of some values.
    public func setMetaDataFilter(_ key: String, values: [String]) {
        metaDataKeyFilter = key
        metaDataValuesFilter = values
        metaDataValueStartsWithFilter = nil
    }

    /// Sets the condition on metadata to a key with a value that begins so.
    public func setMetaDataFilter(_ key: String, valueStartsWith: String) {
        metaDataKeyFilter = key
        metaDataValuesFilter = nil
        metaDataValueStartsWithFilter = valueStartsWith
    }

    /// Sets the users of whom all or one are among the members.
    public func setUserIdsIncludeFilter(
        _ userIds: [String], queryType: GroupChannelListQueryType
    ) {
        userIdsIncludeFilter = userIds
        self.queryType = queryType
    }

    /// Sets the text to find in the channels' names or their members' nicknames.
    public func setSearchFilter(_ query: String, fields: GroupChannelListQuerySearchField) {
        search = ChannelFilter.Search(
            query, inChannelName: fields.contains(.channelName),
            inMemberNicknames: fields.contains(.memberNickname))
    }

    /// Returns parameters with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GroupChannelListQueryParams()
        copy.order = order
        copy.includeEmptyChannel = includeEmptyChannel
        copy.includeMemberList = includeMemberList
        copy.includeMetaData = includeMetaData
        copy.includeFrozenChannel = includeFrozenChannel
        copy.limit = limit
        copy.queryType = queryType
        copy.myMemberStateFilter = myMemberStateFilter
        copy.unreadChannelFilter = unreadChannelFilter
        copy.channelHiddenStateFilter = channelHiddenStateFilter
        copy.superChannelFilter = superChannelFilter
        copy.publicChannelFilter = publicChannelFilter
        copy.customTypesFilter = customTypesFilter
        copy.customTypeStartsWithFilter = customTypeStartsWithFilter
        copy.channelNameContainsFilter = channelNameContainsFilter
        copy.channelURLsFilter = channelURLsFilter
        copy.userIdsExactFilter = userIdsExactFilter
        copy.userIdsIncludeFilter = userIdsIncludeFilter
        copy.nicknameContainsFilter = nicknameContainsFilter
        copy.nicknameStartsWithFilter = nicknameStartsWithFilter
        copy.nicknameExactMatchFilter = nicknameExactMatchFilter
        copy.metaDataKeyFilter = metaDataKeyFilter
        copy.metaDataValuesFilter = metaDataValuesFilter
        copy.metaDataValueStartsWithFilter = metaDataValueStartsWithFilter
        copy.metaDataOrderKeyFilter = metaDataOrderKeyFilter
        copy.createdBefore = createdBefore
        copy.createdAfter = createdAfter
        copy.includeChatNotification = includeChatNotification
        copy.search = search
        return copy
    }
}

extension GroupChannelListQueryParams {
    /// The reason why the client cannot obey the parameters; nil if it can.
    var refusal: RoostError? {
        switch myMemberStateFilter {
        case .all, .invitedOnly, .joinedOnly: hasRivals ? .rivalFilters : nil
        case .invitedByFriend, .invitedByNonFriend: .notSupported("The client knows no friends.")
        }
    }

    /// Whether there are two conditions of a kind of which the client has one.
    private var hasRivals: Bool {
        // Names of channels leave all other conditions without effect.
        guard channelURLsFilter?.isEmpty ?? true else { return false }
        func isSet(_ values: [String]?) -> Bool { !(values?.isEmpty ?? true) }
        let nicknames = [
            nicknameContainsFilter, nicknameStartsWithFilter, nicknameExactMatchFilter,
        ]
        let hasValues = metaDataKeyFilter != nil && isSet(metaDataValuesFilter)
        return nicknames.compactMap { $0 }.count > 1
            || (isSet(userIdsExactFilter) && isSet(userIdsIncludeFilter))
            || (hasValues && metaDataValueStartsWithFilter != nil)
    }

    var value: ChannelListQuery {
        ChannelListQuery(filter, order: channelOrder, pageSize: Int(clamping: limit))
    }

    private var filter: ChannelFilter {
        // Names of channels cooperate with no other condition.
        if let urls = channelURLsFilter, !urls.isEmpty {
            return .only(Set(urls.map { ChannelURL($0) }))
        }
        var filter = ChannelFilter()
        filter.includesEmpty = includeEmptyChannel
        filter.includesFrozen = includeFrozenChannel
        filter.membership =
            switch myMemberStateFilter {
            case .invitedOnly: .invited
            case .joinedOnly: .joined
            case .all, .invitedByFriend, .invitedByNonFriend: nil
            }
        filter.isUnread = unreadChannelFilter == .unreadMessage
        filter.hidden = channelHiddenStateFilter.value
        filter.kind = superChannelFilter.value
        filter.isPublic = publicChannelFilter == .all ? nil : publicChannelFilter == .public
        filter.customTypes = Set(customTypesFilter ?? [])
        filter.customTypePrefix = customTypeStartsWithFilter
        filter.name = channelNameContainsFilter.map { .contains($0) }
        if let users = userIdsExactFilter, !users.isEmpty {
            filter.members = .exactly(Set(users.map { UserID($0) }))
        } else if let users = userIdsIncludeFilter, !users.isEmpty {
            let members = Set(users.map { UserID($0) })
            filter.members = queryType == .and ? .allOf(members) : .anyOf(members)
        }
        filter.memberNickname =
            nicknameContainsFilter.map { .contains($0) }
            ?? nicknameStartsWithFilter.map { .hasPrefix($0) }
            ?? nicknameExactMatchFilter.map { .equals($0) }
        filter.search = search
        filter.metadata = .condition(
            metaDataKeyFilter, values: metaDataValuesFilter,
            prefix: metaDataValueStartsWithFilter)
        filter.createdBefore = createdBefore.map { Timestamp(milliseconds: $0) }
        filter.createdAfter = createdAfter.map { Timestamp(milliseconds: $0) }
        return filter
    }

    private var channelOrder: ChannelOrder {
        switch order {
        case .chronological: .chronological
        case .latestLastMessage: .latestLastMessage
        case .channelNameAlphabetical: .name
        case .channelMetaDataValueAlphabetical:
            .metadataValue(key: metaDataOrderKeyFilter ?? metaDataKeyFilter ?? "")
        }
    }
}

extension RoostError {
    fileprivate static let rivalFilters = notSupported(
        "Of the filters for nicknames, for user IDs and for metadata values set only one each.")
}

extension ChannelFilter.Metadata {
    /// Returns the condition on a key; nil without one.
    static func condition(_ key: String?, values: [String]?, prefix: String?) -> Self? {
        guard let key else { return nil }
        let values = values ?? []
        return ChannelFilter.Metadata(
            key: key,
            value: prefix.map { .hasPrefix($0) }
                ?? (values.isEmpty ? .any : .oneOf(Set(values))))
    }
}
