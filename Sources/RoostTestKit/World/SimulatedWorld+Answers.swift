// SPDX-License-Identifier: Apache-2.0

import Roost
package import RoostModel
import RoostServer
import RoostWire

extension SimulatedWorld {
    /// Returns the server's own answer to a list's query, read to its end page by page.
    package func channels(
        of user: UserID, _ query: ChannelListQuery
    ) async throws -> [GroupChannel] {
        let key = await sessionKey(of: user)
        var found: [GroupChannel] = []
        var token = ""
        repeat {
            let response = await server.respond(
                to: ListMyChannels(
                    userID: user, token: token, limit: query.pageSize, order: query.order,
                    showsEmpty: query.filter.includesEmpty,
                    showsFrozen: query.filter.includesFrozen, filters: query.filter.query
                ).encode(),
                headers: RequestHeaders(sessionKey: key))
            let page = try ListMyChannels.decode(response)
            found += page.channels
            token = page.next
        } while !token.isEmpty
        return found
    }

    /// Registers a user before the first login; the user may have to accept invitations.
    package func add(_ user: User, acceptsInvitations: Bool = true) async {
        if await !storage.addUser(user) { _ = await storage.updateUser(user.id) { $0.user = user } }
        var request = APIRequest(
            .put, ["users", user.id.rawValue, "channel_invitation_preference"])
        request.body = Array(#"{"auto_accept":\#(acceptsInvitations)}"#.utf8)
        let key = await sessionKey(of: user.id)
        _ = await server.respond(to: request, headers: RequestHeaders(sessionKey: key))
    }

    /// Gives a user a token in the storage alone: later logins need it.
    ///
    /// The sessions of the token before and those without a token end. Their sockets do not learn
    /// of it, as on a server of a cluster that has not heard of it yet.
    package func setToken(_ token: String, of user: UserID) async {
        await storage.addUser(User(id: user))
        _ = await storage.addToken(
            server.world.keep(token, as: .accessToken), for: user, expiresAt: nil, limit: 1)
    }

    /// Gives a user a token as the server does: sockets of the sessions that end learn of it.
    func replaceToken(_ token: String, of user: UserID) async {
        await storage.addUser(User(id: user))
        // The storage is in memory, which cannot fail, and it has the user.
        try? await server.setAccessToken(token, of: user)
    }

    /// Makes a call of another app, with a body of JSON.
    ///
    /// - Returns: The ID in the answer, if it has one.
    @discardableResult
    package func ask(
        _ method: String, _ path: String, _ body: String = "", as user: UserID
    ) async throws -> Int64? {
        let response = await server.respond(
            to: try APIRequest(method: method, target: "/v3/" + path, body: Array(body.utf8)),
            headers: RequestHeaders(sessionKey: await sessionKey(of: user)))
        let answer = try JSONValue(parsing: response.body)
        precondition(response.status == 200, "\(path): \(answer.text)")
        return answer["id"]?.int
    }

    /// Opens a session for a user, as a login does, and returns its key.
    package func sessionKey(of user: UserID) async -> String {
        let secret = String(repeating: "5", count: 40)
        let token = await storage.token(nil, of: user).record?.number
        let added = await storage.openSession(
            server.world.keep(secret, as: .sessionKey), for: user, by: token, expiresAt: nil,
            limit: .max)
        guard let added else { preconditionFailure("The server does not know \(user).") }
        return NumberedSecret(number: added.number, secret: secret).text
    }
}
