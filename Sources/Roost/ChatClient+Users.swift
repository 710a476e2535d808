// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Each call needs a connection, and throws `.connectionRequired` without one.

extension ChatClient {
    // MARK: The user

    /// Changes the user's own profile; nil leaves a property as it is.
    ///
    /// At the return the cache has the new profile, and open collections show it.
    ///
    /// - Returns: The user as changed.
    /// - Throws: `.connectionRequired`, a failed upload of the picture, or the server's refusal.
    @discardableResult
    public func updateProfile(_ params: ProfileUpdateParams) async throws(RoostError) -> User {
        var address = params.pictureURL
        if let picture = params.picture { address = try await uploadPicture(picture) }
        let user = try await ask(
            UpdateProfile(
                userID: configuration.userID, nickname: params.nickname, profileURL: address,
                preferredLanguages: params.preferredLanguages))
        guard user.id == configuration.userID else { throw .unfitAnswer }
        try await note(
            .fields(
                nickname: params.nickname.map { _ in user.nickname },
                pictureURL: address.map { _ in user.profileURL },
                languages: params.preferredLanguages.map { _ in user.details.preferredLanguages }))
        return user
    }

    /// Uploads a picture, for a profile or for the cover of a channel.
    ///
    /// - Parameters:
    ///   - bytes: The picture.
    ///   - type: The media type.
    /// - Returns: The address of the picture, for `ProfileUpdateParams.pictureURL`,
    ///   `ChannelCreateParams.coverURL` and `ChannelUpdateParams.coverURL`.
    /// - Throws: `.connectionRequired`; `.fileTooLarge` beyond the server's limit; a network error.
    public func uploadPicture(
        _ bytes: [UInt8], type: String = "image/jpeg"
    ) async throws(RoostError) -> String {
        let file = OutgoingFile(.bytes(bytes), name: "picture", type: type)
        return try await uploaded(file, for: nil).url ?? ""
    }

    /// Adds texts to the user's own metadata.
    ///
    /// At the return `me` and the cache have them; so it is with the next two calls.
    ///
    /// - Returns: The added entries.
    /// - Throws: `.connectionRequired`; the server's refusal if one of the keys exists.
    @discardableResult
    public func createUserMetadata(
        _ metadata: [String: String]
    ) async throws(RoostError) -> [String: String] {
        let added = try await ask(
            WriteOwnMetadata(userID: configuration.userID, metadata: metadata, .create))
        try await note(.metadata(added))
        return added
    }

    /// Changes texts of the user's own metadata.
    ///
    /// - Parameters:
    ///   - metadata: The new texts.
    ///   - addsMissing: Whether unknown keys are added; otherwise they are left out.
    /// - Returns: The changed entries.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func updateUserMetadata(
        _ metadata: [String: String], addsMissing: Bool = false
    ) async throws(RoostError) -> [String: String] {
        let changed = try await ask(
            WriteOwnMetadata(
                userID: configuration.userID, metadata: metadata, .update(isUpsert: addsMissing)))
        try await note(.metadata(changed))
        return changed
    }

    /// Deletes one key of the user's own metadata, or all of it if `key` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteUserMetadata(_ key: String? = nil) async throws(RoostError) {
        _ = try await ask(OwnRequest.deleteMetadata(key: key, of: configuration.userID))
        try await note(.metadataDeleted(key))
    }

    /// Stores a change of the user's own profile that the server has made.
    private func note(_ change: ProfileChange) async throws(RoostError) {
        try await engine.run(.profileChanging(ProfileChanging(change)))
    }

    /// Returns whether the user joins channels without accepting the invitation.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func acceptsInvitations() async throws(RoostError) -> Bool {
        try await ask(InvitationPreference(userID: configuration.userID))
    }

    /// Sets whether the user joins channels without accepting the invitation.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func setAcceptsInvitations(_ accepts: Bool) async throws(RoostError) {
        _ = try await ask(
            InvitationPreference(userID: configuration.userID, acceptsAutomatically: accepts))
    }

    /// Returns the number of the user's channels at the server.
    ///
    /// - Parameter membership: The user's membership in the counted channels; nil for any.
    /// - Returns: The number.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func channelCount(
        _ membership: MembershipState? = nil
    ) async throws(RoostError) -> Int {
        try await ask(CountChannels(userID: configuration.userID, membership: membership))
    }

    // MARK: Other users

    /// Returns a page of the application's users from the server.
    ///
    /// - Parameters:
    ///   - query: The selection of users.
    ///   - pageSize: The greatest number of users, 1...100. A page may have fewer users although
    ///     more follow: the server stops a long search.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func users(
        _ query: UserQuery = UserQuery(), pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        let found = try await ask(
            ListUsers(token: token ?? "", limit: pageSize, query: query))
        return Page(found.users, next: found.next.isEmpty ? nil : found.next)
    }

    /// Reports a channel, a user or a message to the platform.
    ///
    /// A report has no other effect.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func report(
        _ subject: ReportSubject, category: ReportCategory, description: String = ""
    ) async throws(RoostError) {
        _ = try await ask(
            OwnRequest.report(
                subject, category, description: description, by: configuration.userID))
    }

    /// Returns the user's own mute in a channel, from the server.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func muteInfo(in channel: ChannelURL) async throws(RoostError) -> MuteInfo {
        try await ask(AskMute(channelURL: channel, userID: configuration.userID))
    }
}
