// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A call of a route that has been admitted.
struct RouteCall: Sendable {
    let fields: RequestFields
    let standing: Standing
    /// Where the client reaches the server, as the beginning of a URL.
    let address: String

    /// The user whom the path names.
    var subject: UserID { UserID(fields.pathParts[0]) }
    var channelURL: ChannelURL { fields.channelURL }
    /// Whether what is called is about a user and no channel.
    let isAboutUser: Bool
    /// What the path names after the user or the channel.
    var detail: String? { fields.pathParts.count > 1 ? fields.pathParts[1] : nil }

    var caller: APICaller { standing.caller }

    /// The caller, or the user whom the platform names.
    func actor() throws(ServerError) -> UserID { try standing.namedActor() }
}

extension ChatServer {
    func answer(
        _ route: Route, _ fields: RequestFields, of caller: APICaller, in isOpen: Bool?,
        at host: String?
    ) async throws(ServerError) -> APIResponse {
        let rule = try route.rule(of: fields)
        // What is wrong with a call is told to nobody who may not make it.
        try rule.decideCaller(caller, subject: fields.pathParts.first.map { UserID($0) })
        var target = try route.target(fields, rule)
        target.wantsOpenChannel = isOpen
        return try await admission.admitted(rule, target, caller) { standing throws(ServerError) in
            try await answer(
                route.action,
                RouteCall(
                    fields: fields, standing: standing, address: address(host),
                    isAboutUser: route.pattern.text.hasSuffix("users/*")))
        }
    }

    private func answer(
        _ action: Action, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
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
            writer.field("emoji_hash", ServerEmoji.hash)
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

/// The emoji that the server offers for reactions.
enum ServerEmoji {
    /// Changes with the set of emoji.
    static let hash = "roost-1"
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
