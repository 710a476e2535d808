// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostStore

extension Option {
    static let server = Option(
        "server", .text(placeholder: "URL"), isRequired: true,
        help: "the server, such as http://127.0.0.1:8080; it may be unreachable")
    static let applicationID = Option(
        "app-id", .text(placeholder: "ID"), isRequired: true,
        help:
            "the ID of the application, a name that you choose, such as demo; its server and its "
            + "clients give the same one")
    static let user = Option(
        "user", .text(placeholder: "ID"), isRequired: true, help: "the ID of the user, such as ada")
    static let tokenFile = Option(
        "token-file", .text(placeholder: "FILE"),
        help: "a file with the user's access token, if the server requires one")
    static let token = Option(
        "token", .text(placeholder: "T"),
        help: "the token itself; other users of this machine can see it, so prefer the file")
    static let cache = Option(
        "cache", .text(placeholder: "DIR"), isRequired: true,
        help: "the folder of the cache and of unsent messages; made if missing")
    static let keyFolder = Option(
        "key-folder", .text(placeholder: "DIR"),
        help:
            "encrypt cache, downloaded files and unsent messages; the key is kept in this folder, "
            + "which must not be in that of the cache")
    static let keyOfCache = Option(
        "key-folder", .text(placeholder: "DIR"),
        help: "the folder with the key of an encrypted cache")
    static let pageSize = Option(
        "page-size", .number(placeholder: "N", 1...200), standard: "40",
        help: "messages shown at first, and added by each request older or newer")
    static let history = Option(
        "history", .text(placeholder: "FILE"),
        help: "append each request, outcome and snapshot to this file, for roost check")
    static let health = Option(
        "health", help: "report each change of the client's health as an event")
    static let livePage = Option(
        "page", .number(placeholder: "PORT", 0...65_535),
        help:
            "show cache, outbox and journal in this machine's browser; the event page has the link, "
            + "which works once; 0 takes a free port")
    static let pageText = Option(
        "page-text",
        help: "with --page: show the texts of unsent messages and the names of channels")
    static let plainTransport = Option(
        "allow-plain-transport",
        help: "allow plain http over a network; this machine is always allowed")
}

extension Command {
    static let client = Command(
        "client", summary: "a chat client for scripts: JSON lines in, JSON lines out",
        explanation: """
            Reads one request per line from standard input and writes one answer per request to standard
            output, with events in between. Starts and serves its cache without a reachable server. Ends with
            the request quit or with the end of input. docs/client.md has every request and event.

            An access token comes from --token-file, from the variable ROOST_TOKEN or from --token.
            """,
        options: [
            .server, .applicationID, .user, .tokenFile, .token, .cache, .keyFolder, .pageSize,
            .history, .health, .livePage, .pageText, .plainTransport,
        ],
        example: """
            echo '{"id":1,"request":"connect"}' | roost client --server http://127.0.0.1:8080 \
            --app-id demo --user ada --cache ./ada
            """,
        exitCodes: [.done, .wrongArguments, .storage, .server],
        run: { arguments throws(CommandFailure) in
            try arguments.require(.livePage, with: .pageText)
            var configuration = try Configuration(arguments)
            configuration.migrating = { StandardError.reportMigration($0.done, of: $0.total) }
            let history = try arguments.text(.history).map { path throws(CommandFailure) in
                try HistoryFile(
                    path, user: configuration.userID.rawValue,
                    application: configuration.applicationID)
            }
            let client: ChatClient
            do throws(RoostError) {
                client = try await ChatClient.open(configuration)
            } catch {
                throw CommandFailure(opening: error)
            }
            let page = try await Self.page(arguments, of: client)
            let input = StandardInput()
            // Without a reader of the output each further request would be in vain.
            let output = StandardOutput { input.end() }
            var session = ClientSession(
                client: client, output: output, history: history,
                reportsHealth: arguments.has(.health), page: page?.link)
            await session.run(reading: input)
            await page?.stop()
            let failures = [await history?.failure, await input.failure].compactMap { $0 }
            if let failure = CommandFailure(failures) { throw failure }
        })

    /// Starts the live page of a client; closes the client if that fails.
    private static func page(
        _ arguments: Arguments, of client: ChatClient
    ) async throws(CommandFailure) -> ClientPageServer? {
        // The option's range is the type's.
        guard let port = arguments.number(.livePage).map({ UInt16($0) }) else { return nil }
        do throws(CommandFailure) {
            return try await ClientPageServer.start(
                client, port: port, showsText: arguments.has(.pageText))
        } catch {
            await client.close()
            throw error
        }
    }
}

extension Configuration {
    init(_ arguments: Arguments) throws(CommandFailure) {
        let (server, cache) = (arguments.requiredText(.server), arguments.requiredText(.cache))
        let keyFolder = arguments.text(.keyFolder)
        if !arguments.has(.plainTransport), ServerAddress.isPlain(server) {
            throw CommandFailure(
                .wrongArguments,
                "Plain http to another machine would show messages and tokens to the network: use "
                    + "https, or allow it with --allow-plain-transport.")
        }
        if let keyFolder, FolderPath.leads(keyFolder, into: cache) {
            throw CommandFailure(
                .wrongArguments,
                "--key-folder must not be in --cache, because a copy of the cache would contain "
                    + "the key: name a folder outside of it.")
        }
        let secret = Secret(option: .token, file: .tokenFile, variable: "ROOST_TOKEN")
        self.init(
            applicationID: arguments.requiredText(.applicationID), server: server,
            userID: UserID(arguments.requiredText(.user)), token: try secret.read(arguments),
            cache: .folder(cache),
            protection: keyFolder.map { .keyFile(in: $0) } ?? .none,
            allowsPlainTransport: arguments.has(.plainTransport),
            pageSize: arguments.number(.pageSize) ?? 40)
    }
}

extension ServerAddress {
    /// Whether the missing permission for plain http is the only objection to an address.
    fileprivate static func isPlain(_ text: String) -> Bool {
        (try? ServerAddress(text, allowsPlainTransport: false)) == nil
            && (try? ServerAddress(text, allowsPlainTransport: true)) != nil
    }
}

extension CommandFailure {
    /// Translates an error of the opening.
    init(opening error: RoostError) {
        self.init(
            error.code == .localDatabaseError ? .storage : .wrongArguments,
            (error.underlying as? StoreError)?.commandSentence(about: "The cache")
                ?? error.message)
    }
}
