// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The moderation of channels: operators, bans and mutes.
struct Moderation: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let rooms: Rooms
    let rates: RequestRates

    /// The requests as which the refusal of a full channel counts: the storage has looked through
    /// all restrictions of the channel.
    private static let refusalCost = 25

    /// Answers a call about operators, bans or mutes.
    func answer(
        _ action: ModerationAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .operators:
            let operators = try await operators(of: call.channelURL)
            let page = try Page(operators, call.fields, \.id)
            return APIResponse { writer in
                writer.users("operators", page.elements)
                writer.field("next", page.next)
            }
        case .addOperators:
            return try await setOperators(
                try namedOperators(call), to: .operator, in: call.channelURL)
        case .removeOperators:
            let all = try call.fields.bool("delete_all") ?? false
            let ids =
                all
                ? try await operators(of: call.channelURL).map(\.id)
                : try namedOperators(call)
            return try await setOperators(ids, to: .none, in: call.channelURL)
        case .banned: return try await list(.ban, call)
        case .muted: return try await list(.mute, call)
        case .getMute: return try await getMute(call)
        case .ban, .mute: return try await restrict(call, isBan: action == .ban)
        case .unban, .unmute: return try await release(call, isBan: action == .unban)
        }
    }

    private func operators(of url: ChannelURL) async throws(ServerError) -> [User] {
        try await ask(try await storage.operators(of: [url]))[url] ?? []
    }

    /// Returns a user's row in a channel; nil for a stranger.
    private func record(
        of id: UserID, in url: ChannelURL
    ) async throws(ServerError) -> MemberRecord? {
        try await ask(try await storage.memberRecords(of: url, among: [id])).first
    }

    /// Answers with a page of the users whom a restriction holds now.
    private func list(
        _ kind: Restriction.Kind, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let now = world.now()
        let start = try PageStart(call.fields)
        let found = try await ask(
            try await storage.restrictedMembers(
                of: call.channelURL, by: kind, at: now, after: start.last, limit: start.limit + 1))
        let page = Page(start, found, \.user.id)
        let isBan = kind == .ban
        return APIResponse { writer in
            writer.array(isBan ? "banned_list" : "muted_list") { writer in
                for member in page.elements {
                    writer.object { writer in writer.restricted(member, isBan: isBan, at: now) }
                }
            }
            writer.field("next", page.next)
        }
    }

    /// Returns the users whom a call names; each becomes a transaction.
    private func namedOperators(_ call: RouteCall) throws(ServerError) -> [UserID] {
        let ids = try call.fields.users("operator_ids") ?? []
        try limits.check(operators: ids.count)
        return ids
    }

    private func setOperators(
        _ ids: [UserID], to role: Role, in url: ChannelURL
    ) async throws(ServerError) -> APIResponse {
        let audience = try await publisher.audience(of: url)
        if role == .operator {
            let before = try await operators(of: url)
            try limits.check(operators: Set(before.map(\.id)).union(ids).count)
        }
        if audience.room == nil {
            let members = Set(audience.members)
            guard ids.allSatisfy(members.contains) else {
                throw ServerError(.notFound, "Only members can be operators of a channel.")
            }
        } else {
            for id in ids { _ = try await existingUser(id) }
        }
        for id in ids {
            try await ask(
                try await storage.updateMember(id, of: url, now: world.now()) {
                    $0.role = role
                })
        }
        let operators = try await operators(of: url)
        try await publisher.publish(
            in: url, .operatorsChanged, .operators(operators), withInvited: .hint)
        return .empty
    }

    private func getMute(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let id = UserID(call.detail ?? "")
        let now = world.now()
        let mute = try await record(of: id, in: call.channelURL)?.traits.mute
        guard let mute, mute.isActive(at: now) else {
            return APIResponse { writer in writer.field("is_muted", false) }
        }
        return APIResponse { writer in
            writer.field("is_muted", true)
            writer.field("start_at", mute.startedAt.milliseconds)
            let end = mute.endsAt?.milliseconds
            writer.field("end_at", end ?? -1)
            writer.field(
                "remaining_duration", mute.endsAt.map { max(0, $0.milliseconds(since: now)) } ?? -1)
            writer.field("description", mute.note)
        }
    }

    /// Mutes or bans a user; a ban also removes a member.
    private func restrict(
        _ call: RouteCall, isBan: Bool
    ) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let id = UserID(try call.fields.needed("user_id"))
        let seconds = try call.fields.int64("seconds") ?? -1
        let now = world.now()
        // A time beyond the calendar of clients has no end.
        let isForEver = seconds < 0 || seconds > 10_000_000_000
        try configuration.limits.check(
            name: call.fields.string("description"), "The description")
        let restriction = Restriction(
            startedAt: now,
            endsAt: isForEver ? nil : now + .seconds(seconds),
            note: call.fields.string("description") ?? "")
        _ = try await existingUser(id)
        if !isBan {
            let audience = try await publisher.audience(of: url)
            guard audience.room != nil || audience.members.contains(id) else {
                throw ServerError(.notFound, "Only members can be muted.")
            }
        }
        try await makeRoom(for: id, in: url, call.caller)
        let kind: Restriction.Kind = isBan ? .ban : .mute
        let changed = try await ask(
            try await storage.updateMember(id, of: url, now: now) { member in
                member.traits[kind] = restriction
            })
        // The ban comes first: the user cannot join between the two steps.
        if isBan { try await ask(try await storage.removeMember(id, from: url, now: now)) }
        guard let member = changed else { return .empty }
        try await publishRestricted(member, isBan ? .banned : .muted, in: url)
        if isBan {
            await publisher.fanOut.tell(.evict(id, from: url))
            await rooms.evict(id, from: url)
        }
        return APIResponse { writer in
            writer.restricted(member, isBan: isBan, at: now)
        }
    }

    /// Refuses the restriction of one more user beyond the limit.
    private func makeRoom(
        for id: UserID, in url: ChannelURL, _ caller: APICaller
    ) async throws(ServerError) {
        // A restricted user has a place already.
        guard try await record(of: id, in: url)?.traits.isRestricted != true else { return }
        let count = try await ask(
            try await storage.restrictedCount(
                of: url, atMost: limits.restrictions, now: world.now()))
        if count >= limits.restrictions {
            rates.note(user: caller.userID, count: Self.refusalCost)
        }
        try limits.check(
            count: count + 1, "banned and muted users of a channel", atMost: limits.restrictions)
    }

    private func release(
        _ call: RouteCall, isBan: Bool
    ) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, UserID(call.detail ?? ""))
        let known = try await record(of: id, in: url)
        guard let known, known.traits[isBan ? .ban : .mute] != nil else {
            throw ServerError(.notFound, "The user has no such restriction.")
        }
        try await ask(
            try await storage.updateMember(id, of: url, now: world.now()) { member in
                if isBan { member.traits.ban = nil } else { member.traits.mute = nil }
            })
        try await publishRestricted(known, isBan ? .unbanned : .unmuted, in: url)
        return .empty
    }

    private func publishRestricted(
        _ member: MemberRecord, _ category: ChannelEvent.Category, in url: ChannelURL
    ) async throws(ServerError) {
        let state = try await ask(
            try await storage.channelStates([url], viewer: nil, withMembers: false)
        ).first
        // A user who is not in the channel has lost nothing, and must not be spoken to by a ban.
        var isAffected = member.state != .none
        if !isAffected { isAffected = await rooms.containsAnywhere(member.user.id, in: url) }
        let isBan = category == .banned || category == .unbanned
        try await publisher.publish(
            in: url, category,
            .restricted(member.restricted(isBan: isBan), state?.counts ?? .init()),
            and: isAffected ? [member.user.id] : [], withInvited: isBan ? .hint : .nothing)
    }
}

extension MemberRecord {
    package func restricted(isBan: Bool) -> RestrictedUser {
        let restriction = isBan ? traits.ban : traits.mute
        return RestrictedUser(
            user: user, until: restriction?.endsAt, reason: restriction?.note ?? "")
    }
}

extension JSONWriter {
    fileprivate mutating func restricted(_ member: MemberRecord, isBan: Bool, at now: Timestamp) {
        restricted(member.restricted(isBan: isBan), isBan: isBan, at: now)
    }
}
