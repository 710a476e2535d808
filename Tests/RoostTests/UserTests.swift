// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// The user's own profile, settings and devices, and other users.
struct UserTests {
    /// Plays a scene of two users with one channel.
    private static func play(
        _ scene: @escaping @Sendable (Pair, SimulatedWorld) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: 90) { world in
            let pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            try await scene(pair, world)
            await pair.alice.close()
            await pair.bob.close()
        }
    }

    @Test func `a changed profile is at the server, in the cache and on screen`() throws {
        try Self.play { pair, world in
            try await pair.alice.send("hello", to: pair.channel)
            await pair.alice.waitUntilIdle()
            let timeline = try await pair.alice.timeline(of: pair.channel)
            let params = ProfileUpdateParams(nickname: "Alice", preferredLanguages: ["de", "en"])
            #expect(try await pair.alice.updateProfile(params).nickname == "Alice")
            #expect(try await pair.alice.me.nickname == "Alice")
            await world.pass()
            let shown = await timeline.snapshot.messages.last
            #expect(shown?.sender?.user.nickname == "Alice")
            let query = UserQuery(nicknamePrefix: "ali")
            #expect(try await pair.bob.users(query).elements.map(\.nickname) == ["Alice"])
        }
    }

    @Test func `changed metadata is in the user's own profile, now and after a reconnection`()
        throws
    {
        try Self.play { pair, world in
            try await pair.alice.createUserMetadata(["team": "red", "old": "x"])
            #expect(try await pair.alice.me.metadata == ["team": "red", "old": "x"])
            // A key that does not exist is left out.
            try await pair.alice.updateUserMetadata(["team": "blue", "new": "y"])
            #expect(try await pair.alice.me.metadata == ["team": "blue", "old": "x"])
            try await pair.alice.deleteUserMetadata("old")
            #expect(try await pair.alice.me.metadata == ["team": "blue"])
            try await pair.alice.deleteUserMetadata()
            #expect(try await pair.alice.me.metadata == [:])
            try await pair.alice.updateUserMetadata(["team": "green"], addsMissing: true)
            await pair.alice.disconnect()
            // Without a connection the disk answers.
            #expect(try await pair.alice.me.metadata == ["team": "green"])
            try await pair.alice.connect()
            #expect(try await pair.alice.me.metadata == ["team": "green"])
        }
    }

    @Test func `changes of the profile at once do not undo each other`() throws {
        try Self.play { pair, world in
            async let one = pair.alice.createUserMetadata(["x": "1"])
            async let two = pair.alice.createUserMetadata(["y": "2"])
            async let name = pair.alice.updateProfile(ProfileUpdateParams(nickname: "Alice"))
            _ = try await (one, two, name)
            for isOnline in [true, false] {
                if !isOnline { await pair.alice.disconnect() }
                let me = try await pair.alice.me
                #expect(me.metadata == ["x": "1", "y": "2"] && me.nickname == "Alice")
            }
        }
    }

    @Test func `a picture is uploaded before the profile that names it`() throws {
        try Self.play { pair, _ in
            let params = ProfileUpdateParams(picture: Array(repeating: 7, count: 5_000))
            let address = try await pair.alice.updateProfile(params).profileURL
            #expect(address.contains("/files/"))
            #expect(
                try await pair.bob.users(UserQuery(ids: ["alice"])).elements[0].profileURL
                    == address)
        }
    }

    @Test func `users are listed in pages, by metadata too`() throws {
        try Self.play { pair, _ in
            try await pair.alice.createUserMetadata(["team": "red"])
            try await pair.bob.createUserMetadata(["team": "blue", "old": "x"])
            try await pair.bob.updateUserMetadata(["team": "green"])
            try await pair.bob.deleteUserMetadata("old")
            let first = try await pair.alice.users(pageSize: 1)
            #expect(first.elements.map(\.id) == ["alice"])
            let next = try await pair.alice.users(pageSize: 1, after: first.next)
            #expect(next.elements.map(\.id) == ["bob"])
            #expect(next.elements[0].metadata == ["team": "green"])
            let query = UserQuery(metadataKey: "team", metadataValues: ["red", "yellow"])
            #expect(try await pair.bob.users(query).elements.map(\.id) == ["alice"])
        }
    }

    @Test func `a device is registered for push notifications, alone or beside others`() throws {
        try Self.play { pair, _ in
            try await pair.alice.registerPushToken("a", of: .apns)
            try await pair.alice.registerPushToken("b", of: .apns)
            try await pair.alice.registerPushToken("g", of: .gcm)
            #expect(try await pair.alice.pushTokens(of: .apns).elements == ["a", "b"])
            try await pair.alice.registerPushToken("c", of: .apns, replacingOthers: true)
            #expect(try await pair.alice.pushTokens(of: .apns).elements == ["c"])
            try await pair.alice.unregisterPushToken("c", of: .apns)
            #expect(try await pair.alice.pushTokens(of: .apns).elements.isEmpty)
            #expect(try await pair.alice.pushTokens(of: .gcm).elements == ["g"])
            try await pair.alice.unregisterAllPushTokens()
            #expect(try await pair.alice.pushTokens(of: .gcm).elements.isEmpty)
        }
    }

    @Test func `push preferences change one by one`() throws {
        try Self.play { pair, _ in
            let hours = DoNotDisturb(
                isOn: true, startHour: 22, startMinute: 30, endHour: 7, timeZone: "Europe/Vienna")
            try await pair.alice.update(PushPreferencesChange(doNotDisturb: hours))
            let snooze = Snooze(
                isOn: true, start: Timestamp(milliseconds: 1_000),
                end: Timestamp(milliseconds: 2_000))
            let changed = try await pair.alice.update(
                PushPreferencesChange(trigger: .mentions, snooze: snooze, sound: "bell"))
            #expect(
                changed
                    == PushPreferences(
                        trigger: .mentions, doNotDisturb: hours, snooze: snooze, sound: "bell"))
            #expect(try await pair.alice.pushPreferences() == changed)
            let week = WeeklyDoNotDisturb(
                windows: [
                    .saturday: [
                        .init(startHour: 0, endHour: 12),
                        .init(startHour: 22, startMinute: 30, endHour: 7, endMinute: 15),
                    ], .monday: [.init(startHour: 6, endHour: 7)],
                ], timeZone: "Asia/Seoul")
            let quiet = try await pair.alice.update(
                PushPreferencesChange(weeklyDoNotDisturb: week))
            #expect(quiet.weeklyDoNotDisturb == week)
            // The daily hours stay, in the same time zone.
            #expect(quiet.doNotDisturb?.startHour == 22)
            #expect(quiet.doNotDisturb?.timeZone == "Asia/Seoul")
            let none = try await pair.alice.update(
                PushPreferencesChange(weeklyDoNotDisturb: WeeklyDoNotDisturb()))
            #expect(none.weeklyDoNotDisturb == WeeklyDoNotDisturb(timeZone: "Asia/Seoul"))
            #expect(try await pair.alice.pushTemplate() == "default")
            try await pair.alice.setPushTemplate("alternative")
            #expect(try await pair.alice.pushTemplate() == "alternative")
        }
    }

    @Test func `invitations are accepted by setting, and channels are counted by membership`()
        throws
    {
        try Self.play { pair, _ in
            #expect(try await pair.bob.acceptsInvitations())
            try await pair.bob.setAcceptsInvitations(false)
            #expect(try await pair.bob.acceptsInvitations() == false)
            _ = try await pair.alice.createChannel(
                ChannelCreateParams(memberIDs: ["bob"], name: "two"))
            #expect(try await pair.bob.channelCount() == 2)
            #expect(try await pair.bob.channelCount(.invited) == 1)
        }
    }

    @Test func `a muted user learns of the mute, its reason and its end`() throws {
        try Self.play { pair, _ in
            var params = ChannelCreateParams(memberIDs: ["bob"], name: "two")
            params.operatorIDs = ["alice"]
            let channel = try await pair.alice.createChannel(params).url
            #expect(try await pair.bob.muteInfo(in: channel) == MuteInfo())
            try await pair.alice.makeNow(
                .mute("bob", for: .seconds(60), reason: "noise"), in: channel)
            let info = try await pair.bob.muteInfo(in: channel)
            #expect(info.isMuted && info.reason == "noise")
            #expect(info.end != nil && info.start != nil)
            #expect(info.remaining.map { $0 > .seconds(50) && $0 <= .seconds(60) } == true)
        }
    }

    @Test func `reports reach the platform`() throws {
        try Self.play { pair, _ in
            let message = try await pair.alice.send("rude", to: pair.channel)
            await pair.alice.waitUntilIdle()
            _ = message
            let id = try #require(
                try await pair.bob.fetchMessages(
                    of: pair.channel, around: .distantFuture, older: 1
                ).first?.messageID)
            try await pair.bob.report(.message(id, in: pair.channel), category: .harassing)
            try await pair.bob.report(.user("alice", in: pair.channel), category: .spam)
            try await pair.bob.report(.user("alice", in: nil), category: .suspicious)
            try await pair.bob.report(
                .channel(pair.channel), category: .inappropriate, description: "all of it")
        }
    }
}
