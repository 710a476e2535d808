// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostWire

/// A channel that every user of the application may enter, as it was when this object was made.
///
/// Open channels can be listed and kept in a database of the app's own. They have no collection and
/// are not cached.
public final class SBDOpenChannel: SBDBaseChannel {
    /// Returns a query of the application's open channels.
    public class func createOpenChannelListQuery() -> SBDOpenChannelListQuery? {
        SBDOpenChannelListQuery()
    }

    public override func serialize() -> Data? {
        Data(SerializedObject.openChannel(value).bytes)
    }
}

/// A query of the application's open channels with a position for the next page; each page needs a
/// connection.
public final class SBDOpenChannelListQuery: NSObject {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20

    private struct State {
        var isLoading = false
        var hasNext = true
        var token: String?
    }

    private let state = Guarded(State())

    override init() {}

    /// Whether there may be more.
    public var hasNext: Bool { state.withLock { $0.hasNext } }

    /// Loads the next channels from the server.
    public func loadNextPage(
        completionHandler: (([SBDOpenChannel]?, SBDError?) -> Void)? = nil
    ) {
        let door = SBDMain.door
        let callback = Callback.answer(completionHandler) { (channels: [GroupChannel]) in
            channels.map { SBDOpenChannel($0) }
        }
        let (isFree, hasNext, token) = state.withLock { state in
            defer { state.isLoading = true }
            return (!state.isLoading, state.hasNext, state.token)
        }
        guard isFree else { return door.notify(callback, .failure(.underWay)) }
        guard hasNext else {
            state.withLock { $0.isLoading = false }
            return door.notify(callback, .success([]))
        }
        let pageSize = Int(clamping: limit)
        door.perform(then: callback) { [state] client throws(RoostError) in
            defer { state.withLock { $0.isLoading = false } }
            let page = try await client.openChannels(pageSize: pageSize, after: token)
            state.withLock { ($0.token, $0.hasNext) = (page.next, page.next != nil) }
            return page.elements
        }
    }
}
