// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostModel
internal import RoostSQLite

/// Damage found while a cache is in use.
package enum CacheDamage: Equatable, Sendable {
    /// Unreadable messages of a channel were deleted, and are to be fetched again.
    case forgotten(messages: Int, in: ChannelURL)
    /// The file may be damaged: `Store.mend` checks and repairs it, or its next opening does.
    case suspected(because: String)
}

/// Records damage found while a cache is in use.
///
/// The opening checks only a few pages, so other damage shows at the first read of it. The damage
/// is reported at once, and a mark in the folder outlives the process.
final class DamageWatch: Sendable {
    private struct State {
        var isSuspect = false
        /// Whether a full check has found nothing; later damage would not be repaired by another
        /// one.
        var isCleared = false
        /// Channels with messages that could not be read.
        var channelRows: Set<Int64> = []
        /// The number of unreadable messages that were deleted.
        var forgottenCount = 0
        /// Nil once the store is closed.
        var observers: [AsyncStream<CacheDamage>.Continuation]? = []

        mutating func report(_ damage: CacheDamage) {
            observers?.removeAll { observer in
                if case .terminated = observer.yield(damage) { true } else { false }
            }
        }
    }

    /// Nil in memory.
    private let files: StoreFiles?
    private let state = Guarded(State())

    init(_ files: StoreFiles? = nil) { self.files = files }

    var isSuspect: Bool { state.withLock { $0.isSuspect } }
    var forgottenCount: Int { state.withLock { $0.forgottenCount } }

    /// Clears the record after an opening; a mark that is still there stands for damage not yet
    /// repaired.
    func begin() {
        let isSuspect = files?.isCacheSuspect ?? false
        state.withLock { ($0.isSuspect, $0.isCleared) = (isSuspect, false) }
    }

    /// Notes that a full check has found nothing.
    func clear() { state.withLock { $0.isCleared = true } }

    /// Records an error of SQLite if it means damage.
    func note(_ error: SQLiteError) {
        guard error.isCorrupt || error.isUnfittingSchema else { return }
        suspect(because: error.message)
    }

    /// Records the error that ended a read if it means damage; `row` is the channel of an
    /// unreadable message.
    func note(_ error: SQLiteError, inChannel row: Int64?) {
        guard error.isMalformedValue else { return note(error) }
        if let row {
            state.withLock { _ = $0.channelRows.insert(row) }
        } else {
            suspect(because: error.description)
        }
    }

    /// Records damage that needs a check of the whole cache.
    func suspect(because reason: String) {
        guard let files else { return }
        let isNew = state.withLock { state in
            defer { state.isSuspect = true }
            return !state.isSuspect
        }
        guard isNew else { return }
        // The mark is written before the report, because the process may end at any time.
        files.markCacheAsSuspect()
        state.withLock { state in
            if !state.isCleared { state.report(.suspected(because: reason)) }
        }
    }

    /// The channels with unreadable messages that are not deleted yet.
    var channelRows: [Int64] { state.withLock { $0.channelRows.sorted() } }

    func removeRepaired(_ rows: [Int64]) { state.withLock { $0.channelRows.subtract(rows) } }

    /// Counts deleted messages that were unreadable, and reports them.
    func noteForgotten(_ count: Int, in channel: ChannelURL) {
        state.withLock { state in
            state.forgottenCount = state.forgottenCount.addingSaturated(count)
            state.report(.forgotten(messages: count, in: channel))
        }
    }

    func observe() -> AsyncStream<CacheDamage> {
        let (stream, continuation) = AsyncStream.makeStream(of: CacheDamage.self)
        let isOpen = state.withLock { state in
            state.observers?.append(continuation)
            return state.observers != nil
        }
        if !isOpen { continuation.finish() }
        return stream
    }

    /// Ends the reports, because the store is closed.
    func finish() {
        let observers = state.withLock { state in
            defer { state.observers = nil }
            return state.observers
        }
        for observer in observers ?? [] { observer.finish() }
    }
}

extension StoreFiles {
    /// Whether damage was found in the cache after its last check.
    var isCacheSuspect: Bool { PlainFile.identity(suspicion) != nil }

    /// Marks the cache for a check at the next opening; if the mark cannot be written, the next
    /// process that finds the damage tries again.
    func markCacheAsSuspect() { _ = try? PlainFile(writing: suspicion) }

    /// Removes the mark after a check, and a repair if one was needed.
    func clearSuspicion() { try? PlainFile.delete(suspicion) }
}
