// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostDiskSimulation
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import RoostTransport
import Testing

/// Messages with files in virtual time, with the real store and the server's core.
struct FileMessageTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    private static func file(_ source: OutgoingFile.Source, _ name: String = "a.png")
        -> OutgoingFile
    {
        OutgoingFile(source, name: name, type: "image/png")
    }

    /// Connects a user who has one channel.
    private static func begin(
        _ world: SimulatedWorld, _ phone: SimulatedWorld.Device,
        between: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws -> (ChatClient, ChannelURL) {
        let client = try await world.launch(phone, between: between)
        try await client.connect()
        let channel = try await client.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
        return (client, channel)
    }

    @Test func `a file is copied, uploaded and sent, and its copy is deleted (R145, scar 61)`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("original.png")
        try Data(Self.bytes(200_000)).write(to: URL(fileURLWithPath: path))
        try SimulatedWorld.play(seed: 1) { world in
            let phone = world.device(of: "alice", folder: folder.file("disk"))
            let (client, channel) = try await Self.begin(world, phone)
            let timeline = try await client.timeline(of: channel)
            await phone.network.cut()
            let sent = try await client.send(
                FileMessageParams(files: [Self.file(.copy(of: path))], caption: "look"), to: channel
            )
            #expect(sent.status == .pending)
            #expect(sent.requestID != nil)
            guard case .file(let shown) = sent.content else { return #expect(Bool(false)) }
            #expect(shown.size.bytes == 200_000)
            // The copy has the sent bytes, even if the original is deleted.
            try FileManager.default.removeItem(atPath: path)
            let copy = URL(fileURLWithPath: String(shown.url.dropFirst("file://".count)))
            #expect(try Data(contentsOf: copy) == Data(Self.bytes(200_000)))

            await client.close()
            phone.network.restore()
            let again = try await world.launch(phone)
            #expect(await again.unsentMessages(in: channel).map(\.requestID) == [sent.requestID])
            let events = await again.outboxEvents()
            try await again.connect()
            await again.waitUntilIdle()
            await world.pass()
            let log = try await world.log(of: channel)
            #expect(log.map(\.requestID) == [sent.requestID])
            guard case .file(let file) = log.first?.content else { return #expect(Bool(false)) }
            #expect(file.url.hasPrefix("http"))
            #expect(file.caption == "look")
            #expect(file.size.bytes == 200_000)
            #expect(await again.unsentMessages(in: channel).isEmpty)
            #expect(!FileManager.default.fileExists(atPath: copy.path))
            await again.close()
            var progress: [Int64] = []
            var delivered: [Message] = []
            for await event in events {
                if case .uploading(_, let step) = event { progress.append(step.sent.bytes) }
                if case .delivered(let message) = event { delivered.append(message) }
            }
            #expect(progress == progress.sorted() && progress.last == 200_000)
            #expect(delivered.map(\.requestID) == [sent.requestID])
            _ = timeline
        }
    }

    @Test
    func `a message with an uploaded file is resent without another upload (scars 73, 74)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 74) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            var params = ChannelCreateParams(memberIDs: ["alice"])
            params.operatorIDs = ["bob"]
            let channel = try await bob.createChannel(params).url
            try await bob.setFrozen(true, channel)
            let first = try await world.launch(phone)
            try await first.connect()
            let sent = try await first.send(
                FileMessageParams(files: [Self.file(.bytes(Self.bytes(9_000)))]), to: channel)
            let name = try #require(sent.requestID)
            await world.pass(.seconds(60))
            await first.close()
            let alice = try await world.launch(phone)
            try await alice.connect()
            let failed = try #require(await alice.failedMessages(in: channel).first)
            #expect(failed.requestID == name)
            // The upload succeeded, the message did not.
            guard case .file(let left) = failed.params, case .url(let url) = left.files[0].source
            else { return #expect(Bool(false)) }
            try await bob.setFrozen(false, channel)
            await world.pass()
            await alice.resend(name)
            try await alice.outcome(of: name)
            let log = try await world.log(of: channel)
            #expect(log.map(\.requestID) == [name])
            guard case .file(let file) = log[0].content else { return #expect(Bool(false)) }
            #expect(file.url.hasPrefix(url) || url.hasPrefix(file.url))
        }
    }

    /// The frames and requests of a device's network.
    private final class Lines: Sendable {
        private let lines = Guarded<[String]>([])

        init(_ network: SimulatedNetwork) {
            network.observe { [lines] line in lines.withLock { $0.append(line) } }
        }

        func count(_ isMeant: (String) -> Bool) -> Int {
            lines.withLock { $0.count(where: isMeant) }
        }

        var uploads: Int { count { $0.hasPrefix("-> POST") && $0.contains("/storage/") } }

        func wait(_ world: SimulatedWorld, until isSo: (Lines) -> Bool) async {
            for _ in 0..<10_000 where !isSo(self) { await world.pass(.milliseconds(1)) }
        }
    }

    /// Loses the socket during an upload; later logins fail.
    private static func loseSocket(
        _ world: SimulatedWorld, _ phone: SimulatedWorld.Device, _ lines: Lines
    ) async {
        await lines.wait(world) { $0.uploads > 0 }
        phone.network.weather.busyLogin = 1000
        await phone.network.loseSockets()
        await world.pass(.seconds(30))
    }

    @Test func `a file sent by HTTP is shown as sent before there is a socket (R146)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 75) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (alice, channel) = try await Self.begin(world, phone)
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            try await alice.send("before", to: channel)
            let timeline = try await alice.timeline(of: channel)
            await world.pass()
            let lines = Lines(phone.network)
            let sent = try await alice.send(
                FileMessageParams(files: [Self.file(.bytes(Self.bytes(9_000)))]), to: channel)
            await lines.wait(world) { $0.uploads > 0 }
            phone.network.weather.busyLogin = 1000
            await phone.network.loseSockets()
            // This device has got no event of it.
            try await bob.send("between", to: channel)
            await Self.loseSocket(world, phone, lines)
            if case .connected = await alice.connectionState { Issue.record("There is a socket.") }
            let shown = await timeline.snapshot.messages
            #expect(shown.map(\.status) == [.succeeded, .succeeded, .succeeded])
            #expect(shown.map(\.text).prefix(2) == ["before", "between"])
            #expect(shown.last?.requestID == sent.requestID)
            phone.network.weather = .calm
            await world.pass(.seconds(60))
            #expect(await timeline.snapshot.messages == shown)
            await alice.close()
            await bob.close()
        }
    }

    /// Sends a file from another device of Alice's and deletes it there; the first device has read
    /// the deletion.
    private static func deleteElsewhere(
        _ world: SimulatedWorld, _ alice: ChatClient, _ channel: ChannelURL
    ) async throws -> (FileMessageParams, Timeline) {
        let bob = try await world.launch(world.device(of: "bob"))
        try await bob.connect()
        try await bob.send("before", to: channel)
        await world.pass()
        await alice.disconnect()
        let tablet = try await world.launch(world.device(of: "alice"))
        try await tablet.connect()
        let params = FileMessageParams(files: [file(.bytes(bytes(9_000)))])
        _ = try await tablet.send(.file(params), to: channel, as: "twice")
        try await tablet.outcome(of: "twice")
        await world.pass()
        let id = try #require(try await world.log(of: channel).last?.messageID)
        let deletion = try await tablet.delete(id, in: channel)
        try await tablet.outcome(of: deletion)
        try await bob.send("after", to: channel)
        await tablet.close()
        try await alice.connect()
        let timeline = try await alice.timeline(of: channel)
        await world.pass()
        #expect(await timeline.snapshot.messages.map(\.text) == ["before", "after"])
        await bob.close()
        return (params, timeline)
    }

    /// Reconnects a client and makes the connection's change log empty.
    private static func reconnect(_ world: SimulatedWorld, _ client: ChatClient) async throws {
        await client.disconnect()
        try await client.connect()
        await world.pass()
    }

    @Test func `the answer to a repeated send brings no deleted message back (scars 10, 11)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 80) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let isHeld = Guarded((message: false, log: false))
            let (alice, channel) = try await Self.begin(world, phone) {
                [clock = world.executor] line in
                Watch(
                    line,
                    hold: { url in
                        let isMessage = url.hasSuffix("/messages")
                        let isLog = url.contains("/messages/changelogs")
                        while isHeld.withLock({ isMessage && $0.message || isLog && $0.log }) {
                            do { try await clock.sleep(for: .milliseconds(10)) } catch { return }
                        }
                    })
            }
            let (params, timeline) = try await Self.deleteElsewhere(world, alice, channel)
            try await Self.reconnect(world, alice)
            let lines = Lines(phone.network)
            isHeld.withLock { $0 = (true, true) }
            _ = try await alice.send(.file(params), to: channel, as: "twice")
            await Self.loseSocket(world, phone, lines)
            phone.network.weather = .calm
            await world.pass(.seconds(60))
            guard case .connected = await alice.connectionState else {
                Issue.record("There is no socket.")
                return
            }
            isHeld.withLock { $0.message = false }
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == ["before", "after"])
            isHeld.withLock { $0.log = false }
            await world.pass(.seconds(60))
            #expect(await alice.unsentMessages(in: channel).isEmpty)
            #expect(await timeline.snapshot.messages.map(\.text) == ["before", "after"])
            await alice.close()
        }
    }

    @Test(arguments: [false, true])
    func `an HTTP retry brings back no deleted message (scars 10, 11)`(
        isOfEarlierConnection: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 76) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (alice, channel) = try await Self.begin(world, phone)
            let (params, timeline) = try await Self.deleteElsewhere(world, alice, channel)
            if isOfEarlierConnection { try await Self.reconnect(world, alice) }
            let lines = Lines(phone.network)
            _ = try await alice.send(.file(params), to: channel, as: "twice")
            await Self.loseSocket(world, phone, lines)
            #expect(lines.count { $0.hasPrefix("-> POST") && $0.hasSuffix("/messages") } == 1)
            phone.network.weather = .calm
            await world.pass(.seconds(60))
            #expect(await alice.unsentMessages(in: channel).isEmpty)
            #expect(await timeline.snapshot.messages.map(\.text) == ["before", "after"])
            await alice.close()
        }
    }

    @Test func `a copy stays until the disk has its address (scars 61, 73)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 77) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (first, channel) = try await Self.begin(world, phone)
            let lines = Lines(phone.network)
            let sent = try await first.send(
                FileMessageParams(files: [Self.file(.bytes(Self.bytes(9_000)))]), to: channel)
            await lines.wait(world) { $0.uploads > 0 }
            disk.plan(SimulatedDisk.Fault(.write, code: 778, lasts: true))
            await lines.wait(world) { $0.count { $0.hasPrefix("<- 200") } > 0 }
            await phone.network.cut()
            await world.pass(.seconds(1))
            await first.close()
            disk.plan(nil)
            let again = try await world.launch(phone)
            phone.network.restore()
            try await again.connect()
            try await again.outcome(of: try #require(sent.requestID))
            #expect(try await world.log(of: channel).map(\.requestID) == [sent.requestID])
            // Its address was not on the disk, so it was uploaded once more.
            #expect(lines.uploads == 2)
            await again.close()
        }
    }

    @Test func `a cancelled file is not uploaded to its end (scar 144)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 79) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (alice, channel) = try await Self.begin(world, phone)
            let lines = Lines(phone.network)
            let sent = try await alice.send(
                FileMessageParams(files: [Self.file(.bytes(Self.bytes(9_000)))]), to: channel)
            await lines.wait(world) { $0.uploads > 0 }
            await alice.cancel(try #require(sent.requestID))
            await world.pass(.seconds(10))
            #expect(lines.count { $0.hasPrefix("<- ") } == 0)
            #expect(try await world.log(of: channel).isEmpty)
            await alice.close()
        }
    }

    @Test func `the progress of an upload ends with the delivery, after all bytes`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 81) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (alice, channel) = try await Self.begin(world, phone)
            await phone.network.cut()
            let files = ["a.png", "b.png"].map { Self.file(.bytes(Self.bytes(9_000)), $0) }
            let sent = try await alice.send(FileMessageParams(files: files), to: channel)
            let progress = await alice.uploadProgress(of: try #require(sent.requestID))
            let reading = Task(executorPreference: world.executor) {
                var counts: [Int64] = []
                for await step in progress { counts.append(step.sent.bytes) }
                return (counts, try await world.log(of: channel).count)
            }
            phone.network.restore()
            await world.pass(.seconds(60))
            let (counts, delivered) = try await reading.value
            #expect(counts == counts.sorted() && counts.last == 18_000)
            #expect(delivered == 1)
            await alice.close()
        }
    }

    @Test func `a message written during a file's copy is sent after it (scar 12)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 80) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (alice, channel) = try await Self.begin(world, phone)
            let params = FileMessageParams(
                files: [Self.file(.bytes(Self.bytes(9_000)))], caption: "file")
            let file = Task(executorPreference: world.executor) {
                try await alice.send(params, to: channel)
            }
            let text = Task(executorPreference: world.executor) {
                try await alice.send("text", to: channel)
            }
            let ids = [try await file.value.requestID, try await text.value.requestID]
            await world.pass(.seconds(10))
            #expect(try await world.log(of: channel).map(\.requestID) == ids)
            await alice.close()
        }
    }

    /// A transport of a server that makes thumbnails, as ours does not.
    private struct Painter: HTTPTransport {
        let inner: any HTTPTransport
        let forms: Guarded<[String]>
        static let thumbnails =
            #"[{"url":"https://f/a-320","plain_url":"https://f/p","width":320,"height":240,"#
            + #""real_width":320,"real_height":200}]"#

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            try await inner.send(request)
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse {
            let text = Guarded("")
            let answer = try await inner.upload(
                request,
                HTTPBody(length: body.length) {
                    let piece = body.next()
                    text.withLock { $0 += String(decoding: piece ?? [], as: UTF8.self) }
                    return piece
                })
            let form = text.withLock { $0 }
            forms.withLock { $0.append(form) }
            let painted = String(decoding: answer.body, as: UTF8.self).replacingOccurrences(
                of: #""thumbnails":[]"#, with: #""thumbnails":"# + Self.thumbnails)
            return HTTPResponse(status: answer.status, body: Array(painted.utf8))
        }
    }

    @Test func `thumbnails are requested after a relaunch, and all users see them`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 78) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (first, channel) = try await Self.begin(world, phone)
            await first.disconnect()
            let file = OutgoingFile(
                .bytes(Self.bytes(900)), name: "a.png", type: "image/png",
                thumbnailSizes: [.init(width: 320, height: 240), .init(width: 64, height: 64)])
            let sent = try await first.send(FileMessageParams(files: [file]), to: channel)
            await first.close()
            let forms = Guarded<[String]>([])
            let alice = try await world.launch(phone) { Painter(inner: $0, forms: forms) }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let heard = try await bob.timeline(of: channel)
            await world.pass()
            try await alice.connect()
            let timeline = try await alice.timeline(of: channel)
            try await alice.outcome(of: try #require(sent.requestID))
            await world.pass()
            let form = try #require(forms.withLock { $0.first })
            #expect(form.contains("name=\"thumbnail1\"\r\n\r\n320,240\r\n"))
            #expect(form.contains("name=\"thumbnail2\"\r\n\r\n64,64\r\n"))
            var thumbnail = Thumbnail(url: "https://f/a-320")
            thumbnail.plainURL = "https://f/p"
            (thumbnail.width, thumbnail.height) = (320, 240)
            (thumbnail.realWidth, thumbnail.realHeight) = (320, 200)
            for list in [timeline, heard] {
                guard case .file(let shown)? = await list.snapshot.messages.last?.content else {
                    return #expect(Bool(false))
                }
                #expect(shown.thumbnails == [thumbnail])
            }
            // A copy of the message has them too, and needs no upload.
            let params = try #require(await timeline.snapshot.messages.last?.params)
            let copy = try await alice.send(params, to: channel)
            try await alice.outcome(of: try #require(copy.requestID))
            await world.pass()
            guard case .file(let shown)? = await heard.snapshot.messages.last?.content else {
                return #expect(Bool(false))
            }
            #expect(shown.thumbnails == [thumbnail])
            #expect(forms.withLock { $0.count } == 1)
            await alice.close()
            await bob.close()
        }
    }

    @Test func `several files make one message, and files with an address are not uploaded`() throws
    {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 2) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (client, channel) = try await Self.begin(world, phone)
            try await client.send(
                FileMessageParams(files: [
                    Self.file(.bytes(Self.bytes(10)), "one"),
                    Self.file(.url("https://elsewhere/two.png"), "two"),
                    Self.file(.bytes(Self.bytes(30)), "three"),
                ]), to: channel)
            await client.waitUntilIdle()
            await world.pass()
            let timeline = try await client.timeline(of: channel)
            let shown = await timeline.snapshot.messages
            guard case .file(let file)? = shown.first?.content else { return #expect(Bool(false)) }
            try #require(file.files.count == 3)
            #expect(file.files.map(\.name) == ["one", "two", "three"])
            #expect(file.files[1].url == "https://elsewhere/two.png")
            #expect(file.files[2].size.bytes == 30)
            #expect(file.files.allSatisfy { $0.url.hasPrefix("http") })
            // A copy of it needs no upload.
            await world.pass()
            let params = try #require(shown.first?.params)
            let before = phone.network.requestCount
            try await client.send(params, to: channel)
            await client.waitUntilIdle()
            await world.pass()
            #expect(phone.network.requestCount == before)
            #expect(try await world.log(of: channel).count == 2)
            await client.close()
        }
    }

    @Test func `an unreadable file is refused at once`() throws {
        try SimulatedWorld.play(seed: 3) { world in
            let folder = try TemporaryFolder()
            let phone = world.device(of: "alice", folder: folder.path)
            let client = try await world.launch(phone)
            let error = await #expect(throws: RoostError.self) {
                try await client.send(
                    FileMessageParams(files: [Self.file(.copy(of: folder.file("nothing")))]),
                    to: "c")
            }
            #expect(error?.code == .invalidParameter)
            #expect(await client.unsentMessages(in: "c").isEmpty)
            // Its place in the order is free again.
            try await client.connect()
            let channel = try await client.createChannel(ChannelCreateParams(memberIDs: [])).url
            await #expect(throws: RoostError.self) {
                try await client.send(
                    FileMessageParams(files: [Self.file(.copy(of: folder.file("nothing")))]),
                    to: channel)
            }
            let text = try await client.send("after", to: channel)
            try await client.outcome(of: try #require(text.requestID))
            await client.close()
        }
    }

    @Test func `a referenced file that goes missing fails its message and no other (scar 65)`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("original.png")
        try Data(Self.bytes(20)).write(to: URL(fileURLWithPath: path))
        try SimulatedWorld.play(seed: 4) { world in
            let phone = world.device(of: "alice", folder: folder.file("disk"))
            let (client, channel) = try await Self.begin(world, phone)
            await phone.network.cut()
            try await client.send(
                FileMessageParams(files: [Self.file(.reference(to: path))]), to: channel)
            try await client.send("after", to: channel)
            try FileManager.default.removeItem(atPath: path)
            phone.network.restore()
            try await client.connect()
            await client.waitUntilIdle()
            await world.pass()
            #expect(try await world.log(of: channel).map(\.text) == ["after"])
            let failed = await client.failedMessages(in: channel)
            #expect(failed.map(\.isResendable) == [false])
            await client.close()
        }
    }

    @Test func `a sealed outbox shows no byte of a file on the disk`() throws {
        let folder = try TemporaryFolder()
        let secret = Array(String(repeating: "a very secret picture ", count: 10_000).utf8)
        try SimulatedWorld.play(seed: 5) { world in
            let key = [UInt8](repeating: 3, count: 32)
            let phone = world.device(
                of: "alice", folder: folder.path, protection: try .key(key))
            let (client, channel) = try await Self.begin(world, phone)
            await phone.network.cut()
            try await client.send(
                FileMessageParams(files: [Self.file(.bytes(secret))]), to: channel)
            let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
            for case let name as String in files {
                let data = FileManager.default.contents(atPath: folder.file(name)) ?? Data()
                #expect(data.range(of: Data("secret picture".utf8)) == nil, "\(name)")
            }
            phone.network.restore()
            try await client.connect()
            await client.waitUntilIdle()
            await world.pass()
            let log = try await world.log(of: channel)
            guard case .file(let file)? = log.first?.content else { return #expect(Bool(false)) }
            #expect(try await world.file(at: file.url) == secret)
            await client.close()
        }
    }
}
