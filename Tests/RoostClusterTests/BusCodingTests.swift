// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostTestSupport
import Testing

@testable import RoostCluster

struct BusCodingTests {
    static let contents: [BusContent] = [
        .notice(Notice(frame: "", recipients: [])),
        .notice(Notice(frame: "MESG{}", recipients: ["a", "b"])),
        .notice(Notice(frame: "x", recipients: [], room: "room/1")),
        .notice(
            Notice(
                frame: "👩‍👩‍👧 \0 \u{10FFFF}", recipients: ["", "\0", "e\u{301}", "é", "🐦"],
                room: "\0room", except: SessionID(server: .max, number: .max))),
        .notice(
            Notice(frame: "x", recipients: ["a"], except: SessionID(server: 0, number: .min))),
        .notice(
            Notice(
                frame: String(repeating: "ä", count: 70_000),
                recipients: (0..<300).map { UserID("user\($0)") })),
        .notice(
            placed(LogPlace(channel: "g", sequence: 9, first: 8, change: 5, previousChange: 4))),
        // The transaction has waited for the channel's row, and a later one was before it.
        .notice(
            placed(
                LogPlace(channel: "g", sequence: 9, first: 9, change: 100, previousChange: 101))),
        .notice(
            placed(
                LogPlace(
                    channel: "", sequence: .max - 1, first: 1, change: .max, previousChange: 0,
                    era: "0badcafe"))),
        .heartbeat(name: "host 1"),
        .signal(Signal(name: "end", bytes: [0, 255, 10])),
        .signal(Signal(name: "", bytes: [])),
    ]
    private static let host = HostID(rawValue: 0x0102_0304_0506_0708)

    private static func placed(_ place: LogPlace) -> Notice {
        var notice = Notice(frame: "MESG{}", recipients: ["a"])
        notice.place = place
        return notice
    }

    @Test(arguments: contents, [0, 40, 64, 1_048_576])
    func `content is the same after the bus, in however many parts`(
        content: BusContent, limit: Int
    ) throws {
        var last: UInt64 = 41
        let messages = BusPart.messages(of: content, from: Self.host, after: &last, limit: limit)
        if limit > 0, content.kind != BusPart.Kind.heartbeat {
            #expect(messages.allSatisfy { $0.count <= limit })
            #expect(last == 41 + UInt64(messages.count))
        }
        var assembler = PartAssembler()
        var received: BusContent?
        for (index, message) in messages.enumerated() {
            let part = try #require(BusPart(message))
            #expect(part.host == Self.host)
            let isHeartbeat = content.kind == BusPart.Kind.heartbeat
            #expect(part.number == (isHeartbeat ? 41 : 42 + UInt64(index)))
            switch assembler.add(part) {
            case .unfinished: #expect(index + 1 < messages.count)
            case .content(let kind, let bytes): received = BusContent(kind: kind, bytes)
            case .broken: Issue.record("part \(index) is broken")
            }
        }
        #expect(received == content)
        #expect(assembler.heldBytes == 0)
    }

