// SPDX-License-Identifier: Apache-2.0

internal import RoostCore

/// What the writer remembers of its budget between two commits.
struct BudgetKeeper: Sendable {
    /// Beyond so many bytes the log is emptied after a commit (scar 150).
    static let logLimit: Int64 = 16 * 1_048_576

    /// Nil: no limit.
    let budget: CacheBudget?
    let order: ClearOrder
    /// No trim below this size, because the last one could do no better.
    var quietBelow: Int64 = 0
    /// The length at which the log is looked at next; more than the limit while a reader holds it.
    var nextLogLimit = Self.logLimit

    /// Whether a trim is due and promises something.
    func isReached(by size: Int64) -> Bool {
        guard let budget else { return false }
        return budget.isReached(by: size) && size >= quietBelow
    }

    /// Pinned channels may keep the cache above its limit; then it is tried again when it has grown.
    mutating func noteTrim(endingAt size: Int64) {
        guard let budget else { return }
        quietBelow = budget.isReached(by: size) ? size + size / 16 : 0
    }
}

/// What messages take in a packed file; measured by `roost bench cache` (`docs/adr/0006-eviction.md`).
enum PackedBytes {
    /// What the figures have to be multiplied with, because together they are no more than is there.
    static func factor(of holdings: [Holding], in size: CacheSize, hasSearch: Bool) -> Double {
        let sum = holdings.reduce(0) { $0 + estimate($1, hasSearch) }
        return sum > 0 ? min(1, Double(max(size.used - size.other, 0)) / sum) : 1
    }

    /// Of a channel's messages: their rows, the unfilled ends of pages, their share of the indexes.
    static func of(_ holding: Holding, _ factor: Double, hasSearch: Bool) -> Int64 {
        Int64(exactly: (estimate(holding, hasSearch) * factor).rounded()) ?? .max / 4
    }

    private static func estimate(_ holding: Holding, _ hasSearch: Bool) -> Double {
        let each: Double = hasSearch ? 155 : 95
        return Double(max(holding.payloadBytes, 0)) * 1.1
            + Double(max(holding.messageCount, 0)) * each
    }
}
