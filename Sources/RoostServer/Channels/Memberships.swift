// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The users in group channels: invitations, entries, exits, and each member's own state.
struct Memberships: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let views: ChannelViews
    let history: History
    let lanes: ChannelLanes
    let rates: RequestRates

    /// Invites users, or makes them members if they accept automatically, and publishes that.
    func invite(_ call: InviteMembers, by caller: APICaller) async throws(ServerError)
        -> GroupChannel
    {
        let url = call.channelURL
        let inviter = caller.userID ?? call.inviterID
        let guests = try await existing(call.userIDs, for: caller)
        try await makeRoom(for: guests.map(\.user.id), in: url, caller)
        var host: UserRecord?
        if let inviter { host = try await ask(try await storage.userRecord(inviter)) }
        var states: [MembershipState: [UserID]] = [:]
        for guest in guests {
            try stopIfCancelled()
            try await refuseBanned(guest.user.id, in: url)
            if let refusal = guest.refusalOfInvitation(by: host) { throw refusal }
            states[joins(guest) ? .joined : .invited, default: []].append(guest.user.id)
        }
        var changed: [UserID] = []
        for state in [MembershipState.joined, .invited] {
            let ids = states[state] ?? []
            changed += try await ask(
                try await storage.addMembers(
                    ids, as: state, inviter: inviter, to: url, now: world.now()))
        }
        let users = guests.map(\.user) + (host.map { [$0.user] } ?? [])
        await publishJoined(changed, to: url, inviter: inviter, among: users)
        return try await views.view(url, for: caller.userID, ChannelExtras())
    }

    /// Makes a user a member.
    func join(
        _ id: UserID, _ url: ChannelURL, by caller: APICaller, isAcceptance: Bool
    ) async throws(ServerError) -> GroupChannel {
        try await makeRoom(for: [id], in: url, caller)
        let joined = try await ask(
            try await storage.addMembers(
                [id], as: .joined, inviter: nil, to: url, now: world.now()))
        await publishJoined(
            joined, to: url, inviter: id,
            among: try await existing([id], for: .user(id)).map(\.user), isAcceptance: isAcceptance)
        return try await views.view(url, for: id, ChannelExtras())
    }

    /// Removes users from a channel and publishes that.
    func leave(_ call: LeaveChannel, by caller: APICaller) async throws(ServerError) {
        let url = call.channelURL
        let leavers = caller.userID.map { [$0] } ?? call.userIDs
        for id in leavers {
            try stopIfCancelled()
            try await removeMember(id, from: url)
        }
    }

    /// Removes a user from all matching channels, each in its lane.
    func leaveAll(
        _ id: UserID, where isLeft: (ChannelRecord) -> Bool
    ) async throws(ServerError) {
        for listing in try await ask(try await storage.presentListings(of: id))
        where isLeft(listing.record) {
            let url = listing.record.url
            try await lanes.inLane(of: url) { () async throws(ServerError) in
                // The user may have left, or the channel may be deleted, while the call waited for
                // the lane.
                let access = try await ask(try await storage.access(to: url, of: id))
                guard let access, access.state != .none else { return }
                try await leave(LeaveChannel(channelURL: url), by: .user(id))
            }
        }
    }

    private func removeMember(_ id: UserID, from url: ChannelURL) async throws(ServerError) {
        guard let user = try await ask(try await storage.user(id)),
            try await ask(try await storage.removeMember(id, from: url, now: world.now()))
        else { throw ServerError(.notAMember, "Only members of the channel can leave it.") }
        let members = try await ask(try await storage.memberIDs(of: url))
        guard
            let state = try await ask(
                try await storage.channelStates([url], viewer: nil, withMembers: false)
            ).first
        else { return }
        await publisher.publish(state.newsOfExit(of: user, to: members, at: world.now()))
    }

    /// Declines an invitation and publishes that.
    func decline(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let user = try await existingUser(id).user
        guard try await ask(try await storage.removeMember(id, from: url, now: world.now())),
            let state = try await ask(
                try await storage.channelStates([url], viewer: nil, withMembers: false)
            ).first
        else { return .empty }
        var inviter: User?
        if let id = call.standing.access?.traits.inviter {
            inviter = try await ask(try await storage.user(id))
        }
        try await publisher.publish(
            in: url, .invitationDeclined,
            .declined(inviter: inviter, invitee: user, state.counts), and: [id])
        return .empty
    }

    /// Refuses newcomers beyond the limit of members.
    private func makeRoom(
        for ids: [UserID], in url: ChannelURL, _ caller: APICaller
    ) async throws(ServerError) {
        let limits = configuration.limits
        let count = try await ask(try await storage.memberCounts(of: [url]))[url] ?? 0
        // The answer to an entry reads all members.
        rates.note(user: caller.userID, count: count / RequestRates.chargedRows)
        guard count + ids.count > limits.members else { return }
        let known = try await ask(try await storage.memberRecords(of: url, among: ids))
        let newcomers = ids.count - known.count { $0.state != .none }
        try limits.check(
            count: count + newcomers, "members of a channel", atMost: limits.members)
    }

    /// Refuses the invitation of a banned user.
    private func refuseBanned(_ id: UserID, in url: ChannelURL) async throws(ServerError) {
        let access = try await ask(try await storage.access(to: url, of: id))
        guard access?.traits.ban?.isActive(at: world.now()) == true else { return }
        throw ServerError(.bannedFromChannel, "The user is banned from this channel.")
    }

    /// Whether an invitation makes a user a member at once.
    func joins(_ user: UserRecord) -> Bool {
        user.traits.preferences["auto_accept"]?.bool ?? configuration.acceptsInvitations
    }

    /// Returns the users of a call, each once, in its order.
    ///
    /// A server that creates users at their first login also creates them when another user first
    /// invites them; the platform creates users by a call of its own.
    func existing(
        _ ids: [UserID], for caller: APICaller
    ) async throws(ServerError) -> [UserRecord] {
        var unique: [UserID] = []
        var seen: Set<UserID> = []
        try limits.check(count: ids.count, "users in one call", atMost: limits.users)
        for id in ids where seen.insert(id).inserted {
            try limits.check(user: id)
            unique.append(id)
        }
        let wanted = unique
        var users = try await ask(try await storage.userRecords(wanted))
        let known = Set(users.map(\.user.id))
        let strangers = unique.filter { !known.contains($0) }
        if caller != .platform, configuration.createsUsers, !configuration.requiresToken {
            try limits.check(
                count: strangers.count, "unknown users in one call", atMost: limits.newUsers)
        }
        for id in strangers {
            try stopIfCancelled()
            guard caller != .platform, configuration.createsUsers, !configuration.requiresToken
            else {
                throw ServerError(.notFound, "There is no user “\(id)” here.")
            }
            try await ask(try await storage.addUser(User(id: id)))
            // Another call may have created the user since the look-up.
            users += try await ask(try await storage.userRecords([id]))
        }
        return users
    }

    // MARK: Events

    /// Publishes invitations and entries to the members, both for each newcomer.
    func publishJoined(
        _ joined: [UserID], to url: ChannelURL, inviter: UserID?, among users: [User],
        isAcceptance: Bool = false
    ) async {
        let now = world.now()
        // After a failure of the storage, clients learn of newcomers from their change logs.
        // A large channel's members are read by their IDs alone.
        guard !joined.isEmpty, let members = try? await storage.memberIDs(of: url),
            let known = try? await storage.memberRecords(of: url, among: joined),
            let state = try? await storage.channelStates([url], viewer: nil, withMembers: false)
                .first
        else { return }
        let records = Dictionary(
            known.map { ($0.user.id, $0) }, uniquingKeysWith: { first, _ in first })
        await publisher.publish(
            state.newsOfEntries(
                of: members.compactMap { records[$0] }, to: members,
                inviter: users.first { $0.id == inviter }, isAcceptance: isAcceptance, at: now))
    }

    // MARK: Hidden channels and history

    /// Hides a channel from a member, or from all members for the platform.
    func hide(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let hidesPrevious = try call.fields.bool("hide_previous_messages") ?? false
        let returns = try call.fields.bool("allow_auto_unhide") ?? true
        let isForAll = try call.fields.bool("should_hide_all") ?? false
        let everybody = isForAll && call.caller == .platform
        let ids = everybody ? try await ask(try await storage.memberIDs(of: url)) : [id]
        let end = try await history.endOfLog(of: url)
        var offset: Timestamp?
        for id in ids {
            let changed = try await ask(
                try await storage.updateMember(id, of: url, now: world.now()) { member in
                    member.hidden = returns ? .untilNextMessage : .untilShown
                    if hidesPrevious { member.forget(through: end) }
                })
            offset = changed?.traits.messageOffset
            let event = ChannelEvent(
                .hidden, channelURL: url, timestamp: world.now(),
                content: .hidden(hidesPrevious: hidesPrevious, allowsAutoUnhide: returns),
                messageOffset: offset)
            await publisher.publish(.channel(event), to: [id])
        }
        let shown = offset?.milliseconds ?? 0
        return APIResponse { writer in writer.field("ts_message_offset", shown) }
    }

    /// Shows a member a hidden channel again.
    func unhide(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        try await ask(
            try await storage.updateMember(id, of: url, now: world.now()) {
                $0.hidden = .unhidden
            })
        let event = ChannelEvent(.unhidden, channelURL: url, timestamp: world.now())
        await publisher.publish(.channel(event), to: [id])
        return .empty
    }

    /// Hides all present messages from a member, or from all members in one step.
    func resetHistory(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let isForAll = try call.fields.bool("reset_all") ?? false
        let actor = isForAll ? nil : try call.actor()
        let end = try await history.endOfLog(of: url)
        var readers: [UserID] = []
        var offset: Timestamp?
        if let actor {
            let access = try await ask(try await storage.access(to: url, of: actor))
            if let access, access.state != .none {
                let changed = try await ask(
                    try await storage.updateMember(actor, of: url, now: world.now()) {
                        $0.forget(through: end)
                    })
                offset = changed?.traits.messageOffset
                readers = [actor]
            }
        } else {
            readers = try await ask(try await storage.memberIDs(of: url))
            offset = call.standing.access?.messageOffset
            if let end {
                try await ask(
                    try await storage.forgetHistory(of: url, through: end, now: world.now()))
                offset = max(offset ?? end, end)
            }
        }
        let event = ChannelEvent(.propertiesChanged, channelURL: url, timestamp: world.now())
        await publisher.publish(.channel(event), to: readers)
        let shown = offset?.milliseconds ?? 0
        return APIResponse { writer in writer.field("ts_message_offset", shown) }
    }

    // MARK: Members

    /// Answers with a user's state in a channel.
    func isMember(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let id = UserID(call.detail ?? "")
        let access = try await ask(try await storage.access(to: call.channelURL, of: id))
        let state = access?.state ?? .none
        return APIResponse { writer in
            writer.field("is_member", state == .joined)
            writer.field("state", state.rawValue)
        }
    }
}

extension UserRecord {
    /// Returns the reason why a user cannot invite this one; nil without an inviter or a block.
    package func refusalOfInvitation(by inviter: UserRecord?) -> ServerError? {
        guard let inviter else { return nil }
        if traits.blocked.contains(inviter.user.id) {
            return ServerError(RoostError.Code(400_702), "The user has blocked the inviter.")
        }
        if inviter.traits.blocked.contains(user.id) {
            return ServerError(RoostError.Code(400_701), "A blocked user cannot be invited.")
        }
        return nil
    }
}

extension MemberRecord {
    /// Hides all messages until the end of the log and marks them as read; nil for an empty log.
    ///
    /// The end is a message's time: after a step back of the clock, a present time could be later
    /// than those of the next messages, and would hide them too. For the same reason the mark never
    /// moves back.
    package mutating func forget(through end: Timestamp?) {
        guard let end else { return }
        traits.messageOffset = max(traits.messageOffset ?? end, end)
        lastRead = max(lastRead ?? end, end)
    }
}
