// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostPages
import RoostStore

extension CachePage {
    /// The greatest number of channels on a page: the largest ones, and the next to be evicted.
    private static let channelLimit = 200

    /// Makes the page of a folder; without the key of an encrypted one it has no name and no text.
    init(
        _ found: FolderStructure, folder: String, showsText: Bool, journal: JournalChart?,
        now: Timestamp
    ) {
        var items: [Item] = []
        var warnings = found.quarantined.map { outbox in
            "Quarantined: \(outbox.path.split(separator: "/").last ?? ""), a damaged outbox of which "
                + "\(outbox.lost.map(String.init) ?? "an unknown number") could not be saved."
        }
        switch found.outbox {
        case .missing:
            warnings.append("The outbox is missing: the number of its unsent messages is unknown.")
        case .readable(let readable):
            items = readable.items.filter { $0.inboxMark == nil }
                .map { Item($0, showsText: showsText) }
            warnings += Self.warnings(readable)
        case .sealed(let sealed): items = sealed.map { Item($0) }
        }
        self.init(
            user: found.owner?.user ?? "unknown",
            application: found.owner?.application ?? "unknown",
            folder: folder, isSealed: found.cache.isSealed, usedBytes: found.cache.usedBytes,
            freeBytes: found.cache.freeBytes, outboxBytes: found.outboxBytes,
            userCount: found.cache.userCount, limit: CacheBudget().limit, outbox: items,
            warnings: warnings, now: now, journal: journal)
        take(found.cache, open: [], inUse: [], names: showsText) { $0.holes }
    }

    /// Makes the page of a running client, with names and texts as the page of a folder has them.
    init(
        _ view: ClientView, of client: ChatClient, showsText: Bool, journal: JournalChart,
        now: Timestamp
    ) {
        self.init(
            user: client.configuration.userID.rawValue,
            application: client.configuration.applicationID, usedBytes: view.structure.usedBytes,
            freeBytes: view.structure.freeBytes, userCount: view.structure.userCount,
            limit: view.health.cache.limit?.bytes ?? CacheBudget().limit,
            outbox: view.unsent.items.filter { $0.inboxMark == nil }.map { item in
                Item(
                    item, showsText: showsText, wait: view.waits[item.requestID]?.sentence(at: now))
            }, warnings: Self.warnings(view.unsent), state: view.health.summary(at: now), now: now,
            journal: journal)
        take(view.structure, open: view.open, inUse: view.inUse, names: showsText) {
            view.holes[$0.row] ?? []
        }
    }

    private static func warnings(_ outbox: OutboxItems) -> [String] {
        outbox.damaged.map { "Unsent item \($0) is damaged and unreadable; it is kept." }
            + outbox.newer.map { "Unsent item \($0) was written by a newer release; it is kept." }
    }

    private mutating func take(
        _ structure: CacheStructure, open: Set<ChannelURL>, inUse: Set<ChannelURL>, names: Bool,
        holes: (CacheStructure.Channel) -> [HistoryHole]
    ) {
        let order = structure.evictionOrder(sparing: inUse)
        let places = Dictionary(
            zip(order, 1...), uniquingKeysWith: { first, _ in first })
        let sorted = structure.channels.sorted { ($0.byteCount, $1.row) > ($1.byteCount, $0.row) }
        let next = sorted.dropFirst(Self.channelLimit).filter { places[$0.row] == 1 }
        let shown = sorted.prefix(Self.channelLimit - next.count) + next
        let rows = Set(shown.map(\.row))
        for channel in sorted where !rows.contains(channel.row) {
            omitted.channelCount += 1
            omitted.messageCount = omitted.messageCount.addingSaturated(channel.messageCount)
            omitted.holeCount += holes(channel).count
        }
        channels = shown.map { channel in
            Channel(
                key: channel.url?.rawValue ?? "channel \(channel.row)",
                name: names ? channel.name : nil, messageCount: channel.messageCount,
                byteCount: channel.byteCount,
                stretches: Stretch.history(channel.coverage, holes(channel)),
                isPinned: channel.isPinned,
                isOpen: channel.url.map { open.contains($0) } ?? false,
                isInUse: channel.url.map { inUse.contains($0) } ?? false,
                evictionPlace: places[channel.row])
        }
    }
}

