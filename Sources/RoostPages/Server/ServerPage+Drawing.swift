// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

extension ServerPage {
    /// The whole page with the figures and the ways to everything else.
    package var document: PageDocument {
        PageDocument(
            title: "Roost server \(applicationID)",
            body: ServerPlace.navigation(.figures)
                + .element("h1", [], "Server of ", .quoted(applicationID, limit: 80))
                + parts, view: OwnPath("/page/view"))
    }

    /// The parts that the live page replaces.
    package var parts: HTML {
        .joined([
            .element(
                "section", [.data(.part, "state"), .id("part-state")],
                .joined(
                    warnings.map { .element("p", [.kind("note bad")], .quoted($0, limit: 600)) })),
            .element(
                "section",
                [.data(.part, "figures"), .id("part-figures"), .labelled(by: "figures-title")],
                .element("h2", [.id("figures-title")], "The last hour"),
                .element("div", [.kind("charts")], ServerLine.all.map { chart($0) })),
            .element(
                "section", [.data(.part, "totals"), .id("part-totals")],
                .element("h2", [.id("totals-title")], "Since the start"),
                .table(
                    ["Figure", "Number"], labelledBy: "totals-title",
                    totals.map { [.text($0.name), "\($0.value)"] })),
        ])
    }

    private func chart(_ line: ServerLine) -> HTML {
        let points = samples.compactMap { sample in
            line.value(sample).map { (sample.at, $0) }
        }
        let peaks = samples.compactMap { sample in
            line.peak?(sample).map { (sample.at, $0) }
        }
        guard let last = points.last?.1 else {
            return .element(
                "article", [.kind("chart"), .labelled(by: line.id + "-title")],
                .element("h3", [.id(line.id + "-title")], .text(line.title)),
                .element(
                    "p", [.kind("quiet")], .text(samples.isEmpty ? "nothing yet" : line.absence)))
        }
        let most = max((points + peaks).map(\.1).max() ?? 0, 1)
        let now = [last, peaks.last?.1].compactMap(\.self).map(line.write)
            .joined(separator: " and ")
        let unit = line.unit.isEmpty ? "" : " " + line.unit
        return .element(
            "article", [.kind("chart"), .labelled(by: line.id + "-title")],
            .element("h3", [.id(line.id + "-title")], .text(line.title)),
            .element(
                "p", [], .element("strong", [], .text(now)), .text(unit + ", at most "),
                .text(line.write((points + peaks).map(\.1).max() ?? 0)), .text(unit)),
            .element(
                "svg",
                [
                    .kind("line"), .viewBox(width: 720, height: 100), .stretches, .role("img"),
                    .label("\(line.title) over the last hour, now \(now)\(unit)"),
                ], curve(peaks, most, "peak"), curve(points, most, "value")),
            .element(
                "p", [.kind("ends")], .element("span", [], "\(age) ago"),
                .element("span", [], "now")),
            .element(
                "details", [.id(line.id + "-details")],
                .element("summary", [], "As a table"), table(line)))
    }

    /// The milliseconds that the drawings show: an hour, or the time since the start.
    private var span: Double {
        let first = samples.first.map { now.milliseconds(since: $0.at) } ?? 0
        return Double(min(max(first.addingSaturated(10_000), 60_000), 3_600_000))
    }

    private var age: String {
        Measures.age(of: samples.first?.at ?? now, now: now)
    }

    private func curve(_ points: [(at: Timestamp, value: Double)], _ most: Double, _ kind: String)
        -> HTML
    {
        guard let first = points.first else { return .nothing }
        var places = points.map { point in
            let age = Double(now.milliseconds(since: point.at)) / span
            return (x: 720 * (1 - min(max(age, 0), 1)), y: 98 - 96 * point.value / most)
        }
        // The first period has a beginning too, so that a single one is seen.
        places.insert((max(places[0].x - 7_200_000 / span, 0), 98 - 96 * first.value / most), at: 0)
        return .element("polyline", [.kind(kind), .points(places)])
    }

    /// The mean and the highest value of every five minutes.
    private func table(_ line: ServerLine) -> HTML {
        let bucket: Int64 = 300_000
        var rows: [HTML] = []
        var rest = samples[...]
        var cells: [[HTML]] = []
        while let first = rest.first {
            let end = first.at.milliseconds / bucket
            let part = rest.prefix { $0.at.milliseconds / bucket == end }
            rest = rest.dropFirst(part.count)
            let values = part.compactMap(line.value)
            let peaks = part.compactMap { line.peak?($0) } + values
            guard let most = peaks.max() else { continue }
            let mean = values.reduce(0, +) / Double(max(values.count, 1))
            cells.append([
                .text(UTCDate.time(first.at)), .text(line.write(mean)), .text(line.write(most)),
            ])
        }
        rows.append(
            .table(["From (UTC)", "Mean", "Highest"], labelledBy: line.id + "-title", cells))
        return .joined(rows)
    }
}

/// The places of a server's page.
package enum ServerPlace: String, CaseIterable, Sendable {
    case figures, users, channels, chat

    private var path: OwnPath {
        switch self {
        case .figures: OwnPath("/")
        case .users: OwnPath("/page/users")
        case .channels: OwnPath("/page/channels")
        case .chat: OwnPath("/page/chat")
        }
    }

    private var title: String {
        switch self {
        case .figures: "Figures"
        case .users: "Users"
        case .channels: "Channels"
        case .chat: "Try it out"
        }
    }

    static func navigation(_ here: ServerPlace?) -> HTML {
        .element(
            "nav", [.label("Pages of the server")],
            allCases.map { place in
                .element(
                    "a", [.path(place.path)] + (place == here ? [.current("page")] : []),
                    .text(place.title))
            })
    }
}
