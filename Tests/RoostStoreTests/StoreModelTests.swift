// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

/// A simple server, and the content that a cache must have after its statements.
private struct ServerModel {
    static let urls: [ChannelURL] = ["a", "b", "c"]

    /// Each channel's present messages, oldest first.
    var logs: [ChannelURL: [Message]] = [:]
    /// The required content of the cache, by the naive reading of each mutation.
    var cached: [ChannelURL: [MessageID: Message]] = [:]
    var channels: [ChannelURL: GroupChannel] = [:]
    /// All users in their present state.
    private var users: [UserID: User] = [:]
    /// All users as last sent to the client.
    var toldUsers: [UserID: User] = [:]
    /// Deleted at the server, not sent yet.
    var untold: [ChannelURL: [MessageID]] = [:]
    private var lastID: Int64 = 0
    private var clock: Int64 = 1_000
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func drawUser() -> User {
        let id = UserID("user \(draw(4))")
        if draw(12) == 0 { users[id] = User(id: id, nickname: "name \(draw(1_000))") }
        let user = users[id] ?? User(id: id, nickname: "first name of \(id)")
        users[id] = user
        return user
    }

    /// Makes one change at the server, and may send one to the client.
    mutating func step() -> [Mutation] {
        let url = Self.urls[draw(Self.urls.count)]
        switch draw(20) {
        case 0...5: return post(in: url)
        case 6...9: return page(of: url)
        case 10, 11: return edit(in: url)
        case 12: return stalePage(of: url)
        case 13: return delete(in: url)
        case 14: return tellDeleted(in: url)
        case 15: return channel(url)
        case 16: return rename()
        case 17: return draw(4) == 0 ? clear(url) : []
        case 18: return draw(4) == 0 ? remove(url) : []
        default: return [.cursor(.messageChanges(url), .token("t\(draw(9))"))]
        }
    }

    private mutating func post(in url: ChannelURL) -> [Mutation] {
        lastID += 1
        clock += Int64(draw(2))  // Half of the messages share their moment with another.
        let previous = logs[url]?.last?.messageID
        var message = Fixture.message(
            lastID, at: clock, in: url, from: draw(9) == 0 ? nil : drawUser())
        if draw(3) == 0 {
            message.delivery = .delivered(MessageID(lastID), RequestID("r\(lastID)"))
        }
        logs[url, default: []].append(message)
        guard draw(3) > 0 else { return [] }  // The connection was lost.
        hear(message)
        return [.liveMessage(message, predecessor: draw(5) == 0 ? nil : previous)]
    }

    private mutating func page(of url: ChannelURL) -> [Mutation] {
        guard let log = logs[url], !log.isEmpty else { return [] }
        let start = draw(log.count)
        let page = Array(log[start..<min(log.count, start + 1 + draw(12))])
        for message in page.reversed() { hear(message) }
        return [.messages(url, page.reversed(), covering: range(of: page, fromStart: start == 0))]
    }

    /// A delayed page: messages from before their edits.
    private mutating func stalePage(of url: ChannelURL) -> [Mutation] {
        guard let log = logs[url], !log.isEmpty else { return [] }
        let page = log.suffix(5).map { message in
            var message = message
            message.updatedAt = nil
            message.content = .user(text: "text \(message.messageID?.rawValue ?? 0)")
            return message
        }
        for message in page { hear(message) }
        return [.messages(url, page, covering: range(of: page, fromStart: false))]
    }

    private func range(of page: [Message], fromStart: Bool) -> CoveredRange? {
        guard let lower = page.first?.position, let upper = page.last?.position else { return nil }
        return CoveredRange(lower: fromStart ? .distantPast : lower, upper: upper)
    }

    private mutating func edit(in url: ChannelURL) -> [Mutation] {
        guard let count = logs[url]?.count, count > 0 else { return [] }
        let index = draw(count)
        clock += 1
        logs[url]?[index].updatedAt = Timestamp(milliseconds: clock)
        logs[url]?[index].content = .user(text: "edited at \(clock)")
        guard let message = logs[url]?[index], draw(4) > 0 else { return [] }
        if message.messageID.flatMap({ cached[url]?[$0] }) != nil { hear(message) }
        return [.edited(message)]
    }

    private mutating func delete(in url: ChannelURL) -> [Mutation] {
        guard let count = logs[url]?.count, count > 0 else { return [] }
        let index = draw(count)
        guard let id = logs[url]?.remove(at: index).messageID else { return [] }
        untold[url, default: []].append(id)
        return draw(2) == 0 ? tellDeleted(in: url) : []
    }

    private mutating func tellDeleted(in url: ChannelURL) -> [Mutation] {
        let ids = untold.removeValue(forKey: url) ?? []
        for id in ids { cached[url]?[id] = nil }
        return [.deleted(url, ids)]
    }

