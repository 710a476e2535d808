// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

extension SendBirdTests {
    struct Logs {
        @Test(arguments: [SBDLogLevel.none, .error, .warning, .info, .debug])
        func `the log has the failures of messages at the level of errors (R79, scar 163)`(
            level: SBDLogLevel
        ) throws {
            try SyncStory.play(seed: 141) { story in
                let lines = Guarded<[String]>([])
                SBDMain.door.log.send { line in lines.withLock { $0.append(line) } }
                SBDMain.setLogLevel(level)
                let url = try await story.channel("train")
                await story.connect()
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                try await story.get(url).sendUserMessage("secret")
                await story.world.pass()
                let written = lines.withLock { $0 }
                SBDMain.setLogLevel(.none)
                func count(_ name: String) -> Int {
                    written.count { $0.hasPrefix("Roost \(name): ") }
                }
                #expect(!written.contains { $0.contains("secret") })
                #expect(count("error") == (level == .none ? 0 : 1), "\(written)")
                let isTold = level.rawValue >= SBDLogLevel.info.rawValue
                #expect((count("info") > 0) == isTold, "\(written)")
                #expect((count("debug") > 0) == (level == .debug), "\(written)")
            }
        }
    }
}
