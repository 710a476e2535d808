// SPDX-License-Identifier: Apache-2.0

internal import RoostPages

// A diagram for each workload that was measured at several sizes: costs over the number of
// messages.
//
// Both axes are logarithmic, so a cost that grows as the messages do is a line as steep as the
// dotted guide, whatever its unit. A cost that does not grow is level.

struct LinePicture {
    /// The rows of one workload, by size.
    struct Panel {
        let title: String
        let unit: String
        let rows: [BenchReport.Row]
    }

    private let report: BenchReport
    let panels: [Panel]
    private let peers: [String]

    private static let (left, right) = (58.0, Sheet.width - 118)
    private static let height = 132.0

    init(_ report: BenchReport) {
        self.report = report
        let rows = report.rows.filter { ($0.size ?? 0) > 0 && !$0.isDetail }
        peers = report.peerNames(in: rows)
        var panels: [Panel] = []
        for row in rows {
            let title = "\(row.workload) · \(row.name)"
            guard !panels.contains(where: { $0.title == title && $0.unit == row.unit }) else {
                continue
            }
            let same = rows.filter {
                $0.workload == row.workload && $0.name == row.name && $0.unit == row.unit
            }
            panels.append(
                Panel(
                    title: title, unit: row.unit,
                    rows: same.sorted { ($0.size ?? 0) < ($1.size ?? 0) }))
        }
        self.panels = panels
    }

    var picture: Picture {
        var sheet = Sheet()
        sheet.space(8)
        let title = "\(report.title), over the number of messages"
        sheet.paragraph(title, .title)
        sheet.paragraph("Both scales are logarithmic: a level line does not grow.", .small)
        sheet.legend(legend)
        for panel in panels { draw(panel, on: &sheet) }
        sheet.caption(of: report)
        return Picture(
            name: "bench-\(report.bench)-sizes", title: title,
            svg: sheet.document(
                title: title,
                description: panels.map { $0.sentence(series(of: $0)) }.joined(separator: " ")))
    }

    private var legend: [(mark: (Double, Double) -> HTML, text: String)] {
        func stroke(_ kind: String) -> (Double, Double) -> HTML {
            { x, y in
                .element(
                    "polyline",
                    [.kind("path \(kind)"), .points([(x: x, y: y), (x: x + 16, y: y)])])
            }
        }
        var entries: [(mark: (Double, Double) -> HTML, text: String)] = [
            (stroke("ours"), "ours"), (stroke("limit"), "the limit"),
        ]
        for (number, name) in peers.enumerated() {
            entries.append(
                (
                    {
                        stroke(Sheet.peerKind(number))($0, $1)
                            + Sheet.peerMark(number, x: $0 + 8, y: $1)
                    }, name
                ))
        }
        entries.append(
            (
                { Sheet.line("guide", from: ($0, $1 + 4), to: ($0 + 16, $1 - 4)) },
                "grows as the messages do"
            ))
        return entries
    }

    /// One line of a diagram.
    struct Series {
        let name: String
        /// The colours of the line.
        let kind: String
        let mark: (Double, Double) -> HTML
        let points: [(size: Double, cost: Double)]

        /// The last cost as a multiple of the first; nil for fewer than two points.
        var growth: Double? {
            guard let first = points.first, let last = points.last, points.count > 1 else {
                return nil
            }
            return last.cost / first.cost
        }
    }

    private func series(of panel: Panel) -> [Series] {
        func points(_ cost: (BenchReport.Row) -> Double?) -> [(size: Double, cost: Double)] {
            panel.rows.compactMap { row in
                guard let size = row.size, let cost = cost(row), LogScale.isShown(cost) else {
                    return nil
                }
                return (Double(size), cost)
            }
        }
        func square(_ kind: String) -> (Double, Double) -> HTML {
            { Sheet.box(kind, x: $0 - 2.5, y: $1 - 2.5, width: 5, height: 5) }
        }
        let sides = [
            Series(name: "ours", kind: "ours", mark: square("ours"), points: points(\.ours)),
            Series(name: "limit", kind: "limit", mark: square("limit"), points: points(\.limit)),
        ]
        let others = peers.enumerated().map { number, name in
            Series(
                name: name, kind: Sheet.peerKind(number),
                mark: { Sheet.peerMark(number, x: $0, y: $1) },
                points: points { row in row.peers.first { $0.name == name }?.cost })
        }
        return (sides + others).filter { !$0.points.isEmpty }
    }