    private mutating func channel(_ url: ChannelURL) -> [Mutation] {
        var channel = Fixture.group(
            url, last: logs[url]?.last, members: [drawUser(), drawUser()], name: "n\(draw(3))")
        if draw(2) == 0 { channel.createdBy = drawUser() }
        channels[url] = channel
        for user in [channel.createdBy, channel.lastMessage?.sender?.user].compactMap({ $0 }) {
            toldUsers[user.id] = user
        }
        for member in channel.members { toldUsers[member.id] = member.user }
        return [.channels([channel])]
    }

    private mutating func rename() -> [Mutation] {
        let user = drawUser()
        let renamed = User(id: user.id, nickname: "renamed \(draw(1_000))")
        users[user.id] = renamed
        toldUsers[user.id] = renamed
        return [.users([renamed])]
    }

    private mutating func clear(_ url: ChannelURL) -> [Mutation] {
        cached[url] = nil
        return [.clearMessages(url)]
    }

    private mutating func remove(_ url: ChannelURL) -> [Mutation] {
        cached[url] = nil
        channels[url] = nil
        return [.removeChannel(url)]
    }

    /// Merges naively: the later edit wins, and a known request ID or sender stays.
    private mutating func hear(_ message: Message) {
        guard let id = message.messageID else { return }
        var known = cached[message.channelURL]?[id] ?? message
        if (message.updatedAt ?? .distantPast) >= (known.updatedAt ?? .distantPast) {
            let (sender, request) = (known.sender, known.requestID)
            known = message
            if let user = message.sender?.user { toldUsers[user.id] = user }
            known.sender = message.sender ?? sender
            known.delivery = .delivered(id, message.requestID ?? request)
        }
        cached[message.channelURL, default: [:]][id] = known
    }
}

struct StoreModelTests {
    @Test(arguments: [UInt64](1...40))
    func `the cache has the server's statements in any order, and the journal has all changes`(
        seed: UInt64
    ) async throws {
        var server = ServerModel(seed: seed)
        let store = try await Store.test()
        let feed = await store.writer.journal(capacity: 10_000)
        var replay = JournalReplay()
        for round in 0..<60 {
            var mutations: [Mutation] = []
            for _ in 0...server.draw(5) { mutations += server.step() }
            replay.apply(try await store.writer.commit(mutations))
            guard round % 5 == 4 else { continue }
            let stored = try await JournalReplay(
                reading: store.reader, channels: ServerModel.urls)
            #expect(replay == stored)
            try await expect(store, toHoldWhat: server, stored)
        }
        #expect(try await store.verify().findings == [])
        var heard = JournalReplay()
        await store.close()
        for await entry in feed {
            guard case .commit(let commit) = entry else { continue }
            heard.apply(commit)
        }
        #expect(heard == replay)
    }

    /// The look-up cache for the next commit is dropped after another store's commit.
    @Test(arguments: [UInt64](1...15))
    func `two alternating stores never use an older state of a channel (scars 51, 53)`(
        seed: UInt64
    ) async throws {
        var server = ServerModel(seed: seed)
        let folder = try TemporaryFolder(inMemory: true)
        let stores = [
            try await Store.test(.folder(folder.path)), try await Store.test(.folder(folder.path)),
        ]
        for _ in 0..<60 {
            // Several steps of one store, so that it has cached look-ups.
            let store = stores[server.draw(2)]
            for _ in 0...server.draw(3) { try await store.writer.commit(server.step()) }
        }
        for store in stores {
            let stored = try await JournalReplay(
                reading: store.reader, channels: ServerModel.urls)
            try await expect(store, toHoldWhat: server, stored)
            #expect(try await store.verify().findings == [])
            await store.close()
        }
    }

    private func expect(
        _ store: Store, toHoldWhat server: ServerModel, _ stored: JournalReplay
    ) async throws {
        #expect(try await store.reader.damage() == [])
        for url in ServerModel.urls {
            let timeline = stored.timelines[url] ?? JournalReplay.Timeline()
            let expected = server.cached[url] ?? [:]
            #expect(timeline.messages.mapValues(\.anonymous) == expected.mapValues(\.anonymous))
            #expect(stored.channels[url]?.name == server.channels[url]?.name)
            for message in timeline.messages.values {
                guard let user = message.sender?.user else { continue }
                #expect(user.nickname == server.toldUsers[user.id]?.nickname)
            }
            // Coverage is true: the cache has each of the server's messages inside a range.
            for message in server.logs[url] ?? [] {
                guard let position = message.position,
                    timeline.coverage.range(containing: position) != nil
                else { continue }
                #expect(timeline.messages[position.messageID] != nil)
            }
        }
    }
}

extension Message {
    /// The message without its sender's profile, which is compared separately.
    fileprivate var anonymous: Message {
        var message = self
        message.sender = message.sender.map { Sender(user: User(id: $0.user.id), role: $0.role) }
        return message
    }
}
