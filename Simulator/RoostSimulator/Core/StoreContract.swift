// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostStore
import RoostTestKit

/// A comparison of the reference store with the real one: the same random mutations, questions and
/// tasks must lead to the same commits and to the same answers.
///
/// Sizes in bytes differ, because the reference store has no pages. So a trim has the target 0 or
/// none, and of a holding only its being empty is compared. All messages and channels tell the
/// present names of their users, as a server does.
package struct StoreContract {
    static let channels: [ChannelURL] = ["a", "b"]
    /// Channels of the list; the first two have messages.
    static let listed: [ChannelURL] = channels + ["c", "d"]
    static let me: UserID = "me"
    static let users: [UserID] = [me, "other", "third"]
    static let filters = [
        MessageFilter(customTypes: ["a"], replyType: .all), MessageFilter(kind: .file),
        MessageFilter(senderIDs: ["me"], replyType: .all), MessageFilter(parentID: 3),
    ]

    let random: SimulatedRandom
    private let store: Store
    private var model = ReferenceStore(me: Self.me)
    var lastEdit: Int64 = 5_000
    private var lastTask = 0
    /// The users as the server has them.
    var people: [UserID: User] = [:]

    private init(seed: UInt64, _ store: Store) {
        random = SimulatedRandom(seed: seed)
        self.store = store
        for id in Self.users { people[id] = User(id: id, nickname: "name of \(id)") }
    }

    /// Makes some commits on both stores.
    ///
    /// - Parameters:
    ///   - seed: The seed of all mutations.
    ///   - count: The number of commits.
    /// - Returns: The first difference, in one sentence; nil if there is none.
    /// - Throws: An error of the real store.
    package static func firstDifference(
        seed: UInt64, commits count: Int
    ) async throws -> String? {
        let store = try await Store.open(
            .memory, owner: StoreOwner(application: "contract", user: me.rawValue))
        var contract = StoreContract(seed: seed, store)
        var difference: String?
        for step in 0..<count where difference == nil {
            difference =
                contract.random.pick(16) == 0
                ? try await contract.differenceOfTask() : try await contract.differenceOfCommit()
            for _ in 0..<6 where difference == nil && step % 4 == 3 {
                difference = try await contract.differenceOfAnswer()
            }
            if let found = difference { difference = "seed \(seed), commit \(step): \(found)" }
        }
        await store.close()
        return difference
    }

    private mutating func differenceOfCommit() async throws -> String? {
        let mutations = mutations()
        let real = try await store.writer.commit(mutations)
        return Self.difference(model.commit(mutations), real).map { "\($0) by \(mutations)" }
    }

    private func differenceOfAnswer() async throws -> String? {
        let question = question()
        let modelled = model.answer(question)
        let real = try await store.readers[0].answer(question)
        return contractDifference(modelled.comparable, real.comparable).map {
            "\(question): \($0)"
        }
    }

    // MARK: Tasks

    private mutating func differenceOfTask() async throws -> String? {
        lastTask += 1
        let id = SyncMachine.OperationID(lastTask)
        if random.pick(8) == 0 {
            let isReached = try await store.writer.isBudgetReached()
            let modelled = model.keep(.checkLimit, of: id)
            return modelled == .limit(isReached: isReached) ? nil : "the model has \(modelled)"
        }
        guard random.pick(3) > 0 else {
            let url = Self.channels[random.pick(2)]
            let (real, erasure) = try await store.writer.erase(url)
            guard case .erased(let isComplete, let modelled) = model.keep(.erase(url), of: id)
            else { return "the model does not erase" }
            guard isComplete == (erasure == .complete) else { return "the erasure is \(erasure)" }
            return Self.difference(modelled, real).map { "\($0) by erasing \(url)" }
        }
        return try await differenceOfTrim(id)
    }

    /// Trims both stores, with commits between the plan and its first step.
    private mutating func differenceOfTrim(
        _ id: SyncMachine.OperationID
    ) async throws -> String? {
        let target: Int64 = random.pick(4) == 0 ? .max : 0
        let open = openChannels()
        var real = try await store.writer.beginTrim(downTo: target, sparing: open)
        var modelled = model.keep(.beginTrim(downTo: target, sparing: open), of: id)
        for _ in 0..<random.pick(3) {
            if let difference = try await differenceOfCommit() { return difference }
        }
        let openNow = openChannels()
        var commits: (model: [Commit], real: [Commit]) = ([], [])
        while !real.isDone {
            let step = try await store.writer.advance(real, sparing: openNow)
            real = step.trim
            if let commit = step.commit { commits.real.append(commit) }
        }
        while case .trim(let progress, let commit) = modelled {
            if let commit { commits.model.append(commit) }
            guard progress.isDone else {
                modelled = model.keep(.advanceTrim(sparing: openNow), of: id)
                continue
            }
            let evicted = contractDifference(
                progress.evicted.map(\.withoutSize), real.evicted.map(\.withoutSize))
            if let evicted { return "of the evicted channels, \(evicted)" }
            break
        }
        guard commits.model.count == commits.real.count else {
            return "the model evicts by \(commits.model), the store by \(commits.real)"
        }
        for (modelled, real) in zip(commits.model, commits.real) {
            if let difference = Self.difference(modelled, real) { return difference }
        }
        return nil
    }

    private func openChannels() -> Set<ChannelURL> {
        Set(Self.channels.filter { _ in random.pick(3) == 0 })
    }

    // MARK: Comparison

    /// Returns the first change that one of the commits has and the other has not.
    private static func difference(_ model: Commit, _ real: Commit) -> String? {
        let (ours, theirs) = (Changes(model), Changes(real))
        for url in channels {
            let difference = Changes.difference(ours.messages[url], theirs.messages[url])
            if let difference { return "in \(url), \(difference)" }
        }
        return contractDifference(ours.users, theirs.users)
            ?? contractDifference(ours.channels, theirs.channels)
    }

    /// The changes of a commit without an order between channels or users.
    private struct Changes {
        struct OfMessages: Hashable {
            let inserted: [Message]
            let updated: [Update<Message>]
            let deleted: [Message]
            let cutThrough: Timestamp?
            let before: Coverage
            let after: Coverage
            let filters: Set<MessageFilter>
        }

        /// Returns the first difference, with its kind.
        static func difference(_ model: OfMessages?, _ real: OfMessages?) -> String? {
            guard let model, let real else { return contractDifference(model, real) }
            let parts = [
                ("inserted", contractDifference(model.inserted, real.inserted)),
                ("updated", contractDifference(model.updated, real.updated)),
                ("deleted", contractDifference(model.deleted, real.deleted)),
                ("other", contractDifference(model, real)),
            ]
            return parts.lazy.compactMap { kind, difference in
                difference.map { "\(kind): \($0)" }
            }.first
        }

        var messages: [ChannelURL: OfMessages] = [:]
        var channels: ChannelsChange?
        var users: [Update<User>] = []

        init(_ commit: Commit) {
            for change in commit.changes {
                switch change {
                case .messages(let change):
                    messages[change.channel] = OfMessages(
                        inserted: change.inserted, updated: change.updated,
                        deleted: change.deleted, cutThrough: change.cutThrough,
                        before: change.coverageBefore, after: change.coverageAfter,
                        filters: Set(change.filters))
                case .channels(let change):
                    channels = ChannelsChange(
                        inserted: change.inserted.sorted { $0.url < $1.url },
                        updated: change.updated.sorted { $0.after.url < $1.after.url },
                        deleted: change.deleted.sorted())
                case .users(let updates): users = updates.sorted { $0.after.id < $1.after.id }
                }
            }
        }
    }
}

extension StoreAnswer {
    /// The answer without the numbers of commits, which begin elsewhere, and without sizes.
    fileprivate var comparable: StoreAnswer {
        switch self {
        case .window(let window):
            .window(
                CacheWindow(
                    extent: window.extent, messages: window.messages, coverage: window.coverage,
                    sequence: 0))
        case .channels(let found):
            .channels(
                CachedChannels(
                    channels: found.channels, hasMore: found.hasMore, isWhole: found.isWhole,
                    sequence: 0))
        case .holding(let holding):
            .holding(ChannelHolding(messages: holding.messages, bytes: min(holding.bytes, 1)))
        case .figures(let figures):
            .figures(CacheFigures(bytes: 0, channelsWithHoles: figures.channelsWithHoles))
        default: self
        }
    }
}

extension CachedChannel {
    fileprivate var withoutSize: CachedChannel {
        CachedChannel(
            url: url, cachedMessageCount: cachedMessageCount, size: ByteCount(bytes: 0),
            openedAt: openedAt, lastMessageAt: lastMessageAt, isPinned: isPinned, isOpen: isOpen)
    }
}
