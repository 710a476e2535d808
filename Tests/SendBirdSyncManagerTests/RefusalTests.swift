// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

extension SendBirdTests {
    /// Tests of what the migration page calls missing, or without effect.
    struct Refusals {
        @Test func `calls that the client does not have answer with an error that says so`()
            throws
        {
            try SyncStory.play(seed: 121) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let code = RoostError.Code.featureUnavailable.rawValue
                #expect(code == 400920)
                let emojis: SBDError? = await story.wait { done in
                    SBDMain.getAllEmojis { done($1) }
                }
                #expect(emojis?.code == code)
                #expect(SBDMain.getAppInfo() == nil)
                let type = SBDMain.createMessageSearchQuery { $0.channelCustomType = "room" }
                let search: SBDError? = await story.wait { done in
                    type?.loadNextPage { done($1) }
                }
                #expect(search?.code == code)
                let keys: [SBDUnreadItemKey] = [
                    .superUnreadMessageCount, .nonSuperUnreadMessageCount,
                ]
                for key in keys {
                    let count: SBDError? = await story.wait { done in
                        SBDMain.getUnreadItemCount(withKey: key) { done($1) }
                    }
                    #expect(count?.code == code)
                }
                let edit = try #require(SBDUserMessageParams(message: "new"))
                edit.metaArrays = [SBDMessageMetaArray(key: "k", value: ["v"])]
                let refused: SBDError? = await story.wait { done in
                    channel.updateUserMessage(withMessageId: 1, userMessageParams: edit) {
                        done($1)
                    }
                }
                #expect(refused?.code == RoostError.Code.invalidParameter.rawValue)
                SBDMain.setLogLevel(.debug)
            }
        }
    }
}
