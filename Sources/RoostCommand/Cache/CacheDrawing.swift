// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

/// What `roost cache inspect` prints about one user's folder.
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
            "  outbox  \(Measures.size(found.outboxBytes)): "
                + Measures.count(found.outbox.items.count, "unsent message"),
        ]
        for channel in cache.channels { lines += draw(channel) }
        if !found.outbox.items.isEmpty {
            lines += ["", "  unsent, oldest first"] + found.outbox.items.map { draw($0) }
        }
        for id in found.outbox.unreadable {
            lines.append("    \(id): written by a newer release; it stays where it is")
        }
        return lines
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
                ] : ["nothing is known of its history"])
        var lines = [
            "", "  \(channel.url)  \(style(.quiet, counts.joined(separator: ", ")))",
            "  \(bar.bar)",
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
        let text = item.message(from: nil).map { showsText ? ": \($0.text)" : "" } ?? ""
        let kind = item.kind == "message" ? "" : " \(item.kind)"
        return "    \(style(.waiting, state))\(kind), \(age) old\(tries), to \(item.channel)\(text)"
    }
}
