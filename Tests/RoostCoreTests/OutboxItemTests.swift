// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// Unsent items as an app, a log and the store see them.
struct OutboxItemTests {
    private static func item(_ content: OutboxContent, _ state: UnsentState = .pending)
        -> OutboxItem
    {
        OutboxItem(
            sequence: 1, requestID: "a", channel: "c", createdAt: Timestamp(milliseconds: 5),
            content: content, state: state)
    }

    private static let text = OutboxContent.userMessage(UserMessageParams(text: "hello"))

    private static func files(_ files: [OutgoingFile], copies: [CopiedFile?] = [])
        -> OutboxContent
    {
        .fileMessage(FileMessageParams(files: files, caption: "see"), copies: copies)
    }

    /// The addresses of a message's files, as a timeline shows them.
    private static func urls(_ item: OutboxItem, in folder: String?) -> [String] {
        guard case .file(let content)? = item.message(from: nil, files: folder)?.content else {
            return []
        }
        return content.files.isEmpty ? [content.url] : content.files.map(\.url)
    }

    @Test func `a state and a kind have the words that the tools print`() {
        let states: [(UnsentState, SendingStatus)] = [
            (.pending, .pending), (.failed(.pendingError), .failed), (.canceled, .canceled),
        ]
        for (state, status) in states { #expect(Self.item(Self.text, state).status == status) }
        let kinds: [(OutboxContent, String)] = [
            (Self.text, "message"), (Self.files([]), "file"),
            (.change(.delete(.delivered(5))), "deletion"),
            (.change(.markAsRead(through: .distantPast)), "read mark"),
            (.inbox(InboxMark("i", .distantPast)), "inbox"),
        ]
        for (content, kind) in kinds { #expect(Self.item(content).kind == kind) }
    }

    @Test func `the server cannot have an item that it refused at its only attempt`() {
        let cases: [(hasLeft: Bool, attempts: Int, UnsentState, mayHaveArrived: Bool)] = [
            (false, 0, .pending, false), (true, 1, .pending, true),
            (true, 1, .failed(.notAMember), false), (true, 1, .failed(.ackTimeout), true),
            (true, 2, .failed(.notAMember), true),
        ]
        for (hasLeft, attempts, state, mayHaveArrived) in cases {
            var item = Self.item(Self.text, state)
            (item.hasLeft, item.attemptCount) = (hasLeft, attempts)
            #expect(item.mayHaveArrived == mayHaveArrived, "\(attempts) \(state)")
        }
    }

    @Test func `a timeline shows the copy of a file, and the original of an encrypted copy`() {
        let plain = CopiedFile(name: "f1", size: 3, key: nil)
        let sealed = CopiedFile(name: "f2", size: 3, key: [1])
        let files = [
            OutgoingFile(.copy(of: "/a"), name: "a"), OutgoingFile(.reference(to: "/b"), name: "b"),
            OutgoingFile(.bytes([1, 2]), name: "c"), OutgoingFile(.url("http://d"), name: "d"),
        ]
        let item = Self.item(Self.files(files, copies: [plain, sealed, nil, nil]))
        #expect(Self.urls(item, in: "/store") == ["file:///store/f1", "file:///b", "", "http://d"])
        #expect(Self.urls(item, in: nil) == ["file:///a", "file:///b", "", "http://d"])
    }

    @Test func `a message with one file is shown with it, and one without files stays a message`() {
        let one = Self.item(Self.files([OutgoingFile(.reference(to: "/b"), name: "b")]))
        #expect(Self.urls(one, in: nil) == ["file:///b"])
        #expect(Self.urls(Self.item(Self.files([])), in: nil) == [""])
        #expect(Self.item(.change(.delete(.delivered(5)))).message(from: nil) == nil)
    }

    @Test func `only a removal ends the notes of an item`() {
        let item = Self.item(Self.text)
        let notes: [OutboxNote] = [
            .attempt("a"), .state("a", .pending), .removal("a"), .content("a", "c", Self.text),
            .requeued("a", createdAt: .distantPast), .restored(item), .dropped("a"),
        ]
        #expect(notes.map(\.isRemoval) == [false, false, true, false, false, false, true])
    }

    @Test func `a request ID has all of its random bits`() {
        var words: [UInt64] = [0x0123_4567_89AB_CDEF, 0xF]
        let name = RequestID.random { words.removeFirst() }
        #expect(name.rawValue == "0123456789abcdef000000000000000f")
    }
}
