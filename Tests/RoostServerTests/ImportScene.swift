// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostExecutors
import RoostModel
import RoostPostgres
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// An embedded server's database with a rich history, and an empty shared database.
struct ImportScene {
    struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ (state >> 31)) &* 0x9E37_79B9_7F4A_7C15
        }

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
    }

    static let users: [UserID] = [
        "ann", "bob", "cid", "é", "e\u{301}", "a\u{0}b", "a\u{1}b", "'; DROP TABLE users; --",
    ]
    static let urls: [ChannelURL] = ["g1", "g2", "g\u{0}3", "distinct", "gone", "again"]
    static let longToken = String(repeating: "t", count: 300)
    static let longRequest = String(repeating: "r", count: 300)
    static let now = Timestamp(milliseconds: 2_000_000)

    let folder: TemporaryFolder
    let embedded: SQLiteStorage
    let configuration: PostgresConfiguration
    let pool: PostgresPool

    var path: String { folder.file("server.sqlite") }

    init(seed: UInt64 = 1, steps: Int = 200, isMigrated: Bool = true) async throws {
        folder = try TemporaryFolder(inMemory: true)
        embedded = try await SQLiteStorage(
            .file(folder.file("server.sqlite")), on: ThreadExecutor(name: "embedded"))
        configuration = try await PostgresStorage.testConfiguration()
        pool = PostgresPool(configuration, on: try PostgresStorage.testLoop())
        if isMigrated { try await PostgresMigrator(pool).migrate() }
        if steps > 0 { try await Self.live(on: embedded, seed: seed, steps: steps) }
    }

    /// Returns an import of the embedded server's database.
    func makeImport(
        batch: Int = 7, batchBytes: Int = 8_388_608,
        _ note: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws -> EmbeddedImport {
        let source = try await EmbeddedSource(path, on: ThreadExecutor(name: "source"))
        return EmbeddedImport(
            source, into: pool, batch: batch, batchBytes: batchBytes, note: note)
    }

    /// Whether a server can start on the shared database.
    func canServe() async -> Bool {
        do throws(StorageError) {
            _ = try await PostgresStorage(pool)
            return true
        } catch {
            #expect(error.message.contains("roost import"), "\(error)")
            return false
        }
    }

    /// Changes the shared database.
    func change(_ statements: StaticString...) async throws(ImportFailure) {
        do throws(PostgresError) {
            try await pool.write { db async throws(PostgresError) in
                for statement in statements { db.add(PostgresQuery(.once(statement))) }
            }
        } catch {
            throw ImportFailure(.refused, error.message)
        }
    }

    /// The place that the progress of the import has; none for no import.
    func place() async throws -> String {
        try await pool.read { db async throws(PostgresError) in
            try await db.first(
                PostgresQuery<String>("SELECT coalesce(place, '') FROM import") { $0.text(0) })
        } ?? "none"
    }

    // MARK: The history

    private static func live(on storage: SQLiteStorage, seed: UInt64, steps: Int) async throws {
        for id in users {
            try await storage.addUser(User(id: id, nickname: "nick \(id.rawValue)"))
        }
        try await storage.addUser(User(id: "leaver"))
        for url in urls {
            var new = StorageContractTests.channel(
                url, Array(users.prefix(6)) + ["leaver"], isDistinct: url == "distinct")
            new.operators = ["ann"]
            _ = try await storage.createChannel(new, now: Timestamp(milliseconds: 1_000))
        }
        try await fillUsers(storage)
        var dice = Dice(state: seed)
        var moment: Int64 = 1_000
        for _ in 0..<steps {
            moment += Int64(dice.roll(3))
            try await act(on: storage, &dice, Timestamp(milliseconds: moment))
        }
        _ = try await storage.append(
            StorageContractTests.draft("long", request: RequestID(longRequest), to: "g1"),
            now: Timestamp(milliseconds: moment))
        // The newest message is gone, and its number must not come again.
        _ = try await storage.append(
            StorageContractTests.draft("last", from: "bob", to: "gone"),
            now: Timestamp(milliseconds: moment))
        _ = try await storage.deleteChannel("gone", now: Timestamp(milliseconds: moment + 1))
        _ = try await storage.deleteChannel("again", now: Timestamp(milliseconds: moment + 2))
        _ = try await storage.createChannel(
            StorageContractTests.channel("again", ["bob"]),
            now: Timestamp(milliseconds: moment + 3))
        _ = try await storage.deleteUser("leaver", now: Timestamp(milliseconds: moment + 4))
    }

    private static func fillUsers(_ storage: SQLiteStorage) async throws {
        let end = Timestamp(milliseconds: 9_000_000)
        for (index, id) in users.enumerated() {
            _ = try await storage.updateUser(id) { record in
                record.traits.blocked = index % 2 == 0 ? ["bob", "a\u{0}b"] : []
                record.traits.discoveryKeys = ["key\(index)"]
                record.traits.preferences = [
                    "devices": ["apns": [.string("phone\(index)"), .string(longToken)]]
                ]
            }
            let kept = KeptSecret(salt: "salt\(index)", hash: "hash\(index)")
            let token = try await storage.addToken(
                kept, for: id, expiresAt: index % 3 == 0 ? nil : end, limit: 9)
            _ = try await storage.openSession(
                kept, for: id, by: token?.number, expiresAt: index % 2 == 0 ? end : nil, limit: 9)
            _ = try await storage.addDocument(
                Document(
                    .scheduled, of: id, in: "g1", dueAt: index % 2 == 0 ? end : nil,
                    requestID: index == 0
                        ? RequestID(longRequest) : index == 1 ? RequestID("a\u{0}") : nil,
                    body: ["n": .int(Int64(index)), "text": "a\u{0}b"]))
            _ = try await storage.addDocument(Document(.report, of: id, body: ["why": "spam"]))
            _ = try await storage.addDocument(
                Document(.poll, of: id, in: "g2", body: ["changed": .int(Int64(5 + index % 2))]))
        }
        try await storage.noteActivity(of: users, on: 19_000, forgettingBefore: 0)
        try await storage.noteActivity(of: ["ann"], on: 19_001, forgettingBefore: 0)
        // A user without a token opens a session of their own.
        try await storage.addUser(User(id: "tokenless"))
        _ = try await storage.openSession(
            KeptSecret(salt: "s", hash: "h"), for: "tokenless", by: nil, expiresAt: nil, limit: 9)
        // The highest numbers are free again, and must not be given again.
        _ = try await storage.closeSessions(of: "tokenless")
    }

    private static func act(
        on storage: SQLiteStorage, _ dice: inout Dice, _ now: Timestamp
    ) async throws {
        let url = urls[dice.roll(urls.count)]
        let id = users[dice.roll(users.count)]
        let message = MessageID(Int64(dice.roll(80) + 1))
        let number = dice.roll(9)
        switch dice.roll(14) {
        case 0:
            let state: MembershipState = dice.roll(2) == 0 ? .joined : .invited
            _ = try await storage.addMembers(
                [id], as: state, inviter: "ann", to: url, now: now)
        case 1 where number < 4: _ = try await storage.removeMember(id, from: url, now: now)
        case 2: _ = try await storage.markRead(url, by: id, now: now)
        case 3: _ = try await storage.delete(message, in: url, now: now)
        case 4:
            var edit = EditCommand(
                channelURL: url, messageID: message, requestID: nil, text: "edit\u{0}\(number)")
            edit.customType = "t\(number % 3)"
            edit.mentionedUserIDs = [id]
            _ = try await storage.edit(edit, mentioned: [User(id: id)], now: now)
        case 5:
            _ = try await storage.updateMessage(message, in: url, now: now) {
                $0.details.reactions = [
                    Reaction(key: "k\(number)", userIDs: [id], updatedAt: now)
                ]
            }
        case 6:
            _ = try await storage.updateChannel(url, now: now) { record in
                record.name = "n\u{0}\(number)"
                record.traits.isFrozen.toggle()
                record.traits.metadata["k\(number)"] = "'\(number)"
                record.traits.counters["c", default: 0] += Int64(number)
                record.traits.pins = [message]
            }
        case 7:
            let hidden = HiddenState.allCases[dice.roll(3)]
            let counts = CountPreference.allCases[dice.roll(4)]
            _ = try await storage.updateMember(id, of: url, now: now) { member in
                member.hidden = hidden
                member.traits.countPreference = counts
                member.role = number % 2 == 0 ? .operator : .none
                member.traits.messageOffset = number < 3 ? now : nil
                member.traits.mute = number == 2 ? Restriction(startedAt: now, note: "\"") : nil
            }
        case 8: _ = try await storage.markDelivered(url, to: id, at: now, unlessThrough: now)
        default:
            var draft = StorageContractTests.draft(
                "m\u{0}\(dice.roll(99))", from: dice.roll(9) == 0 ? nil : id,
                request: dice.roll(2) == 0 ? RequestID("r\(dice.roll(40))") : nil, to: url)
            if draft.sender == nil { draft.content = .admin(text: draft.text) }
            draft.customType = "t\(number % 3)"
            draft.isSilent = dice.roll(6) == 0
            if dice.roll(3) == 0 {
                draft.parentID = message
                draft.isReplyToChannel = dice.roll(2) == 0
            }
            draft.setMention(
                dice.roll(5) == 0 ? .channel : .users,
                users: [User(id: users[dice.roll(users.count)])])
            _ = try await storage.append(draft, now: now)
        }
    }
}

