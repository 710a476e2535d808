// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A user with a proven identity and an open session.
struct Login {
    let user: User
    let key: String
    /// The number of the session.
    let number: Int64
    let end: Timestamp?
}

/// The proofs of identity: logins with tokens, session keys, and the tokens themselves.
///
/// Tokens and sessions are the storage's; `Sessions` owns the sockets.
struct Logins: ServerPart {
    let context: ServerContext
    let sessions: Sessions
    let rates: RequestRates
    let activity: Activity
    let telemetry: Telemetry

    /// The token of a login; none if the login needs none.
    private struct Proof {
        let token: Int64?
        let end: Timestamp?
    }

    /// Answers the opening of a socket: with LOGI and a session, or with a refusal and the end.
    ///
    /// A refusal is a frame, never an HTTP status, because clients cannot read the reason from a
    /// status.
    ///
    /// - Returns: The name of the socket for its frames; nil after a refusal.
    func connect(
        _ handshake: Handshake, _ outlet: any SessionOutlet
    ) async -> SessionID? {
        do throws(ServerError) {
            try rates.charge(address: handshake.headers.peer)
            let endings = sessions.endings
            let login = try await logIn(handshake, opensSocket: true)
            let unread = try await unreadTotal(of: login.user.id)
            activity.note(login.user.id)
            // Again, because other sockets may have opened meanwhile.
            try sessions.checkRoom(for: login.user.id, from: handshake.headers.peer)
            log(.info, "login")
            let id = sessions.open(
                outlet, for: login, from: handshake.headers.peer,
                greeting: ServerEvent.login(.success(greeting(login, unread))).encoded)
            await confirm(login, of: id, ifEndedSince: endings)
            return id
        } catch {
            telemetry.metrics.refusedLogins += 1
            telemetry.note(error.code)
            log(
                .warning, "login_refused",
                [.init("code", .int(Int64(error.code.rawValue)))]
                    + (handshake.headers.peer.map { [.init("peer", .string($0))] } ?? []))
            if let wait = error.retryAfter {
                // Clients would take the number in LOGI for the end of their session.
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

    /// Answers a login by REST with the object of LOGI; it opens a session and no socket.
    ///
    /// The checks are those of a socket, and a refusal counts as a failed login. Only the check of
    /// the application is left out where a call does not name one, as no other call names it.
    func logIn(
        _ id: UserID, _ fields: RequestFields, _ headers: RequestHeaders
    ) async throws(ServerError) -> APIResponse {
        do throws(ServerError) {
            var query = [QueryItem("user_id", id.rawValue)]
            query.append(
                QueryItem("ai", fields.string("app_id") ?? configuration.applicationID))
            query.append(QueryItem("nickname", fields.string("nickname") ?? ""))
            query.append(QueryItem("access_token", headers.accessToken ?? ""))
            var plain = RequestHeaders()
            plain.peer = headers.peer
            let login = try await logIn(Handshake(query: query, headers: plain))
            let unread = try await unreadTotal(of: login.user.id)
            activity.note(login.user.id)
            log(.info, "login")
            return APIResponse(greeting(login, unread).fields)
        } catch {
            telemetry.metrics.refusedLogins += 1
            throw error
        }
    }

    private func logIn(
        _ handshake: Handshake, opensSocket: Bool = false
    ) async throws(ServerError) -> Login {
        guard handshake.applicationID == configuration.applicationID else {
            throw ServerError(
                .applicationNotFound, "There is no such application here; check the application ID."
            )
        }
        if let key = handshake.sessionKey {
            return try await resume(key, from: handshake.headers.peer)
        }
        let (user, proof) = try await identify(handshake, opensSocket: opensSocket)
        return try await openSession(for: user, proof)
    }

    private func greeting(_ session: Login, _ unread: UnreadCount) -> LoginSuccess {
        configuration.greeting(
            session.user, key: session.key, fileKey: fileKey(of: session), unread: unread,
            at: world.now())
    }

    /// Returns the file key of a session, which clients append to any protected address in a
    /// message.
    ///
    /// The key opens nothing: every reader of a file's address may read the file. It must differ
    /// from the session key, or a malicious message would send that to its author's server.
    private func fileKey(of login: Login) -> String {
        String(world.digest("file:" + login.key).prefix(40))
    }

    /// Returns the login of a session key.
    private func resume(
        _ text: String, from address: String?
    ) async throws(ServerError) -> Login {
        let key = NumberedSecret(text)
        var session: SessionRecord?
        if let key { session = try await ask(try await storage.session(key.number)) }
        let isRight = world.matches(key?.secret ?? text, session?.kept, as: .sessionKey)
        guard isRight, let key, let session else {
            // The storage may have forgotten an expired key, and clients renew only an expired one.
            throw rates.failure(
                from: address,
                NumberedSecret.looksIssued(text)
                    ? Self.keyExpired
                    : ServerError(
                        .sessionKeyNotFound, "The session key is not known; log in with a user ID.")
            )
        }
        guard let user = try await ask(try await storage.user(session.userID)) else {
            throw Self.keyExpired
        }
        guard user.isActive else { throw Self.deactivated }
        guard !session.isOver(at: world.now()) else { throw Self.keyExpired }
        return Login(user: user, key: text, number: key.number, end: session.expiresAt)
    }

    private func openSession(
        for user: User, _ proof: Proof
    ) async throws(ServerError) -> Login {
        let secret = makeSecret()
        let kept = world.keep(secret, as: .sessionKey)
        let added = try await ask(
            try await storage.openSession(
                kept, for: user.id, by: proof.token, expiresAt: proof.end,
                limit: limits.keysPerUser))
        // The token may have ended since the check, or the user got a first one.
        guard let added else { throw Self.wrongToken }
        await sessions.end(keys: added.ended, of: user.id, Self.expiry)
        let key = NumberedSecret(number: added.number, secret: secret)
        return Login(user: user, key: key.text, number: key.number, end: proof.end)
    }

    /// Ends the socket of a session that ended while the socket was being opened.
    ///
    /// - Parameters:
    ///   - login: The login of the socket.
    ///   - id: The socket.
    ///   - past: The number of endings before the session was read.
    private func confirm(_ login: Login, of id: SessionID, ifEndedSince past: Int) async {
        guard sessions.endings != past else { return }
        do throws(ServerError) {
            _ = try await resume(login.key, from: nil)
        } catch {
            // The session may live, so its client connects again, with the same key.
            guard error.code != .internalServerError else { return await sessions.cut(id) }
            await sessions.end(keys: [login.number], of: login.user.id, Self.expiry)
        }
    }

    /// Returns the user of a first login on a device, by ID and token.
    ///
    /// The login counts towards the user's rate, and a refused one writes nothing.
    private func identify(
        _ handshake: Handshake, opensSocket: Bool
    ) async throws(ServerError) -> (User, Proof) {
        guard let id = handshake.userID else {
            throw ServerError(.parameterMissing, "A user ID or a session key is needed.")
        }
        try limits.check(user: id)
        try limits.check(name: handshake.nickname, "The nickname")
        let known = try await ask(try await storage.user(id))
        let proof = try await check(handshake.token, of: id, from: handshake.headers.peer)
        if opensSocket { try sessions.checkRoom(for: id, from: handshake.headers.peer) }
        try rates.charge(user: id)
        guard let user = known else {
            guard configuration.createsUsers else { throw Self.noSuchUser }
            let new = User(id: id, nickname: handshake.nickname ?? "")
            try limits.check(new, since: nil)
            guard try await ask(try await storage.addUser(new)) else {
                // Another call has created the user, perhaps with a token to prove.
                return try await identify(handshake, opensSocket: opensSocket)
            }
            return (new, proof)
        }
        guard user.isActive else { throw Self.deactivated }
        guard let nickname = handshake.nickname, nickname != user.nickname else {
            return (user, proof)
        }
        // Another call may have deactivated or deleted the user since the look-up.
        do throws(ServerError) {
            let renamed = try await changeUser(id) { $0.user.nickname = nickname }
            guard renamed.user.isActive else { throw Self.deactivated }
            return (renamed.user, proof)
        } catch {
            throw error.code == .notFound ? Self.deactivated : error
        }
    }

    /// Refuses a wrong token, a missing one of a user with a token, and by policy any missing one.
    ///
    /// The refusal of a wrong token is the same for unknown users and users without a token. That of
    /// a missing token is the same in every case.
    private func check(
        _ text: String?, of id: UserID, from address: String?
    ) async throws(ServerError) -> Proof {
        let token = text.flatMap { NumberedSecret($0) }
        let known = try await ask(try await storage.token(token?.number, of: id))
        guard let text else {
            guard !known.isNeeded, !configuration.requiresToken else {
                throw rates.failure(of: id, from: address, Self.noToken)
            }
            return Proof(token: nil, end: nil)
        }
        // A text without a number is compared with the token that has no end.
        let isRight = world.matches(
            token?.secret ?? text, known.record?.kept, as: .accessToken)
        guard isRight, let record = known.record, !record.isOver(at: world.now()) else {
            throw rates.failure(of: id, from: address, Self.wrongToken)
        }
        return Proof(token: record.number, end: record.expiresAt)
    }

    private static let wrongToken = ServerError(
        .tokenInvalid, "The access token is not this user's; ask your server for another.")
    private static let noToken = ServerError(
        .tokenInvalid,
        "No access token was given, and this user needs one; ask your server for it.")
    private static let keyExpired = ServerError(
        .sessionKeyExpired, "The session key has expired; ask for another with a token.")
    private static let deactivated = ServerError(
        .userDeactivated, "The user has been deactivated.")
    private static let noSuchUser = ServerError(.userNotFound, "There is no such user.")

    /// The last frame before an expired session ends; its client asks for another key with a token.
    static let expiry = ServerEvent.expired(
        reason: RoostError.Code.sessionKeyExpired.rawValue, expiresIn: 0)
    /// The last frame before a session ends for good; its client logs out.
    static let revoked = ServerEvent.expired(
        reason: RoostError.Code.sessionRevoked.rawValue, expiresIn: -1)

    /// Gives a user another access token without an end.
    ///
    /// The previous token ends, with its sessions and those opened without a token.
    func issueAccessToken(for id: UserID) async throws(ServerError) -> String {
        try await addToken(makeSecret(), for: id, until: nil)
    }

    /// Gives a user an access token that a caller has chosen, as `issueAccessToken(for:)`.
    func setAccessToken(_ secret: String, of id: UserID) async throws(ServerError) {
        _ = try await addToken(secret, for: id, until: nil)
    }

    /// Gives a user a token with an end, by default in a week.
    ///
    /// Sessions that were opened without a token end.
    func issueToken(
        for id: UserID, until end: Timestamp?
    ) async throws(ServerError) -> (String, Timestamp) {
        let end = end ?? world.now() + .seconds(7 * 86_400)
        return (try await addToken(makeSecret(), for: id, until: end), end)
    }

    private func addToken(
        _ secret: String, for id: UserID, until end: Timestamp?
    ) async throws(ServerError) -> String {
        let kept = world.keep(secret, as: .accessToken)
        let added = try await ask(
            try await storage.addToken(
                kept, for: id, expiresAt: end, limit: limits.tokensPerUser))
        guard let added else { throw Self.noSuchUser }
        await sessions.end(keys: added.ended, of: id, Self.expiry)
        return NumberedSecret(number: added.number, secret: secret).text
    }

    /// Ends all of a user's sessions and the tokens that have an end.
    func revoke(_ id: UserID) async throws(ServerError) {
        try await ask(try await storage.closeSessions(of: id))
        await sessions.expel(id, Self.revoked)
    }

    /// Ends all of a user's sessions and the tokens that have an end; clients may come back with
    /// another token.
    func expire(_ id: UserID) async {
        do throws(ServerError) {
            try await ask(try await storage.closeSessions(of: id))
        } catch {
            return  // The log has the failure, and nothing has ended.
        }
        await sessions.expel(id, Self.expiry)
    }

    /// Opens another session for a user with a proven identity; the previous one lives until its
    /// own end.
    ///
    /// The answer may be lost, and a client without a valid key could not ask again.
    func renewKey(
        of id: UserID, token: String?, from address: String? = nil
    ) async throws(ServerError) -> Login {
        try limits.check(user: id)
        let proof = try await check(token, of: id, from: address)
        try rates.charge(user: id)
        guard let user = try await ask(try await storage.user(id)) else { throw Self.noSuchUser }
        guard user.isActive else { throw Self.deactivated }
        return try await openSession(for: user, proof)
    }

    /// Renews the session of a socket.
    func renew(
        _ refresh: SessionRefresh, of user: UserID, in session: SessionID
    ) async throws(ServerError) {
        let endings = sessions.endings
        let login = try await renewKey(of: user, token: refresh.token)
        sessions.adopt(login, in: session)
        if let requestID = refresh.requestID {
            sessions.send(
                .login(
                    .refreshed(
                        acknowledges: requestID, sessionKey: login.key, fileKey: fileKey(of: login))
                ),
                to: session)
        }
        await confirm(login, of: session, ifEndedSince: endings)
    }

    /// The time in the storage after the end of a session, for the answer that its key has expired.
    private static let remembrance = Duration.seconds(7 * 86_400)

    /// Forgets some of the sessions and tokens that ended long ago.
    func forgetEnded() async {
        let moment = world.now() - Self.remembrance
        // The log has the failure, and the next call tries again.
        _ = try? await ask(try await storage.forgetEnded(by: moment, limit: 1_000))
    }

    /// Returns the caller of a REST call, and counts the call; a long one counts as several.
    func caller(
        of request: APIRequest, _ headers: RequestHeaders
    ) async throws(ServerError) -> APICaller {
        let caller = try await identify(headers)
        try rates.charge(
            user: caller.userID, count: 1 + request.body.count / RequestRates.chargedBytes)
        try rates.begin(headers.call, by: caller.userID)
        if let id = caller.userID { activity.note(id) }
        return caller
    }

    /// Admits a call whose body has not been read; the call itself is counted later.
    func admit(_ headers: RequestHeaders) async throws(ServerError) {
        let caller = try await identify(headers)
        try rates.check(user: caller.userID, address: headers.peer)
        try rates.begin(headers.call, by: caller.userID)
    }

    /// Returns the caller of a REST call.
    func identify(_ headers: RequestHeaders) async throws(ServerError) -> APICaller {
        if let key = headers.sessionKey, !key.isEmpty {
            return .user(try await resume(key, from: headers.peer).user.id)
        }
        let refusal = ServerError(
            .apiTokenInvalid, "A valid Session-Key or Api-Token header is needed.")
        guard let token = headers.apiToken else { throw refusal }
        guard let expected = configuration.apiToken, !expected.isEmpty,
            world.areEqual(token, expected)
        else { throw rates.failure(from: headers.peer, refusal) }
        return .platform
    }
}
