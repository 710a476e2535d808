// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Who waits for the server's first answer to a timeline.
struct OpeningWait {
    private(set) var isUnderWay = false
    private var waiters: [CheckedContinuation<RoostError?, Never>] = []

    mutating func begin() { isUnderWay = true }

    mutating func wait(_ waiter: CheckedContinuation<RoostError?, Never>) {
        waiters.append(waiter)
    }

    mutating func end(_ error: RoostError?) {
        isUnderWay = false
        for waiter in waiters { waiter.resume(returning: error) }
        waiters = []
    }
}

extension Timeline {
    func beginOpening() { opening.begin() }

    func endOpening(_ error: RoostError?) { opening.end(error) }

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
