// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The lists of channels: a user's own, their change log, and the public ones.
struct ChannelLists: ServerPart {
    let context: ServerContext
    let views: ChannelViews
    let rates: RequestRates

    /// Returns a page of a user's channels.
    ///
    /// A page under a filter of members may be short, or empty, and have a next one.
    func list(
        _ call: ListMyChannels, for caller: APICaller
    ) async throws(ServerError) -> ChannelPage {
        let id = call.userID
        let filter = try ChannelListFilter(
            call.filters, showsEmpty: call.showsEmpty, showsFrozen: call.showsFrozen)
        // The times of messages that the user does not see are left out.
        var listings = try await ask(try await storage.presentListings(of: id)).map(\.shown)
            .filter(filter.matches)
        if filter.needsMetadata || call.order.metadataKey != nil {
            listings = try await self.listings(
                listings, matching: filter, in: call.order, for: caller)
        }
        var keys = listings.map { $0.key(call.order) }.sorted()
        if !call.token.isEmpty {
            let end = try ChannelSortKey(token: call.token, call.order)
            keys.removeAll { $0 <= end }
        }
        // The end of the channels that were looked at, if others are behind it.
        var horizon: ChannelSortKey?
        if filter.needsStates {
            let (kept, count) = try await urls(
                among: keys.map(\.url), matching: filter, of: id, atLeast: call.limit + 1,
                for: caller)
            if count < keys.count { horizon = keys[count - 1] }
            keys = keys.prefix(count).filter { kept.contains($0.url) }
        }
        let page = try await views.views(
            of: keys.prefix(call.limit).map(\.url), for: id, call.extras)
        let rest = keys.dropFirst(page.count)
        let end = page.count > 0 ? keys[page.count - 1].token : ""
        return ChannelPage(
            channels: page.channels, next: rest.isEmpty ? horizon?.token ?? "" : end,
            timestamp: world.now())
    }

    /// Returns the listings whose metadata match a filter, each with the metadata of its order.
    private func listings(
        _ listings: [ChannelListing], matching filter: ChannelListFilter, in order: ChannelOrder,
        for caller: APICaller
    ) async throws(ServerError) -> [ChannelListing] {
        var metadata: [ChannelURL: [String: String]] = [:]
        var bytes = 0
        defer { rates.note(user: caller.userID, count: bytes / RequestRates.chargedReadBytes) }
        try await forEachRecord(of: listings.map(\.record.url)) { record in
            bytes += record.weight
            guard filter.matchesMetadata(record) else { return }
            let key = order.metadataKey
            metadata[record.url] = record.traits.metadata.filter { $0.key == key }
                .mapValues(\.sortingPart)
        }
        return listings.compactMap { listing in
            guard let own = metadata[listing.record.url] else { return nil }
            var listing = listing
            listing.record.traits.metadata = own
            return listing
        }
    }

    /// Passes on the whole records of channels, a few of which are in memory at a time.
    func forEachRecord(
        of urls: [ChannelURL], _ body: (ChannelRecord) -> Void
    ) async throws(ServerError) {
        var rest = urls[...]
        while !rest.isEmpty {
            try stopIfCancelled()
            let slice = Array(rest.prefix(Self.recordsAtOnce))
            rest = rest.dropFirst(slice.count)
            for record in try await ask(try await storage.channelRecords(slice)) { body(record) }
        }
    }

    /// The channels whose whole records are in memory at a time; each weighs up to 256 KiB.
    static let recordsAtOnce = 20

    /// Returns a user's channels whose members and counts match a filter.
    ///
    /// - Parameters:
    ///   - urls: The channels in the order of the list.
    ///   - filter: The filter.
    ///   - id: The user.
    ///   - wanted: The number of channels that suffice.
    ///   - caller: The caller, who pays for the members.
    /// - Returns: The matching ones among the first channels, and the number of these. It is smaller
    ///   than that of all channels if enough match, or if their members are too many for one call.
    /// - Throws: A failure of the storage.
    private func urls(
        among urls: [ChannelURL], matching filter: ChannelListFilter, of id: UserID,
        atLeast wanted: Int, for caller: APICaller
    ) async throws(ServerError) -> (kept: Set<ChannelURL>, count: Int) {
        var kept: Set<ChannelURL> = []
        var (start, rows) = (0, 0)
        defer { rates.note(user: caller.userID, count: rows / RequestRates.chargedRows) }
        while start < urls.count, kept.count < wanted, rows < limits.listedMembers {
            let batch = Array(urls[start...].prefix(ChannelViews.statesAtOnce))
            start += batch.count
            for slice in try await views.slices(of: batch, readingMembers: filter.needsMembers) {
                try stopIfCancelled()
                let states = try await ask(
                    try await storage.channelStates(
                        slice, viewer: id, withMembers: filter.needsMembers))
                rows += states.reduce(0) { $0 + $1.members.count }
                for state in states where filter.matches(state, viewer: id) {
                    kept.insert(state.record.url)
                }
            }
        }
        return (kept, start)
    }

