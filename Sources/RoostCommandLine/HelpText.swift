// SPDX-License-Identifier: Apache-2.0

/// The output of `--help`.
package enum HelpText {
    /// Returns the help text of a whole program, or of one command or group of it.
    package static func about(_ topic: String, of program: Program) -> String {
        if let command = program.commands.first(where: { $0.name == topic }) {
            return about(command, of: program)
        }
        let shown =
            topic.isEmpty ? program.commands : program.commands.filter { $0.words[0] == topic }
        var parts = topic.isEmpty ? ["\(program.name): \(program.summary)"] : []
        parts.append("Usage: \(program.call(topic)) COMMAND [options]")
        parts.append("Commands:\n" + table(shown.map { ($0.name, $0.summary) }))
        parts.append("More about one: \(program.name) help COMMAND")
        if topic.isEmpty {
            if !program.firstSteps.isEmpty {
                parts.append(
                    "First steps:\n" + table(program.firstSteps.map { ($0.call, $0.purpose) }))
            }
            parts.append("Exit codes:\n" + exitCodes(ExitCode.allCases))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func about(_ command: Command, of program: Program) -> String {
        var parts = [
            "\(program.call(command.name)): \(command.summary)",
            "Usage: \(program.usage(of: command))", command.explanation,
        ]
        if !command.operands.isEmpty {
            parts.append("Words:\n" + table(command.operands.map { ($0.usage, $0.help) }))
        }
        let options = command.options.map { ($0.usage, describe($0)) }
        parts.append("Options:\n" + table(options + [("--help", "this text")]))
        let example = command.example.split(separator: "\n").map { "  \($0)" }
        parts.append("Example:\n" + example.joined(separator: "\n"))
        parts.append("Exit codes:\n" + exitCodes(command.exitCodes))
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func describe(_ option: Option) -> String {
        if option.isRequired { return option.help + " (required)" }
        return option.standard.map { "\(option.help) (default: \($0))" } ?? option.help
    }

    private static func exitCodes(_ codes: [ExitCode]) -> String {
        table(codes.map { (String($0.rawValue), $0.meaning) })
    }

    /// Returns two columns, the first as wide as its widest entry.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { left, right in
            "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
        }.joined(separator: "\n")
    }
}
