// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

#if canImport(FoundationXML)
import FoundationXML
#endif

struct PictureTests {
    typealias Row = BenchReport.Row

    private static func report(_ rows: [Row]) -> BenchReport {
        var report = BenchReport()
        report.bench = "cache"
        report.subject = "the cache against a limit"
        report.note("command", "roost-bench cache")
        report.note("date", "2026-11-27 12:00 UTC")
        report.rows = rows
        return report
    }

    private static func row(
        _ ours: Double?, _ limit: Double?, target: Double? = nil, size: Int? = nil,
        peers: [Double] = []
    ) -> Row {
        Row(
            workload: "W1", name: "a page", unit: "µs", ours: ours, limit: limit, target: target,
            peers: peers.enumerated().map { BenchReport.Peer(name: "peer \($0)", cost: $1) },
            size: size)
    }

    private static func bars(_ rows: [Row]) throws -> String {
        try #require(Picture.all(of: report(rows)).first { $0.name == "bench-cache" }).svg
    }

    private static func lines(_ rows: [Row]) throws -> String {
        try #require(Picture.all(of: report(rows)).first { $0.name == "bench-cache-sizes" }).svg
    }

    /// The elements and the text of a picture; nil if it is not well-formed.
    private final class Reading: NSObject, XMLParserDelegate {
        private(set) var elements: [(name: String, attributes: [String: String])] = []
        private(set) var text = ""

        init?(_ svg: String) {
            super.init()
            let parser = XMLParser(data: Data(svg.utf8))
            parser.delegate = self
            guard parser.parse() else { return nil }
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) { elements.append((name, attributes)) }

        func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }

