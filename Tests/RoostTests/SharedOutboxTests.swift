// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestKit
import RoostTestSupport
import RoostTransport
import StoreTestSupport
import Testing

/// A client whose outbox another process writes to, which has the turn to send; in virtual time.
struct SharedOutboxTests {
    /// Alice's app in a channel with bob, and another process with her outbox open.
    private struct Scene {
        let world: SimulatedWorld
        let phone: SimulatedWorld.Device
        let app: ChatClient
        let other: Store
        let channel: ChannelURL
        /// The folder of both.
        let folder: String
        /// The present time by the world's clocks.
        let now: Timestamp

        var outbox: OutboxStore { other.outbox }

        func row(_ id: RequestID) async throws -> OutboxItem? {
            try await outbox.items().items.first { $0.requestID == id }
        }

        /// Ends the other process; the app takes its turn.
        func end() async {
            await other.close()
            await world.pass(.seconds(30))
            await app.waitUntilIdle()
            await world.pass()
        }
    }

    /// Plays a story in which the other process has the turn to send if `sends` is true.
    private static func play(
        _ seed: UInt64, sends: Bool = true,
        between: @escaping @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 },
        _ story: @escaping @Sendable (Scene) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: seed) { world in
            var options = Store.Options(executor: SimulatedLane(of: world.executor))
            options.isSearchable = false
            let other = try await Store.open(
                .folder(folder.path), owner: StoreOwner(application: "simulation", user: "alice"),
                options)
            if sends { #expect(await other.outbox.maySend() != nil) }
            let phone = world.device(of: "alice", folder: folder.path)
            let app = try await world.launch(phone, between: between)
            try await app.connect()
            let channel = try await app.createChannel(ChannelCreateParams(memberIDs: ["bob"]))
            try await story(
                Scene(
                    world: world, phone: phone, app: app, other: other, channel: channel.url,
                    folder: folder.path, now: channel.createdAt))
            await other.close()
            await app.close()
        }
    }

    private static func texts(_ messages: [Message]) -> [String] { messages.map(\.text) }

    @Test func `a client whose message waits for another process is not idle`() throws {
        try Self.play(2) { scene in
            #expect(await scene.app.waitUntilIdle(atMost: .zero))
            try await scene.app.send(UserMessageParams(text: "hi"), to: scene.channel)
            #expect(await !scene.app.waitUntilIdle(atMost: .zero))
            await scene.end()
            #expect(await scene.app.waitUntilIdle(atMost: .zero))
        }
    }

    @Test func `a file uploaded by another process is not uploaded again (scars 61, 73)`()
        throws
    {
        try Self.play(1) { scene in
            let file = OutgoingFile(.bytes([1, 2, 3]), name: "a.png", type: "image/png")
            let sent = try await scene.app.send(
                FileMessageParams(files: [file]), to: scene.channel)
            let id = try #require(sent.requestID)
            let row = try #require(try await scene.row(id))
            guard case .fileMessage(var params, let copies) = row.content else {
                return #expect(Bool(false))
            }
            params.files[0].source = .url("https://files/a.png")
            try await scene.outbox.note(
                .attempt(id),
                .content(id, scene.channel, .fileMessage(params, copies: [nil])))
            scene.outbox.deleteFiles(copies.compactMap { $0 })
            await scene.end()
            let log = try await scene.world.log(of: scene.channel)
            #expect(log.map(\.requestID) == [id])
            guard case .file(let found)? = log.first?.content else { return #expect(Bool(false)) }
            #expect(found.url == "https://files/a.png")
        }
    }

    /// A network that holds the answers to uploads until its gate finishes.
    private struct HeldAnswers: HTTPTransport {
        let inner: any HTTPTransport
        let gate: AsyncStream<Void>

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            try await inner.send(request)
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse {
            let answer = try await inner.upload(request, body)
            for await _ in gate {}
            return answer
        }
    }

    @Test func `an upload ended by a suspension keeps those of another process (R145)`()
        throws
    {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let holding: @Sendable (any HTTPTransport) -> any HTTPTransport = {
            HeldAnswers(inner: $0, gate: gate)
        }
        try Self.play(14, sends: false, between: holding) { scene in
            let files = (0..<2).map { place in
                OutgoingFile(.bytes([1, 2, UInt8(place)]), name: "\(place).png", type: "image/png")
            }
            let sent = try await scene.app.send(FileMessageParams(files: files), to: scene.channel)
            let id = try #require(sent.requestID)
            await scene.world.pass(.seconds(1))
            await scene.app.suspend()
            #expect(await scene.outbox.maySend() != nil)
            let row = try #require(try await scene.row(id))
            guard case .fileMessage(var params, let copies) = row.content else {
                return #expect(Bool(false))
            }
            #expect(copies.compactMap { $0 }.count == 2)
            let addresses = (0..<2).map { "https://files/\($0).png" }
            for place in 0..<2 { params.files[place].source = .url(addresses[place]) }
            try await scene.outbox.note(
                .attempt(id),
                .content(id, scene.channel, .fileMessage(params, copies: [nil, nil])))
            scene.outbox.deleteFiles(copies.compactMap { $0 })
            opening.finish()
            await scene.world.pass(.seconds(1))
            try await scene.app.resume()
            await scene.world.pass(.seconds(1))
            let kept = try #require(try await scene.row(id))
            #expect(kept.state == .pending && kept.copies == [])
            guard case .fileMessage(let left, _) = kept.content else {
                return #expect(Bool(false))
            }
            #expect(left.files.map(\.url) == addresses)
            await scene.end()
            #expect(try await scene.world.requestIDs(of: scene.channel) == [id])
            let shown = try await scene.app.timeline(of: scene.channel).snapshot.messages
            guard case .file(let found)? = shown.first?.content else { return #expect(Bool(false)) }
            #expect(found.files.map(\.url) == addresses)
        }
    }

    @Test func `an edit merged by another process is sent by the one that takes over`() throws {
        try Self.play(2) { scene in
            let id = try #require(try await scene.app.send("tpyo", to: scene.channel).requestID)
            let edit = MessageEdit(text: "typo")
            let folded = try await scene.outbox.fold(edit, into: id, at: .distantPast)
            #expect(folded?.content == .userMessage(UserMessageParams(text: "typo")))
            await scene.end()
            #expect(try await Self.texts(scene.world.log(of: scene.channel)) == ["typo"])
        }
    }

    @Test func `an edit that another process merges just before the message leaves is in it`()
        throws
    {
        try Self.play(3, sends: false) { scene in
            try await scene.app.send("first", to: scene.channel)
            let id = try #require(try await scene.app.send("tpyo", to: scene.channel).requestID)
            // The second waits for the first, and no signal comes here.
            let edit = MessageEdit(text: "typo")
            #expect(try await scene.outbox.fold(edit, into: id, at: .distantPast) != nil)
            await scene.world.pass()
            await scene.app.waitUntilIdle()
            await scene.world.pass()
            let log = try await scene.world.log(of: scene.channel)
            #expect(Self.texts(log) == ["first", "typo"])
            #expect(log.map(\.updatedAt) == [nil, nil])
        }
    }

    @Test func `an item failed by another process has failed here, and waits when resent`()
        throws
    {
        try Self.play(4) { scene in
            let app = scene.app
            let (first, second) = (
                try #require(try await app.send("first", to: scene.channel).requestID),
                try #require(try await app.send("second", to: scene.channel).requestID)
            )
            let events = await app.outboxEvents()
            async let outcome = #expect(throws: RoostError.self) {
                try await app.outcome(of: first)
            }
            await scene.world.pass(.milliseconds(1))
            try await scene.outbox.note(.attempt(first), .state(first, .failed(.notAMember)))
            #expect(await outcome?.code == .notAMember)
            let failed = await app.failedMessages(in: scene.channel)
            #expect(failed.map(\.delivery) == [.unsent(first, .failed(.notAMember))])
            let again = try await scene.outbox.requeue(first, createdAt: scene.now)
            #expect(again?.state == .pending)
            await scene.world.pass(.seconds(10))
            #expect(await app.failedMessages(in: scene.channel).isEmpty)
            await scene.end()
            // It is behind the other one.
            let log = try await scene.world.log(of: scene.channel)
            #expect(log.map(\.requestID) == [second, first])
            await app.close()
            var words: [String] = []
            for await event in events {
                switch event {
                case .failed(let message): words.append("failed \(message.text)")
                case .retried(let message): words.append("retried \(message.text)")
                case .delivered(let message): words.append("delivered \(message.text)")
                default: break
                }
            }
            #expect(
                words == [
                    "failed first", "retried first", "delivered second", "delivered first",
                ])
        }
    }

    @Test
    func `an item that the other process may have sent is looked up before it is resent (scar 10)`()
        throws
    {
        try Self.play(5) { scene in
            let id = try #require(try await scene.app.send("once", to: scene.channel).requestID)
            try await scene.outbox.note(.attempt(id))
            // It arrived, and the process ended before it could note that.
            let tablet = try await scene.world.launch(scene.world.device(of: "alice"))
            try await tablet.connect()
            let lines = Guarded<[String]>([])
            await scene.app.disconnect()
            _ = try await tablet.send(
                .user(UserMessageParams(text: "once")), to: scene.channel, as: id)
            await scene.world.pass()
            await tablet.close()
            scene.phone.network.observe { line in lines.withLock { $0.append(line) } }
            await scene.other.close()
            try await scene.app.connect()
            await scene.app.waitUntilIdle()
            await scene.world.pass()
            #expect(await scene.app.unsentMessages(in: scene.channel).isEmpty)
            #expect(try await scene.world.requestIDs(of: scene.channel) == [id])
            #expect(lines.withLock { $0.filter { $0.hasPrefix(">> MESG") } } == [])
        }
    }

    @Test(arguments: [false, true])
    func `an item that another process is sending is not changed (scar 10)`(
        isDeletion: Bool
    ) throws {
        try Self.play(6) { scene in
            let (app, channel) = (scene.app, scene.channel)
            let id = try #require(try await app.send("first", to: channel).requestID)
            try await scene.outbox.note(.attempt(id))
            if isDeletion {
                try await app.delete(.unsent(id), in: channel)
                #expect(await app.unsentMessages(in: channel).isEmpty)
            } else {
                let edit = MessageEdit(text: "second")
                #expect(try await app.edit(.unsent(id), in: channel, edit) != id)
                #expect(await Self.texts(app.unsentMessages(in: channel)) == ["first"])
            }
            #expect(await app.pendingChanges(in: channel).map(\.action.target) == [.unsent(id)])
            // The other process had sent it.
            let tablet = try await scene.world.launch(scene.world.device(of: "alice"))
            try await tablet.connect()
            _ = try await tablet.send(.user(UserMessageParams(text: "first")), to: channel, as: id)
            await scene.world.pass()
            await tablet.close()
            await scene.end()
            let log = try await scene.world.log(of: channel)
            #expect(Self.texts(log) == (isDeletion ? [] : ["second"]))
            #expect(await app.pendingChanges(in: channel).isEmpty)
        }
    }

    @Test func `while own items wait for an hour, items of others are shown (scar 68)`()
        throws
    {
        // The other process has the turn and does not use it.
        try Self.play(9) { scene in
            let timeline = try await scene.app.timeline(of: scene.channel)
            try await scene.app.send("waits", to: scene.channel)
            await scene.world.pass(.seconds(3_600))
            let bob = try await scene.world.launch(scene.world.device(of: "bob"))
            try await bob.connect()
            try await bob.send("comes", to: scene.channel)
            await scene.world.pass()
            await bob.close()
            #expect(await Self.texts(timeline.snapshot.messages) == ["comes", "waits"])
            await scene.end()
            #expect(await Self.texts(timeline.snapshot.messages) == ["comes", "waits"])
            #expect(await timeline.snapshot.messages.map(\.status) == [.succeeded, .succeeded])
        }
    }

    @Test func `a change left by another process finds its message`() throws {
        try Self.play(8) { scene in
            let tablet = try await scene.world.launch(scene.world.device(of: "alice"))
            try await tablet.connect()
            _ = try await scene.app.timeline(of: scene.channel)
            _ = try await tablet.send(
                .user(UserMessageParams(text: "first")), to: scene.channel, as: "elsewhere")
            await scene.world.pass()
            await tablet.close()
            let edit = MessageEdit(text: "second")
            _ = try await scene.outbox.append(
                "edit", to: scene.channel, createdAt: scene.now,
                content: .change(.edit(.unsent("elsewhere"), edit)))
            await scene.end()
            #expect(try await Self.texts(scene.world.log(of: scene.channel)) == ["second"])
        }
    }

    @Test func `an edit made during a read of the disk is not undone by the read's result`()
        throws
    {
        try Self.play(11) { scene in
            let (app, world) = (scene.app, scene.world)
            let id = try #require(try await app.send("tpyo", to: scene.channel).requestID)
            try await app.send("second", to: scene.channel)
            await app.suspend()
            // It requests the turn and the items of others again, both of which wait for the files.
            await world.pass(.seconds(6))
            let edit = Task(executorPreference: world.executor) {
                try await app.edit(.unsent(id), in: scene.channel, MessageEdit(text: "typo"))
            }
            await world.pass(.milliseconds(1))
            try await app.resume()
            #expect(try await edit.value == id)
            #expect(await Self.texts(app.unsentMessages(in: scene.channel)) == ["typo", "second"])
            await scene.end()
            #expect(try await Self.texts(world.log(of: scene.channel)) == ["typo", "second"])
        }
    }

    @Test func `an item delivered by another process is reported as delivered (scar 11)`() throws {
        try Self.play(12) { scene in
            let (app, world) = (scene.app, scene.world)
            let id = try #require(try await app.send("sent", to: scene.channel).requestID)
            await app.disconnect()
            let tablet = try await world.launch(world.device(of: "alice"))
            try await tablet.connect()
            _ = try await tablet.send(
                .user(UserMessageParams(text: "sent")), to: scene.channel, as: id)
            try await tablet.outcome(of: id)
            await tablet.close()
            // The other process has put it into the cache.
            let message = try #require(try await world.log(of: scene.channel).first)
            _ = try await scene.other.writer.commit([.liveMessage(message, predecessor: nil)])
            try await scene.outbox.note(.removal(id))
            let events = await app.outboxEvents()
            let outcome = Task(executorPreference: world.executor) { try await app.outcome(of: id) }
            await world.pass(.milliseconds(1))
            scene.phone.network.weather.refusedRequest = 1000
            try await app.connect()
            await world.pass(.seconds(1))
            try await outcome.value
            await app.close()
            var delivered: [RequestID?] = []
            for await case .delivered(let message) in events { delivered.append(message.requestID) }
            #expect(delivered == [id])
        }
    }

    @Test func `a change from before a relaunch finds its message`()
        throws
    {
        try Self.play(13) { scene in
            let tablet = try await scene.world.launch(scene.world.device(of: "alice"))
            try await tablet.connect()
            _ = try await scene.app.timeline(of: scene.channel)
            _ = try await tablet.send(
                .user(UserMessageParams(text: "first")), to: scene.channel, as: "elsewhere")
            await scene.world.pass()
            await tablet.close()
            await scene.app.close()
            let edit = MessageEdit(text: "second")
            _ = try await scene.outbox.append(
                "edit", to: scene.channel, createdAt: scene.now,
                content: .change(.edit(.unsent("elsewhere"), edit)))
            await scene.other.close()
            let again = try await scene.world.launch(scene.phone)
            try await again.connect()
            await again.waitUntilIdle()
            await scene.world.pass()
            #expect(try await Self.texts(scene.world.log(of: scene.channel)) == ["second"])
            await again.close()
        }
    }

    @Test func `an item cancelled by another process is not resent by hand (scar 11)`() throws {
        try Self.play(10) { scene in
            let id = try #require(try await scene.app.send("gone", to: scene.channel).requestID)
            try await scene.outbox.note(.attempt(id), .state(id, .failed(.notAMember)))
            await scene.world.pass(.seconds(10))
            #expect(await scene.app.failedMessages(in: scene.channel).count == 1)
            try await scene.outbox.note(.removal(id))
            #expect(await scene.app.resend(id) == false)
            #expect(await scene.app.unsentMessages(in: scene.channel).isEmpty)
            await scene.end()
            #expect(try await scene.world.log(of: scene.channel).isEmpty)
        }
    }

    @Test func `a waiting change that another process drops is not told as made`() throws {
        try Self.play(22) { scene in
            let app = scene.app
            let events = await app.outboxEvents()
            let made = try await app.invite(["cy"], to: scene.channel)
            let dropped = try await app.invite(["dan"], to: scene.channel)
            let outcome = Task(executorPreference: scene.world.executor) {
                try await app.outcome(of: dropped)
            }
            await scene.world.pass(.milliseconds(1))
            try await scene.outbox.note(.removal(made), .dropped(dropped))
            await scene.world.pass(.seconds(10))
            await #expect(throws: RoostError.self) { try await outcome.value }
            #expect(await app.pendingChanges(in: scene.channel).isEmpty)
            await app.close()
            var ends: [String] = []
            for await event in events {
                switch event {
                case .changeMade(let change): ends.append("made \(change.id == made)")
                case .changeDropped(let change): ends.append("dropped \(change.id == dropped)")
                default: break
                }
            }
            #expect(ends == ["made true", "dropped true"])
        }
    }

    @Test func `cancellations by others are noticed beside an unreadable row (scar 65)`() throws {
        try Self.play(21) { scene in
            let broken = try #require(try await scene.app.send("1", to: scene.channel).requestID)
            let gone = try #require(try await scene.app.send("2", to: scene.channel).requestID)
            try Connection(.file("\(scene.folder)/simulation/alice/outbox.sqlite")).execute(
                Query<RequestID, Void>(
                    sql: "UPDATE item SET payload = x'00' WHERE request_id = ?1",
                    bind: { id, bindings in bindings.append(id.rawValue) }), broken)
            try await scene.outbox.note(.removal(gone))
            await scene.world.pass(.seconds(10))
            let unsent = await scene.app.unsentMessages(in: scene.channel)
            #expect(unsent.map(\.requestID) == [broken])
            await scene.end()
            #expect(Self.texts(try await scene.world.log(of: scene.channel)) == ["1"])
        }
    }

    @Test func `an item cancelled elsewhere during a resend by hand is removed (scar 11)`()
        throws
    {
        try Self.play(14) { scene in
            let (app, world) = (scene.app, scene.world)
            let id = try #require(try await app.send("gone", to: scene.channel).requestID)
            try await scene.outbox.note(.attempt(id), .state(id, .failed(.notAMember)))
            await world.pass(.seconds(10))
            await app.suspend()
            // It requests the turn and the items of others again, both of which wait for the files.
            await world.pass(.seconds(6))
            try await scene.outbox.note(.removal(id))
            let again = Task(executorPreference: world.executor) { await app.resend(id) }
            await world.pass(.milliseconds(1))
            try await app.resume()
            #expect(await again.value == false)
            await world.pass(.milliseconds(1))
            #expect(await app.unsentMessages(in: scene.channel).isEmpty)
        }
    }

    @Test(arguments: 0..<20 as Range<Int64>)
    func `after a suspension that lost the turn no item is sent, whenever it was written (scar 12)`(
        step: Int64
    ) throws {
        try Self.play(20 + UInt64(step), sends: false) { scene in
            let (app, world) = (scene.app, scene.world)
            let lines = Guarded<[String]>([])
            scene.phone.network.observe { line in lines.withLock { $0.append(line) } }
            var sent: Int { lines.withLock { $0.filter { $0.hasPrefix(">> MESG") }.count } }
            await app.disconnect()
            try await app.send("first", to: scene.channel)
            try await app.send("second", to: scene.channel)
            let connecting = Task(executorPreference: world.executor) { try await app.connect() }
            await world.pass(.milliseconds(step * 15))
            await app.suspend()
            // It is stored when the files are open again.
            let third = Task(executorPreference: world.executor) {
                try await app.send("third", to: scene.channel)
            }
            await world.pass(.seconds(1))
            let before = sent
            #expect(await scene.outbox.maySend() != nil)
            try await app.resume()
            _ = try await third.value
            await world.pass(.seconds(60))
            #expect(sent == before)
            #expect(await app.unsentMessages(in: scene.channel).contains { $0.text == "third" })
            await scene.end()
            try await connecting.value
            let texts = try await Self.texts(world.log(of: scene.channel))
            #expect(texts == ["first", "second", "third"])
        }
    }

    @Test func `an item being stored by this app is not undone by an older read of the disk`()
        throws
    {
        try Self.play(7, sends: false) { scene in
            for number in 0..<20 {
                let id = RequestID("other \(number)")
                _ = try await scene.outbox.append(
                    id, to: scene.channel, createdAt: scene.now,
                    content: .userMessage(UserMessageParams(text: "other \(number)")))
                try await scene.app.send("own \(number)", to: scene.channel)
                if number % 3 == 0 { await scene.world.pass(.milliseconds(Int64(number) * 7)) }
            }
            await scene.app.disconnect()
            try await scene.app.connect()
            await scene.app.waitUntilIdle()
            await scene.world.pass(.seconds(20))
            let texts = try await Self.texts(scene.world.log(of: scene.channel))
            #expect(texts.filter { $0.hasPrefix("own") } == (0..<20).map { "own \($0)" })
            #expect(Set(texts).count == 40 && texts.count == 40)
            #expect(try await scene.outbox.items().items.isEmpty)
        }
    }
}
