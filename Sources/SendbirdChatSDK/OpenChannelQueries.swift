// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors

/// The selection of a list of open channels.
public final class OpenChannelListQueryParams: NSObject {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// Whether metadata come with the channels.
    public var includeMetaData = false
    /// A part of the channel's name.
    public var channelNameFilter: String?
    /// A part of the channel's URL.
    public var channelURLFilter: String?
    /// The custom type.
    public var customTypeFilter: String?

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (OpenChannelListQueryParams) -> Void) {
        self.init()
        builder(self)
    }
}

/// A query of open channels; each page fails, because the client knows no open channels.
public final class OpenChannelListQuery: NSObject {
    /// The selection of the list.
    public let params: OpenChannelListQueryParams
    /// Whether another page may follow; always true, as each page fails.
    public let hasNext = true
    /// Whether a page is being loaded; always false, as each page fails at once.
    public let isLoading = false

    init(_ params: OpenChannelListQueryParams) { self.params = params }

    /// Fails, because the client knows no open channels.
    public func loadNextPage(completionHandler: @escaping ([OpenChannel]?, SBError?) -> Void) {
        SendbirdChat.door.refuse(completionHandler, "The client knows no open channels.")
    }
}

/// The selection of a list of an open channel's participants.
public final class ParticipantListQueryParams: NSObject {
    /// The number of users of a page, 1...100.
    public var limit: UInt = 20

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (ParticipantListQueryParams) -> Void) {
        self.init()
        builder(self)
    }
}

/// A query of an open channel's participants; each page fails, because the client knows no open
/// channels.
public final class ParticipantListQuery: NSObject {
    /// The selection of the list.
    public let params: ParticipantListQueryParams
    /// Whether another page may follow; always true, as each page fails.
    public let hasNext = true
    /// Whether a page is being loaded; always false, as each page fails at once.
    public let isLoading = false

    init(_ params: ParticipantListQueryParams) { self.params = params }

    /// Fails, because the client knows no open channels.
    public func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void) {
        SendbirdChat.door.refuse(completionHandler, "The client knows no open channels.")
    }
}

extension OpenChannel {
    /// Returns a query that fails, because the client knows no open channels.
    public class func createParticipantListQuery(channelURL: String) -> ParticipantListQuery {
        ParticipantListQuery(ParticipantListQueryParams())
    }

    /// Returns a query that fails, because the client knows no open channels.
    public class func createParticipantListQuery(
        channelURL: String, params: ParticipantListQueryParams
    ) -> ParticipantListQuery { ParticipantListQuery(params) }

    /// Returns a query that fails, because the client knows no open channels.
    public class func createParticipantListQuery(
        channelURL: String, paramsBuilder: (ParticipantListQueryParams) -> Void
    ) -> ParticipantListQuery {
        ParticipantListQuery(ParticipantListQueryParams(builder: paramsBuilder))
    }
}
