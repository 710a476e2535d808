// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let cachedMessages = Option(
        "messages", .number(placeholder: "N", 10_000...10_000_000), standard: "1000000",
        help: "messages in the cache during live messages")
    static let liveSeconds = Option(
        "seconds", .number(placeholder: "N", 1...3_600), standard: "10",
        help: "seconds with a thousand live messages each")
}

extension Command {
    static let benchEngine = bench(
        "engine", measures: "the engine: from a frame to the screen, and a return",
        explanation: """
            Measures the time from a frame to the timeline's change in a large cache, one frame at a time beside the
            store's commit alone, then a thousand a second. Then measures the requests and the time of a client that
            returns to 200 open timelines. Reports its steps on standard error.
            """,
        options: [.cachedMessages, .liveSeconds],
        example: "roost-bench engine --messages 100000",
        prepare: { arguments, folder throws(CommandFailure) in
            var options = EngineBench.Options(folder: folder.path)
            options.load.messages = arguments.number(.cachedMessages) ?? options.load.messages
            options.load.seconds = arguments.number(.liveSeconds) ?? options.load.seconds
            return { [options] progress throws(BenchError) in
                try await EngineBench.run(options, progress: progress)
            }
        })
}
