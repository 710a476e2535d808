// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let paged = Option(
        "messages", .number(placeholder: "N", 100...100_000), standard: "1200",
        help: "messages of the channel that is read in pages")
}

extension Command {
    static let benchDoors = bench(
        "doors", measures: "the v4 door beside the native one",
        explanation: """
            Pages, sends and live messages through the door of the v4 names and through the native one, on one
            client and by turns, with a server of its own on this machine. Reports its steps on standard
            error. A missed target is a figure, not a failure.
            """,
        options: [.paged, .rounds],
        example: "roost-bench doors --rounds 5",
        prepare: { arguments, folder throws(CommandFailure) in
            var options = DoorsBench.Options(folder: folder.path)
            options.messages = arguments.number(.paged) ?? options.messages
            options.rounds = arguments.number(.rounds) ?? options.rounds
            return { [options] progress throws(BenchError) in
                try await DoorsBench.run(options, progress: progress)
            }
        })
}
