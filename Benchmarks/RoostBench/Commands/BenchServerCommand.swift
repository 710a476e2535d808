// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let deliveries = Option(
        "deliveries", .number(placeholder: "N", 1_000...100_000_000), standard: "100000",
        help: "frames that reach clients, for each size of channel and round")
    static let accepts = Option(
        "accepts", .number(placeholder: "N", 100...10_000_000), standard: "20000",
        help: "messages that are acknowledged, for each round")
    static let sockets = Option(
        "sockets", .number(placeholder: "N", 10...1_000_000), standard: "10000",
        help: "sockets at rest; both ends are in this process, so twice as many descriptors")
    static let benchSeconds = Option(
        "seconds", .number(placeholder: "N", 0...1_000_000), standard: "10",
        help: "length of the run in which memory must not grow; 0 leaves it out")
}

extension Command {
    static let benchServer = bench(
        "server", measures: "the server against its socket library and SQLite",
        explanation: """
            Fan-out in channels of 10, 100 and 1,000 members against an echo of the same socket library,
            the latency of one message to the last member, pages by REST, acknowledged messages against rows
            inserted a hundred a commit, memory of sockets at rest, and its growth over a long run. Server
            and clients share one process, so trust the ratios. Only a machine with nothing else to do
            gives figures worth keeping: the load before and after is printed with them.
            """,
        options: [.deliveries, .accepts, .sockets, .benchSeconds, .rounds],
        example: "roost-bench server --deliveries 20000 --rounds 1",
        prepare: { arguments, folder throws(CommandFailure) in
            var options = ServerBench.Options(folder: folder.path)
            options.deliveries = arguments.number(.deliveries) ?? options.deliveries
            options.accepts = arguments.number(.accepts) ?? options.accepts
            options.idleSockets = arguments.number(.sockets) ?? options.idleSockets
            options.seconds = arguments.number(.benchSeconds) ?? options.seconds
            options.rounds = arguments.number(.rounds) ?? options.rounds
            return { [options] progress throws(BenchError) in
                try await ServerBench.run(options, progress: progress)
            }
        })
}
