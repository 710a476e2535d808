// SPDX-License-Identifier: Apache-2.0

import RoostHistory
import Testing

/// Judgements on histories written by hand.
struct HistoryCaseTests {
    static func message(
        _ id: Int64, by sender: String = "ada", _ text: String = "hi", request: String? = nil
    ) -> HistoryMessage {
        HistoryMessage(
            id: id, createdAt: id * 10, request: request ?? "r\(id)", sender: sender, text: text)
    }

    static func verdict(
        _ facts: [HistoryFact], user: String? = "ada"
    ) throws -> Verdict {
        try verdict([(user, facts)])
    }

    /// The verdict about several clients, each in a file of its own.
    static func verdict(
        _ files: [(user: String?, facts: [HistoryFact])], early: [String] = []
    ) throws -> Verdict {
        let names = files.indices.map { "f\($0)" }
        var judge = HistoryJudge(files: names)
        for (file, (user, facts)) in files.enumerated() {
            let facts = [.start(HistoryStart(user: user))] + facts
            for (number, fact) in facts.enumerated() {
                let line = HistoryLine(client: names[file], number: Int64(number + 1), fact)
                try judge.take(line, at: HistoryPlace(file: file, line: number + 1))
            }
        }
        return judge.verdict(endedEarly: early)
    }

    static func log(_ messages: [HistoryMessage]) -> HistoryFact {
        .log(HistoryView(channel: "c", messages: messages))
    }

    static func view(
        _ messages: [HistoryMessage], call: Int64? = nil, isCaughtUp: Bool = true
    ) -> HistoryFact {
        .snapshot(
            HistoryView(
                channel: "c", call: call, messages: messages, isCaughtUp: isCaughtUp))
    }

    static func edit(_ text: String) -> HistoryFact {
        .call(HistoryCall("edit", channel: "c", text: text, message: 1))
    }

    static let send = HistoryFact.call(HistoryCall("send", channel: "c", text: "hi"))

    @Test func `a deletion that waits hides its message until the client has caught up`() throws {
        let all = [1, 2, 3].map { Self.message($0, by: "cy") }
        func facts(hiding isCaughtUp: Bool) -> [HistoryFact] {
            [
                .call(HistoryCall("delete", channel: "c", message: 2)),
                Self.view([all[0], all[2]], isCaughtUp: isCaughtUp),
                .refused(2, code: 400_108, channel: "c"), Self.view(all),
            ]
        }
        #expect(try Self.verdict(facts(hiding: false)).isGood)
        #expect(try Self.verdict(facts(hiding: true)).complaints.map(\.rule) == [.hole])
        // So does one of another process, which may share the outbox; one of another user does not.
        let asked = (user: "ada" as String?, facts: [facts(hiding: false)[0], Self.view(all)])
        let rest = Array(facts(hiding: false).dropFirst())
        #expect(try Self.verdict([asked, ("ada", rest)]).isGood)
        let verdict = try Self.verdict([asked, ("bo", rest)])
        #expect(verdict.complaints.map(\.rule) == [.hole])
        #expect(verdict.complaints.map(\.message) == [2])
    }

    @Test func `a refused deletion excuses no loss, unless it is sent again`() throws {
        func facts(_ refusals: HistoryFact...) -> [HistoryFact] {
            [
                Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
                .acknowledged(Self.message(1), channel: "c"),
                .call(HistoryCall("delete", channel: "c", message: 1)),
            ] + refusals + [Self.log([])]
        }
        func refused(_ action: String?, code: Int64? = 400_108) -> HistoryFact {
            .refused(1, code: code, channel: "c", action: action, request: "d1")
        }
        let lost = try Self.verdict(facts(refused("delete"), refused("delete")))
        #expect(lost.complaints.map(\.rule) == [.once])
        #expect(lost.complaints.map(\.message) == [1])
        // An older line names no change, an edit's refusal is another one, and a dropped deletion
        // may have been made.
        #expect(try Self.verdict(facts(refused(nil))).isGood)
        #expect(try Self.verdict(facts(refused("edit"))).isGood)
        #expect(try Self.verdict(facts(refused("delete", code: nil))).isGood)
        let resend = HistoryFact.call(HistoryCall("resend", request: "d1"))
        #expect(try Self.verdict(facts(refused("delete"), resend)).isGood)
        // A second deletion may be made.
        let again = HistoryFact.call(HistoryCall("delete", channel: "c", message: 1))
        #expect(try Self.verdict(facts(refused("delete"), again)).isGood)
    }

