// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCommandLine
import RoostCore
import RoostModel

extension Option {
    static let until = Option(
        "until", .number(placeholder: "N", 1...Int.max),
        help: "stop after step N and show the state")
}

extension Command {
    static let journal = Command(
        "journal", summary: "shows a client's sync journal and replays it",
        explanation: """
            Reads the output of ChatClient.journal(): each input of a client, with its decisions. Every
            decision is made again from the recorded state. A different decision is marked, and
            points to another release or an edited file. A journal has no text, name or address.
            """,
        operands: [Operand("FILE", help: "the journal")], options: [.until],
        example: "roost journal report.jsonl --until 120",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let path = arguments.operands[0]
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure(.storage, "\(path) cannot be read: name a readable file.")
            }
            let file: JournalFile
            do throws(RoostError) {
                file = try JournalFile(reading: String(decoding: data, as: UTF8.self))
            } catch {
                throw CommandFailure(.failed, error.message)
            }
            let last = arguments.number(.until)
            let (state, differing) = file.replay(until: last)
            let wrong = Set(differing.map(\.number))
            if file.droppedCount > 0 {
                StandardOutput.writeNow("\(file.droppedCount) earlier steps are not kept")
            }
            let start = file.entries.first?.at.milliseconds ?? 0
            for entry in file.entries where last.map({ entry.number <= $0 }) ?? true {
                let mark = wrong.contains(entry.number) ? "!" : " "
                let seconds = Double(entry.at.milliseconds - start) / 1000
                StandardOutput.writeNow(
                    "\(mark)\(column(entry.number, 6)) \(column(seconds)) s  \(entry.summary)")
            }
            StandardOutput.writeNow("")
            StandardOutput.writeNow("connection: \(state.link.state)")
            StandardOutput.writeNow(
                "outbox: \(state.outbox.isBusy ? "sending, or ready to send" : "at rest")")
            StandardOutput.writeNow(
                differing.isEmpty
                    ? "Every decision is as recorded."
                    : "\(differing.count) decisions are different; they are marked with !.")
            guard differing.isEmpty else {
                throw CommandFailure(.failed, "The journal is from another release, or was edited.")
            }
        })

    private static func column(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func column(_ seconds: Double) -> String {
        let text = String(format: "%+.3f", seconds)
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}
