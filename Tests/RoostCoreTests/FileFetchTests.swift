// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostCore

/// The download of a file in ranges, without network and disk.
struct FileFetchTests {
    private static let piece = FileFetch.piece

    private static func answer(
        _ first: Int64, _ last: Int64, of total: Int64, count: Int64? = nil, tag: String? = "\"1\""
    ) -> FileFetch.Answer {
        FileFetch.Answer(
            status: 206, contentRange: "bytes \(first)-\(last)/\(total)", tag: tag,
            byteCount: count ?? last - first + 1)
    }

    private static func part(_ received: Int64, of total: Int64) -> FileFetch.Part {
        FileFetch.Part(total: total, validator: "\"1\"", received: received)
    }

    private static func fails(_ step: FileFetch.Step, _ code: RoostError.Code) -> Bool {
        if case .fail(let error) = step { error.code == code } else { false }
    }

    @Test func `ranges grow up to a mebibyte and end with the file`() {
        let total = 3_000_001 as Int64
        var fetch = FileFetch(limit: total, part: nil)
        var sizes: [Int64] = []
        while fetch.part?.received != total {
            let (first, last) = fetch.asked
            let end = min(last, total - 1)
            let step = fetch.receive(Self.answer(first, end, of: total))
            guard case .keep(let count, var part) = step else { return #expect(Bool(false)) }
            #expect(part.received == first)
            #expect(count == end - first + 1)
            sizes.append(count)
            part.received += count
            fetch.note(part)
        }
        #expect(sizes == [262_144, 524_288, 1_048_576, 1_048_576, 116_417])
    }

    @Test func `a part is continued with its version as the condition`() {
        let fetch = FileFetch(limit: 1_000_000, part: Self.part(2 * Self.piece, of: 900_000))
        #expect(fetch.headers.map(\.name) == ["Range", "If-Range"])
        #expect(fetch.headers.map(\.value) == ["bytes=131072-393215", "\"1\""])
        #expect(FileFetch(limit: 1, part: nil).headers.map(\.value) == ["bytes=0-262143"])
    }

    @Test func `the whole pieces of a body that was cut are kept`() {
        var fetch = FileFetch(limit: 1_000_000, part: nil)
        let step = fetch.receive(Self.answer(0, 262_143, of: 900_000, count: 200_000))
        #expect(step == .keep(count: 3 * Self.piece, Self.part(0, of: 900_000)))
    }

    @Test func `a cut below one piece counts as a failure and asks for less`() {
        var fetch = FileFetch(limit: 1_000_000, part: nil)
        let step = fetch.receive(Self.answer(0, 262_143, of: 900_000, count: 100))
        #expect(step == .ask(after: .seconds(1)))
        #expect(fetch.asked.last == Self.piece - 1)
    }

    @Test(arguments: [
        "bytes 1-262143/900000", "bytes 0-262144/900000", "bytes 5-3/900000", "bytes 0-9/*",
        "bytes 0-9/9", "bytes -5-9/900000", "items 0-9/900000", "bytes 0-9", "",
        "bytes 0-99999999999999999999/900000", "bytes +0-9/900000",
    ])
    func `a range that was not asked for is refused`(header: String) {
        var fetch = FileFetch(limit: 1_000_000, part: nil)
        let step = fetch.receive(
            FileFetch.Answer(
                status: 206, contentRange: header, tag: nil, byteCount: Self.piece))
        #expect(Self.fails(step, .malformedData))
        #expect(fetch.part == nil)
    }

    @Test func `a body longer than its range is refused`() {
        var fetch = FileFetch(limit: 1_000_000, part: nil)
        let step = fetch.receive(Self.answer(0, Self.piece - 1, of: 900_000, count: Self.piece + 1))
        #expect(Self.fails(step, .malformedData))
    }

    @Test func `a file beyond the limit is refused before a byte is kept`() {
        var fetch = FileFetch(limit: 1_000, part: nil)
        #expect(Self.fails(fetch.receive(Self.answer(0, 99, of: 1_001)), .fileTooLarge))
        let whole = FileFetch.Answer(status: 200, contentRange: nil, tag: nil, byteCount: 1_001)
        #expect(Self.fails(fetch.receive(whole), .fileTooLarge))
    }

    @Test func `a file of another version begins anew, but not for ever`() {
        var fetch = FileFetch(limit: 1_000_000, part: Self.part(2 * Self.piece, of: 900_000))
        let (first, last) = fetch.asked
        let other = Self.answer(first, last, of: 900_000, tag: "\"2\"")
        #expect(fetch.receive(other) == .ask(after: .zero))
        #expect(fetch.part == nil)
        fetch.note(Self.part(Self.piece, of: 900_000))
        let larger = Self.answer(fetch.asked.first, fetch.asked.last, of: 900_001)
        #expect(fetch.receive(larger) == .ask(after: .zero))
        fetch.note(Self.part(Self.piece, of: 900_000))
        #expect(Self.fails(fetch.receive(larger), .requestFailed))
    }

    private static let otherVersions: [(tag: String?, modified: String?)] = [
        ("W/\"2\"", "Mon"), (nil, "Mon"), ("W/\"1\"", "Tue"), ("W/\"1\"", nil),
    ]

    @Test(arguments: otherVersions)
    func `ranges with different weak validators are not joined (RFC 9110, 15.3.7.3)`(
        tag: String?, modified: String?
    ) {
        var fetch = FileFetch(limit: 1_000_000, part: nil)
        func receive(_ tag: String?, _ modified: String?) -> FileFetch.Step {
            let (first, last) = fetch.asked
            var answer = Self.answer(first, min(last, 899_999), of: 900_000, tag: tag)
            answer.modified = modified
            let step = fetch.receive(answer)
            if case .keep(let count, var part) = step {
                part.received += count
                fetch.note(part)
            }
            return step
        }
        #expect(receive("W/\"1\"", "Mon") != .ask(after: .zero))
        #expect(receive("W/\"1\"", "Mon") != .ask(after: .zero))
        #expect(receive(tag, modified) == .ask(after: .zero))
        #expect(fetch.part == nil)
        // The new version is fetched from its beginning.
        let step = receive(tag, modified)
        #expect(
            step
                == .keep(
                    count: fetch.part?.received ?? 0,
                    FileFetch.Part(total: 900_000, validator: "", received: 0)))
    }