    @Test(arguments: contents)
    func `no cut message is taken for a whole one`(content: BusContent) throws {
        let bytes = content.encoded
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 500)) {
            #expect(BusContent(kind: content.kind, bytes[..<count]) == nil, "\(count) bytes")
        }
    }

    @Test func `fields of a later version behind the content are ignored`() {
        for content in Self.contents {
            #expect(BusContent(kind: content.kind, (content.encoded + [1, 2, 3])[...]) == content)
        }
    }

    @Test(
        arguments: [
            (1, .min, .max, 0), (1, 0, 2, 1), (2, 3, 2, 1), (.max, 1, 2, 1), (.min, .min, 2, 1),
            (1, 1, 0, 0), (1, 1, 2, 2), (1, 1, 2, -1), (1, 1, .min, .min),
        ] as [(Int64, Int64, Int64, Int64)])
    func `a notice at a place that no log has is refused`(
        sequence: Int64, first: Int64, change: Int64, previous: Int64
    ) {
        let place = LogPlace(
            channel: "g", sequence: sequence, first: first, change: change,
            previousChange: previous, era: "0badcafe")
        let bytes = BusContent.notice(Self.placed(place)).encoded
        #expect(BusContent(kind: BusPart.Kind.notice, bytes[...]) == nil)
    }

    @Test func `random and changed bytes never trap`() {
        var numbers = SplitMix64(seed: 11)
        var decoded = 0
        for _ in 0..<20_000 {
            let content = Self.contents[numbers.below(Self.contents.count)]
            var last: UInt64 = 0
            var bytes =
                BusPart.messages(of: content, from: Self.host, after: &last, limit: 512)[0]
            for _ in 0...numbers.below(4) {
                bytes[numbers.below(bytes.count)] = UInt8(truncatingIfNeeded: numbers.next())
            }
            bytes.removeLast(numbers.below(3))
            guard let part = BusPart(bytes) else { continue }
            var assembler = PartAssembler()
            if case .content(let kind, let bytes) = assembler.add(part),
                BusContent(kind: kind, bytes) != nil
            {
                decoded += 1
            }
        }
        // Some changes leave a valid message, such as one inside a frame.
        #expect(decoded > 0)
    }

    @Test(arguments: [
        [], [1], [0xFF], Array("PING".utf8), [UInt8](repeating: 0, count: 19),
        // The next version.
        [2] + [UInt8](repeating: 1, count: 30),
        // A notice without a number.
        [1, 1, 0] + [UInt8](repeating: 0, count: 30),
    ])
    func `bytes without a header of this version are no message`(bytes: [UInt8]) {
        #expect(BusPart(bytes) == nil)
    }

    @Test func `a count beyond the remaining bytes is refused before memory is taken`() {
        // No flags, an empty frame, and four thousand million recipients.
        let bytes: [UInt8] = [0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
        #expect(BusContent(kind: BusPart.Kind.notice, bytes[...]) == nil)
    }

    @Test func `content that no receiver would take is not sent`() {
        var last: UInt64 = 0
        let signal = Signal(
            name: "x", bytes: [UInt8](repeating: 0, count: BusPart.contentLimit + 1))
        let messages = BusPart.messages(
            of: .signal(signal), from: Self.host, after: &last, limit: 1_048_576)
        #expect(messages == [])
        #expect(last == 0)
    }

    @Test(arguments: ["first", "middle", "last", "doubled"])
    func `a missing part breaks its content and no other`(missing: String) throws {
        var last: UInt64 = 0
        let long = Notice(frame: String(repeating: "x", count: 90), recipients: ["a"])
        var parts = BusPart.messages(
            of: .notice(long), from: Self.host, after: &last, limit: 64
        ).compactMap { BusPart($0) }
        try #require(parts.count == 3)
        let other = Notice.numbered(1)
        parts += BusPart.messages(of: .notice(other), from: Self.host, after: &last, limit: 512)
            .compactMap { BusPart($0) }
        switch missing {
        case "first": parts.remove(at: 0)
        case "middle": parts.remove(at: 1)
        case "last": parts.remove(at: 2)
        default: parts.insert(parts[1], at: 2)
        }
        var assembler = PartAssembler()
        var received: [BusContent?] = []
        for part in parts {
            if case .content(let kind, let bytes) = assembler.add(part) {
                received.append(BusContent(kind: kind, bytes))
            }
        }
        #expect(received == [.notice(other)])
        #expect(assembler.heldBytes == 0)
    }

    @Test func `unfinished content of all hosts together is bounded`() {
        var assembler = PartAssembler()
        let block = [UInt8](repeating: 0, count: 1_048_576)
        var broken = 0
        for number in 1...200 as ClosedRange<UInt64> {
            let part = BusPart(
                kind: 1, host: HostID(rawValue: number), number: 1, hasMore: true, bytes: block[...]
            )
            if assembler.add(part) == .broken { broken += 1 }
        }
        #expect(assembler.heldBytes == PartAssembler.heldLimit)
        #expect(broken == 200 - PartAssembler.heldLimit / block.count)
        assembler.keepOnly([HostID(rawValue: 1)])
        #expect(assembler.heldBytes == block.count)
    }

    @Test func `subjects keep applications apart and take any ID`() {
        let texts = ["a", "A", "a.b", "a=2Eb", "*", ">", "", "=", " ", "ä", "a\0"]
        let escaped = texts.map { BusSubject.escaped($0) }
        #expect(Set(escaped).count == texts.count)
        for part in escaped {
            #expect(!part.isEmpty)
            #expect(part.utf8.allSatisfy { $0 > 32 && $0 < 127 && !".*>".utf8.contains($0) })
        }
    }

    @Test func `the subject of a key is the same in every version`() {
        let subject = BusSubject(application: "APP")
        #expect(subject.all == "roost.APP.*")
        #expect(subject.of("".utf8) == "roost.APP.\(0x81 ^ 0x1C ^ 0x9D ^ 0xC5)")
        let used = Set((0..<10_000).map { subject.of("room\($0)".utf8) })
        #expect(used.count == 256)
        let inRoom = Notice(frame: "x", recipients: ["a"], room: "room1")
        #expect(subject.of(inRoom) == subject.of("room1".utf8))
        #expect(subject.of(.numbered(1)) == subject.of("a".utf8))
    }
}
