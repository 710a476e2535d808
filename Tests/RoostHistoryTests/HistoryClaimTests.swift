// SPDX-License-Identifier: Apache-2.0

import RoostHistory
import Testing

/// Broken promises that look good at first, in histories written by hand.
struct HistoryClaimTests {
    private typealias Case = HistoryCaseTests

    private static func sent(_ text: String, _ call: Int64, request: String?) -> [HistoryFact] {
        let send = HistoryFact.call(HistoryCall("send", channel: "c", text: text))
        guard let request else { return [send] }
        return [send, .answer(HistoryAnswer(call: call, isOK: true, request: request))]
    }

    private static func refused(_ call: Int64) -> HistoryFact {
        .answer(HistoryAnswer(call: call, isOK: false, code: 800_101))
    }

    private static func change(_ messages: [HistoryMessage]) -> HistoryFact {
        .change(HistoryChange(channel: "c", inserted: messages))
    }

    private static func deletion(of message: Int64) -> HistoryFact {
        .call(HistoryCall("delete", channel: "c", message: message))
    }

    // MARK: The reach of the log

    @Test func `acknowledged messages that the log does not reach are named as not judged`() throws
    {
        func verdict(hasOlder: Bool) throws -> Verdict {
            var facts: [HistoryFact] = []
            for (number, text) in ["first", "second", "third"].enumerated() {
                let id = Int64(number + 1)
                facts += Self.sent(text, Int64(3 * number + 2), request: "r\(id)")
                facts.append(.acknowledged(Case.message(id, text), channel: "c"))
            }
            let view = HistoryView(
                channel: "c", messages: [Case.message(3, "third")], hasOlder: hasOlder,
                isCaughtUp: true)
            return try Case.verdict(facts + [.snapshot(view)])
        }
        let partial = try verdict(hasOlder: true)
        #expect(partial.isGood)
        #expect(partial.notes.count == 1 && partial.notes[0].hasPrefix("2 acknowledged messages"))
        let whole = try verdict(hasOlder: false)
        #expect(whole.complaints.map(\.message) == [1, 2] && whole.notes.isEmpty)
    }

    @Test func `a snapshot that lacks most of the log is complained of once, with the number`()
        throws
    {
        let all = (1...1_000).map { Case.message($0, by: "cy") }
        let verdict = try Case.verdict([
            ("ada", [Case.view([all[0], all[499]])]), (nil, [Case.log(all)]),
        ])
        #expect(verdict.complaints.map(\.rule) == [.hole, .final])
        #expect(verdict.complaints.map(\.message) == [2, 501])
        #expect(verdict.complaints[0].seen.hasPrefix("2, 3, 4 and 495 more missing"))
        #expect(verdict.complaints[1].seen.hasPrefix("501, 502, 503 and 497 more missing"))
    }

    @Test func `a snapshot whose client sends before its line is no last one`() throws {
        let sent = Self.sent("hi", 3, request: "r1")
        let call = HistoryFact.call(HistoryCall("snapshot", channel: "c"))
        let message = Case.message(1)
        let ada: [HistoryFact] =
            [call, sent[0], Case.view([], call: 2), sent[1]] + [
                .acknowledged(message, channel: "c")
            ]
        let log = (user: nil as String?, facts: [Case.log([message])])
        #expect(try Case.verdict([("ada", ada), log]).isGood)
        let early = try Case.verdict([("ada", [call, Case.view([], call: 2)]), log])
        #expect(early.complaints.map(\.rule) == [.final])
    }

    @Test func `a log that was begun anew behind a start is no part of the one before`() throws {
        let all = [1, 2, 3].map { Case.message($0, by: "cy") }
        let part = HistoryFact.log(
            HistoryView(channel: "c", messages: Array(all[..<2]), hasNewer: true))
        let start = HistoryFact.start(HistoryStart(user: nil))
        #expect(try Case.verdict([part, start, Case.log(all)], user: nil).isGood)
        #expect(try !Case.verdict([part, Case.log(all)], user: nil).isGood)
    }

