// SPDX-License-Identifier: Apache-2.0

import RoostHistory
import RoostTestSupport
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct HistoryJudgeTests {
    /// Good stories for planting: half of them have logs.
    private static let stories = (1...6 as ClosedRange<UInt64>).map { seed in
        HistoryStory(seed: seed, hasLog: seed % 2 == 0)
    }

    @Test func `good histories have no complaint, with a log and without one`() throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            let story = HistoryStory(seed: seed, steps: 400, hasLog: seed % 3 > 0)
            let verdict = try story.verdict()
            #expect(verdict.isGood, "seed \(seed): \(verdict.complaints.prefix(3))")
            #expect(verdict.notes.isEmpty, "seed \(seed): \(verdict.notes)")
            #expect(verdict.counts.acknowledgedSends > 30)
            #expect(verdict.counts.messagesInLogs > 30)
        }
    }

    @Test func `the order of the files does not matter`() throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            var story = HistoryStory(seed: seed)
            var random = SplitMix64(seed: seed)
            story.files.shuffle(using: &random)
            #expect(try story.verdict().isGood, "seed \(seed)")
        }
    }

    @Test(arguments: PlantedFault.all)
    func `a planted fault is found with a complaint of its kind`(fault: PlantedFault) throws {
        var planted = 0
        for (number, good) in Self.stories.enumerated() {
            var story = good
            guard fault.plant(&story) else { continue }
            planted += 1
            let verdict = try story.verdict()
            #expect(
                verdict.complaints.contains { $0.rule == fault.rule },
                "story \(number): \(verdict.complaints.prefix(3))")
        }
        #expect(planted >= 4, "the stories are too short for this fault")
    }

    @Test func `each judgement has planted faults, and there are at least twenty`() {
        #expect(PlantedFault.all.count >= 20)
        #expect(Set(PlantedFault.all.map(\.name)).count == PlantedFault.all.count)
        #expect(Set(PlantedFault.all.map(\.rule)) == Set(Complaint.Rule.allCases))
    }

    @Test func `a complaint names the line, the message, the expected and the seen value`() throws {
        var story = HistoryStory(seed: 3)
        let lost = try #require(story.plainMessages().first)
        story.changeEnd(of: lost.channel) { $0.removeAll { $0.id == lost.message.id } }
        let complaint = try #require(
            try story.verdict().complaints.first {
                $0.rule == .once && $0.message == lost.message.id
            })
        #expect(complaint.place == HistoryPlace(file: lost.site.file, line: lost.site.line + 1))
        #expect(complaint.request == lost.message.request)
        #expect(complaint.channel == lost.channel)
        #expect(complaint.expected.contains("in the log"))
        #expect(complaint.seen.contains("lacks it"))
    }

    @Test func `a client that ended early need not know the end`() throws {
        var story = HistoryStory(seed: 5)
        let fault = try #require(PlantedFault.all.first { $0.rule == .final })
        #expect(fault.plant(&story))
        let complaints = try story.verdict().complaints
        let place = try #require(complaints.first { $0.rule == .final }).place
        let client = story.files[Int(place.file)][0].client
        #expect(try story.verdict(early: [client]).isGood)
    }
}

/// Judgements on histories written by hand.
struct HistoryCaseTests {
    private static func message(
        _ id: Int64, by sender: String = "ada", _ text: String = "hi", request: String? = nil
    ) -> HistoryMessage {
        HistoryMessage(
            id: id, createdAt: id * 10, request: request ?? "r\(id)", sender: sender, text: text)
    }

    private static func verdict(
        _ facts: [HistoryFact], user: String? = "ada"
    ) throws -> Verdict {
        var judge = HistoryJudge(files: ["a"])
        let facts = [.start(HistoryStart(user: user))] + facts
        for (number, fact) in facts.enumerated() {
            let line = HistoryLine(client: "a", number: Int64(number + 1), fact)
            try judge.take(line, at: HistoryPlace(file: 0, line: number + 1))
        }
        return judge.verdict()
    }

    private static func log(_ messages: [HistoryMessage]) -> HistoryFact {
        .log(HistoryView(channel: "c", messages: messages))
    }

    private static let send = HistoryFact.call(HistoryCall("send", channel: "c", text: "hi"))

    @Test func `a killed client's send may be in the log once, and no more`() throws {
        let known: [HistoryFact] = [
            Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")), Self.send,
        ]
        #expect(try Self.verdict(known + [Self.log([Self.message(1)])]).isGood)
        #expect(try Self.verdict(known + [Self.log([1, 2].map { Self.message($0) })]).isGood)
        let verdict = try Self.verdict(known + [Self.log([1, 2, 3].map { Self.message($0) })])
        #expect(verdict.complaints.map(\.rule) == [.once])
        #expect(verdict.complaints.map(\.message) == [3])
    }

    @Test func `messages from before the first known call are not judged`() throws {
        let facts: [HistoryFact] = [
            Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r5")),
            Self.log([1, 2, 5].map { Self.message($0) }),
        ]
        #expect(try Self.verdict(facts).isGood)
    }

    @Test func `messages of users without a history are counted and not judged`() throws {
        let facts: [HistoryFact] = [
            Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
            Self.log([Self.message(1), Self.message(2, by: "bo")]),
        ]
        let verdict = try Self.verdict(facts)
        #expect(verdict.isGood)
        #expect(verdict.counts.messagesOfOthers == 1)
    }

