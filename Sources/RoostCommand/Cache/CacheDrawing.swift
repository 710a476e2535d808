// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostCore
import RoostModel
import RoostPages
import RoostStore

/// The output of `roost cache inspect` about one user's folder.
struct CacheDrawing {
    let folder: String
    let found: FolderInspection
    let showsText: Bool
    let now: Timestamp
    let style: Style

    var lines: [String] {
        let cache = found.cache
        let messages = cache.channels.reduce(0) { $0 + $1.messageCount }
        let holes = cache.channels.reduce(0) { $0 + $1.coverage.holes.count }
        var lines = [
            style(.strong, "\(found.owner.user) in \(found.owner.application)")
                + style(.quiet, "  \(folder)"),
            "  cache   \(Measures.size(found.cacheBytes)): "
                + [
                    Measures.count(cache.channels.count, "channel"),
                    Measures.count(messages, "message"), Measures.count(holes, "hole"),
                    Measures.count(cache.userCount, "user"),
                ].joined(separator: ", "),
            "  outbox  \(outboxState)",
        ]
        for channel in cache.channels { lines += draw(channel) }
        if !found.outbox.items.isEmpty {
            lines += ["", "  unsent, oldest first"] + found.outbox.items.map { draw($0) }
        }
        for id in found.outbox.damaged {
            lines.append("    \(id): damaged and unreadable; it is kept")
        }
        for id in found.outbox.newer {
            lines.append("    \(id): written by a newer release; it is kept")
        }
        return lines + found.quarantined.map { draw($0) }
    }

    private var outboxState: String {
        guard found.hasOutbox else {
            return "missing: the number of its unsent messages is unknown"
        }
        let (damaged, newer) = (found.outbox.damaged.count, found.outbox.newer.count)
        let drafts = found.outbox.items.count { $0.draft != nil }
        let marks = found.outbox.items.count { $0.inboxMark != nil }
        let unsent = found.outbox.items.count - drafts - marks
        var parts = [Measures.count(unsent, "unsent message")]
        if drafts > 0 { parts.append(Measures.count(drafts, "draft")) }
        if marks > 0 { parts.append(Measures.count(marks, "inbox mark")) }
        if damaged > 0 { parts.append("\(damaged) damaged") }
        if newer > 0 { parts.append("\(newer) of a newer release") }
        return "\(Measures.size(found.outboxBytes)): " + parts.joined(separator: ", ")
    }

    private func draw(_ outbox: QuarantinedOutbox) -> String {
        let name = outbox.path.split(separator: "/").last.map(String.init) ?? outbox.path
        let lost = outbox.lost.map { "\($0)" } ?? "an unknown number"
        return "  quarantined  \(name): a damaged outbox, of which \(lost) could not be saved"
    }

    private func draw(_ channel: CacheInspection.Channel) -> [String] {
        let bar = RangeBar(channel.coverage)
        let isKnown = !channel.coverage.ranges.isEmpty
        let counts =
            [Measures.count(channel.messageCount, "message")]
            + (isKnown
                ? [
                    Measures.count(channel.coverage.ranges.count, "range"),
                    Measures.count(channel.coverage.holes.count, "hole"),
                ] : ["its history is unknown"])
        let summary = style(.quiet, counts.joined(separator: ", "))
        let title = channel.url.onOneLine(named: showsText ? channel.name : nil)
        var lines = [
            "", "  \(title)  \(summary)", "  \(bar.bar)",
        ]
        if let last = bar.last {
            let first = bar.first.map { WallClock.date($0) } ?? "the beginning"
            lines.append(style(.quiet, "   \(first) to \(WallClock.date(last)), UTC"))
        }
        return lines
    }

    private func draw(_ item: OutboxItem) -> String {
        let state =
            if case .failed(let code) = item.state { "failed (\(code))" } else {
                item.status.rawValue
            }
        let age = Measures.age(of: item.createdAt, now: now)
        let tries = item.attemptCount > 0 ? ", tried \(item.attemptCount)×" : ""
        let words = item.shownText?.onOneLine
        let channel = item.channel.rawValue.onOneLine
        let text = words.map { showsText ? ": \($0)" : "" } ?? ""
        let kind = item.kind == "message" ? "" : " \(item.kind)"
        if item.draft != nil {
            return "    \(style(.waiting, "draft")), \(age) old, to \(channel)\(text)"
        }
        if let mark = item.inboxMark {
            let place = item.channel.rawValue.isEmpty ? "" : " in \(channel)"
            return "    \(style(.waiting, "inbox mark")) of “\(mark.inbox)”\(place), \(age) old"
        }
        let target = item.change?.action.target.map { " of \($0.words)" } ?? ""
        return "    \(style(.waiting, state))\(kind)\(target), \(age) old\(tries), "
            + "to \(channel)\(text)"
    }
}

extension MessageTarget {
    fileprivate var words: String {
        switch self {
        case .delivered(let id): "message \(id.rawValue)"
        case .unsent(let id): "unsent message \(id)"
        }
    }
}
