// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// Operators and moderators only; each call needs a connection.

extension BaseChannel {
    /// Returns the duration of a restriction; nil for no end.
    private static func duration(_ seconds: Int) -> Duration? {
        // The old library takes 0 for ten years, and -1 for ever.
        let tenYears = 315_360_000
        return seconds < 0 ? nil : .seconds(seconds == 0 ? tenYears : seconds)
    }

    // MARK: Mutes

    /// Mutes a member, who may not write until the mute ends.
    ///
    /// - Parameters:
    ///   - user: The member.
    ///   - seconds: The duration; -1 for no end, 0 for ten years.
    ///   - description: The reason, which the server keeps.
    ///   - completionHandler: The handler of the outcome.
    public func muteUser(
        _ user: User, seconds: Int, description: String?,
        completionHandler: SBErrorHandler? = nil
    ) {
        muteUser(
            userId: user.userId, seconds: seconds, description: description,
            completionHandler: completionHandler)
    }

    /// Mutes a member, who may not write until the mute ends.
    ///
    /// - Parameters:
    ///   - userId: The member.
    ///   - seconds: The duration; -1 for no end, 0 for ten years.
    ///   - description: The reason, which the server keeps.
    ///   - completionHandler: The handler of the outcome.
    public func muteUser(
        userId: String, seconds: Int, description: String?,
        completionHandler: SBErrorHandler? = nil
    ) {
        let duration = Self.duration(seconds)
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.mute(
                UserID(userId), in: channel, for: duration, reason: description ?? "")
        }
    }

    /// Ends the mute of a member.
    public func unmuteUser(_ user: User, completionHandler: SBErrorHandler? = nil) {
        unmuteUser(userId: user.userId, completionHandler: completionHandler)
    }

    /// Ends the mute of a member.
    public func unmuteUser(userId: String, completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.unmute(UserID(userId), in: channel)
        }
    }

    /// Fetches whether the current user is muted: the reason, start and end in milliseconds, and
    /// what is left of the mute in milliseconds; -1 for an end or a rest without limit.
    public func getMyMutedInfo(
        completionHandler: ((Bool, String, Int64, Int64, Int64, SBError?) -> Void)? = nil
    ) {
        let answer = { (mute: MuteInfo?, error: SBError?) in
            let isMuted = mute?.isMuted ?? false
            let open: Int64 = isMuted ? -1 : 0
            let rest = mute?.remaining?.wholeMilliseconds
            completionHandler?(
                isMuted, mute?.reason ?? "", mute?.start?.milliseconds ?? 0,
                mute?.end?.milliseconds ?? open, rest ?? open, error)
        }
        askEither(.answer(answer) { $0 }) { client, channel throws(RoostError) in
            try await client.muteInfo(in: channel)
        }
    }

    // MARK: Bans

    /// Bans a user, who may not be in the channel until the ban ends.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - seconds: The duration; -1 for no end, 0 for ten years.
    ///   - description: The reason, which the server keeps.
    ///   - completionHandler: The handler of the outcome.
    public func banUser(
        _ user: User, seconds: Int, description: String?,
        completionHandler: SBErrorHandler? = nil
    ) {
        banUser(
            userId: user.userId, seconds: seconds, description: description,
            completionHandler: completionHandler)
    }

    /// Bans a user, who may not be in the channel until the ban ends.
    ///
    /// - Parameters:
    ///   - userId: The user.
    ///   - seconds: The duration; -1 for no end, 0 for ten years.
    ///   - description: The reason, which the server keeps.
    ///   - completionHandler: The handler of the outcome.
    public func banUser(
        userId: String, seconds: Int, description: String?,
        completionHandler: SBErrorHandler? = nil
    ) {
        let duration = Self.duration(seconds)
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.ban(
                UserID(userId), from: channel, for: duration, reason: description ?? "")
        }
    }

    /// Ends the ban of a user.
    public func unbanUser(_ user: User, completionHandler: SBErrorHandler? = nil) {
        unbanUser(userId: user.userId, completionHandler: completionHandler)
    }

    /// Ends the ban of a user.
    public func unbanUser(userId: String, completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.unban(UserID(userId), from: channel)
        }
    }

    // MARK: Operators

    /// Makes members operators.
    public func addOperators(userIds: [String], completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.addOperators(userIds.map { UserID($0) }, to: channel)
        }
    }

    /// Makes operators ordinary members.
    public func removeOperators(userIds: [String], completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.removeOperators(userIds.map { UserID($0) }, from: channel)
        }
    }

    /// Makes all operators ordinary members.
    public func removeAllOperators(completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.removeAllOperators(from: channel)
        }
    }
}
