// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostChat

/// The decisions: inputs in, effects out.
struct ChatStateTests {
    @Test func `the first channel of the list opens by itself`() {
        var state = ChatState(
            me: "ada", size: GridSize(rows: 24, columns: 80), timeZone: .current)
        let effects = state.receive(.channels(Sample.channels, hasMore: false))
        #expect(effects == [.open("train", at: nil)])
        // Later lists leave the reader where she is.
        #expect(state.receive(.channels(Sample.channels.reversed(), hasMore: false)).isEmpty)
    }

    @Test func `typing announces itself, and Enter sends without the spaces around`() {
        var state = Sample.chat()
        #expect(state.type("Hi ").allSatisfy { $0 == .startTyping("train") })
        #expect(
            state.press(.enter) == [
                .endTyping("train"), .send("Hi", "train", thread: nil),
                .saveDraft("", DraftPlace("train")),
            ])
        #expect(state.composer.isEmpty)
        #expect(state.press(.enter).isEmpty)
    }

    @Test func `a message of several lines is one message, typed or pasted`() {
        var state = Sample.chat()
        state.type("one")
        state.press(.newLine)
        state.type("two")
        #expect(state.press(.enter).contains(.send("one\ntwo", "train", thread: nil)))
        #expect(state.receive(.paste("a\nb")) == [.startTyping("train")])
        #expect(state.press(.enter).contains(.send("a\nb", "train", thread: nil)))
    }

    @Test func `the end of the program keeps the draft, also behind a question or a pasted text`() {
        var state = Sample.chat()
        state.type("later ")
        _ = state.receive(.paste("and more"))
        let draft = ChatEffect.saveDraft("later and more", DraftPlace("train"))
        state.press(.control("f"))
        #expect(state.receive(.quit) == [draft, .endTyping("train"), .quit])
    }

    @Test func `an edit sets the draft aside, and its end brings it back`() {
        var state = Sample.chat()
        state.type("draft")
        state.press(.up, .up, .up)
        #expect(
            state.press(.character("e")) == [
                .saveDraft("draft", DraftPlace("train")), .endTyping("train"),
            ])
        #expect(state.composer.text == "Are you on the train?")
        // The edit is no draft.
        state.type("?")
        #expect(!state.receive(.tick(Sample.minute(21))).contains { $0.isDraft })
        state.press(.escape)
        #expect(state.composer.text == "draft")
        state.press(.up, .up, .up, .character("e"))
        #expect(state.press(.enter).contains { $0.isEdit })
        #expect(state.composer.text == "draft")
    }

    @Test func `an edit that another one replaces leaves the draft set aside`() {
        var state = Sample.chat(
            messages: Sample.talk + [Sample.message(4, "Me too", by: Sample.ada)])
        state.type("draft")
        state.press(.up, .character("e"))
        #expect(state.composer.text == "Me too")
        let effects = state.press(.up, .up, .up, .character("e"))
        #expect(effects.isEmpty)
        #expect(state.composer.text == "Are you on the train?" && state.setAside == ["draft"])
        state.press(.escape)
        #expect(state.composer.text == "draft" && state.setAside.isEmpty)
        let sending = state.press(.enter)
        #expect(sending.contains(.send("draft", "train", thread: nil)))
    }

    @Test func `the text of an edit that could not be made is in the next edit of its message`() {
        var state = Sample.chat(
            messages: Sample.talk + [Sample.message(4, "Me too", by: Sample.ada)])
        state.press(.up, .character("e"))
        state.type("!")
        state.press(.enter)
        _ = state.receive(
            .editRefused(.delivered(4), "train", text: "Me too!", reason: "The disk is full."))
        #expect(state.composer.isEmpty && state.conversation?.editing == nil)
        #expect(state.notice?.text == "e on the message tries again: The disk is full.")
        // Another message does not get it, and leaving the edit gives it up.
        state.press(.up, .up, .up, .up, .character("e"))
        #expect(state.composer.text == "Are you on the train?")
        state.press(.escape, .up, .character("e"))
        #expect(state.composer.text == "Me too!" && state.notice == nil)
        state.press(.escape, .up, .character("e"))
        #expect(state.composer.text == "Me too")
    }

    @Test func `an edit ends with the deletion of its message, and not with that of another`() {
        var state = Sample.chat(
            messages: Sample.talk + [Sample.message(4, "Me too", by: Sample.ada)])
        state.type("draft")
        state.press(.up, .up, .up, .up, .character("e"), .up, .down, .down, .down)
        let other = state.press(.character("d"), .character("y"))
        #expect(other == [.delete(.delivered(4), "train")])
        #expect(state.conversation?.editing == .delivered(1))
        state.press(.up, .up, .up, .up, .character("d"))
        let effects = state.press(.character("y"))
        #expect(effects == [.delete(.delivered(1), "train")])
        #expect(state.conversation?.editing == nil && state.setAside.isEmpty)
        #expect(state.composer.text == "draft")
    }

    @Test func `a thread and an edit in it each bring back the text that they set aside`() {
        var state = Sample.chat()
        state.type("channel")
        state.press(.up, .character("t"))
        #expect(state.composer.isEmpty)
        state.type("thread")
        var reply = Sample.message(4, "Mine", by: Sample.ada)
        reply.parentID = 3
        _ = state.receive(.replies(3, ChatInput.Window([reply])))
        state.press(.up, .character("e"))
        #expect(state.composer.text == "Mine")
        state.press(.escape)
        #expect(state.composer.text == "thread")
        let leaving = state.press(.escape)
        #expect(leaving.contains(.closeThread))
        #expect(state.composer.text == "channel")
        // An edit that is left for a thread is given up, and its text comes back once.
        state.press(.up, .up, .up, .character("e"), .tab, .tab, .up, .character("t"), .escape)
        #expect(state.composer.text == "channel" && state.setAside.isEmpty)
        // Another channel has none of these texts.
        state.press(.up, .character("t"), .control("n"))
        #expect(state.composer.isEmpty && state.setAside.isEmpty)
    }

    @Test func `a text that could not be saved is there again, and is kept as a draft`() {
        var state = Sample.chat()
        let refused = ChatInput.textRefused(
            "Hi", DraftPlace("train"), reason: "The disk is full.")
        state.type("Hi")
        state.press(.enter)
        let kept = state.receive(refused)
        #expect(kept == [.saveDraft("Hi", DraftPlace("train"))])
        #expect(state.composer.text == "Hi" && state.notice?.text == "The disk is full.")
        // A text that begins with it stays as it is, and so does an edit.
        state.type("!")
        let keptAgain = state.receive(refused)
        #expect(keptAgain == [.saveDraft("Hi!", DraftPlace("train"))])
        #expect(state.composer.text == "Hi!")
        state.press(.enter, .up, .up, .up, .character("e"))
        let keptBehind = state.receive(refused)
        #expect(keptBehind == [.saveDraft("Hi", DraftPlace("train"))])
        #expect(state.composer.text == "Are you on the train?")
        state.press(.escape)
        #expect(state.composer.text == "Hi")
        // The draft on disk is the text, also for a reader who leaves.
        let leaving = state.press(.control("n"))
        #expect(!leaving.contains { $0.isDraft } && state.composer.isEmpty)
    }

    @Test func `a text that could not be saved is kept behind a thread`() {
        var state = Sample.chat()
        state.type("Hi")
        state.press(.enter, .up, .character("t"))
        let effects = state.receive(
            .textRefused("Hi", DraftPlace("train"), reason: "The disk is full."))
        #expect(effects == [.saveDraft("Hi", DraftPlace("train"))])
        state.press(.escape)
        #expect(state.composer.text == "Hi")
    }

    @Test func `a draft that comes during an edit is there behind it`() {
        var state = Sample.chat()
        state.press(.up, .up, .up, .character("e"))
        _ = state.receive(.draft(DraftPlace("train"), "kept"))
        #expect(state.composer.text == "Are you on the train?")
        state.press(.escape)
        #expect(state.composer.text == "kept")
        // In a thread, the channel's text is below that of the thread.
        state.press(.up, .character("t"))
        var reply = Sample.message(4, "Mine", by: Sample.ada)
        reply.parentID = 3
        _ = state.receive(.replies(3, ChatInput.Window([reply])))
        state.press(.up, .character("e"))
        _ = state.receive(.draft(DraftPlace("train", thread: 3), "also kept"))
        #expect(state.setAside == ["kept", "also kept"])
    }

    @Test func `a draft is kept with the next tick, and when the channel is left`() {
        var state = Sample.chat()
        state.type("later")
        #expect(
            state.receive(.tick(Sample.minute(21))).contains(
                .saveDraft("later", DraftPlace("train"))))
        // An unchanged draft is not written again.
        let effects = state.receive(.tick(Sample.minute(22)))
        #expect(!effects.contains(.saveDraft("later", DraftPlace("train"))))
        state.type("!")
        let leaving = state.press(.control("n"))
        #expect(leaving.contains(.saveDraft("later!", DraftPlace("train"))))
        #expect(leaving.contains(.open("library", at: nil)))
        #expect(state.composer.isEmpty)
        _ = state.receive(.draft(DraftPlace("train"), "of another channel"))
        #expect(state.composer.isEmpty)
        _ = state.receive(.draft(DraftPlace("library"), "here"))
        #expect(state.composer.text == "here")
    }

    @Test func `the newest message on screen is marked as read once`() {
        var state = Sample.chat(channels: [Sample.channel("train", "Night train", unread: 1)])
        let message = Sample.message(4, "News")
        let window = ChatInput.Window(Sample.talk + [message])
        #expect(
            state.receive(.messages("train", window))
                == [.markAsRead("train", through: message.createdAt)])
        #expect(state.receive(.messages("train", window)).isEmpty)
    }

    @Test func `keys of a selected message edit, react, delete and open its thread`() {
        var state = Sample.chat()
        state.press(.up)
        #expect(state.selectedMessage?.message.messageID == 3)
        #expect(state.press(.character("1")) == [.addReaction("👍", .delivered(3), "train")])
        // Another person's message can be neither edited nor deleted.
        #expect(state.press(.character("e")).isEmpty && state.focus == .messages)
        #expect(state.press(.character("d")).isEmpty && state.prompt == nil)
        state.press(.up, .up)
        state.press(.character("e"))
        #expect(state.composer.text == "Are you on the train?")
        state.type("?")
        #expect(
            state.press(.enter)
                == [.edit(.delivered(1), "train", text: "Are you on the train??")])
        state.press(.up)
        state.press(.up, .up, .character("d"))
        #expect(state.press(.character("n")).isEmpty)
        state.press(.character("d"))
        #expect(state.press(.character("y")) == [.delete(.delivered(1), "train")])
        state.press(.up)
        #expect(state.press(.character("t")) == [.openThread("train", 3)])
        state.type("Where?")
        #expect(state.press(.enter).contains(.send("Where?", "train", thread: 3)))
        #expect(state.press(.escape).contains(.closeThread))
    }

    @Test(
        arguments: [
            (.character("r"), "reactions once the server has it"),
            (.character("1"), "reactions once the server has it"),
            (.character("t"), "a thread once the server has it"),
            (.enter, "a thread once the server has it"), (.character("s"), "no file"),
            (.character("x"), "Only a failed message"),
        ] as [(Key, String)])
    func `a key that a waiting message does not take says why`(key: Key, reason: String) {
        var state = Sample.chat(messages: Sample.talk + [Sample.unsent("r1", "Wait")])
        state.press(.up)
        #expect(state.press(key).isEmpty && state.focus == .messages && state.prompt == nil)
        #expect(state.notice?.text.contains(reason) == true)
        state.press(.character("d"))
        #expect(state.press(.character("y")) == [.discard("r1", "train")])
    }

    @Test func `a key that another person's message does not take says why`() {
        var state = Sample.chat()
        state.press(.up)
        for (key, reason) in [("e", "can be edited"), ("d", "can be deleted"), ("s", "no file")] {
            #expect(state.type(key).isEmpty && state.focus == .messages)
            #expect(state.notice?.text.contains(reason) == true, "\(key)")
        }
    }

    @Test func `no message is marked after an edit, or while the reader writes`() {
        for end in [Key.enter, .escape] {
            var state = Sample.chat()
            state.press(.up, .up, .up, .character("e"))
            #expect(state.conversation?.selected == Sample.talk[0].id)
            state.type("?")
            state.press(end)
            #expect(state.focus == .composer && state.conversation?.selected == nil)
        }
        var state = Sample.chat()
        state.press(.up)
        _ = state.receive(.paste("words"))
        #expect(state.focus == .composer && state.conversation?.selected == nil)
        state.press(.up)
        let composer = ScreenLayout(state).composer
        _ = state.receive(
            .mouse(MouseAction(.press, row: composer.row, column: composer.column + 2)))
        #expect(state.focus == .composer && state.conversation?.selected == nil)
    }

    @Test func `the path of a missing file is there again to be corrected, until it is left`() {
        var state = Sample.chat()
        state.press(.control("u"))
        state.type("/tmp/tikcet.png")
        #expect(
            state.press(.enter) == [.sendFile(path: "/tmp/tikcet.png", "train", thread: nil)])
        _ = state.receive(
            .fileRefused(path: "/tmp/tikcet.png", reason: "there is no file /tmp/tikcet.png"))
        // It takes no keys away from the reader.
        #expect(state.focus == .composer && state.composer.isEmpty)
        #expect(Sample.screen(state).contains("Ctrl-U corrects the path: there is"))
        state.press(.control("u"))
        #expect(Sample.screen(state).contains("File to send: /tmp/tikcet.png"))
        for _ in "kcet.png" { state.press(.backspace) }
        state.type("cket.png")
        #expect(state.press(.enter) == [.sendFile(path: "/tmp/ticket.png", "train", thread: nil)])
        _ = state.receive(.fileRefused(path: "/tmp/ticket.png", reason: "there is no file"))
        // Another question does not get it, and leaving the question gives it up.
        state.press(.control("f"))
        #expect(state.prompt?.answer.isEmpty == true)
        state.press(.escape, .control("u"))
        #expect(state.prompt?.answer.text == "/tmp/ticket.png")
        state.press(.escape, .control("u"))
        #expect(state.prompt?.answer.isEmpty == true)
    }

    @Test func `a second press of a reaction takes it back`() {
        var message = Sample.message(3, "Soup!")
        message.details.reactions = [
            Reaction(key: "👍", userIDs: ["ada"], updatedAt: Sample.start)
        ]
        var state = Sample.chat(messages: [message])
        state.press(.up)
        state.press(.character("r"))
        #expect(state.press(.character("1")) == [.removeReaction("👍", .delivered(3), "train")])
    }

    @Test func `a failed message is sent again or discarded`() {
        let failed = Sample.unsent("r1", "Lost", .failed(.networkError))
        var state = Sample.chat(messages: Sample.talk + [failed])
        state.press(.up)
        #expect(state.press(.character("x")) == [.resend("r1")])
        state.press(.delete)
        #expect(state.press(.character("y")) == [.discard("r1", "train")])
    }

    @Test func `the reader's own cut and its end reach the client`() {
        var state = Sample.chat()
        #expect(state.press(.control("o")) == [.disconnect])
        #expect(state.press(.control("o")) == [.connect])
    }

    @Test func `the top of the timeline asks for older messages once`() {
        var state = Sample.chat()
        _ = state.receive(
            .messages(
                "train",
                ChatInput.Window((1...60).map { Sample.message($0, "x") }, hasOlder: true)))
        var effects: [ChatEffect] = []
        for _ in 0..<40 { effects += state.press(.pageUp) }
        #expect(effects == [.loadOlder])
    }

    @Test func `a found message is opened at its moment and selected when it comes`() {
        var state = Sample.chat()
        state.press(.control("f"))
        state.type("owls")
        #expect(state.press(.enter) == [.search("owls")])
        // An answer to an earlier search changes nothing.
        _ = state.receive(.found("bats", [], isComplete: true))
        #expect(state.search?.matches == nil)
        _ = state.receive(.found("owls", [], isComplete: false))
        #expect(Sample.screen(state).contains("nothing found"))
        state.press(.escape)
        #expect(state.focus == .composer && state.search == nil)
    }

    @Test func `a search that failed ends with its reason, also behind the help`() {
        for cover: Key? in [nil, .function(1)] {
            var state = Sample.chat()
            state.press(.control("f"))
            state.type("owls")
            state.press(.enter)
            // The failure of an earlier search ends none.
            _ = state.receive(.searchFailed("bats", reason: "The cache cannot be read."))
            #expect(state.focus == .results && state.search != nil)
            if let cover { state.press(cover) }
            _ = state.receive(.searchFailed("owls", reason: "The cache cannot be read."))
            if let cover { state.press(cover) }
            #expect(state.focus == .composer && state.search == nil)
            #expect(state.notice?.text == "The cache cannot be read.")
        }
    }

    @Test func `a chat is found on disk, or made as soon as the server is there`() {
        var state = ChatState(
            me: "ada", size: GridSize(rows: 24, columns: 80), timeZone: .current)
        #expect(state.receive(.want("bo")).isEmpty)
        #expect(state.receive(.channels(Sample.channels, hasMore: false)).isEmpty)
        var health = Health()
        health.connection.state = .connected
        #expect(state.receive(.health(health)) == [.createChannel(["bo"])])
        #expect(state.receive(.health(health)).isEmpty)
        let pair = GroupChannel(
            url: "pair", isDistinct: true,
            members: [Sample.ada, Sample.bo].map { Member(user: $0) })
        #expect(
            state.receive(.channels([pair], hasMore: false)).contains(.open("pair", at: nil)))
        #expect(state.conversation?.channel == "pair")
        _ = state.receive(.channels(Sample.channels + [pair], hasMore: false))
        _ = state.press(.control("n"))
        #expect(state.conversation?.channel == "train")
        #expect(state.receive(.want("bo")).contains(.open("pair", at: nil)))
    }

    @Test func `a late answer about a new chat leaves its thread and selection as they are`() {
        var state = Sample.chat()
        state.press(.up)
        #expect(state.receive(.created("train")).isEmpty)
        #expect(state.focus == .messages)
        state.press(.character("t"))
        #expect(state.receive(.created("train")).isEmpty)
        #expect(state.conversation?.thread?.id == 3)
        #expect(state.receive(.created("pair")).contains(.open("pair", at: nil)))
    }

    @Test func `a message deleted on screen keeps its place, and one paged away does not`() {
        var state = Sample.chat()
        _ = state.receive(.messages("train", ChatInput.Window([Sample.talk[0], Sample.talk[2]])))
        #expect(Sample.screen(state).contains("deleted"))
        _ = state.receive(.messages("train", ChatInput.Window([Sample.talk[2]])))
        #expect(!Sample.screen(state).contains("Are you on the train?"))
    }

    @Test func `a reply is in its thread, and in the channel only if it was sent there`() {
        var reply = Sample.message(4, "Over there", at: 4)
        reply.parentID = 3
        var open = reply
        open.isReplyToChannel = true
        var state = Sample.chat(messages: Sample.talk + [reply])
        #expect(!Sample.screen(state).contains("Over there"))
        _ = state.receive(.messages("train", ChatInput.Window(Sample.talk + [open])))
        #expect(Sample.screen(state).contains("Over there"))
        _ = state.press(.up, .up, .character("t"))
        _ = state.receive(.replies(3, ChatInput.Window([reply])))
        #expect(Sample.screen(state).contains("Over there"))
        #expect(Sample.screen(state).contains("› thread"))
    }

    @Test func `any keys leave a screen of any size drawable`() {
        let keys: [Key] = [
            .up, .down, .left, .pageUp, .pageDown, .home, .end, .tab, .escape, .enter, .newLine,
            .character("e"), .character("t"), .character("d"), .character("y"), .character("日"),
            .backspace, .control("f"), .control("n"), .control("p"), .control("t"),
            .control("u"), .function(1), .delete,
        ]
        var seed: UInt64 = 7
        func draw(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        var state = Sample.chat(
            messages: (1...30).map { Sample.message($0, "Line \($0) 日本語 wraps around here") })
        for _ in 0..<3_000 {
            _ = state.receive(.key(keys[draw(keys.count)]))
            if draw(4) == 0 {
                _ = state.receive(.resized(GridSize(rows: draw(30), columns: draw(120))))
            }
            if draw(4) == 0 {
                let kinds: [MouseAction.Kind] = [.press, .wheelUp, .wheelDown]
                _ = state.receive(
                    .mouse(MouseAction(kinds[draw(3)], row: draw(40), column: draw(130))))
            }
            let grid = ChatScreen.draw(state)
            #expect(grid.size == state.size)
            // A question on screen has the keys, or gets them from the help.
            let isAsking = state.focus == .help ? state.helpBack == .prompt : state.focus == .prompt
            #expect((state.prompt != nil) == isAsking)
        }
    }
}

extension ChatEffect {
    fileprivate var isDraft: Bool { if case .saveDraft = self { true } else { false } }
    fileprivate var isEdit: Bool { if case .edit = self { true } else { false } }
}
