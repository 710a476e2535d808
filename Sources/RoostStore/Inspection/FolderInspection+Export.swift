// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

/// One piece of `FolderInspection.export`.
package enum ExportedItem: Equatable, Sendable {
    /// A channel, before its messages; nil if only its messages are cached. The ranges are those
    /// without a missing message.
    case channel(ChannelURL, GroupChannel?, Coverage)
    case message(Message)
    case unsent(OutboxItem)
}

/// The numbers of exported and of unreadable items.
package struct ExportCount: Equatable, Sendable {
    package var channels = 0
    package var messages = 0
    package var unsent = 0
    /// The number of unreadable rows.
    package var unreadable = 0

    package init() {}
}

extension FolderInspection {
    /// Exports the content of a folder piece by piece: each channel with its messages, oldest
    /// first, then the unsent items.
    ///
    /// All pieces are from one state of the cache. The export changes nothing. A client may have
    /// the files open; its log grows during the export.
    ///
    /// - Parameters:
    ///   - folder: A folder that contains a `cache.sqlite`.
    ///   - channel: The channel to export; nil for all.
    ///   - protection: The keys of an encrypted folder.
    ///   - take: Called for each piece; returns false to end the export.
    /// - Returns: The numbers of exported pieces.
    /// - Throws: An error that prevents reading; an unreadable row is counted instead.
    /// - Complexity: Keeps one message in memory at a time.
    package static func export(
        _ folder: String, only channel: ChannelURL? = nil, _ protection: StoreProtection = .none,
        _ take: @Sendable @escaping (ExportedItem) -> Bool
    ) async throws(StoreError) -> ExportCount {
        let files = StoreFiles(folder: folder)
        let (owner, keys) = protection.ofFolder(folder)
        var (count, isEnded) = try await reading(
            files.cache, StoreSchema.current.cache, keys, owner
        ) {
            connection throws(StoreError) in
            try await connection.snapshot { session throws(SQLiteError) in
                var export = CacheExport(session: session, take: take)
                for url in try session.connection.channelURLs()
                where channel == nil || url == channel {
                    try export.channel(url)
                }
                return (export.count, export.isEnded)
            }
        }
        guard !isEnded, DatabaseFiles(files.outbox).exists else { return count }
        let outbox = try await reading(files.outbox, StoreSchema.current.outbox, keys, owner) {
            connection throws(StoreError) in
            try await connection.inspect { connection throws(SQLiteError) in
                try connection.storedItems()
            }
        }
        // Marks of inboxes are no content.
        for item in outbox.items
        where (channel == nil || item.channel == channel) && item.inboxMark == nil {
            guard take(.unsent(item)) else { break }
            count.unsent += 1
        }
        if channel == nil { count.unreadable += outbox.unreadable.count }
        return count
    }
}

private struct CacheExport {
    let session: ReadSession
    let take: @Sendable (ExportedItem) -> Bool
    var count = ExportCount()
    /// Whether the receiver has ended the export.
    var isEnded = false

    init(session: ReadSession, take: @Sendable @escaping (ExportedItem) -> Bool) {
        (self.session, self.take) = (session, take)
    }

    mutating func channel(_ url: ChannelURL) throws(SQLiteError) {
        guard !isEnded, let stored = try session.connection.storedChannel(url) else { return }
        var channel: GroupChannel?
        do throws(SQLiteError) {
            channel = try session.channel(stored)
        } catch  where error.isMalformedValue {
            count.unreadable += 1
        }
        isEnded = !take(.channel(url, channel, try session.coverage(ofRow: stored.row)))
        if isEnded { return }
        count.channels += 1
        let stretch = MessageStretch(
            channelRow: stored.row, lower: .distantPast, upper: .distantFuture)
        try session.connection.scan(.oldestMessages, stretch) { row throws(SQLiteError) in
            do throws(SQLiteError) {
                isEnded = !take(.message(try session.message(row, in: url).message))
                if !isEnded { count.messages += 1 }
            } catch  where error.isMalformedValue {
                count.unreadable += 1
            }
            return !isEnded
        }
    }
}
