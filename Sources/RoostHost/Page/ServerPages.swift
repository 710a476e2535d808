// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostPages
import RoostServer
import RoostSockets
import RoostWire

/// The pages of a server for its operator: figures, users, channels, logs, and a chat to try out.
///
/// A stranger gets the form for the API token and nothing else. Everything is read
/// through the server's own calls, as the platform.
final class ServerPages: Sendable {
    private struct State: Sendable {
        var access: PageAccess
        var history = ServerHistory()
    }

    private static let pageSize = 50

    private let chat: ChatServer
    private let configuration: ChatHost.Configuration
    private let disk: @Sendable () async -> ServerPage.Disk
    private let makeSecret: @Sendable () -> String
    private let state: Guarded<State?> = Guarded(nil)

    init(
        _ chat: ChatServer, _ configuration: ChatHost.Configuration,
        makeSecret: @escaping @Sendable () -> String,
        disk: @escaping @Sendable () async -> ServerPage.Disk
    ) {
        self.chat = chat
        self.configuration = configuration
        self.makeSecret = makeSecret
        self.disk = disk
    }

    /// Opens the pages for a port; returns the token of the link that works once.
    func open(port: UInt16) -> String {
        let token = makeSecret()
        state.withLock { $0 = State(access: PageAccess(link: token, port: port)) }
        return token
    }

    /// Reads the counters; the host calls it every `ServerHistory.interval`.
    func read() async {
        // First, because the files may wait for an upload.
        let disk = await disk()
        let metrics = await chat.metrics
        let reading = ServerHistory.Reading(at: chat.world.now(), metrics: metrics, disk: disk)
        state.withLock { $0?.history.note(reading) }
    }

    /// Answers a request for a page; nil for a request that is none.
    ///
    /// `peer` is the network address of the browser; nil if unknown.
    func respond(
        to request: HTTPServerRequest, from peer: String? = nil
    ) async -> HTTPServerResponse? {
        let path = request.path
        // A client's request of `/` has another answer.
        let isHome = path == "/" && request.headers["Accept"]?.contains("text/html") == true
        guard isHome || path.hasPrefix("/page/") else { return nil }
        if request.method == "POST", path == "/page/login" {
            return await logIn(request, from: peer)
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            return .refusedPage(405, "This page only shows.")
        }
        // Style and script are those of every server, and say nothing about this one.
        if let asset = HTTPServerResponse.asset(at: path) { return asset }
        let now = EventLoop.systemSeconds()
        if isHome, let token = request.query("link"), let answer = redeem(token, at: now) {
            return answer
        }
        let isAdmitted =
            state.withLock { $0?.access.admits(cookies: request.headers["Cookie"], at: now) }
        guard isAdmitted == true else { return .page(ServerForm.login(), status: 403) }
        return await page(path, request)
    }

    // MARK: The way in

    private func redeem(_ token: String, at second: Int64) -> HTTPServerResponse? {
        let key = makeSecret()
        let cookie: String? = state.withLock { state in
            guard state?.access.redeem(token, for: key, at: second) == true else { return nil }
            return state?.access.cookie(key, isEncrypted: isEncrypted)
        }
        return cookie.map { .seeOther(OwnPath("/"), cookie: $0) }
    }

    private var isEncrypted: Bool {
        configuration.certificate != nil
            || configuration.publicAddress?.lowercased().hasPrefix("https:") == true
    }

    /// Compares the token as any call does, so that the limits by address hold here too.
    private func logIn(
        _ request: HTTPServerRequest, from peer: String?
    ) async -> HTTPServerResponse {
        let form = String(decoding: request.body.prefix(4_096), as: UTF8.self)
        var headers = RequestHeaders(apiToken: HTTPServerRequest.formValue("token", in: form) ?? "")
        headers.peer = peer
        let answer = await chat.respond(
            to: APIRequest(.get, ["users"], query: [QueryItem("limit", "1")]), headers: headers)
        guard answer.status == 200 else { return Self.refusal(of: answer) }
        let (second, key) = (EventLoop.systemSeconds(), makeSecret())
        let cookie: String? = state.withLock { state in
            state?.access.admit(key, at: second)
            return state?.access.cookie(key, isEncrypted: isEncrypted)
        }
        return cookie.map { .seeOther(OwnPath("/"), cookie: $0) }
            ?? .page(ServerForm.login(), status: 403)
    }

    /// Returns the page for a login that failed.
    private static func refusal(of answer: APIResponse) -> HTTPServerResponse {
        if answer.errorCode == .apiTokenInvalid {
            return .page(ServerForm.login(isWrong: true), status: 403)
        }
        guard answer.errorCode == .rateLimited else { return unreadable }
        return .refusedPage(
            429, "Too many calls came from your address: wait a little, then try again.")
    }

    // MARK: The pages

