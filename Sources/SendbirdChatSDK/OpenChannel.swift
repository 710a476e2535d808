// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// An open channel, as the app has seen it last.
///
/// Open channels have no cache and no collection: each call needs a connection, and a message that
/// cannot be sent at once fails.
open class OpenChannel: BaseChannel {
    override class var isOpen: Bool { true }

    public override var channelType: ChannelType { .open }
    /// The number of users inside.
    public var participantCount: Int { value.participants }
    /// The users who may moderate the channel.
    public var operators: [User]? { value.operators.map { User($0) } }

    /// Returns whether a user may moderate the channel.
    public func isOperator(user: User) -> Bool { isOperator(userId: user.userId) }

    /// Returns whether a user may moderate the channel.
    public func isOperator(userId: String) -> Bool {
        value.operators.contains { $0.id.rawValue == userId }
    }

    // MARK: Finding and creating

    /// Returns a channel from the server.
    public class func getChannel(
        url: String, completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) {
        SendbirdChat.door.perform(then: .openChannel(completionHandler)) {
            client throws(RoostError) in try await client.openChannel(ChannelURL(url))
        }
    }

    /// Creates a channel, of which the user is the operator.
    public class func createChannel(
        completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) {
        createChannel(
            params: OpenChannelCreateParams(), completionHandler: completionHandler)
    }

    /// Creates a channel; without operators in the parameters, the user is the operator.
    public class func createChannel(
        params: OpenChannelCreateParams, completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) { createChannel(params: params, progressHandler: nil, completionHandler: completionHandler) }

    /// Creates a channel; the progress of a cover image is reported once, at its end.
    public class func createChannel(
        params: OpenChannelCreateParams, progressHandler: ProgressHandler?,
        completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) {
        let value = params.value
        let cover = CoverImage(params.coverImage)
        let handler = cover.reporting(to: progressHandler, then: completionHandler)
        SendbirdChat.door.perform(then: .openChannel(handler)) { client throws(RoostError) in
            var value = value
            if let address = try await cover.upload(client) { value.coverURL = address }
            return try await client.createOpenChannel(value)
        }
    }

    // MARK: Entering

    /// Enters the channel, whose live events then go to the channel delegates.
    ///
    /// The client enters it again after each reconnection, until `exit(completionHandler:)`.
    public func enter(completionHandler: SBErrorHandler? = nil) {
        show(completionHandler) { client, url throws(RoostError) in try await client.enter(url) }
    }

    /// Leaves the channel, whose events end at once.
    public func exit(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.exit(url) }
    }

    // MARK: The channel

    /// Changes the properties that the parameters name; permitted to operators only.
    public func update(
        params: OpenChannelUpdateParams,
        completionHandler: ((OpenChannel?, SBError?) -> Void)? = nil
    ) {
        let value = params.value
        let cover = CoverImage(params.coverImage)
        ask(.openChannel(completionHandler)) { client, url throws(RoostError) in
            var value = value
            if let address = try await cover.upload(client) { value.coverURL = address }
            return try await client.updateOpenChannel(url, value)
        }
    }

    /// Deletes the channel for all users; permitted to operators only.
    public func delete(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.deleteOpenChannel(url)
        }
    }

    /// Updates this object to the channel at the server.
    public func refresh(completionHandler: SBErrorHandler? = nil) {
        show(completionHandler) { client, url throws(RoostError) in
            try await client.openChannel(url)
        }
    }

    /// Calls the client, and shows the channel that it returns.
    private func show(
        _ handler: SBErrorHandler?,
        _ work:
            @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError)
            -> RoostModel.OpenChannel
    ) {
        let question = ChannelQuestion(SendbirdChat.door)
        let answer = { [self] (channel: RoostModel.GroupChannel?, error: SBError?) in
            if let channel { update(to: channel, answering: question) }
            handler?(error)
        }
        ask(.answer(answer) { RoostModel.GroupChannel($0) }, work)
    }

    // MARK: Queries

    /// Returns a query of the application's open channels.
    public class func createOpenChannelListQuery() -> OpenChannelListQuery {
        OpenChannelListQuery(OpenChannelListQueryParams())
    }

    /// Returns a query of the open channels that the parameters select.
    public class func createOpenChannelListQuery(
        params: OpenChannelListQueryParams
    ) -> OpenChannelListQuery { OpenChannelListQuery(params) }

    /// Returns a query of the open channels with parameters that the closure sets.
    public class func createOpenChannelListQuery(
        paramsBuilder: (OpenChannelListQueryParams) -> Void
    ) -> OpenChannelListQuery {
        OpenChannelListQuery(OpenChannelListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of the users inside the channel.
    public func createParticipantListQuery() -> ParticipantListQuery? {
        createParticipantListQuery(params: ParticipantListQueryParams())
    }

    /// Returns a query of the users inside the channel.
    public func createParticipantListQuery(
        params: ParticipantListQueryParams
    ) -> ParticipantListQuery? { ParticipantListQuery(value.url, params) }

    /// Returns a query of the users inside the channel with parameters that the closure sets.
    public func createParticipantListQuery(
        paramsBuilder: (ParticipantListQueryParams) -> Void
    ) -> ParticipantListQuery? {
        createParticipantListQuery(params: ParticipantListQueryParams(builder: paramsBuilder))
    }
}

extension Callback where Value == Result<RoostModel.OpenChannel, RoostError> {
    /// Returns a handler of the answer to a question that is asked now.
    fileprivate static func openChannel(
        _ handler: ((OpenChannel?, SBError?) -> Void)?
    ) -> Self {
        let question = ChannelQuestion(SendbirdChat.door)
        return answer(handler) {
            OpenChannel(RoostModel.GroupChannel($0), answering: question)
        }
    }
}
