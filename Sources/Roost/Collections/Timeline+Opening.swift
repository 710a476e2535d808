// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Who waits for the server's first answer to a timeline.
struct OpeningWait {
    private(set) var isUnderWay = false
    private var round = 0
    private var waiters: [CheckedContinuation<RoostError?, Never>] = []

    /// Whoever waits already waits for the new answer: the timeline was moved.
    mutating func begin() -> Int {
        isUnderWay = true
        round += 1
        return round
    }

    mutating func wait(_ waiter: CheckedContinuation<RoostError?, Never>) {
        waiters.append(waiter)
    }

    mutating func end(_ round: Int, _ error: RoostError?) {
        guard round == self.round else { return }
        isUnderWay = false
        for waiter in waiters { waiter.resume(returning: error) }
        waiters = []
    }
}

extension Timeline {
    func beginOpening() -> Int { opening.begin() }

    func endOpening(_ round: Int, _ error: RoostError?) { opening.end(round, error) }

    /// Returns when what is shown has been brought up to the server, which opening it began.
    ///
    /// - Throws: A network error when the server could not be asked; with the remedy `.retry` it is asked
    ///   again without anybody's doing, and the news come as changes.
    public func reachServer() async throws(RoostError) {
        if opening.isUnderWay {
            if let error = await withCheckedContinuation({ opening.wait($0) }) { throw error }
        } else if !wasLoaded {
            throw .notConnected
        }
    }
}
