// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

@testable import RoostChat

/// The place of the keys: questions, the help, and what ends them.
struct ChatFocusTests {
    private static func click(_ state: inout ChatState, _ row: Int, _ column: Int) {
        _ = state.receive(.mouse(MouseAction(.press, row: row, column: column)))
    }

    @Test func `the help gives the keys back to the question that it covered`() {
        var state = Sample.chat()
        state.press(.control("f"))
        state.type("abc")
        state.press(.function(1), .function(1))
        #expect(Sample.screen(state).contains("Search on this device: abc"))
        state.type("def")
        #expect(state.press(.enter) == [.search("abcdef")])
        #expect(state.composer.isEmpty)
        // A question about the same place as before: Esc leads to the found messages.
        state.press(.function(1), .escape)
        #expect(state.focus == .results && state.search != nil)
        state.press(.function(1), .control("f"), .escape)
        #expect(state.focus == .results)
    }

    @Test func `the help gives the keys back to a selected message, if it is still selected`() {
        var state = Sample.chat()
        state.press(.up, .function(1), .escape)
        #expect(state.focus == .messages && state.selectedMessage?.message.messageID == 3)
        state.press(.function(1))
        _ = state.receive(.created("pair"))
        state.press(.escape)
        #expect(state.focus == .composer)
    }

    @Test func `a timeline that is hidden is not scrolled`() {
        let many = (1...60).map { Sample.message($0, "Line \($0)") }
        var state = Sample.chat(messages: many)
        state.press(.control("f"))
        state.type("owls")
        state.press(.enter, .pageUp)
        _ = state.receive(.mouse(MouseAction(.wheelUp, row: 5, column: 40)))
        #expect(state.focus == .results && state.conversation?.anchor == nil)
        // A narrow screen has the channels in its place.
        state = Sample.chat(columns: 50, messages: many)
        state.press(.tab, .pageUp)
        #expect(state.focus == .channels && state.conversation?.anchor == nil)
        state.press(.tab, .pageUp)
        #expect(state.conversation?.anchor != nil)
    }

    @Test func `the next channel takes the place of found messages`() {
        var state = Sample.chat()
        state.press(.control("f"))
        state.type("owls")
        state.press(.enter)
        #expect(Sample.screen(state).contains("searching…"))
        state.press(.control("n"))
        #expect(state.conversation?.channel == "library" && state.focus == .composer)
        #expect(!Sample.screen(state).contains("searching…"))
    }

    @Test(arguments: [Unicode.Scalar("f"), "t", "u"])
    func `a press of the mouse elsewhere ends a question`(question: Unicode.Scalar) {
        var state = Sample.chat()
        // A message, then a channel.
        for (row, column) in [(10, 30), (3, 2)] {
            state.press(.control(question))
            state.type("abc")
            Self.click(&state, row, column)
            #expect(state.prompt == nil && state.focus != .prompt)
            #expect(!Sample.screen(state).contains("abc"))
        }
        // The question itself.
        state.press(.control(question))
        state.type("abc")
        Self.click(&state, ScreenLayout(state).composer.row, 30)
        #expect(state.focus == .prompt && state.prompt?.answer.text == "abc")
    }

    @Test(arguments: [(Key.character("d"), Key.character("y")), (.character("r"), .character("1"))])
    func `a question about a message ends with its channel`(question: Key, answer: Key) {
        var state = Sample.chat()
        state.press(.up, .up, .up, question)
        #expect(state.prompt?.isAboutMessage == true)
        state.press(.control("n"))
        #expect(state.prompt == nil && state.focus == .composer)
        #expect(state.press(answer) == [.startTyping("library")])

        // The only channel is the next one, too.
        state = Sample.chat(channels: [Sample.channels[0]])
        state.press(.up, .up, .up, question, .control("n"))
        #expect(state.prompt == nil && state.conversation?.selected == nil)
        // A question about no message stays.
        state.press(.control("f"))
        state.type("abc")
        _ = state.receive(.created("pair"))
        #expect(state.prompt?.answer.text == "abc")
    }

    @Test func `the reason of a refused key is gone with the next key, other notices stay`() {
        var state = Sample.chat(messages: Sample.talk + [Sample.unsent("r1", "Wait")])
        state.press(.up, .character("r"))
        #expect(state.notice?.text.contains("once the server has it") == true)
        state.press(.character("e"))
        #expect(Sample.screen(state).contains("editing a message"))
        _ = state.receive(.failed("The disk is full."))
        state.press(.left)
        #expect(Sample.screen(state).contains("The disk is full."))
    }

    @Test func `the notice about a refused path ends where the path is there again`() {
        var state = Sample.chat()
        _ = state.receive(.fileRefused(path: "/tmp/a", reason: "there is no file /tmp/a"))
        state.type("x")
        #expect(state.notice != nil)
        state.press(.control("u"))
        #expect(state.prompt?.answer.text == "/tmp/a" && state.notice == nil)
    }

    @Test func `people with whom no chat could start are there again with the next Ctrl-T`() {
        var state = Sample.chat()
        state.press(.control("t"))
        state.type("bo, cleo")
        #expect(state.press(.enter) == [.createChannel(["bo", "cleo"])])
        _ = state.receive(.chatRefused(["bo", "cleo"], reason: "There is no connection."))
        #expect(Sample.screen(state).contains("Ctrl-T tries again: There is no"))
        state.press(.control("t"))
        #expect(state.prompt?.answer.text == "bo cleo")
        #expect(state.press(.enter) == [.createChannel(["bo", "cleo"])])
        state.press(.control("t"))
        #expect(state.prompt?.answer.isEmpty == true)
    }

    @Test func `a chat with no one is refused`() {
        var state = Sample.chat()
        state.press(.control("t"))
        state.type(", ,")
        #expect(state.press(.enter).isEmpty)
        #expect(state.notice?.text == "Name a user ID.")
    }

    @Test func `a window without room takes no key but the end`() {
        var state = Sample.chat()
        state.type("draft")
        _ = state.receive(.resized(GridSize(rows: 5, columns: 20)))
        #expect(state.press(.enter, .up, .character("d"), .control("n")).isEmpty)
        #expect(state.receive(.paste("more")).isEmpty)
        Self.click(&state, 3, 2)
        #expect(state.composer.text == "draft" && state.conversation?.channel == "train")
        #expect(state.press(.control("q")).last == .quit)
    }
}
