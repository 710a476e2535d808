// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of live events of channels that are not on the screen.
    struct StoredEvents {
        @Test
        func `live messages of a channel that was never opened are on disk (R155)`() throws {
            try DoorStory.play(seed: 48) { story in
                let url = try await story.channel("train")
                await story.connect()
                await story.world.pass()
                for text in ["one", "two"] { try await story.bob.send(text, to: url) }
                await story.bob.waitUntilIdle()
                await story.world.pass()
                await story.phone.network.cut()
                for isRelaunched in [false, true] {
                    if isRelaunched {
                        await SendbirdChat.door.close()
                        story.launch()
                        await story.connect()
                    }
                    let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                    view.channel = try await story.get(url)
                    view.createMessageCollection()
                    view.initialize()
                    await story.world.pass()
                    #expect(view.calls.first == "cache 2")
                    #expect(view.shown == ["one", "two"])
                    view.dispose()
                }
            }
        }
    }
}
