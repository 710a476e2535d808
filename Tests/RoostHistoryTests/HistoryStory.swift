// SPDX-License-Identifier: Apache-2.0

import RoostHistory
import RoostTestSupport

/// Good histories from a seed: what clients of a faultless server would record.
struct HistoryStory {
    struct Site: Hashable, Comparable {
        var file: Int
        var line: Int

        static func < (one: Self, other: Self) -> Bool {
            (one.file, one.line) < (other.file, other.line)
        }
    }

    /// The lines of each client, and at the end those of the platform if there is a log.
    var files: [[HistoryLine]] = []
    let channels: [String]

    /// Makes a story of random actions.
    ///
    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - steps: The number of actions.
    ///   - hasLog: Whether the platform writes the log of each channel.
    init(seed: UInt64, steps: Int = 600, hasLog: Bool = true) {
        var world = StoryWorld(seed: seed)
        for _ in 0..<steps { world.act() }
        world.end(hasLog: hasLog)
        files = world.files
        channels = world.channels
    }

    /// The verdict, by way of the text of the files.
    func verdict(early: [String] = []) throws -> Verdict {
        let names = files.indices.map { "file\($0)" }
        var judge = HistoryJudge(files: names)
        for (number, lines) in files.enumerated() {
            var reader = HistoryReader(file: number)
            try reader.take(lines.flatMap(\.bytes), to: &judge)
            _ = try reader.finish(to: &judge)
        }
        return judge.verdict(endedEarly: early)
    }

    // MARK: Places

    func sites(where fits: (HistoryFact) -> Bool) -> [Site] {
        files.indices.flatMap { file in
            files[file].indices.filter { fits(files[file][$0].fact) }
                .map { Site(file: file, line: $0) }
        }
    }

    subscript(site: Site) -> HistoryLine {
        get { files[site.file][site.line] }
        set { files[site.file][site.line] = newValue }
    }

    /// Adds lines to the end of a client's file; the answers are those of the call before them.
    mutating func append(_ facts: [HistoryFact], to file: Int) {
        guard let last = files[file].last else { return }
        var (number, call) = (last.number, last.number)
        for fact in facts {
            number += 1
            var fact = fact
            switch fact {
            case .call: call = number
            case .answer(var answer):
                answer.call = call
                fact = .answer(answer)
            default: break
            }
            files[file].append(HistoryLine(client: last.client, number: number, fact))
        }
    }

    /// The view in a line; nil if it has none.
    func view(at site: Site) -> HistoryView? {
        switch self[site].fact {
        case .snapshot(let view), .log(let view): view
        default: nil
        }
    }

    mutating func changeView(at site: Site, _ body: (inout HistoryView) -> Void) {
        switch self[site].fact {
        case .snapshot(var view):
            body(&view)
            self[site].fact = .snapshot(view)
        case .log(var view):
            body(&view)
            self[site].fact = .log(view)
        default: break
        }
    }

    /// The snapshots that are not the last ones of their client in their channel.
    var earlierSnapshots: [Site] {
        let last = Set(lastViews())
        return sites { if case .snapshot = $0 { true } else { false } }
            .filter { !last.contains($0) }
    }

    /// The last snapshot of each client in each channel, and the logs.
    func lastViews(of channel: String? = nil) -> [Site] {
        var last: [String: Site] = [:]
        var logs: [Site] = []
        for site in sites(where: { _ in true }) {
            guard let view = view(at: site), channel.map({ $0 == view.channel }) ?? true else {
                continue
            }
            if case .log = self[site].fact {
                logs.append(site)
            } else {
                last["\(self[site].client) \(view.channel)"] = site
            }
        }
        return (last.values + logs).sorted()
    }

    /// The log of a channel, or the longest last snapshot.
    func log(of channel: String) -> [HistoryMessage] {
        let views = lastViews(of: channel)
        let logs = views.filter { if case .log = self[$0].fact { true } else { false } }
        if !logs.isEmpty { return logs.flatMap { view(at: $0)?.messages ?? [] } }
        return views.compactMap { view(at: $0)?.messages }.max { $0.count < $1.count } ?? []
    }

    /// The logs of all channels, by channel and ID.
    var logs: [String: [Int64: HistoryMessage]] {
        Dictionary(
            uniqueKeysWithValues: channels.map { channel in
                let messages = log(of: channel).map { ($0.id, $0) }
                return (channel, Dictionary(messages, uniquingKeysWith: { $1 }))
            })
    }

    /// Changes the state at the end as all clients and the log have it.
    mutating func changeEnd(of channel: String, _ body: (inout [HistoryMessage]) -> Void) {
        for site in lastViews(of: channel) { changeView(at: site) { body(&$0.messages) } }
    }

    /// Changes a message in every line that shows it.
    mutating func changeEverywhere(_ change: (HistoryMessage, _ channel: String) -> HistoryMessage)
    {
        for site in sites(where: { _ in true }) {
            switch self[site].fact {
            case .acknowledged(let message, let channel):
                self[site].fact = .acknowledged(change(message, channel), channel: channel)
            case .change(var shown):
                shown.inserted = shown.inserted.map { change($0, shown.channel) }
                shown.updated = shown.updated.map { change($0, shown.channel) }
                self[site].fact = .change(shown)
            default:
                changeView(at: site) { view in
                    let channel = view.channel
                    view.messages = view.messages.map { change($0, channel) }
                }
            }
        }
    }

    /// Takes a message out of every line.
    mutating func removeEverywhere(_ id: Int64, in place: String) {
        for site in sites(where: { _ in true }) {
            switch self[site].fact {
            case .acknowledged(let message, let channel):
                guard channel == place, message.id == id else { continue }
                // A call that is not judged keeps the number of the line.
                self[site].fact = .call(HistoryCall("look"))
            case .change(var shown):
                guard shown.channel == place else { continue }
                shown.inserted.removeAll { $0.id == id }
                shown.updated.removeAll { $0.id == id }
                self[site].fact = .change(shown)
            default:
                changeView(at: site) { view in
                    if view.channel == place { view.messages.removeAll { $0.id == id } }
                }
            }
        }
    }

    /// The messages of each channel as a change showed them first, by ID.
    var firstShown: [String: [Int64: HistoryMessage]] {
        var shown: [String: [Int64: HistoryMessage]] = [:]
        for line in files.joined() {
            guard case .change(let change) = line.fact else { continue }
            for message in change.inserted where message.updatedAt == nil {
                shown[change.channel, default: [:]][message.id] = message
            }
        }
        return shown
    }

    /// The IDs of the messages with an edit or a deletion that was asked for.
    func changedIDs(of channel: String) -> Set<Int64> {
        Set(
            sites { _ in true }.compactMap { site in
                guard case .call(let call) = self[site].fact, call.channel == channel else {
                    return nil
                }
                return call.message
            })
    }

    /// The acknowledged messages that are in the log and were never changed.
    func plainMessages() -> [(site: Site, message: HistoryMessage, channel: String)] {
        let logs = logs
        let changed = Dictionary(
            uniqueKeysWithValues: channels.map { ($0, changedIDs(of: $0)) })
        return sites { _ in true }.compactMap { site in
            guard case .acknowledged(let message, let channel) = self[site].fact,
                logs[channel]?[message.id] != nil,
                changed[channel]?.contains(message.id) == false
            else { return nil }
            return (site, message, channel)
        }
    }
}
