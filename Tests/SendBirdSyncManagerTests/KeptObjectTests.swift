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
    /// Tests of objects that an app keeps for long, and of the events about them.
    struct KeptObjects {
        @Test func `a kept channel shows an own act in its handler`() throws {
            try SyncStory.play(seed: 171) { story in
                let url = try await story.channel("train")
                await story.connect()
                let (channel, other) = (try await story.get(url), try await story.get(url))
                let option: SBDGroupChannelPushTriggerOption = await story.wait { done in
                    channel.setMyPushTriggerOption(.off) { _ in done(other.myPushTriggerOption) }
                }
                #expect(option == .off)
                let isHidden: Bool = await story.wait { done in
                    channel.hideChannel(withHidePreviousMessages: false) { _ in
                        done(other.isHidden)
                    }
                }
                #expect(isHidden)
            }
        }

        @Test func `an answer that news have overtaken leaves a kept channel as it is`() throws {
            try SyncStory.play(seed: 172) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                var value = kept.value
                value.unreadMessageCount = 7
                let news = value
                let found: [UInt] = await story.wait { done in
                    SBDMain.getMyGroupChannelChangeLogs(byTimestamp: 1, customTypes: nil) {
                        channels, _, _, _, _ in
                        done((channels ?? []).map(\.unreadMessageCount))
                    }
                    // A live message is faster than the answer.
                    SBDMain.door.kept.note(news, isOpen: false)
                }
                #expect(found == [7])
                #expect(kept.unreadMessageCount == 7)
            }
        }

        private final class Observer: SBDChannelDelegate {
            var kinds: [SBDChannelType] = []

            func channel(
                _ sender: SBDBaseChannel, didUpdate threadInfoUpdateEvent: SBDThreadInfoUpdateEvent
            ) { kinds.append(threadInfoUpdateEvent.channelType) }
        }

        @Test func `the change of a thread says the kind of its channel`() throws {
            try SyncStory.play(seed: 173) { story in
                let observer = Observer()
                SBDMain.add(observer as any SBDChannelDelegate, identifier: "threads")
                let event = ChatEvent.threadChanged(ThreadInfo(replyCount: 1), 7, "room")
                let channel = GroupChannel(url: "room")
                SBDMain.door.receive(.event(event, channel))
                SBDMain.door.receive(.event(.openChannel(event), channel))
                await story.world.pass(.seconds(1))
                #expect(observer.kinds == [.group, .open])
                SBDMain.removeAllChannelDelegates()
            }
        }
    }
}
