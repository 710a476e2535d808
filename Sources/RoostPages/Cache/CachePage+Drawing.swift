// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

extension CachePage {
    /// Returns the parts of the page, each in an element that a live page replaces by itself.
    ///
    /// `prefix` distinguishes the parts of several caches on one page.
    package func parts(prefix: String = "") -> HTML {
        .joined([
            Self.part(prefix + "summary", summary),
            Self.part(prefix + "channels", channelSection(prefix)),
            Self.part(prefix + "outbox", outboxSection(prefix)),
            journal.map { Self.part(prefix + "journal", $0.section(prefix)) } ?? .nothing,
        ])
    }

    private static func part(_ name: String, _ content: HTML) -> HTML {
        .element("section", [.data(.part, name), .id("part-" + name)], content)
    }

    // MARK: Summary

    private var summary: HTML {
        let messages = channels.reduce(omitted.messageCount) { $0.addingSaturated($1.messageCount) }
        let holes = channels.reduce(omitted.holeCount) { $0 + $1.holes.count }
        let channelCount = channels.count + omitted.channelCount
        let place: HTML =
            folder.map { .joined([" ", .element("code", [], .quoted($0))]) } ?? .nothing
        return .joined([
            .element(
                "h1", [], .quoted(user, limit: 80), " in ", .quoted(application, limit: 80)),
            // The page of a client is always of the present.
            state == nil
                ? .element("p", [.kind("quiet")], "As of \(UTCDate.text(now)) UTC", place)
                : .nothing,
            state.map { .element("p", [.kind("state")], .text($0)) } ?? .nothing,
            isSealed
                ? .element(
                    "p", [.kind("note")],
                    "This cache is encrypted, and its key is not given: sizes, times and ranges "
                        + "can be read, names and texts cannot.")
                : .nothing,
            .joined(warnings.map { .element("p", [.kind("note bad")], .quoted($0, limit: 600)) }),
            .element(
                "ul", [.kind("tiles")],
                Tile.html(Measures.size(usedBytes), "of \(Measures.size(limit)) in the cache"),
                Tile.html("\(channelCount)", Measures.noun(channelCount, "channel")),
                Tile.html("\(messages)", Measures.noun(messages, "message")),
                Tile.html("\(holes)", Measures.noun(holes, "hole")),
                Tile.html("\(userCount)", Measures.noun(userCount, "user")),
                Tile.html("\(outbox.count)", "unsent")),
        ])
    }

    // MARK: Channels

    private func channelSection(_ prefix: String) -> HTML {
        let heading = HTML.element("h2", [.id(prefix + "channels-title")], "Channels")
        guard !channels.isEmpty else {
            return heading + .element("p", [.kind("quiet")], "The cache has no channel.")
        }
        let next = channels.filter { $0.evictionPlace != nil }
            .min { ($0.evictionPlace ?? 0, $0.key) < ($1.evictionPlace ?? 0, $1.key) }
        let isFull = usedBytes >= limit
        let eviction: HTML =
            next.map { next in
                .joined([
                    isFull
                        ? "The cache is full. Evicted next: "
                        : "Nothing is evicted below \(Measures.size(limit)). The first to go would be ",
                    .quoted(next.name ?? next.key, limit: 80), ".",
                    state == nil ? " A running client spares the channels that it uses." : "",
                ])
            } ?? "An eviction would take nothing: no channel with messages is unpinned."
        return .joined([
            heading, Self.legend, .element("p", [.kind("quiet")], eviction),
            .joined(channels.enumerated().map { $1.card(id: "\(prefix)channel-\($0)") }),
            omitted.channelCount > 0
                ? .element(
                    "p", [.kind("quiet")],
                    "\(omitted.channelCount) of the smaller channels are left out here.")
                : .nothing,
        ])
    }

    private static let legend = HTML.element(
        "ul", [.kind("legend"), .label("Legend")],
        .element("li", [.kind("range")], "complete"), .element("li", [.kind("hole")], "hole"),
        .element("li", [.kind("hole end")], "open end, not caught up"))

    // MARK: Outbox

