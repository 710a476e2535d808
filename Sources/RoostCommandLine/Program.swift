// SPDX-License-Identifier: Apache-2.0

/// A command-line program: its commands, and the content of its first help text.
package struct Program: Sendable {
    package static let version = "0.1.0"

    /// The name of the executable.
    package let name: String
    /// The purpose of the program, in a few words.
    package let summary: String
    /// Calls for a new user, with a few words on each.
    package let firstSteps: [(call: String, purpose: String)]
    /// The commands in the order of the help text; a program with one purpose has one command without a name.
    package let commands: [Command]
    /// The programs that have taken over commands, by the first word of those commands.
    package let successors: [String: String]

    package init(
        _ name: String, summary: String, firstSteps: [(call: String, purpose: String)] = [],
        commands: [Command], successors: [String: String] = [:]
    ) {
        self.name = name
        self.summary = summary
        self.firstSteps = firstSteps
        self.commands = commands
        self.successors = successors
    }

    /// The only command of a program with one purpose; nil for any other program.
    package var soleCommand: Command? { commands.first { $0.name.isEmpty } }

    /// Returns the words that call a command or a group of commands, such as `roost cache inspect`.
    package func call(_ name: String) -> String {
        name.isEmpty ? self.name : "\(self.name) \(name)"
    }

    /// Returns the usage line of a command.
    package func usage(of command: Command) -> String {
        usageParts(of: command).joined(separator: " ")
    }

    /// The words of the usage; an option and its value are one part.
    func usageParts(of command: Command) -> [String] {
        var parts = [call(command.name)]
        parts += command.operands.map(\.usage)
        for option in command.options {
            if let group = command.alternatives.first(where: { $0.contains(option) }) {
                guard group.first == option else { continue }
                parts.append("(\(group.map(\.usage).joined(separator: " | ")))")
            } else {
                parts.append(option.isRequired ? option.usage : "[\(option.usage)]")
            }
        }
        return parts
    }
}
