// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCommandLine
import RoostCore
import RoostModel
import RoostPages

extension Option {
    static let until = Option(
        "until", .number(placeholder: "N", 1...Int.max),
        help: "stop after input N, and show the state of that moment")
}

extension Command {
    static let journal = Command(
        "journal", summary: "shows a client's sync journal and replays it",
        explanation: """
            Reads the text that ChatClient.journal() wrote: every input of a client's engine, with
            the effects that were decided on. Each input is given to the engine of this release
            again. An input with other effects is marked, and both are shown: the journal is of
            another release, or was edited.

            Names such as w0000012 replace texts, users, channels, addresses and tokens. Times,
            message IDs and random request IDs are as they were. Lists that are sorted by name, or
            filtered by part of a text, may be marked although nothing is wrong: the names in the
            journal have another order and no parts.
            """,
        operands: [Operand("FILE", help: "the journal")], options: [.until],
        example: "roost journal report.jsonl --until 120",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let file = try JournalFile.reading(arguments.operands[0])
            let last = arguments.number(.until)
            let (machine, differences) = file.replay(until: last)
            show(
                file.entries.prefix { entry in last.map { entry.number <= $0 } ?? true },
                differences)
            StandardOutput.writeNow("")
            if let state = machine?.state {
                StandardOutput.writeNow("connection: \(state.link.state)")
                StandardOutput.writeNow(
                    "outbox: \(state.outbox.isBusy ? "sending, or about to send" : "idle")")
            }
            StandardOutput.writeNow(
                differences.isEmpty
                    ? "Every input had the recorded effects."
                    : "\(Measures.count(differences.count, "input")) had other effects, marked "
                        + "with !.")
            guard differences.isEmpty else {
                throw CommandFailure(
                    .failed,
                    "The journal has other effects than this release: replay it with the roost of "
                        + "the release that wrote it. If that differs too, it was edited.")
            }
        })

    private static func show(
        _ entries: some Sequence<JournalFile.Entry>, _ differences: [JournalFile.Difference]
    ) {
        let differing = Dictionary(
            differences.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        let text = EffectText { $0 }
        var start: Timestamp?
        for entry in entries {
            let beginning = start ?? entry.at
            start = beginning
            let difference = differing[entry.number]
            let seconds = Double(entry.at.milliseconds(since: beginning)) / 1000
            StandardOutput.writeNow(
                "\(difference == nil ? " " : "!")\(column(entry.number, 6)) \(column(seconds)) s  "
                    + text.text(of: entry.input).onOneLine)
            guard let difference else {
                for effect in entry.effects {
                    StandardOutput.writeNow("           -> " + "\(effect)".onOneLine)
                }
                continue
            }
            for effect in difference.recorded {
                StandardOutput.writeNow("     recorded: " + "\(effect)".onOneLine)
            }
            for effect in difference.replayed {
                StandardOutput.writeNow("     replayed: " + "\(effect)".onOneLine)
            }
        }
    }

    private static func column(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func column(_ seconds: Double) -> String {
        let text = String(format: "%+.3f", seconds)
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}
