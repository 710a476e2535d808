// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostChat

/// The screens, as text.
struct ChatScreenTests {
    @Test func `both panes are shown from sixty columns on`() {
        let expected = """
             Channels  2 unread │ Night train  ○ Bo  ○ Cleo        ● online
            ▌Night train  10:03 │ ├█████████┤ all on this device
            ▌Bo: Just got on    │
             Library         2  │
             Cleo: Page 12      │
                                │ ──────── Friday 27 November 2026 ─────────
                                │ 10:01 Ada
                                │       Are you on the train? ✓✓
                                │ 10:02 Bo
                                │       Nearly
                                │       Just got on
                                │───────────────────────────────────────────
                                │ › Write a message…
             Enter send  Alt-Enter new line  ↑ messages  Tab channels
            """
        #expect(Sample.screen(Sample.chat()) == expected)
    }

    @Test func `a narrow screen shows one pane`() {
        var state = Sample.chat(rows: 12, columns: 40)
        let timeline = """
             Night train  ○ Bo  ○ Cleo     ● online
             ├████████┤ all on this device

             ─────── Friday 27 November 2026 ───────
             10:01 Ada
                   Are you on the train? ✓✓
             10:02 Bo
                   Nearly
                   Just got on
            ────────────────────────────────────────
             › Write a message…
             Enter send  Alt-Enter new line
            """
        #expect(Sample.screen(state) == timeline)
        _ = state.press(.tab)
        let list = """
             Channels                      2 unread
            ▌Night train                      10:03
            ▌Bo: Just got on
             Library                             2
             Cleo: Page 12






             ↑↓ choose  Enter open  Tab write
            """
        #expect(Sample.screen(state) == list)
    }

