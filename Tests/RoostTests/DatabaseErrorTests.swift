// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDiskSimulation
import RoostTestKit
import RoostTestSupport
import Testing

/// The errors that a user sees when the disk fails.
struct DatabaseErrorTests {
    // Disk full, an I/O error, a closed file, a read-only file, a damaged one, one that cannot be
    // opened.
    @Test(arguments: [13, 10, 778, 8, 11, 14] as [Int32])
    func `an error of the database has a message for users (scar 163)`(
        code: Int32
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 163) { world in
            let alice = try await world.launch(world.device(of: "alice", folder: folder.path))
            try await alice.connect()
            let channel = try await alice.createChannel(
                ChannelCreateParams(memberIDs: [], name: "hidden")
            ).url
            await world.pass()
            disk.plan(.init(.write, code: code, lasts: true))
            let error = await #expect(throws: RoostError.self) {
                try await alice.send("hidden words", to: channel)
            }
            disk.plan(nil)
            #expect(error?.code == .localDatabaseError)
            let told = [error?.message, error?.description]
            for text in told.compactMap({ $0 }) {
                for raw in ["SQL", "statement", "INSERT", "hidden", "code \(code)", "(\(code))"] {
                    #expect(!text.contains(raw), "\(text)")
                }
            }
            // The remedy is the end of a sentence.
            #expect(error?.message.hasSuffix(".") == true)
            await alice.close()
        }
    }

    @Test func `a canceled opening ends with an error of its own`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let configuration = Configuration(
            applicationID: "demo", server: "http://127.0.0.1:1", userID: "alice",
            cache: .folder(folder.path))
        let opening = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await ChatClient.open(configuration)
        }
        opening.cancel()
        let error = await #expect(throws: RoostError.self) { _ = try await opening.value }
        #expect(error?.code == .requestCanceled)
        #expect(error?.remedy == .retry)
        let client = try await ChatClient.open(configuration)
        await client.close()
    }
}
