// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// By what a list of channels is sorted.
public enum SBDGroupChannelListOrder: Int, Sendable {
    /// Newest channel first.
    case chronological
    /// Newest last message first.
    case latestLastMessage
    case channelNameAlphabetical
}

/// A question about the user's channels, and where its answer goes on.
///
/// What it asks for is fixed with its first page.
public final class SBDGroupChannelListQuery: NSObject {
    /// Channels a page, 100 at most.
    public var limit: UInt = 20
    public var order = SBDGroupChannelListOrder.latestLastMessage
    public var includeEmptyChannel = false
    /// Members come with every channel, whatever this says.
    public var includeMemberList = true
    public var includeFrozenChannel = true
    public var customTypesFilter: [String] = []
    public var channelUrlsFilter: [String] = []
    public var channelNameContainsFilter: String?

    private let begun = Guarded<ChannelListDriver?>(nil)

    override init() {}

    deinit {
        guard let driver = begun.withLock({ $0 }) else { return }
        SBDMain.door.start { await driver.close() }
    }

    public var hasNext: Bool { begun.withLock { $0 }?.view.hasMore ?? true }

    /// The next channels: at first what the cache has, if it has anything.
    public func loadNextPage(
        completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil
    ) {
        let driver = begun.withLock { begun in
            let driver = begun ?? ChannelListDriver(SBDMain.door, value) { _ in }
            begun = driver
            return driver
        }
        let door = SBDMain.door
        let callback = Callback.answer(completionHandler) { (channels: [GroupChannel]) in
            channels.map { SBDGroupChannel($0) }
        }
        // The query lives until it has answered, though the app may let go of it at once.
        door.start { [kept = Carried(self)] in
            await driver.load { door.tell(callback, $0) }
            withExtendedLifetime(kept) {}
        }
    }

    package var value: ChannelListQuery {
        var filter = ChannelFilter()
        filter.includesEmpty = includeEmptyChannel
        filter.includesFrozen = includeFrozenChannel
        filter.customTypes = Set(customTypesFilter)
        filter.urls = Set(channelUrlsFilter.map { ChannelURL($0) })
        filter.name = channelNameContainsFilter.map { .contains($0) }
        let order: ChannelOrder =
            switch order {
            case .chronological: .chronological
            case .latestLastMessage: .latestLastMessage
            case .channelNameAlphabetical: .name
            }
        return ChannelListQuery(filter, order: order, pageSize: Int(clamping: limit))
    }
}
