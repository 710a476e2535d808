// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostSQLite

/// The state of the budget that the writer keeps between two commits.
struct BudgetKeeper: Sendable {
    /// The size of the log from which a commit empties it (scar 150).
    static let logLimit = Connection.keptLogBytes

    /// The budget; nil for no limit.
    let budget: CacheBudget?
    let order: ClearOrder
    /// The number of newest messages that each channel keeps.
    var keptMessages = 0
    /// No trim is tried below this size, because the last one could not reach a smaller one.
    var quietBelow: Int64 = 0
    /// The length at which the log is checked next; above the limit while a reader uses the log.
    var nextLogLimit = Self.logLimit

    /// Whether a trim is due and may have an effect.
    func isReached(by size: Int64) -> Bool {
        guard let budget else { return false }
        return budget.isReached(by: size) && size >= quietBelow
    }

    /// Pinned channels may keep the cache above its limit; the next attempt then waits until the
    /// cache has grown.
    mutating func noteTrim(endingAt size: Int64) {
        guard let budget else { return }
        quietBelow = budget.isReached(by: size) ? size + size / 16 : 0
    }
}

/// The sizes of messages in a packed file, by the measurements of `roost-bench cache`
/// (`docs/adr/0006-eviction.md`).
struct PackedBytes {
    /// The size of everything: messages, words and the rest.
    let all: Int64
    /// The factor from a channel's computed share to its share of the present size.
    private let factor: Double

    /// `used` is the size of all pages in use, `other` that of everything but messages, `words`
    /// that of the index of words, whose pages are always full.
    init(_ holdings: [Holding], used: Int64, other: Int64, words: Int64) {
        let rows = holdings.reduce(0) { $0 + Self.rows($1) }
        all = Int64(exactly: (rows + Double(words) + Double(other)).rounded()) ?? used
        factor = rows > 0 ? Double(max(used - other, 0)) / rows : 1
    }

    /// Returns the present size of a channel's messages: rows, share of the indexes, share of unfilled
    /// pages.
    func held(_ holding: Holding) -> Int64 {
        Int64(exactly: (Self.rows(holding) * factor).rounded()) ?? .max / 4
    }

    /// Returns the size in newly written tables and indexes, without the words.
    ///
    /// A file that grew takes up to a quarter more.
    static func rows(_ holding: Holding) -> Double {
        Double(max(holding.payloadBytes, 0)) * 1.1 + Double(max(holding.messageCount, 0)) * 52
    }
}
