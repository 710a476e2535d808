// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

@testable import RoostChat

/// Threads: their older replies, their parent, and the way to a found reply.
struct ChatThreadTests {
    private static func replies(_ numbers: ClosedRange<Int64>) -> [Message] {
        numbers.map { number in
            var reply = Sample.message(number, "Reply \(number)")
            reply.parentID = 3
            return reply
        }
    }

    /// A chat with the open thread of the newest message of the sample.
    private static func thread(_ window: ChatInput.Window) -> ChatState {
        var state = Sample.chat()
        state.press(.up, .character("t"))
        _ = state.receive(.replies(3, window))
        return state
    }

    @Test func `the top of a thread asks for older replies once, and says that there are some`() {
        var state = Self.thread(ChatInput.Window(Self.replies(20...59), hasOlder: true))
        var effects: [ChatEffect] = []
        for _ in 0..<20 { effects += state.press(.pageUp) }
        #expect(effects == [.loadOlder])
        // The gap is between the parent and the first reply.
        let lines = Sample.screen(state).split(separator: "\n").map { String($0) }
        let gap = lines.firstIndex { $0.contains("older replies: PgUp") }
        #expect(gap.map { lines[$0 - 1].contains("Just got on") } == true)
        #expect(gap.map { lines[$0 + 2].contains("Reply 20") } == true)

        _ = state.receive(.replies(3, ChatInput.Window(Self.replies(10...59))))
        for _ in 0..<20 { #expect(state.press(.pageUp).isEmpty) }
        #expect(!Sample.screen(state).contains("older replies"))
        #expect(Sample.screen(state).contains("Reply 10"))
    }

    @Test func `a page of nothing but replies of threads is followed by the one before it`() {
        var state = Sample.chat()
        state.press(.control("n"))
        let channel = state.conversation?.channel ?? ""
        func replies(_ numbers: ClosedRange<Int64>) -> ChatInput {
            .messages(channel, ChatInput.Window(Self.replies(numbers), hasOlder: true))
        }
        #expect(state.receive(replies(20...59)).contains(.loadOlder))
        // A page without a new message ends the search.
        #expect(!state.receive(replies(20...59)).contains(.loadOlder))
        #expect(state.receive(replies(5...59)).contains(.loadOlder))
        let window = ChatInput.Window([Sample.message(3, "Beginning")] + Self.replies(5...59))
        #expect(!state.receive(.messages(channel, window)).contains(.loadOlder))
        #expect(Sample.screen(state).contains("Beginning"))
    }

    @Test func `a message of the channel leaves the place in a thread as it is`() {
        var state = Self.thread(ChatInput.Window(Self.replies(20...59)))
        state.press(.pageUp)
        let screen = Sample.screen(state)
        // The replies are not in the channel's window.
        let window = ChatInput.Window(Sample.talk + [Sample.message(70, "News")], hasOlder: true)
        _ = state.receive(.messages("train", window))
        #expect(Sample.screen(state) == screen)
    }

    @Test func `the newest replies are fetched at the end of a thread in its past`() {
        var state = Self.thread(ChatInput.Window(Self.replies(20...59), hasNewer: true))
        state.press(.pageUp)
        #expect(state.press(.end) == [.jump(.distantFuture)])
        #expect(state.press(.pageDown) == [.loadNewer])
    }

    @Test func `the parent of an open thread changes with its edit, reaction and deletion`() {
        var state = Self.thread(ChatInput.Window(Self.replies(4...5)))
        var parent = Sample.talk[2]
        parent.content = .user(text: "Got off again")
        parent.details.reactions = [
            Reaction(key: "👍", userIDs: ["ada"], updatedAt: Sample.start)
        ]
        let others = [Sample.talk[0], Sample.talk[1]]
        _ = state.receive(.messages("train", ChatInput.Window(others + [parent])))
        #expect(Sample.screen(state).contains("Got off again"))
        #expect(Sample.screen(state).contains("👍 1*"))
        state.press(.up, .up, .up)
        #expect(state.press(.character("1")) == [.removeReaction("👍", .delivered(3), "train")])

        let edit = PendingChange(
            id: "c1", channel: "train", createdAt: Sample.minute(8),
            action: .edit(.delivered(3), MessageEdit(text: "Got lost")))
        _ = state.receive(.pending("train", [edit]))
        #expect(Sample.screen(state).contains("Got lost ◷ change waits"))

        _ = state.receive(.messages("train", ChatInput.Window(others)))
        _ = state.receive(.pending("train", []))
        #expect(!Sample.screen(state).contains("Got"))
        #expect(Sample.screen(state).contains("      deleted"))
    }

    @Test func `the parent of an open thread stays while other messages are in the window`() {
        var state = Self.thread(ChatInput.Window(Self.replies(4...5)))
        let past = ChatInput.Window([Sample.talk[0]], hasNewer: true)
        _ = state.receive(.messages("train", past))
        #expect(Sample.screen(state).contains("       Just got on"))
    }

    @Test func `a found reply is opened and selected in its thread`() {
        let found = Self.replies(30...30)[0]
        var state = Sample.chat()
        #expect(
            state.openFound(found) == [.openThread("train", 3, at: found.createdAt)])
        #expect(state.conversation?.thread?.id == 3)
        _ = state.receive(.replies(3, ChatInput.Window(Self.replies(20...40), hasNewer: true)))
        #expect(state.selectedMessage?.message.messageID == 30 && state.focus == .messages)
        #expect(Sample.screen(state).contains("▌      Reply 30"))
        // The same thread is open: only its moment is another one.
        let next = Self.replies(90...90)[0]
        #expect(state.openFound(next) == [.jump(next.createdAt)])
        _ = state.receive(.replies(3, ChatInput.Window(Self.replies(80...99))))
        #expect(state.selectedMessage?.message.messageID == 90)
    }

    @Test func `a found reply of another channel brings the parent and the draft with it`() {
        var found = Sample.message(30, "Page 13", in: "library")
        found.parentID = 12
        var state = Sample.chat()
        let effects = state.openFound(found)
        #expect(effects.contains(.open("library", at: nil)))
        #expect(effects.last == .openThread("library", 12, at: found.createdAt))
        _ = state.receive(.draft(DraftPlace("library"), "a draft"))
        _ = state.receive(.replies(12, ChatInput.Window([found])))
        #expect(state.selectedMessage?.message == found)
        _ = state.receive(.threadParent(Sample.message(12, "Ghosts?", in: "library")))
        #expect(Sample.screen(state).contains("Ghosts?"))
        state.press(.escape, .escape)
        #expect(state.conversation?.thread == nil && state.composer.text == "a draft")
    }

    @Test func `a found reply that was sent to the channel is shown in the channel`() {
        var found = Self.replies(30...30)[0]
        found.isReplyToChannel = true
        var state = Sample.chat()
        #expect(state.openFound(found) == [.jump(found.createdAt)])
        #expect(state.conversation?.thread == nil && state.conversation?.wanted == 30)
    }
}
