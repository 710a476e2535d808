// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDiskSimulation
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

    @Test(arguments: [false, true])
    func `queue and data agree after a crash between any two writes of a send (scar 66)`(
        isOnline: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path, records: true)
        try SimulatedWorld.play(seed: 66) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (bob, channel) = (pair.bob, pair.channel)
            _ = try await pair.deliver("before", from: pair.alice)
            await world.pass()
            if !isOnline { await pair.phone.network.cut() }
            await world.pass()
            let start = disk.moment
            let id = try #require(try await pair.alice.send("mine", to: channel).requestID)
            let saved = disk.moment
            if isOnline { try await pair.alice.outcome(of: id) }
            await world.pass()
            let end = disk.moment
            #expect(start < saved && (saved < end || !isOnline))
            await pair.alice.close()
            for moment in Sample.of(Array(start...end), quick: 30) + [saved, end] {
                let place: Comment = "moment \(moment) of \(start)...\(saved)...\(end)"
                let found = try TemporaryFolder(inMemory: true)
                try disk.lose(after: moment, .all, in: found.path)
                let phone = world.device(of: "alice", folder: found.path)
                await phone.network.cut()
                let again = try await world.launch(phone)
                let timeline = try await again.timeline(of: channel)
                let shown = await timeline.snapshot.messages.filter { $0.requestID == id }
                let waiting = await again.unsentMessages(in: channel).map(\.requestID)
                // A message is shown as pending only if it waits, and never beside its delivery.
                #expect(waiting == [] || waiting == [id], place)
                #expect(shown.count == (moment < saved ? waiting.count : 1), place)
                #expect(shown.allSatisfy { $0.status == .succeeded } || waiting == [id], place)
                // Neither sending nor receiving is stuck.
                let text = "after moment \(moment)"
                try await bob.send(text, to: channel)
                await bob.waitUntilIdle()
                phone.network.restore()
                try await again.connect()
                await again.waitUntilIdle()
                await world.pass()
                #expect(await again.unsentMessages(in: channel).isEmpty, place)
                let log = try await world.log(of: channel)
                let count = log.count { $0.requestID == id }
                #expect(count == 1 || (count == 0 && moment < saved), place)
                let messages = await timeline.snapshot.messages
                #expect(messages.contains { $0.text == text }, place)
                let last = log.suffix(messages.count)
                #expect(messages.map(\.messageID) == last.map(\.messageID), place)
                await again.close()
            }
            await bob.close()
        }
    }
}
