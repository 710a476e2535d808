// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// A query of the user's channels with a position for the next page.
///
/// Changes of the properties count until the first page is loaded.
public final class GroupChannelListQuery: NSObject, NSCopying {
    /// The selection and order of the list; a copy of the parameters given.
    public let params: GroupChannelListQueryParams
    private let reader = ChannelListReader(SendbirdChat.door)

    init(_ params: GroupChannelListQueryParams) {
        self.params = params.copied
    }

    /// The order of the list.
    public var order: GroupChannelListOrder {
        get { params.order }
        set { params.order = newValue }
    }
    /// Whether channels without a last message are shown.
    public var includeEmptyChannel: Bool {
        get { params.includeEmptyChannel }
        set { params.includeEmptyChannel = newValue }
    }
    /// Without effect: members come with every channel.
    public var includeMemberList: Bool {
        get { params.includeMemberList }
        set { params.includeMemberList = newValue }
    }
    /// Without effect: metadata come with every channel.
    public var includeMetaData: Bool {
        get { params.includeMetaData }
        set { params.includeMetaData = newValue }
    }
    /// Whether frozen channels are shown.
    public var includeFrozenChannel: Bool {
        get { params.includeFrozenChannel }
        set { params.includeFrozenChannel = newValue }
    }
    /// The number of channels of a page, 1...100.
    public var limit: UInt {
        get { params.limit }
        set { params.limit = newValue }
    }

    var value: ChannelListQuery { params.value }
    /// The reason why the client cannot obey the query; nil if it can.
    var refusal: RoostError? { params.refusal }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }

    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next channels, in step with the server; without a connection those of the cache.
    ///
    /// While a page is being loaded, another call fails.
    public func loadNextPage(completionHandler: @escaping ([GroupChannel]?, SBError?) -> Void) {
        let callback = Callback.channels(completionHandler)
        if let refusal { return SendbirdChat.door.notify(callback, .failure(refusal)) }
        reader.load(value, then: callback)
    }

    /// Returns whether the query selects a channel, which need not be on a page yet.
    public func belongsTo(channel: GroupChannel) -> Bool {
        guard let me = SendbirdChat.door.account else { return false }
        return value.filter.matches(channel.value, viewer: me)
    }

    /// Returns bytes from which `build(fromSerializedData:)` makes a query with the same parameters,
    /// before its first page.
    public func serialize() -> Data? { try? JSONEncoder().encode(params) }

    /// Returns a query from the bytes of `serialize()`; nil for other bytes.
    public class func build(fromSerializedData data: Data?) -> GroupChannelListQuery? {
        guard let data,
            let params = try? JSONDecoder().decode(GroupChannelListQueryParams.self, from: data)
        else { return nil }
        return GroupChannelListQuery(params)
    }

    /// Returns a query with the same parameters, before its first page.
    public func copy(with zone: NSZone? = nil) -> Any { GroupChannelListQuery(params) }
}

extension Callback where Value == Result<[RoostModel.GroupChannel], RoostError> {
    /// Returns a handler of a page that is asked for now.
    static func channels(_ handler: (([GroupChannel]?, SBError?) -> Void)?) -> Self {
        let question = ChannelQuestion(SendbirdChat.door)
        return answer(handler) { channels in
            channels.map { GroupChannel($0, answering: question) }
        }
    }
}
