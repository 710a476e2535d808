// SPDX-License-Identifier: Apache-2.0

internal import RoostPages

/// A picture of figures, as the text of an SVG.
///
/// The same report makes the same bytes: nothing but the report decides.
package struct Picture: Hashable, Sendable {
    /// The name of its file, without an ending.
    package let name: String
    /// The title, as a text beside the picture.
    package let title: String
    package let svg: String

    /// Draws the pictures of a report: one of its bars and one of its lines, where it has them.
    package static func all(of report: BenchReport) -> [Picture] {
        let bars = BarPicture(report)
        let lines = LinePicture(report)
        return [bars.rows.isEmpty ? nil : bars.picture, lines.panels.isEmpty ? nil : lines.picture]
            .compactMap(\.self)
    }

    /// The name of the file with the figures, without an ending.
    package static func name(of report: BenchReport) -> String {
        let hasBars = report.rows.contains { $0.size == nil }
        return "bench-\(report.bench)" + (hasBars || report.rows.isEmpty ? "" : "-sizes")
    }
}

/// The sheet on which both kinds of pictures are drawn, from top to bottom.
///
/// It is narrow, so that its text can be read on a telephone. All text is text, and colours follow
/// the reader's choice of light or dark.
struct Sheet {
    static let width = 480.0
    static let margin = 12.0
    /// The coordinate below everything that was drawn.
    private(set) var bottom = 0.0
    private var parts: [HTML] = []

    mutating func add(_ part: HTML) { parts.append(part) }

    mutating func space(_ height: Double) { bottom += height }

    /// Writes a text in lines of the sheet's width.
    mutating func paragraph(_ text: String, _ kind: TextKind) {
        paragraph(text.split(separator: " ").map { String($0) }, joint: " ", kind)
    }

    /// Writes parts that are not broken, in lines of the sheet's width.
    mutating func paragraph(_ parts: [String], joint: String, _ kind: TextKind) {
        let limit = Int((Self.width - 2 * Self.margin) / kind.characterWidth)
        for line in Self.lines(of: parts, joint: joint, limit: limit) {
            bottom += kind.lineHeight
            add(Self.text(line, x: Self.margin, y: bottom - 4, kind.rawValue))
        }
    }

    /// Writes marks with their meanings, in as many lines as they need.
    mutating func legend(_ entries: [(mark: (Double, Double) -> HTML, text: String)]) {
        var x = Self.margin
        bottom += 16
        for entry in entries {
            let width = 24 + Double(entry.text.count) * TextKind.small.characterWidth + 10
            if x + width > Self.width, x > Self.margin {
                x = Self.margin
                bottom += 16
            }
            add(entry.mark(x, bottom - 8))
            add(Self.text(entry.text, x: x + 22, y: bottom - 4, TextKind.small.rawValue))
            x += width
        }
        bottom += 4
    }

    /// Writes the conditions of a run.
    mutating func caption(of report: BenchReport) {
        bottom += 14
        if let command = report.fact("command") { paragraph(command, .small) }
        for parts in report.caption { paragraph(parts, joint: " · ", .small) }
    }

    static func text(_ text: String, x: Double, y: Double, _ kinds: String) -> HTML {
        .element("text", [.kind(kinds), .x(x), .y(y)], .text(text))
    }

    static func line(
        _ kinds: String, from start: (x: Double, y: Double), to end: (x: Double, y: Double)
    ) -> HTML {
        .element(
            "line", [.kind(kinds), .x1(start.x), .y1(start.y), .x2(end.x), .y2(end.y)])
    }

    static func box(
        _ kinds: String, x: Double, y: Double, width: Double, height: Double
    ) -> HTML {
        .element(
            "rect", [.kind(kinds), .x(x), .y(y), .width(width), .height(height)])
    }