    private func draw(_ panel: Panel, on sheet: inout Sheet) {
        let series = series(of: panel)
        sheet.space(12)
        sheet.paragraph("\(panel.title), \(panel.unit)", .name)
        if let growth = panel.growth(of: series) { sheet.paragraph(growth, .small) }
        let top = sheet.bottom + 6
        let bottom = top + Self.height
        let sizes = panel.rows.compactMap(\.size).map { Double($0) }
        let across = LogScale(
            between: sizes.min() ?? 1, sizes.max() ?? 1, from: Self.left, to: Self.right)
        let up = LogScale(
            covering: series.flatMap(\.points).map(\.cost), from: bottom, to: top, leastSteps: 3)
        sheet.add(
            Sheet.box(
                "band", x: Self.left, y: top, width: Self.right - Self.left, height: Self.height))
        drawGrid(panel, across, up, on: &sheet)
        drawGuide(series, across, up, on: &sheet)
        for one in series.reversed() {
            let places = one.points.map { (x: across.place($0.size), y: up.place($0.cost)) }
            sheet.add(.element("polyline", [.kind("path \(one.kind)"), .points(places)]))
            for place in places { sheet.add(one.mark(place.x, place.y)) }
        }
        drawEnds(series, up, on: &sheet)
        sheet.space(bottom + 18 - sheet.bottom)
    }

    private func drawGrid(
        _ panel: Panel, _ across: LogScale, _ up: LogScale, on sheet: inout Sheet
    ) {
        for tick in up.ticks {
            let y = up.place(tick)
            sheet.add(Sheet.line("grid", from: (Self.left, y), to: (Self.right, y)))
            sheet.add(
                Sheet.text(FigureText.short(tick), x: Self.left - 6, y: y + 4, "small end"))
        }
        var free = 0.0
        for size in Set(panel.rows.compactMap(\.size)).sorted() {
            let (x, text) = (across.place(Double(size)), FigureText.short(Double(size)))
            sheet.add(Sheet.line("grid", from: (x, up.end), to: (x, up.start)))
            // A label that would touch the one before it is left out.
            let half = Double(text.count) * TextKind.small.characterWidth / 2
            guard x - half >= free else { continue }
            sheet.add(Sheet.text(text, x: x, y: up.start + 14, "small middle"))
            free = x + half + 6
        }
    }

    /// Draws a line that grows as the messages do, from the first point of ours.
    private func drawGuide(
        _ series: [Series], _ across: LogScale, _ up: LogScale, on sheet: inout Sheet
    ) {
        guard let first = series.first?.points.first, across.upper > first.size else { return }
        // It ends at the upper or at the right edge.
        let factor = min(up.upper / first.cost, across.upper / first.size)
        guard factor > 1 else { return }
        sheet.add(
            Sheet.line(
                "guide", from: (across.place(first.size), up.place(first.cost)),
                to: (across.place(first.size * factor), up.place(first.cost * factor))))
    }

    /// Writes the last cost of each line beside its end, moved apart where lines are close.
    private func drawEnds(_ series: [Series], _ up: LogScale, on sheet: inout Sheet) {
        let ends = series.compactMap { one in
            one.points.last.map { (one, $0.cost, y: up.place($0.cost)) }
        }.sorted { $0.y < $1.y }
        var free = up.end - 4
        for (one, cost, y) in ends {
            let place = max(y, free)
            sheet.add(
                Sheet.text(
                    "\(one.name.prefix(9)) \(FigureText.number(cost))", x: Self.right + 8,
                    y: place + 4, one.kind))
            free = place + 13
        }
    }
}

extension LinePicture.Panel {
    /// The growth of each line, in a sentence; nil for a single size.
    func growth(of series: [LinePicture.Series]) -> String? {
        guard let first = rows.first?.size, let last = rows.last?.size, last > first else {
            return nil
        }
        let parts = series.compactMap { one in
            one.growth.map { "\(one.name) × \(FigureText.number($0))" }
        }
        let factor = FigureText.short((Double(last) / Double(first) * 10).rounded() / 10)
        return "\(factor) times the messages: " + parts.joined(separator: ", ")
    }

    /// All costs in sentences, for a screen reader.
    func sentence(_ series: [LinePicture.Series]) -> String {
        let parts = series.map { one in
            let points = one.points.map {
                "\(FigureText.number($0.cost)) at \(FigureText.short($0.size))"
            }
            return "\(one.name) \(points.joined(separator: ", "))"
        }
        return "\(title), \(unit): \(parts.joined(separator: "; "))."
    }
}
