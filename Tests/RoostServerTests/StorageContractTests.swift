// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostExecutors
import RoostModel
import RoostPostgres
import RoostSQLite
import RoostServer
import RoostSockets
import RoostTestSupport
import RoostWire
import Testing

/// All storages, which keep the same contract.
enum StorageKind: CaseIterable, Sendable {
    case memory
    case sqlite
    case postgres

    /// Makes an empty storage.
    ///
    /// - Parameters:
    ///   - clockMargin: The margin of a storage that several servers share, in milliseconds.
    ///   - bounds: The rows that a call reads at most.
    /// - Returns: The storage.
    /// - Throws: A failure of the storage.
    func make(
        clockMargin: Int64 = 0, bounds: StorageBounds = StorageBounds()
    ) async throws -> any Storage {
        let executor = ThreadExecutor(name: "storage")
        return switch self {
        case .memory: MemoryStorage(on: executor, bounds: bounds)
        case .sqlite: try await SQLiteStorage(.memory, bounds: bounds, on: executor)
        case .postgres:
            try await PostgresStorage.forTest(clockMargin: clockMargin, bounds: bounds)
        }
    }
}

extension PostgresStorage {
    /// The event loop of all databases of this process.
    private static let loop = Result { () throws(SocketError) in try EventLoop.start() }

    /// Makes a storage in a schema of its own.
    static func forTest(
        clockMargin: Int64 = 0, bounds: StorageBounds = StorageBounds()
    ) async throws -> PostgresStorage {
        let configuration = try await testConfiguration()
        // A session from before the migrations knows no era, so the storage gets none of them.
        let first = PostgresPool(configuration, on: try loop.get())
        try await PostgresMigrator(first).migrate()
        await first.close()
        let pool = PostgresPool(configuration, on: try loop.get())
        return try await PostgresStorage(pool, clockMargin: clockMargin, bounds: bounds)
    }

    static func testLoop() throws -> EventLoop { try loop.get() }

    /// Returns the address of the tests' database and a schema of its own.
    static func testConfiguration() async throws -> PostgresConfiguration {
        var configuration = PostgresConfiguration(try await PostgresServer.shared().address)
        configuration.schema = PostgresServer.schemaName()
        configuration.sessions = 2
        return configuration
    }
}

struct StorageContractTests {
    static let start = Timestamp(milliseconds: 1_000_000)
    static let oddNames = [
        "'; DROP TABLE user; --", "\"\"", "a\u{0}b", "🐔\u{200D}\u{FFFF}", "%_*?", "x,y/../z",
        String(repeating: "é", count: 500), " ", "null",
    ]

    private func at(_ offset: Int64) -> Timestamp {
        Timestamp(milliseconds: Self.start.milliseconds + offset)
    }

    private func make(
        _ kind: StorageKind, users: [UserID] = ["a", "b"], url: ChannelURL = "g"
    ) async throws -> any Storage {
        let storage = try await kind.make()
        for id in users { try await storage.addUser(User(id: id)) }
        _ = try await storage.createChannel(Self.channel(url, users), now: Self.start)
        return storage
    }

    static func channel(
        _ url: ChannelURL, _ users: [UserID], isDistinct: Bool = false
    ) -> NewChannel {
        NewChannel(
            record: ChannelRecord(
                url: url, createdAt: Timestamp(seconds: 1_000), isDistinct: isDistinct),
            members: users)
    }

    static func draft(
        _ text: String, from sender: UserID? = "a", request: RequestID? = nil,
        to url: ChannelURL = "g"
    ) -> Message {
        Message(
            delivery: .delivered(0, request), channelURL: url,
            createdAt: Timestamp(milliseconds: 0),
            sender: sender.map { Sender(user: User(id: $0)) }, content: .user(text: text))
    }

