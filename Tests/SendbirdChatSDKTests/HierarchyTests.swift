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

extension SendbirdChatTests {
    /// Tests of delegates whose class has a superclass of the app's own.
    struct Hierarchies {
        /// A screen that states the conformance and leaves the method out.
        private class Screen: GroupChannelDelegate {
            var lines: [String] = []
        }

        private final class ChatScreen: Screen {
            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                lines.append(message.message)
            }
        }

        /// A screen that states the conformance and has the method.
        private class FullScreen: GroupChannelDelegate {
            var lines: [String] = []

            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {}
        }

        private final class FullChatScreen: FullScreen {
            override func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                lines.append(message.message)
            }
        }

        @Test func `a delegate's method in a subclass is called if it overrides one`() throws {
            try DoorStory.play(seed: 261) { story in
                let (screen, fullScreen) = (ChatScreen(), FullChatScreen())
                SendbirdChat.addChannelDelegate(screen, identifier: "screen")
                SendbirdChat.addChannelDelegate(fullScreen, identifier: "full screen")
                let url: ChannelURL = "train"
                let message = Message(
                    delivery: .delivered(7, nil), channelURL: url,
                    createdAt: Timestamp(milliseconds: 1), content: .user(text: "hello"))
                SendbirdChat.door.receive(
                    .event(.messageReceived(message), RoostModel.GroupChannel(url: url)))
                await story.world.pass()
                #expect(screen.lines == [])
                #expect(fullScreen.lines == ["hello"])
                SendbirdChat.removeChannelDelegate(forIdentifier: "screen")
                SendbirdChat.removeChannelDelegate(forIdentifier: "full screen")
            }
        }
    }
}
