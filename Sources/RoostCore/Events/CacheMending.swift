// SPDX-License-Identifier: Apache-2.0

// Damage of the cache that is found while it is in use.

import RoostModel

/// The result of a check of the cache.
package enum CacheCheck: Equatable, Codable, Sendable {
    case intact
    /// The cache was made again from its intact data; a sentence for the app on each repaired file.
    case repaired(reports: [String])
}

/// The check and repair of a cache in which damage was found, repeated until it succeeds.
///
/// Calls of the cache wait for it. The commits among them wait inside the queue of commits, so the
/// repair is not a task of that queue.
package struct CacheMending: SyncOperation {
    /// The pause after a refusal of the disk.
    private static let pause = Duration.seconds(5)

    private enum State: Equatable, Codable, Sendable { case beginning, mending, pausing }

    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        if state == .beginning { sync.notes.checks += 1 }
        let step = decide(reply, &sync)
        if case .end = step { sync.notes.checks -= 1 }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin), (.pausing, .paused):
            state = .mending
            return .need(.mend)
        case (.mending, .mended(.success(.intact))): return .end(.done)
        case (.mending, .mended(.success(.repaired(let reports)))):
            sync.notes.repairs += reports.count
            for report in reports { sync.emit(.storageRepaired(report)) }
            sync.noteRepair()
            return .end(.done)
        case (.mending, .mended(.failure)):
            state = .pausing
            return .need(.pause(Self.pause, .retry))
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Notes that messages of a channel could not be read, and are gone from the cache.
    mutating func noteForgotten(_ count: Int, in channel: ChannelURL) {
        step.notices.append(.forgotten(messages: count, in: channel))
        notes.lostMessages += max(count, 0)
        noteLoss(in: channel)
        // The words of a lost message are unknown, so the index has forgotten all of them.
        fillIndex()
    }

    /// Puts messages into the search index that it lacks.
    ///
    /// A step that the disk refuses ends the filling; the next connection begins another.
    mutating func fillIndex() {
        guard !isClosed else { return }
        // The filling under way may have passed the messages that this call is about.
        guard indexFilling == .none else {
            indexFilling = .runningAndRequested
            return
        }
        indexFilling = .running
        step.notices.append(.fillIndex)
    }

    /// Notes the end of a filling, and begins another one if the index may lack messages again.
    mutating func noteEndOfFilling() {
        let isRequested = indexFilling == .runningAndRequested
        indexFilling = .none
        if isRequested { fillIndex() }
    }
}

/// The filling of the search index.
enum IndexFilling: Codable, Sendable {
    case none
    case running
    /// Another filling follows, because messages may lie behind the running one.
    case runningAndRequested
}