    @Test(arguments: ["edit", "delete"])
    func `a queued change that is never made is found once its client has nothing left to send`(
        change: String
    ) throws {
        let all = [1, 2, 3].map { Self.message($0, by: "cy") }
        let text = change == "edit" ? "new" as String? : nil
        let call = HistoryFact.call(HistoryCall(change, channel: "c", text: text, message: 2))
        let answer = HistoryFact.answer(HistoryAnswer(call: 2, isOK: true))
        let lost = try Self.verdict([call, answer, Self.view(all)])
        #expect(lost.complaints.map(\.rule) == [.undone])
        #expect(lost.complaints.map(\.message) == [2])
        #expect(lost.complaints.first?.place.line == 3)
        // A refusal, or a client that may still send it, excuses.
        let refusal = HistoryFact.refused(2, code: 400_108, channel: "c")
        #expect(try Self.verdict([call, answer, refusal, Self.view(all)]).isGood)
        let named = HistoryFact.refused(2, code: 400_108, channel: "c", action: change)
        #expect(try Self.verdict([call, answer, named, Self.view(all)]).isGood)
        // The refusal of another change does not.
        let other = HistoryFact.refused(
            2, code: 400_108, channel: "c", action: change == "edit" ? "delete" : "edit")
        #expect(try !Self.verdict([call, answer, other, Self.view(all)]).isGood)
        let early = [call, answer, Self.view(all, isCaughtUp: false)]
        #expect(try Self.verdict([("ada", early), (nil, [Self.log(all)])]).isGood)
        // So does a made change.
        var made = all
        if change == "edit" { made[1].text = "new" } else { made.remove(at: 1) }
        #expect(try Self.verdict([call, answer, Self.view(made)]).isGood)
    }

    @Test func `an acknowledged message needs a call of its own`() throws {
        let sent: [HistoryFact] = [
            Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
            .acknowledged(Self.message(1), channel: "c"),
            .acknowledged(Self.message(2), channel: "c"),
        ]
        let end = Self.log([1, 2].map { Self.message($0) })
        let twice = try Self.verdict(sent + [end])
        #expect(twice.complaints.map(\.rule) == [.once])
        #expect(twice.complaints.map(\.message) == [2])
        // A killed client's call may be acknowledged after the relaunch, and once.
        let killed = try Self.verdict([sent[0], sent[1], Self.send] + sent.dropFirst(2) + [end])
        #expect(killed.isGood, "\(killed.complaints)")
    }

    @Test func `a log from the middle of a run claims its own stretch only`() throws {
        let all = [1, 2, 3].map { Self.message($0, by: "cy") }
        let edited = Self.message(1, by: "cy", "later")
        let end = Self.log([edited] + all.dropFirst())
        #expect(try Self.verdict([Self.log(Array(all[..<2])), end], user: nil).isGood)
        // In two files, the one that reaches farther is the end, in any order.
        let files: [(user: String?, facts: [HistoryFact])] = [
            (nil, [end]), (nil, [Self.log(Array(all[..<2]))]),
        ]
        #expect(try Self.verdict(files).isGood)
        let hole = try Self.verdict([Self.log([all[0], all[2]]), end], user: nil)
        #expect(hole.complaints.map(\.rule) == [.hole])
    }

