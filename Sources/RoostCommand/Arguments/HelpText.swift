// SPDX-License-Identifier: Apache-2.0

/// What `--help` prints.
package enum HelpText {
    /// The whole program, or one command or group of it.
    package static func about(_ topic: String, among commands: [Command]) -> String {
        if let command = commands.first(where: { $0.name == topic }) { return about(command) }
        let shown = topic.isEmpty ? commands : commands.filter { $0.words[0] == topic }
        let prefix = topic.isEmpty ? "roost" : "roost \(topic)"
        let title =
            topic.isEmpty
            ? "roost: chat that works without a network; its server, a client for scripts, a demo\n\n"
            : ""
        let end =
            topic.isEmpty
            ? """

            First steps:
              roost demo                 see it work
              roost help client          drive a client from any language

            Exit codes:
            \(exitCodes(ExitCode.allCases))
            """ : ""
        return """
            \(title)Usage: \(prefix) COMMAND [options]

            Commands:
            \(table(shown.map { ($0.name, $0.summary) }))

            More about one: roost help COMMAND
            \(end)
            """
    }

    private static func about(_ command: Command) -> String {
        var parts = [
            "roost \(command.name): \(command.summary)", "Usage: \(command.usage)",
            command.explanation,
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

    /// Two columns, the first as wide as its widest entry.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { left, right in
            "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
        }.joined(separator: "\n")
    }
}
