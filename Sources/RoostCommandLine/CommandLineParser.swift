// SPDX-License-Identifier: Apache-2.0

/// The translation of a command line's words into a call of a command.
package struct CommandLineParser: Sendable {
    /// The call of the command line.
    package enum Invocation: Sendable {
        /// Help about one command or a group of commands, or about all if the name is "".
        case help(String)
        case version
        case run(Command, Arguments)
    }

    package let program: Program

    private var commands: [Command] { program.commands }

    package init(_ program: Program) {
        self.program = program
    }

    /// Parses the words after the program's name.
    ///
    /// - Throws: `.wrongArguments` with a sentence that names the probable intention.
    package func parse(_ words: [String]) throws(CommandFailure) -> Invocation {
        guard let first = words.first else {
            return program.soleCommand.map { .run($0, Arguments()) } ?? .help("")
        }
        switch first {
        case "--help", "-h": return .help("")
        case "--version", "version": return .version
        case "help": return .help(try topic(Array(words.dropFirst())))
        default: break
        }
        guard !first.hasPrefix("-") || program.soleCommand != nil else {
            throw wrong(
                "\(program.name) itself has only --help and --version; put \(first) after a command."
            )
        }
        guard let command = command(beginning: words) else {
            if commands.contains(where: { $0.words[0] == first }) {
                let rest = Array(words.prefix { !$0.hasPrefix("-") })
                return .help(try topic(rest))
            }
            throw unknownCommand(words)
        }
        let rest = Array(words.dropFirst(command.words.count))
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            return .help(command.name)
        }
        return .run(command, try arguments(rest, of: command))
    }

    /// Returns the command or the group whose help is requested.
    private func topic(_ words: [String]) throws(CommandFailure) -> String {
        guard let first = words.first, first != "help" else { return "" }
        if let command = command(beginning: words) { return command.name }
        let group = commands.filter { $0.words[0] == first }
        guard !group.isEmpty else { throw unknownCommand(words) }
        guard words.count > 1 else { return first }
        let question = NearestName.question(for: words[1], among: group.map { $0.words[1] })
        throw wrong(
            "\(program.call(first)) has no command “\(words[1])”\(question) See \(program.call("help")) \(first)."
        )
    }

    private func command(beginning words: [String]) -> Command? {
        commands.first { words.starts(with: $0.words) }
    }

    private func unknownCommand(_ words: [String]) -> CommandFailure {
        let word = words[0]
        if let successor = program.successors[word] {
            let call = ([successor] + words.dropFirst()).joined(separator: " ")
            return wrong(
                "\(program.call(word)) is a separate program now: run \(call) instead. "
                    + "swift build --product \(successor) builds it.")
        }
        var names = ["help"]
        for command in commands where !names.contains(command.words[0]) {
            names.append(command.words[0])
        }
        let question = NearestName.question(for: word, among: names, prefix: program.name + " ")
        return wrong("There is no command “\(word)”\(question) See \(program.name) --help.")
    }

    private func seeHelp(of command: Command) -> String {
        let call = command.name.isEmpty ? "--help" : "help \(command.name)"
        return "See \(program.call(call))."
    }

    private func wrong(_ message: String) -> CommandFailure {
        CommandFailure(.wrongArguments, message)
    }
}

// MARK: - The words of one command

extension CommandLineParser {
    private func arguments(
        _ words: [String], of command: Command
    ) throws(CommandFailure) -> Arguments {
        var arguments = Arguments()
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, word.hasPrefix("-"), word != "-" {
                try takeOption(word, &rest, of: command, into: &arguments)
            } else if let operand = command.operand(after: arguments.operands.count) {
                guard !word.isEmpty else {
                    throw wrong(
                        "\(operand.placeholder) of \(program.call(command.name)) must not be empty: "
                            + "\(operand.help).")
                }
                arguments.operands.append(word)
            } else {
                throw wrong("“\(word)” is one word too many. Usage: \(program.usage(of: command))")
            }
        }
        try checkComplete(arguments, of: command)
        return arguments
    }

    private func takeOption(
        _ word: String, _ rest: inout ArraySlice<String>, of command: Command,
        into arguments: inout Arguments
    ) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = command.options.first(where: { "--\($0.name)" == name }) else {
            let names = command.options.map(\.name) + ["help"]
            let bare = String(name.drop { $0 == "-" })
            let question = NearestName.question(for: bare, among: names, prefix: "--")
            throw wrong(
                "\(program.call(command.name)) has no option \(name)\(question) \(seeHelp(of: command))"
            )
        }
        guard option.mayRepeat || !arguments.has(option) else {
            throw wrong("\(name) is given twice: give it once.")
        }
        if option.value == .none {
            guard parts.count == 1 else {
                throw wrong("\(name) takes no value: leave “=\(parts[1])” out.")
            }
            arguments.values[option.name] = [""]
        } else {
            arguments.values[option.name, default: []].append(
                try value(of: option, attached: parts.count == 2 ? String(parts[1]) : nil, &rest))
        }
    }

    private func value(
        of option: Option, attached: String?, _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) -> String {
        var given = attached
        // An option's name after an option means that the value was forgotten.
        if given == nil, let next = rest.first, !next.hasPrefix("--") { given = rest.popFirst() }
        guard let text = given, !text.isEmpty else {
            throw wrong("--\(option.name) needs \(option.wanted): \(option.help).")
        }
        if case .number(_, let range) = option.value {
            guard let number = Int(text), range.contains(number) else {
                throw wrong("--\(option.name) wants \(option.wanted), not “\(text)”.")
            }
        }
        return text
    }

    private func checkComplete(
        _ arguments: Arguments, of command: Command
    ) throws(CommandFailure) {
        if arguments.operands.count < command.operands.count {
            let operand = command.operands[arguments.operands.count]
            throw wrong(
                "\(program.call(command.name)) needs \(operand.placeholder): \(operand.help). "
                    + "For example: \(command.example)")
        }
        var missing = command.options.filter { $0.isRequired && !arguments.has($0) }.map(\.usage)
        for group in command.alternatives {
            let given = group.filter(arguments.has)
            guard given.count < 2 else {
                let names = given.map { "--\($0.name)" }.joined(separator: " and ")
                throw wrong("\(names) exclude each other: give one.")
            }
            if given.isEmpty { missing.append(group.map(\.usage).joined(separator: " or ")) }
        }
        guard missing.isEmpty else {
            let names = missing.joined(separator: ", ")
            throw wrong(
                "\(program.call(command.name)) still needs \(names). \(seeHelp(of: command))")
        }
    }
}

extension Command {
    /// Returns the operand for one more word after `count` words; nil if it is too many.
    fileprivate func operand(after count: Int) -> Operand? {
        if count < operands.count { return operands[count] }
        return operands.last.flatMap { $0.mayRepeat ? $0 : nil }
    }
}