    // MARK: Order of a sender

    @Test func `a message of a killed client's call keeps its place before later calls`() throws {
        func verdict(
            _ between: [HistoryFact] = [], call: Int64 = 4, request: String? = "r1"
        ) throws -> Verdict {
            let start = HistoryFact.start(HistoryStart(user: "ada"))
            var unnamed = Case.message(2, "first", request: "r1")
            unnamed.request = request
            return try Case.verdict([
                (
                    "ada",
                    Self.sent("first", 2, request: nil) + [start] + between
                        + Self.sent("second", call, request: "r2")
                ), (nil, [Case.log([Case.message(1, "second", request: "r2"), unnamed])]),
            ])
        }
        let overtaken = try verdict()
        #expect(overtaken.complaints.map(\.rule) == [.senderOrder])
        #expect(overtaken.complaints.map(\.message) == [2])
        // A failed message, one of two equal ones and one without a request ID have no certain call.
        let failed = HistoryFact.failed(request: "r1", code: 800_180, channel: "c")
        #expect(try verdict([failed], call: 5).isGood)
        #expect(try verdict(Self.sent("first", 4, request: nil), call: 5).isGood)
        #expect(try verdict(request: nil).isGood)
    }

    @Test func `a message without its request ID keeps the place of its answered call`() throws {
        var first = Case.message(3, "first")
        first.request = nil
        let zero = Case.message(1, "zero")
        let second = Case.message(2, "second", request: "r2")
        func verdict(_ log: [HistoryMessage]) throws -> Verdict {
            try Case.verdict([
                (
                    "ada",
                    Self.sent("zero", 2, request: "r1") + Self.sent("first", 4, request: "r9")
                        + Self.sent("second", 6, request: "r2")
                ), (nil, [Case.log(log)]),
            ])
        }
        #expect(try verdict([zero, second, first]).complaints.map(\.rule) == [.senderOrder])
        var last = second
        (last.id, last.createdAt) = (4, 40)
        #expect(try verdict([zero, first, last]).isGood)
    }

    // MARK: Holes

    @Test func `an empty list lacks the messages that its caught-up client knew`() throws {
        func verdict(_ between: [HistoryFact], log: [HistoryMessage]) throws -> Verdict {
            var call = 3 as Int64
            call += Int64(between.count)
            let bo: [HistoryFact] =
                [Self.change([Case.message(1)])] + between + [
                    .call(HistoryCall("snapshot", channel: "c")),
                    .snapshot(
                        HistoryView(channel: "c", call: call, messages: [], hasOlder: true)),
                ]
            return try Case.verdict([("bo", bo), (nil, [Case.log(log)])])
        }
        let blank = try verdict([], log: [Case.message(1)])
        #expect(blank.complaints.map(\.rule) == [.hole])
        #expect(blank.complaints.map(\.message) == [1])
        // A list whose messages were all deleted may be empty before older ones.
        let deleted = [Self.deletion(of: 1), HistoryFact.deleted(1, channel: "c")]
        #expect(try verdict(deleted, log: []).isGood)
        var older = Case.message(2, by: "cy")
        older.createdAt = 5
        #expect(try verdict(deleted, log: [older]).isGood)
    }

    // MARK: One order

    @Test func `a message that a client saw is in the log, also without a known call`() throws {
        let zero = Case.message(1, "zero", request: "r0")
        func verdict(
            _ user: String = "ada", answered: Bool, request: String?
        ) throws -> [Complaint.Rule] {
            var shown = Case.message(2, by: user)
            shown.request = request
            let ada =
                Self.sent("zero", 2, request: "r0")
                + Self.sent("hi", 4, request: answered ? "r1" : nil) + [Case.view([zero])]
            return try Case.verdict([
                ("ada", ada), ("bo", [Self.change([shown]), Case.view([zero])]),
                (nil, [Case.log([zero])]),
            ]).complaints.map(\.rule)
        }
        #expect(try verdict(answered: true, request: nil) == [.oneOrder])
        #expect(try verdict(answered: false, request: "r1") == [.oneOrder])
        #expect(try verdict("di", answered: false, request: "r1") == [])
    }

