// SPDX-License-Identifier: Apache-2.0

import RoostCore
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

/// Who hears that the server will not show a channel.
struct RefusalWatch {
    private var listeners: [AsyncStream<RoostError>.Continuation] = []
    private var last: RoostError.Code?
    private var isClosed = false

    mutating func listen() -> AsyncStream<RoostError> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RoostError.self, bufferingPolicy: .bufferingNewest(1))
        if isClosed { continuation.finish() } else { listeners.append(continuation) }
        return stream
    }

    /// Tells a refusal once, until the server has answered or has another reason.
    mutating func hear(_ error: RoostError?) {
        guard let error, error.isRefusal else {
            if error == nil { last = nil }
            return
        }
        guard error.code != last else { return }
        last = error.code
        for listener in listeners { listener.yield(error) }
    }

    mutating func close() {
        isClosed = true
        for listener in listeners { listener.finish() }
        listeners = []
    }
}

extension Timeline {
    func beginOpening() -> Int { opening.begin() }

    func endOpening(_ round: Int, _ error: RoostError?) {
        refusals.hear(error)
        opening.end(round, error)
    }

    /// What a catch-up came to.
    func endCatchUp(_ error: RoostError?) { refusals.hear(error) }

    /// Why the server will not show the channel, when it says so; to be asked for right after the opening.
    ///
    /// Ends when the timeline is closed.
    package func serverRefusals() -> AsyncStream<RoostError> { refusals.listen() }

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
