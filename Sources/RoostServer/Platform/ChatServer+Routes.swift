// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A call of a route, by somebody who may make it.
struct RouteCall: Sendable {
    let fields: RequestFields
    let caller: ChatServer.Caller
    /// Where the client reaches the server, as the beginning of a URL.
    let address: String

    /// The user whom the path names.
    var subject: UserID { UserID(fields.pathParts[0]) }
    var channelURL: ChannelURL { fields.channelURL }
    /// Whether what is called is about a user and no channel.
    let isAboutUser: Bool
    /// What the path names after the user or the channel.
    var detail: String? { fields.pathParts.count > 1 ? fields.pathParts[1] : nil }

    /// Who acts: the caller, or whom the platform names.
    func actor() throws(ServerError) -> UserID {
        if let id = caller.userID { return id }
        return UserID(try fields.needed("user_id"))
    }
}

extension ChatServer {
    func answer(
        _ route: Route, _ fields: RequestFields, of caller: Caller, at host: String?
    ) async throws(ServerError) -> APIResponse {
        let call = RouteCall(
            fields: fields, caller: caller, address: address(host),
            isAboutUser: route.pattern.text.hasSuffix("users/*"))
        try await admit(call, to: route.access)
        switch route.action {
        case .user(let action): return try await answer(action, call)
        case .setting(let action): return try await answer(action, call)
        case .channel(let action): return try await answer(action, call)
        case .moderation(let action): return try await answer(action, call)
        case .message(let action): return try await answer(action, call)
        case .openChannel(let action): return try await answer(action, call)
        case .poll(let action): return try await answer(action, call)
        case .scheduled(let action): return try await answer(action, call)
        case .report: return try await report(call)
        case .emoji: return Self.emoji
        case .upload: return try await upload(call)
        }
    }

    /// Refuses a path that says one kind of channel and names one of the other.
    func checkKind(_ request: APIRequest) async throws(ServerError) {
        let kinds = ["group_channels", "open_channels"]
        guard let place = request.path.prefix(2).firstIndex(where: kinds.contains),
            request.path.count > place + 1
        else { return }
        let url = ChannelURL(request.path[place + 1])
        guard let access = try await ask(try await storage.access(to: url, of: nil)) else { return }
        guard access.record.traits.isOpen == (request.path[place] == "open_channels") else {
            throw ServerError(.notFound, "There is no such channel of this kind.")
        }
    }

    /// Refuses who may not make a call, before anything of it is looked at.
    private func admit(_ call: RouteCall, to access: Route.Access) async throws(ServerError) {
        switch access {
        case .user: return
        case .platform:
            guard call.caller == .platform else {
                throw ServerError(.notAuthorized, "Only the platform may do this.")
            }
        case .oneself:
            guard call.caller == .platform || call.caller == .user(call.subject) else {
                throw ServerError(.notAuthorized, "A user may do this for themselves only.")
            }
        case .member, .channelOperator:
            let id = call.caller.userID
            guard
                let standing = try await ask(try await storage.access(to: call.channelURL, of: id))
            else { throw ServerError(.notFound, "There is no such channel.") }
            guard id != nil else { return }
            if standing.record.traits.isOpen { try refuseBanned(standing) }
            guard standing.state == .joined || standing.record.traits.isOpen else {
                throw ServerError(.notAMember, "Only members of the channel may do this.")
            }
            guard access == .member || standing.role == .operator else {
                throw ServerError(.notAuthorized, "Only operators of the channel may do this.")
            }
        }
    }

    /// Tells everybody in a channel.
    func tell(
        _ url: ChannelURL, _ category: ChannelEvent.Category,
        _ content: ChannelEvent.Content = .other(data: "{}"), and others: [UserID] = []
    ) async throws(ServerError) {
        var audience = try await audience(of: url)
        let event = ChannelEvent(
            category, channelURL: url, timestamp: world.now(), content: content)
        audience.members += others.filter { !audience.members.contains($0) }
        await publish(.channel(event), to: audience)
    }

    func existingUser(_ id: UserID) async throws(ServerError) -> UserRecord {
        guard let record = try await ask(try await storage.userRecord(id)) else {
            throw ServerError(.notFound, "There is no such user.")
        }
        return record
    }

    /// The end of what is in a channel now: nothing later is hidden with it.
    func newestMoment(of url: ChannelURL) async throws(ServerError) -> Timestamp {
        let filter = MessageFilter(replyType: .all)
        let newest = try await ask(
            try await storage.messages(
                in: url, PositionRange(), filter, newestFirst: true, limit: 1)
        ).first
        return max(world.now(), newest?.createdAt ?? .distantPast)
    }

    private static let emojiKeys = [
        "thumbsup", "thumbsdown", "heart", "laughing", "astonished", "cry", "rage", "clap",
    ]

    private static var emoji: APIResponse {
        APIResponse { writer in
            writer.field("emoji_hash", Self.emojiHash)
            writer.array("emoji_categories") { writer in
                writer.object { writer in
                    writer.field("id", 1)
                    writer.field("name", "Standard")
                    writer.field("url", "")
                    writer.array("emojis") { writer in
                        for key in emojiKeys {
                            writer.object { writer in
                                writer.field("key", key)
                                writer.field("url", "")
                            }
                        }
                    }
                }
            }
        }
    }
}

extension ChatServer {
    /// Changes with the set of emoji that the server offers.
    static let emojiHash = "roost-1"
}

/// A page of a list that is held whole: its token is the number of what came before.
struct Page<Element> {
    let elements: [Element]
    let next: String

    init(_ all: [Element], _ fields: RequestFields) throws(ServerError) {
        let start = try fields.int("token", in: 0...Int.max) ?? 0
        let limit = try fields.int("limit", in: 1...100) ?? 20
        elements = Array(all.dropFirst(start).prefix(limit))
        let (end, isTooFar) = start.addingReportingOverflow(elements.count)
        next = !isTooFar && !elements.isEmpty && end < all.count ? String(end) : ""
    }
}
