// SPDX-License-Identifier: Apache-2.0

// The removal of messages from the cache: because the cache is too large (R126), or by the app.

package import RoostModel

/// A task on the cache that is no list of mutations.
package enum CacheTask: Equatable, Codable, Sendable {
    case checkLimit
    /// Plans a trim; nil uses the configured limit.
    ///
    /// Channels in use go last.
    case beginTrim(downTo: Int64?, sparing: Set<ChannelURL>)
    /// Does the next step of the trim that the same operation has begun.
    case advanceTrim(sparing: Set<ChannelURL>)
    /// Removes a channel's messages and destroys the key that sealed them.
    case erase(ChannelURL)
}

package enum CacheTaskAnswer: Equatable, Codable, Sendable {
    case limit(isReached: Bool)
    case trim(TrimProgress, Commit?)
    case erased(isComplete: Bool, Commit)

    /// The changes for the open collections.
    var commit: Commit? {
        switch self {
        case .limit: nil
        case .trim(_, let commit): commit
        case .erased(_, let commit): commit
        }
    }
}

/// The progress of a trim.
package struct TrimProgress: Equatable, Codable, Sendable {
    package let isDone: Bool
    /// The channels that have lost their messages so far, except those they keep.
    package let evicted: [CachedChannel]
    package let sizeBefore: Int64
    /// The bytes in use after the last step.
    package let size: Int64

    package init(
        isDone: Bool, evicted: [CachedChannel], sizeBefore: Int64, size: Int64
    ) {
        self.isDone = isDone
        self.evicted = evicted
        self.sizeBefore = sizeBefore
        self.size = size
    }
}

/// Trims the cache step by step; other commits come in between.
package struct CacheTrimming: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, trimming }

    private let target: Int64?
    private var state = State.beginning

    package init(downTo target: Int64?) { self.target = target }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let open = sync.channelsInUse
        switch (state, reply) {
        case (.beginning, .begin):
            state = .trimming
            return .need(.keep(.beginTrim(downTo: target, sparing: open)))
        case (.trimming, .kept(.success(.trim(let progress, _)))):
            guard progress.isDone else { return .need(.keep(.advanceTrim(sparing: open))) }
            for channel in progress.evicted { sync.noteClearing(of: channel.url) }
            return .end(.trimmed(progress))
        default: return .fail(reply)
        }
    }
}

/// Trims the cache if it has reached its limit.
package struct BudgetKeeping: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, checking, trimming }

    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.budget.beginTrim() else { return .end(.done) }
            state = .checking
            return .need(.keep(.checkLimit))
        case (.checking, .kept(.success(.limit(isReached: true)))):
            state = .trimming
            return .need(.run(.cacheTrimming(CacheTrimming(downTo: nil))))
        // A refusal by the disk is retried after later commits.
        default:
            sync.budget.endTrim()
            return .end(.done)
        }
    }
}

/// Removes messages from the cache for the app.
package struct CacheClearing: SyncOperation {
    package enum Extent: Hashable, Codable, Sendable {
        case channel(ChannelURL)
        /// A channel, with the key that sealed its messages.
        case erasure(ChannelURL)
        case all
    }

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case trimmingFirst
        case committing
        case erasing
        case trimming
    }

    private let extent: Extent
    private var isErased = true
    private var state = State.beginning

    package init(_ extent: Extent) { self.extent = extent }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            switch extent {
            case .channel(let url):
                state = .committing
                return .need(.commit([.clearMessages(url)], .upkeep))
            case .erasure(let url):
                state = .erasing
                return .need(.keep(.erase(url)))
            case .all:
                // Removes most of it in a way that neither delays other commits nor fills the
                // write-ahead log.
                state = .trimmingFirst
                return .need(.run(.cacheTrimming(CacheTrimming(downTo: 0))))
            }
        case (.trimmingFirst, .ended(.trimmed)):
            state = .committing
            // A page that the channels' log answers meanwhile is stored without its cursor. If its
            // commit were left out, because the cursor is gone, other answers would have given way
            // to data that are not on disk.
            sync.beginRewinding([.channelChanges])
            return .need(.commit([.clearAll], .upkeep))
        case (.erasing, .kept(.success(.erased(let isComplete, _)))):
            isErased = isComplete
            return returnSpace()
        case (.committing, .committed(let result)):
            if extent == .all { sync.endRewinding([.channelChanges]) }
            guard case .success = result else { return .fail(reply) }
            if extent == .all { sync.noteClearing() }
            return returnSpace()
        case (.trimming, .ended(.trimmed)):
            switch extent {
            case .channel(let url), .erasure(let url): sync.noteClearing(of: url)
            case .all: break
            }
            return .end(.erased(isComplete: isErased))
        default: return .fail(reply)
        }
    }

    /// Returns free pages to the disk, without an eviction.
    private mutating func returnSpace() -> Step {
        state = .trimming
        return .need(.run(.cacheTrimming(CacheTrimming(downTo: .max))))
    }
}

extension SyncState {
    /// Checks the size of the cache after some commits.
    mutating func noteCommit() {
        noteChangeOfFigures()
        if budget.countCommit() { start(.budgetKeeping(BudgetKeeping())) }
    }

    /// Checks the size of the cache at the first login (R126).
    mutating func beginBudgetWatch() {
        if budget.begin() { start(.budgetKeeping(BudgetKeeping())) }
    }

    /// Notes that a channel is being read (R122).
    mutating func noteOpening(of channel: ChannelURL) {
        guard budget.noteOpening(of: channel, at: now) else { return }
        // Without the note the channel is only evicted a little sooner.
        start(.storing(Storing([.accessed(channel, at: now)], from: .local)))
    }
}
