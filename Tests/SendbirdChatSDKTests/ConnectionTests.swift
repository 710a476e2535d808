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
    /// Tests of the settings, the connection and the session.
    struct Connecting {
        @Test func `settings are accepted, or refused with a sentence (R213)`() throws {
            try SimulatedWorld.play(seed: 70) { world in
                SendbirdChat.door.enter(world.surroundings(of: world.device(of: "alice")))
                SendbirdChat.door.call(on: CallbackQueue { work in world.later(work) })
                let seen = Answers<String>()
                #expect(!SendbirdChat.isInitialized)
                #expect(!SendbirdChat.isLocalCachingEnabled)
                SendbirdChat.executeOrWaitForInitialization { seen.values.append("waited") }
                await world.pass()
                #expect(seen.values == [])
                let wrong = InitParams(applicationId: "app", apiHost: "http://127.0.0.1:1")
                wrong.wsHost = "ws://10.0.0.1"
                #expect(
                    !SendbirdChat.initialize(params: wrong) { error in
                        seen.values.append("refused \(error?.code ?? 0)")
                    })
                #expect(!SendbirdChat.initialize(params: InitParams(applicationId: "")))
                #expect(!SendbirdChat.isInitialized)
                let params = InitParams(
                    applicationId: "app", isLocalCachingEnabled: true, logLevel: .info)
                params.wsHost = "ws://127.0.0.1:1/socket"
                params.apiHost = "http://127.0.0.1:1"
                #expect(
                    SendbirdChat.initialize(params: params, migrationStartHandler: nil) { error in
                        seen.values.append("ready \(error?.code ?? 0)")
                    })
                SendbirdChat.executeOrWaitForInitialization { seen.values.append("at once") }
                await world.pass()
                #expect(
                    seen.values == [
                        "refused \(ChatError.invalidParameter.rawValue)", "waited", "ready 0",
                        "at once",
                    ])
                #expect(SendbirdChat.isInitialized)
                #expect(SendbirdChat.isLocalCachingEnabled)
                #expect(SendbirdChat.getLogLevel() == .info)
                #expect(LogLevel.debug < .error)
            }
        }

        @Test func `the state of the connection can be read at any time (R205)`() throws {
            try DoorStory.play(seed: 71) { story in
                #expect(SendbirdChat.getConnectState() == .closed)
                #expect(SendbirdChat.getLastConnectedAt() == 0)
                #expect(SendbirdChat.getAppInfo() == nil)
                #expect(!SendbirdChat.reconnect())
                await story.connect()
                await story.world.pass()
                #expect(SendbirdChat.getConnectState() == .open)
                #expect(SendbirdChat.getLastConnectedAt() > 0)
                #expect((SendbirdChat.getAppInfo()?.uploadSizeLimit ?? 0) > 0)
                await story.phone.network.cut()
                await story.world.pass(.seconds(30))
                #expect(SendbirdChat.getConnectState() == .connecting)
                story.phone.network.restore()
                SendbirdChat.networkChanged(isUp: true)
                await story.world.pass(.seconds(60))
                #expect(SendbirdChat.getConnectState() == .open)
                let state: WebSocketConnectionState = await story.wait { done in
                    SendbirdChat.disconnectWebSocket { done(SendbirdChat.getConnectState()) }
                }
                #expect(state == .closed)
                #expect(SendbirdChat.getCurrentUser()?.userId == "alice")
                #expect(SendbirdChat.reconnect())
                await story.world.pass()
                #expect(SendbirdChat.getConnectState() == .open)
                SendbirdChat.appMoved(toForeground: false)
                await story.world.pass(.seconds(60))
                #expect(SendbirdChat.getConnectState() != .open)
                SendbirdChat.appMoved(toForeground: true)
                await story.world.pass()
                #expect(SendbirdChat.getConnectState() == .open)
            }
        }

        @Test
        func
            `a login with another server, cache or user closes the open client, and the same one keeps it`()
            throws
        {
            try DoorStory.play(seed: 72) { story in
                await story.connect()
                let first = try await SendbirdChat.door.client()
                await story.connect()
                #expect(try await SendbirdChat.door.client() === first)
                SendbirdChat.initialize(params: story.params())
                await story.connect()
                #expect(try await SendbirdChat.door.client() === first)

                let refused: (SendbirdChatSDK.User?, SBError?) = await story.wait { done in
                    SendbirdChat.connect(
                        userId: "alice", apiHost: "http://127.0.0.1:1", wsHost: "ws://10.0.0.1"
                    ) { done(($0, $1)) }
                }
                #expect(refused.0 == nil)
                #expect(refused.1?.code == ChatError.invalidParameter.rawValue)
                #expect(try await SendbirdChat.door.client() === first)

                let moved: (SendbirdChatSDK.User?, SBError?) = await story.wait { done in
                    SendbirdChat.connect(userId: "alice", apiHost: "http://127.0.0.2:1") {
                        done(($0, $1))
                    }
                }
                let second = try await SendbirdChat.door.client()
                #expect(moved.1 == nil)
                #expect(second !== first)
                #expect(second.configuration.server == "http://127.0.0.2:1")

                let params = story.params()
                params.cacheFolder = story.folder.file("elsewhere")
                SendbirdChat.initialize(params: params)
                await story.connect()
                let third = try await SendbirdChat.door.client()
                #expect(third !== second)
                #expect(third.configuration.cache == .folder(story.folder.file("elsewhere")))

                await story.world.add(User(id: "zoe"))
                let _: SBError? = await story.wait { done in
                    SendbirdChat.connect(userId: "zoe") { done($1) }
                }
                #expect(SendbirdChat.getCurrentUser()?.userId == "zoe")
                #expect(try await SendbirdChat.door.client() !== third)
            }
        }

        /// A delegate that answers as the test tells it.
        private final class Session: SessionDelegate {
            var answer: ((@escaping (String?) -> Void, @escaping () -> Void) -> Void)?
            var heard: [String] = []
            /// The closures of requests without an answer.
            var kept: [(success: (String?) -> Void, fail: () -> Void)] = []

            func sessionTokenDidRequire(
                successCompletion success: @escaping (String?) -> Void,
                failCompletion fail: @escaping () -> Void
            ) {
                if let answer { answer(success, fail) } else { kept.append((success, fail)) }
            }
            func sessionWasClosed() { heard.append("closed") }
            func sessionWasRefreshed() { heard.append("refreshed") }
            func sessionDidHaveError(_ error: SBError) { heard.append("error") }
        }

        /// A delegate that records the changes of the connection.
        private final class Watch: ConnectionDelegate {
            var heard: [String] = []

            func didConnect(userId: String) { heard.append("connected") }
            func didStartReconnection() { heard.append("lost") }
            func didSucceedReconnection() { heard.append("regained") }
            func didFailReconnection() { heard.append("failed") }
            func didDisconnect(userId: String) { heard.append("disconnected") }
        }

        @Test
        func
            `a login that begins without a network is reported as a reconnection (R160, scar 130)`()
            throws
        {
            try DoorStory.play(seed: 77) { story in
                let watch = Watch()
                SendbirdChat.addConnectionDelegate(watch, identifier: "watch")
                await story.phone.network.cut()
                await story.connect()
                await story.world.pass(.seconds(5))
                #expect(watch.heard == ["lost"])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(watch.heard == ["lost", "regained"])
                SendbirdChat.removeAllConnectionDelegates()
            }
        }

        @Test func `a refused login ends no reconnection (scar 130)`() throws {
            try DoorStory.play(seed: 78) { story in
                let watch = Watch()
                SendbirdChat.addConnectionDelegate(watch, identifier: "watch")
                await story.world.setToken("secret", of: "alice")
                let error: SBError? = await story.wait { done in
                    SendbirdChat.connect(userId: "alice", authToken: "wrong") { done($1) }
                }
                #expect(error != nil)
                await story.world.pass()
                #expect(SendbirdChat.getConnectState() == .closed)
                #expect(watch.heard == [])
                SendbirdChat.removeAllConnectionDelegates()
            }
        }

        @Test func `without a network and an earlier login there is no user (R1)`() throws {
            try DoorStory.play(seed: 79) { story in
                await story.phone.network.cut()
                let (user, error) = await story.connect()
                #expect(user == nil)
                #expect(error != nil)
                #expect(SendbirdChat.getCurrentUser() == nil)
                #expect(!SendbirdChat.reconnect())
                // The client connects by itself, and then there is one.
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(SendbirdChat.getConnectState() == .open)
                #expect(SendbirdChat.getCurrentUser()?.userId == "alice")
            }
        }

        @Test(arguments: 0..<8 as Range<UInt64>)
        func `a logout during a login leaves no user`(seed: UInt64) throws {
            try DoorStory.play(seed: 280 + seed) { story in
                await story.connect()
                await SendbirdChat.door.close()
                await story.phone.network.cut()
                story.launch()
                // At first the cache is opened; from the second round on it is open.
                for round in 0..<4 {
                    let ends = Answers<String>()
                    SendbirdChat.connect(userId: "alice") { _, _ in ends.values.append("login") }
                    if round > 1 { await story.world.pass(.milliseconds(Int(seed))) }
                    SendbirdChat.disconnect { ends.values.append("logout") }
                    await story.world.pass(.seconds(20))
                    #expect(ends.values.sorted() == ["login", "logout"])
                    #expect(SendbirdChat.getCurrentUser() == nil)
                }
            }
        }

        @Test func `the session delegate gives a new token once, in time, or none`() throws {
            try DoorStory.play(seed: 73) { story in
                let provider = try #require(SendbirdChat.door.settings.tokenProvider)
                #expect(try await provider() == nil)
                let session = Session()
                SendbirdChat.setSessionDelegate(session)
                session.answer = { success, fail in
                    success("fresh")
                    success("twice")
                    fail()
                }
                #expect(try await provider() == "fresh")
                #expect(session.heard == [])
                await story.connect()
                await story.world.pass()
                #expect(session.heard == ["refreshed"])
                session.answer = { success, _ in success(nil) }
                #expect(try await provider() == nil)
                session.answer = { _, fail in fail() }
                await #expect(throws: RoostError.self) { try await provider() }
                await story.world.pass()
                #expect(session.heard == ["refreshed", "error"])
                SendbirdChat.setSessionTokenRefreshTimeout(5)
                session.answer = nil
                let late = Guarded<[String?]>([])
                SendbirdChat.door.start {
                    let token = (try? await provider()) ?? nil
                    late.withLock { $0.append(token) }
                }
                await story.world.pass(.seconds(1))
                #expect(late.withLock { $0 } == [])
                await story.world.pass(.seconds(10))
                #expect(late.withLock { $0 } == [nil])
                // A late answer changes nothing.
                session.kept.first?.success("fresh")
                await story.world.pass()
                #expect(session.heard == ["refreshed", "error", "error"])
                SendbirdChat.setSessionTokenRefreshTimeout(60)
                SendbirdChat.removeSessionDelegate()
            }
        }

        @Test func `the release of both closures is a failure at once`() throws {
            try DoorStory.play(seed: 75) { story in
                let session = Session()
                SendbirdChat.setSessionDelegate(session)
                session.answer = { _, _ in }
                await story.world.setToken("secret", of: "alice")
                SendbirdChat.connect(userId: "alice", authToken: "wrong")
                await story.world.pass(.seconds(5))
                #expect(Set(session.heard) == ["error"])
                // The session is not over: the delegate is asked again.
                session.answer = { success, _ in success("secret") }
                await story.world.pass(.seconds(60))
                #expect(session.heard.last == "refreshed")
                #expect(!session.heard.contains("closed"))
                #expect(SendbirdChat.getConnectState() == .open)
                SendbirdChat.removeSessionDelegate()
            }
        }

        @Test func `a login overtakes a request for a token, which ends silently`() throws {
            try DoorStory.play(seed: 76) { story in
                let session = Session()
                SendbirdChat.setSessionDelegate(session)
                await story.world.setToken("secret", of: "alice")
                SendbirdChat.connect(userId: "alice", authToken: "wrong")
                await story.world.pass(.seconds(5))
                SendbirdChat.connect(userId: "alice", authToken: "secret")
                await story.world.pass(.seconds(90))
                #expect(session.heard == [])
                #expect(SendbirdChat.getConnectState() == .open)
                SendbirdChat.removeSessionDelegate()
            }
        }

        @Test func `the end of a former user's session is not told to the next one`() throws {
            try DoorStory.play(seed: 78) { story in
                let (session, watch) = (Session(), Watch())
                SendbirdChat.setSessionDelegate(session)
                SendbirdChat.addConnectionDelegate(watch, identifier: "a")
                await story.connect()
                let _: Void = await story.wait { done in
                    SendbirdChat.connect(userId: "bob") { _, _ in done(()) }
                }
                await story.world.pass()
                watch.heard = []
                let refusal = RoostError(.tokenInvalid, remedy: .signIn, message: "no")
                // The app's queue may be so late.
                SendbirdChat.door.receive(
                    .connection(.givenUp, .refused(refusal), "alice"), of: "alice")
                SendbirdChat.door.receive(
                    .connection(.disconnected, .disconnected, "alice"), of: "alice")
                await story.world.pass()
                #expect(session.heard == [])
                #expect(watch.heard == ["disconnected"])
                SendbirdChat.removeSessionDelegate()
                SendbirdChat.removeAllConnectionDelegates()
            }
        }

        @Test func `a login after a disconnection needs a valid token`() throws {
            try DoorStory.play(seed: 77) { story in
                await story.world.setToken("secret", of: "alice")
                func connect(_ token: String) async -> SBError? {
                    await story.wait { done in
                        SendbirdChat.connect(userId: "alice", authToken: token) { done($1) }
                    }
                }
                #expect(await connect("secret") == nil)
                let _: Void = await story.wait { done in SendbirdChat.disconnect { done(()) } }
                #expect(await connect("wrong")?.code == 400_302)
                #expect(await connect("secret") == nil)
            }
        }

        @Test func `the session is closed when the app has no token any more`() throws {
            try DoorStory.play(seed: 74) { story in
                let session = Session()
                SendbirdChat.setSessionDelegate(session)
                await story.world.setToken("secret", of: "alice")
                SendbirdChat.connect(userId: "alice", authToken: "wrong")
                await story.world.pass(.seconds(50))
                #expect(session.heard == [])
                await story.world.pass(.seconds(20))
                // No answer in time is a failure, after which the delegate is asked again.
                #expect(session.heard == ["error"])
                session.answer = { success, _ in success(nil) }
                await story.world.pass(.seconds(180))
                #expect(Set(session.heard.dropLast()) == ["error"])
                #expect(session.heard.last == "closed")
                #expect(SendbirdChat.getConnectState() == .closed)
                SendbirdChat.removeSessionDelegate()
            }
        }
    }
}
