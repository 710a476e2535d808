// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// The end of a process while it sends.
struct CrashStoryTests {
    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 60, 400], [false, true])
    func `a message is sent once and in order after a crash at any step (scar 10)`(
        _ step: Int, losesAnswers: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: UInt64(step)) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let app = try await world.start(phone, SimulatedProcess(on: world.executor))
            try await app.client.connect()
            let channel = try await app.client.createChannel(
                ChannelCreateParams(memberIDs: [])
            ).url
            await app.client.waitUntilIdle()
            app.process.stop(afterStoreSteps: step)
            let texts = ["one", "two", "three"]
            // The texts that are on disk for certain: their calls have returned.
            let saving = Task(executorPreference: world.executor) { [client = app.client] in
                var saved: [String] = []
                for text in texts {
                    guard (try? await client.send(text, to: channel)) != nil else { break }
                    saved.append(text)
                }
                return saved
            }
            await world.pass(.milliseconds(losesAnswers ? 15 : 5_000))
            if losesAnswers { await phone.network.cut() }
            await world.pass(.seconds(5))
            app.process.stop(afterStoreSteps: 0)
            await app.bury()
            await app.client.close()
            let saved = await saving.value

            let again = try await world.launch(phone)
            phone.network.restore()
            try await again.connect()
            await again.waitUntilIdle()
            await world.pass()
            let log = try await world.log(of: channel).compactMap(\.text)
            // A crash between the disk and the return leaves one more message.
            #expect(log == Array(texts.prefix(log.count)) && log.count >= saved.count)
            #expect(await again.unsentMessages(in: channel).isEmpty)
            #expect(log.count == 3 || step < 400)
            await again.close()
        }
    }
}
