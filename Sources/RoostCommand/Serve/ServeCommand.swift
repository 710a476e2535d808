// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostCommandLine
import RoostHost
import RoostModel
import RoostPostgres
import RoostServer

extension Option {
    static let data = Option(
        "data", .text(placeholder: "DIR"),
        help: "the folder of the server's database and uploads; made if missing")
    static let sharedDatabase = Option(
        "database", .text(placeholder: "URL"),
        help:
            "a PostgreSQL database in place of --data, as postgresql://user@host:port/name, for "
            + "several servers at once; several hosts, separated by commas, are tried for the "
            + "primary")
    static let bus = Option(
        "bus", .text(placeholder: "URLS"), mayRepeat: true,
        help:
            "with --database: the NATS servers that connect its servers, such as nats://bus1:4222, "
            + "separated by commas")
    static let node = Option(
        "node", .text(placeholder: "NAME"),
        help:
            "with --database: the name of this server in metrics and logs; the machine's by default"
    )
    static let files = Option(
        "files", .text(placeholder: "DIR|s3://BUCKET/PREFIX"),
        help:
            "with --database: the folder or the S3 bucket of uploads that all its servers share; "
            + "without it uploads are refused")
    static let sessions = Option(
        "database-sessions", .number(placeholder: "N", 2...1_000), standard: "8",
        help: "with --database: the most sessions of this server at it")
    static let drain = Option(
        "drain", .number(placeholder: "SECONDS", 0...600),
        help:
            "the time over which a stop closes the sockets; a second signal ends it; 10 with "
            + "--database, otherwise 0")
    static let port = Option(
        "port", .number(placeholder: "N", 0...65_535), standard: "8080",
        help: "the port to listen on; 0 takes a free port")
    static let host = Option(
        "host", .text(placeholder: "ADDRESS"), standard: "127.0.0.1",
        help: "the address to listen on; 0.0.0.0 is reachable from other machines")
    static let apiTokenFile = Option(
        "api-token-file", .text(placeholder: "FILE"),
        help: "a file with the API token, the secret of your backend's calls (header Api-Token)")
    static let apiToken = Option(
        "api-token", .text(placeholder: "TOKEN"),
        help: "the API token itself; other users of this machine can see it, so prefer the file")
    static let requireToken = Option(
        "require-token", help: "refuse users without an access token")
    static let insecure = Option(
        "insecure",
        help:
            "listen for other machines without user tokens, so that anyone may act as any user, or "
            + "with --chaos")
    static let allowOrigin = Option(
        "allow-origin", .text(placeholder: "ORIGIN"), mayRepeat: true,
        help:
            "allow calls of web pages of this origin, such as https://chat.example; * allows all"
    )
    static let tlsCertificate = Option(
        "tls-cert", .text(placeholder: "FILE"),
        help: "use TLS with this certificate, in PEM form with its chain; needs --tls-key")
    static let tlsKey = Option(
        "tls-key", .text(placeholder: "FILE"),
        help: "the certificate's key, in PEM form without a passphrase; needs --tls-cert")
    static let publicURL = Option(
        "public-url", .text(placeholder: "URL"),
        help: "the address of the server for clients if it differs, for URLs of files")
    static let behindProxy = Option(
        "behind-proxy", help: "trust the proxy's X-Forwarded-For header for addresses")
    static let serverPage = Option(
        "page",
        help:
            "show the operator's pages off loopback and behind a proxy, too; they open with the printed link, "
            + "which works once, or with the API token")
    static let noPage = Option("no-page", help: "show no pages on loopback either")
    static let compress = Option(
        "compress", help: "deflate frames for clients that support it; costs processor time")
    static let log = Option(
        "log", .text(placeholder: "LEVEL"), standard: "warning",
        help: "lines of JSON on standard error: trace, info, warning, error or none")
    static let userRate = Option(
        "user-rate", .number(placeholder: "N", 0...1_000_000), standard: "50",
        help:
            "requests per second of one user, with bursts of four times as many; 0 is without limit"
    )
    static let addressRate = Option(
        "address-rate", .number(placeholder: "N", 0...1_000_000), standard: "500",
        help: "the same per network address, logins and files included")
    static let maxConnections = Option(
        "max-connections", .number(placeholder: "N", 1...1_000_000), standard: "10000",
        help: "open connections; more wait")
    static let maxPerAddress = Option(
        "max-per-address", .number(placeholder: "N", 0...1_000_000), standard: "1000",
        help:
            "open connections of one address, with --behind-proxy sockets of one that the proxy "
            + "names; more are refused; 0 is without limit")
    static let maxPerUser = Option(
        "max-per-user", .number(placeholder: "N", 1...1_000_000), standard: "50",
        help: "open sockets of one user")
    static let maxFile = Option(
        "max-file", .number(placeholder: "MIB", 1...1_048_576), standard: "1024",
        help: "the largest file")
    static let maxText = Option(
        "max-text", .number(placeholder: "BYTES", 1...65_536), standard: "65536",
        help:
            "the longest text, and the longest data of a message or channel; at most 65536, "
            + "because a message has at most 67072 bytes of JSON")
    static let maxFrame = Option(
        "max-frame", .number(placeholder: "BYTES", 1_024...67_108_864), standard: "1048576",
        help: "the largest frame of a client")
    static let maxBody = Option(
        "max-body", .number(placeholder: "BYTES", 1_024...67_108_864), standard: "4194304",
        help: "the largest call without a file")
    static let maxQueue = Option(
        "max-queue", .number(placeholder: "BYTES", 65_536...1_073_741_824),
        standard: "4194304", help: "the most waiting bytes of a slow reader before it is closed")
}

