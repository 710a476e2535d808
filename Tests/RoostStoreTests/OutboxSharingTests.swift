// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostCore
import RoostModel
import RoostSQLite
import RoostTestSupport
import StoreTestSupport
import Testing

@testable import RoostStore

/// The outbox shared with another process, and files that take long to copy.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct OutboxSharingTests {
    private static func content(_ text: String) -> OutboxContent {
        .userMessage(UserMessageParams(text: text))
    }

    @discardableResult
    private func append(_ id: RequestID, in store: Store) async throws -> OutboxItem {
        try await store.outbox.append(
            id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
            content: Self.content(id.rawValue))
    }

    @Test func `the outbox is read again only after a write by another process`() async throws {
        let folder = try TemporaryFolder()
        let ours = try await Store.test(.folder(folder.path))
        let theirs = try await Store.test(.folder(folder.path))
        #expect(try await ours.outbox.news(regardless: false)?.items == [])
        try await append("own", in: ours)
        #expect(try await ours.outbox.note(.attempt("own")) == false)
        #expect(try await ours.outbox.news(regardless: false) == nil)
        #expect(try await ours.outbox.news(regardless: true)?.items.count == 1)

        try await append("other", in: theirs)
        #expect(try await ours.outbox.note(.attempt("own")) == true)
        let news = try await ours.outbox.news(regardless: false)
        #expect(news?.items.map(\.requestID) == ["own", "other"])
        #expect(news?.items.map(\.attemptCount) == [2, 0])
        #expect(try await ours.outbox.note(.attempt("own")) == false)
        // Nothing is known of the time while the files were closed.
        await ours.suspend()
        try await ours.resume()
        #expect(try await ours.outbox.news(regardless: false)?.items.count == 2)
        await theirs.close()
        await ours.close()
    }

    @Test func `the last thousand dropped changes are known to all processes, also later ones`()
        async throws
    {
        let folder = try TemporaryFolder()
        let ours = try await Store.test(.folder(folder.path))
        var theirs = try await Store.test(.folder(folder.path))
        let names = (0...1_000).map { RequestID("r\($0)") }
        for name in names + ["made"] { try await append(name, in: theirs) }
        #expect(try await ours.outbox.dropped(names) == [])
        _ = try await theirs.outbox.note(names.map { .dropped($0) } + [.removal("made")])
        #expect(try await theirs.outbox.items().items == [])
        #expect(try await ours.outbox.dropped(names + ["made"]) == Array(names.dropFirst()))
        // A change that is gone was not dropped a second time.
        try await theirs.outbox.note(.dropped("made"))
        #expect(try await ours.outbox.dropped(["made"]) == [])
        await theirs.close()
        theirs = try await Store.test(.folder(folder.path))
        #expect(try await theirs.outbox.dropped(["r0", "r1"]) == ["r1"])
        // An item that was lost with a damaged file waits again.
        let item = OutboxItem(
            sequence: 5_000, requestID: "r1", channel: Fixture.channel,
            createdAt: Timestamp(milliseconds: 1), content: Self.content("r1"))
        try await theirs.outbox.note(.restored(item))
        #expect(try await ours.outbox.dropped(["r1"]) == [])
        await theirs.close()
        await ours.close()
    }

    @Test func `a resumed outbox reads the writes of another process`()
        async throws
    {
        let folder = try TemporaryFolder()
        let ours = try await Store.test(.folder(folder.path))
        let theirs = try await Store.test(.folder(folder.path))
        for number in 1...3 {
            // A new connection counts from the beginning.
            #expect(try await ours.outbox.news(regardless: true) != nil)
            await ours.suspend()
            try await append(RequestID("r\(number)"), in: theirs)
            try await ours.resume()
            #expect(try await ours.outbox.news(regardless: false)?.items.count == number)
        }
        await theirs.close()
        await ours.close()
    }

    @Test func `a message of one process signals another process`() async throws {
        let folder = try TemporaryFolder()
        let ours = try await Store.test(.folder(folder.path))
        let theirs = try await Store.test(.folder(folder.path))
        var signals = await ours.outbox.signals().makeAsyncIterator()
        try await append("r", in: theirs)
        #expect(await signals.next() != nil)
        await theirs.close()
        await ours.close()
    }

    @Test func `the signals of a closed outbox end`() async throws {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        let signals = await store.outbox.signals()
        await store.close()
        for await _ in signals {}
        // An outbox that is closed already has no signals.
        for await _ in await store.outbox.signals() {}
    }

    @Test func `a suspension releases the turn, and the next turn is a new one (scars 12, 49)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let ours = try await Store.test(.folder(folder.path))
        let theirs = try await Store.test(.folder(folder.path))
        let first = try #require(await ours.outbox.maySend())
        #expect(await ours.outbox.maySend() == first)
        #expect(await theirs.outbox.maySend() == nil)
        await ours.suspend()
        #expect(ours.outbox.turn == nil)
        #expect(await theirs.outbox.maySend() != nil)
        await theirs.suspend()
        try await ours.resume()
        let second = try #require(await ours.outbox.maySend())
        #expect(second != first)
        await theirs.close()
        await ours.close()
    }

    @Test func `an edit and a deletion change only an unsent item locally (scar 10)`()
        async throws
    {
        let store = try await Store.test()
        let now = Timestamp(milliseconds: 9)
        let edit = MessageEdit(text: "new", data: "more")
        for id: RequestID in ["a", "b"] { try await append(id, in: store) }
        let folded = try #require(try await store.outbox.fold(edit, into: "a", at: now))
        #expect(folded.content == .userMessage(UserMessageParams(text: "new", data: "more")))
        // Its place and its time in the timeline stay.
        #expect(folded.sequence == 1 && folded.createdAt == Timestamp(milliseconds: 1))
        try await store.outbox.note(.attempt("a"))
        #expect(try await store.outbox.fold(edit, into: "a", at: now) == nil)
        #expect(try await store.outbox.takeBack("a") == false)
        #expect(try await store.outbox.takeBack("b"))
        #expect(try await store.outbox.takeBack("b") == false)
        #expect(try await store.outbox.fold(edit, into: "b", at: now) == nil)
        #expect(try await store.outbox.items().items.map(\.requestID) == ["a"])
    }

    @Test func `a later edit merges into a pending one, whose three days restart`()
        async throws
    {
        let store = try await Store.test()
        func append(_ id: RequestID, _ action: PendingChange.Action) async throws {
            _ = try await store.outbox.append(
                id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
                content: .change(action))
        }
        try await append("e", .edit(.delivered(4), MessageEdit(text: "one", data: "kept")))
        let later = Timestamp(milliseconds: 9)
        let edit = MessageEdit(text: "two", customType: "added")
        let folded = try #require(try await store.outbox.fold(edit, into: "e", at: later))
        let whole = MessageEdit(text: "two", data: "kept", customType: "added")
        #expect(folded.content == .change(.edit(.delivered(4), whole)))
        #expect(folded.createdAt == later)
        #expect(try await store.outbox.items().items == [folded])
        // A refused item stays refused.
        try await store.outbox.note(.state("e", .failed(.notTheOwner)))
        #expect(try await store.outbox.fold(edit, into: "e", at: later) == nil)
    }

    // MARK: Copying

    /// A pipe as a file that gives its bytes when the test says so: opening it to read waits for a
    /// writer.
    private struct SlowFile {
        let path: String

        init(_ folder: TemporaryFolder) {
            path = folder.file("film")
            _ = unsafe mkfifo(path, 0o600)
        }

        /// Returns when a reader has opened the pipe.
        func open() async -> Int32 {
            await withCheckedContinuation { continuation in
                Thread.run { [path] in
                    continuation.resume(returning: unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC))
                }
            }
        }

        /// Writes to the pipe; does nothing if the reader has closed it.
        static func write(_ bytes: [UInt8], to descriptor: Int32) {
            // Without a reader the thread gets SIGPIPE, which would end the process with all tests.
            // It stays blocked on this thread.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
            _ = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }

    private func send(_ path: String, in store: Store) async throws -> OutboxItem {
        let file = OutgoingFile(.copy(of: path), name: "film", type: "video/mp4")
        return try await store.outbox.append(
            "film", to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
            content: .fileMessage(FileMessageParams(files: [file]), copies: [nil]))
    }

    /// The names of all copies in the folder.
    private static func copies(in store: Store) -> [String] {
        store.outbox.attachments.map(PlainFile.names) ?? []
    }

    @Test
    func `during the copy of a large file other items are appended behind it (scars 12, 144)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        let slow = SlowFile(folder)
        async let film = send(slow.path, in: store)
        let descriptor = await slow.open()
        let text = try await append("text", in: store)
        try await store.outbox.note(.attempt("text"))
        #expect(try await store.outbox.items().items.map(\.requestID) == ["text"])
        // The system does not wait for the copy before it suspends the app.
        await store.suspend()
        try await store.resume()
        SlowFile.write([1, 2, 3], to: descriptor)
        close(descriptor)
        let kept = try await film
        #expect(kept.sequence < text.sequence)
        guard case .fileMessage(let params, let copies) = kept.content else {
            return #expect(Bool(false))
        }
        #expect(params.files[0].size?.bytes == 3 && copies[0]?.size == 3)
        #expect(try await store.outbox.items().items.map(\.requestID) == ["film", "text"])
        await store.close()
    }

    @Test func `a store that closes ends the copying and leaves no part of it (scar 61)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        let slow = SlowFile(folder)
        let film = Task { try await send(slow.path, in: store) }
        let descriptor = await slow.open()
        let closing = Task { await store.close() }
        while (try? await store.outbox.items()) != nil {}
        SlowFile.write([UInt8](repeating: 7, count: 1 << 16), to: descriptor)
        let error = await #expect(throws: StoreError.self) { try await film.value }
        #expect(error?.kind == .closed)
        close(descriptor)
        await closing.value
        #expect(Self.copies(in: store) == [])
    }

    @Test func `a repeated call during a copy damages no copy of the first call (scar 61)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        let slow = SlowFile(folder)
        let film = Task { try await send(slow.path, in: store) }
        let descriptor = await slow.open()
        var last = try await append("text", in: store).sequence
        // The app has deleted the file meanwhile.
        let again = Task { try? await send(folder.path + "/gone", in: store) }
        // A number is missing as soon as the second call has its place.
        var number = 0
        while true {
            number += 1
            let sequence = try await append(RequestID("text \(number)"), in: store).sequence
            if sequence > last + 1 { break }
            last = sequence
        }
        SlowFile.write([1, 2, 3], to: descriptor)
        close(descriptor)
        let kept = try await film.value
        _ = await again.value
        guard case .fileMessage(_, let copies) = kept.content else {
            return #expect(Bool(false))
        }
        let attachments = try #require(store.outbox.attachments)
        let name = try #require(copies[0]?.name)
        #expect(unsafe access("\(attachments)/\(name)", F_OK) == 0)
        await store.close()
    }

    @Test func `of two concurrent calls with one request ID one leaves its copies (scar 61)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        let slow = SlowFile(folder)
        let film = Task { try await send(slow.path, in: store) }
        let descriptor = await slow.open()
        let other = unsafe Glibc.open(folder.path + "/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        SlowFile.write([1, 2, 3, 4], to: other)
        close(other)
        var last = try await append("text", in: store).sequence
        let again = Task { try await send(folder.path + "/other", in: store) }
        // A number is missing as soon as the second call has its place.
        var number = 0
        while true {
            number += 1
            let sequence = try await append(RequestID("text \(number)"), in: store).sequence
            if sequence > last + 1 { break }
            last = sequence
        }
        SlowFile.write([1, 2, 3], to: descriptor)
        close(descriptor)
        let kept = try await film.value
        #expect(try await again.value == kept)
        #expect(Self.copies(in: store) == kept.copies.map(\.name))
        await store.close()
    }

    @Test func `a copy deleted during a suspension is made again (scar 61)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let ours = try await Store.test(.folder(folder.path))
        let slow = SlowFile(folder)
        let film = Task { try await send(slow.path, in: ours) }
        let first = await slow.open()
        let attachments = try #require(ours.outbox.attachments)
        while PlainFile.names(in: attachments).isEmpty { await Task.yield() }
        await ours.suspend()
        // A day later.
        let theirs = try await Store.test(.folder(folder.path))
        try await theirs.outbox.tidyFiles(madeBefore: .distantFuture)
        #expect(PlainFile.names(in: attachments) == [])
        await theirs.close()
        // The first copy continues with the open pipe; the second finds a file.
        _ = unsafe unlink(slow.path)
        let again = unsafe Glibc.open(slow.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        SlowFile.write([1, 2, 3, 4], to: again)
        close(again)
        SlowFile.write([1, 2, 3], to: first)
        close(first)
        try await ours.resume()
        let item = try await film.value
        guard case .fileMessage(let params, let copies) = item.content, let copy = copies[0]
        else { return #expect(Bool(false)) }
        // No later item is before it.
        #expect(item.sequence == 1)
        let reader = try ours.outbox.reader(of: params.files[0], copy)
        #expect(reader.next() == [1, 2, 3, 4])
        // Files that an item names stay.
        try await ours.outbox.tidyFiles(madeBefore: .distantFuture)
        #expect(unsafe access("\(attachments)/\(copy.name)", F_OK) == 0)
        await ours.close()
    }

    @Test func `the first message of an outbox may be a file`() async throws {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        let file = OutgoingFile(.bytes([1]), name: "a", type: "a/b")
        let params = FileMessageParams(files: [file])
        func send(_ id: RequestID) async throws -> OutboxItem {
            try await store.outbox.append(
                id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
                content: .fileMessage(params, copies: [nil]))
        }
        let first = try await send("a")
        #expect(try await send("a") == first)
        #expect(try await send("b").sequence > first.sequence)
        #expect(try await append("c", in: store).sequence > first.sequence + 1)
        #expect(try await store.outbox.items().items.map(\.requestID) == ["a", "b", "c"])
        await store.close()
    }
}
