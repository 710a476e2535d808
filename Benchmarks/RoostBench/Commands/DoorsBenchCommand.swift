// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let paged = Option(
        "messages", .number(placeholder: "N", 100...100_000), standard: "1200",
        help: "messages of the channel that is read in pages")
}

extension Command {
    static let benchDoors = Command(
        "doors", summary: "measures the v4 door beside the native one",
        explanation: """
            Pages, sends and live messages through the door of the v4 names and through the native one, on one
            client and by turns, with a server of its own on this machine. Reports its steps on standard
            error. A missed target is a figure, not a failure.
            """,
        options: [.json, .paged, .rounds, .benchFolder],
        example: "roost-bench doors --rounds 5",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let made =
                arguments.has(.benchFolder) ? nil : try TemporaryFolder(named: "roost-bench")
            defer { made?.remove() }
            var options = DoorsBench.Options(
                folder: made?.path ?? arguments.requiredText(.benchFolder))
            options.messages = arguments.number(.paged) ?? options.messages
            options.rounds = arguments.number(.rounds) ?? options.rounds
            do throws(BenchError) {
                let report = try await DoorsBench.run(options) {
                    StandardError.write("bench: \($0)")
                }
                StandardOutput.writeNow(arguments.has(.json) ? report.json : report.table)
            } catch {
                throw CommandFailure(.failed, error.message)
            }
        })
}
