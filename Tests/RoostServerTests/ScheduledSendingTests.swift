// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Synchronization
import Testing

/// A fan-out that takes a step of the test before it carries the next message.
private final class SteppingFanOut: FanOut {
    private let base = InProcessFanOut(on: ThreadExecutor(name: "fan-out"))
    private let step = Mutex<(@Sendable () async -> Void)?>(nil)

    func beforeMessage(_ body: @escaping @Sendable () async -> Void) {
        step.withLock { $0 = body }
    }

    func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) async {
        await base.subscribe(deliver)
    }

    func publish(_ notice: Notice) async {
        if notice.frame.hasPrefix("MESG") {
            let body = step.withLock { step in
                defer { step = nil }
                return step
            }
            await body?()
        }
        await base.publish(notice)
    }
}

/// Messages that a call changes while the server sends those that are due.
struct ScheduledSendingTests {
    /// Ann and Bob in the channels "g" and "h".
    private struct Scene {
        let storage: any Storage
        let fanOut = SteppingFanOut()
        let fixture: ServerFixture
        let ann: ServerFixture.Device
        let bob: ServerFixture.Device

        init(
            _ kind: StorageKind, configure: (inout ChatServer.Configuration) -> Void = { _ in }
        ) async throws {
            try await self.init(kind.make(), configure: configure)
        }

        init(
            _ storage: any Storage,
            configure: (inout ChatServer.Configuration) -> Void = { _ in }
        ) async throws {
            self.storage = storage
            fixture = await ServerFixture(
                storage: storage, fanOut: fanOut, configure: configure)
            ann = try await fixture.connect("ann")
            bob = try await fixture.connect("bob")
            for url in ["g", "h"] as [ChannelURL] {
                try await fixture.channel(url, of: ["ann", "bob"], by: ann)
            }
            _ = (ann.inbox.takeText(), bob.inbox.takeText())
        }

        func ask(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
            let request = try APIRequest(
                method: method, target: "/v3/" + path, body: Array(body.utf8))
            let headers = RequestHeaders(sessionKey: ann.key)
            return try JSONValue(
                parsing: await fixture.server.respond(to: request, headers: headers).body)
        }

