// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostBench
import Testing

/// The comparison of the pictures of benchmarks with the figures that are kept beside them.
struct BenchPictureTests {
    private static let folder = "docs/pictures"

    /// The names of the files of benchmarks, without those of other pictures.
    private static func names(_ ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: Project.root.appending(path: folder).path
        ).filter { $0.hasPrefix("bench-") && $0.hasSuffix(ending) }.sorted()
    }

    private static func reports() throws -> [BenchReport] {
        try names(".json").map { try BenchReport(json: Project.text("\(folder)/\($0)")) }
    }

    @Test func `each picture of figures is what its data make (scripts/figure-pictures --redraw)`()
        throws
    {
        let pictures = try Self.reports().flatMap { Picture.all(of: $0) }
        #expect(!pictures.isEmpty)
        #expect(pictures.map { $0.name + ".svg" }.sorted() == (try Self.names(".svg")))
        for picture in pictures {
            let drawn = try Project.text("\(Self.folder)/\(picture.name).svg")
            #expect(drawn == picture.svg, "\(picture.name)")
        }
    }

    @Test func `the page of benchmarks shows these figures, with their conditions`() throws {
        let reports = try Self.reports()
        let page = try Project.text("docs/benchmarks.md")
        let figures = FigurePage(reports, pictures: "pictures")
        #expect(try figures.replaced(in: page) == page)
        for report in reports {
            let names = Set(report.facts.map(\.name))
            let needed: Set = ["command", "commit", "date", "machine", "beside"]
            #expect(names.isSuperset(of: needed), "\(report.bench)")
        }
    }
}
