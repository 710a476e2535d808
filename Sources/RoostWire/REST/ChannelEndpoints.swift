// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Rare properties of a channel that is created or changed; nil leaves a property as it is.
package struct ChannelOptions: Equatable, Codable, Sendable {
    package var isPublic: Bool?
    package var isBroadcast: Bool?
    package var isExclusive: Bool?
    package var isEphemeral: Bool?
    package var isDiscoverable: Bool?
    package var accessCode: String?
    package var survivalSeconds: Int?
    package var operatorIDs: [UserID]?

    package init() {}

    init(_ fields: RequestFields) throws(ServerError) {
        isPublic = try fields.bool("is_public")
        isBroadcast = try fields.bool("is_broadcast")
        isExclusive = try fields.bool("is_exclusive")
        isEphemeral = try fields.bool("is_ephemeral")
        isDiscoverable = try fields.bool("is_discoverable")
        accessCode = fields.string("access_code")
        survivalSeconds = try fields.int("message_survival_seconds", in: -1...Int(Int32.max))
        operatorIDs = try fields.users("operator_ids")
    }

    fileprivate func write(_ writer: inout JSONWriter) {
        if let isPublic { writer.field("is_public", isPublic) }
        if let isBroadcast { writer.field("is_broadcast", isBroadcast) }
        if let isExclusive { writer.field("is_exclusive", isExclusive) }
        if let isEphemeral { writer.field("is_ephemeral", isEphemeral) }
        if let isDiscoverable { writer.field("is_discoverable", isDiscoverable) }
        if let accessCode { writer.field("access_code", accessCode) }
        if let survivalSeconds { writer.field("message_survival_seconds", survivalSeconds) }
        if let operatorIDs { writer.field("operator_ids", operatorIDs.map(\.rawValue)) }
    }
}

/// Creates a group channel, or finds the distinct one of the same members (`docs/protocol` 3.3).
package struct CreateChannel: Codable, Endpoint {
    package struct Output: Equatable, Codable, Sendable {
        package var channel: GroupChannel
        /// Whether the channel was created; false if a distinct channel existed.
        package var isCreated: Bool

        package init(channel: GroupChannel, isCreated: Bool) {
            self.channel = channel
            self.isCreated = isCreated
        }
    }

    package var channelURL: ChannelURL?
    /// The members; clients name the creator first, platform calls need not.
    package var userIDs: [UserID]
    package var operatorIDs: [UserID]
    package var name: String
    package var coverURL: String
    package var data: String
    package var customType: String
    package var isDistinct: Bool
    package var isSuper: Bool
    package var isPublic: Bool
    /// The other properties; operators and publicity have names of their own in this call.
    package var options = ChannelOptions()

    package init(
        channelURL: ChannelURL? = nil, userIDs: [UserID], operatorIDs: [UserID] = [],
        name: String = "", coverURL: String = "", data: String = "", customType: String = "",
        isDistinct: Bool = false, isSuper: Bool = false, isPublic: Bool = false
    ) {
        self.channelURL = channelURL
        self.userIDs = userIDs
        self.operatorIDs = operatorIDs
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.isDistinct = isDistinct
        self.isSuper = isSuper
        self.isPublic = isPublic
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        let url = fields.string("channel_url") ?? ""
        channelURL = url.isEmpty ? nil : ChannelURL(url)
        userIDs = try fields.users("user_ids") ?? []
        // The platform's own spelling is a list of users; both lists count.
        let listed = fields.value("users")?.array ?? []
        userIDs += listed.compactMap { $0["user_id"]?.string.map { UserID($0) } }
        userIDs = userIDs.uniqued
        operatorIDs = try fields.users("operator_ids") ?? []
        name = fields.string("name") ?? ""
        coverURL = fields.string("cover_url") ?? ""
        data = fields.string("data") ?? ""
        customType = fields.string("custom_type") ?? ""
        isDistinct = try fields.bool("is_distinct") ?? false
        isSuper = try fields.bool("is_super") ?? false
        isPublic = try fields.bool("is_public") ?? false
        options = try ChannelOptions(fields)
        options.isPublic = nil
        options.operatorIDs = nil
    }

    package func encode() -> APIRequest {
        APIRequest(.post, ["group_channels"]) { writer in
            if let channelURL { writer.field("channel_url", channelURL.rawValue) }
            writer.field("user_ids", userIDs.map(\.rawValue))
            if !operatorIDs.isEmpty { writer.field("operator_ids", operatorIDs.map(\.rawValue)) }
            writer.field("name", name)
            writer.field("cover_url", coverURL)
            writer.field("data", data)
            writer.field("custom_type", customType)
            writer.field("is_distinct", isDistinct)
            writer.field("is_super", isSuper)
            writer.field("is_public", isPublic)
            options.write(&writer)
        }
    }

    package static func write(_ output: Output, _ writer: inout JSONWriter) {
        writer.fields(of: output.channel)
        writer.field("is_created", output.isCreated)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var isCreated: Bool?
        let channel = try reader.readGroupChannel { reader throws(WireError) in
            isCreated = try reader.readBoolIfPresent()
        }
        return Output(channel: channel, isCreated: isCreated ?? true)
    }
}

/// An endpoint that answers with one channel.
package protocol ChannelAnswering: Endpoint where Output == GroupChannel {}

