// SPDX-License-Identifier: Apache-2.0

/// The output of `--help`, in lines of 80 columns; examples are left as they are.
package enum HelpText {
    /// The columns of the narrowest common terminal.
    private static let columns = 80
    /// The widest first column of a table; a wider entry has a line of its own.
    private static let widestEntry = 26

    /// Returns the help text of a whole program, or of one command or group of it.
    package static func about(_ topic: String, of program: Program) -> String {
        if let command = program.commands.first(where: { $0.name == topic }) {
            return about(command, of: program)
        }
        let shown =
            topic.isEmpty ? program.commands : program.commands.filter { $0.words[0] == topic }
        var parts = topic.isEmpty ? [lines("\(program.name): \(program.summary)")] : []
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
            lines("\(program.call(command.name)): \(command.summary)"),
            lines(["Usage:"] + program.usageParts(of: command), indent: 7),
            paragraphs(command.explanation),
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
        let help = option.help + (option.mayRepeat ? "; may be repeated" : "")
        if option.isRequired { return help + " (required)" }
        return option.standard.map { "\(help) (default: \($0))" } ?? help
    }

    private static func exitCodes(_ codes: [ExitCode]) -> String {
        table(codes.map { (String($0.rawValue), $0.meaning) })
    }

    /// Returns two columns; the lines of the second begin below each other.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).filter { $0 <= widestEntry }.max() ?? 0
        return rows.map { left, right in
            let isWide = left.count > width
            let head = isWide ? spaces(width + 3) : "  \(left)" + spaces(width + 1 - left.count)
            let text = lines([head] + words(right), indent: width + 4)
            return isWide ? "  \(left)\n\(text)" : text
        }.joined(separator: "\n")
    }

    private static func paragraphs(_ text: String) -> String {
        let paragraphs = text.split(separator: "\n\n")
        return paragraphs.map { lines(String($0)) }.joined(separator: "\n\n")
    }

    private static func lines(_ text: String) -> String { lines(words(text), indent: 0) }

    /// Returns the parts in lines, each whole and the further lines with an indent.
    private static func lines(_ parts: [String], indent: Int) -> String {
        var lines: [String] = []
        for part in parts {
            if let last = lines.last, last.count + 1 + part.count <= columns {
                lines[lines.count - 1] = "\(last) \(part)"
            } else {
                lines.append(lines.isEmpty ? part : spaces(indent) + part)
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map { String($0) }
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
