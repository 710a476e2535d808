// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The server's answer to a login or to a request for a new key (LOGI, `docs/protocol` 2.4).
package enum LoginResult: Equatable, Codable, Sendable {
    case success(LoginSuccess)
    /// The answer to `ClientCommand.refreshSession`.
    case refreshed(acknowledges: RequestID, sessionKey: String, fileKey: String?)
    case failure(ServerError, acknowledges: RequestID?)
}

/// The waits between attempts to reconnect.
package struct ReconnectPolicy: Equatable, Codable, Sendable {
    package var interval: Duration
    package var maximumInterval: Duration
    package var multiplier: Int
    /// The greatest number of attempts; nil for no limit.
    package var tryLimit: Int?

    package init(
        interval: Duration = .seconds(2), maximumInterval: Duration = .seconds(20),
        multiplier: Int = 2, tryLimit: Int? = nil
    ) {
        self.interval = interval
        self.maximumInterval = maximumInterval
        self.multiplier = multiplier
        self.tryLimit = tryLimit
    }
}

/// The replies of a thread that show outside of it; the raw values are the protocol's.
package enum ReplyPolicy: Int, Hashable, Codable, Sendable {
    case all = 1
    case none = 2
    case repliesToChannel = 3

    package func admits(_ message: Message) -> Bool {
        message.parentID == nil || self == .all
            || (self == .repliesToChannel && message.isReplyToChannel)
    }
}

/// The contents of a successful login; every field defaults to the meaning of its absence.
package struct LoginSuccess: Equatable, Codable, Sendable {
    package var user: User
    package var sessionKey: String
    /// The key that opens protected files, as `?auth=` behind their URL.
    package var fileKey = ""
    package var loginAt: Timestamp?
    package var pingInterval: Duration = .seconds(15)
    package var pongTimeout: Duration = .seconds(5)
    package var reconnect = ReconnectPolicy()
    /// The time for which an app in the background keeps its socket.
    package var backgroundStay: Duration = .seconds(30)
    package var maxUnreadOnSuperGroup = 100
    /// Whether clients acknowledge no messages of super and broadcast channels, which count no
    /// receipts.
    package var omitsSuperAcknowledgements = false
    /// The replies that count as unread and may be a channel's last message.
    package var unreadReplies = ReplyPolicy.all
    package var lastMessageReplies = ReplyPolicy.all
    package var fileUploadLimitMB = 30
    package var premiumFeatures: [String] = []
    package var emojiHash = ""
    package var applicationAttributes: [String] = []
    package var usesReaction = true
    package var multipleFileLimit = 30
    package var needsConfigurationSync = false
    package var services: [String] = ["chat"]
    /// The window in which equal GET requests share an answer; nil leaves the choice to the client.
    package var requestDedupInterval: Duration?
    package var unread: UnreadCount?

    package init(user: User, sessionKey: String) {
        self.user = user
        self.sessionKey = sessionKey
    }
}

extension LoginResult {
    var encoded: String {
        switch self {
        case .success(let login): Frame.text(.login) { writer in login.fields(&writer) }
        case .refreshed(let requestID, let sessionKey, let fileKey):
            Frame.text(.login) { writer in
                writer.field("req_id", requestID.rawValue)
                writer.field("key", sessionKey)
                writer.field("new_key", sessionKey)
                if let fileKey { writer.field("ekey", fileKey) }
            }
        case .failure(let error, let requestID):
            Frame.text(.login) { writer in
                writer.error(error)
                if let requestID { writer.field("req_id", requestID.rawValue) }
            }
        }
    }
}

extension JSONWriter {
    mutating func error(_ error: ServerError) {
        field("error", true)
        field("code", error.code.rawValue)
        field("message", error.message)
    }

    mutating func unread(_ unread: UnreadCount?) {
        guard let unread else { return }
        object("unread_cnt") { writer in
            writer.field("all", unread.all)
            writer.object("custom_types") { writer in
                for (type, count) in unread.customTypes.sorted(by: { $0.key < $1.key }) {
                    writer.field(type, count)
                }
            }
            writer.field("ts", unread.timestamp.milliseconds)
        }
    }
}

