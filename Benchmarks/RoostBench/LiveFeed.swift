// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostModel

/// The live messages of one channel, each with its predecessor.
struct LiveFeed {
    let data: ServerData
    let channel: ChannelURL
    private(set) var count = 0
    /// The number of messages that the cache has from earlier feeds.
    private let first: Int

    init(_ data: ServerData, after first: Int = 0) {
        self.data = data
        self.first = first
        channel = ChannelURL(data.url(0))
    }

    mutating func nextBody() -> (body: [UInt8], predecessor: Int64) {
        defer { count += 1 }
        return data.live((first + count) * ServerData.channelCount)
    }

    mutating func next() -> String {
        let (body, predecessor) = nextBody()
        let fields = String(decoding: body.dropFirst(), as: UTF8.self)
        return "MESG{\"previous_message_id\":\(predecessor),\(fields)"
    }
}

/// The times at which messages came in a timeline's changes.
final class ShownMessages: Sendable {
    private struct State {
        /// In microseconds of the clock.
        var moments: [Double] = []
        var waiter: (count: Int, CheckedContinuation<Void, Never>)?
    }

    let clock = Stopwatch()
    private let state = Guarded(State())
    private let reading: Task<Void, Never>

    init(_ changes: AsyncStream<ListDiff<Message>>) {
        // Ends with the timeline.
        reading = Task { [state, clock] in
            for await change in changes {
                let now = clock.microseconds
                let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                    state.moments += change.inserted.map { _ in now }
                    guard let waiter = state.waiter, state.moments.count >= waiter.count else {
                        return nil
                    }
                    state.waiter = nil
                    return waiter.1
                }
                waiter?.resume()
            }
        }
    }

    var moments: [Double] { state.withLock { $0.moments } }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.moments.count < count else { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
