// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostModel
internal import RoostSQLite

/// Damage that was met while a cache was in use.
package enum CacheDamage: Hashable, Sendable {
    /// Messages of a channel could not be read and were forgotten; the server is asked for them again.
    case forgotten(messages: Int, in: ChannelURL)
    /// The file may be damaged: `Store.mend` checks and repairs it, or its next opening does.
    case suspected(because: String)
}

/// Takes note of damage that is met while a cache is in use, so that somebody mends it.
///
/// An opening looks at a few pages. What it does not meet is met later, by whoever reads there, and would be
/// met by everybody after him: so it is told at once, and a mark in the folder outlives the process.
final class DamageWatch: Sendable {
    private struct State {
        var isSuspect = false
        /// A check has found nothing: what is met now would not be mended by another one.
        var isCleared = false
        /// Channels with messages that could not be read.
        var channelRows: Set<Int64> = []
        /// How many messages were forgotten because nobody could read them.
        var forgottenCount = 0
        /// Nil once the store is closed.
        var observers: [AsyncStream<CacheDamage>.Continuation]? = []

        mutating func tell(_ damage: CacheDamage) {
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

    /// The cache has been opened; a mark that is left could not be seen to.
    func begin() {
        let isSuspect = files?.isCacheSuspect ?? false
        state.withLock { ($0.isSuspect, $0.isCleared) = (isSuspect, false) }
    }

    /// The cache has been checked, and nothing was wrong with it.
    func clear() { state.withLock { $0.isCleared = true } }

    /// Notes what SQLite says of the file, if that is damage.
    func note(_ error: SQLiteError) {
        guard error.isCorrupt || error.isUnfittingSchema else { return }
        suspect(because: error.message)
    }

    /// Notes what kept a read from its end, if that is damage; `row` is the channel of an unreadable message.
    func note(_ error: SQLiteError, inChannel row: Int64?) {
        guard error.isMalformedValue else { return note(error) }
        if let row {
            state.withLock { _ = $0.channelRows.insert(row) }
        } else {
            suspect(because: error.description)
        }
    }

    /// Something is wrong that takes a look at the whole cache.
    func suspect(because reason: String) {
        guard let files else { return }
        let isNew = state.withLock { state in
            defer { state.isSuspect = true }
            return !state.isSuspect
        }
        guard isNew else { return }
        // Before anybody hears of it: the process may end with the next step.
        files.markCacheAsSuspect()
        state.withLock { state in
            if !state.isCleared { state.tell(.suspected(because: reason)) }
        }
    }

    /// Channels with messages that could not be read, and nobody has seen to.
    var channelRows: [Int64] { state.withLock { $0.channelRows.sorted() } }

    func noteSeenTo(_ rows: [Int64]) { state.withLock { $0.channelRows.subtract(rows) } }

    /// Messages are gone that nobody could read.
    func noteForgotten(_ count: Int, in channel: ChannelURL) {
        state.withLock { state in
            state.forgottenCount += count
            state.tell(.forgotten(messages: count, in: channel))
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

    /// The store is closed: nothing more is told.
    func finish() {
        let observers = state.withLock { state in
            defer { state.observers = nil }
            return state.observers
        }
        for observer in observers ?? [] { observer.finish() }
    }
}

extension StoreFiles {
    /// Whether somebody has met damage in the cache since it was checked last.
    var isCacheSuspect: Bool { PlainFile.identity(suspicion) != nil }

    /// Has the next opening check the cache; where that cannot be written, the next process that meets the
    /// damage tries again.
    func markCacheAsSuspect() { _ = try? PlainFile(writing: suspicion) }

    /// The cache has been checked, and repaired where it had to be.
    func clearSuspicion() { try? PlainFile.delete(suspicion) }
}
