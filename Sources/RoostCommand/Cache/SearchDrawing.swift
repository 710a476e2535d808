// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostCore
import RoostModel
import RoostPages
import RoostStore

/// The output of `roost cache search` about one cache.
struct SearchDrawing {
    let folder: String
    let answer: SearchAnswer
    let names: [ChannelURL: String]
    let style: Style

    /// More than a person reads.
    private static let periodLimit = 20

    var lines: [String] {
        let count = Measures.count(answer.found.count, "message")
        let more = answer.next == nil ? "" : ", and perhaps more: see --limit"
        return [style(.quiet, folder)] + answer.found.map { draw($0) } + ["\(count)\(more)"]
            + sightLines
    }

    private func draw(_ found: FoundMessage) -> String {
        let message = found.message
        let sender = message.sender.map { sender in
            sender.user.nickname.isEmpty ? sender.user.id.rawValue : sender.user.nickname
        }
        let head = "\(WallClock.date(message.createdAt))  \(title(of: message.channelURL))"
        let name = (sender ?? "the server").onOneLine
        let text = found.excerpt.map { draw($0.snippet) } ?? message.text.onOneLine
        return "  \(style(.quiet, head))  \(name): \(text)"
    }

    private func title(of channel: ChannelURL) -> String {
        channel.onOneLine(named: names[channel])
    }

    private func draw(_ snippet: SearchSnippet) -> String {
        let bytes = Array(snippet.text.utf8)
        func part(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self).onOneLine
        }
        var text = snippet.isCutBefore ? "…" : ""
        var start = 0
        for range in snippet.highlights {
            text += part(start..<range.lowerBound) + style(.strong, part(range))
            start = range.upperBound
        }
        return text + part(start..<bytes.count) + (snippet.isCutAfter ? "…" : "")
    }

    private var sightLines: [String] {
        guard answer.hasChannels else {
            return ["No channel is cached in this folder, so there was nothing to search."]
        }
        switch answer.sight {
        case .complete: return ["Every message of these channels was searched."]
        case .partial(let periods):
            let shown = periods.prefix(Self.periodLimit).map { "  \(draw($0))" }
            let rest = periods.count - shown.count
            return ["Not searched, so there may be more:"] + shown
                + (rest > 0 ? ["  and \(Measures.count(rest, "other period"))"] : [])
        }
    }

    private func draw(_ period: UnseenPeriod) -> String {
        let from =
            period.from == .distantPast
            ? "the beginning" : WallClock.date(period.from)
        let through =
            period.through == .distantFuture
            ? "now" : WallClock.date(period.through)
        let reason =
            switch period.reason {
            case .notCached: "not in the cache"
            case .notIndexed: "not in the index yet"
            }
        return "\(title(of: period.channel)): from \(from) to \(through), \(reason)"
    }
}
