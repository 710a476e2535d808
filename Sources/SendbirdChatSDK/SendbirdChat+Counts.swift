// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// A selection of channels whose unread messages are counted.
public final class GroupChannelTotalUnreadMessageCountParams: NSObject, NSCopying {
    /// The kind of channel; the server counts for `.all` only.
    public var superChannelFilter = GroupChannelSuperChannelFilter.all
    /// The custom types, any of which fits; nil for all channels.
    public var channelCustomTypesFilter: [String]?

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        GroupChannelTotalUnreadMessageCountParams().taking(
            \.superChannelFilter, \.channelCustomTypesFilter, from: self)
    }
}

/// A selection of channels of which those with unread messages are counted.
public final class GroupChannelTotalUnreadChannelCountParams: NSObject, NSCopying {
    /// The kind of channel; the server counts for `.all` only.
    public var superChannelFilter = GroupChannelSuperChannelFilter.all
    /// The custom types, any of which fits; nil for all channels.
    public var channelCustomTypesFilter: [String]?

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        GroupChannelTotalUnreadChannelCountParams().taking(
            \.superChannelFilter, \.channelCustomTypesFilter, from: self)
    }
}

/// A selection of the channels of a change log.
public final class GroupChannelChangeLogsParams: NSObject, NSCopying {
    /// The custom types, any of which fits; empty for all channels.
    public var customTypes: [String] = []
    /// Whether channels without a last message are included; the change log has them in any case.
    public var includeEmptyChannel = true
    /// Whether frozen channels are included; the change log has them in any case.
    public var includeFrozenChannel = true

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        GroupChannelChangeLogsParams().taking(
            \.customTypes, \.includeEmptyChannel, \.includeFrozenChannel, from: self)
    }

    /// Returns the selection of a query.
    public class func create(query: GroupChannelListQuery) -> GroupChannelChangeLogsParams {
        let params = GroupChannelChangeLogsParams()
        params.customTypes = query.params.customTypesFilter ?? []
        params.includeEmptyChannel = query.params.includeEmptyChannel
        params.includeFrozenChannel = query.params.includeFrozenChannel
        return params
    }
}

/// A condition on the user's membership.
public enum MemberStateFilter: Int, Sendable {
    /// Joined or invited.
    case all
    /// Joined.
    case joinedOnly
    /// Invited.
    case invitedOnly
    /// Invited by a friend; refused, as the client knows no friends.
    case invitedByFriend
    /// Invited by a user who is no friend; refused, as the client knows no friends.
    case invitedByNonFriend

    /// Returns the membership; nil for any.
    var membership: MembershipState? {
        get throws(RoostError) {
            switch self {
            case .all: nil
            case .joinedOnly: .joined
            case .invitedOnly: .invited
            case .invitedByFriend, .invitedByNonFriend:
                throw .notSupported("The client knows no friends.")
            }
        }
    }
}

extension SendbirdChat {
    // MARK: Unread messages

    /// Returns the number of the current user's unread messages.
    public class func getTotalUnreadMessageCount(
        completionHandler: @escaping (UInt, SBError?) -> Void
    ) { count(\.messages, .all, nil, completionHandler) }

    /// Returns the number of the current user's unread messages in a selection of channels.
    public class func getTotalUnreadMessageCount(
        params: GroupChannelTotalUnreadMessageCountParams,
        completionHandler: @escaping (UInt, SBError?) -> Void
    ) {
        count(
            \.messages, params.superChannelFilter, params.channelCustomTypesFilter,
            completionHandler)
    }

    /// Returns the number of channels with unread messages.
    public class func getTotalUnreadChannelCount(
        completionHandler: @escaping (UInt, SBError?) -> Void
    ) { count(\.channels, .all, nil, completionHandler) }