    /// Returns a page of the change log of a user's channels.
    func changes(_ call: ChannelChangeLog) async throws(ServerError) -> ChannelChanges {
        let id = call.userID
        // Only the change log reads former channels too.
        let listings = try await ask(try await storage.listings(of: id)).map(\.shown)
        var page = try ChannelChangePage(of: listings, call)
        let shown = page.shown
        let views = try await views.views(of: shown.map(\.record.url), for: id, call.extras)
        if views.count < shown.count { page.end(before: shown[views.count]) }
        return page.answer(with: views.channels, at: world.now())
    }
}

/// The token of a page is its end.
extension ChannelSortKey {
    package init(token: String, _ order: ChannelOrder) throws(ServerError) {
        guard let value = try? JSONValue(parsing: token), let parts = value.array,
            parts.count == 4, let createdAt = parts[2].int, let url = parts[3].string
        else {
            throw ServerError(
                .invalidValue, "The token is not from this server; start at the first page.")
        }
        let moment = Timestamp(milliseconds: createdAt)
        let last = parts[1].int.map { Timestamp(milliseconds: $0) }
        self =
            order.isByTime
            ? ChannelSortKey(lastMessageAt: last, createdAt: moment, url: ChannelURL(url))
            : ChannelSortKey(text: parts[0].string, createdAt: moment, url: ChannelURL(url))
    }

    package var token: String {
        JSONValue.array([
            text.map { .string($0) } ?? .null,
            lastMessageAt.map { .int($0.milliseconds) } ?? .null,
            .int(createdAt.milliseconds), .string(url.rawValue),
        ]).text
    }
}

extension ChannelOrder {
    /// The key of the metadata that decide; nil for other orders.
    fileprivate var metadataKey: String? {
        if case .metadataValue(let key) = self { key } else { nil }
    }
}

extension String {
    /// The beginning of a value by which channels are sorted; a list keeps that of each channel.
    fileprivate var sortingPart: String {
        utf8.count <= 2_048
            ? self : String(unicodeScalars.prefix(512))
    }
}

extension ChannelListing {
    /// The channel without the time of messages that the user does not see.
    package var shown: ChannelListing {
        guard !record.showsMessages(to: state) else { return self }
        var shown = self
        shown.lastMessageAt = nil
        return shown
    }

    package func key(_ order: ChannelOrder) -> ChannelSortKey {
        order.key(
            url: record.url, createdAt: record.createdAt, name: record.name,
            lastMessageAt: lastMessageAt, metadata: record.traits.metadata)
    }
}

/// A place in the change log of a user's channels.
///
/// Changes of several channels may have one number, and on some storages a change of a lower number may
/// become visible later. So a walk over several pages remembers the number up to which all changes had
/// ended at its start, and ends there.
package struct ChannelChangePlace: Equatable, Sendable {
    /// The number whose changes, and all lower ones, are done for ever.
    package var settled: Int64
    /// The last change of the walk so far; nil between two walks.
    package var through: (number: Int64, url: ChannelURL)?
    /// The era of the numbers, as in `ChannelListing.era`.
    package var era: String

    /// The most numbers that a new era may give again.
    ///
    /// Those of transactions without a log count, such as the leases of servers; while a database has
    /// lost its standbys, there may be thousands. A place of a former era goes back by so many: a
    /// change may be told again, and none is left out.
    static let reissued: Int64 = 100_000

    package init(
        settled: Int64, through: (number: Int64, url: ChannelURL)? = nil, era: String = ""
    ) {
        self.settled = settled
        self.through = through
        self.era = era
    }

    package static func == (one: Self, other: Self) -> Bool { one.token == other.token }

    package var token: String {
        let start = ChangeToken.text(settled, kind: "c", era: era)
        return through.map { "\(start).\($0.number).\($0.url.rawValue)" } ?? start
    }

    /// Reads a token.
    ///
    /// - Throws: `.invalidValue` for a text that is no token of a change log of channels.
    package init(token: String) throws(ServerError) {
        let parts = token.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        (settled, era) = try ChangeToken.place(String(parts[0]), kind: "c")
        guard parts.count == 3 else {
            guard parts.count == 1 else { throw ChangeToken.foreign }
            return
        }
        guard let number = Int64(parts[1]), number >= 0 else { throw ChangeToken.foreign }
        through = (number, ChannelURL(String(parts[2])))
    }

    /// Returns the place in another era.
    func moved(to era: String) -> Self {
        era == self.era ? self : Self(settled: max(0, settled - Self.reissued), era: era)
    }

    /// Whether a change is done.
    func covers(_ listing: ChannelListing) -> Bool {
        guard let through else { return listing.changeSequence <= settled }
        return (listing.changeSequence, listing.record.url) <= through
    }
}