extension Command {
    static let serve = Command(
        "serve",
        summary: "the server: REST and WebSocket on one port, with SQLite or PostgreSQL as storage",
        explanation: """
            Needs --app-id, --data or --database, and an API token: a secret that you choose, from
            --api-token-file, from the variable ROOST_API_TOKEN or from --api-token.

            Listens until Ctrl-C or SIGTERM, then closes its database. The first line of output is:
            listening on http://HOST:PORT and ws://HOST:PORT

            Without --require-token anyone who reaches the port may act as any user, so the server
            then listens on this machine only, unless --insecure is given.

            With --database the server keeps nothing of its own, and may run as many times as wanted
            on one database, after one roost migrate. The password may come from the variable
            PGPASSWORD or from ~/.pgpass, and the addresses of --bus from ROOST_BUS, so that other
            users of this machine do not see them.

            For --files s3://BUCKET/PREFIX the keys come from the variables AWS_ACCESS_KEY_ID,
            AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the place from AWS_REGION, and from
            AWS_ENDPOINT_URL for a server that is not Amazon's.

            With --chaos the server loses answers, ends sockets and more, as networks and servers
            do. It never loses a message of its log.
            """,
        options: [
            .data, .sharedDatabase, .schema, .bus, .node, .files, .sessions, .drain, .port, .host,
            .applicationID,
            .apiTokenFile, .apiToken, .requireToken, .insecure,
            .allowOrigin,
            .tlsCertificate, .tlsKey, .publicURL, .behindProxy, .compress, .log, .userRate,
            .addressRate,
            .maxConnections,
            .maxPerAddress, .maxPerUser, .maxFile, .maxText, .maxFrame, .maxBody, .maxQueue, .chaos,
            .serverPage, .noPage,
        ],
        alternatives: [[.data, .sharedDatabase]],
        example: "roost serve --data ./server --port 8080 --app-id demo --api-token-file ./secret",
        exitCodes: ExitCode.allCases,
        run: { arguments throws(CommandFailure) in
            let configuration = try ChatHost.Configuration(arguments)
            let host: ChatHost
            do throws(RoostError) {
                host = try await ChatHost.start(configuration)
            } catch {
                throw CommandFailure(
                    error.remedy == .repairStorage ? .storage : .server, error.message)
            }
            // Before, a signal ends the program at once, also a slow start: its transactions are
            // whole, or not there.
            let signals = SignalWatch()
            let welcome = ServeWelcome(
                host: arguments.requiredText(.host), port: Int(host.port),
                applicationID: arguments.requiredText(.applicationID),
                requiresToken: arguments.has(.requireToken),
                isEncrypted: configuration.certificate != nil,
                chaos: configuration.chaos.map { ServeChaos.warning($0, arguments) },
                pageToken: host.pageToken, publicAddress: configuration.publicAddress)
            for line in welcome.lines { StandardOutput.writeNow(line) }
            for await _ in signals.signals { break }
            let hurry = Task { for await _ in signals.signals { await host.hurry() } }
            await host.stop()
            hurry.cancel()
        })
}