    /// Returns the number of channels with unread messages in a selection of channels.
    public class func getTotalUnreadChannelCount(
        params: GroupChannelTotalUnreadChannelCountParams,
        completionHandler: @escaping (UInt, SBError?) -> Void
    ) {
        count(
            \.channels, params.superChannelFilter, params.channelCustomTypesFilter,
            completionHandler)
    }

    private class func count(
        _ number: @escaping @Sendable (UnreadTotals) -> Int,
        _ kind: GroupChannelSuperChannelFilter, _ customTypes: [String]?,
        _ handler: ((UInt, SBError?) -> Void)?
    ) {
        let types = Set(customTypes ?? [])
        door.perform(then: .count(handler)) { client throws(RoostError) in
            guard kind == .all else {
                throw .notSupported("The server counts for all kinds of channels together.")
            }
            return number(try await client.fetchUnreadTotals(customTypes: types))
        }
    }

    /// Returns the number of unread messages as the server last reported it; 0 before a report.
    public class func getSubscribedTotalUnreadMessageCount() -> Int { door.report.unreadTotal }

    /// Returns the number of the current user's channels.
    public class func getGroupChannelCount(
        memberStateFilter: MemberStateFilter,
        completionHandler: @escaping (UInt, SBError?) -> Void
    ) {
        door.perform(then: .count(completionHandler)) { client throws(RoostError) in
            try await client.channelCount(try memberStateFilter.membership)
        }
    }

    // MARK: Marks

    /// Marks all messages of some channels as read.
    public class func markAsRead(
        channelURLs: [String], completionHandler: SBErrorHandler? = nil
    ) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.markAllAsRead(channelURLs.map { ChannelURL($0) })
        }
    }

    /// Marks all messages of all channels as read.
    public class func markAsReadAll(completionHandler: SBErrorHandler? = nil) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.markAllAsRead()
        }
    }

    // MARK: The change log of channels

    /// Fetches the changes of the user's channels since the token of an earlier page; nil starts at
    /// the very beginning.
    ///
    /// The handler gets the changed channels, the URLs of deleted ones, whether another page
    /// follows, and its token.
    public class func getMyGroupChannelChangeLogs(
        token: String?, params: GroupChannelChangeLogsParams = GroupChannelChangeLogsParams(),
        completionHandler: (([GroupChannel]?, [String]?, Bool, String?, SBError?) -> Void)?
    ) { changes(ChangeLogStart(token: token), params, completionHandler) }

    /// Fetches the changes of the user's channels since a time of the server's clock, in
    /// milliseconds.
    ///
    /// The handler gets the changed channels, the URLs of deleted ones, whether another page
    /// follows, and its token.
    public class func getMyGroupChannelChangeLogs(
        timestamp: Int64,
        params: GroupChannelChangeLogsParams = GroupChannelChangeLogsParams(),
        completionHandler: (([GroupChannel]?, [String]?, Bool, String?, SBError?) -> Void)?
    ) { changes(.moment(Timestamp(milliseconds: timestamp)), params, completionHandler) }

    private class func changes(
        _ start: ChangeLogStart, _ params: GroupChannelChangeLogsParams,
        _ handler: (([GroupChannel]?, [String]?, Bool, String?, SBError?) -> Void)?
    ) {
        let types = params.customTypes.isEmpty ? nil : params.customTypes
        let question = ChannelQuestion(door)
        door.perform(
            then: .changes(
                handler, { GroupChannel($0, answering: question) },
                { (url: ChannelURL) in url.rawValue },
                orElse: { SBError($0) })
        ) { client throws(RoostError) in
            try await client.fetchChannelChanges(since: start, customTypes: types)
        }
    }

    // MARK: Reports

    /// Returns the categories of reports; they are the client's, and the server is not asked.
    public class func getReportCategoryInfoList(
        completionHandler: ReportCategoryInfoListHandler? = nil
    ) {
        door.notify(
            .answer(completionHandler) { (categories: [ReportCategory]) in
                categories.map { ReportCategoryInfo($0) }
            }, .success(ReportCategory.allCases))
    }
}
