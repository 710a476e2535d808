// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The moderation of channels: operators, bans and mutes.
struct Moderation: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let rooms: Rooms

    /// Answers a call about operators, bans or mutes.
    func answer(
        _ action: ModerationAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .operators:
            let operators = try await members(of: call.channelURL) { $0.role == .operator }
            let page = try Page(operators.map(\.user), call.fields, \.id)
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
                ? try await members(of: call.channelURL) { $0.role == .operator }.map(\.user.id)
                : try namedOperators(call)
            return try await setOperators(ids, to: .none, in: call.channelURL)
        case .banned, .muted:
            let now = world.now()
            let restricted = try await members(of: call.channelURL) { member in
                let restriction = action == .banned ? member.traits.ban : member.traits.mute
                return restriction?.isActive(at: now) ?? false
            }
            let page = try Page(restricted, call.fields, \.user.id)
            return APIResponse { writer in
                writer.array(action == .banned ? "banned_list" : "muted_list") { writer in
                    for member in page.elements {
                        writer.object { writer in
                            writer.restricted(member, isBan: action == .banned, at: now)
                        }
                    }
                }
                writer.field("next", page.next)
            }
        case .getMute: return try await getMute(call)
        case .ban, .mute: return try await restrict(call, isBan: action == .ban)
        case .unban, .unmute: return try await release(call, isBan: action == .unban)
        }
    }

    private func members(
        of url: ChannelURL, where isWanted: (MemberRecord) -> Bool
    ) async throws(ServerError) -> [MemberRecord] {
        try await ask(try await storage.memberRecords(of: url)).filter(isWanted)
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
            let before = try await members(of: url) { $0.role == .operator }
            try limits.check(operators: Set(before.map(\.user.id)).union(ids).count)
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
        let operators = try await members(of: url) { $0.role == .operator }
        try await publisher.publish(
            in: url, .operatorsChanged, .operators(operators.map(\.user)), withInvited: .hint)
        return .empty
    }

    private func getMute(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let id = UserID(call.detail ?? "")
        let now = world.now()
        let mute = try await members(of: call.channelURL) { $0.user.id == id }.first?.traits.mute
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
        let changed = try await ask(
            try await storage.updateMember(id, of: url, now: now) { member in
                if isBan {
                    member.traits.ban = restriction
                } else {
                    member.traits.mute = restriction
                }
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

    private func release(
        _ call: RouteCall, isBan: Bool
    ) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, UserID(call.detail ?? ""))
        let known = try await members(of: url) { $0.user.id == id }.first
        guard let known, (isBan ? known.traits.ban : known.traits.mute) != nil else {
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
