// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension SBDBaseChannel {
    /// Calls the client for this channel; an open channel is answered with an error.
    func perform<Value: Sendable>(
        then callback: Callback<Result<Value, RoostError>>,
        _ work: @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError) -> Value
    ) {
        let url = value.url
        guard isGroupChannel() else {
            return SBDMain.door.notify(callback, .failure(.openChannel))
        }
        SBDMain.door.perform(on: [url], then: callback) { client throws(RoostError) in
            try await work(client, url)
        }
    }

    func act(
        _ handler: SBDErrorHandler?,
        _ work: @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError) -> Void
    ) {
        perform(then: .done(handler), work)
    }

    /// Calls the client for this channel of either kind.
    func performEither<Value: Sendable>(
        then callback: Callback<Result<Value, RoostError>>,
        _ work: @escaping @Sendable (ChatClient, ChannelAddress) async throws(RoostError) -> Value
    ) {
        let address = address
        // Only group channels are cached.
        let shown = address.isOpen ? [] : [address.url]
        SBDMain.door.perform(on: shown, then: callback) { client throws(RoostError) in
            try await work(client, address)
        }
    }

    private func actEither(
        _ handler: SBDErrorHandler?,
        _ work: @escaping @Sendable (ChatClient, ChannelAddress) async throws(RoostError) -> Void
    ) {
        performEither(then: .done(handler), work)
    }

    var address: ChannelAddress {
        ChannelAddress(value.url, isOpen: isOpenChannel())
    }

    // MARK: Moderation; each call needs the rights of an operator

    /// Bans a user from the channel for a number of seconds; 0 and less for good.
    public func banUser(
        withUserId userId: String, seconds: Int32, completionHandler: SBDErrorHandler? = nil
    ) {
        banUser(
            withUserId: userId, seconds: seconds, description: nil,
            completionHandler: completionHandler)
    }

    /// Bans a user from the channel for a number of seconds and a reason; 0 and less for good.
    public func banUser(
        withUserId userId: String, seconds: Int32, description: String?,
        completionHandler: SBDErrorHandler? = nil
    ) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.ban(
                UserID(userId), from: channel, for: seconds > 0 ? .seconds(seconds) : nil,
                reason: description ?? "")
        }
    }

    /// Ends the ban of a user, who may then join again.
    public func unbanUser(_ user: SBDUser, completionHandler: SBDErrorHandler? = nil) {
        unbanUser(withUserId: user.userId, completionHandler: completionHandler)
    }

    /// Ends the ban of a user, who may then join again.
    public func unbanUser(withUserId userId: String, completionHandler: SBDErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.unban(UserID(userId), from: channel)
        }
    }

    /// Mutes a user in the channel for good.
    public func muteUser(withUserId userId: String, completionHandler: SBDErrorHandler? = nil) {
        muteUser(
            withUserId: userId, seconds: 0, description: nil, completionHandler: completionHandler)
    }

    /// Mutes a user in the channel for a number of seconds and a reason; 0 and less for good.
    public func muteUser(
        withUserId userId: String, seconds: Int32, description: String?,
        completionHandler: SBDErrorHandler? = nil
    ) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.mute(
                UserID(userId), in: channel, for: seconds > 0 ? .seconds(seconds) : nil,
                reason: description ?? "")
        }
    }

    /// Ends the mute of a user.
    public func unmuteUser(_ user: SBDUser, completionHandler: SBDErrorHandler? = nil) {
        unmuteUser(withUserId: user.userId, completionHandler: completionHandler)
    }

    /// Ends the mute of a user.
    public func unmuteUser(withUserId userId: String, completionHandler: SBDErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.unmute(UserID(userId), in: channel)
        }
    }

    /// The handler of a user's own mute.
    ///
    /// Times are in milliseconds, -1 for a mute without an end.
    public typealias MutedInfoHandler = (
        _ isMuted: Bool, _ description: String?, _ startAt: Int64, _ endAt: Int64,
        _ remainingDuration: Int64, _ error: SBDError?
    ) -> Void

    /// Fetches whether the current user is muted in the channel, why and how long.
    public func getMyMutedInfo(completionHandler: MutedInfoHandler?) {
        let callback = Callback<Result<MuteInfo, RoostError>>(
            completionHandler.map { handler in
                { result in
                    switch result {
                    case .success(let info):
                        handler(
                            info.isMuted, info.reason, info.start?.milliseconds ?? -1,
                            info.end?.milliseconds ?? -1,
                            info.remaining?.wholeMilliseconds ?? -1, nil)
                    case .failure(let error): handler(false, nil, -1, -1, -1, SBDError(error))
                    }
                }
            })
        performEither(then: callback) { client, channel throws(RoostError) in
            try await client.muteInfo(in: channel)
        }
    }

    /// Makes users operators of the channel.
    public func addOperators(
        withUserIds userIds: [String], completionHandler: SBDErrorHandler? = nil
    ) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.addOperators(userIds.map { UserID($0) }, to: channel)
        }
    }

    /// Makes operators of the channel ordinary members.
    public func removeOperators(
        withUserIds userIds: [String], completionHandler: SBDErrorHandler? = nil
    ) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.removeOperators(userIds.map { UserID($0) }, from: channel)
        }
    }

    /// Makes all operators of the channel ordinary members.
    public func removeAllOperators(completionHandler: SBDErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.removeAllOperators(from: channel)
        }
    }

    // MARK: Queries

    /// Returns a query of the users who are muted in the channel.
    public func createMutedUserListQuery() -> SBDUserListQuery? {
        SBDUserListQuery(.muted(address))
    }
    /// Returns a query of the users who are banned from the channel.
    public func createBannedUserListQuery() -> SBDUserListQuery? {
        SBDUserListQuery(.banned(address))
    }
    /// Returns a query of the channel's operators.
    public func createOperatorListQuery() -> SBDUserListQuery? {
        SBDUserListQuery(.operators(address))
    }
}

extension RoostError {
    /// The answer to a call on an open channel that the client has for group channels only.
    static let openChannel = RoostError(
        .featureUnavailable, remedy: .none,
        message: "The client has no such call for open channels.")

    /// The answer to an edit whose parameters have meta arrays.
    static let editOfMetaArrays = RoostError(
        .invalidParameter, remedy: .correctInput,
        message: "An edit does not change meta arrays: leave them out of the parameters.")

    /// The answer to a call that the client does not have.
    static func missing(_ subject: String) -> RoostError {
        RoostError(
            .featureUnavailable, remedy: .none, message: "The client has no call for \(subject).")
    }
}