extension ChannelAnswering {
    package static func write(_ output: GroupChannel, _ writer: inout JSONWriter) {
        writer.fields(of: output)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> GroupChannel {
        try reader.readGroupChannel()
    }
}

/// The additional data that come with each channel.
package struct ChannelExtras: Equatable, Codable, Sendable {
    package var members: Bool
    package var readReceipts: Bool
    package var deliveryReceipts: Bool
    package var metadata: Bool

    package init(
        members: Bool = true, readReceipts: Bool = true, deliveryReceipts: Bool = true,
        metadata: Bool = true
    ) {
        self.members = members
        self.readReceipts = readReceipts
        self.deliveryReceipts = deliveryReceipts
        self.metadata = metadata
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        members = try fields.bool("show_member") ?? false
        readReceipts = try fields.bool("show_read_receipt") ?? false
        deliveryReceipts = try fields.bool("show_delivery_receipt") ?? false
        metadata = try fields.bool("show_metadata") ?? true
    }

    func add(to query: inout QueryBuilder) {
        query.add("show_member", members)
        query.add("show_read_receipt", readReceipts)
        query.add("show_delivery_receipt", deliveryReceipts)
        query.add("show_metadata", metadata)
    }
}

package struct GetChannel: Codable, ChannelAnswering {
    package var channelURL: ChannelURL
    package var extras: ChannelExtras
    /// Whether the path is below `/sdk/`, as clients use it; the answer is the same.
    package var isInternal: Bool
    /// The user from whose viewpoint a platform call asks.
    package var userID: UserID?

    package init(
        channelURL: ChannelURL, extras: ChannelExtras = ChannelExtras(), isInternal: Bool = false,
        userID: UserID? = nil
    ) {
        self.channelURL = channelURL
        self.extras = extras
        self.isInternal = isInternal
        self.userID = userID
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        extras = try ChannelExtras(fields)
        isInternal = false
        userID = fields.string("user_id").map { UserID($0) }
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        extras.add(to: &query)
        query.add("user_id", userID?.rawValue)
        return APIRequest(
            .get, (isInternal ? ["sdk"] : []) + ["group_channels", channelURL.rawValue],
            query: query.items)
    }
}

/// Changes the properties of a channel; nil leaves a property as it is.
package struct UpdateChannel: Codable, ChannelAnswering {
    package var channelURL: ChannelURL
    package var name: String?
    package var coverURL: String?
    package var data: String?
    package var customType: String?
    package var options = ChannelOptions()

    package init(
        channelURL: ChannelURL, name: String? = nil, coverURL: String? = nil, data: String? = nil,
        customType: String? = nil
    ) {
        self.channelURL = channelURL
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        name = fields.string("name")
        coverURL = fields.string("cover_url")
        data = fields.string("data")
        customType = fields.string("custom_type")
        options = try ChannelOptions(fields)
    }

    package func encode() -> APIRequest {
        APIRequest(.put, ["group_channels", channelURL.rawValue]) { writer in
            if let name { writer.field("name", name) }
            if let coverURL { writer.field("cover_url", coverURL) }
            if let data { writer.field("data", data) }
            if let customType { writer.field("custom_type", customType) }
            options.write(&writer)
        }
    }
}

package struct InviteMembers: Codable, ChannelAnswering {
    package var channelURL: ChannelURL
    package var userIDs: [UserID]
    /// The inviting user, for calls of the platform.
    package var inviterID: UserID?

    package init(channelURL: ChannelURL, userIDs: [UserID], inviterID: UserID? = nil) {
        self.channelURL = channelURL
        self.userIDs = userIDs
        self.inviterID = inviterID
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        userIDs = try fields.users("user_ids") ?? []
        inviterID = fields.string("inviter_id").map { UserID($0) }
        guard !userIDs.isEmpty else {
            throw ServerError(.parameterMissing, "The parameter user_ids is missing.")
        }
    }

    package func encode() -> APIRequest {
        APIRequest(.post, ["group_channels", channelURL.rawValue, "invite"]) { writer in
            writer.field("user_ids", userIDs.map(\.rawValue))
            if let inviterID { writer.field("inviter_id", inviterID.rawValue) }
        }
    }
}

/// Joins a public channel or accepts an invitation.
package struct JoinChannel: Codable, ChannelAnswering {
    package var channelURL: ChannelURL
    package var userID: UserID?
    /// The code that some public channels ask for.
    package var accessCode: String?

    package init(channelURL: ChannelURL, userID: UserID? = nil) {
        self.channelURL = channelURL
        self.userID = userID
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        userID = fields.string("user_id").map { UserID($0) }
        accessCode = fields.string("access_code")
    }

    package func encode() -> APIRequest {
        APIRequest(.put, ["group_channels", channelURL.rawValue, "join"]) { writer in
            if let userID { writer.field("user_id", userID.rawValue) }
            if let accessCode { writer.field("access_code", accessCode) }
        }
    }
}

package struct LeaveChannel: Codable, Endpoint {
    package typealias Output = NoOutput

    package var channelURL: ChannelURL
    /// The leaving users, for calls of the platform; a user's own call concerns that user.
    package var userIDs: [UserID]

    package init(channelURL: ChannelURL, userIDs: [UserID] = []) {
        self.channelURL = channelURL
        self.userIDs = userIDs
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        userIDs =
            try fields.users("user_ids") ?? fields.string("user_id").map { [UserID($0)] } ?? []
    }

    package func encode() -> APIRequest {
        APIRequest(.put, ["group_channels", channelURL.rawValue, "leave"]) { writer in
            if !userIDs.isEmpty { writer.field("user_ids", userIDs.map(\.rawValue)) }
        }
    }
}
