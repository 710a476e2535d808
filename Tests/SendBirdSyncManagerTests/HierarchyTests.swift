// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import Testing

extension SendBirdTests {
    /// Tests of delegates whose class has a superclass of the app's own.
    struct Hierarchies {
        /// A screen that states the conformance and leaves the method out.
        private class Screen: SBDChannelDelegate {
            var lines: [String] = []
        }

        private final class ChatScreen: Screen {
            func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {
                lines.append(message.message)
            }
        }

        /// A screen that states the conformance and has the method.
        private class FullScreen: SBDChannelDelegate {
            var lines: [String] = []

            func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {}
        }

        private final class FullChatScreen: FullScreen {
            override func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {
                lines.append(message.message)
            }
        }

        @Test func `a v3 delegate's method in a subclass is called if it overrides one`() throws {
            try SyncStory.play(seed: 262) { story in
                let (screen, fullScreen) = (ChatScreen(), FullChatScreen())
                SBDMain.add(screen, identifier: "screen")
                SBDMain.add(fullScreen, identifier: "full screen")
                let url: ChannelURL = "train"
                let message = Message(
                    delivery: .delivered(7, nil), channelURL: url,
                    createdAt: Timestamp(milliseconds: 1), content: .user(text: "hello"))
                SBDMain.door.receive(
                    .event(.messageReceived(message), GroupChannel(url: url)))
                await story.world.pass()
                #expect(screen.lines == [])
                #expect(fullScreen.lines == ["hello"])
                SBDMain.removeChannelDelegate(forIdentifier: "screen")
                SBDMain.removeChannelDelegate(forIdentifier: "full screen")
            }
        }
    }
}
