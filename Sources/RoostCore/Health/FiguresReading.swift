// SPDX-License-Identifier: Apache-2.0

import RoostModel

// The figures of the cache that only the disk knows. They are read while a reader of the health
// exists, at its beginning and at most every five seconds after commits.

/// The figures of the whole cache.
package struct CacheFigures: Equatable, Codable, Sendable {
    /// The bytes of all used pages.
    package let bytes: Int64
    /// The number of channels with more than one covered range.
    package let channelsWithHoles: Int

    package init(bytes: Int64, channelsWithHoles: Int) {
        self.bytes = bytes
        self.channelsWithHoles = channelsWithHoles
    }
}

/// The last figures, and the times at which to read them.
package struct CacheFiguresWatch: Equatable, Codable, Sendable {
    /// The pause between two readings.
    static let pause = Duration.seconds(5)

    fileprivate(set) var last: CacheFigures?
    fileprivate(set) var readers = 0
    fileprivate var isReading = false
    /// Whether the timer of the next reading runs.
    fileprivate var isPausing = false
    /// Whether the cache may have changed since the last reading began.
    fileprivate var isOutdated = false
}

/// The reading of the figures; one at a time, for which further callers wait.
package struct FiguresReading: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning, reading, waiting
    }

    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin) where sync.notes.figures.isReading:
            state = .waiting
            return .need(.wait(.figures))
        case (.beginning, .begin):
            state = .reading
            sync.notes.figures.isReading = true
            sync.notes.figures.isOutdated = false
            return .need(.read(.figures))
        case (.reading, .read(let result)):
            sync.notes.figures.isReading = false
            if case .success(.figures(let figures)) = result { sync.notes.figures.last = figures }
            sync.pauseFigures()
            sync.wakeAll(.figures, nil)
            return .end(.done)
        case (.waiting, .woken): return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Notes that a reader of the health has come.
    mutating func beginHealthReading() {
        notes.figures.readers += 1
        noteChangeOfFigures()
    }

    /// Notes that a reader of the health has left.
    mutating func endHealthReading() { notes.figures.readers = max(notes.figures.readers - 1, 0) }

    /// Notes that the cache has changed.
    mutating func noteChangeOfFigures() {
        guard notes.figures.readers > 0 else { return }
        notes.figures.isOutdated = true
        guard !notes.figures.isPausing, !notes.figures.isReading, !isClosed else { return }
        start(.figures(FiguresReading()))
    }

    fileprivate mutating func pauseFigures() {
        guard notes.figures.readers > 0, !notes.figures.isPausing, !isClosed else { return }
        notes.figures.isPausing = true
        arm(.figures, for: CacheFiguresWatch.pause)
    }

    /// Ends the pause after a reading.
    mutating func endPauseOfFigures() {
        notes.figures.isPausing = false
        if notes.figures.isOutdated { noteChangeOfFigures() }
    }
}
