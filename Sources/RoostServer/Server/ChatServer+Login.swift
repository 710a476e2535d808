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
            let login = try await logIn(handshake)
            return open(
                outlet, for: login.user.id, greeting: ServerEvent.login(.success(login)).encoded)
        } catch {
            outlet.deliver(ServerEvent.login(.failure(error, acknowledges: nil)).encoded)
            outlet.close()
            return nil
        }
    }

    private func logIn(_ handshake: Handshake) async throws(ServerError) -> LoginSuccess {
        guard handshake.applicationID == configuration.applicationID else {
            throw ServerError(
                .applicationNotFound, "There is no such application here; check the application ID."
            )
        }
        let user: User
        let key: String
        if let known = handshake.sessionKey {
            user = try await owner(ofSession: known)
            key = known
        } else {
            user = try await identify(handshake)
            key = makeSecret()
            try await ask(try await storage.openSession(key, for: user.id))
        }
        let unread = try await ask(try await storage.unreadTotal(of: user.id))
        return success(user, key, unread)
    }

    private func success(_ user: User, _ key: String, _ unread: Int) -> LoginSuccess {
        var login = LoginSuccess(user: user, sessionKey: key)
        login.fileKey = key
        login.loginAt = world.now()
        login.pingInterval = configuration.pingInterval
        login.pongTimeout = configuration.pongTimeout
        login.reconnect = configuration.reconnect
        login.requestDedupInterval = configuration.requestDedupInterval
        login.usesReaction = false
        login.unread = UnreadCount(all: unread, timestamp: world.now())
        return login
    }

    private func owner(ofSession key: String) async throws(ServerError) -> User {
        guard let id = try await ask(try await storage.userID(ofSession: key)),
            let user = try await ask(try await storage.user(id))
        else {
            throw ServerError(
                .sessionKeyNotFound, "The session key is not known; log in with a user ID.")
        }
        return user
    }

    /// The user who connects for the first time on this device, by ID and token.
    private func identify(_ handshake: Handshake) async throws(ServerError) -> User {
        guard let id = handshake.userID else {
            throw ServerError(.parameterMissing, "A user ID or a session key is needed.")
        }
        let known = try await ask(try await storage.user(id))
        try await check(handshake.token, of: id)
        guard var user = known else {
            guard configuration.createsUsers else {
                throw ServerError(.userNotFound, "There is no such user.")
            }
            let new = User(id: id, nickname: handshake.nickname ?? "")
            try await ask(try await storage.saveUser(new, accessToken: nil))
            return new
        }
        guard user.isActive else {
            throw ServerError(.userDeactivated, "The user has been deactivated.")
        }
        if let nickname = handshake.nickname, nickname != user.nickname {
            user.nickname = nickname
            let renamed = user
            try await ask(try await storage.saveUser(renamed, accessToken: nil))
        }
        return user
    }

    /// Refuses a wrong token, a missing one where the user has one, and by policy a user without any.
    func check(_ token: String?, of id: UserID) async throws(ServerError) {
        let expected = try await ask(try await storage.accessToken(of: id))
        guard token == expected, expected != nil || !configuration.requiresToken else {
            throw ServerError(
                .tokenInvalid, "The access token is not this user's; ask your server for another.")
        }
    }

    /// Gives a user who proves themselves another session key.
    func renewKey(
        of id: UserID, token: String?
    ) async throws(ServerError) -> String {
        try await check(token, of: id)
        let key = makeSecret()
        try await ask(try await storage.openSession(key, for: id))
        return key
    }

    /// Who makes a REST call.
    enum Caller: Hashable, Sendable {
        case user(UserID)
        /// The application's own server, which may do anything.
        case platform

        var userID: UserID? { if case .user(let id) = self { id } else { nil } }
    }

    func caller(_ headers: RequestHeaders) async throws(ServerError) -> Caller {
        if let key = headers.sessionKey, !key.isEmpty {
            return .user(try await owner(ofSession: key).id)
        }
        guard let token = headers.apiToken, let expected = configuration.apiToken,
            token == expected
        else {
            throw ServerError(
                .apiTokenInvalid, "A valid Session-Key or Api-Token header is needed.")
        }
        return .platform
    }
}
