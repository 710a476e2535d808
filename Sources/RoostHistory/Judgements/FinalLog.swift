// SPDX-License-Identifier: Apache-2.0

/// The log of one channel at the end: the last one that a history has, or the longest snapshot.
///
/// A log may be given in parts, one line each. Of the last logs of several recorders the one that
/// reaches farthest counts, so their order does not matter. Without any, the last snapshots stand
/// for it, of the clients that had caught up then and wrote nothing afterwards. The one that reaches
/// farthest is the log, and the others must equal it. A snapshot with a message whose deletion was
/// acknowledged is the log only if all have such ones.
struct FinalLog: Sendable {
    /// The line of the log, or of its last part.
    let place: HistoryPlace
    /// The views that make up the log, by their indices.
    let parts: ClosedRange<Int>
    /// The last snapshot of each client that had caught up, by the index of the view.
    let lastViews: [Int32: Int]
    /// The numbers of the messages, in order.
    let messages: [Int32]
    private let positions: [Position]
    /// The place of each message of the channel in `messages`; -1 for one that the log lacks.
    private let ranks: [Int32]
    /// The texts that differ from the first ones, by message.
    private let otherTexts: [Int32: Int32]
    /// Whether all messages stand in the order of their places, each once.
    let isSorted: Bool
    /// The first part that does not begin behind the end of the one before it, with its first message.
    let misplacedPart: (message: Int32, place: HistoryPlace)?
    /// The stretch that the log covers.
    let start: Position
    let end: Position

    /// Finds the log of a channel; nil if no line claims to be it.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - early: The clients that ended before the others; their snapshots are not the end.
    init?(_ channel: ChannelBook, endedEarly early: Set<Int32>) {
        let views = channel.views.views
        var lastViews: [Int32: Int] = [:]
        var series: [Int32: ClosedRange<Int>] = [:]
        for (index, view) in views.enumerated() {
            if view.isLog {
                // A recorder that was killed begins a log anew.
                if let begun = series[view.client], begun.upperBound == index - 1,
                    views[index - 1].hasNewer, view.number == views[index - 1].number + 1
                {
                    series[view.client] = begun.lowerBound...index
                } else {
                    series[view.client] = index...index
                }
            } else {
                lastViews[view.client] = index
            }
        }
        // A client that goes on to write has not seen the end yet.
        lastViews = lastViews.filter { client, index in
            !early.contains(client) && views[index].isCaughtUp && !views[index].hasNewer
                && !channel.hasActed(client, after: views[index].call)
        }
        let claims = series.isEmpty ? lastViews.values.map { $0...$0 } : Array(series.values)
        // Each reach is computed once: it looks at all messages.
        let best = claims.sorted { $0.lowerBound < $1.lowerBound }
            .map { (parts: $0, reach: Self.reach($0, in: channel, isLog: !series.isEmpty)) }
            .max { $0.reach < $1.reach }
        guard let best else { return nil }
        self.init(channel, best.parts, lastViews)
    }

    /// Returns the order of views, or series of them, by their claim to be the log.
    ///
    /// Only among snapshots does one without deleted messages come first.
    private static func reach(
        _ parts: ClosedRange<Int>, in channel: ChannelBook, isLog: Bool
    ) -> (Int, Position, Int, Int) {
        let views = channel.views.views[parts]
        var (deleted, count) = (0, 0)
        for view in views {
            count += view.count
            guard !isLog else { continue }
            deleted += channel.views.messages(of: view)
                .count { channel[$0].hasAcknowledgedDeletion }
        }
        return (
            -deleted, views.last?.last ?? .first, views.first?.hasOlder ?? true ? 0 : 1, count
        )
    }

    private init(
        _ channel: ChannelBook, _ parts: ClosedRange<Int>, _ lastViews: [Int32: Int]
    ) {
        let views = channel.views.views[parts]
        var messages: [Int32] = []
        var otherTexts: [Int32: Int32] = [:]
        var misplaced: (message: Int32, place: HistoryPlace)?
        var last: Position?
        for view in views {
            let own = channel.views.messages(of: view)
            if misplaced == nil, let last, let first = own.first, view.first <= last {
                misplaced = (first, view.place)
            }
            if !own.isEmpty { last = view.last }
            messages += own
            otherTexts.merge(channel.views.texts(of: view)) { $1 }
        }
        var ranks = [Int32](repeating: -1, count: channel.messages.count)
        for (rank, message) in messages.enumerated() {
            ranks[Int(message)] = Int32(clamping: rank)
        }
        self.parts = parts
        self.lastViews = lastViews
        self.messages = messages
        self.otherTexts = otherTexts
        self.ranks = ranks
        let positions = messages.map { channel[$0].position }
        self.positions = positions
        isSorted = zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
        misplacedPart = misplaced
        place = views.last?.place ?? HistoryPlace(file: 0, line: 0)
        let hasOlder = views.first?.hasOlder ?? true
        start = hasOlder ? positions.first ?? .last : .first
        end = views.last?.hasNewer ?? true ? positions.last ?? .first : .last
    }

    /// Whether the log would have a message of this place.
    func covers(_ position: Position) -> Bool { start <= position && position <= end }

    /// Returns the place of a message in the log; nil if the log lacks it.
    func rank(of message: Int32) -> Int? {
        let rank = ranks[Int(message)]
        return rank < 0 ? nil : Int(rank)
    }

    /// Returns the number of a message's text in the log.
    func text(of message: Int32, in channel: ChannelBook) -> Int32 {
        otherTexts[message] ?? channel[message].text
    }

    /// Returns the places in the log between two positions, both included.
    func range(from lower: Position, through upper: Position) -> Range<Int> {
        let start = firstIndex { $0 >= lower }
        return start..<max(start, firstIndex { $0 > upper })
    }

    /// Returns the first place whose position fulfils a condition, as all later ones do.
    private func firstIndex(_ isBehind: (Position) -> Bool) -> Int {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(positions[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
