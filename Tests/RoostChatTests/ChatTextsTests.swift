// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

@testable import RoostChat

/// Texts that come back to the user, because no message or edit could be made of them.
struct ChatTextsTests {
    private static let train = DraftPlace("train")
    private static let mine = Sample.message(4, "Me too", by: Sample.ada)

    private static func refused(_ text: String, _ place: DraftPlace = train) -> ChatInput {
        .textRefused(text, place, reason: "The disk is full.")
    }

    /// A chat in which a text was sent and its channel left, before the disk refused the text.
    private static func leftChat() -> ChatState {
        var state = Sample.chat()
        state.type("Hi")
        state.press(.enter, .control("n"))
        #expect(state.conversation?.channel == "library")
        let effects = state.receive(refused("Hi"))
        #expect(effects.isEmpty && state.composer.isEmpty)
        return state
    }

    /// A chat in which the reader's newest message is being edited, with a draft set aside.
    private static func editingChat(_ draft: String = "draft") -> ChatState {
        var state = Sample.chat(messages: Sample.talk + [mine])
        state.type(draft)
        state.press(.up, .character("e"))
        #expect(state.conversation?.editing == .delivered(4))
        return state
    }

    @Test func `a text that was refused after its channel was left is there at the next opening`() {
        var state = Self.leftChat()
        #expect(
            state.notice?.text == "Your text is in Night train again: The disk is full.")
        #expect(Sample.screen(state).contains("Draft: Hi"))
        state.press(.control("p"))
        #expect(state.conversation?.channel == "train")
        // The draft that was written there meanwhile is behind it.
        let effects = state.receive(.draft(Self.train, "later"))
        #expect(effects == [.saveDraft("Hi\nlater", Self.train)])
        #expect(state.composer.text == "Hi\nlater" && state.leftTexts.isEmpty)
    }

    @Test func `several refused texts of a channel that was left come back in their order`() {
        var state = Self.leftChat()
        _ = state.receive(Self.refused("and goodbye"))
        state.press(.control("p"))
        let effects = state.receive(.draft(Self.train, ""))
        #expect(effects == [.saveDraft("Hi\nand goodbye", Self.train)])
    }

    @Test func `the end keeps a refused text of a channel that was left`() {
        var state = Self.leftChat()
        let bySignal = state.receive(.quit)
        #expect(bySignal == [.addToDraft("Hi", Self.train), .quit])
        state = Self.leftChat()
        let byKey = state.press(.control("q"))
        #expect(byKey == [.addToDraft("Hi", Self.train), .quit])
    }

    @Test func `a refused text stands in front of the text that was typed since`() {
        var state = Sample.chat()
        state.type("Hi")
        state.press(.enter)
        state.type("there")
        let effects = state.receive(Self.refused("Hi"))
        #expect(effects == [.saveDraft("Hi\nthere", Self.train)])
        // The cursor is where it was.
        state.type("!")
        #expect(state.composer.text == "Hi\nthere!")
    }

    @Test func `a reply that was refused after its thread was left is there at the next opening`() {
        var state = Sample.chat()
        let thread = DraftPlace("train", thread: 3)
        state.press(.up, .character("t"))
        state.type("Where?")
        state.press(.enter, .escape)
        let effects = state.receive(Self.refused("Where?", thread))
        #expect(effects.isEmpty && state.composer.isEmpty)
        #expect(
            state.notice?.text == "Your text is in its thread in Night train again: "
                + "The disk is full.")
        state.press(.up, .character("t"))
        let kept = state.receive(.draft(thread, ""))
        #expect(kept == [.saveDraft("Where?", thread)] && state.composer.text == "Where?")
    }

    @Test func `a draft that comes late is in front of the first letters, and kept with them`() {
        var state = Sample.chat()
        state.type("b")
        let effects = state.receive(.draft(Self.train, "a"))
        #expect(effects == [.saveDraft("a\nb", Self.train)])
        #expect(state.composer.text == "a\nb")
        // The same draft of an earlier opening changes nothing.
        _ = state.receive(.draft(Self.train, "a"))
        #expect(state.composer.text == "a\nb")
    }

    // MARK: Edits

    @Test func `an edit ends when another device deletes its message, and the text is a draft`() {
        var state = Self.editingChat()
        state.type("!")
        _ = state.receive(.messages("train", ChatInput.Window(Sample.talk)))
        #expect(state.conversation?.editing == nil && state.setAside.isEmpty)
        #expect(state.composer.text == "Me too!\ndraft")
        #expect(
            state.notice?.text
                == "The message that you edited was deleted. Your text is a draft now.")
        let kept = state.receive(.tick(Sample.minute(21)))
        #expect(kept.contains(.saveDraft("Me too!\ndraft", Self.train)))
        let sending = state.press(.enter)
        #expect(sending.contains(.send("Me too!\ndraft", "train", thread: nil)))
    }

    @Test func `an unchanged edit ends with its message, and only the draft is back`() {
        var state = Self.editingChat()
        _ = state.receive(.messages("train", ChatInput.Window(Sample.talk)))
        #expect(state.conversation?.editing == nil && state.composer.text == "draft")
        #expect(state.notice?.text == "The message that you edited was deleted.")
    }

    @Test(arguments: [[Key.control("n"), .control("p")], [.up, .up, .character("t"), .escape]])
    func `an edit that is left for another place is there with the next edit of its message`(
        way: [Key]
    ) {
        var state = Self.editingChat("")
        state.type("!")
        for key in way { _ = state.receive(.key(key)) }
        _ = state.receive(.messages("train", ChatInput.Window(Sample.talk + [Self.mine])))
        #expect(state.conversation?.editing == nil && state.composer.isEmpty)
        state.press(.up, .character("e"))
        #expect(state.composer.text == "Me too!")
        // Esc gives it up.
        state.press(.escape, .up, .character("e"))
        #expect(state.composer.text == "Me too")
    }

    @Test func `the end of the chat keeps the text of an edit as a draft`() {
        let kept = [ChatEffect.addToDraft("Me too!", Self.train), .quit]
        for input in [ChatInput.quit, .key(.control("c")), .key(.control("q"))] {
            var state = Self.editingChat()
            state.type("!")
            let effects = state.receive(input)
            #expect(effects == kept)
        }
        // One that was left for another channel before, too.
        var left = Self.editingChat("")
        left.type("!")
        left.press(.control("n"))
        let ofLeft = left.receive(.quit)
        #expect(ofLeft == kept)
        var unchanged = Self.editingChat()
        let ofUnchanged = unchanged.receive(.quit)
        #expect(ofUnchanged == [.quit])
    }

    @Test func `the end keeps an edit that this device could not save, and none that it has`() {
        var state = Sample.chat(messages: Sample.talk + [Self.mine])
        _ = state.receive(.editRefused(.delivered(4), "train", text: "Me", reason: "Full."))
        _ = state.receive(Self.refusal(of: 1, "Are we there?", .channelFrozen))
        let effects = state.receive(.quit)
        #expect(effects == [.addToDraft("Me", Self.train), .quit])
    }

    @Test func `an edit stays while its message is paged away or changed`() {
        var state = Self.editingChat()
        state.type("!")
        _ = state.receive(.messages("train", ChatInput.Window(Sample.talk, hasNewer: true)))
        #expect(state.conversation?.editing == .delivered(4))
        var changed = Self.mine
        changed.content = .user(text: "Me neither")
        _ = state.receive(.messages("train", ChatInput.Window(Sample.talk + [changed])))
        #expect(state.conversation?.editing == .delivered(4) && state.composer.text == "Me too!")
    }

    @Test func `the edit of a reply ends when another device deletes the reply`() {
        var state = Sample.chat()
        state.press(.up, .character("t"))
        state.type("thread")
        var reply = Self.mine
        reply.parentID = 3
        _ = state.receive(.replies(3, ChatInput.Window([reply])))
        state.press(.up, .character("e"))
        state.type("!")
        _ = state.receive(.replies(3, ChatInput.Window([])))
        #expect(state.conversation?.editing == nil)
        #expect(state.composer.text == "Me too!\nthread" && state.setAside == [""])
    }

    private static func refusal(
        of id: MessageID, _ text: String, _ reason: RoostError.Code, _ name: RequestID = "c1"
    ) -> ChatInput {
        let change = PendingChange(
            id: name, channel: "train", createdAt: Sample.minute(8),
            action: .edit(.delivered(id), MessageEdit(text: text)))
        return .changeRefused(ChangeRefusal(change: change, reason: reason))
    }

    @Test
    func `the texts of edits that the server refused are in the next edits of the messages`() {
        var state = Sample.chat(messages: Sample.talk + [Self.mine])
        let first = state.receive(Self.refusal(of: 1, "Are we there?", .mutedInChannel))
        #expect(first.isEmpty)
        #expect(state.notice?.text == "e on the message tries again: you are muted")
        let second = state.receive(Self.refusal(of: 4, "Me neither", .mutedInChannel, "c2"))
        #expect(second.isEmpty)
        // The client keeps the refused change until its text is taken.
        let taking = state.press(.up, .character("e"))
        #expect(taking.contains(.forget("c2")) && !taking.contains(.forget("c1")))
        #expect(state.composer.text == "Me neither")
        let other = state.press(.escape, .up, .up, .up, .up, .character("e"))
        #expect(other.contains(.forget("c1")) && state.composer.text == "Are we there?")
    }

    @Test func `a later refused edit of a message takes the place of the earlier one`() {
        var state = Sample.chat()
        _ = state.receive(Self.refusal(of: 1, "Are we there?", .channelFrozen))
        let again = state.receive(Self.refusal(of: 1, "Are we there?", .channelFrozen))
        #expect(again.isEmpty)
        let effects = state.receive(Self.refusal(of: 1, "Nearly?", .channelFrozen, "c2"))
        #expect(effects == [.forget("c1")])
        #expect(state.refusedEdits[.delivered(1)]?.text == "Nearly?")
    }

    @Test func `the text of an edit whose message is gone at the server becomes a draft`() {
        var state = Sample.chat()
        let effects = state.receive(Self.refusal(of: 4, "Me neither", .messageNotFound))
        #expect(effects == [.saveDraft("Me neither", Self.train), .forget("c1")])
        #expect(state.composer.text == "Me neither")
        #expect(state.notice?.text == "The message that you edited was deleted.")
    }

    @Test func `a refused change without a text is told with its reason, and forgotten`() {
        var state = Sample.chat()
        let change = PendingChange(
            id: "c1", channel: "train", createdAt: Sample.minute(8), action: .delete(.delivered(1)))
        let effects = state.receive(
            .changeRefused(ChangeRefusal(change: change, reason: .channelFrozen)))
        #expect(effects == [.forget("c1")])
        #expect(state.notice?.text == "The server refused a change: the channel is frozen")
    }

    @Test func `ctrl-G says where the texts of refused edits are, if no message has failed`() {
        var state = Sample.chat()
        _ = state.receive(Self.refusal(of: 1, "Are we there?", .channelFrozen))
        var health = state.health
        health.outbox.failed = 1
        _ = state.receive(.health(health))
        state.press(.control("g"))
        _ = state.receive(.failures([]))
        #expect(state.focus == .composer)
        #expect(
            state.notice?.text == "Only edits have failed: e on a message has its text again.")
    }

    // MARK: Equal times

    @Test func `a message of the same time as the first one is paged away, and not deleted`() {
        let minutes: [Int64] = [1, 5, 5, 6]
        let messages = minutes.indices.map { Sample.message(Int64($0 + 1), "x", at: minutes[$0]) }
        var state = Sample.chat(messages: messages)
        _ = state.receive(
            .messages("train", ChatInput.Window(Array(messages.suffix(2)), hasOlder: true)))
        #expect(state.conversation?.messages.compactMap(\.messageID) == [3, 4])
        #expect(!Sample.screen(state).contains("deleted"))
    }

    @Test func `a deleted message among others of the same time keeps its place`() {
        let messages = (1...4).map { Sample.message($0, "Line \($0)", at: 5) }
        var state = Sample.chat(messages: messages + [Sample.unsent("r1", "Wait")])
        let rest = [messages[0], messages[2], messages[3], Sample.unsent("r1", "Wait")]
        _ = state.receive(.messages("train", ChatInput.Window(rest)))
        #expect(state.conversation?.messages.compactMap(\.messageID) == [1, 2, 3, 4])
        #expect(Sample.screen(state).contains("deleted"))
    }

    @Test func `a message of the same time as one that was read is marked as read, too`() {
        var state = Sample.chat(channels: [Sample.channel("train", "Night train", unread: 1)])
        let news = (4...5).map { Sample.message($0, "News", at: 7) }
        let mark = ChatEffect.markAsRead("train", through: news[0].createdAt)
        let first = state.receive(.messages("train", ChatInput.Window(Sample.talk + news[..<1])))
        #expect(first == [mark])
        let second = state.receive(.messages("train", ChatInput.Window(Sample.talk + news)))
        #expect(second == [mark])
    }
}
