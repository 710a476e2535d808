// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostWire

/// A channel that every user of the application may enter, as it was when this object was made.
///
/// Open channels can be listed and kept in a database of the app's own. They have no collection and
/// are not cached, and every other call is answered with an error.
public final class SBDOpenChannel: SBDBaseChannel {
    /// Returns a query of the application's open channels.
    public class func createOpenChannelListQuery() -> SBDOpenChannelListQuery? {
        SBDOpenChannelListQuery()
    }

    public override func serialize() -> Data? {
        Data(SerializedObject.openChannel(value).bytes)
    }

    /// The number of users who have entered the channel; 0 if the server did not tell.
    public var participantCount: Int {
        value.unknownFields["participant_count"].flatMap { Int($0) } ?? 0
    }
    /// The users who may moderate the channel, as far as the server told.
    public var operators: NSMutableArray? {
        NSMutableArray(array: value.operators.map { SBDUser($0) })
    }

    /// Returns whether a user may moderate the channel, as far as the server told.
    public func isOperator(with user: SBDUser) -> Bool { isOperator(withUserId: user.userId) }

    /// Returns whether a user may moderate the channel, as far as the server told.
    public func isOperator(withUserId userId: String) -> Bool {
        value.operators.contains { $0.id.rawValue == userId }
    }

    // MARK: Calls that the client does not have

    /// The handler of an open channel, which gets an error.
    public typealias ChannelHandler = (SBDOpenChannel?, SBDError?) -> Void

    /// Calls back with an error: the client has no call for one open channel.
    public class func getWithUrl(_ channelUrl: String, completionHandler: ChannelHandler?) {
        refuse(completionHandler)
    }

    /// Calls back with an error: the client has no call for new open channels.
    public class func createChannel(
        withName name: String?, channelUrl: String?, coverImage: Data, coverImageName: String,
        data: String?, operatorUserIds: [String]?, customType: String?,
        progressHandler: ProgressHandler?, completionHandler: ChannelHandler?
    ) {
        refuse(completionHandler)
    }

    /// Calls back with an error: the client has no call for changes of open channels.
    public func update(
        withName name: String?, coverImage: Data?, coverImageName: String?, data: String?,
        operatorUserIds: [String]?, customType: String?, progressHandler: ProgressHandler?,
        completionHandler: ChannelHandler?
    ) {
        Self.refuse(completionHandler)
    }

    /// Calls back with an error: the client cannot enter open channels.
    public func enter(completionHandler: SBDErrorHandler? = nil) { refuse(completionHandler) }

    /// Calls back with an error: the client cannot enter open channels.
    public func exitChannel(completionHandler: SBDErrorHandler? = nil) {
        refuse(completionHandler)
    }

    /// Calls back with an error: the client has no call for changes of open channels.
    public func refresh(completionHandler: SBDErrorHandler? = nil) { refuse(completionHandler) }

    /// Returns a query that answers with an error: the client has no call for participants.
    public func createParticipantListQuery() -> SBDParticipantListQuery? {
        SBDParticipantListQuery()
    }

    private func refuse(_ handler: SBDErrorHandler?) {
        SBDMain.door.notify(.done(handler), .failure(.openChannel))
    }

    private class func refuse(_ handler: ChannelHandler?) {
        SBDMain.door.notify(
            .answer(handler) { (channel: GroupChannel) in SBDOpenChannel(channel) },
            .failure(.openChannel))
    }
}

/// A query of the application's open channels with a position for the next page; each page needs a
/// connection.
public final class SBDOpenChannelListQuery: NSObject {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// A part of the channels' names, upper and lower case being equal; nil for all.
    ///
    /// The client cannot ask for it, so other channels are taken out of each page of the server: a
    /// page may be shorter than `limit`, and is empty at the end only.
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
        let callback = Callback.answer(completionHandler) { (channels: [GroupChannel]) in
            channels.map { SBDOpenChannel($0) }
        }
        let (pageSize, part) = (Int(clamping: limit), channelNameFilter?.lowercased() ?? "")
        reader.load(then: callback) { client, token throws(RoostError) in
            var page = try await client.openChannels(pageSize: pageSize, after: token)
            guard !part.isEmpty else { return page }
            while true {
                let fitting = page.elements.filter { $0.name.lowercased().contains(part) }
                guard fitting.isEmpty, let next = page.next else {
                    return Page(fitting, next: page.next)
                }
                page = try await client.openChannels(pageSize: pageSize, after: next)
            }
        }
    }
}
