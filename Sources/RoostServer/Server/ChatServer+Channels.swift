// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    func create(
        _ call: CreateChannel, by caller: APICaller
    ) async throws(ServerError) -> CreateChannel.Output {
        var ids = call.userIDs
        try configuration.limits.check(
            channel: call.channelURL,
            ChannelTexts(
                name: call.name, coverURL: call.coverURL, data: call.data,
                customType: call.customType))
        if let maker = caller.userID, !ids.contains(maker) { ids.insert(maker, at: 0) }
        let members = try await existing(ids)
        let maker = caller.userID ?? call.userIDs.first
        let url = call.channelURL ?? ChannelURL("roost_group_channel_" + makeSecret().prefix(16))
        if call.channelURL != nil,
            try await ask(try await storage.access(to: url, of: nil)) != nil
        {
            throw ServerError(.duplicate, "There is a channel with this URL already.")
        }
        let now = world.now()
        let record = ChannelRecord(
            url: url, name: call.name, coverURL: call.coverURL, data: call.data,
            customType: call.customType, createdAt: Timestamp(seconds: now.seconds),
            createdBy: maker, isDistinct: call.isDistinct, isSuper: call.isSuper,
            isPublic: call.isPublic, traits: ChannelTraits(call.options))
        try configuration.limits.check(record, since: nil)
        try check(operators: call.operatorIDs.count)
        let new = NewChannel(
            record: record, members: members.map(\.id), operators: call.operatorIDs)
        let created = try await ask(try await storage.createChannel(new, now: now))
        await tellJoined(created.joined, to: created.url, inviter: maker, among: members)
        // A distinct channel that was there before may be one that the caller is banned from.
        if !created.isCreated {
            try await admission.admit(.reader, AccessTarget(channel: created.url), caller)
        }
        let channel = try await view(created.url, for: caller.userID, ChannelExtras())
        return CreateChannel.Output(channel: channel, isCreated: created.isCreated)
    }

    /// The users of these names, each once.
    ///
    /// Where a first login would make a user, being invited does too: who comes first must not matter.
    private func existing(_ ids: [UserID]) async throws(ServerError) -> [User] {
        var unique: [UserID] = []
        var seen: Set<UserID> = []
        try configuration.limits.check(
            count: ids.count, "users in one call", atMost: configuration.limits.users)
        for id in ids where seen.insert(id).inserted {
            try configuration.limits.check(user: id)
            unique.append(id)
        }
        let wanted = unique
        var users = try await ask(try await storage.users(wanted))
        let known = Set(users.map(\.id))
        for id in unique where !known.contains(id) {
            guard configuration.createsUsers, !configuration.requiresToken else {
                throw ServerError(.notFound, "There is no user “\(id)” here.")
            }
            let user = User(id: id)
            try await ask(try await storage.saveUser(user))
            users.append(user)
        }
        return users
    }

    /// Tells everybody in a channel who was invited and who is in; both, as real servers do.
    private func tellJoined(
        _ joined: [UserID], to url: ChannelURL, inviter: UserID?, among users: [User],
        isAcceptance: Bool = false
    ) async {
        let now = world.now()
        // The storage just answered; should it fail now, clients learn of it from their change logs.
        guard !joined.isEmpty,
            let state = try? await storage.channelStates([url], viewer: nil).first
        else { return }
        let arrivals = Set(joined)
        let newcomers = state.members.filter { arrivals.contains($0.user.id) }
            .map { $0.member(at: now) }
        let everybody = state.members.map(\.user.id)
        let inviter = users.first { $0.id == inviter }
        let guests = newcomers.filter { $0.id != inviter?.id }
        let counts = state.counts
        // Who comes and goes in a large channel is told in numbers (`docs/protocol` 2.7).
        let isLarge = state.record.countsMembersOnly
        let told = isLarge ? newcomers.map(\.id) + (inviter.map { [$0.id] } ?? []) : everybody
        // Many newcomers come in several frames, each of which a client can read.
        for part in guests.parts(of: ServerLimits.frameMemberBytes, \.weight) {
            let invitation = ChannelEvent(
                .invited, channelURL: url, timestamp: now,
                content: .invited(inviter: inviter, invitees: part, at: now, counts))
            await publisher.publish(.channel(invitation), to: told)
        }
        if isLarge { await tellCounts(state, to: everybody) }
        let arrived = newcomers.filter { $0.state == .joined }
        for part in arrived.parts(of: ServerLimits.frameMemberBytes, \.weight) {
            let event = ChannelEvent(
                .joined, channelURL: url, timestamp: now, content: .joined(part, counts))
            await publisher.publish(.channel(event), to: told)
            guard isAcceptance else { continue }
            // Beside the other, which is all that most clients know.
            let acceptance = ChannelEvent(
                .invitationAccepted, channelURL: url, timestamp: now,
                content: .joined(part, counts))
            await publisher.publish(.channel(acceptance), to: told)
        }
    }

    private func tellCounts(_ state: ChannelState, to users: [UserID]) async {
        let counts = MemberCounts(
            channelURL: state.record.url, memberCount: state.counts.members ?? 0,
            joinedMemberCount: state.counts.joinedMembers ?? 0, timestamp: world.now())
        await publisher.publish(.memberCounts([counts]), to: users)
    }

    func get(_ call: GetChannel, for caller: APICaller) async throws(ServerError) -> GroupChannel {
        try await view(call.channelURL, for: caller.userID ?? call.userID, call.extras)
    }

    func view(
        _ url: ChannelURL, for viewer: UserID?, _ extras: ChannelExtras
    ) async throws(ServerError) -> GroupChannel {
        guard
            let state = try await ask(
                try await storage.channelStates([url], viewer: viewer)
            ).first
        else { throw ServerError(.notFound, "There is no such channel.") }
        return try await views(of: [state], for: viewer, extras)[0]
    }

    /// Channels from one user's point of view, or from nobody's, in their order.
    func views(
        of states: [ChannelState], for viewer: UserID?, _ extras: ChannelExtras
    ) async throws(ServerError) -> [GroupChannel] {
        var views: [GroupChannel] = []
        for state in states {
            var view = state.view(for: viewer, extras, at: world.now())
            view.pinnedMessageIDs = try await visible(
                view.pinnedMessageIDs, in: view.url, Sight(beginning: view.messageOffset))
            views.append(view)
        }
        return views
    }

    /// Those of the messages that a viewer can see, in their order.
    func visible(
        _ ids: [MessageID], in url: ChannelURL, _ sight: Sight
    ) async throws(ServerError) -> [MessageID] {
        guard sight != .whole, !ids.isEmpty else { return ids }
        var visible: [MessageID] = []
        for id in ids {
            let position = try await ask(try await storage.position(of: id, in: url))
            if position.map({ sight.shows($0.createdAt) }) ?? false { visible.append(id) }
        }
        return visible
    }

    func update(_ call: UpdateChannel, by caller: APICaller) async throws(ServerError)
        -> GroupChannel
    {
        let url = call.channelURL
        try configuration.limits.check(
            channel: nil,
            ChannelTexts(
                name: call.name, coverURL: call.coverURL, data: call.data,
                customType: call.customType))
        try await setOperators(call.options, url)
        try await changeChannel(url) { record in
            record.name = call.name ?? record.name
            record.coverURL = call.coverURL ?? record.coverURL
            record.data = call.data ?? record.data
            record.customType = call.customType ?? record.customType
            record.isPublic = call.options.isPublic ?? record.isPublic
            record.traits.apply(call.options)
        }
        let members = try await ask(try await storage.memberIDs(of: url))
        let event = ChannelEvent(
            .propertiesChanged, channelURL: url, timestamp: world.now())
        await publisher.publish(.channel(event), to: members)
        return try await view(url, for: caller.userID, ChannelExtras())
    }

    func invite(_ call: InviteMembers, by caller: APICaller) async throws(ServerError)
        -> GroupChannel
    {
        let url = call.channelURL
        let inviter = caller.userID ?? call.inviterID
        var known = try await existing(call.userIDs)
        try await makeRoom(for: known.map(\.id), in: url)
        var states: [MembershipState: [UserID]] = [:]
        for id in known.map(\.id) {
            try stopIfCancelled()
            try await refuseGuest(id, of: inviter, to: url)
            let state = await acceptsInvitations(id) ? MembershipState.joined : .invited
            states[state, default: []].append(id)
        }
        var changed: [UserID] = []
        for state in [MembershipState.joined, .invited] {
            let ids = states[state] ?? []
            changed += try await ask(
                try await storage.addMembers(
                    ids, as: state, inviter: inviter, to: url, now: world.now()))
        }
        if let inviter, let user = try await ask(try await storage.user(inviter)) {
            known.append(user)
        }
        await tellJoined(changed, to: url, inviter: inviter, among: known)
        return try await view(url, for: caller.userID, ChannelExtras())
    }

    /// Lets a user in.
    func join(
        _ id: UserID, _ url: ChannelURL, isAcceptance: Bool
    ) async throws(ServerError) -> GroupChannel {
        try await makeRoom(for: [id], in: url)
        let joined = try await ask(
            try await storage.addMembers(
                [id], as: .joined, inviter: nil, to: url, now: world.now()))
        await tellJoined(
            joined, to: url, inviter: id, among: try await existing([id]),
            isAcceptance: isAcceptance)
        return try await view(url, for: id, ChannelExtras())
    }

    func leave(_ call: LeaveChannel, by caller: APICaller) async throws(ServerError) {
        let url = call.channelURL
        let leavers = caller.userID.map { [$0] } ?? call.userIDs
        for id in leavers {
            try stopIfCancelled()
            try await removeMember(id, from: url)
        }
    }

    private func removeMember(_ id: UserID, from url: ChannelURL) async throws(ServerError) {
        guard let user = try await ask(try await storage.user(id)),
            try await ask(try await storage.removeMember(id, from: url, now: world.now()))
        else { throw ServerError(.notAMember, "Only members of the channel can leave it.") }
        guard let state = try await ask(try await storage.channelStates([url], viewer: nil)).first
        else { return }
        let event = ChannelEvent(
            .left, channelURL: url, timestamp: world.now(), content: .left(user, state.counts))
        let others = state.members.map(\.user.id)
        guard !state.record.countsMembersOnly else {
            await publisher.publish(.channel(event), to: [id])
            return await tellCounts(state, to: others)
        }
        await publisher.publish(.channel(event), to: others + [id])
    }

    /// Refuses newcomers that a channel has no room for.
    private func makeRoom(for ids: [UserID], in url: ChannelURL) async throws(ServerError) {
        let members = Set(try await ask(try await storage.memberIDs(of: url)))
        let limits = configuration.limits
        try limits.check(
            count: members.union(ids).count, "members of a channel", atMost: limits.members)
    }

    /// Refuses more operators than one frame can tell of.
    func check(operators count: Int) throws(ServerError) {
        let limits = configuration.limits
        try limits.check(count: count, "operators of a channel", atMost: limits.operators)
    }

    /// Refuses the invitation of a user who is banned, or of two that block each other.
    private func refuseGuest(
        _ id: UserID, of inviter: UserID?, to url: ChannelURL
    ) async throws(ServerError) {
        let access = try await ask(try await storage.access(to: url, of: id))
        guard access?.traits.ban?.isActive(at: world.now()) != true else {
            throw ServerError(RoostError.Code(400_750), "The user is banned from this channel.")
        }
        guard let inviter else { return }
        let (one, other) = (
            try await ask(try await storage.userRecord(id)),
            try await ask(try await storage.userRecord(inviter))
        )
        if one?.traits.blocked.contains(inviter) == true {
            throw ServerError(RoostError.Code(400_702), "The user has blocked the inviter.")
        }
        if other?.traits.blocked.contains(id) == true {
            throw ServerError(RoostError.Code(400_701), "A blocked user cannot be invited.")
        }
    }

    /// Makes exactly these members operators, where the call names any.
    private func setOperators(
        _ options: ChannelOptions, _ url: ChannelURL
    ) async throws(ServerError) {
        guard let wanted = options.operatorIDs else { return }
        try check(operators: wanted.count)
        let members = try await ask(try await storage.memberRecords(of: url))
        for member in members where member.state != .none {
            let role: Role = wanted.contains(member.user.id) ? .operator : .none
            guard role != member.role else { continue }
            try await ask(
                try await storage.updateMember(member.user.id, of: url, now: world.now()) {
                    $0.role = role
                })
        }
    }
}

extension ChannelRecord {
    /// Whether its members hear how many they are instead of who comes and goes.
    fileprivate var countsMembersOnly: Bool { isSuper || traits.isBroadcast }
}

extension ChannelTraits {
    init(_ options: ChannelOptions) {
        self.init()
        apply(options)
    }

    mutating func apply(_ options: ChannelOptions) {
        isBroadcast = options.isBroadcast ?? isBroadcast
        isExclusive = options.isExclusive ?? isExclusive
        isEphemeral = options.isEphemeral ?? isEphemeral
        isDiscoverable = options.isDiscoverable ?? isDiscoverable
        accessCode = options.accessCode ?? accessCode
        survivalSeconds = options.survivalSeconds ?? survivalSeconds
    }
}
