// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostModel

extension Option {
    static let data = Option(
        "data", .text(placeholder: "DIR"), isRequired: true,
        help: "the folder of the server's database; it is made when missing")
    static let port = Option(
        "port", .number(placeholder: "N", 0...65_535), standard: "8080",
        help: "where to listen; 0 takes a free port")
    static let host = Option(
        "host", .text(placeholder: "ADDRESS"), standard: "127.0.0.1",
        help: "the address to listen on; 0.0.0.0 lets other machines in")
    static let apiToken = Option(
        "api-token", .text(placeholder: "TOKEN"), isRequired: true,
        help: "the secret of administrators' calls, which carry it as Api-Token")
    static let requireToken = Option(
        "require-token", help: "refuse users without an access token")
}

extension Command {
    static let serve = Command(
        "serve", summary: "the server: REST and WebSocket on one port, SQLite behind it",
        explanation: """
            Listens until it is told to end by Ctrl-C or SIGTERM, then closes its database. The first line
            it prints is: listening on http://HOST:PORT and ws://HOST:PORT
            """,
        options: [.data, .port, .host, .applicationID, .apiToken, .requireToken],
        example: "roost serve --data ./server --port 8080 --app-id demo --api-token secret",
        exitCodes: ExitCode.allCases,
        run: { arguments throws(CommandFailure) in
            let signals = SignalWatch()
            let host: ChatHost
            do throws(RoostError) {
                host = try await ChatHost.start(ChatHost.Configuration(arguments))
            } catch {
                throw CommandFailure(
                    error.remedy == .repairStorage ? .storage : .server, error.message)
            }
            let welcome = ServeWelcome(
                host: arguments.requiredText(.host), port: Int(host.port),
                applicationID: arguments.requiredText(.applicationID),
                requiresToken: arguments.has(.requireToken))
            for line in welcome.lines { StandardOutput.writeNow(line) }
            for await _ in signals.signals { break }
            await host.stop()
        })
}

extension ChatHost.Configuration {
    init(_ arguments: Arguments) {
        self.init(
            dataFolder: arguments.requiredText(.data),
            applicationID: arguments.requiredText(.applicationID))
        host = arguments.requiredText(.host)
        // The option's range is the type's.
        port = arguments.number(.port).map { UInt16($0) } ?? 8080
        apiToken = arguments.text(.apiToken)
        requiresToken = arguments.has(.requireToken)
    }
}
