// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors

/// The counts that all clients of a load share.
final class LoadTally: Sendable {
    struct Counts: Sendable {
        var online = 0
        var sent = 0
        var acknowledged = 0
        /// The frames of messages that came to members, acknowledgements included.
        var delivered = 0
        var refused = 0
        var lastRefusal = ""
        /// The length of a frame that a member got.
        var frameBytes = 0
    }

    private struct State: Sendable {
        var counts = Counts()
        var stops = false
        var records = false
        /// The microseconds from the sending to a member at another host.
        var across: [Double] = []
        /// The microseconds from the sending to the acknowledgement.
        var answers: [Double] = []
        /// The acknowledged requests of each channel; nil while nobody asks.
        var requests: [Int: Set<String>]?
        /// The time after which an acknowledged message must have been sent to count, and the time
        /// of the first such acknowledgement.
        var watched: (since: Double, found: Double?)?
    }

    private let state = Guarded(State())

    var counts: Counts { state.withLock { $0.counts } }

    /// Whether no new message is sent.
    var stops: Bool {
        get { state.withLock { $0.stops } }
        set { state.withLock { $0.stops = newValue } }
    }

    func change(_ body: (inout Counts) -> Void) { state.withLock { body(&$0.counts) } }

    // MARK: Latencies

    /// Begins to note latencies.
    func record() {
        state.withLock { state in
            (state.records, state.across, state.answers) = (true, [], [])
        }
    }

    /// Ends the notes and returns them.
    func recorded() -> (across: [Double], answers: [Double]) {
        state.withLock { state in
            state.records = false
            return (state.across, state.answers)
        }
    }

    /// Begins to remember which messages are acknowledged.
    func remember() { state.withLock { $0.requests = [:] } }

    /// Returns the acknowledged requests of some channels.
    func requests(in channels: [Int]) -> Set<String> {
        state.withLock { state in
            channels.reduce(into: []) { $0.formUnion(state.requests?[$1] ?? []) }
        }
    }

    /// Looks for the first acknowledgement of a message that is sent from now on.
    func watch(since moment: Double) { state.withLock { $0.watched = (moment, nil) } }

    var watchedMoment: Double? { state.withLock { $0.watched?.found } }

    // MARK: News of clients

    func noteAnswer(_ mark: LoadMark, in channel: Int, at now: Double) {
        state.withLock { state in
            state.counts.acknowledged += 1
            state.counts.delivered += 1
            if state.records { state.answers.append(now - mark.sentAt) }
            _ = state.requests?[channel, default: []].insert(mark.request)
            if let watched = state.watched, watched.found == nil, mark.sentAt >= watched.since {
                state.watched?.found = now
            }
        }
    }

    /// Counts a frame of another member's message.
    ///
    /// - Returns: Whether its mark is wanted, by `noteArrival`.
    func noteFrame(of bytes: Int) -> Bool {
        state.withLock { state in
            state.counts.delivered += 1
            state.counts.frameBytes = bytes
            return state.records || state.requests != nil
        }
    }

    func noteArrival(_ mark: LoadMark, at host: Int, _ now: Double) {
        state.withLock { state in
            if state.records, mark.host != host { state.across.append(now - mark.sentAt) }
        }
    }
}
