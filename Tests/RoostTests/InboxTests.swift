// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import RoostTransport
import Testing

/// Inboxes in virtual time: a bot, and users who write to it.
struct InboxTests {
    /// A bot in a channel of Bob's, connected, with an inbox that has begun.
    private struct Scene {
        let device: SimulatedWorld.Device
        let bot: ChatClient
        let bob: ChatClient
        let channel: ChannelURL

        init(
            _ world: SimulatedWorld, _ folder: TemporaryFolder, protection: Protection = .none,
            between: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 }
        ) async throws {
            device = world.device(of: "bot", folder: folder.path, protection: protection)
            bot = try await world.launch(device, between: between)
            bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            try await bot.connect()
            channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["bot"])).url
            try await bob.send("before", to: channel)
            await world.pass()
            _ = try await bot.inbox("answers")
        }

        func say(_ texts: [String], to other: ChannelURL? = nil) async throws {
            for text in texts { try await bob.send(text, to: other ?? channel) }
            await bob.waitUntilIdle()
        }

        /// Edits the message “edited”, and deletes the message “deleted”.
        func changeMessages() async throws {
            for message in try await bob.cachedMessages(of: channel) {
                let id = try #require(message.messageID)
                if message.text == "edited" {
                    try await bob.edit(id, in: channel, text: "corrected")
                } else if message.text == "deleted" {
                    try await bob.delete(id, in: channel)
                }
            }
            await bob.waitUntilIdle()
        }

        /// Closes the bot, and starts it again with a connection.
        func relaunch(
            _ world: SimulatedWorld,
            meanwhile: () async throws -> Void = {}
        ) async throws -> ChatClient {
            await bot.close()
            try await meanwhile()
            await world.pass()
            let again = try await world.launch(device)
            try await again.connect()
            return again
        }

        func close() async {
            await bot.close()
            await bob.close()
        }
    }

    private static func play(
        _ seed: UInt64, protection: Protection = .none,
        between: @escaping @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 },
        _ story: @escaping @Sendable (SimulatedWorld, Scene) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: seed) { world in
            let scene = try await Scene(
                world, folder, protection: protection, between: between)
            try await story(world, scene)
            await scene.close()
        }
    }

    /// Takes messages from the inbox of a client.
    private static func take(
        _ count: Int, from client: ChatClient, acknowledging: Bool = true
    ) async throws -> [String] {
        var texts: [String] = []
        for try await item in try await client.inbox("answers") {
            texts.append(item.message.text)
            if acknowledging { try await item.acknowledge() }
            if texts.count == count { break }
        }
        return texts
    }

    /// Takes all messages that come within a minute.
    private static func takeAll(
        from client: ChatClient, _ world: SimulatedWorld, acknowledging: Bool = true
    ) async throws -> [String] {
        let inbox = try await client.inbox("answers")
        let texts = Guarded<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: world.executor) {
                for try await item in inbox {
                    texts.withLock { $0.append(item.message.text) }
                    if acknowledging { try await item.acknowledge() }
                }
            }
            await world.pass(.seconds(60))
            group.cancelAll()
            try await group.waitForAll()
        }
        return texts.withLock { $0 }
    }

    private static func numbers(_ range: ClosedRange<Int>) -> [String] { range.map(String.init) }

    // MARK: At least once

    @Test func `more than three hundred messages missed while stopped come in order`() throws {
        try Self.play(61) { world, scene in
            let again = try await scene.relaunch(world) {
                try await scene.say(Self.numbers(1...350))
            }
            #expect(try await Self.takeAll(from: again, world) == Self.numbers(1...350))
            try await scene.say(["live"])
            #expect(try await Self.takeAll(from: again, world) == ["live"])
            await again.close()
        }
    }

    @Test func `a message that was not acknowledged is handed over again after a crash`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 62) { world in
            let scene = try await Scene(world, folder)
            await scene.bot.close()
            let app = try await world.start(scene.device, SimulatedProcess(on: world.executor))
            try await app.client.connect()
            try await scene.say(Self.numbers(1...5))
            #expect(try await Self.take(2, from: app.client) == ["1", "2"])
            #expect(
                try await Self.take(2, from: app.client, acknowledging: false) == ["3", "4"])
            app.process.stop(afterStoreSteps: 0)
            await app.bury()
            await app.client.close()
            let again = try await world.launch(scene.device)
            try await again.connect()
            #expect(try await Self.takeAll(from: again, world) == ["3", "4", "5"])
            await again.close()
            await scene.bob.close()
        }
    }

    @Test func `an acknowledgement covers the earlier messages, and never moves back`() throws {
        try Self.play(63) { world, scene in
            try await scene.say(Self.numbers(1...4))
            var items: [InboxItem] = []
            for try await item in try await scene.bot.inbox("answers") {
                items.append(item)
                if items.count == 3 { break }
            }
            try await items[2].acknowledge()
            try await items[0].acknowledge()
            // Nothing of an inbox is to be sent.
            #expect(await scene.bot.health.outbox.pending == 0)
            let again = try await scene.relaunch(world)
            #expect(try await Self.takeAll(from: again, world) == ["4"])
            await again.close()
        }
    }

    @Test func `what was acknowledged at the same time is on disk when the calls return`() throws {
        try Self.play(64) { world, scene in
            try await scene.say(Self.numbers(1...20))
            try await withThrowingTaskGroup(of: Void.self) { group in
                var count = 0
                for try await item in try await scene.bot.inbox("answers") {
                    group.addTask(executorPreference: world.executor) {
                        try await item.acknowledge()
                    }
                    count += 1
                    if count == 20 { break }
                }
                try await group.waitForAll()
            }
            let again = try await scene.relaunch(world)
            #expect(try await Self.takeAll(from: again, world).isEmpty)
            await again.close()
        }
    }

    @Test func `messages of a lost connection come after it, once each`() throws {
        try Self.play(65) { world, scene in
            async let taken = Self.take(140, from: scene.bot)
            try await scene.say(Self.numbers(1...10))
            await world.pass()
            await scene.device.network.cut()
            try await scene.say(Self.numbers(11...130))
            scene.device.network.restore()
            await world.pass(.seconds(1))
            try await scene.say(Self.numbers(131...140))
            #expect(try await taken == Self.numbers(1...140))
            #expect(try await Self.takeAll(from: scene.bot, world).isEmpty)
        }
    }

    @Test func `without a connection the messages on disk are handed over`() throws {
        try Self.play(66) { world, scene in
            // More than a page.
            try await scene.say(Self.numbers(1...60))
            await world.pass()
            var texts: [String] = []
            for try await item in try await scene.bot.inbox("answers") {
                if texts.isEmpty { await scene.device.network.cut() }
                texts.append(item.message.text)
                try await item.acknowledge()
                if texts.count == 60 { break }
            }
            #expect(texts == Self.numbers(1...60))
            guard case .connected = await scene.bot.connectionState else { return }
            Issue.record("The client is still connected.")
        }
    }

    // MARK: Holes

    @Test func `nothing behind a hole is handed over, and other channels go on`() throws {
        let blocked = Guarded<String?>(nil)
        let between = { @Sendable (line: any HTTPTransport) -> any HTTPTransport in
            Watch(
                line,
                answer: { url in
                    guard let channel = blocked.withLock({ $0 }), url.contains(channel),
                        url.contains("/messages")
                    else { return nil }
                    return HTTPResponse(status: 500)
                })
        }
        try Self.play(67, between: between) { world, scene in
            let other = try await scene.bob.createChannel(
                ChannelCreateParams(memberIDs: ["bot"])
            ).url
            await world.pass()
            await scene.device.network.cut()
            try await scene.say(["lost 1", "lost 2"])
            blocked.withLock { $0 = scene.channel.rawValue }
            scene.device.network.restore()
            await world.pass(.seconds(10))
            try await scene.say(["live"])
            try await scene.say(["elsewhere"], to: other)
            #expect(try await Self.takeAll(from: scene.bot, world) == ["elsewhere"])
            blocked.withLock { $0 = nil }
            #expect(
                try await Self.takeAll(from: scene.bot, world) == ["lost 1", "lost 2", "live"])
        }
    }

    @Test(arguments: [false, true])
    func `evicted messages are fetched again`(_ isPartly: Bool) throws {
        try Self.play(68) { world, scene in
            try await scene.say(Self.numbers(1...120))
            await world.pass()
            if isPartly {
                // The page in hand is of the messages before the eviction.
                #expect(try await Self.take(3, from: scene.bot) == Self.numbers(1...3))
            }
            try await scene.bot.trimCache(downTo: ByteCount(bytes: 0))
            #expect(try await scene.bot.cachedMessages(of: scene.channel).isEmpty)
            let rest = Self.numbers((isPartly ? 4 : 1)...120)
            #expect(try await Self.takeAll(from: scene.bot, world) == rest)
        }
    }

    @Test func `a channel whose messages an inbox hands over is in use, and on no screen`() throws {
        try Self.play(91) { world, scene in
            try await scene.say(Self.numbers(1...2))
            await world.pass()
            for try await item in try await scene.bot.inbox("answers") {
                let view = try await scene.bot.view()
                #expect(view.inUse == [scene.channel] && view.open.isEmpty)
                if item.message.text == "1" { break }
            }
        }
    }

    @Test(arguments: [false, true])
    func `a cleared cache does not touch the inbox`(_ includingUnsent: Bool) throws {
        try Self.play(69) { world, scene in
            try await scene.say(Self.numbers(1...6))
            #expect(try await Self.take(2, from: scene.bot) == ["1", "2"])
            try await scene.bot.clearCache(includingUnsent: includingUnsent)
            #expect(
                try await Self.takeAll(from: scene.bot, world) == Self.numbers(3...6))
            let again = try await scene.relaunch(world) { try await scene.say(["7"]) }
            #expect(try await Self.takeAll(from: again, world) == ["7"])
            await again.close()
        }
    }

    @Test func `an inbox outlives the files of the cache`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 70) { world in
            let scene = try await Scene(world, folder)
            try await scene.say(Self.numbers(1...3))
            #expect(try await Self.take(1, from: scene.bot) == ["1"])
            let again = try await scene.relaunch(world) {
                let files = FileManager.default
                let paths = try #require(files.enumerator(atPath: folder.path)?.allObjects)
                let caches = paths.compactMap { $0 as? String }
                    .filter { $0.contains("cache.sqlite") }
                #expect(!caches.isEmpty)
                for path in caches { try files.removeItem(atPath: "\(folder.path)/\(path)") }
            }
            #expect(try await Self.takeAll(from: again, world) == ["2", "3"])
            await again.close()
            await scene.bob.close()
        }
    }

    // MARK: Content

    @Test func `deleted messages are left out, and edited ones have their newest text`() throws {
        try Self.play(71) { world, scene in
            try await scene.say(["kept", "edited", "deleted"])
            await world.pass()
            // The bot has all of them on disk, and is away when they change.
            let again = try await scene.relaunch(world) { try await scene.changeMessages() }
            #expect(try await Self.takeAll(from: again, world) == ["kept", "corrected"])
            await again.close()
        }
    }

    @Test func `a change of a message in hand reaches the app`() throws {
        try Self.play(72) { world, scene in
            try await scene.say(["first", "edited", "deleted", "last"])
            await world.pass()
            var items = try await scene.bot.inbox("answers").makeAsyncIterator()
            #expect(try await items.next()?.message.text == "first")
            try await scene.changeMessages()
            await world.pass()
            #expect(try await items.next()?.message.text == "corrected")
            #expect(try await items.next()?.message.text == "last")
        }
    }

    @Test func `the own messages are left out`() throws {
        try Self.play(73) { world, scene in
            try await scene.bot.send("mine", to: scene.channel)
            await scene.bot.waitUntilIdle()
            try await scene.say(["yours"])
            try await scene.bot.send("mine again", to: scene.channel)
            await scene.bot.waitUntilIdle()
            #expect(try await Self.takeAll(from: scene.bot, world) == ["yours"])
        }
    }

    @Test func `an answer to a message that is handed over again is delivered once`() throws {
        try Self.play(74) { world, scene in
            try await scene.say(["ping"])
            for try await item in try await scene.bot.inbox("answers") {
                try await item.answer("pong")
                try await item.answer("and more", number: 2)
                break
            }
            await scene.bot.waitUntilIdle()
            let again = try await scene.relaunch(world)
            for try await item in try await again.inbox("answers") {
                try await item.answer("pong")
                try await item.acknowledge()
                break
            }
            await again.waitUntilIdle()
            await world.pass()
            #expect(
                try await world.log(of: scene.channel).compactMap(\.text)
                    == ["before", "ping", "pong", "and more"])
            await again.close()
        }
    }

    // MARK: Channels

    @Test func `channels that come later are in the inbox from their first message on`() throws {
        try Self.play(75) { world, scene in
            let again = try await scene.relaunch(world) {
                let made = try await scene.bob.createChannel(
                    ChannelCreateParams(memberIDs: ["bot"])
                ).url
                try await scene.say(["hello", "bot"], to: made)
            }
            #expect(try await Self.takeAll(from: again, world) == ["hello", "bot"])
            async let taken = Self.take(1, from: again)
            let live = try await scene.bob.createChannel(
                ChannelCreateParams(memberIDs: ["bot"])
            ).url
            try await scene.say(["live"], to: live)
            #expect(try await taken == ["live"])
            await again.close()
        }
    }

    @Test func `two channels have places of their own`() throws {
        try Self.play(76) { world, scene in
            let other = try await scene.bob.createChannel(
                ChannelCreateParams(memberIDs: ["bot"])
            ).url
            try await scene.say(["a1", "a2"])
            try await scene.say(["b1", "b2"], to: other)
            var seen: [ChannelURL: [String]] = [:]
            for try await item in try await scene.bot.inbox("answers") {
                seen[item.channel, default: []].append(item.message.text)
                if item.channel == scene.channel { try await item.acknowledge() }
                if seen.values.reduce(0, { $0 + $1.count }) == 4 { break }
            }
            #expect(seen == [scene.channel: ["a1", "a2"], other: ["b1", "b2"]])
            let again = try await scene.relaunch(world)
            #expect(try await Self.takeAll(from: again, world) == ["b1", "b2"])
            await again.close()
        }
    }

    @Test func `a channel that the user leaves goes from the inbox, and returns with a new join`()
        throws
    {
        try Self.play(77) { world, scene in
            try await scene.say(["1"])
            #expect(try await Self.take(1, from: scene.bot) == ["1"])
            try await scene.bot.outcome(of: try await scene.bot.leave(scene.channel))
            try await scene.say(["unseen"])
            await world.pass(.seconds(10))
            try await scene.bob.outcome(
                of: try await scene.bob.invite(["bot"], to: scene.channel))
            await world.pass()
            try await scene.say(["welcome back"])
            #expect(try await Self.takeAll(from: scene.bot, world) == ["welcome back"])
        }
    }

    // MARK: Inboxes

    @Test func `an inbox begins now or at the beginning, and now needs a connection`() throws {
        try Self.play(78) { world, scene in
            try await scene.say(["later"])
            await world.pass()
            await scene.device.network.cut()
            await world.pass()
            await #expect {
                _ = try await scene.bot.inbox("new")
            } throws: { ($0 as? RoostError)?.code == .connectionRequired }
            // One that exists needs none, nor does one of everything.
            _ = try await scene.bot.inbox("answers")
            let all = try await scene.bot.inbox("all", from: .beginning)
            scene.device.network.restore()
            var texts: [String] = []
            for try await item in all {
                texts.append(item.message.text)
                if texts.count == 2 { break }
            }
            #expect(texts == ["before", "later"])
            await #expect {
                _ = try await scene.bot.inbox("")
            } throws: { ($0 as? RoostError)?.code == .invalidParameter }
        }
    }

    @Test func `a second reader ends with an error, and the next one begins at the mark`() throws {
        try Self.play(79) { world, scene in
            try await scene.say(["1", "2"])
            let inbox = try await scene.bot.inbox("answers")
            var first: Inbox.AsyncIterator? = inbox.makeAsyncIterator()
            #expect(try await first?.next()?.message.text == "1")
            var second = inbox.makeAsyncIterator()
            do throws(RoostError) {
                _ = try await second.next()
                Issue.record("a second reader was let in")
            } catch {
                #expect(error.code == .queryInProgress)
            }
            #expect(try await second.next() == nil)
            // The first one is not disturbed.
            #expect(try await first?.next()?.message.text == "2")
            first = nil
            var third = inbox.makeAsyncIterator()
            #expect(try await third.next()?.message.text == "1")
            await scene.bot.close()
            #expect(try await third.next() == nil)
        }
    }

    @Test(arguments: [UInt64](92...96))
    func `overlapping waits of copies of an iterator leave the inbox to the next reader`(
        _ seed: UInt64
    ) throws {
        try Self.play(seed) { world, scene in
            try await scene.say(["1"])
            let iterator = Carried(try await scene.bot.inbox("answers").makeAsyncIterator())
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...2 {
                    group.addTask(executorPreference: world.executor) {
                        var copy = iterator.value
                        // One of the two fails, and the other may end with it.
                        _ = try? await copy.next()
                    }
                }
                await world.pass(.seconds(5))
                group.cancelAll()
            }
            let texts = try await Self.take(1, from: scene.bot)
            #expect(texts == ["1"])
        }
    }

    @Test func `a removed inbox ends its reader, and begins anew`() throws {
        try Self.play(80) { world, scene in
            try await scene.say(["1"])
            let inbox = try await scene.bot.inbox("answers")
            var items = inbox.makeAsyncIterator()
            let item = try #require(try await items.next())
            try await item.acknowledge()
            try await scene.bot.removeInbox("answers")
            #expect(try await items.next() == nil)
            await #expect {
                try await item.acknowledge()
            } throws: { ($0 as? RoostError)?.code == .invalidParameter }
            var later = inbox.makeAsyncIterator()
            await #expect(throws: RoostError.self) { _ = try await later.next() }
            _ = try await scene.bot.inbox("answers", from: .beginning)
            #expect(try await Self.takeAll(from: scene.bot, world) == ["before", "1"])
        }
    }

    @Test(arguments: [false, true])
    func `the names and places of an inbox are sealed with the store`(_ isSealed: Bool) throws {
        let folder = try TemporaryFolder()
        let key = [UInt8](repeating: 7, count: 32)
        let protection: Protection = isSealed ? try .key(key) : .none
        try SimulatedWorld.play(seed: 81) { world in
            let scene = try await Scene(world, folder, protection: protection)
            try await scene.say(["1", "2"])
            #expect(try await Self.take(1, from: scene.bot) == ["1"])
            let again = try await scene.relaunch(world)
            #expect(try await Self.takeAll(from: again, world) == ["2"])
            await again.close()
            await scene.bob.close()
        }
        let paths = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
        let isShown = paths.compactMap { $0 as? String }.contains { path in
            let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(path)"))
            return data?.range(of: Data("answers".utf8)) != nil
        }
        #expect(isShown == !isSealed)
    }

    // MARK: Read marks

    @Test(arguments: [false, true])
    func `a loop that marks as read is delayed only if it waits for the server`(
        _ awaitsServer: Bool
    ) throws {
        try Self.play(82) { world, scene in
            async let sent: Void = {
                for number in 1...20 {
                    try await scene.say(["\(number)"])
                    await world.pass(.milliseconds(100))
                }
            }()
            var count = 0
            var waits: [Duration] = []
            for try await item in try await scene.bot.inbox("answers") {
                let begun = world.executor.now
                try await scene.bot.markAsReadNow(item.channel, awaitingServer: awaitsServer)
                waits.append(world.executor.now - begun)
                try await item.answer("pong")
                try await item.acknowledge()
                count += 1
                if count == 20 { break }
            }
            try await sent
            let longest = waits.max() ?? .zero
            #expect(awaitsServer ? longest > .milliseconds(500) : longest < .milliseconds(10))
            await world.pass()
            #expect(try await scene.bot.channel(scene.channel).unreadMessageCount == 0)
        }
    }
}