    private func page(_ path: String, _ request: HTTPServerRequest) async -> HTTPServerResponse {
        switch path {
        case "/": return .page(await figures().document)
        case "/page/view": return .parts(await figures().parts, for: request)
        case "/page/users": return await users(request)
        case "/page/channels": return await channels(request)
        case "/page/log": return await log(request)
        case "/page/chat":
            return .page(
                ServerForm.chat(
                    application: configuration.applicationID,
                    user: request.query("user") ?? "ada",
                    channel: request.query("channel") ?? "try-out",
                    asksForToken: configuration.requiresToken))
        default: return .refusedPage(404, "There is no such page.")
        }
    }

    private func figures() async -> ServerPage {
        let metrics = await chat.metrics
        let samples = state.withLock { $0?.history.samples } ?? []
        var warnings: [String] = []
        if configuration.chaos != nil {
            warnings.append("This server makes faults on purpose (--chaos).")
        }
        if !configuration.requiresToken {
            warnings.append(
                "No token is asked for: anyone who reaches the port may act as any user.")
        }
        return ServerPage(
            applicationID: configuration.applicationID, warnings: warnings, samples: samples,
            totals: [
                ("Open sockets", metrics.sessions), ("Logins", metrics.logins),
                ("Refused logins", metrics.refusedLogins),
                ("Requests refused by their rate", metrics.limited),
                ("Requests refused by a limit of size or number", metrics.overLimit),
                ("Frames of clients", metrics.frames), ("REST calls", metrics.calls),
                ("REST calls with an error", metrics.failedCalls),
                ("Messages stored", metrics.messages), ("Commits with messages", metrics.commits),
                ("Frames delivered", metrics.deliveries),
                ("Unreadable stored objects", metrics.unreadable),
                ("Frames too large for any client", metrics.oversized),
            ], now: samples.last?.at ?? chat.world.now())
    }

    private func users(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        guard let answer = await ask(["users"], request) else { return Self.unreadable }
        let users = (answer["users"]?.array ?? []).map { user in
            DirectoryPage.User(
                id: user["user_id"]?.string ?? "", nickname: user["nickname"]?.string ?? "",
                isOnline: user["is_online"]?.bool ?? false,
                isActive: user["is_active"]?.bool ?? true)
        }
        return .page(DirectoryPage.users(users, next: Self.next(answer)))
    }

    private func channels(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        let areOpen = request.query("type") == "open"
        guard let answer = await ask([areOpen ? "open_channels" : "group_channels"], request) else {
            return Self.unreadable
        }
        let channels = (answer["channels"]?.array ?? []).map { channel in
            DirectoryPage.Channel(
                url: channel["channel_url"]?.string ?? "", name: channel["name"]?.string ?? "",
                members: Int(
                    clamping: channel["member_count"]?.int ?? channel["participant_count"]?.int ?? 0
                ),
                isOpen: areOpen,
                createdAt: channel["created_at"]?.int.map { Timestamp(seconds: $0) })
        }
        return .page(DirectoryPage.channels(channels, next: Self.next(answer), areOpen: areOpen))
    }

    private func log(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        let channel = request.query("channel") ?? ""
        var place = Position.distantFuture
        if let at = request.query("at").flatMap({ Int64($0) }),
            let id = request.query("id").flatMap({ Int64($0) })
        {
            place = Position(createdAt: Timestamp(milliseconds: at), messageID: MessageID(id))
        }
        let entries: [LogEntry]
        do throws(StorageError) {
            entries = try await chat.log(
                of: ChannelURL(channel), before: place, limit: Self.pageSize)
        } catch {
            return Self.unreadable
        }
        let last = entries.count == Self.pageSize ? entries.last?.message.position : nil
        return .page(
            DirectoryPage.log(
                of: channel, entries.map { DirectoryPage.Entry($0) },
                before: last.map { ($0.createdAt.milliseconds, $0.messageID.rawValue) }))
    }

    /// Makes a call of the platform; nil if it is refused.
    private func ask(_ path: [String], _ request: HTTPServerRequest) async -> JSONValue? {
        var query = [
            QueryItem("limit", String(Self.pageSize)),
            QueryItem("show_empty", "true"),
        ]
        if let token = request.query("token") {
            query.append(QueryItem("token", token))
        }
        let answer = await chat.respond(
            to: APIRequest(.get, path, query: query),
            headers: RequestHeaders(apiToken: configuration.apiToken))
        guard answer.status == 200 else { return nil }
        // The server's own answer is JSON.
        return try? JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
    }

    private static func next(_ answer: JSONValue) -> String? {
        answer["next"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static let unreadable = HTTPServerResponse.refusedPage(
        503, "The server could not read that; try again.")
}

extension DirectoryPage.Entry {
    fileprivate init(_ entry: LogEntry) {
        let message = entry.message
        let (kind, text) =
            switch message.content {
            case .user(let text): ("message", text)
            case .file(let file): ("file", file.files.map(\.name).joined(separator: ", "))
            case .admin(let text): ("administrator", text)
            case .unknown(let kind): (kind, "")
            }
        self.init(
            id: message.messageID?.rawValue ?? 0, at: message.createdAt,
            sender: message.sender?.user.id.rawValue, kind: kind, text: text,
            editedAt: message.updatedAt, deletedAt: entry.deletedAt)
    }
}