    /// A mark of a peer: the number decides about its colour and its shape.
    static func peerMark(_ number: Int, x: Double, y: Double) -> HTML {
        let radius = 4.5
        let points =
            number.isMultiple(of: 2)
            ? [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
            : [(x - radius, y + 4), (x, y - radius), (x + radius, y + 4)]
        return .element(
            "polygon", [.kind(peerKind(number)), .points(points.map { (x: $0.0, y: $0.1) })])
    }

    static func peerKind(_ number: Int) -> String { "peer\(number % 3)" }

    /// Returns the whole document.
    func document(title: String, description: String) -> String {
        let height = bottom + Self.margin
        let ground = Self.box("ground", x: 0, y: 0, width: Self.width, height: height)
        let named =
            HTML.element("title", [.id("title")], .text(title))
            + "\n" + .element("desc", [.id("desc")], .text(description)) + "\n"
        let body = ([ground] + parts).reduce(named) { $0 + $1 + "\n" }
        let size = "\(Int(Self.width)) \(Int(height.rounded(.up)))"
        let shown = "\(Int(Self.width * 1.5))"
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(shown)" role="img" \
            aria-labelledby="title desc">
            <style>
            \(Self.style)
            </style>

            """
        return head + body.source + "</svg>\n"
    }

    /// Returns a text in lines with at most so many characters, broken between words only.
    static func lines(of text: String, limit: Int) -> [String] {
        lines(of: text.split(separator: " ").map { String($0) }, joint: " ", limit: limit)
    }

    /// Returns parts in lines with at most so many characters, broken between parts only.
    private static func lines(of parts: [String], joint: String, limit: Int) -> [String] {
        var lines: [String] = []
        for part in parts {
            if let last = lines.last, last.count + joint.count + part.count <= limit {
                lines[lines.count - 1] += joint + part
            } else {
                lines.append(part)
            }
        }
        return lines
    }

    private static let style = """
        text { font: 12.5px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
        .title { font-size: 15px; font-weight: 600 } .name { font-weight: 600 } .small { font-size: 11px; fill: #59616d }
        .end { text-anchor: end } .middle { text-anchor: middle } .ground { fill: #ffffff } .grid { stroke: #d9dde3 }
        .band { fill: #f2f4f7 } .figure { font-size: 13px; font-weight: 600 } .good { fill: #1a7f37 } .bad { fill: #b3261e }
        .ours { fill: #1f5fa8; stroke: #1f5fa8 } .limit { fill: #59616d; stroke: #59616d; stroke-width: 2 }
        .target { stroke: #b3261e; stroke-width: 2 } .peer0 { fill: #b35c00; stroke: #b35c00 }
        .peer1 { fill: #7a3fb5; stroke: #7a3fb5 } .peer2 { fill: #00796b; stroke: #00796b }
        .guide { stroke: #59616d; stroke-dasharray: 2 4 } .beyond { fill: #59616d }
        polyline.path { fill: none; stroke-width: 2 } polyline.limit { stroke-dasharray: 6 3 }
        text.ours, text.limit, text.peer0, text.peer1, text.peer2 { stroke: none; font-size: 11px }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6e8eb } .small { fill: #9aa3af } .ground { fill: #15181c } .grid { stroke: #30363d }
          .band { fill: #1c2127 } .good { fill: #4ac26b } .bad { fill: #ff8a80 } .ours { fill: #8ab4f8; stroke: #8ab4f8 }
          .limit { fill: #9aa3af; stroke: #9aa3af } .target { stroke: #ff8a80 } .peer0 { fill: #f0a860; stroke: #f0a860 }
          .peer1 { fill: #c49bf0; stroke: #c49bf0 } .peer2 { fill: #5fd0c0; stroke: #5fd0c0 } .guide { stroke: #9aa3af }
          .beyond { fill: #9aa3af }
        }
        """
}

/// The kinds of text on a sheet.
enum TextKind: String {
    case title, name, small

    var lineHeight: Double {
        switch self {
        case .title: 20
        case .name: 16
        case .small: 14
        }
    }

    /// The width of a usual character of a wide font; texts are broken by it, because no font is measured.
    var characterWidth: Double {
        switch self {
        case .title: 9.2
        case .name: 8.2
        case .small: 6.3
        }
    }
}

extension BenchReport {
    /// The title of its pictures.
    var title: String {
        subject.isEmpty
            ? "roost-bench \(bench)" : subject.prefix(1).uppercased() + subject.dropFirst()
    }

    /// The conditions besides the command that a reader of a picture needs, each paragraph in its
    /// parts.
    var caption: [[String]] {
        let origin = [fact("date"), fact("commit").map { "commit \($0)" }, fact("machine")]
        let load = fact("load average at the start").map { "load average \($0) at the start" }
        let beside = fact("beside").map { "beside it: \($0)" }
        return [origin, [load, beside]].map { $0.compactMap(\.self) }
            .filter { !$0.isEmpty }
    }

    /// The names of all peers of some rows, in the order of their first row.
    func peerNames(in rows: [Row]) -> [String] {
        rows.flatMap(\.peers).map(\.name).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }
}
