// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCore
import RoostModel
import RoostTestSupport
import Testing

/// The command's output about a sync journal.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct JournalCommandTests {
    /// The journal of a machine that was asked for a connection and got none.
    static let journal: String = {
        var recording = Recording()
        var machine = SyncMachine(SyncState(me: "ada", random: SeededRandom(1, 2, 3, 4)))
        let inputs: [SyncMachine.Input] = [
            .link(.connect), .link(.opened(1)), .link(.lost(1, .closed)), .missedCommits,
        ]
        for (number, input) in inputs.enumerated() {
            let before = recording.needsMachine ? machine : nil
            let moment = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 250)
            recording.note(input, at: moment, machine.receive(input, at: moment), of: before)
        }
        return JournalFile.text(of: recording, NamedContent(of: recording))
    }()

    private let program: Program

    init() throws { program = try Program() }

    private func replay(_ text: String, _ words: String...) async throws -> Program.Outcome {
        try Data(text.utf8).write(to: URL(filePath: program.path("report")))
        return try await program.run(["journal", "report"] + words)
    }

    @Test func `a journal is shown with each input's effects, and replayed`() async throws {
        let shown = try await replay(Self.journal)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains { $0.hasSuffix("+0.250 s  .link(.opened(1))") })
        #expect(shown.output.contains { $0.hasPrefix("           -> .notice(.arm(.link(") })
        #expect(shown.output.last == "Every input had the recorded effects.")
        let first = try await replay(Self.journal, "--until", "1").output
        #expect(first.contains { $0.hasPrefix("connection: opening") })
        #expect(!first.contains { $0.contains(".opened(1)") })
        try program.remove()
    }

    @Test func `an input with other effects is marked, with both`() async throws {
        let edited = Self.journal.replacing(
            ".notice(.disarm(.outboxTurn))", with: ".notice(.loggedIn)")
        #expect(edited != Self.journal)
        let shown = try await replay(edited)
        #expect(shown.status == 1)
        #expect(shown.output.contains { $0.hasPrefix("!") })
        #expect(shown.output.contains("     recorded: .notice(.loggedIn)"))
        #expect(shown.output.contains("     replayed: .notice(.disarm(.outboxTurn))"))
        #expect(shown.output.last?.hasSuffix(" had other effects, marked with !.") == true)
        #expect(shown.errors.count == 1)
        #expect(shown.errors.first?.contains("the roost of the release that wrote it") == true)
        // Journals are sent by others.
        let forged = Self.journal.replacing(
            ".notice(.disarm(.outboxTurn))", with: "\\u001b]52;c;\\u0007")
        let output = try await replay(forged).output
        #expect(output.contains { $0.contains("]52;c;") })
        #expect(!output.contains { $0.contains("\u{1B}") || $0.contains("\u{7}") })
        try program.remove()
    }
}
