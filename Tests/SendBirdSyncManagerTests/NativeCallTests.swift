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
    /// Tests of the calls about the user, pushes and the connection.
    struct NativeCalls {
        private final class Session: SBDSessionDelegate {
            var events: [String] = []
            var token: String?
            var keepsRequests = false
            /// The closures of requests without an answer.
            var kept: [(success: (String?) -> Void, fail: () -> Void)] = []

            func sessionTokenDidRequire(
                successCompletion success: @escaping (String?) -> Void,
                failCompletion fail: @escaping () -> Void
            ) {
                events.append("required")
                if keepsRequests { return kept.append((success, fail)) }
                if let token { success(token) } else { fail() }
            }
            func sessionWasClosed() { events.append("closed") }
            func sessionWasRefreshed() { events.append("refreshed") }
            func sessionDidHaveError(_ error: SBDError) { events.append("error") }
        }

        @Test func `the state of the connection can be read in a handler and after a cut`() throws {
            try SyncStory.play(seed: 131) { story in
                #expect(SBDMain.getConnectState() == .closed)
                let state: SBDWebSocketConnectionState = await story.wait { done in
                    SBDMain.connect(withUserId: "alice") { _, _ in done(SBDMain.getConnectState()) }
                }
                #expect(state == .open)
                await story.phone.network.cut()
                await story.world.pass()
                #expect(SBDMain.getConnectState() == .connecting)
                #expect(SBDMain.reconnect())
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(SBDMain.getConnectState() == .open)
                let end: SBDWebSocketConnectionState = await story.wait { done in
                    SBDMain.disconnect { done(SBDMain.getConnectState()) }
                }
                #expect(end == .closed)
                #expect(!SBDMain.reconnect())
            }
        }

        @Test func `members who are typing can be read at any time`() throws {
            try SyncStory.play(seed: 132) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                #expect(channel.getTypingUsers()?.isEmpty == true)
                await story.bob.startTyping(in: url)
                await story.world.pass()
                #expect(channel.getTypingUsers()?.map(\.userId) == ["bob"])
                #expect(channel.isTyping())
                await story.bob.endTyping(in: url)
                await story.world.pass()
                #expect(!channel.isTyping())
            }
        }

        @Test func `a changed profile is the current user's, and a query finds it`() throws {
            try SyncStory.play(seed: 133) { story in
                await story.connect()
                let error: SBDError? = await story.wait { done in
                    SBDMain.updateCurrentUserInfo(withNickname: "Alice", profileUrl: "a.png") {
                        done($0)
                    }
                }
                #expect(error == nil)
                #expect(SBDMain.getCurrentUser()?.nickname == "Alice")
                let query = SBDMain.createApplicationUserListQuery()
                query?.userIdsFilter = ["alice"]
                let users: [SBDUser]? = await story.wait { done in
                    query?.loadNextPage { users, _ in done(users) }
                }
                #expect(users?.map(\.nickname) == ["Alice"])
            }
        }

        @Test func `a push token waits for a login, then is registered and removed`() throws {
            try SyncStory.play(seed: 134) { story in
                let token = Data([0xa0, 0x0b])
                let early: SBDPushTokenRegistrationStatus = await story.wait { done in
                    SBDMain.registerDevicePushToken(token, unique: true) { status, _ in
                        done(status)
                    }
                }
                #expect(early == .pending)
                #expect(SBDMain.getPendingPushToken() == token)
                await story.connect()
                let late: SBDPushTokenRegistrationStatus = await story.wait { done in
                    SBDMain.registerDevicePushToken(token, unique: true) { status, _ in
                        done(status)
                    }
                }
                #expect(late == .success)
                #expect(SBDMain.getPendingPushToken() == nil)
                let error: SBDError? = await story.wait { done in
                    SBDMain.unregisterPushToken(token) { _, error in done(error) }
                }
                #expect(error == nil)
            }
        }

        @Test func `a cover picture is uploaded, for a new channel and for a change`() throws {
            try SyncStory.play(seed: 138) { story in
                await story.connect()
                let params = SBDGroupChannelParams()
                (params.name, params.coverImage) = ("party", Data([1, 2, 3]))
                params.operatorUserIds = ["alice"]
                let made: SBDGroupChannel? = await story.wait { done in
                    SBDGroupChannel.createChannel(with: params) { channel, _ in done(channel) }
                }
                let channel = try #require(made)
                let first = try #require(channel.coverUrl)
                #expect(!first.isEmpty)
                params.coverImage = Data([4, 5, 6])
                let changed: SBDGroupChannel? = await story.wait { done in
                    channel.update(with: params) { channel, _ in done(channel) }
                }
                #expect(changed?.coverUrl?.isEmpty == false)
                #expect(changed?.coverUrl != first)
                #expect(channel.coverUrl == changed?.coverUrl)
            }
        }

        @Test func `hours without pushes are set and read back`() throws {
            try SyncStory.play(seed: 135) { story in
                await story.connect()
                let error: SBDError? = await story.wait { done in
                    SBDMain.setDoNotDisturbWithEnable(
                        true, startHour: 22, startMin: 15, endHour: 7, endMin: 30,
                        timezone: "Asia/Seoul"
                    ) { done($0) }
                }
                #expect(error == nil)
                let hours: [String] = await story.wait { done in
                    SBDMain.getDoNotDisturb { isOn, startHour, startMin, endHour, endMin, zone, _ in
                        done(["\(isOn) \(startHour):\(startMin) \(endHour):\(endMin) \(zone)"])
                    }
                }
                #expect(hours == ["true 22:15 7:30 Asia/Seoul"])
            }
        }

        @Test func `the user's own mute is told with its reason`() throws {
            try SyncStory.play(seed: 136) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                func info() async -> String {
                    await story.wait { done in
                        channel.getMyMutedInfo { isMuted, reason, _, end, _, _ in
                            done("\(isMuted) \(reason ?? "") \(end > 0)")
                        }
                    }
                }
                #expect(await info().hasPrefix("false"))
                try await story.bob.makeNow(
                    .mute("alice", for: .seconds(600), reason: "loud"), in: url)
                await story.world.pass()
                #expect(await info() == "true loud true")
            }
        }

        @Test func `an expired token is renewed by the session's delegate`() throws {
            try SyncStory.play(seed: 137) { story in
                let session = Session()
                SBDMain.setSessionDelegate(session)
                await story.world.setToken("new", of: "alice")
                session.token = "new"
                let user: SBDUser? = await story.wait { done in
                    SBDMain.connect(withUserId: "alice", accessToken: "old") { user, _ in
                        done(user)
                    }
                }
                await story.world.pass()
                #expect(user?.userId == "alice")
                #expect(session.events == ["required", "refreshed"])
                SBDMain.setSessionDelegate(nil)
            }
        }

        @Test
        func `no token within 60 s, or a release of both closures, is a failure and not the end`()
            throws
        {
            try SyncStory.play(seed: 139) { story in
                let session = Session()
                session.keepsRequests = true
                SBDMain.setSessionDelegate(session)
                await story.world.setToken("new", of: "alice")
                SBDMain.connect(withUserId: "alice", accessToken: "old")
                await story.world.pass(.seconds(50))
                #expect(session.events == ["required"])
                await story.world.pass(.seconds(20))
                #expect(session.events.prefix(2) == ["required", "error"])
                session.kept.first?.success("new")
                session.events = []
                SBDMain.connect(withUserId: "alice", accessToken: "old")
                await story.world.pass(.seconds(5))
                #expect(session.events == ["required"])
                (session.token, session.keepsRequests) = ("new", false)
                session.kept = []
                await story.world.pass(.seconds(60))
                #expect(session.events == ["required", "error", "required", "refreshed"])
                SBDMain.setSessionDelegate(nil)
            }
        }
    }
}