    @Test func `a large screen has room for all of it`() {
        let lines = Sample.screen(Sample.chat(rows: 60, columns: 200)).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 60)
        #expect(lines[56].contains("Just got on"))
        #expect(lines[59].contains("^Q quit"))
        #expect(lines.allSatisfy { $0.count <= 200 })
    }

    @Test func `a tiny screen says so`() {
        #expect(
            Sample.screen(Sample.chat(rows: 4, columns: 30)).hasPrefix("This window is too small."))
        let narrow = Sample.screen(Sample.chat(rows: 5, columns: 20))
        #expect(narrow.hasPrefix("This window is too\nsmall. It needs 24 ×\n8."))
        #expect(Sample.screen(Sample.chat(rows: 8, columns: 24)).contains("Just got on"))
        #expect(Sample.screen(Sample.chat(rows: 0, columns: 0)) == "")
    }

    @Test func `pending, failed, edited and deleted messages look different`() {
        var edited = Sample.message(2, "Nearly there")
        edited.updatedAt = Sample.minute(3)
        var liked = Sample.message(3, "Soup!")
        liked.details.reactions = [
            Reaction(key: "🎉", userIDs: ["ada", "cleo"], updatedAt: Sample.start)
        ]
        liked.details.threadInfo = ThreadInfo(replyCount: 2)
        var state = Sample.chat(
            rows: 20,
            messages: [
                edited, liked, Sample.message(4, "Wrong channel"),
                Sample.message(5, "Bye", by: Sample.ada), Sample.unsent("r1", "Wait for it"),
                Sample.unsent("r2", "Lost", .failed(.notAMember)),
            ])
        _ = state.receive(
            .messages(
                "train",
                ChatInput.Window([
                    edited, liked, Sample.message(5, "Bye", by: Sample.ada),
                    Sample.unsent("r1", "Wait for it"),
                    Sample.unsent("r2", "Lost", .failed(.notAMember)),
                ])))
        let screen = Sample.screen(state)
        for part in [
            "Nearly there edited", "🎉 2*", "↳ 2 replies", "deleted", "Bye ✓", "Wait for it ◷",
            "✗ not sent:",
        ] {
            #expect(screen.contains(part), "\(part)")
        }
        #expect(!screen.contains("Wrong channel"))
    }

    @Test func `changes that wait for the server are shown at once`() {
        var state = Sample.chat()
        let edit = PendingChange(
            id: "c1", channel: "train", createdAt: Sample.minute(4),
            action: .edit(.delivered(1), MessageEdit(text: "On it?")))
        _ = state.receive(.pending("train", [edit]))
        #expect(Sample.screen(state).contains("On it? ◷ change waits"))
    }

    @Test func `hostile names and texts stay within their places`() {
        let villain = User(id: "v", nickname: "\u{1B}[31mVillain\u{202E}\nx")
        let marks = String(repeating: "\u{301}", count: 50)
        let text = "\u{1B}]0;title\u{07}\u{9B}2J" + marks + "\rover"
        let message = Sample.message(4, text, by: villain)
        var channel = Sample.channel("train", "\u{1B}c\u{7}Evil\u{0}", last: message)
        channel.members.append(Member(user: villain))
        let state = Sample.chat(messages: Sample.talk + [message], channels: [channel])
        let screen = Sample.screen(state)
        for scalar in screen.unicodeScalars where scalar != "\n" {
            #expect(scalar.properties.generalCategory != .control, "\(scalar.value)")
            #expect(scalar.properties.generalCategory != .format, "\(scalar.value)")
        }
        // The line between the panes stands where it stood.
        for row in 0..<13 { #expect(ChatScreen.draw(state)[row, 20].text == "│") }
    }

    @Test func `typing, presence, unread counts and failures are on the screen`() {
        var state = Sample.chat(columns: 100)
        _ = state.receive(.typing([Sample.bo, Sample.ada], "train"))
        _ = state.receive(.presence(["bo": true, "cleo": false]))
        let screen = Sample.screen(state)
        #expect(screen.contains("Bo is typing…"))
        #expect(screen.contains("● Bo") && screen.contains("○ Cleo"))
        #expect(screen.contains("2 unread"))
        _ = state.receive(.failed("The disk is full."))
        #expect(Sample.screen(state).contains("The disk is full."))
        _ = state.receive(.tick(Sample.minute(30)))
        #expect(!Sample.screen(state).contains("The disk is full."))
    }

    @Test func `the sum of unread messages has its word, and room beside the narrowest title`() {
        for (unread, title) in [
            (0, " Channels           │"), (14, " Channels 14 unread │"),
            (99, " Channels 99 unread │"), (100, " Channels 99+ unread│"),
            (Int.max, " Channels 99+ unread│"),
        ] {
            let channels = [
                Sample.channel("train", "Night train", unread: unread),
                Sample.channel("library", "Library"),
            ]
            let state = Sample.chat(columns: 60, channels: channels)
            #expect(Sample.screen(state).hasPrefix(title), "\(unread)")
        }
    }

    @Test func `the keys of a question name what Enter does`() {
        var state = Sample.chat()
        for (key, words) in [("f", "Enter search"), ("u", "Enter send"), ("t", "Enter start")] {
            state.press(.control(Unicode.Scalar(key) ?? "?"))
            #expect(Sample.screen(state).contains(words), "\(key)")
            state.press(.escape)
        }
        // One letter answers these questions.
        state.press(.up, .character("r"))
        #expect(!Sample.screen(state).contains("Enter"))
    }

    @Test func `each part of the connection's state has its words`() {
        var state = Sample.chat(columns: 100)
        var health = state.health
        for (link, words) in [
            (Health.Connection.State.connecting, "connecting"), (.disconnected, "offline"),
            (.awaitingNetwork, "no network"), (.refused, "refused"), (.waiting, "again in 5 s"),
        ] {
            health.connection.state = link
            health.connection.nextAttempt = Timestamp(milliseconds: state.now.milliseconds + 4_500)
            _ = state.receive(.health(health))
            #expect(Sample.screen(state).contains(words), "\(words)")
        }
        health.connection.state = .refused
        for (code, words) in [
            (RoostError.Code.applicationNotFound, "refused: no such application"),
            (.tokenInvalid, "refused: wrong or missing token"),
            (.userDeactivated, "is deactivated"),
            (.userNotFound, "no such user"), (.sessionRevoked, "was ended"),
            (.untrustedServer, "certificate"), (RoostError.Code(7), "refused: error 7"),
        ] {
            health.connection.failure = RoostError(code, remedy: .none, message: "")
            _ = state.receive(.health(health))
            #expect(Sample.screen(state).contains(words), "\(words)")
        }
        health.connection.failure = nil
        health.connection.state = .connected
        health.catchUp.running = 1
        health.outbox.pending = 3
        _ = state.receive(.health(health))
        #expect(Sample.screen(state).contains("catching up · 3 waiting"))
    }

    @Test func `an upload has a bar while it waits, and none once it has failed`() {
        func message(_ state: UnsentState) -> Message {
            var message = Sample.unsent("r1", "", state)
            message.content = .file(
                FileContent(
                    url: "", name: "map.png", type: "image/png", size: ByteCount(bytes: 100),
                    caption: ""))
            return message
        }
        var state = Sample.chat(messages: Sample.talk + [message(.pending)])
        let progress = UploadProgress(sent: ByteCount(bytes: 40), total: ByteCount(bytes: 100))
        _ = state.receive(.uploading("r1", progress))
        #expect(Sample.screen(state).contains("40 % sent"))
        let failed = Sample.talk + [message(.failed(.uploadTimeout))]
        _ = state.receive(.messages("train", ChatInput.Window(failed)))
        #expect(Sample.screen(state).contains("map.png"))
        #expect(!Sample.screen(state).contains("% sent"))
    }

    @Test func `the reason of a failure has room on a screen of 80 × 24`() {
        var state = Sample.chat(
            rows: 24, columns: 80, channels: [Sample.channel("train", "Bo", unread: 0)])
        var health = state.health
        health.connection.state = .refused
        health.connection.failure = RoostError(.tokenInvalid, remedy: .none, message: "")
        health.outbox.pending = 2
        _ = state.receive(.health(health))
        #expect(
            Sample.screen(state).contains(
                " Bo  ○ Bo  ○ Cleo ✗ refused: wrong or missing token · 2 w"))
        let reason =
            "There is no connection: the server refused the login: "
            + "the application is unknown there."
        _ = state.receive(.failed(reason))
        let lines = Sample.screen(state).split(separator: "\n").map { String($0.dropFirst(21)) }
        #expect(
            lines.suffix(4).dropLast(2) == [
                "── There is no connection: the server refused the login: ──",
                "── the application is unknown there. "
                    + String(repeating: "─", count: 22),
            ])
        // The newest message moves up and stays on screen.
        #expect(lines[lines.count - 5].contains("Just got on"))
        // A reason without an end leaves most of the screen to the messages.
        _ = state.receive(.failed(String(repeating: "why ", count: 500)))
        #expect(Sample.screen(state).contains("Just got on"))
        #expect(Sample.screen(state).split(separator: "\n").count { $0.contains("why") } == 3)
        #expect(Sample.screen(state).contains("why w…"))
    }

    @Test func `scrolling by rows and back comes to the same screen`() {
        let many = (1...40).map { number in
            Sample.message(
                number, String(repeating: "word ", count: Int(number % 9) * 6 + 1),
                by: number % 3 == 0 ? Sample.bo : Sample.cleo, at: number * 7)
        }
        var state = Sample.chat(messages: many)
        let newest = Sample.screen(state)
        var screens: [String] = []
        while screens.last != Sample.screen(state), screens.count < 500 {
            screens.append(Sample.screen(state))
            _ = state.receive(.mouse(MouseAction(.wheelUp, row: 5, column: 40)))
        }
        #expect(screens.count > 20)
        #expect(screens.last?.contains("Friday 27 November 2026") == true)
        for _ in screens { _ = state.receive(.mouse(MouseAction(.wheelDown, row: 5, column: 40))) }
        #expect(Sample.screen(state) == newest)
    }

    @Test func `a press of the mouse opens, selects and acts`() {
        var state = Sample.chat()
        // The second channel's rows, then a message, then the key at the end of the last line.
        #expect(
            state.receive(.mouse(MouseAction(.press, row: 3, column: 2)))
                == [.open("library", at: nil), .readPresence(["bo", "cleo"])])
        state = Sample.chat()
        _ = state.receive(.mouse(MouseAction(.press, row: 10, column: 30)))
        #expect(state.selectedMessage?.message.messageID == 3)
        _ = state.receive(.mouse(MouseAction(.press, row: 12, column: 30)))
        #expect(state.focus == .composer)
        state = Sample.chat(columns: 100)
        let line = Sample.screen(state).split(separator: "\n").last ?? ""
        let column = line.distance(
            from: line.startIndex, to: line.firstRange(of: "F1")?.lowerBound ?? line.startIndex)
        _ = state.receive(.mouse(MouseAction(.press, row: 13, column: column)))
        #expect(state.focus == .help)
    }
}

