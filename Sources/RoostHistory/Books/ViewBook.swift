// SPDX-License-Identifier: Apache-2.0

/// The stretches of one channel that clients showed, and the parts of its log.
///
/// Messages have numbers in the order in which the files name them, so a stretch is a few runs of
/// numbers. Texts are kept only where they differ from the first text of the message.
struct ViewBook: Sendable {
    struct Run: Sendable {
        var start: Int32
        var count: Int32
    }

    struct ShownText: Sendable {
        var message: Int32
        var text: Int32
    }

    struct View: Sendable {
        var client: Int32
        /// The number of its line.
        var number: Int64
        /// The number of its call, behind which the client may have acted; that of the line without
        /// one.
        var call: Int64
        var place: HistoryPlace
        var isLog: Bool
        var hasOlder: Bool
        var hasNewer: Bool
        var isCaughtUp: Bool
        /// Whether the messages stand in the order of their places, each once.
        var isOrdered = true
        var count = 0
        /// The places of the first and the last message.
        var first = Position.last
        var last = Position.first
        /// The last place that the client knew of before it took the view.
        var known = Position.first
        fileprivate(set) var runs: Range<Int>
        fileprivate(set) var texts: Range<Int>
    }

    private(set) var views: [View] = []
    private var runs: [Run] = []
    private var texts: [ShownText] = []

    /// Begins a view, to which `add` adds messages until the next one begins.
    mutating func begin(
        _ view: HistoryView, isLog: Bool, of client: Int32, at number: Int64,
        _ place: HistoryPlace
    ) {
        views.append(
            View(
                client: client, number: number, call: min(view.call ?? number, number),
                place: place, isLog: isLog, hasOlder: view.hasOlder, hasNewer: view.hasNewer,
                isCaughtUp: view.isCaughtUp,
                runs: runs.count..<runs.count, texts: texts.count..<texts.count))
    }

    /// Adds a message to the last view.
    ///
    /// - Returns: Whether the message stands behind the one before it.
    mutating func add(_ message: Int32, at position: Position, text: Int32?) -> Bool {
        let index = views.count - 1
        let isBehind = views[index].count == 0 || views[index].last < position
        if views[index].count == 0 { views[index].first = position }
        if isBehind { views[index].last = position } else { views[index].isOrdered = false }
        views[index].count += 1
        let range = views[index].runs
        if !range.isEmpty,
            runs[range.upperBound - 1].start + runs[range.upperBound - 1].count == message
        {
            runs[range.upperBound - 1].count += 1
        } else {
            runs.append(Run(start: message, count: 1))
            views[index].runs = range.lowerBound..<runs.count
        }
        if let text {
            texts.append(ShownText(message: message, text: text))
            views[index].texts = views[index].texts.lowerBound..<texts.count
        }
        return isBehind
    }

    /// Notes the last place that the client of the last view knew of.
    mutating func setKnown(_ position: Position) { views[views.count - 1].known = position }

    /// Returns the runs of messages of a view, in its order.
    func runs(of view: View) -> ArraySlice<Run> { runs[view.runs] }

    /// Returns the numbers of the messages of a view, in its order.
    func messages(of view: View) -> [Int32] {
        var messages: [Int32] = []
        messages.reserveCapacity(view.count)
        for run in runs[view.runs] {
            messages.append(contentsOf: run.start..<run.start + run.count)
        }
        return messages
    }

    /// Returns the texts that differ from the first ones, by message.
    func texts(of view: View) -> [Int32: Int32] {
        Dictionary(texts[view.texts].map { ($0.message, $0.text) }, uniquingKeysWith: { $1 })
    }
}
