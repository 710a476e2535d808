// SPDX-License-Identifier: Apache-2.0

import Roost

/// A drawing of the part of a channel's history that is on this device: `├███░░░██┤`.
///
/// A cell is a length of time. Each hole has at least one cell, so that no short one is hidden.
struct HistoryBar: Equatable {
    let bar: String
    let words: String

    /// - Parameters:
    ///   - holes: The holes, oldest first; nil while they are unknown.
    ///   - start: The time of the oldest message on this device, or of the channel.
    ///   - end: The time of the newest message on this device.
    ///   - width: The cells between both ends.
    init(holes: [ChatInput.Hole]?, from start: Timestamp, to end: Timestamp, width: Int) {
        guard let holes else {
            bar = "├" + String(repeating: "┄", count: width) + "┤"
            words = "reading what is on this device"
            return
        }
        var isKnown = Array(repeating: true, count: width)
        var begin = Double(min(start, end).milliseconds)
        let finish = Double(max(start, end).milliseconds)
        // The length of a beginning that no one has seen is unknown: a quarter of the bar.
        let hasOpenStart = holes.first.map { $0.from <= start } ?? false
        let length = max(finish - begin, 1)
        if hasOpenStart { begin -= length / 3 }
        // So is the length of news that have not come: a tenth.
        let hasOpenEnd = holes.last.map { $0.through >= end } ?? false
        let scale = Double(width) / max((finish - begin) * (hasOpenEnd ? 1.1 : 1), 1)
        func cells(before moment: Timestamp) -> Double {
            min(max((Double(moment.milliseconds) - begin) * scale, 0), Double(width))
        }
        for hole in holes where width > 0 {
            let first = hole.from <= start ? 0 : min(Int(cells(before: hole.from)), width - 1)
            let behind = hole.through >= end ? width : Int(cells(before: hole.through).rounded(.up))
            for place in first..<max(behind, first + 1) { isKnown[place] = false }
        }
        bar =
            (hasOpenStart ? "┄" : "├") + isKnown.map { $0 ? "█" : "░" }.joined()
            + (hasOpenEnd ? "┄" : "┤")
        let between = holes.count - (hasOpenEnd ? 1 : 0)
        words =
            switch (between, hasOpenEnd) {
            case (0, false): "all on this device"
            case (0, true): "all but news"
            case (1, _): "1 hole"
            default: "\(between) holes"
            }
    }
}
