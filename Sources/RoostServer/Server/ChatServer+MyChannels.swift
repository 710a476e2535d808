// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    func list(_ call: ListMyChannels) async throws(ServerError) -> ChannelPage {
        let id = call.userID
        let filter = try ChannelListFilter(
            call.filters, showsEmpty: call.showsEmpty, showsFrozen: call.showsFrozen)
        var listings = try await ask(try await storage.listings(of: id)).filter(filter.matches)
        if filter.needsStates {
            let urls = listings.map(\.record.url)
            let states = try await ask(try await storage.channelStates(urls, viewer: id))
            let kept = Set(states.filter { filter.matches($0, viewer: id) }.map(\.record.url))
            listings.removeAll { !kept.contains($0.record.url) }
        }
        var keys = listings.map { $0.key(call.order) }.sorted()
        if !call.token.isEmpty {
            let end = try ChannelSortKey(token: call.token, call.order)
            keys.removeAll { $0 <= end }
        }
        let page = keys.prefix(call.limit)
        let states = try await ask(
            try await storage.channelStates(page.map(\.url), viewer: id))
        return ChannelPage(
            channels: try await views(of: states, for: id, call.extras),
            next: keys.count > call.limit ? page.last?.token ?? "" : "", timestamp: world.now())
    }

    func changes(_ call: ChannelChangeLog) async throws(ServerError) -> ChannelChanges {
        let id = call.userID
        // Operators and the banned of open channels have a row there, and no place in a list.
        let all = try await ask(try await storage.listings(of: id))
            .filter { !$0.record.traits.isOpen }
        let changed: [ChannelListing]
        var end = all.map(\.changeSequence).max() ?? 0
        switch call.cursor {
        case .token(let token):
            end = try ChangeToken.sequence(token, kind: "c")
            changed = all.filter { $0.changeSequence > end }
        case .since(let moment): changed = all.filter { $0.changedAt >= moment }
        }
        let ordered = changed.sorted { $0.changeSequence < $1.changeSequence }
        let page = ordered.prefix(Self.changeLimit)
        let shown = page.filter { listing in
            listing.state != .none && (call.showsEmpty || listing.lastMessageAt != nil)
                && (call.customTypes.map { $0.contains(listing.record.customType) } ?? true)
        }
        let states = try await ask(
            try await storage.channelStates(shown.map(\.record.url), viewer: id))
        return ChannelChanges(
            updated: try await views(of: states, for: id, call.extras),
            deleted: page.filter { $0.state == .none }.map(\.record.url),
            hasMore: ordered.count > page.count,
            next: ChangeToken.text(page.last?.changeSequence ?? end, kind: "c"),
            timestamp: world.now())
    }
}

/// A page's token is the place at which it ended.
extension ChannelSortKey {
    init(token: String, _ order: ChannelOrder) throws(ServerError) {
        guard let value = try? JSONValue(parsing: token), let parts = value.array,
            parts.count == 4, let createdAt = parts[2].int, let url = parts[3].string
        else {
            throw ServerError(
                .invalidValue, "The token is none of this server's; start at the first page.")
        }
        let moment = Timestamp(milliseconds: createdAt)
        let last = parts[1].int.map { Timestamp(milliseconds: $0) }
        self =
            order.isByTime
            ? ChannelSortKey(lastMessageAt: last, createdAt: moment, url: ChannelURL(url))
            : ChannelSortKey(text: parts[0].string, createdAt: moment, url: ChannelURL(url))
    }

    var token: String {
        JSONValue.array([
            text.map { .string($0) } ?? .null,
            lastMessageAt.map { .int($0.milliseconds) } ?? .null,
            .int(createdAt.milliseconds), .string(url.rawValue),
        ]).text
    }
}

extension ChannelListing {
    fileprivate func key(_ order: ChannelOrder) -> ChannelSortKey {
        order.key(
            url: record.url, createdAt: record.createdAt, name: record.name,
            lastMessageAt: lastMessageAt, metadata: record.traits.metadata)
    }
}
