// SPDX-License-Identifier: Apache-2.0

/// The part of a Markdown page that shows figures: pictures with captions, and one table.
///
/// It is made of the same reports as the pictures, so that page and pictures agree.
package struct FigurePage: Sendable {
    package static let (begin, end) = ("<!-- figures: begin -->", "<!-- figures: end -->")

    /// The order of the reports on the page.
    private static let order = [
        "cache", "app", "outbox", "engine", "server", "doors", "chat", "cluster",
    ]

    private let reports: [BenchReport]
    private let folder: String

    /// Makes the part.
    ///
    /// - Parameters:
    ///   - reports: The reports, in any order.
    ///   - folder: The folder of the pictures, seen from the page.
    package init(_ reports: [BenchReport], pictures folder: String) {
        self.reports = reports.sorted { Self.place(of: $0) < Self.place(of: $1) }
        self.folder = folder
    }

    private static func place(of report: BenchReport) -> (Int, String) {
        (order.firstIndex(of: report.bench) ?? order.count, Picture.name(of: report))
    }

    /// Returns a page with the part between the two marks replaced.
    ///
    /// - Throws: An error if the page lacks one of them.
    package func replaced(in page: String) throws(BenchError) -> String {
        guard let begin = page.firstRange(of: Self.begin),
            let end = page.firstRange(of: Self.end), begin.upperBound <= end.lowerBound
        else { throw BenchError("The page has no lines \(Self.begin) and \(Self.end).") }
        return page[..<begin.upperBound] + "\n" + text + page[end.lowerBound...]
    }

    /// The Markdown.
    package var text: String {
        var lines: [String] = [""]
        for report in reports {
            for picture in Picture.all(of: report) {
                lines += ["![\(picture.title)](\(folder)/\(picture.name).svg)", ""]
            }
            lines += Sheet.lines(of: Self.caption(of: report), limit: 118) + [""]
        }
        lines += Self.table(
            ["bench", "", "workload", "ours", "limit", "ratio", "target", "other ways"],
            reports.flatMap(Self.rows))
        for report in reports { lines += Self.sizes(of: report) }
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// The cells of the costs at one size.
    private static func rows(of report: BenchReport) -> [[String]] {
        report.rows.filter { $0.size == nil && !$0.isDetail && $0.ours != nil }.map { row in
            let target = row.target.map { target in
                "≤ \(FigureText.short(target))" + (row.verdict == .missed ? ", missed" : "")
            }
            return [
                report.bench, row.workload, row.name, "\(FigureText.number(row.ours)) \(row.unit)",
                row.limit == nil ? "" : FigureText.number(row.limit),
                row.ratio == nil ? "" : FigureText.number(row.ratio), target ?? "", row.peerText,
            ]
        }
    }

    /// The costs over sizes as a table, ours and the limit's in each cell; empty without any.
    private static func sizes(of report: BenchReport) -> [String] {
        let panels = LinePicture(report).panels
        let sizes = Set(panels.flatMap(\.rows).compactMap(\.size)).sorted()
        guard !sizes.isEmpty else { return [] }
        let heads = ["ours / limit"] + sizes.map { FigureText.short(Double($0)) + " messages" }
        let cells = panels.map { panel in
            ["\(panel.title), \(panel.unit)"]
                + sizes.map { size in
                    panel.rows.first { $0.size == size }.map { row in
                        "\(FigureText.number(row.ours)) / \(FigureText.number(row.limit))"
                    } ?? ""
                }
        }
        return [""] + table(heads, cells)
    }

    private static func table(_ heads: [String], _ rows: [[String]]) -> [String] {
        let lines = ([heads] + rows).map { cells in
            "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }
        let rule = "|" + String(repeating: "---|", count: heads.count)
        return [lines[0], rule] + lines.dropFirst()
    }

    private static func caption(of report: BenchReport) -> String {
        let command = report.fact("command").map { "`\($0)`" }
        let parts = [command].compactMap(\.self) + report.caption.flatMap(\.self)
        return "*\(Picture.name(of: report))*: " + parts.joined(separator: " · ")
    }
}