extension LoginSuccess {
    /// Writes every field of the frame (`docs/protocol` 2.4), under both names where clients
    /// differ.
    package func fields(_ writer: inout JSONWriter) {
        writer.fields(of: user)
        writer.field("key", sessionKey)
        writer.field("ekey", fileKey)
        if let loginAt { writer.field("login_ts", loginAt.milliseconds) }
        writer.field("ping_interval", pingInterval.components.seconds)
        writer.field("pong_timeout", pongTimeout.components.seconds)
        writer.object("reconnect") { writer in
            writer.field("interval", reconnect.interval.components.seconds)
            writer.field("max_interval", reconnect.maximumInterval.components.seconds)
            writer.field("mul", reconnect.multiplier)
            writer.field("retry_cnt", reconnect.tryLimit ?? -1)
        }
        writer.field(
            "sdk_background_connection_close_timeout", backgroundStay.components.seconds)
        writer.field("unread_cnt_threading_policy", unreadReplies.rawValue)
        writer.field("last_msg_threading_policy", lastMessageReplies.rawValue)
        writer.field("max_unread_cnt_on_super_group", maxUnreadOnSuperGroup)
        writer.field("max_unread_count_on_super_group", maxUnreadOnSuperGroup)
        writer.field("disable_supergroup_mack", omitsSuperAcknowledgements)
        writer.field("file_upload_size_limit", fileUploadLimitMB)
        writer.field("premium_feature_list", premiumFeatures)
        writer.field("emoji_hash", emojiHash)
        writer.field("application_attributes", applicationAttributes)
        writer.field("use_reaction", usesReaction)
        writer.field("multiple_file_send_max_size", multipleFileLimit)
        writer.field("config_sync_needed", needsConfigurationSync)
        writer.field("services", services)
        writer.usual(
            "notifications",
            #"{"enabled":false,"feed_channels":{},"template_list_token":"0","settings_updated_at":0}"#,
            unlessIn: user.unknownFields)
        writer.usual("allow_sdk_log_ingestion", "false", unlessIn: user.unknownFields)
        if let window = requestDedupInterval {
            writer.field("request_dedup_interval_ms", window.wholeMilliseconds)
        }
        writer.unread(unread)
    }
}

extension Frame {
    func readLogin() throws(WireError) -> LoginResult {
        var fields = LoginFields()
        try readFields { name, reader throws(WireError) in try fields.read(name, &reader) }
        return try fields.result(endingAt: payload.upperBound)
    }
}