    @Test(arguments: StorageKind.allCases)
    func `two hundred messages of one millisecond page without loss (scar 24)`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        var sent: [Message] = []
        for number in 0..<200 {
            let appended = try #require(
                try await storage.append(Self.draft("\(number)"), now: Self.start))
            #expect(appended.previousID == sent.last?.messageID)
            sent.append(appended.message)
        }
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.createdAt < $1.createdAt })
        for newestFirst in [false, true] {
            var range = PositionRange()
            var found: [Message] = []
            while true {
                let page = try await storage.messages(
                    in: "g", range, MessageFilter(), newestFirst: newestFirst, limit: 7)
                guard let last = page.last?.position else { break }
                found += page
                if newestFirst { range.before = last } else { range.after = last }
            }
            #expect(found == (newestFirst ? sent.reversed() : sent))
        }
        #expect(try await storage.log(of: "g").map(\.message) == sent)
    }

    @Test(arguments: StorageKind.allCases)
    func `a request ID is stored once, for any number and delay of repeats (scar 10, scar 11)`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        let first = try #require(
            try await storage.append(Self.draft("x", request: "r"), now: at(1)))
        #expect(!first.isRepeat)
        for time in 0..<10 {
            let again = try await storage.append(
                Self.draft("changed", request: "r"), now: at(8 * 86_400_000 + Int64(time)))
            #expect(again?.message == first.message)
            #expect(again?.isRepeat == true)
        }
        let other = try await storage.append(
            Self.draft("y", from: "b", request: "r"), now: at(2))
        #expect(other?.isRepeat == false)
        #expect(other?.previousID == first.message.messageID)
        #expect(try await storage.log(of: "g").count == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `request IDs that only look equal name two messages of a batch`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        let requests: [RequestID] = ["\u{E9}", "e\u{301}", "\u{E9}"]
        let results = try await storage.append(
            requests.map { Self.draft("x", request: $0) }, now: at(1))
        let appended = try results.map { try $0.get() }
        #expect(appended.map { $0?.isRepeat } == [false, false, true])
        #expect(appended.map { $0?.message.requestID } == requests)
        #expect(try await storage.log(of: "g").count == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a repeat of a deleted message is marked as deleted and restores nothing`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        let first = try #require(
            try await storage.append(Self.draft("x", request: "r"), now: at(1)))
        let id = try #require(first.message.messageID)
        _ = try await storage.delete(id, in: "g", now: at(2))
        let again = try #require(
            try await storage.append(Self.draft("x", request: "r"), now: at(3)))
        #expect(again.isDeleted)
        #expect(again.message.delivery == first.message.delivery)
        #expect(try await storage.message(id, in: "g") == nil)
        let log = try await storage.log(of: "g")
        #expect(log.map(\.deletedAt) == [at(2)])
        #expect(log.map(\.message.text) == [""])
        #expect(try await storage.position(of: id, in: "g") == first.message.position)
    }

    @Test(arguments: StorageKind.allCases)
    func `two edits never have one time, so clients can order them (scar 119)`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        let sent = try #require(try await storage.append(Self.draft("x"), now: at(1)))
        let id = try #require(sent.message.messageID)
        var times: [Timestamp?] = []
        for text in ["one", "two", "three"] {
            let edit = EditCommand(channelURL: "g", messageID: id, requestID: nil, text: text)
            if case .edited(let message, _) = try await storage.edit(
                edit, mentioned: [], now: at(2))
            {
                times.append(message.updatedAt)
            }
        }
        #expect(times == [at(2), at(3), at(4)])
    }

    @Test(arguments: StorageKind.allCases)
    func `a repeated edit does not undo the edits after it`(kind: StorageKind) async throws {
        let storage = try await make(kind)
        let sent = try #require(try await storage.append(Self.draft("x"), now: at(1)))
        let id = try #require(sent.message.messageID)
        func edit(
            _ request: RequestID, _ text: String, _ moment: Int64
        ) async throws -> EditOutcome {
            let edit = EditCommand(channelURL: "g", messageID: id, requestID: request, text: text)
            return try await storage.edit(edit, mentioned: [], now: at(moment))
        }
        _ = try await edit("phone", "A", 2)
        // A change of another kind keeps the record.
        _ = try await storage.updateMessage(id, in: "g", now: at(3)) { $0.customType = "seen" }
        var reply = Self.draft("reply")
        reply.parentID = id
        _ = try await storage.append(reply, now: at(3))
        _ = try await edit("tablet", "B", 4)
        let repeated = try await edit("phone", "A", 5)
        let kept = try #require(try await storage.message(id, in: "g"))
        #expect(kept.text == "B" && kept.updatedAt == at(4) && kept.unknownFields.isEmpty)
        guard case .repeated(let told) = repeated else {
            Issue.record("made again: \(repeated)")
            return
        }
        #expect(told.text == "B" && told.updatedAt == at(4))
        #expect(
            try await storage.messageChanges(in: "g", after: .time(at(4)), limit: 9).changes.count
                <= 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a message's predecessor is the last live message`(kind: StorageKind) async throws {
        let storage = try await make(kind)
        let first = try await storage.append(Self.draft("1"), now: at(1))
        let second = try await storage.append(Self.draft("2"), now: at(2))
        let id = try #require(second?.message.messageID)
        _ = try await storage.delete(id, in: "g", now: at(3))
        let third = try await storage.append(Self.draft("3"), now: at(4))
        #expect(third?.previousID == first?.message.messageID)
    }

    @Test(arguments: StorageKind.allCases)
    func `a change log's token is valid for ever and more than once`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        var ids: [MessageID] = []
        for number in 0..<5 {
            let appended = try await storage.append(
                Self.draft("\(number)"), now: at(Int64(number)))
            ids.append(try #require(appended?.message.messageID))
        }
        let start = try await storage.messageChanges(in: "g", after: .time(Self.start), limit: 9)
        #expect(start.changes.count == 5)
        let edit = EditCommand(channelURL: "g", messageID: ids[0], requestID: nil, text: "new")
        _ = try await storage.edit(edit, mentioned: [], now: at(10))
        _ = try await storage.delete(ids[2], in: "g", now: at(11))
        _ = try await storage.edit(edit, mentioned: [], now: at(12))
        for _ in 0..<2 {
            let page = try await storage.messageChanges(
                in: "g", after: .sequence(start.end), limit: 9)
            #expect(page.changes.count == 2)
            #expect(page.changes.first == .deleted(ids[2], at: at(11)))
            guard case .current(let message) = page.changes.last else {
                Issue.record("The edited message is missing.")
                return
            }
            #expect(message.text == "new")
            #expect(message.updatedAt == at(12))
            let after = try await storage.messageChanges(
                in: "g", after: .sequence(page.end), limit: 9)
            #expect(after.changes.isEmpty)
            #expect(after.end == page.end)
        }
        let half = try await storage.messageChanges(in: "g", after: .sequence(0), limit: 2)
        #expect(half.hasMore)
        let since = try await storage.messageChanges(in: "g", after: .time(at(11)), limit: 9)
        #expect(since.changes.count == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a change log begins at any moment between two changes`(kind: StorageKind) async throws {
        let storage = try await make(kind)
        _ = try await storage.createChannel(Self.channel("h", ["a"]), now: Self.start)
        var ids: [MessageID] = []
        for number in 0..<20 {
            let appended = try await storage.append(
                Self.draft("\(number)"), now: at(10 * Int64(number)))
            ids.append(try #require(appended?.message.messageID))
            // The numbers of the channel have holes.
            _ = try await storage.append(
                Self.draft("\(number)", to: "h"), now: at(10 * Int64(number)))
        }
        // The last change of each message counts.
        for (place, number) in [3, 0, 7].enumerated() {
            _ = try await storage.delete(ids[number], in: "g", now: at(200 + 10 * Int64(place)))
        }
        let times =
            (0..<20).filter { ![3, 0, 7].contains($0) }.map { 10 * Int64($0) } + [200, 210, 220]
        for moment in stride(from: Int64(-15), through: 235, by: 5) {
            let page = try await storage.messageChanges(
                in: "g", after: .time(at(moment)), limit: 99)
            #expect(page.changes.count == times.count { $0 >= moment }, "\(moment)")
        }
        let none = try await storage.messageChanges(in: "h", after: .time(at(999)), limit: 9)
        #expect(none.changes.isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func `new members come behind those who are there, also behind those who left`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind, users: ["a", "b", "c", "d", "e"], url: "all")
        _ = try await storage.createChannel(Self.channel("g", ["b", "c"]), now: Self.start)
        _ = try await storage.removeMember("b", from: "g", now: at(1))
        func add(_ ids: [UserID], _ state: MembershipState) async throws -> [UserID] {
            try await storage.addMembers(ids, as: state, inviter: nil, to: "g", now: at(2))
        }
        #expect(try await add(["c", "e", "nobody", "a", "e"], .invited) == ["e", "a"])
        #expect(try await add(["d", "c", "b", "e"], .joined) == ["d", "b", "e"])
        #expect(try await storage.memberIDs(of: "g") == ["b", "c", "e", "a", "d"])
    }

    @Test(arguments: StorageKind.allCases)
    func `a page and a newest message lie behind any number of replies`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        let root = try #require(
            try await storage.append(Self.draft("root"), now: at(5))?.message)
        for first in stride(from: 0, to: 1_100, by: 100) {
            let replies = (first..<first + 100).map { number in
                var reply = Self.draft("\(number)")
                reply.parentID = root.messageID
                return reply
            }
            _ = try await storage.append(replies, now: at(5))
        }
        for (newestFirst, filter) in [
            (true, MessageFilter()), (false, MessageFilter()),
            (true, MessageFilter(kind: .user)),
        ] {
            let page = try await storage.messages(
                in: "g", PositionRange(), filter, newestFirst: newestFirst, limit: 5)
            #expect(page.map(\.text) == ["root"])
        }
        let states = try await storage.channelStates(["g"], viewer: "b")
        #expect(states.first?.lastMessage?.text == "root")
        #expect(states.first?.unreadCount == 1)
        #expect(try await storage.unreadTotal(of: "b") == 1)
        #expect(try await storage.listings(of: "b").first?.lastMessageAt == root.createdAt)
        let all = MessageFilter(replyType: .all)
        let page = try await storage.messages(
            in: "g", PositionRange(), all, newestFirst: false, limit: 1_000)
        #expect(page.count == 1_000)
        #expect(try await storage.messageCount(in: "g", PositionRange(), all) == 1_101)
    }

    @Test(arguments: StorageKind.allCases)
    func `messages before an entry are read, though the clock has gone back since`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind, users: ["a", "b"])
        try await storage.addUser(User(id: "c"))
        _ = try await storage.append(Self.draft("x"), now: at(2_000))
        let joined = try await storage.addMembers(
            ["c"], as: .joined, inviter: nil, to: "g", now: at(1_000))
        #expect(joined == ["c"])
        #expect(try await storage.unreadTotal(of: "c") == 0)
        _ = try await storage.append(Self.draft("y"), now: at(1_001))
        #expect(try await storage.unreadTotal(of: "c") == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `a delivery mark moves once for all messages before it`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        for (moment, place, hasMoved) in [
            (at(5), at(1), true), (at(9), at(5), false), (at(9), at(6), true),
        ] {
            let moved = try await storage.markDelivered(
                "g", to: "a", at: moment, unlessThrough: place)
            #expect(moved == hasMoved)
        }
        let member = try await storage.memberRecords(of: "g").first { $0.user.id == "a" }
        #expect(member?.deliveredAt == at(9))
        let marks = [("g", "nobody"), ("g", "b"), ("none", "b"), ("g", "a")].map {
            DeliveryMark(
                channel: ChannelURL($0.0), user: UserID($0.1), moment: at(12), place: at(11))
        }
        #expect(Set(try await storage.markDelivered(marks).map(\.user)) == ["a", "b"])
        #expect(try await storage.markDelivered(marks).isEmpty)
        // Former members receive nothing.
        _ = try await storage.removeMember("b", from: "g", now: at(13))
        #expect(
            try await !storage.markDelivered("g", to: "b", at: at(15), unlessThrough: at(14)))
    }

    @Test(arguments: StorageKind.allCases)
    func `only an existing message can be edited or deleted`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        let appended = try await storage.append(Self.draft("x"), now: at(1))
        let id = try #require(appended?.message.messageID)
        let edit = EditCommand(channelURL: "g", messageID: id, requestID: nil, text: "y")
        #expect(try await storage.delete(id, in: "h", now: at(2)) == .notFound)
        #expect(try await storage.delete(99, in: "g", now: at(2)) == .notFound)
        _ = try await storage.delete(id, in: "g", now: at(2))
        #expect(
            try await storage.edit(edit, mentioned: [], now: at(2)) == .notFound)
        #expect(try await storage.append(Self.draft("z", to: "none"), now: at(3)) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a rename changes existing messages and members`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        _ = try await storage.append(Self.draft("x"), now: at(1))
        try await storage.updateUser("a") { $0.user.nickname = "New" }
        #expect(try await storage.log(of: "g").first?.message.sender?.user.nickname == "New")
        let state = try await storage.channelStates(["g"], viewer: "b").first
        #expect(state?.members.map(\.user.nickname) == ["New", ""])
        #expect(state?.lastMessage?.sender?.user.nickname == "New")
    }

    @Test(arguments: StorageKind.allCases)
    func `a user who leaves and comes back has no unread messages and one change`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        #expect(try await storage.removeMember("b", from: "g", now: at(1)))
        #expect(try await !storage.removeMember("b", from: "g", now: at(2)))
        let gone = try #require(try await storage.listings(of: "b").first)
        #expect(gone.state == MembershipState.none)
        _ = try await storage.append(Self.draft("x"), now: at(3))
        #expect(try await storage.listings(of: "b").first?.changeSequence == gone.changeSequence)
        #expect(try await storage.memberIDs(of: "g") == ["a"])
        let back = try await storage.addMembers(
            ["b", "a", "nobody"], as: .joined, inviter: nil, to: "g", now: at(4))
        #expect(back == ["b"])
        #expect(try await storage.unreadTotal(of: "b") == 0)
    }

    @Test(arguments: StorageKind.allCases)
    func `unread messages are counted up to a limit`(kind: StorageKind) async throws {
        let storage = try await make(kind, users: ["a", "b"])
        for stored in try await storage.append((0..<5).map { Self.draft("\($0)") }, now: at(1)) {
            _ = try stored.get()
        }
        #expect(try await storage.unreadTotal(of: "b") == 5)
        #expect(try await storage.unreadTotal(of: "b", atMost: 3) == 3)
    }

    @Test(arguments: StorageKind.allCases)
    func `unread messages of each channel are counted up to a limit, the newest first`(
        kind: StorageKind
    ) async throws {
        var bounds = StorageBounds()
        bounds.unread = 3
        let storage = try await kind.make(bounds: bounds)
        for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
        for (url, count) in [("many", 5), ("few", 2)] as [(ChannelURL, Int)] {
            _ = try await storage.createChannel(
                Self.channel(url, ["a", "b"]), now: Self.start)
            for number in 0..<count {
                var draft = Self.draft("\(number)", to: url)
                // The first and the last message of a channel mention everyone in it.
                if number % 4 == 0 { draft.mention = Mention(kind: .channel) }
                _ = try await storage.append(draft, now: at(1))
            }
        }
        for withMembers in [false, true] {
            let states = try await storage.channelStates(
                ["many", "few"], viewer: "b", withMembers: withMembers)
            #expect(states.map(\.unreadCount) == [3, 2])
            #expect(states.map(\.mentionCount) == [1, 1])
        }
        #expect(try await storage.unreadCounts(in: "many", of: ["a", "b"]) == ["a": 0, "b": 3])
        #expect(try await storage.unreadCounts(in: "few", of: ["b"]) == ["b": 2])
    }

    @Test(arguments: StorageKind.allCases)
    func `a distinct channel is found again by its members`(kind: StorageKind) async throws {
        let storage = try await make(kind, users: ["a", "b", "c"])
        let first = try await storage.createChannel(
            Self.channel("d1", ["a", "b"], isDistinct: true), now: at(1))
        #expect(first == .done(CreatedChannel(url: "d1", isCreated: true, joined: ["a", "b"])))
        _ = try await storage.removeMember("b", from: "d1", now: at(2))
        let again = try await storage.createChannel(
            Self.channel("d2", ["b", "a"], isDistinct: true), now: at(3))
        #expect(again == .done(CreatedChannel(url: "d1", isCreated: false, joined: ["b"])))
        let other = try await storage.createChannel(
            Self.channel("d3", ["a", "c"], isDistinct: true), now: at(4))
        #expect(other == .done(CreatedChannel(url: "d3", isCreated: true, joined: ["a", "c"])))
    }

    @Test(arguments: StorageKind.allCases)
    func `a new channel keeps its members in order, joined and invited ones mixed`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind, users: ["a", "b", "c", "d"])
        var new = Self.channel("n", ["d", "b", "a", "c"])
        new.invited = ["b", "c"]
        new.inviter = "d"
        let created = try await storage.createChannel(new, now: at(1))
        #expect(
            created
                == .done(CreatedChannel(url: "n", isCreated: true, joined: ["d", "b", "a", "c"])))
        let members = try await storage.memberRecords(of: "n")
        #expect(members.map(\.user.id) == ["d", "b", "a", "c"])
        #expect(members.map(\.state) == [.joined, .invited, .joined, .invited])
        #expect(members.map(\.traits.inviter) == [nil, "d", nil, "d"])
    }

    @Test(arguments: StorageKind.allCases)
    func `every text is a valid name in every query (scar 38)`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        for name in Self.oddNames {
            let (id, url) = (UserID(name), ChannelURL(name))
            try await storage.addUser(User(id: id, nickname: name))
            let kept = KeptSecret(salt: "salt", hash: "hash")
            let opened = try await storage.openSession(
                kept, for: id, by: nil, expiresAt: nil, limit: 1)
            let session = try #require(opened)
            #expect(try await storage.session(session.number)?.userID == id)
            let added = try await storage.addToken(kept, for: id, expiresAt: nil, limit: 1)
            #expect(added?.ended == [session.number])
            #expect(try await storage.token(nil, of: id).record?.number == added?.number)
            _ = try await storage.createChannel(Self.channel(url, [id]), now: Self.start)
            var draft = Self.draft(name, from: id, request: RequestID(name), to: url)
            draft.customType = name
            draft.setMention(.users, users: [User(id: id)])
            let appended = try #require(try await storage.append(draft, now: Self.start))
            #expect(appended.message.text == name)
            #expect(try await storage.append(draft, now: Self.start)?.isRepeat == true)
            let filter = MessageFilter(customTypes: [name], senderIDs: [id])
            let found = try await storage.messages(
                in: url, PositionRange(), filter, newestFirst: true, limit: 5)
            #expect(found == [appended.message])
            #expect(try await storage.messageCount(in: url, PositionRange(), filter) == 1)
            #expect(try await storage.access(to: url, of: id)?.state == .joined)
            #expect(try await storage.markRead(url, by: id, now: at(9)) == at(9))
            #expect(try await storage.listings(of: id).map(\.record.url) == [url])
        }
        let urls = Self.oddNames.map { ChannelURL($0) }
        #expect(try await storage.channelStates(urls, viewer: "a").map(\.record.url) == urls)
        #expect(try await storage.users(after: nil, limit: 99).count == urls.count)
    }
}
