// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// The order of a channel list.
public enum SBDGroupChannelListOrder: Int, Sendable {
    /// Newest channel first.
    case chronological
    /// Newest last message first.
    case latestLastMessage
    /// By name, upper and lower case being equal.
    case channelNameAlphabetical
}

/// A query of the user's channels with a position for the next page.
///
/// The first page fixes its settings.
public final class SBDGroupChannelListQuery: NSObject {
    /// The number of channels of a page, 1...100.
    public var limit: UInt = 20
    /// The order of the list.
    public var order = SBDGroupChannelListOrder.latestLastMessage
    /// Whether channels without a last message are shown.
    public var includeEmptyChannel = false
    /// Without effect: members come with every channel.
    public var includeMemberList = true
    /// Whether frozen channels are shown.
    public var includeFrozenChannel = true
    /// The custom types, any of which fits; empty for all.
    public var customTypesFilter: [String] = []
    /// The channels, any of which fits; empty for all.
    public var channelUrlsFilter: [String] = []
    /// A part of the channel's name, upper and lower case being equal.
    public var channelNameContainsFilter: String?

    private let begun = Guarded<ChannelListDriver?>(nil)

    override init() {}

    deinit {
        guard let driver = begun.withLock({ $0 }) else { return }
        SBDMain.door.start { await driver.close() }
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { begun.withLock { $0 }?.view.hasMore ?? true }

    /// Loads the next channels: at first those of the cache, if it has any.
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
        // The query lives until the answer, even if the app releases it at once.
        door.start { [kept = Carried(self)] in
            await driver.load { door.notify(callback, $0) }
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
