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
    /// Tests of counts, marks, change logs and push tokens.
    struct Counts {
        private typealias Channel = SendbirdChatSDK.GroupChannel

        @Test func `a push token waits for the login, and an uninitialised library refuses it`()
            throws
        {
            try SimulatedWorld.play(seed: 90) { world in
                SendbirdChat.door.enter(world.surroundings(of: world.device(of: "alice")))
                SendbirdChat.door.call(on: CallbackQueue { work in world.later(work) })
                let seen = Answers<String>()
                func register() async {
                    SendbirdChat.registerDevicePushToken(Data([0xAB, 1]), unique: true) {
                        seen.values.append("\($0) \($1?.code ?? 0)")
                    }
                    await world.pass()
                }
                await register()
                #expect(SendbirdChat.getPendingPushToken() == nil)
                SendbirdChat.initialize(params: InitParams(applicationId: "simulation"))
                await register()
                #expect(
                    seen.values == [
                        "error \(ChatError.invalidInitialization.rawValue)", "pending 0",
                    ])
                #expect(SendbirdChat.getPendingPushToken() == Data([0xAB, 1]))
            }
        }

        @Test func `the registration of a push token removes an older one that waits`() throws {
            try DoorStory.play(seed: 95) { story in
                func register(_ token: Data) async -> PushTokenRegistrationStatus {
                    await story.wait { done in
                        SendbirdChat.registerDevicePushToken(token, unique: false) { status, _ in
                            done(status)
                        }
                    }
                }
                let (old, new) = (Data([1]), Data([2]))
                let early = await register(old)
                await story.connect()
                let other = await register(new)
                #expect(early == .pending && other == .success)
                #expect(SendbirdChat.getPendingPushToken() == nil)
            }
        }

        @Test func `of push tokens that wait or are registered, that of the last call counts`() {
            let (old, new) = (Data([1]), Data([2]))
            typealias Outcome = Result<Void, RoostError>
            func end(_ call: Callback<Outcome>, isOffline: Bool) {
                let offline = RoostError(
                    .connectionRequired, remedy: .retry, message: "There is no connection.")
                call.post(isOffline ? .failure(offline) : .success(()), through: { $0() })
            }
            let tokens = PendingPushToken()
            let first = tokens.callback(of: old, nil)
            end(tokens.callback(of: new, nil), isOffline: true)
            // The answer to the earlier call comes late.
            end(first, isOffline: false)
            #expect(tokens.value == new)
            let again = tokens.callback(of: new, nil)
            end(tokens.callback(of: new, nil), isOffline: false)
            #expect(tokens.value == nil)
            // So does the failure of an earlier one.
            end(again, isOffline: true)
            #expect(tokens.value == nil)
        }

        @Test func `a push of the connected server is reported, and none of another`() throws {
            try DoorStory.play(seed: 96) { story in
                let url = try await story.channel("train")
                let server = "http://127.0.0.2:1"
                let connected: SBError? = await story.wait { done in
                    SendbirdChat.connect(userId: "alice", apiHost: server) { done($1) }
                }
                #expect(connected == nil)
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                /// Returns the time of Alice's delivery receipt, as Bob sees it.
                func receipt() async throws -> Timestamp {
                    await story.world.pass()
                    let receipts = try await story.bob.channel(url).deliveryReceipts
                    return receipts?["alice"] ?? .distantPast
                }
                let payload: [AnyHashable: Any] = [
                    "sendbird": ["channel": ["channel_url": url.rawValue]]
                ]
                let codes: [(host: String, code: Int?)] = [
                    (server, nil), ("http://127.0.0.1:1", ChatError.notSupported.rawValue),
                ]
                for (host, code) in codes {
                    let before = try await receipt()
                    let error: SBError? = await story.wait { done in
                        SendbirdChat.markPushNotificationAsDelivered(
                            apiHost: host, remoteNotificationPayload: payload,
                            completionHandler: { done($0) })
                    }
                    #expect(error?.code == code)
                    let after = try await receipt()
                    #expect((after > before) == (code == nil), "\(host)")
                }
            }
        }

        private final class Guest {
            private let atEnd: () -> Void

            init(atEnd: @escaping () -> Void) { self.atEnd = atEnd }

            deinit { atEnd() }
        }

        @Test func `an object of a replaced handler of uploads may call the library at its end`() {
            let ends = Answers<Bool>()
            func keep(_ guest: Guest) {
                SendbirdChat.backgroundSessionCompletionHandler = { withExtendedLifetime(guest) {} }
            }
            keep(
                Guest { ends.values.append(SendbirdChat.backgroundSessionCompletionHandler == nil) }
            )
            #expect(ends.values == [])
            SendbirdChat.backgroundSessionCompletionHandler = nil
            #expect(ends.values == [true])
        }

        @Test func `unread messages are counted, marked as read and marked as unread again`() throws
        {
            try DoorStory.play(seed: 91) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                for number in 1...3 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.world.pass()
                func counts() async -> [UInt] {
                    let messages: UInt = await story.wait { done in
                        SendbirdChat.getTotalUnreadMessageCount { count, _ in done(count) }
                    }
                    let channels: UInt = await story.wait { done in
                        SendbirdChat.getTotalUnreadChannelCount { count, _ in done(count) }
                    }
                    return [messages, channels]
                }
                #expect(await counts() == [3, 1])
                let read: SBError? = await story.wait { done in
                    SendbirdChat.markAsRead(channelURLs: [url.rawValue]) { done($0) }
                }
                #expect(read == nil)
                await story.world.pass()
                #expect(await counts() == [0, 0])
                let refreshed: SBError? = await story.wait { done in
                    channel.refresh { done($0) }
                }
                #expect(refreshed == nil)
                let last = try #require(channel.lastMessage)
                let unread: SBError? = await story.wait { done in
                    channel.markAsUnread(message: last) { done($0) }
                }
                #expect(unread == nil)
                await story.world.pass()
                #expect(await counts() == [1, 1])
                let params = GroupChannelTotalUnreadMessageCountParams()
                params.superChannelFilter = .super
                let refused: (UInt, SBError?) = await story.wait { done in
                    SendbirdChat.getTotalUnreadMessageCount(params: params) { done(($0, $1)) }
                }
                #expect(refused.0 == 0)
                #expect(refused.1 != nil)
            }
        }

        @Test func `unread items are counted by kind, and super channels alone are refused`() throws
        {
            try DoorStory.play(seed: 94) { story in
                let url = try await story.channel("train")
                await story.connect()
                for number in 1...2 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.world.pass()
                func count(_ key: UnreadItemKey) async -> (UnreadItemCount?, SBError?) {
                    await story.wait { done in
                        SendbirdChat.getUnreadItemCount(key: key) { done(($0, $1)) }
                    }
                }
                let messages = await count(.groupChannelUnreadMessageCount).0
                #expect(messages?.groupChannelUnreadMessageCount == 2)
                let others = await count([
                    .groupChannelUnreadMentionCount, .groupChannelInvitationCount,
                ]).0
                #expect(others?.groupChannelUnreadMessageCount == 0, "Not asked for.")
                #expect(others?.groupChannelInvitationCount == 0)
                let refused = await count(.superUnreadMessageCount)
                #expect(refused.0 == nil)
                #expect(refused.1?.code == ChatError.notSupported.rawValue)
            }
        }

        @Test
        func `the change log of channels is read by token and by time, of some types (R196)`()
            throws
        {
            try DoorStory.play(seed: 92) { story in
                let url = try await story.channel("train")
                await story.connect()
                typealias Page = (names: [String], token: String?)
                let first: Page = await story.wait { done in
                    SendbirdChat.getMyGroupChannelChangeLogs(timestamp: 1) {
                        channels, _, _, token, _ in
                        done((names: (channels ?? []).map(\.name), token: token))
                    }
                }
                #expect(first.names == ["train"])
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "boat")), in: url)
                await story.world.pass()
                let second: Page = await story.wait { done in
                    SendbirdChat.getMyGroupChannelChangeLogs(token: first.token) {
                        channels, _, _, token, _ in
                        done((names: (channels ?? []).map(\.name), token: token))
                    }
                }
                #expect(second.names == ["boat"])
                for type in ["", "ship"] {
                    if !type.isEmpty {
                        try await story.bob.makeNow(
                            .update(ChannelUpdateParams(customType: type)), in: url)
                        await story.world.pass()
                    }
                    let params = GroupChannelChangeLogsParams()
                    params.customTypes = ["ship"]
                    let selected: [String] = await story.wait { done in
                        SendbirdChat.getMyGroupChannelChangeLogs(timestamp: 1, params: params) {
                            channels, _, _, _, _ in
                            done((channels ?? []).map(\.name))
                        }
                    }
                    #expect(selected == (type.isEmpty ? [] : ["boat"]))
                }
            }
        }

        @Test func `a distinct channel is created once, and its second creator learns so`() throws {
            try DoorStory.play(seed: 93) { story in
                await story.connect()
                let params = GroupChannelCreateParams()
                params.addUserId("bob")
                func create() async -> (url: String?, isNew: Bool) {
                    await story.wait { done in
                        Channel.createDistinctChannelIfNotExist(params: params) {
                            channel, isNew, _ in
                            done((url: channel?.channelURL, isNew: isNew))
                        }
                    }
                }
                let first = await create()
                await story.world.pass()
                let second = await create()
                #expect(first.url != nil)
                #expect(first.isNew)
                #expect(second.url == first.url)
                #expect(!second.isNew)
            }
        }

        @Test func `a sent message is read by its sender, and an unsent one by no member`() throws {
            try DoorStory.play(seed: 97) { story in
                let url = try await story.channel("train")
                // By the device's clock a new message is older than the receipts.
                story.phone.clockError.milliseconds = -86_400_000
                await story.connect()
                let channel = try await story.get(url)
                let sent: UserMessage? = await story.wait { done in
                    channel.sendUserMessage("hello") { message, _ in done(message) }
                }
                let message = try #require(sent)
                try await story.bob.markAsReadNow(url, awaitingServer: true)
                await story.world.pass()
                let refreshed: SBError? = await story.wait { done in
                    channel.refresh { done($0) }
                }
                #expect(refreshed == nil)
                let readers = channel.getReadMembers(message: message, includeAllMembers: true)
                #expect(Set(readers.map(\.userId)) == ["alice", "bob"])
                #expect(channel.getUnreadMembers(message: message, includeAllMembers: true) == [])
                await story.phone.network.cut()
                let unsent = channel.sendUserMessage("later")
                #expect(unsent.messageId == 0)
                #expect(channel.getReadMembers(message: unsent, includeAllMembers: true) == [])
                #expect(channel.getUnreadMembers(message: unsent, includeAllMembers: true) == [])
            }
        }

        @Test(arguments: ["plain", "super", "broadcast"])
        func `readers are named, but not in super and broadcast channels`(kind: String) throws {
            try DoorStory.play(seed: 94) { story in
                await story.connect()
                let params = GroupChannelCreateParams()
                params.addUserId("bob")
                params.operatorUserIds = ["alice"]
                params.isSuper = kind == "super"
                params.isBroadcast = kind == "broadcast"
                let made: Channel? = await story.wait { done in
                    Channel.createChannel(params: params) { channel, _ in done(channel) }
                }
                let channel = try #require(made)
                let sent: UserMessage? = await story.wait { done in
                    channel.sendUserMessage("hello") { message, _ in done(message) }
                }
                let message = try #require(sent)
                await story.world.pass()
                let url = ChannelURL(channel.channelURL)
                try await story.bob.markAsReadNow(url, awaitingServer: true)
                await story.world.pass()
                let refreshed: SBError? = await story.wait { done in
                    channel.refresh { done($0) }
                }
                #expect(refreshed == nil)
                let readers = channel.getReadMembers(message: message, includeAllMembers: false)
                #expect(readers.map(\.userId) == (kind == "plain" ? ["bob"] : []))
                let status = channel.getReadStatus(includeAllMembers: false)["bob"]
                #expect((status?["last_seen_at"] as? Int64 ?? -1 > 0) == (kind == "plain"))
                #expect(channel.getUnreadMembers(message: message, includeAllMembers: true) == [])
                try await story.bob.send("hi", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                let again: SBError? = await story.wait { done in channel.refresh { done($0) } }
                #expect(again == nil)
                #expect((channel.myDeliveryStatus() > 0) == (kind == "plain"))
            }
        }
    }
}