struct HistoryBarTests {
    @Test func `unknown history is drawn as unknown, whole history as full`() {
        let (start, end) = (Sample.minute(0), Sample.minute(100))
        #expect(HistoryBar(holes: nil, from: start, to: end, width: 4).bar == "├┄┄┄┄┤")
        let whole = HistoryBar(holes: [], from: start, to: end, width: 4)
        #expect(whole.bar == "├████┤" && whole.words == "all on this device")
    }

    @Test(
        arguments: [
            ([20...40], "├██░░██████┤", "1 hole"), ([20...21], "├██░███████┤", "1 hole"),
            ([10...20, 70...90], "├█░█████░░█┤", "2 holes"),
        ] as [([ClosedRange<Int64>], String, String)])
    func `a hole covers its time, and at least one cell`(
        holes: [ClosedRange<Int64>], bar: String, words: String
    ) {
        let drawn = HistoryBar(
            holes: holes.map {
                ChatInput.Hole(
                    from: Sample.minute($0.lowerBound), through: Sample.minute($0.upperBound))
            }, from: Sample.minute(0), to: Sample.minute(100), width: 10)
        #expect(drawn.words == words)
        #expect(drawn.bar == bar)
    }

    @Test func `a beginning and news that are missing leave the bar open`() {
        let (start, end) = (Sample.minute(0), Sample.minute(100))
        let older = ChatInput.Hole(from: .distantPast, through: start)
        let newer = ChatInput.Hole(from: end, through: .distantFuture)
        let drawn = HistoryBar(holes: [older, newer], from: start, to: end, width: 20)
        #expect(drawn.bar.hasPrefix("┄░░") && drawn.bar.hasSuffix("░┄"))
        #expect(drawn.bar.contains("████") && drawn.words == "1 hole")
        let nothing = HistoryBar(
            holes: [ChatInput.Hole(from: .distantPast, through: .distantFuture)], from: start,
            to: end, width: 5)
        #expect(nothing.bar == "┄░░░░░┄")
    }

    @Test(arguments: [Int64.min, .max, 0])
    func `times of any size are drawn`(milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        for hole in [(moment, moment), (.distantPast, moment), (moment, .distantFuture)] {
            let drawn = HistoryBar(
                holes: [ChatInput.Hole(from: hole.0, through: hole.1)], from: moment,
                to: Sample.start, width: 8)
            #expect(drawn.bar.count == 10)
        }
    }
}

struct LocalTimeTests {
    @Test(arguments: [
        (Int64(0), "Thursday 1 January 1970", "00:00"),
        (951_782_400_000, "Tuesday 29 February 2000", "00:00"),
        (1_795_773_660_000, "Friday 27 November 2026", "10:01"),
        (-1, "Wednesday 31 December 1969", "23:59"), (.max, "Friday 31 December 9999", "00:00"),
        (.min, "Monday 1 January 1", "00:00"),
    ])
    func `moments have their date and time`(milliseconds: Int64, date: String, clock: String) {
        let time = LocalTime(
            Timestamp(milliseconds: milliseconds), in: .init(secondsFromGMT: 0) ?? .current)
        #expect(time.date == date)
        #expect(time.clock == clock)
    }
}
