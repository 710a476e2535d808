// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

@testable import RoostChat

/// The read mark: set for messages that are on the reader's screen, and for no others.
struct ChatReadingTests {
    private static let unread = [
        Sample.channel("train", "Night train", unread: 1), Sample.channel("library", "Library"),
    ]
    private static let news = Sample.message(70, "News")
    private static let mark = ChatEffect.markAsRead("train", through: news.createdAt)

    private static func chat(columns: Int = 64, messages: [Message] = Sample.talk) -> ChatState {
        Sample.chat(columns: columns, messages: messages, channels: unread)
    }

    /// A new message comes in the channel.
    private static func receiveNews(
        _ state: inout ChatState, after messages: [Message] = Sample.talk
    ) -> [ChatEffect] {
        state.receive(.messages("train", ChatInput.Window(messages + [news])))
    }

    @Test func `a message behind a thread is marked as read once the thread is left`() {
        var state = Self.chat()
        state.press(.up, .character("t"))
        #expect(Self.receiveNews(&state).isEmpty)
        #expect(!Sample.screen(state).contains("      News"))
        #expect(state.press(.escape).contains(Self.mark))
        #expect(Sample.screen(state).contains("      News"))
        #expect(Self.receiveNews(&state).isEmpty)
    }

    @Test func `a message behind the help or found messages is marked once they are left`() {
        var state = Self.chat()
        state.press(.function(1))
        #expect(Self.receiveNews(&state).isEmpty)
        #expect(state.press(.escape) == [Self.mark])

        state = Self.chat()
        state.press(.control("f"))
        state.type("owls")
        state.press(.enter)
        #expect(Self.receiveNews(&state).isEmpty)
        #expect(state.press(.escape) == [Self.mark])
    }

    @Test func `a message behind the channels of a narrow screen is unread until Tab`() {
        var state = Self.chat(columns: 50)
        state.press(.tab)
        #expect(Self.receiveNews(&state).isEmpty)
        #expect(state.press(.tab) == [Self.mark])
    }

    @Test func `a message on a window without room is unread until there is room`() {
        var state = Self.chat()
        _ = state.receive(.resized(GridSize(rows: 5, columns: 20)))
        #expect(Self.receiveNews(&state).isEmpty)
        #expect(state.receive(.resized(GridSize(rows: 24, columns: 80))) == [Self.mark])
    }

    @Test(arguments: [[Key.end], [.escape], [.pageDown, .pageDown, .pageDown]])
    func `nothing is marked as read while the reader looks at older messages`(way: [Key]) {
        let many = (1...60).map { Sample.message($0, "Line \($0)") }
        var state = Self.chat(messages: many)
        state.press(.pageUp)
        #expect(Self.receiveNews(&state, after: many).isEmpty)
        // The way back to the newest messages is enough, without another message.
        #expect(way.flatMap { state.receive(.key($0)) } == [Self.mark])
    }

    @Test func `a scrolled thread leaves the channel at its newest messages`() {
        var state = Self.chat()
        state.press(.up, .character("t"))
        let replies = (4...60).map { (number: Int64) in
            var reply = Sample.message(number, "Reply \(number)")
            reply.parentID = 3
            return reply
        }
        _ = Self.receiveNews(&state, after: Sample.talk + replies)
        _ = state.receive(.replies(3, ChatInput.Window(replies)))
        state.press(.pageUp)
        #expect(Sample.screen(state).contains("newer messages below"))
        #expect(state.press(.escape).contains(Self.mark))
        #expect(state.conversation?.anchor == nil && state.conversation?.followsNewest == true)
        #expect(!Sample.screen(state).contains("newer messages below"))
    }
}
