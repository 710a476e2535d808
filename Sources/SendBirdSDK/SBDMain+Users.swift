// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

extension SBDMain {
    // MARK: The current user

    /// Changes the current user's nickname and the address of the picture; nil leaves either alone.
    public class func updateCurrentUserInfo(
        withNickname nickname: String?, profileUrl: String?,
        completionHandler: SBDErrorHandler? = nil
    ) {
        var params = ProfileUpdateParams()
        params.nickname = nickname
        params.pictureURL = profileUrl
        update(params, completionHandler)
    }

    /// Changes the current user's nickname and uploads a picture; nil leaves either alone.
    public class func updateCurrentUserInfo(
        withNickname nickname: String?, profileImage: Data?,
        completionHandler: SBDErrorHandler? = nil
    ) {
        var params = ProfileUpdateParams()
        params.nickname = nickname
        params.picture = profileImage.map { Array($0) }
        update(params, completionHandler)
    }

    /// Changes the current user's languages, the preferred one first.
    public class func updateCurrentUserInfo(
        withPreferredLanguages preferredLanguages: [String],
        completionHandler: SBDErrorHandler? = nil
    ) {
        var params = ProfileUpdateParams()
        params.preferredLanguages = preferredLanguages
        update(params, completionHandler)
    }

    private class func update(_ params: ProfileUpdateParams, _ handler: SBDErrorHandler?) {
        let door = door
        door.perform(then: .done(handler)) { client throws(RoostError) in
            door.update(try await client.updateProfile(params))
        }
    }

    // MARK: Other users

    /// Returns a query of the application's users.
    public class func createApplicationUserListQuery() -> SBDApplicationUserListQuery? {
        SBDApplicationUserListQuery()
    }

    /// Returns a query of the users whom the current user has blocked.
    public class func createBlockedUserListQuery() -> SBDUserListQuery? {
        SBDUserListQuery(.blocked)
    }

    /// Blocks a user, who can then neither invite the user nor write to them in a channel of two.
    ///
    /// The handler gets the user as passed.
    public class func blockUser(
        _ user: SBDUser, completionHandler: ((SBDUser?, SBDError?) -> Void)? = nil
    ) {
        let (value, id) = (user.value, user.value.id)
        door.perform(then: .answer(completionHandler) { (_: Void) in SBDUser(value) }) {
            client throws(RoostError) in
            try await client.block(id)
        }
    }

    /// Blocks a user, and calls back with the user as the server has them.
    public class func blockUserId(
        _ userId: String, completionHandler: ((SBDUser?, SBDError?) -> Void)? = nil
    ) {
        let id = UserID(userId)
        door.perform(then: .answer(completionHandler) { SBDUser($0) }) {
            client throws(RoostError) in
            try await client.block(id)
            var query = UserQuery()
            query.ids = [id]
            // The block is made, whether or not the look-up succeeds.
            return (try? await client.users(query))?.elements.first ?? User(id: id)
        }
    }

    /// Ends the block of a user.
    public class func unblockUser(_ user: SBDUser, completionHandler: SBDErrorHandler? = nil) {
        unblockUserId(user.userId, completionHandler: completionHandler)
    }

    /// Ends the block of a user.
    public class func unblockUserId(_ userId: String, completionHandler: SBDErrorHandler? = nil) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.unblock(UserID(userId))
        }
    }

    // MARK: Unread messages

    /// Fetches the number of the user's unread messages in all channels.
    public class func getTotalUnreadMessageCount(
        completionHandler: ((UInt, SBDError?) -> Void)? = nil
    ) {
        totals(completionHandler) { $0.messages }
    }

    /// Fetches the number of the user's channels with unread messages.
    public class func getTotalUnreadChannelCount(
        completionHandler: ((UInt, SBDError?) -> Void)? = nil
    ) {
        totals(completionHandler) { $0.channels }
    }

    private class func totals(
        _ handler: ((UInt, SBDError?) -> Void)?, _ count: @escaping (UnreadTotals) -> Int
    ) {
        let callback = Callback<Result<UnreadTotals, RoostError>>(
            handler.map { handler in
                { result in
                    switch result {
                    case .success(let totals): handler(UInt(clamping: count(totals)), nil)
                    case .failure(let error): handler(0, SBDError(error))
                    }
                }
            })
        door.perform(then: callback) { client throws(RoostError) in
            try await client.fetchUnreadTotals()
        }
    }

    /// Fetches the numbers that a key names.
    ///
    /// The client counts all channels together: keys of super channels, or of others alone, are
    /// answered with an error.
    public class func getUnreadItemCount(
        withKey key: SBDUnreadItemKey,
        completionHandler: ((SBDUnreadItemCount?, SBDError?) -> Void)?
    ) {
        let callback = Callback.answer(completionHandler) { (totals: UnreadTotals) in
            SBDUnreadItemCount(totals, key)
        }
        door.perform(then: callback) { client throws(RoostError) in
            guard key.isSubset(of: .allGroupChannels) else {
                throw .missing("unread items of super channels, or of others alone")
            }
            return try await client.fetchUnreadTotals()
        }
    }
}

/// The kinds of unread items.
public struct SBDUnreadItemKey: OptionSet, Sendable {
    /// The bits of the kinds.
    public let rawValue: UInt

    /// Creates a set of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Unread messages of all group channels.
    public static let groupChannelUnreadMessageCount = Self(rawValue: 1)
    /// Unread mentions in all group channels.
    public static let groupChannelUnreadMentionCount = Self(rawValue: 2)
    /// Invitations to all group channels.
    public static let groupChannelInvitationCount = Self(rawValue: 4)
    /// Unread messages of channels that are not super channels; refused.
    public static let nonSuperUnreadMessageCount = Self(rawValue: 8)
    /// Unread messages of super channels; refused.
    public static let superUnreadMessageCount = Self(rawValue: 16)
    /// Unread mentions in channels that are not super channels; refused.
    public static let nonSuperUnreadMentionCount = Self(rawValue: 32)
    /// Unread mentions in super channels; refused.
    public static let superUnreadMentionCount = Self(rawValue: 64)
    /// Invitations to channels that are not super channels; refused.
    public static let nonSuperInvitationCount = Self(rawValue: 128)
    /// Invitations to super channels; refused.
    public static let superInvitationCount = Self(rawValue: 256)

    static let allGroupChannels: Self = [
        .groupChannelUnreadMessageCount, .groupChannelUnreadMentionCount,
        .groupChannelInvitationCount,
    ]
}

/// Numbers of unread items; `NSNotFound` for those that were not asked for.
public final class SBDUnreadItemCount: NSObject {
    /// The unread messages of all group channels.
    public let groupChannelUnreadMessageCount: UInt
    /// The unread mentions in all group channels.
    public let groupChannelUnreadMentionCount: UInt
    /// The invitations to all group channels.
    public let groupChannelInvitationCount: UInt

    init(_ totals: UnreadTotals, _ key: SBDUnreadItemKey) {
        func count(_ number: Int, _ kind: SBDUnreadItemKey) -> UInt {
            UInt(clamping: key.contains(kind) ? number : NSNotFound)
        }
        groupChannelUnreadMessageCount = count(totals.messages, .groupChannelUnreadMessageCount)
        groupChannelUnreadMentionCount = count(totals.mentions, .groupChannelUnreadMentionCount)
        groupChannelInvitationCount = count(totals.invitations, .groupChannelInvitationCount)
    }
}
