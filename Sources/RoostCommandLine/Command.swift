// SPDX-License-Identifier: Apache-2.0

/// One command of a program, with all that its help text says.
package struct Command: Sendable {
    /// One word, or two for a command of a group, such as `cache inspect`; empty for the only command of a
    /// program.
    package let name: String
    /// A few words for the list of commands.
    package let summary: String
    /// What it does, in a few lines.
    package let explanation: String
    package let operands: [Operand]
    package let options: [Option]
    /// Of each of these exactly one has to be given.
    package let alternatives: [[Option]]
    /// Lines that can be typed as they stand.
    package let example: String
    package let exitCodes: [ExitCode]
    package let run: @Sendable (Arguments) async throws(CommandFailure) -> Void

    package init(
        _ name: String, summary: String, explanation: String, operands: [Operand] = [],
        options: [Option] = [], alternatives: [[Option]] = [], example: String,
        exitCodes: [ExitCode],
        run: @escaping @Sendable (Arguments) async throws(CommandFailure) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.explanation = explanation
        self.operands = operands
        self.options = options
        self.alternatives = alternatives
        self.example = example
        self.exitCodes = exitCodes
        self.run = run
    }

    var words: [String] { name.split(separator: " ").map { String($0) } }
}
