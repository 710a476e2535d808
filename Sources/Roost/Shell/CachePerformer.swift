// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore

/// Reads the cache, commits to it and keeps it whole and small enough.
final class CachePerformer: Sendable {
    /// The number of messages indexed at a time; a live message waits about 5 ms at most.
    private static let indexingStep = 500

    /// The number of commits after which the index follows; half of those that are kept for it.
    private static let commitsBetweenIndexing = Store.commitsKeptForIndex / 2

    private let store: Store
    private let feed: InputFeed
    /// The trims in progress, by their operations.
    private let trims = Guarded<[SyncMachine.OperationID: Trim]>([:])
    /// The commits that the index has not been asked to follow.
    private let unindexedCommits = Guarded(0)

    init(_ store: Store, _ feed: InputFeed) {
        self.store = store
        self.feed = feed
    }

    /// Returns the place of the reader for a question.
    ///
    /// A connection answers one question after another. So scans go to the connection of the app's
    /// long reads, and no screen waits for them.
    static func reader(of question: StoreQuestion, among count: Int) -> Int {
        question.isScan ? count - 1 : 0
    }

    func read(_ question: StoreQuestion, for id: SyncMachine.OperationID) {
        let reader = store.readers[Self.reader(of: question, among: store.readers.count)]
        feed.reply(to: id, Reply.read) { () async throws(RoostError) in
            try await reader.answer(question)
        }
    }

    /// Commits mutations unless a condition holds; the reply is nil if it holds.
    func commit(
        _ mutations: [Mutation], unless condition: CommitCondition?,
        for id: SyncMachine.OperationID
    ) {
        feed.reply(to: id, Reply.committed) { () async throws(StoreError) in
            defer { self.followCommits() }
            let writer = self.store.writer
            guard let condition else { return try await writer.commit(mutations) }
            return try await writer.commit(mutations, unless: condition)
        }
    }

    // MARK: Upkeep

    func keep(_ task: CacheTask, for id: SyncMachine.OperationID) {
        feed.reply(to: id, Reply.kept) { () async throws(StoreError) in
            do throws(StoreError) { return try await self.perform(task, for: id) } catch {
                self.trims.withLock { $0[id] = nil }
                throw error
            }
        }
    }

    private func perform(
        _ task: CacheTask, for id: SyncMachine.OperationID
    ) async throws(StoreError) -> CacheTaskAnswer {
        switch task {
        case .checkLimit: return .limit(isReached: try await store.writer.isBudgetReached())
        case .beginTrim(let target, let open):
            let trim = try await store.writer.beginTrim(downTo: target, sparing: open)
            return note(trim, nil, id)
        case .advanceTrim(let open):
            guard let trim = trims.withLock({ $0[id] }) else { throw .closed }
            let step = try await store.writer.advance(trim, sparing: open)
            return note(step.trim, step.commit, id)
        case .erase(let channel):
            let (commit, erasure) = try await store.writer.erase(channel)
            return .erased(isComplete: erasure == .complete, commit)
        }
    }

    private func note(
        _ trim: Trim, _ commit: Commit?, _ id: SyncMachine.OperationID
    ) -> CacheTaskAnswer {
        trims.withLock { $0[id] = trim.isDone ? nil : trim }
        return .trim(
            TrimProgress(
                isDone: trim.isDone, evicted: trim.evicted, sizeBefore: trim.plan.sizeBefore,
                size: trim.size), commit)
    }

    /// Checks the cache and repairs it; a store that is suspended or closed leaves that to its next
    /// opening.
    func mend(for id: SyncMachine.OperationID) {
        feed.reply(to: id, Reply.mended) { [store] () async throws(StoreError) in
            guard let report = try await store.mend(), report != .intact else { return .intact }
            return .repaired(reports: Repairs(cache: report).sentences)
        }
    }

    /// Puts messages into the search index that it lacks.
    ///
    /// No caller waits for it. Until it is complete, searches report how much they cannot find.
    func fillIndex() {
        // The task ends with a complete index, with the disk's first refusal or with the store.
        Task(executorPreference: feed.executor) { [store, feed] in
            try? await store.finishIndex(stepSize: Self.indexingStep)
            await feed.give(.indexFilled)
        }
    }

    /// Lets an index in memory follow a group of commits, in the background.
    private func followCommits() {
        let isDue = unindexedCommits.withLock { count in
            count = (count + 1) % Self.commitsBetweenIndexing
            return count == 0
        }
        guard isDue, store.hasIndexInMemory else { return }
        // The task ends after one step. A refusal leaves the rest to the next search.
        Task(executorPreference: feed.executor) { [store] in
            try? await store.followCommits(stepSize: Self.indexingStep)
        }
    }

    // MARK: Reports of the store

    /// Reports the commits of other processes until the store closes.
    func reportMissedCommits() async {
        feed.send(await store.writer.missedCommits()) { _ in .missedCommits }
    }

    /// Reports damage that is found in use, until the store closes.
    func reportDamage() {
        feed.send(store.damage()) { damage in
            switch damage {
            case .forgotten(let count, let channel): .forgotten(messages: count, in: channel)
            case .suspected: .suspected
            }
        }
    }
}
