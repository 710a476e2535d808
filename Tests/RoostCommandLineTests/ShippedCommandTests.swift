// SPDX-License-Identifier: Apache-2.0

import RoostBench
import RoostCommand
import RoostCommandLine
import RoostSimulator
import Testing

/// The commands of every program as they are shipped.
struct ShippedCommandTests {
    private static let programs = [Program.roost, .bench, .simulate]

    /// A command and its program, for a test's arguments.
    struct Case: CustomTestStringConvertible, Sendable {
        let program: Program
        let command: Command

        var testDescription: String { program.call(command.name) }
    }

    private static let cases = programs.flatMap { program in
        program.commands.map { Case(program: program, command: $0) }
    }

    @Test(arguments: cases)
    func `help tells every option with its default, an example and the exit codes`(
        of shipped: Case
    ) throws {
        let command = shipped.command
        let text = HelpText.about(command.name, of: shipped.program)
        for line in command.example.split(separator: "\n") { #expect(text.contains(line)) }
        // The texts are broken into lines.
        let help = text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(help.hasPrefix(shipped.program.call(command.name) + ": "))
        for option in command.options {
            #expect(help.contains(option.usage), "\(option.usage)")
            let repeats = option.mayRepeat ? "; may be repeated" : ""
            #expect(help.contains(option.help + repeats), "\(option.usage)")
            if let standard = option.standard { #expect(help.contains("(default: \(standard))")) }
        }
        for operand in command.operands { #expect(help.contains(operand.help)) }
        for code in command.exitCodes { #expect(help.contains(code.meaning)) }
        #expect(help.contains("--help"))
    }

    @Test(arguments: programs)
    func `no line of help is wider than the narrowest common terminal`(_ program: Program) {
        for topic in [""] + program.commands.map(\.name) {
            let help = HelpText.about(topic, of: program)
            let examples = program.commands.first { $0.name == topic }?.example ?? ""
            let wide = help.split(separator: "\n").filter { line in
                line.count > 80 && !examples.contains(line.drop { $0 == " " })
            }
            #expect(wide.isEmpty, "\(program.call(topic))")
        }
    }

    @Test func `the first help names every command`() {
        for program in Self.programs where program.soleCommand == nil {
            let text = HelpText.about("", of: program)
            for command in program.commands { #expect(text.contains("  \(command.name) ")) }
            let help = text.split { $0.isWhitespace }.joined(separator: " ")
            #expect(help.hasPrefix("\(program.name): \(program.summary)"))
            for step in program.firstSteps { #expect(help.contains(step.call)) }
            for code in ExitCode.allCases { #expect(help.contains(code.meaning)) }
        }
    }

    @Test(arguments: cases)
    func `every example can be typed as it stands`(of shipped: Case) throws {
        let example = shipped.command.example
        let call = try #require(example.firstRange(of: shipped.program.name + " "))
        let words = example[call.upperBound...].split(separator: " ").map { String($0) }
        guard case .run(let found, _) = try CommandLineParser(shipped.program).parse(words) else {
            Issue.record("the example runs nothing: \(example)")
            return
        }
        #expect(found.name == shipped.command.name)
    }

    @Test func `a first step can be typed as it stands`() throws {
        for program in Self.programs {
            for step in program.firstSteps {
                let words = step.call.split(separator: " ").map { String($0) }
                #expect(words.first == program.name)
                _ = try CommandLineParser(program).parse(Array(words.dropFirst()))
            }
        }
    }

    @Test func `commands that moved are no commands any more`() {
        for program in Self.programs {
            for name in program.successors.keys {
                #expect(!program.commands.contains { $0.name.hasPrefix(name) })
            }
        }
        #expect(
            Set(Program.roost.successors.values).isSubset(of: Self.programs.map(\.name)))
    }

    @Test func `exit codes keep the numbers that scripts rely on`() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(ExitCode.done.rawValue == 0)
        #expect(ExitCode.storage.rawValue == 3)
    }
}
