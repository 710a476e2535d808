// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A sync journal as a sequence chart: each input of the client's engine with its effects.
package struct JournalChart: Equatable, Sendable {
    package struct Step: Equatable, Sendable {
        package let number: Int
        package let at: Timestamp
        /// The input as the journal writes it, such as `.link(.opened(1))`.
        package let input: String
        package let effects: [String]
        /// The effects of a replay that came to others; nil if they are equal, or none was made.
        package let replayed: [String]?

        package init(
            number: Int, at: Timestamp, input: String, effects: [String], replayed: [String]? = nil
        ) {
            self.number = number
            self.at = at
            self.input = input
            self.effects = effects
            self.replayed = replayed
        }
    }

    package var steps: [Step]
    /// The number of older steps that are left out.
    package var omitted: Int

    package init(steps: [Step], omitted: Int = 0) {
        self.steps = steps
        self.omitted = omitted
    }
}

/// A life line of the chart, from left to right.
enum JournalLane: Int, CaseIterable {
    case app, engine, server, disk, timer

    var name: String {
        switch self {
        case .app: "App"
        case .engine: "Engine"
        case .server: "Server"
        case .disk: "Disk"
        case .timer: "Timer"
        }
    }

    /// The middle of the lane, in thousandths of the drawing.
    var x: Double { Double(rawValue) * 200 + 100 }
}

/// The kind of an arrow, which has a word and a colour.
enum JournalArrow: String {
    case call, frame, request, commit, read, timer, decision

    var word: String { rawValue }
}

/// A reader of the words that begin an input or an effect.
struct JournalWords {
    let lane: JournalLane
    let arrow: JournalArrow

    /// Reads an input: the lane that it comes from.
    init(input text: String) {
        let words = Self.names(in: text)
        (lane, arrow) =
            switch words.first {
            case "link":
                ["connect", "disconnect", "foreground", "background"].contains(words.second)
                    ? (.app, .call) : (.server, .frame)
            case "frame", "frameSent", "refusedKey": (.server, .frame)
            case "fired", "overdue": (.timer, .timer)
            case "download": (.server, .request)
            case "reply": Self.reply(words.second)
            case "missedCommits", "forgotten", "suspected", "cacheOpened", "indexFilled",
                "repairedFiles":
                (.disk, .commit)
            default: (.app, .call)
            }
    }

    /// Reads an effect: the lane that it goes to.
    init(effect text: String) {
        let words = Self.names(in: text)
        (lane, arrow) =
            switch words.first {
            case "commit": (.disk, .commit)
            case "read": (.disk, .read)
            case "keep", "mend", "outbox": (.disk, .commit)
            case "ask": (.server, .request)
            case "send": (.server, .frame)
            case "pause", "endPause", "limit", "endLimit": (.timer, .timer)
            case "notice": Self.notice(words.second)
            default: (.app, .decision)
            }
    }

    private static func reply(_ word: String) -> (JournalLane, JournalArrow) {
        switch word {
        case "answer": (.server, .request)
        case "sent": (.server, .frame)
        case "read": (.disk, .read)
        case "paused": (.timer, .timer)
        case "woken", "ended", "begin": (.engine, .decision)
        default: (.disk, .commit)
        }
    }

    private static func notice(_ word: String) -> (JournalLane, JournalArrow) {
        switch word {
        case "openSocket", "closeSocket", "cancelUpload": (.server, .request)
        case "send": (.server, .frame)
        case "arm", "disarm": (.timer, .timer)
        case "fillIndex", "deleteFiles", "keepUploaded", "forgotten": (.disk, .commit)
        default: (.app, .decision)
        }
    }

    /// Returns the first two names of cases in a text such as `.reply(12, .answer(…))`.
    private static func names(in text: String) -> (first: String, second: String) {
        var names: [String] = []
        var rest = text.unicodeScalars.prefix(200)[...]
        while names.count < 2, let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            let name = rest.prefix { ("a"..."z").contains($0) || ("A"..."Z").contains($0) }
            if !name.isEmpty { names.append(String(name)) }
            rest = rest[name.endIndex...]
        }
        return (names.first ?? "", names.dropFirst().first ?? "")
    }
}
