// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

struct HistoryDownloadTests {
    /// Alice's phone, and two channels with a history that it does not have.
    private struct Scene {
        let phone: SimulatedWorld.Device
        let alice: ChatClient
        let bob: ChatClient
        let channels: [ChannelURL]

        init(
            _ world: SimulatedWorld, folder: String? = nil, messages: Int = 450
        ) async throws {
            bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            var made: [ChannelURL] = []
            for _ in 0..<2 {
                made.append(
                    try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url)
            }
            channels = made
            for number in 1...messages { try await bob.send("\(number)", to: made[0]) }
            try await bob.send("only", to: made[1])
            await bob.waitUntilIdle()
            phone = world.device(of: "alice", folder: folder)
            alice = try await world.launch(phone)
        }

        func texts(_ client: ChatClient, _ channel: ChannelURL) async throws -> [String] {
            let timeline = try await client.timeline(of: channel, capacity: .max)
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            return await timeline.snapshot.messages.map(\.text)
        }
    }

    private static let numbers = (1...450).map(String.init)

    @Test
    func `after a download all messages are there offline, to the first (R154, R156, R178, R179)`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let scene = try await Scene(world)
            let list = try await scene.alice.channelList()
            let download = await scene.alice.download()
            #expect(await download.progress.state != .finished)
            await world.pass()
            #expect(await download.progress.state == .waitingForConnection)
            try await scene.alice.connect()
            let estimate = try await scene.alice.downloadEstimate(of: scene.channels[0])
            #expect(estimate.missingMessages == 450)
            await world.pass(.seconds(60))
            let progress = await download.progress
            #expect(progress.state == .finished)
            #expect(progress.messages == 451)
            #expect(progress.channelCount == 2 && progress.finishedChannels == 2)
            #expect(await list.snapshot.channels.count == 2)
            await scene.phone.network.cut()
            #expect(try await scene.texts(scene.alice, scene.channels[0]) == Self.numbers)
            #expect(try await scene.texts(scene.alice, scene.channels[1]) == ["only"])
        }
    }

    @Test func `an interrupted download fetches only missing messages (R155, R180)`() throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 2) { world in
            let scene = try await Scene(world, folder: folder.path)
            let request = DownloadRequest(channels: [scene.channels[0]], pause: .seconds(2))
            try await scene.alice.connect()
            let first = await scene.alice.download(request)
            await world.pass(.milliseconds(1500))
            let fetched = await first.progress.messages
            #expect(fetched > 0 && fetched < 450)
            await scene.alice.close()
            await world.pass()
            #expect(await first.progress.state == .canceled)

            let again = try await world.launch(scene.phone)
            try await again.connect()
            let requests = scene.phone.network.requestCount
            let second = await again.download(request)
            await world.pass(.seconds(30))
            #expect(await second.progress.state == .finished)
            #expect(await second.progress.messages == 450 - fetched)
            // The newest page, the missing part in pages of 200, and the login's own requests.
            #expect(scene.phone.network.requestCount - requests <= 1 + 3 + 2)
            await scene.phone.network.cut()
            #expect(try await scene.texts(again, scene.channels[0]) == Self.numbers)
        }
    }

    @Test
    func `a download pauses, continues, waits for the link, and can be cancelled (R160, R161)`()
        throws
    {
        try SimulatedWorld.play(seed: 3) { world in
            let scene = try await Scene(world)
            try await scene.alice.connect()
            let download = await scene.alice.download(
                DownloadRequest(channels: [scene.channels[0]], pause: .seconds(2)))
            await world.pass(.milliseconds(1500))
            await download.pause()
            await world.pass()
            let resting = await download.progress
            await world.pass(.seconds(60))
            #expect(await download.progress == resting)
            #expect(resting.state == .paused)
            await download.resume()
            await world.pass(.milliseconds(1500))
            #expect(await download.progress.messages > resting.messages)
            await scene.phone.network.cut()
            await world.pass()
            #expect(await download.progress.state == .waitingForConnection)
            let updates = await download.progressUpdates()
            await download.cancel()
            scene.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await download.progress.state == .canceled)
            #expect(await download.progress.messages < 450)
            var last: DownloadProgress.State?
            for await progress in updates { last = progress.state }
            #expect(last == .canceled)
        }
    }

    @Test
    func `a download from a moment begins there, and ends with all messages (R177, R178)`() throws {
        try SimulatedWorld.play(seed: 5) { world in
            let scene = try await Scene(world, messages: 1_000)
            try await scene.alice.connect()
            let log = try await world.log(of: scene.channels[0])
            let request = DownloadRequest(
                channels: scene.channels, startingAt: log[299].createdAt, pause: .seconds(2))
            let download = await scene.alice.download(request)
            await world.pass(.milliseconds(1_500))
            #expect(await download.progress.reached == log[199].createdAt)
            await scene.phone.network.cut()
            let timeline = try await scene.alice.timeline(
                of: scene.channels[0], startingAt: log[299].createdAt)
            // Pages lead to the ends of the first page.
            for _ in 0..<4 {
                _ = try? await timeline.loadOlder()
                _ = try? await timeline.loadNewer()
            }
            let shown = await timeline.snapshot.messages.map(\.text)
            #expect(shown == log[199..<400].map(\.text))
            await timeline.close()
            scene.phone.network.restore()
            await world.pass(.seconds(120))
            #expect(await download.progress.state == .finished)
            #expect(await download.progress.messages == 1_001)
            await scene.phone.network.cut()
            #expect(try await scene.texts(scene.alice, scene.channels[0]) == log.map(\.text))
            #expect(try await scene.texts(scene.alice, scene.channels[1]) == ["only"])
        }
    }

    @Test func `a refused channel does not stop the others, and is reported`() throws {
        try SimulatedWorld.play(seed: 4) { world in
            let scene = try await Scene(world, messages: 5)
            try await scene.alice.connect()
            let download = await scene.alice.download(
                DownloadRequest(channels: ["nobody's", scene.channels[1]]))
            await world.pass(.seconds(60))
            let progress = await download.progress
            #expect(progress.state == .finished && progress.messages == 1)
            #expect(Array(progress.refused.keys) == ["nobody's"])
        }
    }
}
