// SPDX-License-Identifier: Apache-2.0

import CRoostSQLite
public import Foundation
public import SendBirdSDK

/// The database guide in code: SQLite tables of the app's own, filled with serialised objects.
///
/// Each table has columns for its queries, and the object as payload.
@safe public final class MessageTable {
    public struct Failure: Error {
        public let message: String
    }

    private let database: OpaquePointer

    public init(path: String) throws {
        var database: OpaquePointer?
        // SAFETY: the pointer is set by the call that succeeds, and closed in `deinit`.
        guard unsafe sqlite3_open(path, &database) == SQLITE_OK, let database = unsafe database
        else { throw Failure(message: "\(path) cannot be opened") }
        unsafe self.database = database
        try run(
            """
            CREATE TABLE IF NOT EXISTS message (
                message_id  INTEGER PRIMARY KEY,
                channel_url TEXT NOT NULL,
                message_ts  INTEGER NOT NULL,
                payload     BLOB NOT NULL
            )
            """)
        try run(
            "CREATE INDEX IF NOT EXISTS message_by_time ON message (channel_url, message_ts)")
        // A channel occurs once; one without a message is sorted by its time of creation.
        try run(
            """
            CREATE TABLE IF NOT EXISTS channel (
                channel_url     TEXT PRIMARY KEY,
                last_message_ts INTEGER NOT NULL,
                payload         BLOB NOT NULL
            )
            """)
        // The time of the last message in an open channel is unknown, so the time of creation sorts
        // it.
        try run(
            """
            CREATE TABLE IF NOT EXISTS open_channel (
                channel_url        TEXT PRIMARY KEY,
                channel_created_at INTEGER NOT NULL,
                payload            BLOB NOT NULL
            )
            """)
        // A token of one channel is about its messages, and is deleted with them.
        try run(
            """
            CREATE TABLE IF NOT EXISTS token (
                name        TEXT NOT NULL,
                channel_url TEXT NOT NULL, -- empty for the token of all channels
                token       TEXT NOT NULL,
                PRIMARY KEY (name, channel_url)
            )
            """)
    }

    deinit { _ = unsafe sqlite3_close(database) }

    // MARK: Messages

    /// Inserts messages of the server; unsent messages have no ID and are left out.
    public func insert(_ messages: [SBDBaseMessage]) throws {
        for message in messages where message.messageId != 0 {
            guard let payload = message.serialize() else { continue }
            try run(
                "INSERT OR REPLACE INTO message VALUES (?1, ?2, ?3, ?4)",
                [
                    .int(message.messageId), .text(message.channelUrl),
                    .int(message.createdAt), .bytes(payload),
                ])
        }
    }

    /// Updates the messages that are in the table; others are ignored.
    public func update(_ messages: [SBDBaseMessage]) throws {
        for message in messages {
            guard let payload = message.serialize() else { continue }
            try run(
                "UPDATE message SET payload = ?2 WHERE message_id = ?1",
                [.int(message.messageId), .bytes(payload)])
        }
    }

    public func delete(_ messageIds: [NSNumber]) throws {
        for id in messageIds {
            try run("DELETE FROM message WHERE message_id = ?1", [.int(id.int64Value)])
        }
    }

    /// Returns a channel's messages, oldest first.
    public func messages(in channelUrl: String) throws -> [SBDBaseMessage] {
        try run(
            "SELECT payload FROM message WHERE channel_url = ?1 ORDER BY message_ts, message_id",
            [.text(channelUrl)]
        ).compactMap { SBDBaseMessage.build(fromSerializedData: $0) }
    }

    // MARK: Channels

    /// Replaces all channels with the server's; the messages of a missing channel are deleted too.
    public func replaceChannels(with channels: [SBDGroupChannel]) throws {
        let kept = Set(channels.map(\.channelUrl))
        try inTransaction {
            let known = try run("SELECT channel_url FROM channel")
                .map { String(decoding: $0, as: UTF8.self) }
            try deleteRows(of: known.filter { !kept.contains($0) })
            try insert(channels)
        }
    }

