// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import RoostTransport
import Testing

/// Uploads that end early, and cuts of the link around them, in virtual time.
struct UploadEndTests {
    private static func params(_ count: Int) -> FileMessageParams {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        return FileMessageParams(files: [
            OutgoingFile(.bytes(bytes), name: "a.png", type: "image/png")
        ])
    }

    /// A network whose uploads wait until they are cancelled.
    private struct HeldUploads: HTTPTransport {
        let inner: any HTTPTransport
        let log: Guarded<[String]>

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            try await inner.send(request)
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse {
            log.withLock { $0.append("begun") }
            let (nothing, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in nothing {}
            withExtendedLifetime(continuation) {}
            log.withLock { $0.append("ended") }
            throw TransportError(.cancelled, "The test's upload was cancelled.")
        }
    }

    /// Connects a client on a device, and creates a channel with Bob.
    private static func connect(
        _ device: SimulatedWorld.Device, in world: SimulatedWorld
    ) async throws -> (ChatClient, ChannelURL) {
        let client = try await world.launch(device)
        try await client.connect()
        let params = ChannelCreateParams(memberIDs: ["bob"])
        return (client, try await client.createChannel(params).url)
    }

    @Test(arguments: [0, 100_000, 199_999])
    func `a damaged copy of a file fails its message, and later ones are sent (R140)`(
        length: Int
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 11) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (client, channel) = try await Self.connect(phone, in: world)
            await phone.network.cut()
            let sent = try await client.send(Self.params(200_000), to: channel)
            try await client.send("after", to: channel)
            guard case .file(let shown) = sent.content else { return #expect(Bool(false)) }
            let file = try FileHandle(
                forWritingTo: URL(filePath: String(shown.url.dropFirst("file://".count))))
            try file.truncate(atOffset: UInt64(length))
            try file.close()
            phone.network.restore()
            try await client.connect()
            await world.pass(.seconds(30))
            let failed = await client.failedMessages(in: channel)
            #expect(failed.map(\.requestID) == [sent.requestID])
            #expect(failed.map(\.isResendable) == [false])
            #expect(try await world.log(of: channel).map(\.text) == ["after"])
            await client.close()
        }
    }

    /// The stage of a file message at which the link is cut.
    enum Stage: CaseIterable, Sendable {
        case beforeUpload, duringUpload, afterUpload, beforeAcknowledgement
    }

    @Test(arguments: Stage.allCases)
    func `a cut at any stage of a file message keeps its request ID (scar 62)`(
        stage: Stage
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 62) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let (client, channel) = try await Self.connect(phone, in: world)
            let timeline = try await client.timeline(of: channel)
            await world.pass()
            let (events, changes) = (await client.outboxEvents(), await timeline.changes())
            let lines = Guarded<[String]>([])
            phone.network.observe { line in lines.withLock { $0.append(line) } }
            func count(_ prefix: String) -> Int {
                lines.withLock { $0.count { $0.hasPrefix(prefix) } }
            }
            // A crossing takes long enough for the cut to meet the one that the stage names.
            phone.network.setDelay(.milliseconds(100))
            if stage == .beforeUpload { await phone.network.cut() }
            let sent = try await client.send(Self.params(9_000), to: channel)
            #expect(sent.requestID != nil)
            switch stage {
            case .beforeUpload: break
            case .duringUpload: await world.wait { count("-> POST") > 0 }
            case .afterUpload: await world.wait { count("<- 200") > 0 }
            case .beforeAcknowledgement: await world.wait { count(">> FILE") > 0 }
            }
            await phone.network.cut()
            let isUploaded = stage == .afterUpload || stage == .beforeAcknowledgement
            #expect(count("<- 200") == (isUploaded ? 1 : 0))
            #expect(count(">> FILE") == (stage == .beforeAcknowledgement ? 1 : 0))
            #expect(count("<< FILE") == 0)
            await world.pass()
            let waiting = await client.unsentMessages(in: channel)
            #expect(waiting.map(\.requestID) == [sent.requestID])
            phone.network.setDelay(nil)
            phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await client.unsentMessages(in: channel).isEmpty)
            #expect(try await world.log(of: channel).map(\.requestID) == [sent.requestID])
            await timeline.close()
            await client.close()
            var names: [RequestID?] = []
            for await event in events {
                switch event {
                case .queued(let message), .delayed(let message, _), .delivered(let message),
                    .failed(let message), .retried(let message), .canceled(let message):
                    names.append(message.requestID)
                case .uploading(let id, _), .uploaded(let id, _): names.append(id)
                default: Issue.record("No event of a message: \(event)")
                }
            }
            for await change in changes {
                names += change.inserted.map(\.requestID) + change.deleted.map(\.requestID)
                names += change.updated.map(\.before.requestID)
                names += change.updated.map(\.after.requestID)
            }
            #expect(names.count > 2)
            #expect(Set(names) == [sent.requestID])
        }
    }

    @Test func `closing a client ends its uploads, and the next run repeats them (scar 15)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 12) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let log = Guarded<[String]>([])
            let client = try await world.launch(phone) { HeldUploads(inner: $0, log: log) }
            try await client.connect()
            let channel = try await client.createChannel(
                ChannelCreateParams(memberIDs: ["bob"])
            ).url
            let sent = try await client.send(Self.params(9_000), to: channel)
            await world.pass()
            #expect(log.withLock { $0 } == ["begun"])
            await client.close()
            await world.pass()
            #expect(log.withLock { $0 } == ["begun", "ended"])
            let again = try await world.launch(phone)
            #expect(await again.failedMessages(in: channel).isEmpty)
            try await again.connect()
            await world.pass()
            #expect(try await world.log(of: channel).map(\.requestID) == [sent.requestID])
            await again.close()
        }
    }
}
