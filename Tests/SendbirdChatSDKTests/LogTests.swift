// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Tests of the log, and of the app's version in the login.
    struct Logs {
        @Test(arguments: [LogLevel.verbose, .debug, .info, .warning, .error, .none])
        func `the log has the lines of the app's level, and no private data (R79, scar 163)`(
            level: LogLevel
        ) throws {
            try DoorStory.play(seed: 111) { story in
                let lines = Guarded<[String]>([])
                SendbirdChat.door.log.send { line in lines.withLock { $0.append(line) } }
                let params = story.params()
                params.logLevel = level
                SendbirdChat.initialize(params: params)
                let url = try await story.channel("train")
                await story.world.setToken("secret-token", of: "alice")
                let _: Bool = await story.wait { done in
                    SendbirdChat.connect(userId: "alice", authToken: "secret-token") { _, _ in
                        done(true)
                    }
                }
                let channel = try await story.get(url)
                channel.sendUserMessage("secret text")
                await story.world.pass()
                await story.phone.network.cut()
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                channel.sendUserMessage("secret too")
                await story.world.pass()
                let written = lines.withLock { $0 }
                #expect(!written.contains { $0.contains("secret") })
                func count(_ name: String) -> Int {
                    written.count { $0.hasPrefix("Roost \(name): ") }
                }
                let counts = ["verbose", "debug", "info", "warning", "error"].map(count)
                // Each level adds its lines to those behind it.
                for (place, count) in counts.enumerated() {
                    #expect((count > 0) == (place >= level.rawValue), "\(written)")
                }
                #expect(counts.reduce(0, +) == written.count)
                #expect(counts[4] == (level == .none ? 0 : 1))
                #expect(SendbirdChat.getLogLevel() == level)
                SendbirdChat.setLogLevel(.none)
                let before = lines.withLock { $0.count }
                channel.sendUserMessage("no line")
                await story.world.pass()
                #expect(lines.withLock { $0.count } == before)
            }
        }

        @Test func `the version of the app is that of the settings or of the setter (R74, R79)`()
            throws
        {
            try DoorStory.play(seed: 112) { story in
                SendbirdChat.door.open("alice")
                #expect(SendbirdChat.door.configuration?.appVersion == "1.2.3")
                SendbirdChat.setAppVersion(version: "1.2.4")
                let params = story.params()
                params.appVersion = nil
                SendbirdChat.initialize(params: params)
                #expect(SendbirdChat.door.configuration?.appVersion == "1.2.4")
            }
        }
    }
}
