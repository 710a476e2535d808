// SPDX-License-Identifier: Apache-2.0

internal import RoostPages

// A row for each workload, on one axis: the cost as a multiple of the limit's.
//
// The units of workloads differ, so absolute costs have no axis in common. Multiples have one. It
// is logarithmic, and bars begin at the limit and not at zero: twice the limit's cost is as long to
// the right as half of it to the left. The absolute costs stand below each bar.

struct BarPicture {
    private let report: BenchReport
    let rows: [BenchReport.Row]
    private let peers: [String]
    private let axis: LogScale

    private static let figureX = Sheet.width - Sheet.margin
    private static let bandHeight = 18.0
    /// A peer beyond this multiple of all own figures has no place on the axis: it would leave too
    /// little room for them.
    private static let reach = 10.0

    init(_ report: BenchReport) {
        self.report = report
        rows = report.rows.filter { $0.size == nil && !$0.isDetail && $0.ours != nil }
        peers = report.peerNames(in: rows)
        let ratios = rows.compactMap(\.ratio)
        let targets = rows.filter { $0.limit != nil }.compactMap(\.target)
        let own: [Double] = ratios + targets + [1]
        let far = Self.reach * (own.filter(LogScale.isShown).max() ?? 1)
        let others = rows.flatMap { row in row.peers.compactMap { row.multiple(of: $0.cost) } }
        axis = LogScale(
            covering: own + others.filter { $0 <= far }, from: Sheet.margin + 14,
            to: Sheet.width - 64, leastSteps: 4)
    }

    var picture: Picture {
        var sheet = Sheet()
        sheet.space(8)
        sheet.paragraph(report.title, .title)
        sheet.paragraph(
            "Cost as a multiple of the limit's, on a logarithmic scale: a bar to the left is "
                + "cheaper than the limit.", .small)
        sheet.legend(legend)
        drawAxis(on: &sheet)
        for row in rows { draw(row, on: &sheet) }
        sheet.caption(of: report)
        return Picture(
            name: "bench-\(report.bench)", title: report.title,
            svg: sheet.document(
                title: report.title, description: rows.map(\.sentence).joined(separator: " ")))
    }

    private var legend: [(mark: (Double, Double) -> HTML, text: String)] {
        var entries: [(mark: (Double, Double) -> HTML, text: String)] = [
            ({ Sheet.box("ours", x: $0, y: $1 - 4, width: 16, height: 8) }, "ours"),
            ({ Sheet.line("limit", from: ($0 + 8, $1 - 7), to: ($0 + 8, $1 + 7)) }, "the limit"),
        ]
        if rows.contains(where: { $0.target != nil }) {
            entries.append(({ Self.targetMark(x: $0 + 8, y: $1) }, "the target"))
        }
        for (number, name) in peers.enumerated() {
            entries.append(({ Sheet.peerMark(number, x: $0 + 8, y: $1) }, name))
        }
        if rows.contains(where: hasPeerBeyond) {
            entries.append(({ Self.arrow("beyond", x: $0 + 12, y: $1) }, "beyond the scale"))
        }
        return entries
    }

    private func drawAxis(on sheet: inout Sheet) {
        guard rows.contains(where: { $0.ratio != nil }) else { return }
        sheet.space(18)
        for tick in axis.ticks {
            let text = tick == 1 ? "limit" : "\(FigureText.short(tick)) ×"
            sheet.add(
                Sheet.text(text, x: axis.place(tick), y: sheet.bottom - 4, "small middle"))
        }
        sheet.add(Sheet.text("ratio", x: Self.figureX, y: sheet.bottom - 4, "small end"))
    }

    private func draw(_ row: BenchReport.Row, on sheet: inout Sheet) {
        sheet.space(8)
        sheet.paragraph("\(row.workload) · \(row.name)", .name)
        if let ratio = row.ratio {
            drawBand(row, ratio, top: sheet.bottom + 2, on: &sheet)
            sheet.space(Self.bandHeight + 4)
        }
        sheet.paragraph(row.figures, joint: " · ", .small)
    }

    private func drawBand(
        _ row: BenchReport.Row, _ ratio: Double, top: Double, on sheet: inout Sheet
    ) {
        let middle = top + Self.bandHeight / 2
        let bottom = top + Self.bandHeight
        sheet.add(
            Sheet.box(
                "band", x: axis.start, y: top, width: axis.end - axis.start,
                height: Self.bandHeight))
        for tick in axis.ticks {
            let x = axis.place(tick)
            sheet.add(Sheet.line("grid", from: (x, top), to: (x, bottom)))
        }
        let (one, end) = (axis.place(1), axis.place(ratio))
        sheet.add(
            Sheet.box(
                "ours", x: min(one, end), y: middle - 5, width: max(abs(end - one), 1), height: 10))
        sheet.add(Sheet.line("limit", from: (one, top), to: (one, bottom)))
        if let target = row.target {
            sheet.add(Self.targetMark(x: axis.place(target), y: middle))
        }
        for (number, name) in peers.enumerated() {
            guard let peer = row.peers.first(where: { $0.name == name }),
                let multiple = row.multiple(of: peer.cost), LogScale.isShown(multiple)
            else { continue }
            let mark =
                multiple > axis.upper
                ? Self.arrow(Sheet.peerKind(number), x: axis.end - Double(number * 9), y: middle)
                : Sheet.peerMark(number, x: axis.place(multiple), y: middle)
            sheet.add(mark)
        }
        let color: String? =
            switch row.verdict {
            case .met: "good"
            case .missed: "bad"
            case .shown, .notBuilt: nil
            }
        let kinds = ["figure end", color].compactMap(\.self).joined(separator: " ")
        sheet.add(Sheet.text(FigureText.number(ratio), x: Self.figureX, y: middle + 4.5, kinds))
    }

    private func hasPeerBeyond(_ row: BenchReport.Row) -> Bool {
        row.peers.contains { (row.multiple(of: $0.cost) ?? 0) > axis.upper }
    }

    /// The mark of a figure to the right of the axis.
    private static func arrow(_ kind: String, x: Double, y: Double) -> HTML {
        .element(
            "polygon",
            [.kind(kind), .points([(x: x, y: y), (x: x - 7, y: y - 5), (x: x - 7, y: y + 5)])])
    }

    /// A bracket whose upright is at the target: costs to the left of it are allowed.
    private static func targetMark(x: Double, y: Double) -> HTML {
        Sheet.line("target", from: (x, y - 8), to: (x, y + 8))
            + Sheet.line("target", from: (x - 4, y - 8), to: (x + 1, y - 8))
            + Sheet.line("target", from: (x - 4, y + 8), to: (x + 1, y + 8))
    }
}

extension BenchReport.Row {
    /// The absolute costs and the verdict.
    fileprivate var figures: [String] {
        var parts = ["ours \(FigureText.number(ours)) \(unit)"]
        if let limit { parts.append("limit \(FigureText.number(limit))") }
        parts += peers.map { "\($0.name) \(FigureText.number($0.cost))" }
        if let target {
            let verdict = verdict == .shown ? "" : ", \(verdict.rawValue)"
            parts.append("target ≤ \(FigureText.short(target))\(verdict)")
        }
        return parts
    }

    /// All of the row as a sentence for a screen reader.
    fileprivate var sentence: String {
        let ratio = ratio.map { ", ratio \(FigureText.number($0))" } ?? ""
        return "\(workload), \(name): \(figures.joined(separator: ", "))\(ratio)."
    }
}
