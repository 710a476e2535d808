// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostStore

extension Option {
    static let server = Option(
        "server", .text(placeholder: "URL"), isRequired: true,
        help: "the server, such as http://127.0.0.1:8080; it need not be in reach")
    static let applicationID = Option(
        "app-id", .text(placeholder: "ID"), isRequired: true, help: "the application's ID")
    static let user = Option(
        "user", .text(placeholder: "ID"), isRequired: true, help: "whose client this is")
    static let tokenFile = Option(
        "token-file", .text(placeholder: "FILE"),
        help: "a file with the user's access token, where the server asks for one")
    static let token = Option(
        "token", .text(placeholder: "T"),
        help: "the token itself; other users of this machine can see it, so prefer the file")
    static let cache = Option(
        "cache", .text(placeholder: "DIR"), isRequired: true,
        help: "the folder of the cache and of unsent messages; it is made when missing")
    static let keyFolder = Option(
        "key-folder", .text(placeholder: "DIR"),
        help:
            "seal cache and unsent messages, with a key kept in this folder; not that of the cache")
    static let keyOfCache = Option(
        "key-folder", .text(placeholder: "DIR"),
        help: "the folder the key of a sealed cache is kept in")
    static let pageSize = Option(
        "page-size", .number(placeholder: "N", 1...200), standard: "40",
        help: "messages shown at first, and with each older or newer")
    static let plainTransport = Option(
        "allow-plain-transport",
        help: "let http cross a network unprotected; this machine is always allowed")
}

extension Command {
    static let client = Command(
        "client", summary: "a chat client for scripts: JSON lines in, JSON lines out",
        explanation: """
            Reads one request per line from standard input and writes one answer per request to standard
            output, with events in between. Starts and serves its cache with no server in reach. Ends with
            the request quit or with the end of input. docs/client.md has every request and event.

            An access token comes from --token-file, from the variable ROOST_TOKEN or from --token.
            """,
        options: [
            .server, .applicationID, .user, .tokenFile, .token, .cache, .keyFolder, .pageSize,
            .plainTransport,
        ],
        example: """
            echo '{"id":1,"request":"connect"}' | roost client --server http://127.0.0.1:8080 \
            --app-id demo --user ada --cache ./ada
            """,
        exitCodes: [.done, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            var configuration = try Configuration(arguments)
            configuration.migrating = { StandardError.tellOfMoving($0.done, of: $0.total) }
            let client: ChatClient
            do throws(RoostError) {
                client = try await ChatClient.open(configuration)
            } catch {
                throw CommandFailure(opening: error)
            }
            let output = StandardOutput()
            var session = ClientSession(client: client, output: output)
            await session.run(reading: StandardInput())
        })
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
        if let keyFolder, CacheFolders.isPath(keyFolder, below: cache) {
            throw CommandFailure(
                .wrongArguments,
                "--key-folder must not lie in --cache: who copies the cache would have the key too."
            )
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
    /// Whether nothing but the missing permission to send in the clear speaks against an address.
    fileprivate static func isPlain(_ text: String) -> Bool {
        (try? ServerAddress(text, allowsPlainTransport: false)) == nil
            && (try? ServerAddress(text, allowsPlainTransport: true)) != nil
    }
}

extension CommandFailure {
    /// Why a client could not be opened.
    init(opening error: RoostError) {
        self.init(
            error.code == .localDatabaseError ? .storage : .wrongArguments,
            (error.underlying as? StoreError)?.commandSentence ?? error.message)
    }
}