    @Test func `a message has one sender in all lines`() throws {
        let message = Case.message(1, by: "cy")
        let verdict = try Case.verdict([
            ("bo", [Case.view([Case.message(1, by: "di")])]), (nil, [Case.log([message])]),
        ])
        #expect(verdict.complaints.map(\.rule) == [.oneOrder])
        #expect(verdict.complaints.first?.expected.contains("di") == true)
    }

    @Test(arguments: [[[1, 2], [2, 3]], [[2, 3], [1]]] as [[[Int64]]])
    func `each part of a log begins behind the one before it`(parts: [[Int64]]) throws {
        let facts = parts.enumerated().map { number, ids in
            HistoryFact.log(
                HistoryView(
                    channel: "c", messages: ids.map { Case.message($0, by: "cy") },
                    hasOlder: number > 0, hasNewer: number < parts.count - 1))
        }
        let verdict = try Case.verdict(facts, user: nil)
        #expect(verdict.complaints.map(\.rule) == [.oneOrder])
        #expect(verdict.complaints.map(\.place.line) == [3])
    }

    // MARK: Changes

    @Test(arguments: ["edit", "delete"])
    func `a refusal excuses no change that was queued after it`(change: String) throws {
        let all = [Case.message(1, by: "cy", "a")]
        func call(_ text: String) -> HistoryFact {
            .call(
                HistoryCall(change, channel: "c", text: change == "edit" ? text : nil, message: 1))
        }
        func answer(_ call: Int64) -> HistoryFact { .answer(HistoryAnswer(call: call, isOK: true)) }
        let refusal = HistoryFact.refused(
            1, code: 900_050, channel: "c", action: change, request: "q1")
        let lost = [call("b"), answer(2), refusal, call("c"), answer(5)]
        #expect(try Case.verdict(lost + [Case.view(all)]).complaints.map(\.rule) == [.undone])
        // A repeated line is no new refusal; one of a resend or of another change is.
        let start = HistoryFact.start(HistoryStart(user: "ada"))
        #expect(
            try Case.verdict(lost + [start, refusal, Case.view(all)]).complaints.map(\.rule)
                == [.undone])
        let resend = HistoryFact.call(HistoryCall("resend", request: "q1"))
        #expect(try Case.verdict(lost + [resend, refusal, Case.view(all)]).isGood)
        let second = HistoryFact.refused(
            1, code: 900_050, channel: "c", action: change, request: "q2")
        #expect(try Case.verdict(lost + [second, Case.view(all)]).isGood)
        // The order of another process is unknown.
        #expect(
            try Case.verdict([
                ("ada", [call("b"), answer(2), Case.view(all)]), ("ada", [refusal]),
            ]).isGood)
    }

    @Test func `a later edit takes the place of a queued one, even without an answer`() throws {
        func answer(_ call: Int64) -> HistoryFact { .answer(HistoryAnswer(call: call, isOK: true)) }
        func verdict(_ facts: [HistoryFact], end: String) throws -> Verdict {
            let restart = HistoryFact.start(HistoryStart(user: "ada"))
            return try Case.verdict(facts + [restart, Case.view([Case.message(1, by: "cy", end)])])
        }
        let cut = [Case.edit("b"), answer(2), Case.edit("c")]
        #expect(try verdict(cut, end: "b").isGood)
        #expect(try verdict(cut, end: "c").isGood)
        #expect(try verdict(cut, end: "a").complaints.map(\.rule) == [.undone])
        // An earlier one does not.
        let whole = [Case.edit("c"), Case.edit("b"), answer(3)]
        #expect(try verdict(whole, end: "c").complaints.map(\.rule) == [.undone])
    }

    @Test func `an edit beside a refused deletion is missed`() throws {
        let all = [Case.message(1, by: "cy", "one")]
        func changes(edit: Int64, deletion: Int64) -> [HistoryFact] {
            var facts: [HistoryFact] = []
            for call in [edit, deletion].sorted() {
                facts.append(
                    call == edit
                        ? .call(HistoryCall("edit", channel: "c", text: "uno", message: 1))
                        : Self.deletion(of: 1))
                facts.append(.answer(HistoryAnswer(call: call, isOK: true)))
            }
            return facts
        }
        let refused = HistoryFact.refused(1, code: 400_108, channel: "c", action: "delete")
        let end = Case.view(all)
        for (edit, deletion) in [(4, 2), (2, 4)] as [(Int64, Int64)] {
            let queued = changes(edit: edit, deletion: deletion)
            let lost = try Case.verdict(queued + [refused, end])
            #expect(lost.complaints.map(\.rule) == [.undone])
            #expect(lost.complaints.map(\.place.line) == [Int32(edit + 1)])
            // Without the refusal the deletion is the one that is missed.
            let hidden = try Case.verdict(queued + [end])
            #expect(hidden.complaints.map(\.rule) == [.undone])
            #expect(hidden.complaints.map(\.place.line) == [Int32(deletion + 1)])
            // The edit of a message that is deleted is not made.
            #expect(try Case.verdict(queued + [Case.view([])]).isGood)
            let both = HistoryFact.refused(1, code: 400_108, channel: "c", action: "edit")
            #expect(try Case.verdict(queued + [refused, both, end]).isGood)
        }
    }

    @Test func `an undone deletion is found in the log that reaches farthest`() throws {
        let all = [1, 2].map { Case.message($0, by: "cy") }
        let ada: [HistoryFact] = [
            Self.deletion(of: 2), .answer(HistoryAnswer(call: 2, isOK: true)),
            .deleted(2, channel: "c"),
        ]
        let verdict = try Case.verdict([
            ("ada", ada), (nil, [Case.log([all[0]])]), (nil, [Case.log(all)]),
        ])
        #expect(verdict.complaints.map(\.rule) == [.undone])
    }

    @Test func `refused deletions without a request ID count one by one`() throws {
        let refusal = HistoryFact.refused(1, code: 400_108, channel: "c", action: "delete")
        func verdict(_ refusals: [HistoryFact]) throws -> Verdict {
            try Case.verdict(
                [
                    Case.send, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
                    .acknowledged(Case.message(1), channel: "c"), Self.deletion(of: 1),
                    Self.deletion(of: 1),
                ] + refusals + [Case.log([])])
        }
        #expect(try verdict([refusal]).isGood)
        #expect(try verdict([refusal, refusal]).complaints.map(\.rule) == [.once])
    }

    @Test func `an acknowledged deletion for which no client asked is found`() throws {
        let deleted = HistoryFact.deleted(1, channel: "c")
        func ada(_ deletion: [HistoryFact]) -> [HistoryFact] {
            let first = Case.message(1, "one")
            let second = Case.message(2, "two")
            return Self.sent("one", 2, request: "r1") + [.acknowledged(first, channel: "c")]
                + Self.sent("two", 5, request: "r2") + [.acknowledged(second, channel: "c")]
                + deletion + [Case.view([second])]
        }
        let lost = try Case.verdict(ada([deleted]))
        #expect(lost.complaints.map(\.rule) == [.once])
        #expect(lost.complaints.map(\.message) == [1])
        #expect(lost.complaints.map(\.place.line) == [8])
        // A call that was answered by an error asks for nothing.
        let refused = [Self.deletion(of: 1), Self.refused(8), deleted]
        #expect(try Case.verdict(ada(refused)).complaints.map(\.rule) == [.once])
        #expect(try Case.verdict(ada([Self.deletion(of: 1), deleted])).isGood)
        // Another process of the user, or the platform, may have the call.
        let call = [Self.deletion(of: 1)]
        #expect(try Case.verdict([("ada", ada([deleted])), ("ada", call)]).isGood)
        #expect(try Case.verdict([("ada", ada([deleted])), (nil, call)]).isGood)
    }

    @Test(arguments: [(1, 3), (2, 3)] as [(Int64, Int64)])
    func `a deletion whose call may be in a missing line is no fault`(
        start: Int64, deletion: Int64
    ) throws {
        var judge = HistoryJudge(files: ["a"])
        let facts: [(Int64, HistoryFact)] = [
            (start, .start(HistoryStart(user: "ada"))), (deletion, .deleted(1, channel: "c")),
        ]
        for (number, fact) in facts {
            try judge.take(
                HistoryLine(client: "a", number: number, fact),
                at: HistoryPlace(file: 0, line: Int(number)))
        }
        #expect(judge.verdict().isGood)
    }

    // MARK: Request IDs

    @Test func `two messages under one request ID are found, though one is acknowledged twice`()
        throws
    {
        let acknowledged = HistoryFact.acknowledged(Case.message(1, "one"), channel: "c")
        let end = Case.view([Case.message(1, "one")])
        let one = Self.sent("one", 2, request: "r1")
        let own = try Case.verdict(one + Self.sent("two", 4, request: "r1") + [acknowledged, end])
        #expect(own.complaints.map(\.rule) == [.once])
        #expect(own.complaints.map(\.request) == ["r1"])
        #expect(own.complaints.map(\.place.line) == [5])
        #expect(own.complaints.first?.seen.hasSuffix("f0:3") == true)
        // So are those of two devices, one of which is a copy of the other.
        let copy = Self.sent("two", 2, request: "r1") + [acknowledged, end]
        let twins = try Case.verdict([("ada", one + [acknowledged, end]), ("ada", copy)])
        #expect(twins.complaints.map(\.rule) == [.once])
        #expect(twins.complaints.map(\.place.file) == [1])
        // A recorder that is no user may send for several users.
        #expect(try Case.verdict([(nil, one), (nil, one)]).isGood)
    }

    // MARK: Calls with an error

    @Test func `a send that was answered by an error sends nothing`() throws {
        let facts =
            Self.sent("zero", 2, request: "r0") + [Case.send, Self.refused(4)]
            + Self.sent("hi", 6, request: "r2")
            + [
                Case.log([
                    Case.message(1, "zero", request: "r0"), Case.message(2, request: "rX"),
                    Case.message(3, request: "r2"),
                ])
            ]
        let verdict = try Case.verdict(facts)
        #expect(verdict.complaints.map(\.rule) == [.once])
        #expect(verdict.complaints.map(\.message) == [2])
    }

    @Test func `a deletion that was answered by an error excuses no loss and no hole`() throws {
        let sent =
            Self.sent("hi", 2, request: "r1") + [.acknowledged(Case.message(1), channel: "c")]
        let deletion = [Self.deletion(of: 1), Self.refused(5)]
        let lost = try Case.verdict(sent + deletion + [Case.log([])])
        #expect(lost.complaints.map(\.rule) == [.once])
        let all = [1, 2].map { Case.message($0, by: "cy") }
        let hidden = try Case.verdict([
            (
                "bo",
                [Self.deletion(of: 1), Self.refused(2), Case.view([all[1]], isCaughtUp: false)]
            ),
            (nil, [Case.log(all)]),
        ])
        #expect(hidden.complaints.map(\.rule) == [.hole])
        // A call without an answer may have been made.
        #expect(try Case.verdict(sent + [deletion[0], Case.log([])]).isGood)
    }

    @Test func `an edit that was answered by an error explains no text`() throws {
        let facts =
            Self.sent("hi", 2, request: "r1")
            + [
                .call(HistoryCall("edit", channel: "c", text: "new", message: 1)), Self.refused(4),
                Case.log([Case.message(1, "new")]),
            ]
        #expect(try Case.verdict(facts).complaints.map(\.rule) == [.once])
        #expect(try Case.verdict(facts.filter { $0 != Self.refused(4) }).isGood)
    }

    @Test func `a cancel or resend that was answered by an error takes nothing out of judgement`()
        throws
    {
        let sent = Self.sent("one", 2, request: "r1")
        let cancel = [HistoryFact.call(HistoryCall("cancel", request: "r1")), Self.refused(4)]
        let lost = try Case.verdict(sent + cancel + [Case.view([])])
        #expect(lost.complaints.map(\.rule) == [.once])
        #expect(lost.complaints.map(\.request) == ["r1"])
        // A cancel that was made, or is not answered, and a failure between its lines excuse.
        let made = HistoryFact.answer(HistoryAnswer(call: 4, isOK: true))
        #expect(try Case.verdict(sent + [cancel[0], made, Case.view([])]).isGood)
        #expect(try Case.verdict(sent + [cancel[0], Case.view([])]).isGood)
        let failed = HistoryFact.failed(request: "r1", code: 800_180, channel: "c")
        #expect(try Case.verdict(sent + [cancel[0], failed, cancel[1], Case.view([])]).isGood)

        let resend = [HistoryFact.call(HistoryCall("resend", request: "r1")), Self.refused(4)]
        let overtaken = [
            Case.message(1, "two", request: "r2"), Case.message(2, "one", request: "r1"),
        ]
        let later = Self.sent("two", 6, request: "r2") + [Case.view(overtaken)]
        #expect(
            try Case.verdict(sent + resend + later).complaints.map(\.rule) == [.senderOrder])
        #expect(try Case.verdict(sent + [resend[0], made] + later).isGood)
    }

    @Test func `a canceled message stays canceled when its resend finds nothing`() throws {
        let canceled = HistoryFact.canceled(request: "r1", channel: "c")
        let resend = HistoryFact.call(HistoryCall("resend", request: "r1"))
        let sent = Self.sent("hi", 2, request: "r1")
        let own: [HistoryFact] =
            sent + [
                .call(HistoryCall("cancel", request: "r1")), canceled,
                .answer(HistoryAnswer(call: 4, isOK: true)), resend, Self.refused(7),
                Case.view([]),
            ]
        #expect(try Case.verdict(own).isGood)
        // Another process may cancel the message behind a resend; its file may come first.
        let resent: [HistoryFact] =
            sent + [
                .failed(request: "r1", code: 800_180, channel: "c"), resend,
                .answer(HistoryAnswer(call: 5, isOK: true)), Case.view([]),
            ]
        #expect(try Case.verdict([("ada", [canceled]), ("ada", resent)]).isGood)
        #expect(try Case.verdict([("ada", resent), ("ada", [canceled])]).isGood)
        #expect(try Case.verdict(resent).complaints.map(\.rule) == [.once])
    }

    @Test func `a message that was sent again by hand is not lost`() throws {
        let failed = HistoryFact.failed(request: "r1", code: 800_180, channel: "c")
        let resent: [HistoryFact] =
            Self.sent("hi", 2, request: "r1") + [
                failed, .call(HistoryCall("resend", request: "r1")),
                .answer(HistoryAnswer(call: 5, isOK: true)),
            ]
        let lost = try Case.verdict(resent + [Case.view([]), Case.log([])])
        #expect(lost.complaints.map(\.rule) == [.once])
        #expect(lost.complaints.map(\.request) == ["r1"])
        #expect(try Case.verdict(resent + [failed, Case.view([]), Case.log([])]).isGood)
        let canceled = HistoryFact.canceled(request: "r1", channel: "c")
        #expect(try Case.verdict(resent + [canceled, Case.view([]), Case.log([])]).isGood)
        // A client may write the failure before the answer to its call.
        let early: [HistoryFact] = [
            Case.send, failed, .answer(HistoryAnswer(call: 2, isOK: true, request: "r1")),
        ]
        #expect(try Case.verdict(early + [Case.view([])]).isGood)
        let again = try Case.verdict(early + Array(resent[3...]) + [Case.view([])])
        #expect(again.complaints.map(\.rule) == [.once])
        #expect(again.complaints.map(\.request) == ["r1"])
        #expect(
            try Case.verdict(resent.dropLast() + [Self.refused(5), Case.view([]), Case.log([])])
                .isGood)
    }
}
