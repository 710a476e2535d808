// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A user's action about themselves that the server only accepts or refuses (`docs/protocol` 3.1,
/// 3.4).
package enum OwnRequest: Question {
    package typealias Output = NoOutput

    /// Adds a device's token; `isOnly` removes the user's other tokens of the kind.
    case registerToken(String, PushTokenKind, isOnly: Bool, of: UserID)
    case unregisterToken(String, PushTokenKind, of: UserID)
    case unregisterAllTokens(of: UserID)
    case setPushTemplate(String, of: UserID)
    /// Deletes metadata of one key; nil for all.
    case deleteMetadata(key: String?, of: UserID)
    case report(ReportSubject, ReportCategory, description: String, by: UserID)

    package func encode() -> APIRequest {
        switch self {
        case .registerToken(let token, let kind, let isOnly, let me):
            APIRequest(.post, ["users", me.rawValue, "push", kind.rawValue]) { writer in
                writer.field(kind.fieldName, token)
                writer.field("is_unique", isOnly)
            }
        case .unregisterToken(let token, let kind, let me):
            APIRequest(.delete, ["users", me.rawValue, "push", kind.rawValue, token])
        case .unregisterAllTokens(let me): APIRequest(.delete, ["users", me.rawValue, "push"])
        case .setPushTemplate(let name, let me):
            APIRequest(.put, ["users", me.rawValue, "push", "template"]) { writer in
                writer.field("name", name)
            }
        case .deleteMetadata(let key, let me):
            APIRequest(.delete, ["users", me.rawValue, "metadata"] + (key.map { [$0] } ?? []))
        case .report(let subject, let category, let description, let me):
            APIRequest(.post, ["report"] + subject.path) { writer in
                writer.field("report_category", category.rawValue)
                writer.field("reporting_user_id", me.rawValue)
                if case .user(let id, in: .some) = subject {
                    writer.field("offending_user_id", id.rawValue)
                }
                writer.field("report_description", description)
            }
        }
    }
}

extension PushTokenKind {
    fileprivate var fieldName: String {
        self == .gcm ? "gcm_reg_token" : "\(rawValue)_device_token"
    }
}

extension ReportSubject {
    fileprivate var path: [String] {
        switch self {
        case .channel(let url), .user(_, in: let url?): ["group_channels", url.rawValue]
        case .user(let id, in: nil): ["users", id.rawValue]
        case .message(let id, in: let url):
            ["group_channels", url.rawValue, "messages", String(id.rawValue)]
        }
    }
}

/// A change of the user's own profile; nil leaves a property as it is (`docs/protocol` 3.1).
package struct UpdateProfile: Question {
    package var userID: UserID
    package var nickname: String?
    package var profileURL: String?
    package var preferredLanguages: [String]?

    package init(
        userID: UserID, nickname: String?, profileURL: String?, preferredLanguages: [String]?
    ) {
        self.userID = userID
        self.nickname = nickname
        self.profileURL = profileURL
        self.preferredLanguages = preferredLanguages
    }

    package func encode() -> APIRequest {
        APIRequest(.put, ["users", userID.rawValue]) { writer in
            if let nickname { writer.field("nickname", nickname) }
            if let profileURL { writer.field("profile_url", profileURL) }
            if let preferredLanguages { writer.field("preferred_languages", preferredLanguages) }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> User {
        try reader.readUser()
    }
}

/// A change of the user's own metadata; the answer has the affected keys.
package struct WriteOwnMetadata: Question {
    package var userID: UserID
    package var metadata: [String: String]
    package var write: KeyedWrite

    package init(userID: UserID, metadata: [String: String], _ write: KeyedWrite) {
        self.userID = userID
        self.metadata = metadata
        self.write = write
    }

    package func encode() -> APIRequest {
        APIRequest(write.method, ["users", userID.rawValue, "metadata"]) { writer in
            writer.texts("metadata", metadata)
            if case .update(let isUpsert) = write { writer.field("upsert", isUpsert) }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> [String: String] {
        try reader.readTexts()
    }
}

/// A query or change of whether the user joins channels without accepting the invitation.
package struct InvitationPreference: Question {
    package var userID: UserID
    /// The new preference; nil for a query.
    package var acceptsAutomatically: Bool?

    package init(userID: UserID, acceptsAutomatically: Bool? = nil) {
        self.userID = userID
        self.acceptsAutomatically = acceptsAutomatically
    }

    package func encode() -> APIRequest {
        let path = ["users", userID.rawValue, "channel_invitation_preference"]
        guard let acceptsAutomatically else { return APIRequest(.get, path) }
        return APIRequest(.put, path) { $0.field("auto_accept", acceptsAutomatically) }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Bool {
        var accepts = false
        try reader.readObject { name, reader throws(WireError) in
            if name == "auto_accept" {
                accepts = try reader.readBoolIfPresent() ?? false
            } else {
                try reader.skipValue()
            }
        }
        return accepts
    }
}

/// A query for the number of the user's channels.
package struct CountChannels: Question {
    package var userID: UserID
    /// The user's membership; nil for any.
    package var membership: MembershipState?

    package init(userID: UserID, membership: MembershipState?) {
        self.userID = userID
        self.membership = membership
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("state", membership.map { "\($0.rawValue)_only" })
        return APIRequest(
            .get, ["users", userID.rawValue, "group_channel_count"], query: query.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Int {
        var count = 0
        try reader.readObject { name, reader throws(WireError) in
            if name == "group_channel_count" {
                count = try reader.readCount() ?? 0
            } else {
                try reader.skipValue()
            }
        }
        return count
    }
}
