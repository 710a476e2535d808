// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostTestSupport
import Testing

struct CommandLineParserTests {
    private static let port = Option(
        "port", .number(placeholder: "N", 0...65_535), standard: "8080", help: "where to listen")
    private static let data = Option(
        "data", .text(placeholder: "DIR"), isRequired: true, help: "the folder")
    private static let fast = Option("fast", help: "no pauses")
    private static let text = Option("text", help: "show what was written")
    private static let word = Option("word", .text(placeholder: "W"), help: "a secret")
    private static let wordFile = Option("word-file", .text(placeholder: "FILE"), help: "its file")

    private static let program = Program(
        "roost", summary: "",
        commands: [
            Command(
                "serve", summary: "serves", explanation: "", options: [data, port, fast],
                example: "roost serve --data DIR", exitCodes: [.done], run: { _ in }),
            Command(
                "cache inspect", summary: "inspects", explanation: "",
                operands: [Operand("DIR", help: "the folder of a cache")], options: [text],
                example: "roost cache inspect DIR", exitCodes: [.done], run: { _ in }),
            Command(
                "guard", summary: "guards", explanation: "", options: [data, word, fast, wordFile],
                alternatives: [[word, wordFile]], example: "roost guard --data DIR --word W",
                exitCodes: [.done], run: { _ in }),
            Command(
                "cache clear", summary: "clears", explanation: "", example: "roost cache clear",
                exitCodes: [.done], run: { _ in }),
        ], successors: ["paint": "roost-paint"])

    private static let parser = CommandLineParser(program)

    /// A program with one purpose, whose command has no name.
    private static let soleParser = CommandLineParser(
        Program(
            "roost-guard", summary: "",
            commands: [
                Command(
                    "", summary: "guards", explanation: "", options: [port, fast],
                    example: "roost-guard --fast", exitCodes: [.done], run: { _ in })
            ]))

    private static func arguments(_ line: String) throws -> Arguments {
        guard case .run(_, let arguments) = try parser.parse(words(line)) else {
            throw CommandFailure(.failed, "“\(line)” runs nothing")
        }
        return arguments
    }

    private static func words(_ line: String) -> [String] {
        line.split(separator: " ").map { String($0) }
    }

    @Test(arguments: [
        "serve --data a --port 9", "serve --port=9 --data=a", "serve --data a --port=9",
    ])
    func `values stand after a space or an equals sign`(line: String) throws {
        let arguments = try Self.arguments(line)
        #expect(arguments.text(Self.data) == "a")
        #expect(arguments.number(Self.port) == 9)
        #expect(!arguments.has(Self.fast))
    }

    @Test func `an absent option has its standard value, and was not given`() throws {
        let arguments = try Self.arguments("serve --data=a=b --fast")
        #expect(arguments.number(Self.port) == 8080)
        #expect(!arguments.has(Self.port))
        #expect(arguments.text(Self.data) == "a=b")
        #expect(arguments.has(Self.fast))
    }

