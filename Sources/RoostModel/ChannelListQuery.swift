// SPDX-License-Identifier: Apache-2.0

/// The selection and order of a channel list.
public struct ChannelListQuery: Hashable, Codable, Sendable {
    /// The conditions that shown channels meet.
    public var filter: ChannelFilter
    /// The order of the channels.
    public var order: ChannelOrder
    /// The number of channels of a page, 1...100 (`docs/protocol` 3.2); another number becomes the
    /// nearest of these.
    public var pageSize: Int {
        didSet { pageSize = Self.inRange(pageSize) }
    }

    /// Creates a query; by default for all but hidden channels, the latest message first.
    public init(
        _ filter: ChannelFilter = ChannelFilter(), order: ChannelOrder = .latestLastMessage,
        pageSize: Int = 20
    ) {
        self.filter = filter
        self.order = order
        self.pageSize = Self.inRange(pageSize)
    }

    private static func inRange(_ pageSize: Int) -> Int { pageSize.clamped(to: 1...100) }
}
