// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Synchronization
import Testing

struct SQLiteStorageTests {
    @Test
    func `no hot query scans a table or sorts a page of messages`() async throws {
        let executor = ThreadExecutor(name: "storage")
        let plans = try await SQLiteStorage(.memory, on: executor)
            .hotPlans()
        #expect(plans.count == 66)
        for (name, steps) in plans {
            for step in steps {
                #expect(
                    // The users of a thread's summary, 20 at most, and the rows of a bounded count.
                    !step.hasPrefix("SCAN") || step.contains("VIRTUAL TABLE") || step == "SCAN r"
                        || step.hasPrefix("SCAN (subquery"),
                    "\(name): \(step)")
            }
        }
        for name in [
            "oldestMessages", "newestMessages", "oldestReplies", "newestReplies", "placeAfter",
            "placeBefore", "replyAfter", "replyBefore", "changesAfter", "lastChange",
            "audienceMembers", "changedDocuments", "allDocuments", "documentsOfChannel",
            "documentsOfOwner", "operators", "restrictedAfter", "membersAfter",
            "removeMentions", "removeMessages", "unread",
        ] {
            #expect(plans[name]?.contains { $0.contains("TEMP B-TREE") } == false, "\(name)")
        }
        for name in [
            "oldestReplies", "newestReplies", "replyCount", "replyAfter", "replyBefore",
            "threadEnd", "repliers",
        ] {
            let usesThread = plans[name]?.contains { $0.contains("INDEX message_by_parent (") }
            #expect(usesThread == true, "\(name): \(plans[name] ?? [])")
        }
    }

    @Test func `a query walks the rows that it returns, or the index of a channel's log`()
        async throws
    {
        let plans = try await SQLiteStorage(.memory, on: ThreadExecutor(name: "storage"))
            .hotPlans()
        // Replies, silent and deleted messages are passed over without their rows.
        for name in [
            "lastMessagesOfPage", "listings", "presentListings", "unreadOfMembers", "unreadTotal",
            "liveBefore",
        ] {
            let walks = plans[name]?.contains { $0.contains("COVERING INDEX message_by_place (") }
            #expect(walks == true, "\(name): \(plans[name] ?? [])")
        }
        for (name, step) in [
            ("documentsOfOwner", "INDEX document_by_owner (owner=? AND kind=? AND id>?)"),
            ("documentsOfChannel", "INDEX document_by_channel (channel_url=? AND kind=? AND id>?)"),
            ("allDocuments", "INDEX document_by_kind (kind=? AND id>?)"),
            ("waitingDocuments", "INDEX document_by_owner (owner=? AND kind=?)"),
            ("showHidden", "INDEX member_hidden (channel=?)"),
            ("presentListings", "INDEX member_present (user=?)"),
            ("unreadTotal", "INDEX member_present (user=?)"),
            ("newestPlaces", "INDEX member_present (user=?)"),
            ("channelsAfter", "INDEX channel_live (url>?)"),
            ("createdChannels", "INDEX channel_created (created_by=? AND <expr>>?)"),
            ("operators", "INDEX member_operator (channel=?)"),
            ("restrictedAfter", "INDEX member_restricted (channel=? AND place>?)"),
            ("restrictedCount", "INDEX member_restricted (channel=?)"),
            ("endedRestriction", "INDEX member_restricted (channel=?)"),
            (
                "lastChange",
                "INDEX message_by_change (channel=? AND sequence>? AND sequence<?)"
            ),
        ] {
            let isStep = plans[name]?.contains { $0.hasSuffix(step) }
            #expect(isStep == true, "\(name): \(plans[name] ?? [])")
        }
        #expect(plans["someMemberIDs"]?.contains { $0.contains("TEMP B-TREE") } == false)
        // The list of users is read once, not once for each member of the channel.
        #expect(plans["unreadOfMembers"]?.first?.hasPrefix("SCAN wanted") == true)
        // Counting the members is a query of its own, once for any number of new ones.
        #expect(plans["addMember"]?.contains { $0.contains("member") } == false)
    }

    @Test
    func `acknowledged messages survive a restart of the server`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let location = DatabaseLocation.file(folder.appendingPathComponent("server.sqlite").path)
        var log: [LogEntry] = []
        var key = ""
        var next = ""
        for start in 0..<3 {
            let executor = ThreadExecutor(name: "storage")
            let storage = try await SQLiteStorage(location, on: executor)
            let fixture = await ServerFixture(storage: storage, seed: UInt64(start))
            #expect(try await storage.log(of: "g") == log)
            let device = try await fixture.connect("alice")
            if start == 0 {
                try await fixture.channel(of: ["alice"], by: device)
            } else {
                let number = try #require(NumberedSecret(key)?.number)
                #expect(try await storage.session(number)?.userID == "alice")
                let changes = try await fixture.call(
                    MessageChangeLog(channelURL: "g", cursor: .token(next)), as: device)
                #expect(changes.updated.isEmpty)
            }
            await fixture.send("first", "r", to: "g", on: device)
            await fixture.send("\(start)", RequestID("\(start)"), to: "g", on: device)
            log = try await storage.log(of: "g")
            #expect(log.map(\.message.text) == ["first"] + (0...start).map { "\($0)" })
            key = device.key
            next = try await fixture.call(
                MessageChangeLog(channelURL: "g", cursor: .since(Timestamp(milliseconds: 0))),
                as: device
            ).next
        }
    }

    @Test
    func `a database of the first schema keeps its polls and the devices of its users`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let location = DatabaseLocation.file(folder.appendingPathComponent("server.sqlite").path)
        func polls() async throws -> [Int64] {
            let executor = ThreadExecutor(name: "storage")
            let storage = try await SQLiteStorage(location, on: executor)
            if try await storage.document(1, .poll) == nil {
                for moment in [7, 5, 9] as [Int64] {
                    _ = try await storage.addDocument(
                        Document(.poll, of: "ann", in: "g", body: ["changed": .int(moment)]))
                }
                try await storage.addUser(User(id: "ann"))
                _ = try await storage.updateUser("ann") { user in
                    user.traits.preferences = ["devices": ["apns": ["phone"]]]
                }
            }
            #expect(
                try await storage.deviceOwners("apns", "phone", after: nil, limit: 9) == ["ann"])
            return try await storage.documents(
                .poll, in: "g", changedAfter: (5, .max), limit: 9
            ).map(\.id)
        }
        #expect(try await polls() == [1, 3])
        try Connection(location).executeScript(
            """
            DROP TABLE device;
            DROP TABLE activity;
            DROP TABLE removal;
            DROP INDEX document_by_change;
            DROP INDEX document_by_request;
            DROP INDEX document_by_channel;
            DROP INDEX member_operator;
            DROP INDEX member_restricted;
            DROP INDEX member_present;
            DROP INDEX channel_live;
            DROP INDEX channel_created;
            CREATE INDEX channel_by_creator ON channel (created_by) WHERE deleted_at IS NULL;
            ALTER TABLE document DROP COLUMN changed_at;
            ALTER TABLE document DROP COLUMN request_id;
            DELETE FROM schema_migration WHERE number > 1;
            PRAGMA user_version = 1;
            """)
        #expect(try await polls() == [1, 3])
    }

    @Test
    func `overlapping readers do not let the write-ahead log grow without bound (scar 150)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let location = DatabaseLocation.file(folder.path + "/server.sqlite")
        let storage = try await SQLiteStorage(
            location, logLimit: 100,
            on: ThreadExecutor(name: "storage"))
        let readers = try OverlappingReaders(location)
        await readers.begin()
        var largest = 0
        for number in 0..<300 {
            let name = String(repeating: "n", count: 9_000)
            let user = User(id: UserID("u\(number)"), nickname: name)
            try await storage.addUser(user)
            let log = try FileManager.default.attributesOfItem(
                atPath: folder.path + "/server.sqlite-wal")[.size]
            largest = max(largest, (log as? Int) ?? 0)
        }
        await readers.end()
        #expect(largest < 500 * 4_120, "the log had \(largest) bytes")
    }
}

/// Two readers on a thread of their own; one of them is always reading.
private final class OverlappingReaders: Sendable {
    private let stop = Atomic(false)
    private let (began, ended) = (Gate(), Gate())
    private let location: DatabaseLocation

    init(_ location: DatabaseLocation) throws { self.location = location }

    func begin() async {
        Thread.run { [self] in
            defer { ended.open() }
            do {
                let readers = [try Connection(location), try Connection(location)]
                try look(readers[0])
                began.open()
                var turn = 0
                while !stop.load(ordering: .relaxed) {
                    try look(readers[1 - turn])
                    try readers[turn].executeScript("COMMIT")
                    turn = 1 - turn
                }
                try readers[turn].executeScript("COMMIT")
            } catch {
                Issue.record(error)
                began.open()
            }
        }
        await began.wait()
    }

    func end() async {
        stop.store(true, ordering: .relaxed)
        await ended.wait()
    }

    private func look(_ reader: Connection) throws {
        try reader.executeScript("BEGIN")
        _ = try reader.first(Query<Void, Int64>(sql: "SELECT count(*) FROM user") { $0.int64(0) })
    }
}