    @Test func `two users may number their requests alike`() throws {
        func client(_ user: String, _ message: HistoryMessage) -> (String?, [HistoryFact]) {
            (
                user,
                [
                    Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "1")),
                    .acknowledged(message, channel: "c"),
                ]
            )
        }
        let one = Self.message(1, request: "1")
        let two = Self.message(2, by: "bo", request: "1")
        let clients = [client("ada", one), client("bo", two)]
        #expect(try Self.verdict(clients + [(nil, [Self.log([one, two])])]).isGood)
        // Lines that name no sender mean the first request.
        var bare = one
        bare.sender = nil
        #expect(try Self.verdict([(nil, [Self.log([bare])]), client("ada", bare)]).isGood)
        // For one user, two messages of a request are a fault as ever.
        let again = Self.message(2, request: "1")
        let verdict = try Self.verdict([client("ada", one), (nil, [Self.log([one, again])])])
        #expect(verdict.complaints.map(\.rule) == [.once])
    }

    @Test func `an acknowledgement is of the first open call for its text`() throws {
        let all = [Self.message(1, "A", request: "r1")]
        var shown = Self.message(1, "B", request: "r1")
        shown.updatedAt = 5
        let facts: [HistoryFact] = [
            Self.edit("A"), Self.edit("B"), Self.edit("A"), .edited(1, text: "A", channel: "c"),
            .call(HistoryCall("snapshot", channel: "c")),
            Self.view([shown], call: 6, isCaughtUp: false), .edited(1, text: "B", channel: "c"),
            .edited(1, text: "A", channel: "c"), Self.log(all),
        ]
        #expect(try Self.verdict(facts).isGood)
        // Behind the second acknowledgement the text B is undone.
        let later = [
            .call(HistoryCall("snapshot", channel: "c")),
            Self.view([shown], call: 10, isCaughtUp: false),
        ]
        let verdict = try Self.verdict(facts.dropLast() + later + [Self.log(all)])
        #expect(verdict.complaints.map(\.rule) == [.undone])
    }

    @Test func `a snapshot before a resend is no last one`() throws {
        let ada: [HistoryFact] = [
            Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
            .failed(request: "r1", code: 800_180, channel: "c"), Self.view([]),
            .call(HistoryCall("resend", request: "r1")),
            .acknowledged(Self.message(1), channel: "c"),
        ]
        #expect(try Self.verdict([("ada", ada), ("bo", [Self.view([Self.message(1)])])]).isGood)
    }

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
        let all = [1, 2].map { Self.message($0, by: "cy") }
        let ada: [HistoryFact] = [
            Self.view(all), .call(HistoryCall("delete", channel: "c", message: 2)),
            .deleted(2, channel: "c"), Self.view([all[0]]),
        ]
        let complaints = try Self.verdict([("ada", ada), ("bo", [Self.view(all)])]).complaints
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
        // So is one in which clients only called.
        let sent = try Self.verdict([
            Self.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
        ])
        #expect(sent.isGood)
        #expect(sent.notes.count == 1)
    }

    @Test func `a client without a last snapshot of a channel is reported in a note`() throws {
        let all = [Self.message(1, by: "cy")]
        let hung = [Self.view([], isCaughtUp: false)]
        let files: [(user: String?, facts: [HistoryFact])] = [
            ("ada", hung), ("bo", [Self.view(all)]), (nil, [Self.log(all)]),
        ]
        let verdict = try Self.verdict(files)
        #expect(verdict.isGood)
        #expect(verdict.notes.count == 1)
        #expect(verdict.notes.first?.contains("no last snapshot of f0") == true)
        #expect(try Self.verdict(files, early: ["f0"]).notes.isEmpty)
        // The platform's calls are no client's.
        let platform: [HistoryFact] = [
            .call(HistoryCall("delete", channel: "c", message: 2)), Self.log(all),
        ]
        #expect(try Self.verdict([("bo", [Self.view(all)]), (nil, platform)]).notes.isEmpty)
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
