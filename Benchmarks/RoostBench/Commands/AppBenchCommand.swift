// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let appMessages = Option(
        "messages", .number(placeholder: "N", 1_000...10_000_000), standard: "100000",
        help: "messages in the cache")
    static let openings = Option(
        "openings", .number(placeholder: "N", 1...1_000), standard: "40",
        help: "processes of each side that show the first screen")
    static let samples = Option(
        "samples", .number(placeholder: "N", 1...100_000), standard: "1000",
        help: "live messages, or pages, in each process")
    static let written = Option(
        "written", .number(placeholder: "N", 0...10_000_000), standard: "0",
        help: "live messages of earlier processes")
    static let childFolder = Option(
        "folder", .text(placeholder: "DIR"), isRequired: true, help: "folder of the databases")
    static let childChannel = Option(
        "channel", .text(placeholder: "URL"), standard: "none",
        help: "channel of the first screen")
}

extension Command {
    static let benchApp = bench(
        "app", measures: "the cache as an app meets it, in fresh processes",
        explanation: """
            Starts itself again for each round: opening and the first screen, pages, and live messages beside a
            reader, through the public types of the client. The limit runs in a process of its own as well.
            """,
        options: [.appMessages, .openings, .samples, .rounds],
        example: "roost-bench app --messages 20000 --openings 20",
        prepare: { arguments, folder throws(CommandFailure) in
            var options = AppBench.Options(folder: folder.path)
            options.messages = arguments.number(.appMessages) ?? options.messages
            options.openings = arguments.number(.openings) ?? options.openings
            options.samples = arguments.number(.samples) ?? options.samples
            options.rounds = arguments.number(.rounds) ?? options.rounds
            return { [options] progress throws(BenchError) in
                try await AppBench.run(options, program: Machine.program, progress: progress)
            }
        })

    static let benchChild = Command(
        "child", summary: "performs one task of `app` in a process of its own",
        explanation: """
            Prints the moments of the first call and of the end, in microseconds of the system's clock, then a
            figure for each sample. The databases are those that `app` has made.
            """,
        operands: [
            Operand(
                "TASK", help: AppTask.allCases.map(\.rawValue).joined(separator: ", "))
        ],
        options: [.childFolder, .childChannel, .appMessages, .samples, .written],
        example: "roost-bench child pages-limit --folder /tmp/bench",
        exitCodes: [.done, .failed, .wrongArguments],
        run: { arguments throws(CommandFailure) in
            guard let task = arguments.operands.first.flatMap({ AppTask(rawValue: $0) }) else {
                throw CommandFailure(.wrongArguments, "There is no such task.")
            }
            let input = AppTask.Input(
                folder: arguments.requiredText(.childFolder),
                channel: arguments.requiredText(.childChannel),
                messages: arguments.number(.appMessages) ?? 0,
                samples: arguments.number(.samples) ?? 0,
                written: arguments.number(.written) ?? 0)
            do throws(BenchError) {
                let figures = try await task.perform(input)
                StandardOutput.writeNow(figures.map { "\($0)" }.joined(separator: "\n"))
            } catch {
                throw CommandFailure(.failed, error.message)
            }
        })
}
