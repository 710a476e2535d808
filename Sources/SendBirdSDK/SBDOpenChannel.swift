// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// A channel that every user of the application may enter, as the app has seen it last.
///
/// Open channels have no cache and no collection: each call needs a connection, and a message that
/// cannot be sent at once fails. Their events go to the channel delegates after `enter`.
public final class SBDOpenChannel: SBDBaseChannel {
    /// Returns a query of the application's open channels.
    public class func createOpenChannelListQuery() -> SBDOpenChannelListQuery? {
        SBDOpenChannelListQuery()
    }

    override class var isOpen: Bool { true }

    /// The number of users who have entered the channel; 0 if the server did not send it.
    public var participantCount: Int { value.participants }
    /// The users who may moderate the channel, as far as the server sent it.
    public var operators: NSMutableArray? {
        NSMutableArray(array: value.operators.map { SBDUser($0) })
    }

    /// Returns whether a user may moderate the channel, as far as the server sent it.
    public func isOperator(with user: SBDUser) -> Bool { isOperator(withUserId: user.userId) }

    /// Returns whether a user may moderate the channel, as far as the server sent it.
    public func isOperator(withUserId userId: String) -> Bool {
        value.operators.contains { $0.id.rawValue == userId }
    }

    // MARK: Finding and creating

    /// The handler of an open channel.
    public typealias ChannelHandler = (SBDOpenChannel?, SBDError?) -> Void

    /// Returns a channel from the server.
    public class func getWithUrl(_ channelUrl: String, completionHandler: ChannelHandler?) {
        SBDMain.door.perform(then: .openChannel(completionHandler)) { client throws(RoostError) in
            try await client.openChannel(ChannelURL(channelUrl))
        }
    }

    /// Creates a channel; without operators, the user is the operator.
    ///
    /// A cover image that is nil or empty is left out; the server chooses the name of another one.
    /// Its progress is reported once, at its end.
    public class func createChannel(
        withName name: String?, channelUrl: String?, coverImage: Data?, coverImageName: String?,
        data: String?, operatorUserIds: [String]?, customType: String?,
        progressHandler: ProgressHandler?, completionHandler: ChannelHandler?
    ) {
        let params = OpenChannelCreateParams(
            name: name ?? "", url: channelUrl.map { ChannelURL($0) }, data: data ?? "",
            customType: customType ?? "",
            operatorIDs: (operatorUserIds ?? []).map { UserID($0) })
        let cover = CoverImage(coverImage?.isEmpty == true ? nil : coverImage)
        let handler = cover.reporting(to: progressHandler, then: completionHandler)
        SBDMain.door.perform(then: .openChannel(handler)) { client throws(RoostError) in
            var params = params
            if let address = try await cover.upload(client) { params.coverURL = address }
            return try await client.createOpenChannel(params)
        }
    }

    /// Changes the channel; nil leaves a property as it is, and so does an empty cover image.
    ///
    /// The progress of a cover image is reported once, at its end.
    public func update(
        withName name: String?, coverImage: Data?, coverImageName: String?, data: String?,
        operatorUserIds: [String]?, customType: String?, progressHandler: ProgressHandler?,
        completionHandler: ChannelHandler?
    ) {
        let params = OpenChannelUpdateParams(
            name: name, data: data, customType: customType,
            operatorIDs: operatorUserIds?.map { UserID($0) })
        let cover = CoverImage(coverImage?.isEmpty == true ? nil : coverImage)
        let handler = cover.reporting(to: progressHandler, then: completionHandler)
        let url = value.url
        SBDMain.door.perform(then: .openChannel(handler)) { client throws(RoostError) in
            var params = params
            if let address = try await cover.upload(client) { params.coverURL = address }
            return try await client.updateOpenChannel(url, params)
        }
    }

    // MARK: Entering

    /// Enters the channel, whose live events then go to the channel delegates.
    ///
    /// The client enters it again after each reconnection, until
    /// `exitChannel(completionHandler:)`.
    public func enter(completionHandler: SBDErrorHandler? = nil) {
        show(completionHandler) { client, url throws(RoostError) in try await client.enter(url) }
    }

    /// Leaves the channel, whose events end at once.
    public func exitChannel(completionHandler: SBDErrorHandler? = nil) {
        let url = value.url
        SBDMain.door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.exit(url)
        }
    }

    /// Shows the channel as it is now, in all its objects.
    public func refresh(completionHandler: SBDErrorHandler? = nil) {
        show(completionHandler) { client, url throws(RoostError) in
            try await client.openChannel(url)
        }
    }

    /// Calls the client, and shows the channel that it returns.
    private func show(
        _ handler: SBDErrorHandler?,
        _ work:
            @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError) -> OpenChannel
    ) {
        let question = ChannelQuestion(SBDMain.door)
        let callback = Callback<Result<OpenChannel, RoostError>> { result in
            switch result {
            case .success(let channel):
                self.show(GroupChannel(channel), answering: question)
                handler?(nil)
            case .failure(let error): handler?(SBDError(error))
            }
        }
        let url = value.url
        SBDMain.door.perform(then: callback) { client throws(RoostError) in
            try await work(client, url)
        }
    }

    /// Returns a query of the users inside the channel.
    public func createParticipantListQuery() -> SBDParticipantListQuery? {
        SBDParticipantListQuery(value.url)
    }
}

extension Callback where Value == Result<OpenChannel, RoostError> {
    /// Returns a handler of the answer to a question that is asked now.
    fileprivate static func openChannel(_ handler: SBDOpenChannel.ChannelHandler?) -> Self {
        let question = ChannelQuestion(SBDMain.door)
        return answer(handler) { SBDOpenChannel(GroupChannel($0), answering: question) }
    }
}

/// A query of the application's open channels with a position for the next page; each page needs a
/// connection.
public final class SBDOpenChannelListQuery: NSObject {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// A part of the channels' names, upper and lower case being equal; nil for all.
    public var channelNameFilter: String?

    private let reader = PageReader<GroupChannel>(SBDMain.door)

    override init() {}

    /// Whether there may be more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next channels from the server.
    public func loadNextPage(
        completionHandler: (([SBDOpenChannel]?, SBDError?) -> Void)? = nil
    ) {
        let question = ChannelQuestion(SBDMain.door)
        let callback = Callback.answer(completionHandler) { (channels: [GroupChannel]) in
            channels.map { SBDOpenChannel($0, answering: question) }
        }
        let pageSize = Int(clamping: limit)
        let query = OpenChannelQuery(nameContains: channelNameFilter)
        reader.load(then: callback) { client, token throws(RoostError) in
            let page = try await client.openChannels(query, pageSize: pageSize, after: token)
            return Page(page.elements.map { GroupChannel($0) }, next: page.next)
        }
    }
}
