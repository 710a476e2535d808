// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

/// What the engine remembers for the cache's limit.
struct BudgetWatch {
    /// Commits between two looks at the size.
    static let interval = 16
    /// A channel opened again within a minute is not worth another commit.
    static let accessPauseMS: Int64 = 60_000

    private var commitsLeft: Int?
    private var isTrimming = false
    private var openedAt: [ChannelURL: Timestamp] = [:]

    /// Whether the size is to be looked at after this commit; never before the first login.
    mutating func isDue() -> Bool {
        guard let left = commitsLeft, !isTrimming else { return false }
        commitsLeft = left > 1 ? left - 1 : Self.interval
        return left == 1
    }

    /// The first login begins the watch; true for that one only.
    mutating func begin() -> Bool {
        guard commitsLeft == nil else { return false }
        commitsLeft = Self.interval
        return true
    }

    /// One trim at a time, because its own steps are commits.
    mutating func beginTrim() -> Bool {
        defer { isTrimming = true }
        return !isTrimming
    }

    mutating func endTrim() { isTrimming = false }

    /// Whether it is worth a commit that a channel was opened.
    mutating func noteOpening(of channel: ChannelURL, at now: Timestamp) -> Bool {
        if let last = openedAt[channel],
            last <= now, now.milliseconds(since: last) < Self.accessPauseMS
        {
            return false
        }
        openedAt[channel] = now
        return true
    }
}

extension SyncEngine {
    /// The limit is looked at after the first login (R126), and every few commits from then on.
    func beginBudgetWatch() {
        if budgetWatch.begin() { keepBudget() }
    }

    func keepBudget() {
        guard budgetWatch.beginTrim() else { return }
        run { engine in
            // What the disk refuses now is tried again with the next commits.
            try? await engine.keepBudgetNow()
            await engine.endTrim()
        }
    }

    private func keepBudgetNow() async throws(RoostError) {
        do throws(StoreError) {
            guard try await store.writer.isBudgetReached() else { return }
        } catch {
            throw RoostError(error)
        }
        try await trim(downTo: nil)
    }

    private func endTrim() { budgetWatch.endTrim() }

    /// Notes that somebody looks at a channel (R122).
    func noteOpening(of channel: ChannelURL) {
        let now = world.wallTime()
        guard budgetWatch.noteOpening(of: channel, at: now) else { return }
        // A moment that is not noted makes the channel go a little sooner, no more.
        run { engine in _ = try? await engine.commit([.accessed(channel, at: now)], from: .local) }
    }

    func cacheSize() async throws(RoostError) -> Int64 {
        do { return try await store.writer.cacheBytes() } catch { throw RoostError(error) }
    }

    func evictionPlan(downTo bytes: Int64?) async throws(RoostError) -> CacheTrim {
        do {
            let plan = try await store.writer.evictionPlan(
                downTo: bytes, sparing: Set(sync.timelines.channels))
            return CacheTrim(
                channels: plan.channels.map { CachedChannel($0) }, sizeBefore: plan.sizeBefore,
                sizeAfter: plan.expectedSize)
        } catch {
            throw RoostError(error)
        }
    }

    func trimCache(downTo bytes: Int64?) async throws(RoostError) -> CacheTrim {
        let trim = try await trim(downTo: bytes)
        return CacheTrim(
            channels: trim.evicted.map { CachedChannel($0) }, sizeBefore: trim.plan.sizeBefore,
            sizeAfter: trim.size)
    }

    func clearCache(of channel: ChannelURL) async throws(RoostError) {
        try await commit([.clearMessages(channel)], from: .upkeep)
        // Nothing goes by this; it returns what has become free.
        try await trim(downTo: .max)
        fetchAgain(channel)
    }

    func eraseCache(of channel: ChannelURL) async throws(RoostError) -> Bool {
        var isComplete = false
        try await commit(from: .upkeep) { writer throws(StoreError) in
            let (commit, erasure) = try await writer.erase(channel)
            isComplete = erasure == .complete
            return commit
        }
        try await trim(downTo: .max)
        fetchAgain(channel)
        return isComplete
    }

    /// Whoever looks at a channel that has lost its messages gets them again.
    private func fetchAgain(_ channel: ChannelURL) {
        for id in sync.timelines.ids(of: channel) { receive(.wish(.synchronize(id))) }
    }

    func clearCache() async throws(RoostError) {
        // Most of it in a way that neither holds up others for long nor fills the log.
        try await trim(downTo: 0)
        try await commit([.clearAll], from: .upkeep)
        // What is open fills again as if it had just been opened.
        receive(.wish(.beginListsAnew))
        for channel in sync.timelines.channels { fetchAgain(channel) }
        if isOnline { catchUpChannels() }
        try await trim(downTo: .max)
    }

    /// Trims step by step; each is handed to the collections like any commit.
    @discardableResult
    private func trim(downTo bytes: Int64?) async throws(RoostError) -> Trim {
        var trim: Trim
        do throws(StoreError) {
            trim = try await store.writer.beginTrim(
                downTo: bytes, sparing: Set(sync.timelines.channels))
        } catch {
            throw RoostError(error)
        }
        while !trim.isDone {
            let before = trim
            var after = trim
            try await commit(from: .upkeep) { writer throws(StoreError) in
                let step = try await writer.advance(before, sparing: Set(sync.timelines.channels))
                after = step.trim
                return step.commit
            }
            trim = after
        }
        for channel in trim.evicted { fetchAgain(channel.url) }
        return trim
    }
}
