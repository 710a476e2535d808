// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostCore
import RoostModel
import RoostPages

extension JournalChart {
    /// The greatest number of steps on a page.
    static let limit = 300

    /// Makes the chart of a journal's last steps, each replayed.
    init(_ file: JournalFile) {
        let (_, differences) = file.replay()
        let replayed = Dictionary(
            differences.map { ($0.number, $0.replayed) }, uniquingKeysWith: { first, _ in first })
        let text = EffectText { $0 }
        self.init(
            steps: file.entries.suffix(Self.limit).map { entry in
                Step(
                    number: entry.number, at: entry.at, input: text.text(of: entry.input),
                    effects: entry.effects.map(\.description),
                    replayed: replayed[entry.number]?.map(\.description))
            }, omitted: max(0, file.entries.count - Self.limit))
    }
}

extension JournalFile {
    /// Reads a journal that a command names.
    static func reading(_ path: String) throws(CommandFailure) -> JournalFile {
        guard let text = TextFile.contents(of: path) else {
            throw CommandFailure(
                .storage, "\(path) cannot be read: check the name and the rights of the file.")
        }
        do throws(RoostError) {
            return try JournalFile(reading: text)
        } catch {
            throw CommandFailure(.failed, error.message)
        }
    }
}

/// The steps of a running client, with names in place of its content.
///
/// Each step is written once. Equal texts have equal names within a process, and no text can be
/// found by its name.
struct JournalFeed {
    private static let limit = 100

    private let names: SecretNames
    private var written: [JournalChart.Step] = []

    init(names: SecretNames) { self.names = names }

    /// Returns the chart of the last steps of a recording.
    mutating func chart(of recording: Recording) -> JournalChart {
        let (count, last) = recording.last(Self.limit)
        let known = written.last?.number ?? 0
        let text = EffectText(naming: names.name)
        written += last.filter { $0.number > known }.map { entry in
            JournalChart.Step(
                number: entry.number, at: entry.at, input: text.text(of: entry.input),
                effects: entry.effects.map { text.text(of: $0) })
        }
        written.removeFirst(max(0, written.count - Self.limit))
        return JournalChart(steps: written, omitted: count - written.count)
    }
}