private func <= (one: (Int64, ChannelURL), other: (number: Int64, url: ChannelURL)) -> Bool {
    one.0 == other.number ? one.1.rawValue <= other.url.rawValue : one.0 < other.number
}

/// A page of the change log of a user's channels, without the channels' data.
package struct ChannelChangePage {
    private let call: ChannelChangeLog
    /// The changes of this page and of all later ones.
    private let changes: [ChannelListing]
    /// The place before the page.
    private let start: ChannelChangePlace
    /// The number up to which all changes had ended when the walk began.
    private let settled: Int64
    private var count: Int

    /// Makes a page from all channels that a user has or had.
    ///
    /// - Throws: `.invalidValue` for a token that this server has not given.
    package init(of listings: [ChannelListing], _ call: ChannelChangeLog) throws(ServerError) {
        self.call = call
        // Operators and banned users of open channels have a row there, but no place in a list.
        let all = listings.filter { !$0.record.traits.isOpen }
        let present = listings.map(\.settledSequence).min() ?? .max
        let changed: [ChannelListing]
        switch call.cursor {
        case .token(let token):
            var place = try ChannelChangePlace(token: token)
            if let era = listings.first?.era { place = place.moved(to: era) }
            // The changes up to its number would be left out for ever.
            guard place.settled <= present else { throw ChangeToken.foreign }
            start = place
            settled = place.through == nil ? present : place.settled
            changed = all.filter { !place.covers($0) }
        case .since(let moment):
            start = ChannelChangePlace(
                settled: min(present, all.map(\.changeSequence).max() ?? 0),
                era: listings.first?.era ?? "")
            settled = present
            changed = all.filter { $0.changedAt >= moment }
        }
        changes = changed.sorted {
            ($0.changeSequence, $0.record.url.rawValue)
                < ($1.changeSequence, $1.record.url.rawValue)
        }
        count = min(changes.count, ChangeToken.pageLimit)
    }

    private var page: ArraySlice<ChannelListing> { changes.prefix(count) }

    /// The channels whose data belong to the page.
    package var shown: [ChannelListing] {
        page.filter { listing in
            listing.state != .none && (call.showsEmpty || listing.lastMessageAt != nil)
                && (call.customTypes.map { $0.contains(listing.record.customType) } ?? true)
        }
    }

    /// Leaves a channel and all later changes to the next page.
    mutating func end(before listing: ChannelListing) {
        count = page.prefix { $0.record.url != listing.record.url }.count
    }

    private var hasMore: Bool { count < changes.count }

    /// The place behind the page.
    private var end: ChannelChangePlace {
        var end = start
        end.through = nil
        guard let last = page.last else { return end }
        let number = last.changeSequence
        let isBetween = hasMore && changes[count].changeSequence == number
        if hasMore, isBetween || number > settled {
            (end.settled, end.through) = (settled, (number, last.record.url))
        } else {
            end.settled = min(settled, number)
        }
        return end
    }

    /// Returns the answer, with the data of the channels in `shown`.
    package func answer(with channels: [GroupChannel], at now: Timestamp) -> ChannelChanges {
        ChannelChanges(
            updated: channels, deleted: page.filter { $0.state == .none }.map(\.record.url),
            hasMore: hasMore, next: end.token, timestamp: now)
    }
}
