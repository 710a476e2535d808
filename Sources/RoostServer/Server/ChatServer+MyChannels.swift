// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    /// A user may ask for their own list only; the platform for anybody's.
    private func subject(_ id: UserID, _ caller: Caller) throws(ServerError) -> UserID {
        guard caller == .platform || caller == .user(id) else {
            throw ServerError(.notAuthorized, "A user may ask for their own channels only.")
        }
        return id
    }

    func list(_ call: ListMyChannels, for caller: Caller) async throws(ServerError) -> ChannelPage {
        let id = try subject(call.userID, caller)
        let filter = try ChannelListFilter(
            call.filters, showsEmpty: call.showsEmpty, showsFrozen: call.showsFrozen)
        var listings = try await ask(try await storage.listings(of: id)).filter(filter.matches)
        if filter.needsStates {
            let urls = listings.map(\.record.url)
            let states = try await ask(try await storage.channelStates(urls, viewer: id))
            let kept = Set(states.filter { filter.matches($0, viewer: id) }.map(\.record.url))
            listings.removeAll { !kept.contains($0.record.url) }
        }
        var keys = listings.map { ChannelListKey($0, call.order) }.sorted()
        if !call.token.isEmpty {
            let end = try ChannelListKey(token: call.token)
            keys.removeAll { $0 <= end }
        }
        let page = keys.prefix(call.limit)
        let states = try await ask(
            try await storage.channelStates(page.map(\.url), viewer: id))
        return ChannelPage(
            channels: states.map { $0.view(for: id, call.extras, at: world.now()) },
            next: keys.count > call.limit ? page.last?.token ?? "" : "", timestamp: world.now())
    }

    func changes(
        _ call: ChannelChangeLog, for caller: Caller
    ) async throws(ServerError) -> ChannelChanges {
        let id = try subject(call.userID, caller)
        let all = try await ask(try await storage.listings(of: id))
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
            updated: states.map { $0.view(for: id, call.extras, at: world.now()) },
            deleted: page.filter { $0.state == .none }.map(\.record.url),
            hasMore: ordered.count > page.count,
            next: ChangeToken.text(page.last?.changeSequence ?? end, kind: "c"),
            timestamp: world.now())
    }
}

/// A channel's place in a list; what a page token says.
///
/// Among equals the newer channel stands first, under one name the older (`protocol.md` 6.12); `url`
/// parts the rest.
struct ChannelListKey: Comparable {
    let text: String
    let hasMessage: Bool
    let moment: Int64
    /// What parts equal moments; smaller stands first.
    let age: Int64
    let url: ChannelURL

    init(_ listing: ChannelListing, _ order: ListMyChannels.Order) {
        url = listing.record.url
        let last = listing.lastMessageAt
        let createdAt = listing.record.createdAt.milliseconds
        age = order == .name ? createdAt : -createdAt
        switch order {
        case .latestLastMessage:
            text = ""
            hasMessage = last != nil
            moment = last?.milliseconds ?? createdAt
        case .name:
            text = listing.record.name
            hasMessage = false
            moment = 0
        case .chronological, .metadataValue:
            text = ""
            hasMessage = false
            moment = createdAt
        }
    }

    init(token: String) throws(ServerError) {
        guard let value = try? JSONValue(parsing: token), let text = value[0]?.string,
            let hasMessage = value[1]?.bool, let moment = value[2]?.int, let age = value[3]?.int,
            let url = value[4]?.string
        else {
            throw ServerError(
                .invalidValue, "The token is none of this server's; start at the first page.")
        }
        self.text = text
        self.hasMessage = hasMessage
        self.moment = moment
        self.age = age
        self.url = ChannelURL(url)
    }

    var token: String {
        JSONValue.array([
            .string(text), .bool(hasMessage), .int(moment), .int(age), .string(url.rawValue),
        ]).text
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.text != right.text { return left.text < right.text }
        if left.hasMessage != right.hasMessage { return left.hasMessage }
        if left.moment != right.moment { return left.moment > right.moment }
        if left.age != right.age { return left.age < right.age }
        return left.url < right.url
    }
}
