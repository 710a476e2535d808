// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The request headers that the server uses; all others are ignored (`docs/protocol` 1.3).
package struct RequestHeaders: Equatable, Sendable {
    package var sessionKey: String?
    package var apiToken: String?
    package var accessToken: String?
    /// The header `SENDBIRD-WS-AUTH` of the upgrade; `socketToken` is `SENDBIRD-WS-TOKEN`.
    package var socketAuth: String?
    package var socketToken: String?
    /// The host name of the request.
    package var host: String?
    /// The network address of the client; nil if unknown.
    package var peer: String?
    /// The name that a proxy or a client gave to the request, for the log; nil unless it is plain.
    package var trace: String?
    /// The call under way, if the host bounds the calls of a user.
    package var call: CallUnderWay?

    package init(
        sessionKey: String? = nil, apiToken: String? = nil, accessToken: String? = nil,
        socketAuth: String? = nil, socketToken: String? = nil
    ) {
        self.sessionKey = sessionKey
        self.apiToken = apiToken
        self.accessToken = accessToken
        self.socketAuth = socketAuth
        self.socketToken = socketToken
    }

    /// Takes the headers out of a request.
    ///
    /// - Parameter value: Finds a header by name, without regard to case.
    package init(_ value: (String) -> String?) {
        self.init(
            sessionKey: value("Session-Key"), apiToken: value("Api-Token"),
            accessToken: value("Access-Token"), socketAuth: value("SENDBIRD-WS-AUTH"),
            socketToken: value("SENDBIRD-WS-TOKEN"))
        host = value("Host")
    }
}

/// The request that opens a socket (`docs/protocol` 1.2 and 2.1).
package struct Handshake: Equatable, Sendable {
    package var query: [QueryItem]
    package var headers: RequestHeaders
    /// The subprotocols of the client, as in the header.
    package var subprotocols: [String]

    package init(
        query: [QueryItem], headers: RequestHeaders = RequestHeaders(), subprotocols: [String] = []
    ) {
        self.query = query
        self.headers = headers
        self.subprotocols = subprotocols
    }

    /// The subprotocol for the answer to the upgrade, exactly as the client offered it.
    ///
    /// Clients put their credentials there as percent-encoded JSON, and drop a connection whose
    /// answer does not repeat it.
    package var acceptedSubprotocol: String? {
        subprotocols.first { Self.credentials(in: $0) != nil } ?? subprotocols.first
    }

    package var applicationID: String? { value("ai") }
    package var userID: UserID? { value("user_id").map { UserID($0) } }
    package var nickname: String? { value("nickname") }

    /// The session key of a client that connects again, from the query, a header or a subprotocol.
    package var sessionKey: String? {
        value("key") ?? Self.present(headers.socketAuth) ?? subprotocolField("auth")
    }

    /// The access token, from the query, a header or a subprotocol.
    package var token: String? {
        value("access_token") ?? Self.present(headers.socketToken) ?? subprotocolField("token")
    }

    private func value(_ name: String) -> String? {
        let text = query.last { $0.name == name }?.value
        return text.flatMap { ["", "null", "undefined"].contains($0) ? nil : $0 }
    }

    private func subprotocolField(_ name: String) -> String? {
        for text in subprotocols {
            if let field = Self.credentials(in: text)?[name]?.string, !field.isEmpty {
                return field
            }
        }
        return nil
    }

    /// Some clients percent-encode a header's value.
    private static func present(_ header: String?) -> String? {
        header.flatMap { $0.isEmpty || $0 == "null" ? nil : PercentEncoding.decode($0) }
    }

    private static func credentials(in text: String) -> JSONValue? {
        // Other subprotocols are no JSON objects, and no failure.
        guard let value = try? JSONValue(parsing: PercentEncoding.decode(text)),
            case .object = value
        else { return nil }
        return value
    }
}
