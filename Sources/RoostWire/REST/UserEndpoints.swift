// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Creates a user; a call of the platform (`docs/protocol` 3.1).
package struct CreateUser: Endpoint {
    package struct Output: Equatable, Codable, Sendable {
        package var user: User
        /// The access token, if one was asked for; it is sent only once.
        package var accessToken: String?

        package init(user: User, accessToken: String? = nil) {
            self.user = user
            self.accessToken = accessToken
        }
    }

    package var userID: UserID
    package var nickname: String
    package var profileURL: String
    package var metadata: [String: String]
    package var issuesAccessToken: Bool

    package init(
        userID: UserID, nickname: String = "", profileURL: String = "",
        metadata: [String: String] = [:], issuesAccessToken: Bool = false
    ) {
        self.userID = userID
        self.nickname = nickname
        self.profileURL = profileURL
        self.metadata = metadata
        self.issuesAccessToken = issuesAccessToken
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        userID = UserID(try fields.needed("user_id"))
        nickname = fields.string("nickname") ?? ""
        profileURL = fields.string("profile_url") ?? ""
        metadata = [:]
        if case .object(let entries) = fields.value("metadata") {
            for entry in entries { metadata[entry.name] = entry.value.string ?? entry.value.text }
        }
        issuesAccessToken = try fields.bool("issue_access_token") ?? false
    }

    package func encode() -> APIRequest {
        APIRequest(.post, ["users"]) { writer in
            writer.field("user_id", userID.rawValue)
            writer.field("nickname", nickname)
            writer.field("profile_url", profileURL)
            writer.texts("metadata", metadata)
            writer.field("issue_access_token", issuesAccessToken)
        }
    }

    package static func write(_ output: Output, _ writer: inout JSONWriter) {
        writer.fields(of: output.user)
        if let token = output.accessToken { writer.field("access_token", token) }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var fields = UserFields()
        var token: String?
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "access_token": token = try reader.readStringIfPresent()
            default: try fields.read(name, &reader)
            }
        }
        return Output(
            user: try fields.user(endingAt: reader.position),
            accessToken: token?.isEmpty == true ? nil : token)
    }
}

package struct ListUsers: Endpoint {
    package struct Output: Equatable, Codable, Sendable {
        package var users: [User]
        /// The token of the next page; "" at the end.
        package var next: String

        package init(users: [User], next: String = "") {
            self.users = users
            self.next = next
        }
    }

    package var token: String
    /// The size of a page, 1...100.
    package var limit: Int
    package var query: UserQuery

    package init(token: String = "", limit: Int = 20, query: UserQuery = UserQuery()) {
        self.token = token
        self.limit = limit
        self.query = query
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        token = fields.string("token") ?? ""
        limit = try fields.int("limit", in: 1...100) ?? 20
        query = UserQuery(
            ids: try fields.users("user_ids"), nicknamePrefix: fields.string("nickname_startswith"),
            metadataKey: fields.string("metadatakey"),
            metadataValues: try fields.list("metadatavalues_in"))
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        fields.add("token", token.isEmpty ? nil : token)
        fields.add("limit", min(max(1, limit), 100))
        fields.add("user_ids", query.ids?.map(\.rawValue))
        fields.add("nickname_startswith", query.nicknamePrefix)
        fields.add("metadatakey", query.metadataKey)
        fields.add("metadatavalues_in", query.metadataValues)
        return APIRequest(.get, ["users"], query: fields.items)
    }

    package static func write(_ output: Output, _ writer: inout JSONWriter) {
        writer.users("users", output.users)
        writer.field("next", output.next)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var output = Output(users: [])
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "users":
                output.users = try reader.readList { reader throws(WireError) in
                    try reader.readUser()
                }
            case "next": output.next = try reader.readStringIfPresent() ?? ""
            default: try reader.skipValue()
            }
        }
        return output
    }
}

/// A request for a new session key with the user's token in the header `Access-Token`
/// (`docs/protocol` 1.4).
package struct RefreshSessionKey: Endpoint {
    package struct Output: Equatable, Codable, Sendable {
        package var sessionKey: String

        package init(sessionKey: String) { self.sessionKey = sessionKey }
    }

    package var userID: UserID
    package var isExpiring: Bool

    package init(userID: UserID, isExpiring: Bool = false) {
        self.userID = userID
        self.isExpiring = isExpiring
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        userID = UserID(fields.pathParts[0])
        isExpiring = try fields.bool("expiring_session") ?? false
    }

    package func encode() -> APIRequest {
        APIRequest(.post, ["users", userID.rawValue, "session_key"]) { writer in
            writer.field("expiring_session", isExpiring)
        }
    }

    package static func write(_ output: Output, _ writer: inout JSONWriter) {
        writer.field("key", output.sessionKey)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var key: String?
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "key", "new_key": key = try reader.readStringIfPresent() ?? key
            default: try reader.skipValue()
            }
        }
        guard let key, !key.isEmpty else { throw .missing("key", offset: reader.position) }
        return Output(sessionKey: key)
    }
}
