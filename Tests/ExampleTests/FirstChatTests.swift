// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The twelve lines of the README and of the guide as a program; `HouseRulesTests` compares the
/// texts.
struct FirstChatTests {
    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `the twelve lines show a message on a fresh server, again, and without a server`()
        async throws
    {
        let folder = try TemporaryFolder()
        let server = try await Server.withShortPort(folder)
        let program = try await ExampleProgram("FirstChat", port: server.port, in: folder)
        let first = try program.start(in: folder.path)
        #expect(await first.lines().last == "succeeded Hello from the train")
        #expect(await first.end() == .exited(0))
        let second = try program.start(in: folder.path)
        let lines = await second.lines()
        #expect(lines.suffix(2) == Array(repeating: "succeeded Hello from the train", count: 2))
        #expect(await second.end() == .exited(0))
        await server.stop()

        // Without a server the message is on disk, and the program waits for the server.
        let third = try program.start(in: folder.path)
        let fourth = try await Server(folder, port: server.port)
        #expect(await third.lines().suffix(3).allSatisfy { $0.hasPrefix("succeeded") })
        #expect(await third.end() == .exited(0))
        await fourth.stop()
    }
}