extension CachePage.Stretch {
    /// The greatest number of parts; older ones are left out of the drawing.
    private static let limit = 100
    private static let cells = 125

    /// Returns ranges and holes from old to new, with their shares of the drawing.
    static func history(_ coverage: Coverage, _ holes: [HistoryHole]) -> [CachePage.Stretch] {
        var parts: [(kind: Kind, from: Timestamp, through: Timestamp, note: String?)] =
            coverage.ranges.map { (.range, $0.lower.createdAt, $0.upper.createdAt, nil) }
        parts += holes.map { hole in
            (.hole(CachePage.Reason(hole.reason)), hole.from, hole.through, hole.note)
        }
        // A hole and the range behind it can begin at one moment; the hole ends first.
        parts.sort { ($0.from, $0.through) < ($1.from, $1.through) }
        let shown = parts.suffix(limit)
        let finite: [Int64?] = shown.map { part in
            part.from == .distantPast || part.through == .distantFuture
                ? nil : max(0, part.through.milliseconds(since: part.from))
        }
        // A part without an end has a sixteenth of the drawing.
        let total = finite.reduce(0 as Int64) { $0.addingSaturated($1 ?? 0) }
        let shares = RangeBar.cells(for: finite.map { $0 ?? total / 16 }, width: cells)
        return zip(shown, shares).map { part, share in
            CachePage.Stretch(
                part.kind, from: part.from, through: part.through, share: share * 1_000 / cells,
                note: part.note)
        }
    }
}

extension CachePage.Reason {
    fileprivate init(_ reason: HistoryHole.Reason) {
        self =
            switch reason {
            case .neverFetched: .neverFetched
            case .notPagedTo: .notPagedTo
            case .betweenVisits: .betweenVisits
            case .notCaughtUp: .notCaughtUp
            }
    }
}

extension HistoryHole {
    /// The estimated size, and the last attempt to fill the hole.
    fileprivate var note: String? {
        let size = size == .unknown ? nil : "\(size) missing"
        let attempt = lastAttempt.map { attempt in
            "last asked for at \(UTCDate.text(attempt.at))"
                + (attempt.failure.map { ", error \($0)" } ?? "")
        }
        let parts = [size, attempt].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension CachePage.Item {
    fileprivate init(_ item: OutboxItem, showsText: Bool, wait: String? = nil) {
        let (fate, hasFailed) = Self.fate(item.state, mayHaveArrived: item.mayHaveArrived, wait)
        self.init(
            kind: item.kind, channel: item.channel.rawValue, writtenAt: item.createdAt,
            fate: item.draft == nil ? fate : "kept as a draft", hasFailed: hasFailed,
            attempts: item.attemptCount, text: showsText ? item.shownText : nil)
    }

    fileprivate init(_ item: FolderStructure.SealedItem) {
        let (fate, hasFailed) = Self.fate(item.state, mayHaveArrived: false, nil)
        self.init(
            kind: "encrypted, \(Measures.size(item.byteCount))", channel: nil,
            writtenAt: item.createdAt, fate: fate, hasFailed: hasFailed,
            attempts: item.attemptCount)
    }

    private static func fate(
        _ state: UnsentState, mayHaveArrived: Bool, _ wait: String?
    ) -> (String, Bool) {
        switch state {
        case .pending:
            let arrival = mayHaveArrived ? "; the server may have it, so it is looked up first" : ""
            return ((wait ?? "waits to be sent") + arrival, false)
        case .failed(let code):
            return ("failed (\(code)): waits for a decision of the user", true)
        case .canceled: return ("canceled", true)
        }
    }
}

extension OutboxItem {
    /// The text of a message, a draft or an edit.
    var shownText: String? {
        if let text = message(from: nil)?.text ?? draft?.text { return text }
        guard case .edit(_, let edit)? = change?.action else { return nil }
        return edit.text
    }
}
