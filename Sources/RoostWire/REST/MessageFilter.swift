// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension MessageFilter {
    init(_ fields: RequestFields) throws(ServerError) {
        let kindWord = fields.string("message_type") ?? ""
        // One client misspells the word for administrators' messages.
        guard let kind = Kind(rawValue: kindWord == "ADMN" ? "ADMM" : kindWord) else {
            throw ServerError(.invalidValue, "message_type must be MESG, FILE or ADMM.")
        }
        var customTypes = try fields.list("custom_types", "custom_type")
        if customTypes?.contains("*") == true { customTypes = nil }
        let senders = try fields.users("sender_ids", "sender_id", "sender_user_id")
        let replyWord = fields.string("include_reply_type")?.lowercased() ?? ""
        guard let replyType = ReplyType(rawValue: replyWord.isEmpty ? "none" : replyWord) else {
            throw ServerError(
                .invalidValue, "include_reply_type must be none, all or only_reply_to_channel.")
        }
        let parentID = try fields.messageID("parent_message_id")
        self.init(
            kind: kind, customTypes: customTypes,
            senderIDs: senders?.isEmpty == true ? nil : senders, replyType: replyType,
            parentID: parentID)
    }

    func add(to query: inout QueryBuilder) {
        if kind != .all { query.add("message_type", kind.rawValue) }
        query.add("custom_types", customTypes)
        query.add("sender_ids", senderIDs?.map(\.rawValue))
        query.add("include_reply_type", replyType.rawValue)
        query.add("parent_message_id", parentID.map { String($0.rawValue) })
    }
}

/// The additional data that come with each message.
package struct MessageExtras: Equatable, Codable, Sendable {
    package var metaArrays: Bool
    package var reactions: Bool
    package var threadInfo: Bool
    package var parentInfo: Bool

    package init(
        metaArrays: Bool = true, reactions: Bool = true, threadInfo: Bool = true,
        parentInfo: Bool = true
    ) {
        self.metaArrays = metaArrays
        self.reactions = reactions
        self.threadInfo = threadInfo
        self.parentInfo = parentInfo
    }

    init(_ fields: RequestFields) throws(ServerError) {
        metaArrays = try fields.bool("with_sorted_meta_array", or: "include_meta_array") ?? false
        reactions = try fields.bool("include_reactions", or: "include_reactions_summary") ?? false
        threadInfo = try fields.bool("include_thread_info") ?? false
        parentInfo = try fields.bool("include_parent_message_info") ?? false
    }

    func add(to query: inout QueryBuilder) {
        query.add("with_sorted_meta_array", metaArrays)
        query.add("include_reactions", reactions)
        query.add("include_thread_info", threadInfo)
        query.add("include_parent_message_info", parentInfo)
    }
}

/// The start of a change log.
package enum ChangeLogCursor: Equatable, Codable, Sendable {
    /// The token of an earlier answer.
    case token(String)
    /// A time, for the first question.
    case since(Timestamp)

    init(_ fields: RequestFields) throws(ServerError) {
        if let token = fields.string("token"), !token.isEmpty {
            self = .token(token)
        } else if let moment = try fields.moment("change_ts") {
            self = .since(moment)
        } else {
            throw ServerError(.parameterMissing, "Either token or change_ts is needed.")
        }
    }

    func add(to query: inout QueryBuilder) {
        switch self {
        case .token(let token): query.add("token", token)
        case .since(let moment): query.add("change_ts", moment)
        }
    }
}
