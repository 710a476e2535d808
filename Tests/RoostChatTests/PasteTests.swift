// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

@testable import RoostChat

struct PasteTests {
    private static let start = ContinuousClock.now

    /// Reads keys between the marks of a paste and returns the pasted text.
    private static func pasted(_ keys: [Key]) -> String? {
        var reader = PasteReader()
        reader.begin(at: start)
        for key in keys { #expect(reader.take(key, at: start) == true) }
        return reader.end()?.pasted
    }

    @Test func `a pasted text of any length is one input of bounded size`() {
        let letters = Array(repeating: Key.character("x"), count: 1_000_000)
        let text = Self.pasted(letters)
        #expect(text?.utf8.count == Composer.maxBytes + 1)
        var state = Sample.chat()
        #expect(state.receive(.paste(text ?? "")) == [.startTyping("train")])
        #expect(state.composer.text.utf8.count == Composer.maxBytes)
        #expect(Sample.screen(state).contains("The pasted text was cut"))
    }

    @Test(
        arguments: [
            ([.character("a"), .enter, .newLine, .tab, .character("b")], "a\n\tb"),
            ([.character("a"), .newLine, .newLine, .enter, .enter, .character("b")], "a\n\n\n\nb"),
            ([.control("c"), .escape, .up, .backspace, .alt("["), .character("A")], "[A"),
            ([.character("日"), .function(1), .delete, .character("本")], "日本"), ([], ""),
            ([.alt("\u{1B}"), .alt("\u{3}"), .character("a"), .alt("\t")], "a\t"),
            ([.alt("\u{9B}"), .alt("\u{80}"), .alt("\u{7F}"), .alt("\u{A0}")], "\u{A0}"),
        ] as [([Key], String)])
    func `lines and tabs are kept, and other control characters left out`(
        keys: [Key], text: String
    ) {
        #expect(Self.pasted(keys) == text)
    }

    @Test(arguments: ["é", "e\u{301}", "👩‍👩‍👧", "日"])
    func `a cut is between two characters`(character: String) {
        let room = Composer.maxBytes - character.utf8.count + 1
        var composer = Composer(String(repeating: "x", count: room))
        #expect(composer.paste(character) == false)
        #expect(composer.text.utf8.count == room)
        composer = Composer(String(repeating: "x", count: room - 1))
        #expect(composer.paste(character) == true)
        #expect(composer.paste("y") == false)
        #expect(composer.text.utf8.count == Composer.maxBytes)
    }

    @Test func `a paste into a question becomes one line`() {
        var state = Sample.chat()
        state.press(.control("f"))
        #expect(state.receive(.paste("night\n\ttrain\n")).isEmpty)
        #expect(state.press(.enter) == [.search("night train")])
    }

    @Test func `a paste of any length into a question is drawn by its end`() {
        var state = Sample.chat()
        state.press(.control("f"))
        let text = String(repeating: "日", count: Composer.maxBytes / 3 - 2) + "end"
        let effects = state.receive(.paste(text))
        #expect(effects.isEmpty && state.prompt?.answer.text == text)
        #expect(Sample.screen(state).contains("日end"))
    }

    @Test(arguments: [("abc", 3, "abc"), ("abc", 2, "bc"), ("a日b", 2, "b"), ("a日b", 3, "日b")])
    func `the end of a text that fits begins with a whole character`(
        text: String, columns: Int, end: String
    ) {
        let units = SafeText.line(text).suffix(fitting: columns)
        #expect(units.map(\.text).joined() == end)
    }

    @Test func `a paste among messages or channels goes into the message`() {
        for key in [Key.up, .tab] {
            var state = Sample.chat()
            state.press(key)
            _ = state.receive(.paste("d\ny"))
            #expect(state.composer.text == "d\ny" && state.focus == .composer)
        }
    }

    @Test func `a paste without its end is over a second after its last text`() {
        var reader = PasteReader()
        reader.begin(at: Self.start)
        #expect(reader.take(.character("a"), at: Self.start + .milliseconds(900)) == true)
        // Keys that are no text, such as those of a reader who wants to leave, do not prolong it.
        #expect(reader.take(.control("q"), at: Self.start + .milliseconds(1_800)) == true)
        #expect(reader.deadline == Self.start + .milliseconds(1_900))
        #expect(reader.end(overdueAt: Self.start + .milliseconds(1_899)) == nil)
        #expect(reader.end(overdueAt: Self.start + .milliseconds(1_900))?.pasted == "a")
        #expect(reader.take(.control("q"), at: Self.start + .milliseconds(1_901)) == false)
        #expect(reader.deadline == nil && reader.end() == nil)
    }

    @Test func `a second start before the end belongs to the same paste`() {
        var reader = PasteReader()
        reader.begin(at: Self.start)
        #expect(reader.take(.character("a"), at: Self.start) == true)
        reader.begin(at: Self.start)
        #expect(reader.take(.character("b"), at: Self.start) == true)
        #expect(reader.end()?.pasted == "ab")
    }
}

extension ChatInput {
    fileprivate var pasted: String? { if case .paste(let text) = self { text } else { nil } }
}
