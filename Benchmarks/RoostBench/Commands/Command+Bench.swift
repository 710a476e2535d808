// SPDX-License-Identifier: Apache-2.0

internal import RoostCommandLine

extension Option {
    static let json = Option("json", help: "print the figures as one JSON object")
    static let svg = Option(
        "svg", .text(placeholder: "DIR"),
        help: "write pictures of the figures, and the figures, into this folder")
    static let note = Option(
        "note", .text(placeholder: "NAME=TEXT"), mayRepeat: true,
        help: "a condition to keep with the figures, such as commit=1c1c92d5")
    static let benchFolder = Option(
        "folder", .text(placeholder: "DIR"),
        help: "folder of the databases during the run; the system's temporary folder by default")
    static let rounds = Option(
        "rounds", .number(placeholder: "N", 1...100), standard: "3",
        help: "number of measurements; the figures are medians")
}

/// The folder of the databases of a run.
struct BenchFolder: Sendable {
    let path: String
    /// Whether the folder was made for this run, and goes with it.
    let isOwn: Bool
}

/// A measurement whose arguments have been checked; it is told where its progress goes.
typealias Measurement =
    @Sendable (
        _ progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport

extension Command {
    /// Makes a command that measures in a folder of its own, and prints, keeps and draws the
    /// figures.
    ///
    /// The subject is the summary behind "measures", and the title of pictures. The options are
    /// those besides the common ones. `prepare` checks the arguments before anything is measured.
    static func bench(
        _ name: String, measures subject: String, explanation: String, options: [Option],
        example: String,
        prepare: @escaping @Sendable (Arguments, BenchFolder) throws(CommandFailure) -> Measurement
    ) -> Command {
        let all = [.json, .svg, .note] + options + [.benchFolder]
        return Command(
            name, summary: "measures \(subject)", explanation: explanation, options: all,
            example: example, exitCodes: [.done, .failed, .wrongArguments, .storage],
            run: { arguments throws(CommandFailure) in
                let notes = try notes(of: arguments)
                let made =
                    arguments.has(.benchFolder) ? nil : try TemporaryFolder(named: "roost-bench")
                defer { made?.remove() }
                let folder = BenchFolder(
                    path: made?.path ?? arguments.requiredText(.benchFolder), isOwn: made != nil)
                let measurement = try prepare(arguments, folder)
                // A folder that cannot be written is no news for the end of a long run.
                let pictures = try arguments.text(.svg).map { path throws(CommandFailure) in
                    try PictureFolder(path)
                }
                do throws(BenchError) {
                    var report = try await measurement { StandardError.write("bench: \($0)") }
                    report.bench = name
                    report.subject = subject
                    report.note("command", call(name, arguments, options))
                    report.note("date", Machine.date)
                    for note in notes { report.note(note.name, note.value) }
                    try pictures?.write(report)
                    StandardOutput.writeNow(arguments.has(.json) ? report.json : report.table)
                } catch {
                    throw CommandFailure(.failed, error.message)
                }
            })
    }

    /// Returns the command line without the options that do not change the figures.
    static func call(_ name: String, _ arguments: Arguments, _ options: [Option]) -> String {
        let given = options.flatMap { option in
            arguments.texts(option).map {
                $0.isEmpty ? "--\(option.name)" : "--\(option.name) \($0)"
            }
        }
        return (["roost-bench \(name)"] + given).joined(separator: " ")
    }

    /// Returns the conditions that the caller states.
    static func notes(of arguments: Arguments) throws(CommandFailure) -> [BenchReport.Fact] {
        var notes: [BenchReport.Fact] = []
        for text in arguments.texts(.note) {
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
                throw CommandFailure(
                    .wrongArguments,
                    "--note wants NAME=TEXT such as commit=1c1c92d5, not “\(text)”.")
            }
            notes.append(
                BenchReport.Fact(
                    name: String(text[..<sign]), value: String(text[text.index(after: sign)...])))
        }
        return notes
    }
}
