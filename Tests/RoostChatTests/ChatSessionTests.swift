// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostTestSupport
import Testing

@testable import RoostChat

/// The session at a client whose server cannot be reached.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ChatSessionTests {
    private let folder: TemporaryFolder
    private static let train = DraftPlace("train")

    init() throws { folder = try TemporaryFolder() }

    private func openClient() async throws -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "demo", server: "http://127.0.0.1:1", userID: "ada",
                cache: .folder(folder.file("cache"))))
    }

    private func makeSession(
        _ client: ChatClient, show: @escaping @Sendable (ChatState) -> Void = { _ in }
    ) -> ChatSession {
        ChatSession(
            client, size: GridSize(rows: 24, columns: 80), timeZone: .gmt,
            savingFilesIn: URL(fileURLWithPath: folder.path), show: show, repaint: {})
    }

    @Test func `the end puts a text that came back in front of the draft of its channel`()
        async throws
    {
        let first = try await openClient()
        try await first.saveDraft("later", at: Self.train)
        let (states, feed) = AsyncStream.makeStream(of: ChatState.self)
        let session = makeSession(first) { feed.yield($0) }
        let running = Task { await session.run() }
        session.send(.created("train"))
        let shown = await states.first { $0.composer.text == "later" }
        #expect(shown?.conversation?.channel == "train")
        // The channel is left, and the end comes before it is opened again.
        session.send(.created("library"))
        session.send(.textRefused("Hi", Self.train, reason: "The disk is full."))
        session.send(.quit)
        await running.value

        let second = try await openClient()
        let draft = await second.draft(at: Self.train)
        await second.close()
        #expect(draft?.text == "Hi\nlater")
    }

    @Test func `a repair of the cache in use is told`() async throws {
        let (states, feed) = AsyncStream.makeStream(of: ChatState.self)
        let session = makeSession(try await openClient()) { feed.yield($0) }
        session.note(.storageRepaired("The cache was repaired."))
        let running = Task { await session.run() }
        let shown = await states.first { $0.notice != nil }
        #expect(shown?.notice?.text == "The cache was repaired.")
        session.send(.quit)
        await running.value
    }

    @Test func `an online state that cannot be read is no failure for the reader`() async throws {
        let (states, feed) = AsyncStream.makeStream(of: ChatState.self)
        let session = makeSession(try await openClient()) { feed.yield($0) }
        await session.run(.readPresence(["bo"]))
        session.send(.quit)
        await session.run()
        feed.finish()
        let notices = await states.reduce(into: 0) { if $1.notice != nil { $0 += 1 } }
        #expect(notices == 0)
    }

    @Test(arguments: [("/dev/null", 0), ("/", 0), ("/none", 0), ("ticket.txt", 1), ("link", 1)])
    func `a file is sent, and neither a device nor a folder`(name: String, count: Int) async throws
    {
        try Data("Carriage 22".utf8).write(to: URL(fileURLWithPath: folder.file("ticket.txt")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("ticket.txt"))
        let client = try await openClient()
        let path = name.hasPrefix("/") ? name : folder.file(name)
        try await makeSession(client).sendFile(path, to: "train", nil)
        let unsent = await client.unsentMessages()
        await client.close()
        #expect(unsent.count == count)
    }

    @Test func `the end waits for a file that is being saved, and the file is whole`()
        async throws
    {
        let client = try await openClient()
        let session = makeSession(client)
        let running = Task { await session.run() }
        let states = await client.connectionStates()
        let closing = Task { for await _ in states {} }
        let place = URL(fileURLWithPath: folder.file("saves"))
        let begun = Gate()
        let contents = Data(count: 1 << 24)
        await session.startErrand {
            // A slow disk: the copy has not ended when the client is closed.
            _ = try? await SavedName.save("ticket.png", in: place) { target in
                begun.open()
                await closing.value
                try await Task.detached { try contents.write(to: target) }.value
            }
        }
        await begun.wait()
        session.send(.quit)
        await running.value
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(names == ["ticket.png"])
        let saved = try Data(contentsOf: place.appending(path: "ticket.png"))
        #expect(saved.count == contents.count)
    }

    @Test func `the end leaves nothing of a file that was not saved`() async throws {
        let client = try await openClient()
        let session = makeSession(client)
        let running = Task { await session.run() }
        let place = URL(fileURLWithPath: folder.file("saves"))
        let begun = Gate()
        await session.startErrand {
            _ = try? await SavedName.save("ticket.png", in: place) { target in
                begun.open()
                // The cancellation ends the stream.
                let (endless, feed) = AsyncStream.makeStream(of: Void.self)
                for await _ in endless {}
                feed.finish()
                try Data("torn".utf8).write(to: target)
                try Task.checkCancellation()
            }
            // No file is begun behind the end.
            _ = try? await SavedName.save("late.png", in: place) { _ in }
        }
        await begun.wait()
        session.send(.quit)
        await running.value
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
    }
}