        func boxes(_ kind: String) -> [(x: Double, width: Double)] {
            elements.filter { $0.name == "rect" && $0.attributes["class"] == kind }.compactMap {
                guard let x = $0.attributes["x"].flatMap(Double.init),
                    let width = $0.attributes["width"].flatMap(Double.init)
                else { return nil }
                return (x, width)
            }
        }
    }

    @Test func `a picture is well-formed, has a title and a description, and needs nothing else`()
        throws
    {
        for svg in [
            try Self.bars([Self.row(12.9, 7.18, target: 2, peers: [30, 3])]),
            try Self.lines([Self.row(1, 1, size: 1_000), Self.row(2, 1, size: 10_000)]),
        ] {
            let reading = try #require(Reading(svg))
            #expect(reading.elements.first?.name == "svg")
            #expect(reading.elements.first?.attributes["viewBox"] != nil)
            #expect(reading.elements.first?.attributes["role"] == "img")
            #expect(reading.elements.contains { $0.name == "title" })
            #expect(reading.elements.contains { $0.name == "desc" })
            #expect(svg.contains("prefers-color-scheme: dark"))
            let outside = ["href", "url(", "@import", "<script", "<image", "font-face"]
            for word in outside { #expect(!svg.contains(word), "\(word)") }
        }
    }

    @Test func `a picture says ours, limit, ratio, target and peers as text`() throws {
        let text = try #require(
            Reading(try Self.bars([Self.row(12.9, 7.18, target: 1.5, peers: [30])]))
        ).text
        for word in ["W1 · a page", "ours 12.9 µs", "limit 7.18", "1.80", "peer 0 30.0", "missed"] {
            #expect(text.contains(word), "\(word)")
        }
        #expect(text.contains("roost-bench cache"))
        #expect(text.contains("2026-11-27 12:00 UTC"))
    }

    @Test func `names of workloads and peers cannot become markup`() throws {
        let name = #"<b onload="x">&amp; </text>"#
        for size in [nil, 1_000] as [Int?] {
            let row = Row(
                workload: name, name: name, unit: name, ours: 2, limit: 1, target: 2,
                peers: [BenchReport.Peer(name: name, cost: 3)], size: size)
            let picture = try #require(Picture.all(of: Self.report([row])).first)
            let reading = try #require(Reading(picture.svg))
            #expect(!reading.elements.contains { $0.name == "b" })
            #expect(reading.text.contains(name))
        }
    }

    @Test(arguments: [
        (0.0, 0.0), (0, 1), (1, 0), (1e300, 1), (1, 1e-300), (1e-300, 1e300), (.infinity, 1),
        (.nan, 1), (1, .nan), (-1, 1), (.greatestFiniteMagnitude, .leastNonzeroMagnitude),
    ])
    func `zero, huge and missing figures leave a picture whole`(ours: Double, limit: Double) throws
    {
        for size in [nil, 1_000, Int.max] as [Int?] {
            let rows = [
                Self.row(ours, limit, target: 2, size: size, peers: [ours, limit]),
                Self.row(ours, nil, size: size), Self.row(nil, limit, size: size),
                Self.row(1, 1, target: ours, size: size),
            ]
            for picture in Picture.all(of: Self.report(rows)) {
                let reading = try #require(Reading(picture.svg))
                let places = reading.elements.flatMap { element in
                    ["x", "y", "x1", "x2", "y1", "y2", "width", "height"]
                        .compactMap { element.attributes[$0] }
                }
                #expect(!places.isEmpty)
                for place in places {
                    #expect(Double(place)?.isFinite == true, "\(place)")
                }
                let points = reading.elements.compactMap { $0.attributes["points"] }
                #expect(points.allSatisfy { !$0.lowercased().contains("n") }, "\(points)")
            }
        }
    }

    @Test func `the same figures make the same bytes`() throws {
        let rows = [
            Self.row(12.9, 7.18, target: 2, peers: [30, 3]), Self.row(1, 1, size: 1_000),
            Self.row(2, 1, size: 10_000),
        ]
        let first = Picture.all(of: Self.report(rows))
        #expect(first.map(\.name) == ["bench-cache", "bench-cache-sizes"])
        #expect(Picture.all(of: Self.report(rows)) == first)
        #expect(Picture.all(of: try BenchReport(json: Self.report(rows).json)) == first)
        #expect(Picture.all(of: Self.report([Self.row(12.8, 7.18)])) != first)
    }

    @Test func `bars begin at the limit, and equal factors are equally long`() throws {
        let reading = try #require(
            Reading(try Self.bars([Self.row(2, 1), Self.row(1, 2), Self.row(4, 1)])))
        // The first one is in the legend.
        let bars = Array(reading.boxes("ours").dropFirst())
        try #require(bars.count == 3)
        #expect(abs(bars[0].width - bars[1].width) < 0.3)
        #expect(abs(bars[2].width - 2 * bars[0].width) < 0.3)
        #expect(abs(bars[1].x + bars[1].width - bars[0].x) < 0.3)
    }

    @Test func `a peer far beyond all own figures is an arrow, and leaves them their room`() throws
    {
        let alone = try #require(Reading(try Self.bars([Self.row(2, 1)])))
        let near = try #require(Reading(try Self.bars([Self.row(2, 1, peers: [19])])))
        let far = try #require(Reading(try Self.bars([Self.row(2, 1, peers: [1e6])])))
        #expect(!near.text.contains("beyond the scale"))
        #expect(far.text.contains("beyond the scale"))
        #expect(far.text.contains("peer 0 1,000,000"))
        #expect(far.boxes("ours").last?.width == alone.boxes("ours").last?.width)
    }

    @Test func `details and rows without ours are not drawn, and rows without a limit have no bar`()
        throws
    {
        var detail = Self.row(3, 1)
        detail.isDetail = true
        let reading = try #require(
            Reading(try Self.bars([Self.row(5, nil), detail, Self.row(nil, 1)])))
        #expect(reading.text.contains("ours 5.00 µs"))
        #expect(!reading.text.contains("ours 3.00"))
        #expect(reading.boxes("ours").count == 1)
        #expect(Picture.all(of: Self.report([detail])) == [])
    }

    @Test func `a line says by which factor each side has grown`() throws {
        let rows = [(1_000, 2.0, 1.0, 1.0), (10_000, 3, 1, 10)].map { size, ours, limit, peer in
            Self.row(ours, limit, size: size, peers: [peer])
        }
        let text = try #require(Reading(try Self.lines(rows.reversed()))).text
        #expect(text.contains("10 times the messages: ours × 1.50, limit × 1.00, peer 0 × 10.0"))
        #expect(text.contains("ours 2.00 at 1,000, 3.00 at 10,000"))
    }

    @Test(arguments: [
        (Double?.none, "–"), (0, "0"), (0.00012, "0.000120"), (0.0123, "0.012"), (0.5, "0.50"),
        (7.184, "7.18"), (12.94, "12.9"), (99.96, "100.0"), (158.4, "158"), (2_757, "2,757"),
        (1_234_567.8, "1,234,568"), (-12.34, "-12.3"), (.nan, "–"), (1e300, "1e+300"),
        (1e-300, "1e-300"),
    ])
    func `a number has its digits and no more`(value: Double?, text: String) {
        #expect(FigureText.number(value) == text)
    }

    @Test(arguments: [
        ([1.0], 4), ([0.3, 12], 1), ([1e-9, 1e9], 1), ([], 3), ([.nan, 0, -1], 2), ([5, 5], 1),
        ([1e-12, 1e18], 1), ([0.02, 0.05], 1),
    ])
    func `an axis contains its values, and labels them seldom`(values: [Double], least: Int) {
        let scale = LogScale(covering: values, from: 0, to: 100, leastSteps: least)
        #expect(scale.lower > 0)
        #expect(scale.upper > scale.lower)
        for value in values where LogScale.isShown(value) {
            #expect(scale.lower <= value * 1.000001)
            #expect(scale.upper >= value * 0.999999)
        }
        #expect((1...9).contains(scale.ticks.count))
        let places = scale.ticks.map(scale.place)
        #expect(places == places.sorted())
        #expect(places.allSatisfy { (0...100).contains($0) })
        #expect(scale.place(0) == 0)
        #expect(scale.place(.infinity) == 100)
    }

    @Test func `a long text is broken between words`() {
        #expect(Sheet.lines(of: "one two three", limit: 8) == ["one two", "three"])
        #expect(Sheet.lines(of: "immeasurable", limit: 3) == ["immeasurable"])
        #expect(Sheet.lines(of: "", limit: 3) == [])
    }
}
