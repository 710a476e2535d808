// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    /// Answers the opening of a socket: with LOGI and a session, or with a refusal and the end.
    ///
    /// A refusal is a frame, never an HTTP status: of that, clients would see only that it failed.
    ///
    /// - Returns: The name under which frames are to be handed in; nil when refused.
    package func connect(
        _ handshake: Handshake, _ outlet: any SessionOutlet
    ) async -> SessionID? {
        do throws(ServerError) {
            try charge(address: handshake.headers.peer)
            let login = try await logIn(handshake)
            guard sessionCount(of: login.0.user.id) < configuration.limits.sessionsPerUser else {
                throw ServerError(
                    RoostError.Code(400_500), "The user has too many connections open.")
            }
            log(.info, "login")
            return open(
                outlet, for: login.0.user.id, until: login.1,
                greeting: ServerEvent.login(.success(login.0)).encoded)
        } catch {
            counted.refusedLogins += 1
            log(
                .warning, "login_refused",
                [.init("code", .int(Int64(error.code.rawValue)))]
                    + (handshake.headers.peer.map { [.init("peer", .string($0))] } ?? []))
            if let wait = error.retryAfter {
                // Not LOGI: of that, clients would take the number for the end of their session.
                let busy = BusyEvent(
                    retryAfter: .seconds(wait.wholeSecondsUp), reason: error.code.rawValue,
                    message: error.message)
                outlet.deliver(ServerEvent.busy(busy).encoded)
                outlet.close()
                return nil
            }
            outlet.deliver(ServerEvent.login(.failure(error, acknowledges: nil)).encoded)
            outlet.close()
            return nil
        }
    }

    private func logIn(
        _ handshake: Handshake
    ) async throws(ServerError) -> (LoginSuccess, Timestamp?) {
        guard handshake.applicationID == configuration.applicationID else {
            throw ServerError(
                .applicationNotFound, "There is no such application here; check the application ID."
            )
        }
        let user: User
        let key: String
        let end: Timestamp?
        if let known = handshake.sessionKey {
            (user, end) = try await owner(ofSession: known)
            key = known
        } else {
            (user, end) = try await identify(handshake)
            key = try await openSession(for: user.id, until: end)
        }
        let unread = try await ask(try await storage.unreadTotal(of: user.id))
        return (success(user, key, unread), end)
    }

    private func success(_ user: User, _ key: String, _ unread: Int) -> LoginSuccess {
        var login = LoginSuccess(user: user, sessionKey: key)
        login.fileKey = key
        login.loginAt = world.now()
        login.pingInterval = configuration.pingInterval
        login.pongTimeout = configuration.pongTimeout
        login.reconnect = configuration.reconnect
        login.requestDedupInterval = configuration.requestDedupInterval
        login.usesReaction = true
        // As `Message.isCounted` has it.
        login.unreadReplies = .repliesToChannel
        login.lastMessageReplies = .repliesToChannel
        login.premiumFeatures = ["reactions", "poll"]
        login.applicationAttributes = ["reactions", "enable_message_threading"]
        login.fileUploadLimitMB = configuration.fileLimitMB
        login.emojiHash = Self.emojiHash
        login.unread = UnreadCount(all: unread, timestamp: world.now())
        return login
    }

    private func owner(
        ofSession key: String
    ) async throws(ServerError) -> (User, until: Timestamp?) {
        let digest = world.kept(sessionKey: key)
        guard let session = try await ask(try await storage.session(digest)),
            let user = try await ask(try await storage.user(session.userID))
        else {
            throw ServerError(
                .sessionKeyNotFound, "The session key is not known; log in with a user ID.")
        }
        guard user.isActive else {
            throw ServerError(.userDeactivated, "The user has been deactivated.")
        }
        guard !session.isOver(at: world.now()) else {
            throw ServerError(
                .sessionKeyExpired, "The session key has expired; ask for another with a token.")
        }
        return (user, session.expiresAt)
    }

    private func openSession(
        for id: UserID, until end: Timestamp?
    ) async throws(ServerError) -> String {
        let key = makeSecret()
        let digest = world.kept(sessionKey: key)
        try await ask(try await storage.openSession(digest, for: id, expiresAt: end))
        return key
    }

    /// The user who connects for the first time on this device, by ID and token.
    private func identify(
        _ handshake: Handshake
    ) async throws(ServerError) -> (User, until: Timestamp?) {
        guard let id = handshake.userID else {
            throw ServerError(.parameterMissing, "A user ID or a session key is needed.")
        }
        try configuration.limits.check(user: id)
        try configuration.limits.check(name: handshake.nickname, "The nickname")
        let known = try await ask(try await storage.user(id))
        let end = try await check(handshake.token, of: id)
        guard var user = known else {
            guard configuration.createsUsers else {
                throw ServerError(.userNotFound, "There is no such user.")
            }
            let new = User(id: id, nickname: handshake.nickname ?? "")
            try await ask(try await storage.saveUser(new, accessToken: nil))
            return (new, end)
        }
        guard user.isActive else {
            throw ServerError(.userDeactivated, "The user has been deactivated.")
        }
        if let nickname = handshake.nickname, nickname != user.nickname {
            user.nickname = nickname
            let renamed = user
            try await ask(try await storage.saveUser(renamed, accessToken: nil))
        }
        return (user, end)
    }

    /// Refuses a wrong token, a missing one where the user has one, and by policy a user without any.
    ///
    /// - Returns: Until when the token counts; nil for ever.
    private func check(_ token: String?, of id: UserID) async throws(ServerError) -> Timestamp? {
        let expected = try await ask(try await storage.accessToken(of: id))
        guard let token else {
            guard expected == nil, !configuration.requiresToken else { throw Self.wrongToken }
            return nil
        }
        if let expected {
            if expected == world.digest(token) { return nil }
            // From before tokens were kept as digests; it becomes one now.
            if expected == token {
                try await keep(token, of: id)
                return nil
            }
        }
        let digest = world.digest("token:" + token)
        guard let session = try await ask(try await storage.session(digest)),
            session.userID == id, !session.isOver(at: world.now())
        else { throw Self.wrongToken }
        return session.expiresAt
    }

    private static let wrongToken = ServerError(
        .tokenInvalid, "The access token is not this user's; ask your server for another.")

    private func keep(_ token: String, of id: UserID) async throws(ServerError) {
        guard let user = try await ask(try await storage.user(id)) else { return }
        let digest = world.digest(token)
        try await ask(try await storage.saveUser(user, accessToken: digest))
    }

    /// Gives a user another access token; the one before counts no longer.
    func issueAccessToken(for id: UserID) async throws(ServerError) -> String {
        let token = makeSecret()
        try await keep(token, of: id)
        return token
    }

    /// A token that ends by itself: after a week, unless told otherwise.
    func issueToken(
        for id: UserID, until end: Timestamp?
    ) async throws(ServerError) -> (String, Timestamp) {
        let token = makeSecret()
        let digest = world.digest("token:" + token)
        let end = end ?? world.now() + .seconds(7 * 86_400)
        try await ask(try await storage.openSession(digest, for: id, expiresAt: end))
        return (token, end)
    }

    /// Ends all of a user's sessions, and the tokens that end by themselves.
    func revoke(_ id: UserID) async throws(ServerError) {
        try await ask(try await storage.closeSessions(of: id))
        let code = RoostError.Code.sessionRevoked.rawValue
        await expel(id, .expired(reason: code, expiresIn: -1))
    }

    /// Gives a user who proves themselves another session key.
    func renewKey(
        of id: UserID, token: String?
    ) async throws(ServerError) -> (key: String, until: Timestamp?) {
        let end = try await check(token, of: id)
        return (try await openSession(for: id, until: end), end)
    }

    /// Who makes a REST call.
    enum Caller: Hashable, Sendable {
        case user(UserID)
        /// The application's own server, which may do anything.
        case platform

        var userID: UserID? { if case .user(let id) = self { id } else { nil } }
    }

    /// Who makes a call, which counts towards their rate.
    func caller(_ headers: RequestHeaders) async throws(ServerError) -> Caller {
        let caller = try await identify(headers)
        try charge(user: caller.userID)
        return caller
    }

    /// Who makes a call.
    func identify(_ headers: RequestHeaders) async throws(ServerError) -> Caller {
        if let key = headers.sessionKey, !key.isEmpty {
            return .user(try await owner(ofSession: key).0.id)
        }
        guard let token = headers.apiToken, let expected = configuration.apiToken,
            world.digest(token) == world.digest(expected)
        else {
            throw ServerError(
                .apiTokenInvalid, "A valid Session-Key or Api-Token header is needed.")
        }
        return .platform
    }
}
