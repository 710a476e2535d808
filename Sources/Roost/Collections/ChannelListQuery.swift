// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// What a channel list shows, and how.
public struct ChannelListQuery: Hashable, Sendable {
    public var filter: ChannelFilter
    public var order: ChannelOrder
    /// 1...100 channels a page (`docs/protocol` 3.2).
    public var pageSize: Int

    public init(
        _ filter: ChannelFilter = ChannelFilter(), order: ChannelOrder = .latestLastMessage,
        pageSize: Int = 20
    ) {
        self.filter = filter
        self.order = order
        self.pageSize = min(max(1, pageSize), 100)
    }
}
