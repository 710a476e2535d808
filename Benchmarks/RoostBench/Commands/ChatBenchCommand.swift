// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let chatMessages = Option(
        "messages", .number(placeholder: "N", 10_000...10_000_000), standard: "100000",
        help: "messages in the cache")
    static let chatSeconds = Option(
        "seconds", .number(placeholder: "N", 3...3_600), standard: "30",
        help: "seconds with a thousand live messages each")
}

extension Command {
    static let benchChat = bench(
        "chat", measures: "the terminal's chat: frames under a flood of messages",
        explanation: """
            Gives an open channel of the chat a thousand live messages a second, and draws the newest state 30 times a
            second: once without a terminal, and once with the terminal's thread, whose bytes a pseudo-terminal takes.
            Measures the time of a frame and the memory. Reports its steps on standard error.
            """,
        options: [.chatMessages, .chatSeconds],
        example: "roost-bench chat --seconds 10",
        prepare: { arguments, folder throws(CommandFailure) in
            var options = ChatBench.Options(folder: folder.path)
            options.load.messages = arguments.number(.chatMessages) ?? options.load.messages
            options.load.seconds = arguments.number(.chatSeconds) ?? options.load.seconds
            return { [options] progress throws(BenchError) in
                try await ChatBench.run(options, progress: progress)
            }
        })
}