private struct LoginFields {
    var user = UserFields()
    var login = LoginSuccess(user: User(id: ""), sessionKey: "")
    var newKey: String?
    var fileKey: String?
    var requestID: RequestID?
    var isError = false
    var code = 0
    var message = ""

    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        switch name {
        case "key": login.sessionKey = try reader.readStringIfPresent() ?? ""
        case "new_key": newKey = try reader.readStringIfPresent()
        case "ekey": fileKey = try reader.readStringIfPresent()
        case "req_id": requestID = try reader.readRequestID()
        case "error": isError = try reader.readBoolIfPresent() ?? false
        case "code": code = try reader.readIntIfPresent() ?? 0
        case "message": message = try reader.readStringIfPresent() ?? ""
        case "login_ts": login.loginAt = try reader.readMoment()
        case "ping_interval": login.pingInterval = try reader.readDuration() ?? login.pingInterval
        case "pong_timeout": login.pongTimeout = try reader.readDuration() ?? login.pongTimeout
        case "reconnect": login.reconnect = try reader.readReconnectPolicy()
        case "sdk_background_connection_close_timeout":
            login.backgroundStay = try reader.readDuration() ?? login.backgroundStay
        default: try readFeature(name, &reader)
        }
    }

    private mutating func readFeature(
        _ name: String, _ reader: inout JSONReader
    ) throws(WireError) {
        switch name {
        case "unread_cnt_threading_policy":
            login.unreadReplies = ReplyPolicy(rawValue: try reader.readIntIfPresent() ?? 0) ?? .all
        case "last_msg_threading_policy":
            login.lastMessageReplies =
                ReplyPolicy(rawValue: try reader.readIntIfPresent() ?? 0) ?? .all
        case "max_unread_cnt_on_super_group", "max_unread_count_on_super_group":
            login.maxUnreadOnSuperGroup =
                try reader.readCount() ?? login.maxUnreadOnSuperGroup
        case "disable_supergroup_mack":
            login.omitsSuperAcknowledgements = try reader.readBoolIfPresent() ?? false
        case "file_upload_size_limit":
            login.fileUploadLimitMB = try reader.readCount() ?? login.fileUploadLimitMB
        case "premium_feature_list": login.premiumFeatures = try reader.readStrings()
        case "emoji_hash": login.emojiHash = try reader.readStringIfPresent() ?? ""
        case "application_attributes": login.applicationAttributes = try reader.readStrings()
        case "use_reaction": login.usesReaction = try reader.readBoolIfPresent() ?? true
        case "multiple_file_send_max_size":
            login.multipleFileLimit = try reader.readCount() ?? login.multipleFileLimit
        case "config_sync_needed":
            login.needsConfigurationSync = try reader.readBoolIfPresent() ?? false
        case "services":
            let services = try reader.readStrings()
            if !services.isEmpty { login.services = services }
        case "request_dedup_interval_ms":
            login.requestDedupInterval = try reader.readMilliseconds()
        case "unread_cnt": login.unread = try reader.readUnreadCount()
        case "notifications", "allow_sdk_log_ingestion", "sts": try reader.skipValue()
        default: try user.read(name, &reader)
        }
    }

    func result(endingAt offset: Int) throws(WireError) -> LoginResult {
        if isError {
            let error = ServerError(RoostError.Code(code), message)
            return .failure(error, acknowledges: requestID)
        }
        if let requestID {
            let key = newKey ?? login.sessionKey
            guard !key.isEmpty else { throw .missing("new_key", offset: offset) }
            return .refreshed(acknowledges: requestID, sessionKey: key, fileKey: fileKey)
        }
        guard !login.sessionKey.isEmpty else { throw .missing("key", offset: offset) }
        var login = login
        login.fileKey = fileKey ?? ""
        login.user = try user.user(endingAt: offset)
        return .success(login)
    }
}

extension JSONReader {
    fileprivate mutating func readReconnectPolicy() throws(WireError) -> ReconnectPolicy {
        var policy = ReconnectPolicy()
        if try readNull() { return policy }
        try readObject { name, reader throws(WireError) in
            switch name {
            case "interval": policy.interval = try reader.readDuration() ?? policy.interval
            case "max_interval":
                policy.maximumInterval = try reader.readDuration() ?? policy.maximumInterval
            case "mul": policy.multiplier = try reader.readCount() ?? policy.multiplier
            case "retry_cnt": policy.tryLimit = try reader.readLimit()
            default: try reader.skipValue()
            }
        }
        return policy
    }

    mutating func readUnreadCount() throws(WireError) -> UnreadCount? {
        if try readNull() { return nil }
        var all: Int?
        var types: [String: Int] = [:]
        var timestamp = Timestamp(milliseconds: 0)
        try readObject { name, reader throws(WireError) in
            switch name {
            case "all": all = try reader.readCount()
            case "custom_types":
                if try reader.readNull() { return }
                try reader.readObject { type, reader throws(WireError) in
                    types[type] = try reader.readCount() ?? 0
                }
            case "ts": timestamp = try reader.readMoment() ?? timestamp
            default: try reader.skipValue()
            }
        }
        return all.map { UnreadCount(all: $0, customTypes: types, timestamp: timestamp) }
    }
}