    @Test func `of alternatives one is enough, and the usage shows them as such`() throws {
        #expect(try Self.arguments("guard --data a --word-file c").text(Self.wordFile) == "c")
        let command = try #require(Self.program.commands.first { $0.name == "guard" })
        #expect(
            Self.program.usage(of: command)
                == "roost guard --data DIR (--word W | --word-file FILE) [--fast]")
    }

    @Test func `after two dashes everything is a word`() throws {
        #expect(try Self.arguments("cache inspect -- --odd").operands == ["--odd"])
    }

    @Test func `a value may begin with dashes when it is attached`() throws {
        #expect(try Self.arguments("serve --data=--odd").text(Self.data) == "--odd")
    }

    @Test(arguments: [
        ("sevre --data a", "did you mean roost serve?"),
        ("cahce inspect a", "did you mean roost cache?"),
        ("xyzzy", "There is no command “xyzzy”."),
        ("cache inspct a", "did you mean inspect?"),
        ("serve --data a --prot 1", "did you mean --port?"),
        ("serve --data a -port 1", "did you mean --port?"),
        ("serve --data a --fst", "did you mean --fast?"),
        ("serve --data a --qqqq", "has no option --qqqq."),
        ("serve --data", "--data needs a value, DIR: the folder."),
        ("serve --data --port 1", "--data needs a value"),
        ("serve --data=", "--data needs a value"),
        ("serve --data a --port", "--port needs a whole number from 0 to 65535"),
        ("serve --data a --port abc", "wants a whole number from 0 to 65535, not “abc”"),
        ("serve --data a --port 65536", "not “65536”"),
        ("serve --data a --port -1", "not “-1”"),
        ("serve --data a --fast=1", "--fast takes no value: leave “=1” out."),
        ("serve --data a --data b", "--data is given twice: give it once."),
        ("serve --port 1", "still needs --data DIR"),
        ("guard", "still needs --data DIR, --word W or --word-file FILE."),
        ("guard --data a", "still needs --word W or --word-file FILE."),
        ("guard --data a --word b --word-file c", "--word and --word-file exclude each other"),
        ("serve --data a b", "“b” is one word too many"),
        ("cache inspect", "needs DIR: the folder of a cache"),
        ("--port 1", "put --port after a command"),
        ("help sevre", "did you mean roost serve?"),
    ])
    func `a wrong argument names the right one`(line: String, hint: String) throws {
        let failure = try #require(throws: CommandFailure.self) {
            _ = try Self.parser.parse(Self.words(line))
        }
        #expect(failure.code == .wrongArguments)
        #expect(failure.message.contains(hint), "\(failure.message)")
    }

    @Test func `an empty word is named as the operand that it would be`() throws {
        let failure = try #require(throws: CommandFailure.self) {
            _ = try Self.parser.parse(["cache", "inspect", ""])
        }
        #expect(failure.code == .wrongArguments)
        #expect(
            failure.message
                == "DIR of roost cache inspect must not be empty: the folder of a cache.")
    }

    @Test(arguments: [
        ("", ""), ("--help", ""), ("-h", ""), ("help", ""), ("help serve", "serve"),
        ("serve --help", "serve"), ("serve --port abc --help", "serve"), ("serve -h", "serve"),
        ("cache", "cache"), ("help cache", "cache"), ("cache --help", "cache"),
        ("cache inspect --help", "cache inspect"), ("help cache inspect", "cache inspect"),
    ])
    func `help is found wherever it is looked for`(line: String, topic: String) throws {
        guard case .help(let found) = try Self.parser.parse(Self.words(line)) else {
            Issue.record("“\(line)” is no call for help")
            return
        }
        #expect(found == topic)
    }

    @Test(arguments: [
        (
            "paint wall --port 1",
            "roost paint is a separate program now: run roost-paint wall --port 1 instead."
        ),
        ("help paint", "swift build --product roost-paint builds it."),
    ])
    func `a command that moved names the program that has it`(line: String, hint: String) throws {
        let failure = try #require(throws: CommandFailure.self) {
            _ = try Self.parser.parse(Self.words(line))
        }
        #expect(failure.code == .wrongArguments)
        #expect(failure.message.contains(hint), "\(failure.message)")
    }

    @Test(arguments: [("", 8080), ("--port 9", 9), ("--fast --port=7", 7)])
    func `the only command of a program needs no name`(line: String, port: Int) throws {
        guard case .run(let command, let arguments) = try Self.soleParser.parse(Self.words(line))
        else {
            Issue.record("“\(line)” runs nothing")
            return
        }
        #expect(command.name.isEmpty)
        #expect(arguments.number(Self.port) == port)
    }

    @Test(arguments: [
        (
            "--prot 9",
            "roost-guard has no option --prot; did you mean --port? See roost-guard --help."
        ),
        ("wall", "“wall” is one word too many. Usage: roost-guard [--port N] [--fast]"),
    ])
    func `a wrong argument of the only command names the right one`(
        line: String, hint: String
    ) throws {
        let failure = try #require(throws: CommandFailure.self) {
            _ = try Self.soleParser.parse(Self.words(line))
        }
        #expect(failure.message.contains(hint), "\(failure.message)")
    }

    @Test(arguments: ["--help", "-h", "help", "--port 9 --help"])
    func `the only command shows its help`(line: String) throws {
        guard case .help("") = try Self.soleParser.parse(Self.words(line)) else {
            Issue.record("“\(line)” is no call for help")
            return
        }
    }

    @Test func `the version has an option`() throws {
        guard case .version = try Self.parser.parse(["--version"]) else {
            Issue.record("--version asks for something else")
            return
        }
    }
}

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct NearestNameTests {
    private static let names = ["connect", "disconnect", "create_channel", "send", "snapshot"]

    @Test(arguments: [
        ("conect", "connect"), ("CONNECT", "connect"), ("connetc", "connect"), ("snap", "snapshot"),
        ("creat_channel", "create_channel"), ("sned", "send"), ("snd", "send"),
    ])
    func `a slip finds the name that was meant`(word: String, name: String) {
        #expect(NearestName.of(word, among: Self.names) == name)
    }

    @Test func `a word that is far longer than a name is not compared with it`() {
        // The comparison, letter by letter, would take hours.
        let word = String(repeating: "a", count: 1_000_000)
        let name = String(repeating: "b", count: 200_000)
        #expect(NearestName.of(word, among: [name]) == nil)
    }

    @Test(arguments: ["", "x", "quit", "frobnicate"])
    func `what is like no name finds none`(word: String) {
        #expect(NearestName.of(word, among: Self.names) == nil)
    }
}
