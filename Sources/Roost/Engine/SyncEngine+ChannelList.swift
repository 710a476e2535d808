// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Pages of the user's channels: for the lists that are open, and in the background until the disk
// holds them all.

extension SyncEngine {
    func readChannels(
        _ query: ChannelListQuery, limit: Int
    ) async throws(RoostError) -> CachedChannels {
        do {
            let page = try await reader.channels(
                query.filter, order: query.order, limit: limit + 1)
            return CachedChannels(
                channels: Array(page.value.prefix(limit)), hasMore: page.value.count > limit,
                isWhole: try await reader.cursor(.channelFill).value == .listEnd,
                sequence: page.sequence)
        } catch {
            throw RoostError(error)
        }
    }

    /// Fetches a page of the user's channels, stores it and returns its channels and where the list goes on.
    func loadChannels(
        _ query: ChannelListQuery, token: String?
    ) async throws(RoostError) -> (channels: [ChannelURL], next: String) {
        let mark = sync.channelLedger.begin()
        defer { sync.channelLedger.end() }
        let page = try await call(
            ListMyChannels(
                userID: me, token: token ?? "", limit: query.pageSize, order: query.order,
                showsEmpty: query.filter.includesEmpty, showsFrozen: query.filter.includesFrozen,
                filters: query.filter.query))
        try await store(page.channels, since: mark, from: .page)
        return (page.channels.map(\.url), page.next)
    }

    /// Whether the disk holds all of the user's channels, so that the server need not be asked for pages.
    var isChannelListWhole: Bool {
        get async throws(RoostError) { try await cursor(.channelFill) == .listEnd }
    }

    /// Fetches the user's channels page by page until the disk holds them all.
    func fillChannelList() async throws(RoostError) { try await run(.fill(ListFill())) }
}
