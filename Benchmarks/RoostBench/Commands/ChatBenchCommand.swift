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
    static let benchChat = Command(
        "chat", summary: "measures the terminal's chat: frames under a flood of messages",
        explanation: """
            Gives an open channel of the chat a thousand live messages a second, and draws the newest state 30 times a
            second, as the terminal's thread does, without the terminal. Measures the time of a frame and the memory.
            Reports its steps on standard error.
            """,
        options: [.json, .chatMessages, .chatSeconds, .benchFolder],
        example: "roost-bench chat --seconds 10",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let made =
                arguments.has(.benchFolder) ? nil : try TemporaryFolder(named: "roost-bench")
            var options = ChatBench.Options(
                folder: made?.path ?? arguments.requiredText(.benchFolder))
            options.messages = arguments.number(.chatMessages) ?? options.messages
            options.seconds = arguments.number(.chatSeconds) ?? options.seconds
            defer { made?.remove() }
            do throws(BenchError) {
                let report = try await ChatBench.run(options) {
                    StandardError.write("bench: \($0)")
                }
                StandardOutput.writeNow(arguments.has(.json) ? report.json : report.table)
            } catch {
                throw CommandFailure(.failed, error.message)
            }
        })
}
