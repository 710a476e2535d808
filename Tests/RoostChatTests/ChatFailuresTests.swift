// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

@testable import RoostChat

/// The list of messages that failed.
struct ChatFailuresTests {
    private static func failed(
        _ name: String, _ text: String, in channel: ChannelURL, _ code: RoostError.Code
    ) -> Message {
        Message(
            delivery: .unsent(RequestID(name), .failed(code)), channelURL: channel,
            createdAt: Sample.minute(50), sender: Sender(user: Sample.ada),
            content: .user(text: text))
    }

    private static let messages = [
        failed("r1", "Too late", in: "gone", .channelNotFound),
        failed("r2", "In the library", in: "library", .channelFrozen),
    ]

    /// A chat with the list open: a message of a deleted channel, and one of the second channel.
    private static func listing(rows: Int = 16, columns: Int = 90) -> ChatState {
        var state = Sample.chat(rows: rows, columns: columns)
        var health = state.health
        health.outbox.failed = 2
        _ = state.receive(.health(health))
        #expect(state.press(.control("g")) == [.readFailures])
        _ = state.receive(.failures(messages))
        return state
    }

    @Test func `ctrl-G lists the failed messages of all channels, a deleted one's among them`() {
        let screen = Sample.screen(Self.listing())
        #expect(screen.contains("2 not sent"))
        #expect(screen.contains("10:50 gone · there is no such channel"))
        #expect(screen.contains("Too late"))
        #expect(screen.contains("Library · the channel is frozen"))
        #expect(!screen.contains("Just got on\n"))
    }

    @Test func `a failed message has its text on the smallest screen, too`() {
        var state = Self.listing(rows: 8)
        let screen = Sample.screen(state)
        #expect(screen.contains("2 not sent") && screen.contains("Too late"))
        state.press(.down)
        let row = ScreenLayout(state).timeline.row + 1
        #expect(Sample.screen(state).contains("In the library"))
        let effects = state.receive(.mouse(MouseAction(.press, row: row, column: 60)))
        #expect(effects.contains(.open("library", at: nil)))
    }

    @Test func `the key line names ctrl-G while a message has failed`() {
        var state = Sample.chat(columns: 120)
        #expect(!Sample.screen(state).contains("^G"))
        #expect(state.press(.control("g")).isEmpty)
        #expect(state.notice?.text == "No message has failed." && state.focus == .composer)
        var health = state.health
        health.outbox.failed = 1
        _ = state.receive(.health(health))
        #expect(Sample.screen(state).contains("^G failed"))
    }

    @Test func `a failed message of a deleted channel is discarded after a question`() {
        var state = Self.listing()
        state.press(.character("d"))
        let question = Sample.screen(state)
        #expect(question.contains("Delete this message? y/n") && question.contains("Too late"))
        #expect(state.press(.character("n")).isEmpty && state.focus == .failures)
        state.press(.delete)
        #expect(
            state.press(.character("y")) == [.discard(RequestID("r1"), "gone"), .readFailures])
        _ = state.receive(.failures([Self.messages[1]]))
        #expect(Sample.screen(state).contains("1 not sent"))
        // Without any the messages of the channel are back.
        _ = state.receive(.failures([]))
        #expect(state.focus == .composer && Sample.screen(state).contains("Just got on"))
    }

    @Test func `a failed message is sent again, and the list is read each second`() {
        var state = Self.listing()
        state.press(.down)
        #expect(state.press(.character("x")) == [.resend(RequestID("r2")), .readFailures])
        #expect(state.receive(.tick(Sample.minute(21))).contains(.readFailures))
        state.press(.escape)
        #expect(!state.receive(.tick(Sample.minute(22))).contains(.readFailures))
        // An answer that comes late changes nothing.
        _ = state.receive(.failures(Self.messages))
        #expect(state.focus == .composer && Sample.screen(state).contains("Just got on"))
    }

    @Test func `enter opens the channel of a failed message, unless it is gone`() {
        var state = Self.listing()
        #expect(state.press(.enter).isEmpty && state.focus == .failures)
        #expect(
            state.notice?.text == "You no longer have this channel. x sends again, d discards.")
        #expect(state.press(.down, .enter).contains(.open("library", at: nil)))
        #expect(state.conversation?.channel == "library" && state.focus == .composer)
    }

    @Test(arguments: [nil, .character("d"), .control("f")] as [Key?])
    func `the next channel takes the place of the list, also under a question`(question: Key?) {
        var state = Self.listing()
        if let question { state.press(question) }
        let effects = state.press(.control("n"))
        #expect(effects.contains(.open("library", at: nil)))
        #expect(state.focus == .composer && state.prompt == nil && !state.showsFailures)
    }

    @Test func `a press of the mouse on another failed message ends the question about one`() {
        var state = Self.listing()
        state.press(.down, .character("d"))
        let row = ScreenLayout(state).timeline.row + 2
        _ = state.receive(.mouse(MouseAction(.press, row: row, column: 60)))
        #expect(state.prompt == nil && state.focus == .failures)
        #expect(state.failures?.selectedMessage?.requestID == RequestID("r1"))
        let effects = state.press(.character("y"))
        #expect(effects.isEmpty)
    }

    @Test func `the wheel and the page keys move through the failed messages`() {
        var state = Self.listing()
        let row = ScreenLayout(state).timeline.row + 2
        _ = state.receive(.mouse(MouseAction(.wheelDown, row: row, column: 60)))
        #expect(state.failures?.selected == 1)
        state.press(.pageUp)
        #expect(state.failures?.selected == 0 && state.focus == .failures)
    }

    @Test func `a press of the mouse chooses a failed message`() {
        var state = Self.listing()
        let row = ScreenLayout(state).timeline.row + 5
        let effects = state.receive(.mouse(MouseAction(.press, row: row, column: 60)))
        #expect(effects.contains(.open("library", at: nil)))
    }
}
