// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine
package import RoostHistory
import RoostPages
import RoostWire

/// The output of `roost check`.
package struct CheckReport: Sendable {
    private let verdict: Verdict
    private let notes: [String]
    private let files: [String]

    package init(verdict: Verdict, notes: [String], files: [String]) {
        self.verdict = verdict
        self.notes = notes
        self.files = files
    }

    /// Returns the complaints, the notes and a summary for people.
    package func lines(in style: Style) -> [String] {
        var lines: [String] = []
        for complaint in verdict.complaints {
            let title = style(.bad, complaint.rule.title)
            lines.append(
                "\(complaint.place.text(in: files)): \(title): \(Self.subject(of: complaint))")
            lines.append("    expected: \(complaint.expected.onOneLine)")
            lines.append("    seen:     \(complaint.seen.onOneLine)")
        }
        if verdict.complaintCount > verdict.complaints.count {
            let rest = verdict.complaintCount - verdict.complaints.count
            lines.append("\(Measures.count(rest, "more complaint"))")
        }
        lines += notes.map { style(.quiet, "note: \($0.onOneLine)") }
        let counts = verdict.counts
        lines.append(
            [
                Measures.count(counts.lines, "line"), Measures.count(counts.clients, "client"),
                Measures.count(counts.channels, "channel"),
                Measures.count(counts.snapshots, "snapshot"),
            ].joined(separator: ", "))
        lines.append(
            "acknowledged: "
                + [
                    Measures.count(counts.acknowledgedSends, "message"),
                    Measures.count(counts.acknowledgedEdits, "edit"),
                    Measures.count(counts.acknowledgedDeletions, "deletion"),
                ].joined(separator: ", ")
                + "; in the logs: \(Measures.count(counts.messagesInLogs, "message")), "
                + "\(counts.messagesOfOthers) of senders without a history")
        lines.append(
            verdict.isGood
                ? style(.good, notes.isEmpty ? "Good: every promise was kept." : goodInPart)
                : style(.bad, Measures.count(verdict.complaintCount, "complaint")))
        return lines
    }

    private var goodInPart: String {
        "Good as far as it was judged: see \(Measures.count(notes.count, "note"))."
    }

    /// The same as lines of JSON.
    package var jsonLines: [String] {
        var lines = verdict.complaints.map { complaint in
            line("complaint") { writer in
                writer.field("rule", complaint.rule.rawValue)
                writer.field("file", files[Int(complaint.place.file)])
                writer.field("line", Int(complaint.place.line))
                writer.field("channel", complaint.channel)
                if let id = complaint.message { writer.field("message_id", id) }
                if let id = complaint.request { writer.field("request_id", id) }
                writer.field("expected", complaint.expected)
                writer.field("seen", complaint.seen)
            }
        }
        lines += notes.map { note in
            var writer = JSONWriter()
            writer.object { $0.field("note", note) }
            return writer.text
        }
        let counts = verdict.counts
        lines.append(
            line("summary") { writer in
                writer.field("good", verdict.isGood)
                writer.field("complaints", verdict.complaintCount)
                writer.field("lines", counts.lines)
                writer.field("clients", counts.clients)
                writer.field("channels", counts.channels)
                writer.field("snapshots", counts.snapshots)
                writer.field("acknowledged_messages", counts.acknowledgedSends)
                writer.field("acknowledged_edits", counts.acknowledgedEdits)
                writer.field("acknowledged_deletions", counts.acknowledgedDeletions)
                writer.field("messages_in_logs", counts.messagesInLogs)
                writer.field("messages_of_others", counts.messagesOfOthers)
            })
        return lines
    }

    private func line(_ name: String, _ fields: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object { $0.object(name, fields) }
        return writer.text
    }

    private static func subject(of complaint: Complaint) -> String {
        let channel = "in \(complaint.channel.onOneLine)"
        guard let message = complaint.message else { return channel }
        let request = complaint.request.map { " (request \($0.onOneLine))" } ?? ""
        return "message \(message)\(request) \(channel)"
    }
}
