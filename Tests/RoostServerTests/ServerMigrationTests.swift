// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostWire
import Testing

/// A server's database as the first release wrote it: its schema word by word, and a little of everything.
private enum FirstRelease {
    /// What stands here must stay the release's first step to the letter: the files in the field say so.
    static let schema: SQL = """
        -- One row: the number of the last change in the application, and its time.
        CREATE TABLE clock (
            id         INTEGER PRIMARY KEY CHECK (id = 1),
            sequence   INTEGER NOT NULL,
            changed_at INTEGER NOT NULL   -- Never goes back, whatever the machine's clock does.
        ) STRICT;
        INSERT INTO clock VALUES (1, 0, 0);

        CREATE TABLE user (
            id           INTEGER PRIMARY KEY,
            user_id      TEXT NOT NULL UNIQUE,
            body         TEXT NOT NULL,   -- The user as the protocol's JSON.
            access_token TEXT
        ) STRICT;

        CREATE TABLE session (
            key  TEXT PRIMARY KEY,
            user INTEGER NOT NULL REFERENCES user
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE channel (
            id           INTEGER PRIMARY KEY,
            url          TEXT NOT NULL UNIQUE,
            name         TEXT NOT NULL,
            cover_url    TEXT NOT NULL,
            data         TEXT NOT NULL,
            custom_type  TEXT NOT NULL,
            created_at   INTEGER NOT NULL,
            created_by   TEXT,
            distinct_key TEXT UNIQUE,      -- The members it was made for; NULL if not distinct.
            is_super     INTEGER NOT NULL,
            is_public    INTEGER NOT NULL,
            sequence     INTEGER NOT NULL, -- The last change a member can see.
            changed_at   INTEGER NOT NULL
        ) STRICT;

        -- Who is in a channel. Who left keeps the row, with state 'none', so that the change
        -- log can tell it.
        CREATE TABLE member (
            channel      INTEGER NOT NULL REFERENCES channel,
            user         INTEGER NOT NULL REFERENCES user,
            place        INTEGER NOT NULL, -- Orders the members of a channel.
            state        TEXT NOT NULL,
            role         TEXT NOT NULL,
            joined_at    INTEGER,
            last_read    INTEGER NOT NULL,
            delivered_at INTEGER,
            sequence     INTEGER NOT NULL, -- When the state last changed.
            changed_at   INTEGER NOT NULL,
            PRIMARY KEY (channel, user)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX member_by_user ON member (user, channel);

        -- The log of every channel. A deleted message keeps its place and its request ID.
        CREATE TABLE message (
            id           INTEGER PRIMARY KEY AUTOINCREMENT,
            channel      INTEGER NOT NULL REFERENCES channel,
            created_at   INTEGER NOT NULL,
            sender       INTEGER REFERENCES user,
            request_id   TEXT,
            kind         TEXT NOT NULL,    -- MESG, FILE, ADMM
            custom_type  TEXT NOT NULL,
            parent       INTEGER,
            is_counted   INTEGER NOT NULL, -- Unread counts and last messages look at these only.
            is_reply     INTEGER NOT NULL, -- 0: in the channel, 1: in a thread, 2: in both
            mentions_all INTEGER NOT NULL,
            sequence     INTEGER NOT NULL, -- The last change of it.
            changed_at   INTEGER NOT NULL,
            deleted_at   INTEGER,
            body         TEXT NOT NULL     -- The message as the protocol's JSON.
        ) STRICT;
        CREATE UNIQUE INDEX message_by_place ON message (channel, created_at, id);
        CREATE UNIQUE INDEX message_by_request ON message (channel, sender, request_id)
            WHERE request_id IS NOT NULL;
        CREATE UNIQUE INDEX message_by_change ON message (channel, sequence);

        -- Whom a live message calls by name.
        CREATE TABLE mention (
            message INTEGER NOT NULL REFERENCES message,
            user_id TEXT NOT NULL,
            PRIMARY KEY (message, user_id)
        ) STRICT, WITHOUT ROWID;
        """

    static let content: SQL = """
        UPDATE clock SET sequence = 9, changed_at = 1000009;
        INSERT INTO user VALUES
            (1, 'ann', '{"user_id":"ann","nickname":"Ann"}', 'plain-token'),
            (2, 'bob', '{"user_id":"bob","nickname":"Bob"}', NULL);
        INSERT INTO session VALUES ('plain-key', 1);
        INSERT INTO channel VALUES
            (1, 'g', 'Group', '', '', '', 1000000, 'ann', NULL, 0, 0, 8, 1000008);
        INSERT INTO member VALUES
            (1, 1, 1, 'joined', 'operator', 1000000, 1000001, NULL, 1, 1000001),
            (1, 2, 2, 'joined', 'none', 1000000, 0, NULL, 2, 1000002);
        INSERT INTO message VALUES
            (1, 1, 1000003, 1, 'r1', 'MESG', '', NULL, 1, 0, 0, 3, 1000003, NULL,
             '{"type":"MESG","message_id":1,"req_id":"r1","user":{"user_id":"ann"},"channel_url":"g","created_at":1000003,"message":"first"}'),
            (2, 1, 1000004, 2, 'r2', 'MESG', '', NULL, 1, 0, 0, 5, 1000005, 1000005,
             '{"type":"MESG","message_id":1,"req_id":"r2","user":{"user_id":"bob"},"channel_url":"g","created_at":1000004,"message":""}'),
            (3, 1, 1000006, 1, 'r3', 'MESG', '', NULL, 1, 0, 0, 6, 1000006, NULL,
             '{"type":"MESG","message_id":1,"req_id":"r3","user":{"user_id":"ann"},"channel_url":"g","created_at":1000006,"message":"last"}');
        INSERT INTO mention VALUES (3, 'bob');
        """
}

