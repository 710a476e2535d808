// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostWire
import Testing

/// Messages of one commit.
struct AppendingTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    private static func draft(
        _ text: String, to url: ChannelURL = "g", request: RequestID? = nil,
        parent: MessageID? = nil
    ) -> Message {
        var message = Message(
            delivery: .delivered(0, request), channelURL: url, createdAt: start,
            sender: Sender(user: User(id: "a")), content: .user(text: text))
        message.parentID = parent
        return message
    }

    private static func fill(_ storage: any Storage) async throws {
        try await storage.addUser(User(id: "a"))
        for url: ChannelURL in ["g", "h"] {
            _ = try await storage.createChannel(
                StorageContractTests.channel(url, ["a"]), now: start)
        }
    }

    @Test(arguments: [false, true], [StorageKind.sqlite, .postgres])
    func `a selection is found across the stretches of a long log, from both ends`(
        newestFirst: Bool, kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        try await Self.fill(storage)
        // A stretch has 20,000 places; a custom type may contain any character.
        let (total, type) = (45_000, "rare\u{0}type")
        let batch = (1...total).map { number in
            var message = Self.draft("\(number)")
            if number % 9_000 == 0 { message.customType = type }
            if number % 9_000 == 1 { message.customType = "rare" }
            return message
        }
        for start in stride(from: 0, to: total, by: 5_000) {
            _ = try await storage.append(
                Array(batch[start..<start + 5_000]), now: Self.start)
        }
        func texts(_ filter: MessageFilter, _ range: PositionRange, _ limit: Int) async throws
            -> [String]
        {
            try await storage.messages(
                in: "g", range, filter, newestFirst: newestFirst, limit: limit
            ).compactMap(\.text)
        }
        func ordered(_ numbers: [Int]) -> [String] {
            (newestFirst ? numbers.reversed() : numbers).map(String.init)
        }
        let filter = MessageFilter(customTypes: [type, "none"], senderIDs: ["b", "a"])
        let all = try await texts(filter, PositionRange(), 100)
        #expect(all == ordered([9_000, 18_000, 27_000, 36_000, 45_000]))
        let some = try await texts(filter, PositionRange(), 3)
        #expect(some == Array(all.prefix(3)))
        let start = Self.start.milliseconds
        let middle = PositionRange(
            from: Timestamp(milliseconds: start + 10_000),
            through: Timestamp(milliseconds: start + 40_000))
        #expect(try await texts(filter, middle, 100) == ordered([18_000, 27_000, 36_000]))
        #expect(try await storage.messageCount(in: "g", PositionRange(), filter) == 5)
        #expect(
            try await storage.messageCount(
                in: "g", PositionRange(), MessageFilter(senderIDs: ["a"])) == total)
        #expect(try await texts(MessageFilter(senderIDs: ["b"]), PositionRange(), 3) == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `a batch stores the same log as its messages one by one (scars 10, 24)`(
        kind: StorageKind
    ) async throws {
        let (together, alone) = (try await kind.make(), try await kind.make())
        for storage in [together, alone] {
            try await Self.fill(storage)
            _ = try await storage.append(Self.draft("first", request: "0"), now: Self.start)
        }
        let root = try #require(try await alone.log(of: "g").first?.message.messageID)
        let batch = [
            Self.draft("1", request: "1"), Self.draft("x", to: "h"), Self.draft("1", request: "1"),
            Self.draft("reply", request: "2", parent: root), Self.draft("3", request: "3"),
            Self.draft("again", request: "0"), Self.draft("lost", to: "none"),
            Self.draft("4", request: "4"),
        ]
        let now = Self.start
        let results = try await together.append(batch, now: now)
        let one = try results.map { try $0.get() }
        var each: [Appended?] = []
        for message in batch { each.append(try await alone.append(message, now: now)) }
        #expect(one == each)
        #expect(one.map { $0?.isRepeat } == [false, false, true, false, false, true, nil, false])
        for url: ChannelURL in ["g", "h"] {
            #expect(try await together.log(of: url) == alone.log(of: url))
            let mine = try await together.messageChanges(in: url, after: .sequence(0), limit: 100)
            let other = try await alone.messageChanges(in: url, after: .sequence(0), limit: 100)
            #expect(mine.changes == other.changes)
            let totals = [
                try await together.unreadTotal(of: "a"), try await alone.unreadTotal(of: "a"),
            ]
            #expect(totals[0] == totals[1])
        }
    }

    @Test func `a message that cannot be stored fails alone and leaves nothing`() async throws {
        let (storage, connection, folder) = try await Self.onDisk()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try connection.executeScript(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON mention WHEN new.user_id = 'bad'
            BEGIN SELECT raise(ABORT, 'no'); END
            """)
        var bad = Self.draft("bad", request: "2")
        bad.setMention(.users, users: [User(id: "bad")])
        let results = try await storage.append(
            [Self.draft("1", request: "1"), bad, Self.draft("3", request: "3")], now: Self.start)
        let kept = results.map { try? $0.get()?.message.text }
        #expect(kept == ["1", nil, "3"])
        let log = try await storage.log(of: "g")
        #expect(log.map(\.message.text) == ["1", "3"])
        #expect(try results[2].get()?.previousID == log[0].message.messageID)
        // The refused message has left nothing, so a repeat without the fault is new.
        let again = try await storage.append(Self.draft("2", request: "2"), now: Self.start)
        #expect(again?.isRepeat == false)
    }

    @Test func `a failed commit stores and publishes no message of its batch`()
        async throws
    {
        let (storage, connection, folder) = try await Self.onDisk()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try connection.executeScript(
            """
            CREATE TRIGGER full BEFORE INSERT ON message WHEN new.request_id = 'full'
            BEGIN SELECT raise(ROLLBACK, 'full'); END
            """)
        await #expect(throws: StorageError.self) {
            _ = try await storage.append(
                [Self.draft("1", request: "1"), Self.draft("2", request: "full")], now: Self.start)
        }
        #expect(try await storage.log(of: "g").isEmpty)
        let fixture = await ServerFixture(storage: storage)
        let ann = try await fixture.connect("a")
        await fixture.send("2", "full", to: "g", on: ann)
        await fixture.send("3", "3", to: "g", on: ann)
        let events = try ann.inbox.take()
        #expect(events.map { $0.error?.code } == [.internalServerError, nil])
        #expect(try await storage.log(of: "g").map(\.message.text) == ["3"])
    }

    private static func onDisk() async throws -> (SQLiteStorage, Connection, folder: String) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let location = DatabaseLocation.file(folder + "/server.sqlite")
        let storage = try await SQLiteStorage(
            location, on: ThreadExecutor(name: "storage"))
        try await fill(storage)
        return (storage, try Connection(location), folder)
    }

    // MARK: In the server

    /// A server whose storage waits for a signal.
    private struct Held {
        let fixture: ServerFixture
        private let storage = ThreadExecutor(name: "storage")
        private let gate = DispatchSemaphore(value: 0)

        init() async {
            fixture = await ServerFixture(storage: MemoryStorage(on: storage))
        }

        func hold() {
            // First in the storage's queue, so that the storage waits for the test's signal.
            Task(executorPreference: storage) { [gate] in Self.wait(gate) }
        }

        func release() { gate.signal() }

        /// Waits until the server has taken a number of frames: a task may start late, and a
        /// session with a later frame is not idle.
        func waitForFrames(_ count: Int) async {
            while await fixture.server.metrics.frames < count { await Task.yield() }
        }

        private static func wait(_ gate: DispatchSemaphore) { gate.wait() }

        /// Sends a message without waiting for its answer, as a socket does.
        func take(
            _ text: String, to url: ChannelURL = "g", on device: ServerFixture.Device
        ) async {
            let command = ClientCommand.message(
                MessageCommand(
                    channelURL: url, requestID: RequestID(text), content: .user(text: text)))
            await fixture.server.take(command.encoded, from: device.session)
        }
    }

    @Test
    func `messages during a commit form the next commit, in their order`()
        async throws
    {
        let held = await Held()
        let fixture = held.fixture
        let (ann, bob) = (try await fixture.connect("ann"), try await fixture.connect("bob"))
        try await fixture.channel(of: ["ann", "bob"], by: ann)
        _ = (try ann.inbox.take(), try bob.inbox.take())
        held.hold()
        for number in 0..<20 { await held.take("\(number)", on: number < 10 ? ann : bob) }
        // No event leaves before the commit.
        #expect(try ann.inbox.take().isEmpty)
        #expect(try bob.inbox.take().isEmpty)
        held.release()
        await fixture.send("ann's", "last", to: "g", on: ann)
        await fixture.send("bob's", "last", to: "g", on: bob)
        #expect(await fixture.server.metrics.messages == 22)
        #expect(await fixture.server.metrics.commits <= 5)
        let log = try await fixture.server.log(of: "g").map(\.message)
        let anns = log.filter { $0.sender?.user.id == "ann" }.map(\.text)
        #expect(anns == (0..<10).map(String.init) + ["ann's"])
        for device in [ann, bob] {
            let heard = try device.inbox.take().compactMap(\.message)
            #expect(heard.map(\.message.messageID) == log.map(\.messageID))
            let previous = heard.dropFirst().map(\.previousMessageID)
            #expect(previous == log.dropLast().map(\.messageID))
        }
    }

    @Test
    func `a refused message of a batch reaches its sender, and the others are stored`()
        async throws
    {
        let held = await Held()
        let fixture = held.fixture
        let (ann, eve) = (try await fixture.connect("ann"), try await fixture.connect("eve"))
        try await fixture.channel(of: ["ann"], by: ann)
        _ = try ann.inbox.take()
        held.hold()
        await held.take("1", on: ann)
        await held.take("x", on: eve)
        await held.take("2", on: ann)
        held.release()
        await fixture.send("3", "3", to: "g", on: ann)
        await fixture.send("y", "y", to: "g", on: eve)
        let codes = try eve.inbox.take().map { $0.error?.code }
        #expect(codes == [.notAMember, .notAMember])
        let texts = try ann.inbox.take().compactMap { $0.message?.message.text }
        #expect(texts == ["1", "2", "3"])
    }

    @Test func `a command after messages waits until they are answered`() async throws {
        let held = await Held()
        let ann = try await held.fixture.connect("ann")
        try await held.fixture.channel(of: ["ann"], by: ann)
        _ = try ann.inbox.take()
        for number in 0..<600 { await held.take("\(number)", on: ann) }
        await held.fixture.say(.read("g", "read"), on: ann)
        let events = try ann.inbox.take()
        let place = events.firstIndex { if case .read = $0 { true } else { false } }
        #expect(events.prefix(place ?? 0).compactMap(\.message).count == 600)
    }

    @Test
    func `messages before a disconnect are stored, in open channels too`() async throws {
        let held = await Held()
        let fixture = held.fixture
        let bob = try await fixture.connect("bob")
        let channel = CreateChannel(channelURL: "g", userIDs: ["bob"])
        _ = try await fixture.call(channel, as: bob)
        let request = try APIRequest(
            method: "POST", target: "/v3/open_channels", body: Array(#"{"channel_url":"o"}"#.utf8))
        _ = await fixture.server.respond(to: request, headers: RequestHeaders(sessionKey: bob.key))
        await fixture.say(.enter("o", "in"), on: bob)
        held.hold()
        await held.take("last words", to: "o", on: bob)
        let end = Task(executorPreference: fixture.executor) {
            await fixture.server.disconnect(bob.session)
        }
        // Behind the task in the server's queue.
        _ = await fixture.server.sessionCount
        held.release()
        await end.value
        #expect(try await fixture.server.log(of: "o").map(\.message.text) == ["last words"])
        #expect(await fixture.server.sessionCount == 0)
    }

    @Test
    func `messages that wait for the lane are refused after a ban`() async throws {
        let held = await Held()
        let fixture = held.fixture
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        await fixture.send("first", "first", to: "g", on: ann)
        let id = try #require(try await fixture.server.log(of: "g").first?.message.messageID)
        held.hold()
        await held.take("second", on: ann)
        let edit = ClientCommand.edit(
            EditCommand(
                channelURL: "g", messageID: id, requestID: "edit", text: "changed"))
        let work = Task(executorPreference: fixture.executor) {
            await fixture.server.take(edit.encoded, from: ann.session)
        }
        await held.waitForFrames(3)
        fixture.world.advance(600_000)
        await fixture.server.dropIdle()
        held.release()
        await work.value
        #expect(try await fixture.server.log(of: "g").first?.message.text == "first")
    }

    @Test func `work on a channel runs in its order of arrival`() async throws {
        let held = await Held()
        let fixture = held.fixture
        var devices: [ServerFixture.Device] = []
        for _ in 0..<4 { devices.append(try await fixture.connect("ann")) }
        try await fixture.channel(of: ["ann"], by: devices[0])
        await fixture.send("0", "0", to: "g", on: devices[0])
        let id = try #require(try await fixture.server.log(of: "g").first?.message.messageID)
        held.hold()
        var work: [Task<Void, Never>] = []
        for (number, device) in devices.enumerated() {
            let edit = ClientCommand.edit(
                EditCommand(
                    channelURL: "g", messageID: id, requestID: RequestID("e\(number)"),
                    text: "\(number)"))
            work.append(
                Task(executorPreference: fixture.executor) {
                    await fixture.server.take(edit.encoded, from: device.session)
                })
            // Behind the task in the server's queue.
            _ = await fixture.server.sessionCount
        }
        held.release()
        for task in work { await task.value }
        let edits = devices[0].inbox.takeText().filter { $0.hasPrefix("MEDI") }
        #expect(edits.count == 4)
        #expect(try await fixture.server.log(of: "g").first?.message.text == "3")
        for (number, edit) in edits.enumerated() {
            #expect(edit.contains("\"message\":\"\(number)\""))
        }
    }

    @Test func `a socket has at most 256 messages on their way, and the next one waits (R200)`()
        async throws
    {
        let held = await Held()
        let fixture = held.fixture
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        held.hold()
        for number in 0..<256 { await held.take("\(number)", on: ann) }
        let isTaken = Guarded(false)
        let work = Task(executorPreference: fixture.executor) {
            await held.take("one more", on: ann)
            isTaken.withLock { $0 = true }
        }
        for _ in 0..<10 { _ = await fixture.server.sessionCount }
        #expect(!isTaken.withLock { $0 })
        held.release()
        await work.value
        await fixture.send("last", "last", to: "g", on: ann)
        #expect(try await fixture.server.log(of: "g").count == 258)
    }

    @Test func `messages that wait for the bound are refused after a ban (R200)`()
        async throws
    {
        let held = await Held()
        let fixture = held.fixture
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        held.hold()
        for number in 0..<256 { await held.take("\(number)", on: ann) }
        let work = Task(executorPreference: fixture.executor) {
            await held.take("one more", on: ann)
        }
        await held.waitForFrames(257)
        fixture.world.advance(600_000)
        await fixture.server.dropIdle()
        held.release()
        await work.value
        let eve = try await fixture.connect("ann")
        await fixture.send("later", "later", to: "g", on: eve)
        let texts = try await fixture.server.log(of: "g").map(\.message.text)
        #expect(texts.count == 257, "\(texts.suffix(3))")
        #expect(!texts.contains("one more"))
    }

    @Test(arguments: StorageKind.allCases)
    func `the time of changes never goes back with the clock (scar 24)`(
        kind: StorageKind
    ) async throws {
        // Servers with clocks of their own keep this by a margin.
        let storage = try await kind.make(clockMargin: 60_000)
        try await Self.fill(storage)
        let late = Timestamp(milliseconds: Self.start.milliseconds + 5_000)
        _ = try await storage.append(Self.draft("late"), now: late)
        _ = try await storage.append(Self.draft("early", to: "h"), now: Self.start)
        // A reader with the later time would miss the change.
        let page = try await storage.messageChanges(in: "h", after: .time(late), limit: 10)
        #expect(page.changes.count == 1)
    }
}