extension ImportScene {
    /// Asks both storages the same questions, and expects the same answers.
    func compare(_ shared: PostgresStorage) async throws {
        func same<T: Equatable>(
            _ question: String, _ ask: (any Storage) async throws -> T
        ) async throws {
            let (one, two) = (try await ask(embedded), try await ask(shared))
            #expect(one == two, "\(question)")
        }
        let ids = Self.users + ["leaver", "tokenless", "nobody"]
        try await same("users") { try await $0.users(after: nil, limit: 99) }
        try await same("records") { try await $0.userRecords(ids) }
        try await same("active") { try await $0.activeUsers(from: 19_000, through: 19_001) }
        try await same("channels") { try await $0.channels(after: nil, limit: 99) }
        try await same("channel records") { try await $0.channelRecords(Self.urls) }
        for token in ["phone1", Self.longToken, "other"] {
            try await same("devices") {
                try await $0.deviceOwners("apns", token, after: nil, limit: 99)
            }
        }
        for number in 0..<15 as Range<Int64> {
            try await same("session \(number)") { try await $0.session(number) }
            try await same("document \(number)") { try await $0.document(number, .scheduled) }
            try await same("poll \(number)") { try await $0.document(number, .poll) }
        }
        for id in ids {
            try await same("blockers") { try await $0.blockers(of: id, after: nil, limit: 99) }
            try await same("token") { try await $0.token(nil, of: id) }
            for number in 1...10 as ClosedRange<Int64> {
                try await same("token") { try await $0.token(number, of: id) }
            }
            try await same("unread") { try await $0.unreadTotal(of: id) }
            try await same("states") { try await $0.channelStates(Self.urls, viewer: id) }
            try await same("documents") {
                try await $0.documents(.scheduled, of: id, in: nil, after: 0, limit: 99)
            }
            try await same("listings") { storage in
                try await storage.listings(of: id).map { listing in
                    ChannelListing(
                        record: listing.record, state: listing.state, hidden: listing.hidden,
                        lastMessageAt: listing.lastMessageAt, changeSequence: 0,
                        changedAt: listing.changedAt)
                }
            }
        }
        for long in [Self.longRequest, "a\u{0}"] {
            try await same("request") { storage in
                try await Self.users.asyncMap { id in
                    try await storage.document(
                        .scheduled, of: id, in: "g1", requestID: RequestID(long))
                }
            }
        }
        try await same("due") {
            try await $0.dueDocuments(
                .scheduled, through: .distantFuture, except: [], limit: 99)
        }
        try await same("changed documents") {
            try await $0.documents(.poll, in: "g2", changedAfter: (5, 6), limit: 99)
        }
        for url in Self.urls { try await compare(shared, url) }
    }