    /// Inserts or updates channels; a hidden one is deleted, because the list does not show it.
    public func insert(_ channels: [SBDGroupChannel]) throws {
        for channel in channels {
            guard !channel.isHidden else {
                try deleteRows(of: [channel.channelUrl])
                continue
            }
            guard let payload = channel.serialize() else { continue }
            let time = channel.lastMessage?.createdAt ?? Int64(channel.createdAt) * 1000
            try run(
                "INSERT OR REPLACE INTO channel VALUES (?1, ?2, ?3)",
                [.text(channel.channelUrl), .int(time), .bytes(payload)])
        }
    }

    /// Deletes channels that are no longer the user's, with their messages and tokens.
    public func deleteChannels(_ channelUrls: [String]) throws {
        try inTransaction { try deleteRows(of: channelUrls) }
    }

    /// Deletes all rows of channels.
    ///
    /// The tokens must go too: after a return to the channel they would skip the deleted messages.
    private func deleteRows(of channelUrls: [String]) throws {
        for url in channelUrls {
            for table in ["channel", "message", "token"] {
                try run("DELETE FROM \(table) WHERE channel_url = ?1", [.text(url)])
            }
        }
    }

    /// Returns all channels, the one with the oldest last message first.
    public func channels() throws -> [SBDGroupChannel] {
        try run("SELECT payload FROM channel ORDER BY last_message_ts")
            .compactMap { SBDGroupChannel.build(fromSerializedData: $0) }
    }

    // MARK: Open channels

    /// Replaces all open channels with the server's.
    public func replaceOpenChannels(with channels: [SBDOpenChannel]) throws {
        try inTransaction {
            try run("DELETE FROM open_channel")
            for channel in channels {
                guard let payload = channel.serialize() else { continue }
                let time = Int64(channel.createdAt) * 1000
                try run(
                    "INSERT OR REPLACE INTO open_channel VALUES (?1, ?2, ?3)",
                    [.text(channel.channelUrl), .int(time), .bytes(payload)])
            }
        }
    }

    /// Returns all open channels, the oldest first.
    public func openChannels() throws -> [SBDOpenChannel] {
        try run("SELECT payload FROM open_channel ORDER BY channel_created_at, channel_url")
            .compactMap { SBDOpenChannel.build(fromSerializedData: $0) }
    }

    // MARK: Tokens of pages and change logs

    /// Returns a token of one channel, or of all channels.
    public func token(_ name: String, of channelUrl: String = "") throws -> String? {
        try run(
            "SELECT token FROM token WHERE name = ?1 AND channel_url = ?2",
            [.text(name), .text(channelUrl)]
        ).first.map { String(decoding: $0, as: UTF8.self) }
    }

    public func setToken(_ token: String, _ name: String, of channelUrl: String = "") throws {
        try run(
            "INSERT OR REPLACE INTO token VALUES (?1, ?2, ?3)",
            [.text(name), .text(channelUrl), .text(token)])
    }

    // MARK: SQLite

    private enum Value {
        case int(Int64)
        case text(String)
        case bytes(Data)
    }

    private func inTransaction(_ work: () throws -> Void) throws {
        try run("BEGIN")
        do {
            try work()
            try run("COMMIT")
        } catch {
            try run("ROLLBACK")
            throw error
        }
    }

    /// Runs a statement and returns the first column of its rows as bytes.
    @discardableResult
    private func run(_ sql: String, _ values: [Value] = []) throws -> [Data] {
        var statement: OpaquePointer?
        // SAFETY: the statement is used until it is finalised below; the texts are copied.
        guard unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure
        }
        defer { _ = unsafe sqlite3_finalize(statement) }
        let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .int(let number): _ = unsafe sqlite3_bind_int64(statement, place, number)
            case .text(let text): _ = unsafe sqlite3_bind_text(statement, place, text, -1, copy)
            case .bytes(let data):
                _ = unsafe data.withUnsafeBytes { bytes in
                    unsafe sqlite3_bind_blob(
                        statement, place, bytes.baseAddress, Int32(bytes.count), copy)
                }
            }
        }
        var rows: [Data] = []
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW:
                let count = unsafe Int(sqlite3_column_bytes(statement, 0))
                guard let bytes = unsafe sqlite3_column_blob(statement, 0) else { continue }
                rows.append(unsafe Data(bytes: bytes, count: count))
            case SQLITE_DONE: return rows
            default: throw failure
            }
        }
    }

    private var failure: Failure {
        Failure(message: unsafe String(cString: sqlite3_errmsg(database)))
    }
}
