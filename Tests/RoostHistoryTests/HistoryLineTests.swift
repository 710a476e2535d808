// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostHistory
import RoostTestSupport
import RoostWire
import Testing

struct HistoryLineTests {
    private static func read(_ text: String) throws -> HistoryLine {
        var reader = JSONReader(text)
        return try HistoryLine(&reader)
    }

    private static let message = HistoryMessage(
        id: 41, createdAt: 1_795_182_705_957, request: "r", sender: "ada", text: "“hello”\n",
        updatedAt: 1_795_182_705_999)

    private static let facts: [HistoryFact] = [
        .start(HistoryStart(user: "ada", application: "demo")), .start(HistoryStart(user: nil)),
        .call(HistoryCall("send", channel: "c", text: "hi")), .call(HistoryCall("channels")),
        .call(HistoryCall("edit", channel: "c", text: "ho", message: 41)),
        .answer(HistoryAnswer(call: 2, isOK: true, request: "r")),
        .answer(HistoryAnswer(call: 2, isOK: false, code: 800_101)),
        .acknowledged(message, channel: "c"), .edited(41, text: "ho", channel: "c"),
        .deleted(41, channel: "c"), .failed(request: "r", code: 400_108, channel: "c"),
        .canceled(request: "r", channel: "c"), .refused(41, code: 900_020, channel: "c"),
        .refused(nil, code: nil, channel: "c"),
        .refused(41, code: 900_020, channel: "c", action: "delete", request: "r2"),
        .change(
            HistoryChange(channel: "c", inserted: [message], updated: [message], deleted: [7])),
        .snapshot(
            HistoryView(
                channel: "c", call: 2, messages: [message], hasOlder: true, hasNewer: true,
                isCaughtUp: false)),
        .log(HistoryView(channel: "c", messages: [message])),
    ]

    @Test(arguments: facts)
    func `a line is read as it was written`(fact: HistoryFact) throws {
        let line = HistoryLine(client: "ada@1", number: 7, fact)
        #expect(try Self.read(line.text) == line)
        #expect(!line.text.contains("\n"))
    }

    @Test func `every kind has an example`() {
        #expect(Set(Self.facts.map(\.kind)) == Set(HistoryFact.Kind.allCases))
    }