    /// Returns a page of a change log without its era, which only a database has.
    private static func changes(
        _ storage: any Storage, in url: ChannelURL, after point: ChangePoint
    ) async throws -> MessageChangePage {
        var page = try await storage.messageChanges(in: url, after: point, limit: 7)
        page.era = ""
        return page
    }

    private func compare(_ shared: PostgresStorage, _ url: ChannelURL) async throws {
        func same<T: Equatable>(
            _ question: String, _ ask: (any Storage) async throws -> T
        ) async throws {
            let (one, two) = (try await ask(embedded), try await ask(shared))
            #expect(one == two, "\(question) of \(url)")
        }
        try await same("log") { try await $0.log(of: url) }
        try await same("members") { try await $0.memberRecords(of: url) }
        try await same("member IDs") { try await $0.memberIDs(of: url) }
        try await same("audience") { storage in
            try await storage.audienceMembers(of: url).sorted { $0.id.rawValue < $1.id.rawValue }
        }
        try await same("counts") { try await $0.unreadCounts(in: url, of: Set(["ann", "bob"])) }
        for id in Self.users + ["leaver"] {
            try await same("access") { try await $0.access(to: url, of: id) }
            for request in (0..<40).map({ "r\($0)" }) + [Self.longRequest] {
                try await same("request") {
                    try await $0.isKnown(RequestID(request), of: id, in: url)
                }
            }
        }
        for sequence in stride(from: 0, through: 400, by: 23) as StrideThrough<Int64> {
            try await same("changes") {
                try await Self.changes($0, in: url, after: .sequence(sequence))
            }
            // Of a deleted channel the storages know different ends, and the server asks for none.
            guard url != "gone" else { continue }
            try await same("changes since") {
                try await Self.changes(
                    $0, in: url, after: .time(Timestamp(milliseconds: 1_000 + sequence)))
            }
        }
        let range = PositionRange(from: .distantPast, through: .distantFuture)
        var filters = [
            MessageFilter(kind: .all, replyType: .all),
            MessageFilter(kind: .user, replyType: .none),
        ]
        filters[1].senderIDs = ["ann", "a\u{0}b"]
        filters += (1..<40 as Range<Int64>).map { id in
            var filter = MessageFilter(kind: .all, replyType: .all)
            filter.parentID = MessageID(id)
            return filter
        }
        for filter in filters {
            for newestFirst in [false, true] {
                try await same("page") {
                    try await $0.messages(
                        in: url, range, filter, newestFirst: newestFirst, limit: 9)
                }
            }
            try await same("count") { try await $0.messageCount(in: url, range, filter) }
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
        var results: [T] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
