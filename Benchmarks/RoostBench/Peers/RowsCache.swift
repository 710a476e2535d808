// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite
internal import RoostWire

/// A cache as an app can write it in an afternoon: a row of JSON for each message, and one index.
///
/// A peer of ours. It uses our connection with the same settings, our decoder and our encoder, so
/// the difference is that of the layout. It knows nothing about holes or other processes, and it
/// searches by reading every text.
final class RowsCache {
    private let connection: Connection

    init(_ path: String, waitsForDisk: Bool = false) throws(BenchError) {
        do throws(SQLiteError) {
            var options = ConnectionOptions()
            options.durability = waitsForDisk ? .powerLoss : .processCrash
            connection = try Connection(.file(path), options)
            try connection.execute(.messageTable, ())
            try connection.execute(.messageIndex, ())
            try connection.execute(.channelTable, ())
        } catch {
            throw BenchError(error)
        }
    }

    func putChannels(_ body: [UInt8]) throws(BenchError) {
        let channels = try Self.read(body) { reader throws(WireError) in
            try ListMyChannels.read(&reader).channels
        }
        try write { () throws(SQLiteError) in
            for channel in channels {
                var writer = JSONWriter()
                writer.groupChannel(channel)
                try connection.execute(
                    .putChannel,
                    (channel.url.rawValue, channel.lastActivity, writer.text))
            }
        }
    }

    /// Writes one page of messages in one transaction.
    func putPage(_ body: [UInt8]) throws(BenchError) {
        try put(
            Self.read(body) { reader throws(WireError) in
                try ListMessages.read(&reader).messages
            })
    }

    func putLive(_ body: [UInt8]) throws(BenchError) {
        try put([Self.read(body) { reader throws(WireError) in try reader.readMessage() }])
    }

    private func put(_ messages: [Message]) throws(BenchError) {
        try write { () throws(SQLiteError) in
            for message in messages {
                var writer = JSONWriter()
                writer.message(message)
                try connection.execute(.putMessage, (message, writer.text))
            }
        }
    }

    private func write(_ body: () throws(SQLiteError) -> Void) throws(BenchError) {
        do throws(SQLiteError) {
            try connection.transaction(body)
        } catch {
            throw BenchError(error)
        }
    }

    @discardableResult
    func channels(_ count: Int) throws(BenchError) -> Int {
        try rows(.newestChannels, count) { reader throws(WireError) in
            _ = try reader.readGroupChannel()
        }
    }

    @discardableResult
    func page(_ place: Place, count: Int) throws(BenchError) -> Int {
        try rows(.page, (place, count)) { reader throws(WireError) in
            _ = try reader.readMessage()
        }
    }

    /// Finds the newest messages that contain each of at most two words.
    func search(_ words: String, count: Int) throws(BenchError) -> Int {
        let words = words.split(separator: " ").map { "%\($0)%" }
        return try rows(
            .containing, (words.first ?? "%", words.dropFirst().first ?? "%", count)
        ) { reader throws(WireError) in
            _ = try reader.readMessage()
        }
    }

    /// Reads the rows of a query and decodes each; returns their number.
    private func rows<Input>(
        _ query: Query<Input, String>, _ input: Input,
        _ decode: (inout JSONReader) throws(WireError) -> Void
    ) throws(BenchError) -> Int {
        let texts: [String]
        do throws(SQLiteError) {
            texts = try connection.all(query, input)
        } catch {
            throw BenchError(error)
        }
        for text in texts {
            do throws(WireError) {
                var reader = JSONReader(text)
                try decode(&reader)
            } catch {
                throw BenchError(error)
            }
        }
        return texts.count
    }

    private static func read<T>(
        _ body: [UInt8], _ decode: (inout JSONReader) throws(WireError) -> T
    ) throws(BenchError) -> T {
        do throws(WireError) {
            var reader = try JSONReader(bytes: body)
            return try decode(&reader)
        } catch {
            throw BenchError(error)
        }
    }
}

extension GroupChannel {
    /// The moment by which the list is ordered.
    fileprivate var lastActivity: Int64 { (lastMessage?.createdAt ?? createdAt).milliseconds }
}

extension BenchError {
    fileprivate init(_ error: SQLiteError) { self.init("The cache of rows failed: \(error)") }
}

extension Query where Input == Void, Output == Void {
    fileprivate static var messageTable: Query {
        Query(
            sql: """
                CREATE TABLE IF NOT EXISTS message (
                    id INTEGER PRIMARY KEY, channel TEXT NOT NULL, created_at INTEGER NOT NULL,
                    text TEXT NOT NULL, json TEXT NOT NULL)
                """)
    }

    fileprivate static var messageIndex: Query {
        Query(
            sql: """
                CREATE INDEX IF NOT EXISTS message_by_time ON message (channel, created_at)
                """)
    }

    fileprivate static var channelTable: Query {
        Query(
            sql: """
                CREATE TABLE IF NOT EXISTS channel (
                    url TEXT PRIMARY KEY, last_activity INTEGER NOT NULL, json TEXT NOT NULL)
                """)
    }
}

extension Query where Input == (String, Int64, String), Output == Void {
    fileprivate static var putChannel: Query {
        Query(sql: "INSERT OR REPLACE INTO channel VALUES (?1, ?2, ?3)") { input, bindings in
            bindings.append(input.0)
            bindings.append(input.1)
            bindings.append(input.2)
        }
    }
}

extension Query where Input == (Message, String), Output == Void {
    fileprivate static var putMessage: Query {
        Query(
            sql: "INSERT OR REPLACE INTO message VALUES (?1, ?2, ?3, ?4, ?5)"
        ) { input, bindings in
            bindings.append(input.0.messageID?.rawValue)
            bindings.append(input.0.channelURL.rawValue)
            bindings.append(input.0.createdAt.milliseconds)
            bindings.append(input.0.text)
            bindings.append(input.1)
        }
    }
}

extension Query where Input == Int, Output == String {
    fileprivate static var newestChannels: Query {
        Query(
            sql: "SELECT json FROM channel ORDER BY last_activity DESC LIMIT ?1",
            bind: { count, bindings in bindings.append(count) },
            decode: { row throws(SQLiteError) in row.text(0) })
    }
}

extension Query where Input == (Place, Int), Output == String {
    fileprivate static var page: Query {
        Query(
            sql: """
                SELECT json FROM message WHERE channel = ?1 AND created_at < ?2
                ORDER BY created_at DESC LIMIT ?3
                """,
            bind: { input, bindings in
                bindings.append(input.0.url)
                bindings.append(input.0.moment)
                bindings.append(input.1)
            },
            decode: { row throws(SQLiteError) in row.text(0) })
    }
}

extension Query where Input == (String, String, Int), Output == String {
    fileprivate static var containing: Query {
        Query(
            sql: """
                SELECT json FROM message WHERE text LIKE ?1 AND text LIKE ?2
                ORDER BY created_at DESC LIMIT ?3
                """,
            bind: { input, bindings in
                bindings.append(input.0)
                bindings.append(input.1)
                bindings.append(input.2)
            },
            decode: { row throws(SQLiteError) in row.text(0) })
    }
}