    @Test func `an answer without ranges replaces the part by the whole file`() {
        var fetch = FileFetch(limit: 1_000_000, part: Self.part(2 * Self.piece, of: 900_000))
        let step = fetch.receive(
            FileFetch.Answer(status: 200, contentRange: nil, tag: "W/\"1\"", byteCount: 700_000))
        #expect(
            step
                == .keep(
                    count: 700_000, FileFetch.Part(total: 700_000, validator: "", received: 0)))
    }

    @Test func `a whole file of the part's version completes the part (RFC 9110, 14.2)`() {
        let part = Self.part(2 * Self.piece, of: 900_000)
        var fetch = FileFetch(limit: 1_000_000, part: part)
        let same = FileFetch.Answer(
            status: 200, contentRange: nil, tag: "\"1\"", byteCount: 900_000)
        #expect(fetch.receive(same) == .keepRest(part))
        let other = FileFetch.Answer(
            status: 200, contentRange: nil, tag: "\"2\"", byteCount: 900_000)
        let whole = FileFetch.Part(total: 900_000, validator: "\"2\"", received: 0)
        #expect(fetch.receive(other) == .keep(count: 900_000, whole))
    }

    @Test func `an empty file is whole at once`() {
        var fetch = FileFetch(limit: 10, part: nil)
        let step = fetch.receive(
            FileFetch.Answer(status: 416, contentRange: "bytes */0", tag: nil, byteCount: 9))
        #expect(step == .keep(count: 0, FileFetch.Part(total: 0, validator: "", received: 0)))
    }

    @Test func `failures pause longer and end the download`() {
        var fetch = FileFetch(limit: 10, part: nil)
        let busy = FileFetch.Answer(status: 503, contentRange: nil, tag: nil, byteCount: 0)
        let lost = RoostError(.networkError, remedy: .retry, message: "")
        #expect(fetch.receive(busy) == .ask(after: .seconds(1)))
        #expect(fetch.receive(lost) == .ask(after: .seconds(2)))
        for seconds in [4, 8, 16] {
            #expect(fetch.receive(busy) == .ask(after: .seconds(seconds)))
        }
        #expect(fetch.receive(lost) == .fail(lost))
    }

    @Test func `a kept range forgives earlier failures`() {
        var fetch = FileFetch(limit: 1_000_000, part: nil)
        let lost = RoostError(.networkError, remedy: .retry, message: "")
        for _ in 0..<5 { _ = fetch.receive(lost) }
        _ = fetch.receive(Self.answer(0, Self.piece - 1, of: 900_000))
        #expect(fetch.receive(lost) == .ask(after: .seconds(1)))
    }

    @Test(arguments: [
        (404, RoostError.Code.notFound), (410, .notFound), (403, .notAuthorized),
        (302, .requestFailed), (416, .requestFailed),
    ])
    func `a refusal ends the download`(status: Int, code: RoostError.Code) {
        var fetch = FileFetch(limit: 10, part: nil)
        let answer = FileFetch.Answer(
            status: status, contentRange: nil, tag: nil, byteCount: 0)
        #expect(Self.fails(fetch.receive(answer), code))
    }

    @Test func `a cancelled or untrusted request is not repeated`() {
        var fetch = FileFetch(limit: 10, part: nil)
        let cancelled = RoostError(.requestCanceled, remedy: .retry, message: "")
        #expect(fetch.receive(cancelled) == .fail(cancelled))
        let untrusted = RoostError(.untrustedServer, remedy: .none, message: "")
        #expect(fetch.receive(untrusted) == .fail(untrusted))
    }

    // MARK: Eviction

    private static func file(_ name: String, _ count: Int64, _ used: Int64) -> HeldFile {
        HeldFile(name: name, byteCount: count, usedAt: Timestamp(milliseconds: used))
    }

    @Test func `the least recently used files go, down to seven eighths of the limit`() {
        let files = [Self.file("b", 200, 2), Self.file("a", 300, 1), Self.file("c", 400, 3)]
        #expect(FileEviction.plan(files, taken: 100, limit: 1_000) == [])
        #expect(FileEviction.plan(files, taken: 101, limit: 1_000) == ["a"])
        #expect(FileEviction.plan(files, taken: 450, limit: 1_000) == ["a", "b"])
        #expect(FileEviction.plan(files, taken: 1_000, limit: 1_000) == ["a", "b", "c"])
        #expect(FileEviction.plan(files, taken: 1_001, limit: 1_000) == nil)
        #expect(FileEviction.plan(files, taken: .max, limit: .max) == [])
    }
}
