// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostChat
import RoostCommandLine
import RoostTerminal

extension Option {
    static let chatDemo = Option(
        "demo",
        help:
            "start a server and two people to chat with; takes no other option but --save-to, and "
            + "leaves nothing behind")
    static let saves = Option(
        "save-to", .text(placeholder: "DIR"), standard: ".",
        help: "the folder for files that you save")
    static let with = Option(
        "with", .text(placeholder: "ID"),
        help: "open the chat with this user, or start one as soon as the server can be reached")
    /// The options of a client, which the demo does without.
    fileprivate static let place: [Option] = [
        Option.server, .applicationID, .user, .cache,
    ].map { Option($0.name, $0.value, help: $0.help + "; required without --demo") }
    /// The other options that have no effect in the demo.
    fileprivate static let notInDemo: [Option] = [
        .with, .tokenFile, .token, .keyFolder, .plainTransport,
    ]
}

extension Command {
    static let chat = Command(
        "chat", summary: "a chat in the terminal, even without a network",
        explanation: """
            Needs --server, --app-id, --user and --cache, or --demo alone.

            Shows channels and messages from this machine's disk at once, and connects meanwhile.
            Messages that were written offline are sent when the connection is back. F1 shows the
            keys; docs/chat.md explains them. The mouse works too. NO_COLOR turns colours off.

            An access token comes from --token-file, from the variable ROOST_TOKEN or from --token.
            """,
        options: [.chatDemo] + Option.place + [
            .tokenFile, .token, .keyFolder, .with, .saves, .plainTransport,
        ],
        example:
            "roost chat --server http://127.0.0.1:8080 --app-id demo --user ada --cache ada --with bo",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            guard arguments.has(.chatDemo) else {
                try await run(try settings(arguments), arguments, signals())
                return
            }
            for option in Option.place + Option.notInDemo where arguments.has(option) {
                throw CommandFailure(
                    .wrongArguments,
                    "--demo brings its own server and people: leave --\(option.name) out.")
            }
            guard TerminalScreen.isTerminal else { throw noTerminal }
            let signals = Self.signals()
            let demo = try await ChatDemo.start()
            do throws(CommandFailure) {
                try await run(demo.settings, arguments, signals)
            } catch {
                await demo.end()
                throw error
            }
            await demo.end()
        })

    private static let noTerminal = CommandFailure(
        .wrongArguments,
        "roost chat needs a terminal for input and output; roost client is for scripts.")

    private static func settings(
        _ arguments: Arguments
    ) throws(CommandFailure) -> Configuration {
        let missing = Option.place.filter { !arguments.has($0) }.map(\.usage)
        guard missing.isEmpty else {
            throw CommandFailure(
                .wrongArguments,
                "roost chat still needs \(missing.joined(separator: ", ")), or only --demo to "
                    + "try it. See roost help chat.")
        }
        return try Configuration(arguments)
    }

    /// Waits for signals before the terminal is taken over, so that none ends the program without
    /// giving it back.
    private static func signals() -> SignalWatch {
        SignalWatch([SIGINT, SIGTERM, SIGHUP, SIGWINCH])
    }

    private static func run(
        _ settings: Configuration, _ arguments: Arguments, _ signals: sending SignalWatch
    ) async throws(CommandFailure) {
        guard TerminalScreen.isTerminal else { throw noTerminal }
        let style = Style.standardOutput
        guard let screen = TerminalScreen(usesColor: style.hasColor) else {
            throw CommandFailure(
                .failed,
                "The system has no free file descriptors: end other programs, or raise the limit "
                    + "of ulimit -n.")
        }
        var settings = settings
        settings.migrating = { StandardError.reportMigration($0.done, of: $0.total) }
        let client: ChatClient
        do throws(RoostError) {
            client = try await ChatClient.open(settings)
        } catch {
            throw CommandFailure(opening: error)
        }
        let session = ChatSession(
            client, size: GridSize(rows: 24, columns: 80), timeZone: .current,
            savingFilesIn: URL(fileURLWithPath: arguments.requiredText(.saves)),
            show: { screen.show($0) }, repaint: { screen.repaint() })
        if let other = arguments.text(.with) { session.send(.want(UserID(other))) }
        let report = client.storageReport
        // The screen shows it for some seconds. Behind the screen it is there after the end, too.
        for sentence in report { StandardError.write(sentence) }
        if !report.isEmpty { session.send(.told(report.joined(separator: " "))) }
        let thread = ScreenThread(screen, session)
        let watching = Task {
            for await signal in signals.signals {
                if signal == SIGWINCH { screen.wake() } else { thread.leave() }
            }
        }
        await session.run()
        let isKnown = await thread.end()
        watching.cancel()
        guard isKnown else {
            throw CommandFailure(
                .failed,
                "This terminal is unknown, or cannot place its cursor: set TERM to its kind, such "
                    + "as xterm-256color, and install its description.")
        }
    }
}
