// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Pages of the user's channels: for the lists that are open, and in the background until the disk
// holds them all.

extension SyncEngine {
    /// Channels asked for at once in the background; the server gives no more.
    private static let fillPage = 100

    func readChannels(
        _ query: ChannelListQuery, limit: Int
    ) async throws(RoostError) -> CachedChannels {
        do {
            let page = try await reader.channels(
                query.filter, order: query.order, limit: limit + 1)
            return CachedChannels(
                channels: Array(page.value.prefix(limit)), hasMore: page.value.count > limit,
                isWhole: try await reader.cursor(.channelFill).value == .end,
                sequence: page.sequence)
        } catch {
            throw RoostError(error)
        }
    }

    /// Fetches a page of the user's channels, stores it and returns its channels and where the list goes on.
    func loadChannels(
        _ query: ChannelListQuery, token: String?
    ) async throws(RoostError) -> (channels: [ChannelURL], next: String) {
        let mark = channelLedger.begin()
        defer { channelLedger.end() }
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
        get async throws(RoostError) { try await cursor(.channelFill) == .end }
    }

    /// Fetches the user's channels page by page until the disk holds them all.
    ///
    /// The newest channel comes first, and a channel's age never changes, so that none can slip past the
    /// end of a page (scars 100, 102). What changes meanwhile comes live or with the change log, whose
    /// cursor stands before the first page. A page and the place behind it are one transaction.
    func fillChannelList() async throws(RoostError) {
        // One walk on each connection; whoever else wants one has it.
        guard let epoch = session?.epoch, fillEpoch != epoch else { return }
        fillEpoch = epoch
        defer { if fillEpoch == epoch { fillEpoch = nil } }
        var expected = try await cursor(.channelFill)
        var walk = PageWalk<Cursor, ChannelURL>(from: expected)
        while let session, session.epoch == epoch {
            let place = try await cursor(.channelFill)
            guard place != .end else { return }
            // Where the cache was emptied meanwhile, another walk begins.
            if place != expected { walk = PageWalk(from: place) }
            try await takeTurn()
            let mark = channelLedger.begin()
            defer { channelLedger.end() }
            let page: RoostWire.ChannelPage
            do throws(RoostError) {
                page = try await call(
                    ListMyChannels(
                        userID: me, token: place?.token ?? "", limit: Self.fillPage,
                        order: .chronological, filters: ChannelFilter.everything.query))
            } catch {
                // The server knows this token no longer: begin again.
                guard error.code == .invalidValue, place != nil else { throw error }
                guard walk.mayBeginAgain() else { throw .stalled }
                try await commit([.removeCursor(.channelFill)], from: .page)
                expected = nil
                continue
            }
            guard isPresent(session) else { throw .notConnected }
            let next = page.next.isEmpty ? Cursor.end : .token(page.next)
            // Where the cache was emptied meanwhile, what was before this page is gone: begin again.
            try await store(
                page.channels, since: mark, and: [.cursor(.channelFill, next)], from: .page
            ) { reader throws(StoreError) in try await reader.cursor(.channelFill).value == place }
            expected = next
            // The page of a cache that was emptied meanwhile was not stored: the next round finds out.
            if next == .end { continue }
            // Or the server would be asked for ever (scar 141).
            guard walk.goesOn(to: next, after: page.channels.map(\.url)) else { throw .stalled }
        }
    }
}

extension Cursor {
    /// All has been read.
    fileprivate static let end = Cursor.token("")

    fileprivate var token: String? { if case .token(let token) = self { token } else { nil } }
}