        /// Schedules a message of Ann and returns its number.
        func schedule(
            _ text: String, in url: String, after delay: Int64 = 5_000, _ more: String = ""
        ) async throws -> Int64 {
            let moment = fixture.world.now.milliseconds + delay
            let made = try await ask(
                "POST", "group_channels/\(url)/scheduled_messages",
                #"{"message_type":"MESG","message":"\#(text)","scheduled_at":\#(moment)\#(more)}"#)
            return try #require(made["scheduled_message_id"]?.int, "\(made)")
        }

        func status(_ id: Int64, in url: String) async throws -> JSONValue? {
            try await ask("GET", "group_channels/\(url)/scheduled_messages/\(id)")[
                "scheduled_status"]
        }

        /// The texts that Bob's socket got since the last call.
        func heard() throws -> [String] {
            try bob.inbox.take().compactMap { $0.message?.message.text }
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a message canceled while an earlier one is sent is not sent`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let first = try await scene.schedule("first", in: "g")
        let second = try await scene.schedule("second", in: "g")
        scene.fixture.world.advance(6_000)
        let answer = Mutex<JSONValue?>(nil)
        scene.fanOut.beforeMessage {
            let found = try? await scene.ask(
                "DELETE", "group_channels/g/scheduled_messages/\(second)")
            answer.withLock { $0 = found }
        }
        await scene.fixture.server.sendDue()
        await scene.fixture.server.sendDue()
        #expect(answer.withLock { $0 } == [:])
        #expect(try scene.heard() == ["first"])
        #expect(try await scene.status(first, in: "g") == "sent")
        #expect(try await scene.status(second, in: "g") == "canceled")
    }

    @Test(.timeLimit(.minutes(Patience.minutes)), arguments: StorageKind.allCases)
    func `a message that waits for its channel holds up no message of another channel`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let held = try await scene.schedule("held", in: "g")
        _ = try await scene.schedule("free", in: "h")
        scene.fixture.world.advance(6_000)
        let (isHeld, isFree, goesOn) = (Gate(), Gate(), Gate())
        scene.fanOut.beforeMessage {
            isHeld.open()
            await goesOn.wait()
        }
        // The lane of the channel "g" is closed until this message is published.
        async let answer = scene.ask(
            "POST", "group_channels/g/messages", #"{"message_type":"MESG","message":"own"}"#)
        await isHeld.wait()
        scene.fanOut.beforeMessage { isFree.open() }
        await scene.fixture.server.startDue()
        await isFree.wait()
        #expect(try await scene.status(held, in: "g") == "pending")
        goesOn.open()
        #expect(try await answer["message"] == "own")
        await scene.fixture.server.sendDue()
        #expect(try scene.heard().sorted() == ["free", "held", "own"])
        #expect(try await scene.status(held, in: "g") == "sent")
    }

    @Test(arguments: StorageKind.allCases)
    func `the due messages of a channel beyond one page follow in their order`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        for number in 100..<160 {
            _ = try await scene.schedule("\(number)", in: "g", after: Int64(number))
        }
        scene.fixture.world.advance(6_000)
        await scene.fixture.server.sendDue()
        #expect(try scene.heard() == (100..<160).map { "\($0)" })
    }

    @Test(arguments: StorageKind.allCases)
    func `a message for a deleted channel fails, and does not reach a new one of the URL`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let id = try await scene.schedule("for the old members", in: "g")
        var headers = RequestHeaders()
        headers.apiToken = ServerFixture.apiToken
        let deletion = APIRequest(.delete, ["group_channels", "g"])
        let answer = await scene.fixture.server.respond(to: deletion, headers: headers)
        #expect(answer.status == 200)
        try await scene.fixture.channel("g", of: ["ann", "bob"], by: scene.bob)
        scene.fixture.world.advance(6_000)
        await scene.fixture.server.sendDue()
        #expect(try scene.heard() == [])
        let list = try await scene.ask("GET", "scheduled_messages")
        let kept = list["scheduled_messages"]?.array?.first
        #expect(kept?["scheduled_message_id"] == .int(id), "\(list)")
        #expect(kept?["scheduled_status"] == "failed" && kept?["error_code"] != nil, "\(list)")
    }

    @Test(arguments: StorageKind.allCases)
    func `a message changed while an earlier one is sent goes out changed, at its new time`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        _ = try await scene.schedule("first", in: "g")
        let text = try await scene.schedule("text", in: "g")
        let time = try await scene.schedule("time", in: "g")
        scene.fixture.world.advance(6_000)
        let later = scene.fixture.world.now.milliseconds + 60_000
        scene.fanOut.beforeMessage {
            let path = "group_channels/g/scheduled_messages"
            _ = try? await scene.ask("PUT", "\(path)/\(text)", #"{"message":"new text"}"#)
            _ = try? await scene.ask("PUT", "\(path)/\(time)", #"{"scheduled_at":\#(later)}"#)
        }
        await scene.fixture.server.sendDue()
        #expect(try scene.heard() == ["first", "new text"])
        #expect(try await scene.status(time, in: "g") == "pending")
        scene.fixture.world.advance(60_000)
        await scene.fixture.server.sendDue()
        #expect(try scene.heard() == ["time"])
    }

    @Test(arguments: StorageKind.allCases)
    func `calls about a message that is being sent are refused`(kind: StorageKind) async throws {
        let scene = try await Scene(kind)
        let id = try await scene.schedule("text", in: "g")
        scene.fixture.world.advance(6_000)
        let path = "group_channels/g/scheduled_messages/\(id)"
        let claimed = try await scene.storage.updateDocument(id, .scheduled) {
            $0.body["status"] = "sending"
        }
        #expect(claimed != nil)
        #expect(try await scene.status(id, in: "g") == "pending")
        for (method, call, body) in [
            ("DELETE", "", ""), ("PUT", "", #"{"message":"x"}"#), ("POST", "/send_now", "{}"),
        ] {
            #expect(try await scene.ask(method, path + call, body)["code"] == 400_111, "\(method)")
        }
        #expect(try scene.heard().isEmpty)
        #expect(
            try await scene.ask("GET", "scheduled_messages/count?status=pending") == ["count": 1])
    }

    @Test(arguments: StorageKind.allCases)
    func `a server that ends while it sends a message sends it once after its restart`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let stored = try await scene.schedule("in the log", in: "g")
        scene.fixture.world.advance(6_000)
        // The message is in the log, and its document is still claimed.
        let next = await ServerFixture(storage: scene.storage, seed: 8)
        next.world.advance(6_000 + 30_000)
        scene.fanOut.beforeMessage { await next.server.sendDue() }
        await scene.fixture.server.sendDue()
        #expect(try scene.heard() == ["in the log"])
        #expect(try await scene.status(stored, in: "g") == "sent")
        // The document is claimed, and the message is not in the log.
        let claimed = try await scene.schedule("only claimed", in: "g", after: 60_000)
        _ = try await scene.storage.updateDocument(claimed, .scheduled) { [now = next.world.now] in
            $0.body["status"] = "sending"
            $0.dueAt = now
        }
        let last = await ServerFixture(storage: scene.storage, seed: 9)
        last.world.advance(7_000 + 30_000)
        await last.server.sendDue()
        await last.server.sendDue()
        let log = try await last.server.log(of: "g").map(\.message.text)
        #expect(log == ["in the log", "only claimed"])
        #expect(try await scene.status(claimed, in: "g") == "sent")
    }

    @Test(arguments: StorageKind.allCases)
    func `a message that one server sends is left to it by the others`(
        kind: StorageKind
    ) async throws {
        let storage = HookedStorage(try await kind.make())
        let scene = try await Scene(storage.base)
        let id = try await scene.schedule("text", in: "g")
        scene.fixture.world.advance(6_000)
        let other = await ServerFixture(storage: storage, seed: 8)
        other.world.advance(6_000)
        scene.fanOut.beforeMessage { await other.server.sendDue() }
        await scene.fixture.server.sendDue()
        let counts = storage.takeCounts()
        #expect(counts["dueDocuments"] == 1)
        #expect(counts["updateDocument"] == nil && counts["append"] == nil, "\(counts)")
        #expect(try await scene.status(id, in: "g") == "sent")
        #expect(try scene.heard() == ["text"])
    }

    @Test func `a list of scheduled messages reads its user once`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await Scene(storage)
        for number in 0..<5 { _ = try await scene.schedule("\(number)", in: "g") }
        _ = storage.takeCounts()
        let list = try await scene.ask("GET", "scheduled_messages")
        let names = list["scheduled_messages"]?.array?.map { $0["user"]?["user_id"]?.string }
        #expect(names == Array(repeating: "ann", count: 5))
        let counts = storage.takeCounts()
        #expect(counts["users"] == 1 && counts["user", default: 0] <= 2, "\(counts)")
    }

    @Test(arguments: StorageKind.allCases)
    func `a message sent early while it becomes due is sent once`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let id = try await scene.schedule("early", in: "g")
        scene.fanOut.beforeMessage {
            scene.fixture.world.advance(6_000)
            await scene.fixture.server.sendDue()
        }
        let sent = try await scene.ask(
            "POST", "group_channels/g/scheduled_messages/\(id)/send_now", "{}")
        #expect(sent["scheduled_status"] == "sent")
        #expect(try scene.heard() == ["early"])
        #expect(try await scene.fixture.server.log(of: "g").count == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `a repeated call schedules one message, also at the limit of waiting ones`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind) { $0.limits.scheduledMessages = 2 }
        let request = #","req_id":"r""#
        async let one = scene.schedule("text", in: "g", request)
        async let other = scene.schedule("text", in: "g", request)
        let ids = try await [one, other]
        #expect(ids[0] == ids[1])
        let elsewhere = try await scene.schedule("text", in: "h", request)
        #expect(elsewhere != ids[0], "a request ID belongs to a channel")
        #expect(try await scene.schedule("text", in: "g", request) == ids[0])
        #expect(try await scene.ask("GET", "scheduled_messages/count") == ["count": 2])
        scene.fixture.world.advance(6_000)
        await scene.fixture.server.sendDue()
        #expect(try scene.heard() == ["text", "text"])
        #expect(try await scene.schedule("text", in: "g", request) == ids[0])
        // Without a request ID, each call schedules a message.
        let free = try await scene.schedule("text", in: "g", #","req_id":"""#)
        #expect(try await scene.schedule("text", in: "g", #","req_id":"""#) != free)
    }

    @Test func `a change with more fields than a message can have is refused before it is stored`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let location = DatabaseLocation.file(folder.path + "/server.sqlite")
        let scene = try await Scene(
            SQLiteStorage(location, on: ThreadExecutor(name: "storage")))
        let id = try await scene.schedule("text", in: "g")
        let observer = try Connection(location)
        let version = Query<Void, Int64>(sql: "PRAGMA data_version") { $0.int64(0) }
        let before = try observer.first(version)
        let fields = (0..<5_000).map { "\"a field with a long name \($0)\":\($0)" }
        let path = "group_channels/g/scheduled_messages/\(id)"
        let refusal = try await scene.ask("PUT", path, "{\(fields.joined(separator: ","))}")
        #expect(refusal["code"] == 400_110)
        #expect(try observer.first(version) == before, "a transaction has changed the database")
        let some = fields.prefix(1_000).joined(separator: ",")
        let changed = try await scene.ask("PUT", path, #"{"message":"new",\#(some)}"#)
        #expect(changed["message"] == "new")
        #expect(try observer.first(version) != before)
    }

    @Test(arguments: StorageKind.allCases)
    func `scheduled messages are listed by creation or by time, and by their type (protocol 3.7)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        var ids: [Int64] = []
        let file = #","message_type":"FILE","url":"http://x/a","file_name":"a","file_size":1"#
        for (delay, more) in [(9_000, ""), (7_000, file), (8_000, ""), (7_000, "")] {
            ids.append(try await scene.schedule("m", in: "g", after: Int64(delay), more))
        }
        func list(_ query: String) async throws -> [[Int64]] {
            var (pages, token): ([[Int64]], String) = ([], "")
            repeat {
                let page = try await scene.ask("GET", "scheduled_messages?\(query)&token=\(token)")
                pages.append(
                    (page["scheduled_messages"]?.array ?? []).compactMap {
                        $0["scheduled_message_id"]?.int
                    })
                token = page["next"]?.string ?? ""
            } while !token.isEmpty
            return pages
        }
        #expect(try await list("limit=9") == [ids])
        #expect(
            try await list("limit=2&order=created_at") == [[ids[0], ids[1]], [ids[2], ids[3]]])
        #expect(
            try await list("limit=3&order=scheduled_at") == [[ids[1], ids[3], ids[2]], [ids[0]]])
        #expect(
            try await list("limit=3&reverse=true") == [[ids[3], ids[2], ids[1]], [ids[0]]])
        #expect(
            try await list("limit=2&order=scheduled_at&reverse=true")
                == [[ids[0], ids[2]], [ids[3], ids[1]]])
        #expect(try await list("limit=1&message_type=FILE") == [[ids[1]]])
        #expect(
            try await list("order=scheduled_at&message_type=MESG") == [[ids[3], ids[2], ids[0]]])
        #expect(
            try await scene.ask("GET", "scheduled_messages/count?message_type=MESG")
                == ["count": 3])
        for query in [
            "order=size", "message_type=PIGEON", "order=scheduled_at&token=1", "token=1.1",
            "reverse=true&token=1",
        ] {
            let refusal = try await scene.ask("GET", "scheduled_messages?\(query)")
            #expect(refusal["code"] == 400_111, "\(query)")
        }
    }
}
