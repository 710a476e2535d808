// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The properties of the current user to be changed; nil leaves a property as it is.
public final class UserUpdateParams: NSObject, NSCopying {
    /// The new name to show.
    public var nickname: String?
    /// The new address of the picture.
    public var profileImageURL: String?
    /// The bytes of a new picture, which the server keeps; preferred to `profileImageURL`.
    public var profileImageData: Data?

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        UserUpdateParams().taking(\.nickname, \.profileImageURL, \.profileImageData, from: self)
    }

    var value: ProfileUpdateParams {
        var value = ProfileUpdateParams()
        value.nickname = nickname
        value.pictureURL = profileImageData == nil ? profileImageURL : nil
        value.picture = profileImageData.map { Array($0) }
        return value
    }
}

extension SendbirdChat {
    // MARK: The profile

    /// Changes the profile of the current user.
    ///
    /// - Parameters:
    ///   - params: The changes.
    ///   - progressHandler: The handler of the progress of a picture; called once, at its end,
    ///     because the picture is one request.
    ///   - completionHandler: The handler of the outcome.
    public class func updateCurrentUserInfo(
        params: UserUpdateParams, progressHandler: ProgressHandler? = nil,
        completionHandler: SBErrorHandler? = nil
    ) {
        let size = Int64(params.profileImageData?.count ?? 0)
        update(params.value) { error in
            if error == nil, size > 0 { progressHandler?(size, size, size) }
            completionHandler?(error)
        }
    }

    /// Changes the languages that the current user prefers, best first.
    public class func updateCurrentUserInfo(
        preferredLanguages: [String], completionHandler: SBErrorHandler? = nil
    ) {
        var params = ProfileUpdateParams()
        params.preferredLanguages = preferredLanguages
        update(params, completionHandler)
    }

    private class func update(_ params: ProfileUpdateParams, _ handler: SBErrorHandler?) {
        door.perform(then: .done(handler)) { client throws(RoostError) in
            door.update(try await client.updateProfile(params))
        }
    }

    // MARK: Blocking

    /// Blocks a user; the handler gets the blocked user.
    public class func blockUser(
        _ user: User, completionHandler: ((User?, SBError?) -> Void)? = nil
    ) {
        let value = user.value
        door.perform(then: .answer(completionHandler) { User($0) }) { client throws(RoostError) in
            try await client.block(value.id)
            return value
        }
    }

    /// Blocks a user; the handler gets the blocked user, as far as the server sends it.
    public class func blockUserId(
        _ userId: String, completionHandler: ((User?, SBError?) -> Void)? = nil
    ) {
        let id = UserID(userId)
        door.perform(then: .answer(completionHandler) { User($0) }) { client throws(RoostError) in
            try await client.block(id)
            var query = UserQuery()
            query.ids = [id]
            // The user is blocked, whether the profile can be fetched or not.
            let found = try? await client.users(query)
            return found?.elements.first ?? RoostModel.User(id: id)
        }
    }

    /// Ends the block of a user.
    public class func unblockUser(_ user: User, completionHandler: SBErrorHandler? = nil) {
        unblockUserId(user.userId, completionHandler: completionHandler)
    }

    /// Ends the block of a user.
    public class func unblockUserId(
        _ userId: String, completionHandler: SBErrorHandler? = nil
    ) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.unblock(UserID(userId))
        }
    }

    // MARK: Invitations

    /// Sets whether the current user joins at once when invited.
    public class func setChannelInvitationPreference(
        autoAccept: Bool, completionHandler: SBErrorHandler? = nil
    ) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.setAcceptsInvitations(autoAccept)
        }
    }

    /// Returns whether the current user joins at once when invited; false beside an error.
    public class func getChannelInvitationPreferenceAutoAccept(
        completionHandler: ((Bool, SBError?) -> Void)? = nil
    ) {
        door.perform(
            then: .answer(completionHandler.map { handler in { handler($0 ?? false, $1) } }) { $0 }
        ) { client throws(RoostError) in try await client.acceptsInvitations() }
    }
}
