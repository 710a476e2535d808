// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostHistory

extension Option {
    static let early = Option(
        "early", .text(placeholder: "CLIENT"), mayRepeat: true,
        help:
            "a client that ended before the others, such as ada@5f0c2a1b, so its last snapshot may "
            + "lack the log's end")
    static let jsonLines = Option(
        "json", help: "print complaints, notes and summary as lines of JSON")
}

extension Command {
    static let check = Command(
        "check",
        summary: "checks recorded client histories for lost, duplicate or reordered messages",
        explanation: """
            Reads histories, one for each client: files in which roost client --history records its
            requests, their outcomes and what it showed. Checks that each acknowledged message is
            in the log once and in the order of its sender, that all clients saw one order without
            hidden holes, that acknowledged edits and deletions last, and that the last snapshots
            equal the log. docs/history.md explains the form and each complaint.

            Give the histories of all clients of a user: a message that none of them sent is a
            complaint.
            """,
        operands: [
            Operand("HISTORY", mayRepeat: true, help: "the history of a client, or of several")
        ],
        options: [.early, .jsonLines], example: "roost check ada.jsonl bo.jsonl",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let files = arguments.operands
            guard files.count <= HistoryLimits.files else {
                throw CommandFailure(
                    .wrongArguments, "Give at most \(HistoryLimits.files) histories at once.")
            }
            var judge = HistoryJudge(files: files)
            var notes: [String] = []
            for (number, path) in files.enumerated() {
                let torn = try HistoryInput.read(path, numbered: number, to: &judge)
                guard let torn else { continue }
                notes.append(
                    "\(path):\(torn): the last line is torn, as a killed client leaves it; it was "
                        + "left out.")
            }
            let early = arguments.texts(.early)
            if let unknown = early.first(where: { !judge.knows(client: $0) }) {
                throw CommandFailure(
                    .wrongArguments,
                    "No history has a client \(unknown), which --early names. The names are in the "
                        + "field client of each line, such as ada@5f0c2a1b.")
            }
            let verdict = judge.verdict(endedEarly: early)
            let report = CheckReport(verdict: verdict, notes: notes + verdict.notes, files: files)
            let lines =
                arguments.has(.jsonLines)
                ? report.jsonLines : report.lines(in: Style.standardOutput)
            for line in lines { StandardOutput.writeNow(line) }
            guard verdict.isGood else {
                throw CommandFailure(
                    .failed,
                    "The histories break a promise: see the complaints, which docs/history.md "
                        + "explains.")
            }
        })
}
