// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommand
import RoostCommandLine
import Testing

/// The comparison of the commands and options on the pages with those of the program.
struct PrintedCommandTests {
    /// A command as a page prints it.
    private struct Printed {
        let page: String
        /// The words behind the name of the program.
        let text: String
        /// Whether the command can be typed; otherwise a sentence mentions it, perhaps in part.
        let isWhole: Bool
        /// Whether the page sets the API token in the command or before it.
        let hasSecret: Bool
    }

    /// The call of the program: assignments of variables, perhaps a path, and the words.
    private static var call: Regex<(Substring, Substring, Substring)> {
        /^\s*(?:\$ )?(?:ExecStart=)?((?:[A-Z_]+=\S+ )*)(?:swift run )?(?:\S*\/)?roost (.+)$/
    }

    /// Returns the commands of a page, those of blocks and those in sentences and tables.
    private static func commands(on page: String) throws -> [Printed] {
        var commands: [Printed] = []
        var block: [Substring]?
        var prose = ""
        for line in try Project.text(page).split(separator: "\n", omittingEmptySubsequences: false)
        {
            let isFence = line.trimmingPrefix(while: \.isWhitespace).hasPrefix("```")
            switch (isFence, block) {
            case (true, nil): block = []
            case (true, let lines?):
                commands += wholeCommands(of: lines, on: page)
                block = nil
            case (false, nil): prose += line + "\n"
            case (false, let lines?): block = lines + [line]
            }
        }
        for paragraph in prose.split(separator: "\n\n") {
            for span in paragraph.matches(of: /(`+)([^`]+)\1/) {
                let words = span.output.2.split(whereSeparator: \.isWhitespace)
                guard let match = words.joined(separator: " ").firstMatch(of: call) else {
                    continue
                }
                commands.append(
                    Printed(
                        page: page, text: String(match.output.2), isWhole: false,
                        hasSecret: match.output.1.contains("ROOST_API_TOKEN=")))
            }
        }
        return commands
    }

    private static func wholeCommands(of block: [Substring], on page: String) -> [Printed] {
        var hasSecret = false
        let text = block.joined(separator: "\n").replacing(/\\\n\s*/, with: "")
        return text.split(separator: "\n").compactMap { line in
            if line.contains("ROOST_API_TOKEN") { hasSecret = true }
            guard let match = line.firstMatch(of: call) else { return nil }
            return Printed(
                page: page, text: String(match.output.2), isWhole: true, hasSecret: hasSecret)
        }
    }

    /// Returns the words of a command as a shell would, with a number for each placeholder.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        let plain = text.replacing(/\$\([^)]*\)/, with: "x")
        for match in plain.matches(of: /"([^"]*)"|'([^']*)'|(\S+)/) {
            let bare = match.output.3.map(String.init)
            if let bare, ["|", ">", "&", "&&", ";"].contains(bare) || bare.hasPrefix("#") { break }
            let word = bare ?? String(match.output.1 ?? match.output.2 ?? "")
            words.append(word.allSatisfy { ("A"..."Z").contains($0) } ? "1" : word)
        }
        return words
    }

    @Test func `each command on a page can be run, and a server gets its secret`() throws {
        var count = 0
        for printed in try Project.pages().flatMap({ try Self.commands(on: $0) }) {
            // A usage line, or one with a part left out.
            if printed.text.contains(/\.\.\.|…|\[|<|^[^a-z-]/) { continue }
            count += 1
            do throws(CommandFailure) {
                let words = Self.words(of: printed.text)
                guard
                    case .run(let command, let arguments) = try CommandLineParser(.roost).parse(
                        words)
                else { continue }
                let given = arguments.values
                let needsSecret =
                    command.name == "serve" || command.name == "conform" && given["server"] != nil
                let hasSecret =
                    printed.hasSecret || given["api-token-file"] != nil || given["api-token"] != nil
                #expect(!needsSecret || hasSecret, "\(printed.page): roost \(printed.text)")
            } catch {
                let isPart = !printed.isWhole && error.message.contains(" needs ")
                #expect(isPart, "\(printed.page): roost \(printed.text): \(error.message)")
            }
        }
        #expect(count > 60)
    }

    @Test func `each option of the program stands on a page of the documents`() throws {
        let pages = try Project.pages().filter { $0.hasPrefix("docs/") || $0 == "README.md" }
        let text = try pages.map { try Project.text($0) }.joined()
        for command in Program.roost.commands {
            for option in command.options {
                let pattern = try Regex(#"--\#(option.name)(?![\w-])"#)
                let isPrinted = text.contains(pattern)
                #expect(isPrinted, "roost \(command.name) --\(option.name)")
            }
        }
    }
}
