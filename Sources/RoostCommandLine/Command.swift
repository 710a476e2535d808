// SPDX-License-Identifier: Apache-2.0

/// One command of a program, with its help text.
package struct Command: Sendable {
    /// One word, or two for a command of a group, such as `cache inspect`; empty for the only
    /// command of a program.
    package let name: String
    /// A few words for the list of commands.
    package let summary: String
    /// The effect of the command, in a few lines.
    package let explanation: String
    package let operands: [Operand]
    package let options: [Option]
    /// The options of which exactly one is required, for each list.
    package let alternatives: [[Option]]
    /// Lines that can be typed unchanged.
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