    @Test func `the examples on the page are lines, and show every kind`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "docs/history.md"), encoding: .utf8)
        let lines = try page.split(separator: "\n").filter { $0.hasPrefix("{\"is\"") }
            .map { try Self.read(String($0)) }
        #expect(Set(lines.map(\.fact.kind)) == Set(HistoryFact.Kind.allCases))
        for kind in HistoryFact.Kind.allCases {
            #expect(page.contains("\n| `\(kind.rawValue)` |"), "\(kind) is in no table")
        }
    }

    @Test func `unknown fields are skipped, and null counts as absent`() throws {
        let line = try Self.read(
            #"{"n":1,"is":"deleted","later":{"a":[1]},"text":null,"client":"a","channel":"c","#
                + #""message_id":41}"#)
        #expect(line == HistoryLine(client: "a", number: 1, .deleted(41, channel: "c")))
    }

    @Test(arguments: [
        (#"{"is":"deleted","n":1,"channel":"c","message_id":41}"#, "client"),
        (#"{"is":"deleted","client":"","n":1,"channel":"c","message_id":41}"#, "client"),
        (#"{"is":"deleted","client":"a","channel":"c","message_id":41}"#, "“n”"),
        (#"{"client":"a","n":1,"channel":"c"}"#, "“is”"),
        (#"{"is":"guess","client":"a","n":1}"#, "no known kind"),
        (#"{"is":"deleted","client":"a","n":0,"channel":"c","message_id":41}"#, "between 1"),
        (#"{"is":"deleted","client":"a","n":1e300,"channel":"c","message_id":41}"#, "64 bits"),
        (#"{"is":"deleted","client":"a","n":1,"channel":"c","message_id":-1}"#, "between 1"),
        (
            #"{"is":"deleted","client":"a","n":1,"channel":"c","message_id":9223372036854775808}"#,
            "64 bits"
        ),
        (#"{"is":"deleted","client":"a","n":1,"channel":7,"message_id":41}"#, "string"),
        (#"{"is":"call","client":"a","n":1,"do":"send","channel":"c"}"#, "“text”"),
        (#"{"is":"call","client":"a","n":1,"do":"delete","channel":"c"}"#, "“message_id”"),
        (#"{"is":"snapshot","client":"a","n":1,"channel":"c","messages":[]}"#, "“caught_up”"),
        (
            #"{"is":"log","client":"a","n":1,"channel":"c","messages":[{"id":1}],"has_older":false}"#,
            "created_at"
        ),
        ("[]", "object"), ("{}", "“client”"), ("7 8", "object"), ("{", "ends"),
    ])
    func `a wrong line is an error with a sentence`(text: String, part: String) {
        let error = #expect(throws: WireError.self) { try Self.read(text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(part), "\(text)")
    }
}

struct HistoryReaderTests {
    private static let lines = HistoryStory(seed: 2, steps: 60).files[0]
    private static let bytes = lines.flatMap(\.bytes)

    private static func read(
        _ bytes: [UInt8], inPartsOf size: Int, limit: Int = HistoryLimits.lineBytes
    ) throws -> (verdict: Verdict, torn: Int?) {
        var judge = HistoryJudge(files: ["a"])
        var reader = HistoryReader(file: 0, limit: limit)
        var rest = bytes[...]
        while !rest.isEmpty {
            try reader.take(Array(rest.prefix(size)), to: &judge)
            rest = rest.dropFirst(size)
        }
        let torn = try reader.finish(to: &judge)
        return (judge.verdict(), torn)
    }

    @Test func `the size of the parts does not matter`() throws {
        for size in [1, 7, 100, 4_096, 1 << 20] {
            let read = try Self.read(Self.bytes, inPartsOf: size)
            #expect(read.verdict.counts.lines == Self.lines.count)
            #expect(read.torn == nil)
        }
    }

    @Test func `a torn last line is reported and left out, wherever it is torn`() throws {
        let last = try #require(Self.lines.last).bytes
        for cut in 1..<last.count {
            let read = try Self.read(Self.bytes.dropLast(cut), inPartsOf: 64)
            // Without its end the line is complete, and without everything there is none.
            let isWhole = cut == 1
            #expect(read.torn == (isWhole ? nil : Self.lines.count), "cut by \(cut)")
            #expect(read.verdict.counts.lines == Self.lines.count - (isWhole ? 0 : 1))
        }
    }

    @Test func `a torn line in the middle is an error with its number`() {
        var lines = Self.lines.map(\.bytes)
        lines[3] = Array(lines[3].prefix(9)) + [UInt8(ascii: "\n")]
        let error = #expect(throws: HistoryFault.self) {
            try Self.read(Array(lines.joined()), inPartsOf: 1_000)
        }
        #expect(error?.line == 4)
    }

    @Test func `a line beyond the limit is an error, with an end and without one`() {
        let long = [UInt8](repeating: UInt8(ascii: " "), count: 500)
        for tail in [[], [UInt8(ascii: "\n")]] {
            for size in [1, 64, 10_000] {
                let error = #expect(throws: HistoryFault.self) {
                    try Self.read(Self.lines[0].bytes + long + tail, inPartsOf: size, limit: 400)
                }
                #expect(error?.line == 2)
            }
        }
    }

    @Test func `empty lines are skipped and counted`() throws {
        let spaced = Self.lines.flatMap { [UInt8(ascii: "\n")] + $0.bytes }
        let read = try Self.read(spaced, inPartsOf: 4_096)
        #expect(read.verdict.counts.lines == Self.lines.count)
    }

    @Test func `damaged bytes give an error or a verdict and never a trap`() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<3_000 {
            var bytes = Self.bytes
            for _ in 0..<(1 + random.below(4)) {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + random.below(40)))
                case 2: bytes.insert(UInt8(ascii: "9"), at: place)
                default:
                    let other = random.below(bytes.count)
                    bytes.insert(
                        contentsOf: bytes[min(place, other)..<max(place, other)].prefix(300),
                        at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            _ = try? Self.read(bytes, inPartsOf: 1 + random.below(900))
        }
    }
}