extension ChatHost.Configuration {
    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.refuseSeveral(of: [.serverPage, .noPage])
        let cluster = try Self.cluster(arguments)
        // A cluster has no folder.
        self.init(
            dataFolder: arguments.text(.data) ?? "",
            applicationID: arguments.requiredText(.applicationID))
        self.cluster = cluster
        host = arguments.requiredText(.host)
        guard
            LoopbackAddress.contains(host) || arguments.has(.requireToken)
                || arguments.has(.insecure)
        else {
            throw CommandFailure(
                .wrongArguments,
                "On \(host) other machines could act as any user: give --require-token, or --insecure if "
                    + "this is intended.")
        }
        chaos = try ServeChaos.plan(arguments)
        // Behind a proxy a loopback address is reached by other machines too.
        let isAlone =
            LoopbackAddress.contains(host) && !arguments.has(.behindProxy)
            && !arguments.has(.publicURL)
        hasPages = (isAlone || arguments.has(.serverPage)) && !arguments.has(.noPage)
        // The option's range is the type's.
        port = arguments.number(.port).map { UInt16($0) } ?? 8080
        apiToken = try Self.apiToken(arguments)
        requiresToken = arguments.has(.requireToken)
        allowedOrigins = try Self.origins(arguments)
        publicAddress = try Self.publicAddress(arguments)
        isBehindProxy = arguments.has(.behindProxy)
        compressesFrames = arguments.has(.compress)
        certificate = try Self.certificate(arguments)
        drainTime = .seconds(arguments.number(.drain) ?? (cluster == nil ? 0 : 10))
        logLevel = try Self.level(arguments.requiredText(.log))
        userRate = Self.rate(arguments.number(.userRate))
        addressRate = Self.rate(arguments.number(.addressRate))
        connectionLimit = arguments.number(.maxConnections) ?? connectionLimit
        let perAddress = arguments.number(.maxPerAddress) ?? 0
        connectionsPerAddress = perAddress == 0 ? .max : perAddress
        fileLimitMB = arguments.number(.maxFile) ?? fileLimitMB
        frameBytes = arguments.number(.maxFrame) ?? frameBytes
        queueBytes = arguments.number(.maxQueue) ?? queueBytes
        limits.sessionsPerUser = arguments.number(.maxPerUser) ?? limits.sessionsPerUser
        limits.textBytes = arguments.number(.maxText) ?? limits.textBytes
        limits.bodyBytes = arguments.number(.maxBody) ?? limits.bodyBytes
    }

    private static func cluster(_ arguments: Arguments) throws(CommandFailure) -> Cluster? {
        guard let database = arguments.text(.sharedDatabase) else {
            for option in [Option.schema, .bus, .node, .files, .sessions]
            where arguments.has(option) {
                throw CommandFailure(
                    .wrongArguments,
                    "--\(option.name) is for servers that share a database: give --database in "
                        + "place of --data.")
            }
            return nil
        }
        var cluster = Cluster(database: try PostgresConfiguration.address(database))
        cluster.schema = try PostgresConfiguration.schema(arguments)
        // The addresses may have a password, which other users would see among the arguments.
        let variable = ProcessInfo.processInfo.environment["ROOST_BUS"].map { [$0] } ?? []
        cluster.bus = (arguments.has(.bus) ? arguments.texts(.bus) : variable).flatMap { text in
            text.split(separator: ",").map(String.init)
        }
        guard !cluster.bus.isEmpty || !arguments.has(.bus) else {
            throw CommandFailure(
                .wrongArguments,
                "--bus wants addresses such as nats://bus1:4222, separated by commas.")
        }
        cluster.name = arguments.text(.node) ?? ProcessInfo.processInfo.hostName
        cluster.files = try files(arguments)
        cluster.sessions = arguments.number(.sessions) ?? cluster.sessions
        return cluster
    }

    private static func files(_ arguments: Arguments) throws(CommandFailure) -> Cluster.Files {
        guard let text = arguments.text(.files) else { return .none }
        guard S3Settings.isLocation(text) else { return .folder(text) }
        do throws(StorageError) {
            return .bucket(
                try S3Settings(
                    location: text, environment: ProcessInfo.processInfo.environment))
        } catch {
            throw CommandFailure(.wrongArguments, error.message)
        }
    }

    private static func apiToken(_ arguments: Arguments) throws(CommandFailure) -> String {
        let secret = Secret(option: .apiToken, file: .apiTokenFile, variable: "ROOST_API_TOKEN")
        guard let token = try secret.read(arguments) else {
            throw CommandFailure(
                .wrongArguments,
                "roost serve still needs --api-token-file FILE, or the variable ROOST_API_TOKEN: a "
                    + "secret that you choose for your backend's calls. See roost help serve.")
        }
        return token
    }

    private static func origins(_ arguments: Arguments) throws(CommandFailure) -> [String] {
        let origins = arguments.texts(.allowOrigin)
        for origin in origins where OriginPolicy.plain(origin) == nil {
            throw CommandFailure(
                .wrongArguments,
                "--allow-origin wants an origin such as https://chat.example, or *, not “\(origin)”."
            )
        }
        return origins
    }

    private static func publicAddress(_ arguments: Arguments) throws(CommandFailure) -> String? {
        guard let text = arguments.text(.publicURL) else { return nil }
        let url = URL(string: text)
        guard let scheme = url?.scheme, ["http", "https"].contains(scheme.lowercased()),
            let host = url?.host, !host.isEmpty
        else {
            throw CommandFailure(
                .wrongArguments,
                "--public-url wants an address such as https://chat.example, not “\(text)”.")
        }
        return text
    }

    private static func certificate(
        _ arguments: Arguments
    ) throws(CommandFailure) -> Certificate? {
        try arguments.require(.tlsKey, with: .tlsCertificate)
        try arguments.require(.tlsCertificate, with: .tlsKey)
        guard let chain = arguments.text(.tlsCertificate), let key = arguments.text(.tlsKey) else {
            return nil
        }
        for (option, path) in [(Option.tlsCertificate, chain), (.tlsKey, key)]
        where !FileManager.default.fileExists(atPath: path) {
            throw CommandFailure(
                .storage, "There is no file \(path): name an existing one as --\(option.name).")
        }
        return Certificate(chainFile: chain, keyFile: key)
    }

    private static func level(_ text: String) throws(CommandFailure) -> LogLine.Level? {
        switch text {
        case "trace": return .trace
        case "info": return .info
        case "warning": return .warning
        case "error": return .error
        case "none": return nil
        default:
            throw CommandFailure(
                .wrongArguments, "--log wants trace, info, warning, error or none, not “\(text)”.")
        }
    }

    private static func rate(_ perSecond: Int?) -> Rate? {
        perSecond.flatMap { $0 == 0 ? nil : Rate(burst: 4 * $0, perSecond: $0) }
    }
}