struct ServerMigrationTests {
    /// Opens a database of the first release in which `change` was done since.
    private func open(
        _ change: SQL = ""
    ) async throws -> (SQLiteStorage, folder: URL) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("server.sqlite").path
        do {
            let old = try Connection(.file(path))
            let first = Migrator(
                applicationID: 0x526F_5376, [Migration(1, "Chat", FirstRelease.schema)])
            try first.migrate(old)
            try old.executeScript(FirstRelease.content)
            try old.executeScript(change)
        }
        let executor = ThreadExecutor(name: "storage")
        return (
            try await SQLiteStorage(.file(path), digest: TestWorld.digest, on: executor), folder
        )
    }

    @Test func `a database of the first release opens with everything that was said in it`()
        async throws
    {
        let (storage, folder) = try await open()
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = try await storage.log(of: "g")
        #expect(log.map(\.message.text) == ["first", "", "last"])
        #expect(log.map { $0.deletedAt?.milliseconds } == [nil, 1_000_005, nil])
        #expect(log.first?.message.sender?.user.nickname == "Ann")
        let state = try #require(try await storage.channelStates(["g"], viewer: "bob").first)
        #expect(state.record.name == "Group" && state.record.traits == ChannelTraits())
        #expect(state.members.map(\.role) == [.operator, .none])
        #expect(state.unreadCount == 2 && state.mentionCount == 1)
        #expect(state.lastMessage?.text == "last")
        #expect(try await storage.unreadTotal(of: "bob") == 2)
        let page = try await storage.messageChanges(in: "g", after: .sequence(4), limit: 9)
        #expect(page.changes.count == 2 && page.end == 6)
    }

    @Test func `a database of the first release goes on: order, repeats, new tables`()
        async throws
    {
        let (storage, folder) = try await open()
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixture = await ServerFixture(storage: storage)
        let bob = try await fixture.connect("bob")
        let token = try await fixture.lastingToken(of: "ann")
        let ann = try await fixture.connect("ann", extra: [QueryItem("access_token", token)])
        await fixture.send("first", "r1", to: "g", on: ann)
        #expect(
            try ann.inbox.take().compactMap(\.message).first?.message.messageID == 1,
            "a repeat finds what the first release stored")
        await fixture.send("new", "r4", to: "g", on: ann)
        let news = try #require(try bob.inbox.take().compactMap(\.message).first)
        #expect(news.message.messageID == 4 && news.previousMessageID == 3)
        let report = try await storage.addDocument(Document(.report, of: "bob", body: [:]))
        #expect(report.id == 1)
    }

    private func canEnter(_ fixture: ServerFixture, _ token: String?) async -> Bool {
        let items = [QueryItem("ai", "APP"), QueryItem("user_id", "ann")]
        let handshake = Handshake(
            query: items + (token.map { [QueryItem("access_token", $0)] } ?? []))
        return await fixture.server.connect(handshake, Inbox()) != nil
    }

    /// The digest of the token `known`, with which a later release replaced the token in the clear.
    private static let digest = TestWorld.digest("known")

    @Test func `a token that an older release kept as a digest opens after the migration`()
        async throws
    {
        #expect(Self.digest == "ce37d087aedd67c337d1318ed88d2ead0e4398b6d140e75a7476d9c784af4cb9")
        let (storage, folder) = try await open(
            "UPDATE user SET access_token = 'ce37d087aedd67c337d1318ed88d2ead0e4398b6d140e75a7476d9c784af4cb9' WHERE user_id = 'ann'"
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixture = await ServerFixture(storage: storage)
        let kept = try #require(try await storage.token(nil, of: "ann").record?.kept)
        #expect(kept.salt.utf8.count == 32 && kept.hash.utf8.count == 64)
        #expect(kept.hash != Self.digest)
        for text in [nil, Self.digest, kept.hash, kept.salt, "plain-token"] {
            #expect(await !canEnter(fixture, text), "\(text ?? "no token")")
        }
        #expect(await canEnter(fixture, "known"))
        #expect(try await !storage.token(nil, of: "bob").isNeeded)
    }

    @Test func `a token in the clear and keys of older releases end with the migration`()
        async throws
    {
        let (storage, folder) = try await open()
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixture = await ServerFixture(storage: storage)
        #expect(try await storage.token(nil, of: "ann") == UserToken(isNeeded: true))
        for text in [nil, "plain-token", TestWorld.digest("plain-token")] {
            #expect(await !canEnter(fixture, text), "\(text ?? "no token")")
        }
        let key = Handshake(query: [QueryItem("ai", "APP"), QueryItem("key", "plain-key")])
        #expect(await fixture.server.connect(key, Inbox()) == nil)
    }
}