    @Test func `a resent or failed message has no place in the order of calls`() throws {
        func facts(_ between: [HistoryFact]) -> [HistoryFact] {
            [
                Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "first")), Self.send,
                .answer(HistoryAnswer(call: 4, isOK: true, request: "second")),
            ] + between + [
                Self.log([Self.message(1, request: "second"), Self.message(2, request: "first")])
            ]
        }
        #expect(try Self.verdict(facts([])).complaints.map(\.rule) == [.senderOrder])
        #expect(try Self.verdict(facts([.call(HistoryCall("resend", request: "first"))])).isGood)
        #expect(
            try Self.verdict(facts([.failed(request: "first", code: 800_180, channel: "c")]))
                .isGood)
    }

    @Test func `an edit of another client excuses its text`() throws {
        func facts(_ other: [HistoryFact]) -> [HistoryFact] {
            [.call(HistoryCall("edit", channel: "c", text: "mine", message: 1))]
                + [.edited(1, text: "mine", channel: "c")] + other
                + [Self.log([Self.message(1, "theirs")])]
        }
        let verdict = try Self.verdict(facts([]))
        #expect(verdict.complaints.map(\.rule) == [.undone])
        // The same client's later call, whose outcome is unknown, excuses it too.
        let later = HistoryCall("edit", channel: "c", text: "theirs", message: 1)
        #expect(try Self.verdict(facts([.call(later)])).isGood)
    }

    @Test func `all complaints are counted, and a thousand are kept in order`() throws {
        var facts: [HistoryFact] = []
        for number in 1...1_200 as ClosedRange<Int64> {
            facts.append(Self.send)
            facts.append(
                .answer(HistoryAnswer(call: number * 2, isOK: true, request: "r\(number)")))
        }
        // The log comes in parts.
        let parts = (0..<12).map { part in
            HistoryFact.log(
                HistoryView(
                    channel: "c",
                    messages: (1...100).map { Self.message(Int64(part * 100 + $0), "altered") },
                    hasOlder: part > 0, hasNewer: part < 11))
        }
        let verdict = try Self.verdict(facts + parts)
        #expect(verdict.complaintCount == 1_200)
        #expect(verdict.complaints.count == 1_000)
        #expect(
            zip(verdict.complaints, verdict.complaints.dropFirst()).allSatisfy {
                $0.place <= $1.place
            })
    }

    @Test func `a snapshot before a later call is no last one`() throws {
        let snapshot = HistoryFact.snapshot(HistoryView(channel: "c", messages: []))
        let lost: [HistoryFact] = [
            Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
            .acknowledged(Self.message(1), channel: "c"),
        ]
        #expect(try Self.verdict(lost + [snapshot]).complaints.map(\.rule) == [.once])
        let verdict = try Self.verdict(lost + [snapshot, Self.send])
        #expect(verdict.isGood && verdict.notes.count == 1)
    }

    @Test func `a snapshot with a deleted message is not taken for the log`() throws {
        var judge = HistoryJudge(files: ["ada", "bo"])
        func take(_ client: String, _ facts: [HistoryFact]) throws {
            let facts = [.start(HistoryStart(user: client))] + facts
            for (number, fact) in facts.enumerated() {
                try judge.take(
                    HistoryLine(client: client, number: Int64(number + 1), fact),
                    at: HistoryPlace(file: client == "ada" ? 0 : 1, line: number + 1))
            }
        }
        let all = [1, 2].map { Self.message($0, by: "cy") }
        func view(_ messages: [HistoryMessage]) -> HistoryFact {
            .snapshot(HistoryView(channel: "c", messages: messages))
        }
        try take(
            "ada",
            [
                view(all), .call(HistoryCall("delete", channel: "c", message: 2)),
                .deleted(2, channel: "c"), view([all[0]]),
            ])
        try take("bo", [view(all)])
        let complaints = judge.verdict().complaints
        #expect(complaints.map(\.rule) == [.final])
        #expect(complaints.map(\.message) == [2])
        #expect(complaints.map(\.place.file) == [1])
    }

    @Test func `a channel without a log is reported in a note`() throws {
        let verdict = try Self.verdict([
            .change(HistoryChange(channel: "c", inserted: [Self.message(1, by: "bo")]))
        ])
        #expect(verdict.isGood)
        #expect(verdict.notes.count == 1)
    }

    @Test func `missing lines are reported in a note`() throws {
        var judge = HistoryJudge(files: ["a"])
        let start = HistoryLine(client: "a", number: 1, .start(HistoryStart(user: "ada")))
        try judge.take(start, at: HistoryPlace(file: 0, line: 1))
        let later = HistoryLine(client: "a", number: 5, Self.send)
        try judge.take(later, at: HistoryPlace(file: 0, line: 2))
        #expect(judge.verdict().notes.first?.hasPrefix("3 lines of a are missing") == true)
    }

    @Test func `lines out of their client's order are refused`() throws {
        for (number, fact) in [(1 as Int64, Self.send), (2, .start(HistoryStart(user: "bo")))] {
            var judge = HistoryJudge(files: ["a"])
            let start = HistoryLine(client: "a", number: 1, .start(HistoryStart(user: "ada")))
            try judge.take(start, at: HistoryPlace(file: 0, line: 1))
            #expect(throws: HistoryFault.self) {
                try judge.take(
                    HistoryLine(client: "a", number: number, fact),
                    at: HistoryPlace(file: 0, line: 2))
            }
        }
        var judge = HistoryJudge(files: ["a"])
        #expect(throws: HistoryFault.self) {
            try judge.take(
                HistoryLine(client: "a", number: 1, Self.send), at: HistoryPlace(file: 0, line: 1))
        }
    }
}