    private func outboxSection(_ prefix: String) -> HTML {
        let heading = HTML.element("h2", [.id(prefix + "outbox-title")], "Outbox")
        guard !outbox.isEmpty else {
            return heading + .element("p", [.kind("quiet")], "Nothing is unsent.")
        }
        let names = ["Age", "Kind", "Channel", "Fate", "Tries", "Text"]
        return heading
            + .table(
                names, labelledBy: prefix + "outbox-title",
                outbox.map { item in
                    [
                        .joined([
                            .element(
                                "time", [.datetime(UTCDate.machineText(item.writtenAt))],
                                .text(Measures.age(of: item.writtenAt, now: now)))
                        ]),
                        .text(item.kind),
                        item.channel.map { .quoted($0, limit: 80) } ?? Self.encrypted,
                        .element(
                            "span", [.kind(item.hasFailed ? "bad" : "waiting")], .text(item.fate)),
                        "\(item.attempts)",
                        item.text.map { .quoted($0) } ?? .nothing,
                    ]
                })
    }

    private static let encrypted = HTML.element("span", [.kind("quiet")], "encrypted")
}

extension CachePage.Channel {
    var holes: [CachePage.Stretch] { stretches.filter { $0.kind != .range } }

    /// The channel as a drawing, and the same as a table.
    fileprivate func card(id: String) -> HTML {
        var notes = [
            Measures.count(messageCount, "message"), Measures.size(byteCount),
            Measures.count(stretches.count - holes.count, "range"),
            Measures.count(holes.count, "hole"),
        ]
        if isOpen || isInUse { notes.append(isOpen ? "on screen" : "read by an inbox") }
        notes.append(
            isPinned
                ? "pinned, so never evicted"
                : evictionPlace.map { "eviction place \($0)" } ?? "nothing to evict")
        return .element(
            "article", [.kind("channel"), .id(id), .labelled(by: id + "-title")],
            .element(
                "h3", [.id(id + "-title")], .quoted(name ?? key, limit: 120),
                name == nil
                    ? .nothing
                    : .joined([" ", .element("small", [], .quoted(key, limit: 120))])),
            .element("p", [.kind("quiet")], .text(notes.joined(separator: ", "))),
            bar(id),
            .element(
                "details", [.id(id + "-details")],
                .element("summary", [], "Ranges and holes as a table"),
                .table(
                    ["Part", "From (UTC)", "To (UTC)", "Reason"], labelledBy: id + "-title",
                    stretches.map { stretch in
                        [
                            stretch.kind == .range ? "range" : "hole",
                            .text(UTCDate.text(stretch.from)), .text(UTCDate.text(stretch.through)),
                            .text(stretch.reason),
                        ]
                    })))
    }

    private func bar(_ id: String) -> HTML {
        var x = 0.0
        var parts: [HTML] = []
        for stretch in stretches {
            let width = Double(stretch.share)
            parts.append(
                .element(
                    "rect",
                    [
                        .kind(stretch.style), .x(x), .y(0), .width(max(width - 2, 1)),
                        .height(24),
                    ],
                    .element("title", [], .text(stretch.sentence))))
            x += width
        }
        let words =
            stretches.isEmpty
            ? "nothing is known of the history"
            : stretches.suffix(12).map(\.sentence).joined(separator: "; ")
        return .element(
            "svg",
            [
                .kind("bar"), .viewBox(width: 1_000, height: 24), .stretches, .role("img"),
                .label(Escaping.cut("History: " + words, to: 1_000)),
            ], parts)
            + .element(
                "p", [.kind("ends")],
                .element("span", [], .text(UTCDate.text(stretches.first?.from ?? .distantPast))),
                .element("span", [], .text(UTCDate.text(stretches.last?.through ?? .distantFuture)))
            )
    }
}

extension CachePage.Stretch {
    fileprivate var style: String {
        switch kind {
        case .range: "range"
        case .hole(.notCaughtUp): "hole end"
        case .hole: "hole"
        }
    }

    fileprivate var reason: String {
        switch kind {
        case .range: "complete"
        case .hole(let reason): [reason.words, note].compactMap(\.self).joined(separator: "; ")
        }
    }

    fileprivate var sentence: String {
        let name = kind == .range ? "range" : "hole"
        return "\(name) from \(UTCDate.text(from)) to \(UTCDate.text(through)), \(reason)"
    }
}
