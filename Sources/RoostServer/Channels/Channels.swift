// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The creation, change and deletion of channels.
struct Channels: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let views: ChannelViews
    let memberships: Memberships
    let lanes: ChannelLanes
    let admission: Admission

    /// Creates a channel, or finds the distinct one of the members, and publishes the entries.
    ///
    /// - Throws: A refusal by the limits, or of an invitation; then nothing has changed.
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
        let members = try await memberships.existing(ids, for: caller)
        let maker = caller.userID ?? call.userIDs.first
        let url = call.channelURL ?? ChannelURL("roost_group_channel_" + makeSecret().prefix(16))
        if call.channelURL != nil,
            try await ask(try await storage.access(to: url, of: nil)) != nil
        {
            throw .channelTaken
        }
        let now = world.now()
        let record = ChannelRecord(
            call, url: url, by: maker, code: try kept(call.options.accessCode), at: now)
        try configuration.limits.check(record, since: nil)
        try limits.check(operators: call.operatorIDs.count)
        var new = NewChannel(
            record: record, members: members.map(\.user.id), operators: call.operatorIDs)
        let inviter = members.first { $0.user.id == caller.userID }
        let guests = members.filter { $0.user.id != maker }
        new.inviter = maker
        new.caller = caller.userID
        new.invited = Set(guests.filter { !memberships.joins($0) }.map(\.user.id))
        let refusals = guests.compactMap { guest in
            guest.refusalOfInvitation(by: inviter).map { (guest.user.id, $0) }
        }
        new.barred = Set(refusals.map(\.0))
        if caller != .platform { new.creatorLimit = limits.createdChannels }
        let created = try await create(new, at: now, refusal: refusals.first?.1)
        // An existing distinct channel may have other work on its way.
        await lanes.inLane(of: created.url) {
            await memberships.publishJoined(
                created.joined, to: created.url, inviter: maker, among: members.map(\.user))
        }
        // A caller who was banned after that step does not see the channel.
        if !created.isCreated {
            try await admission.admit(.reader, AccessTarget(channel: created.url), caller)
        }
        let channel = try await views.view(created.url, for: caller.userID, ChannelExtras())
        return CreateChannel.Output(channel: channel, isCreated: created.isCreated)
    }

    /// Returns a channel for its caller.
    func get(_ call: GetChannel, for caller: APICaller) async throws(ServerError) -> GroupChannel {
        try await views.view(call.channelURL, for: caller.userID ?? call.userID, call.extras)
    }

    /// Changes the properties of a channel and publishes that.
    func update(_ call: UpdateChannel, by caller: APICaller) async throws(ServerError)
        -> GroupChannel
    {
        let url = call.channelURL
        try configuration.limits.check(
            channel: nil,
            ChannelTexts(
                name: call.name, coverURL: call.coverURL, data: call.data,
                customType: call.customType))
        // A refused call changes nothing, the operators included.
        try limits.check(operators: call.options.operatorIDs?.count ?? 0)
        let code = try kept(call.options.accessCode)
        try await changeChannel(url) { $0.apply(call, code: code) }
        try await setOperators(call.options, url)
        let members = try await ask(try await storage.memberIDs(of: url))
        let event = ChannelEvent(
            .propertiesChanged, channelURL: url, timestamp: world.now())
        await publisher.publish(.channel(event), to: members)
        return try await views.view(url, for: caller.userID, ChannelExtras())
    }

    /// Returns the stored form of an access code, none for an empty one; nil if the call names no code.
    private func kept(_ code: String?) throws(ServerError) -> KeptSecret?? {
        guard let code else { return nil }
        try limits.check(name: code, "The access code")
        return .some(code.isEmpty ? nil : world.keep(code, as: .accessCode))
    }

    /// Gives exactly the members of a call the role of operator, if it names any.
    private func setOperators(
        _ options: ChannelOptions, _ url: ChannelURL
    ) async throws(ServerError) {
        guard let wanted = options.operatorIDs else { return }
        let before = try await ask(try await storage.operators(of: [url]))[url] ?? []
        for user in before where !wanted.contains(user.id) {
            try await setRole(.none, of: user.id, in: url)
        }
        let named = try await ask(try await storage.memberRecords(of: url, among: wanted))
        for member in named where member.state != .none && member.role != .operator {
            try await setRole(.operator, of: member.user.id, in: url)
        }
    }

    private func setRole(
        _ role: Role, of id: UserID, in url: ChannelURL
    ) async throws(ServerError) {
        try await ask(
            try await storage.updateMember(id, of: url, now: world.now()) { $0.role = role })
    }

    /// Deletes a channel and notifies its members.
    func delete(_ url: ChannelURL) async throws(ServerError) -> APIResponse {
        let members = try await ask(try await storage.memberIDs(of: url))
        guard try await ask(try await storage.deleteChannel(url, now: world.now())) else {
            throw ServerError(.notFound, "There is no such channel.")
        }
        let event = ChannelEvent(.deleted, channelURL: url, timestamp: world.now())
        await publisher.publish(.channel(event), to: members)
        return .empty
    }

    /// Freezes or unfreezes a channel, and publishes that.
    func freeze(_ call: RouteCall) async throws(ServerError) {
        let url = call.channelURL
        guard let isFrozen = try call.fields.bool("freeze") else {
            throw ServerError(.parameterMissing, "The parameter freeze is missing.")
        }
        try await ask(
            try await storage.updateChannel(url, now: world.now()) {
                $0.traits.isFrozen = isFrozen
            })
        try await publisher.publish(in: url, isFrozen ? .frozen : .unfrozen, .frozen(isFrozen))
    }

    /// Answers with a channel for a viewer.
    func response(
        to url: ChannelURL, for viewer: UserID?
    ) async throws(ServerError) -> APIResponse {
        let channel = try await views.view(url, for: viewer, ChannelExtras())
        return APIResponse { writer in writer.fields(of: channel) }
    }
}

extension ChannelRecord {
    /// Makes the record of a new channel; a code of nil is none.
    package init(
        _ call: CreateChannel, url: ChannelURL, by maker: UserID?, code: KeptSecret??,
        at now: Timestamp
    ) {
        var traits = ChannelTraits()
        traits.apply(call.options, code)
        self.init(
            url: url, name: call.name, coverURL: call.coverURL, data: call.data,
            customType: call.customType, createdAt: Timestamp(seconds: now.seconds),
            createdBy: maker, isDistinct: call.isDistinct, isSuper: call.isSuper,
            isPublic: call.isPublic, traits: traits)
    }

    /// Applies a change of properties; a code of nil stays as it is.
    package mutating func apply(_ call: UpdateChannel, code: KeptSecret??) {
        name = call.name ?? name
        coverURL = call.coverURL ?? coverURL
        data = call.data ?? data
        customType = call.customType ?? customType
        isPublic = call.options.isPublic ?? isPublic
        traits.apply(call.options, code)
    }
}

extension ChannelTraits {
    /// Applies the options of a call; a code of nil stays as it is.
    fileprivate mutating func apply(_ options: ChannelOptions, _ code: KeptSecret??) {
        isBroadcast = options.isBroadcast ?? isBroadcast
        isExclusive = options.isExclusive ?? isExclusive
        isEphemeral = options.isEphemeral ?? isEphemeral
        isDiscoverable = options.isDiscoverable ?? isDiscoverable
        accessCode = code ?? accessCode
        survivalSeconds = options.survivalSeconds ?? survivalSeconds
    }
}

extension ServerPart {
    /// Creates a channel in the storage, or finds the distinct one of the members.
    ///
    /// `refusal` is the reason why one of the users cannot be invited.
    func create(
        _ new: NewChannel, at now: Timestamp, refusal: ServerError? = nil
    ) async throws(ServerError) -> CreatedChannel {
        switch try await ask(try await storage.createChannel(new, now: now)) {
        case .done(let created): return created
        case .barred:
            throw refusal ?? ServerError(.notAuthorized, "A user of the call cannot be invited.")
        case .banned:
            throw ServerError(.notAMember, "Only members of the channel may do this.")
        case .tooMany: throw limits.tooManyChannels
        case .taken: throw .channelTaken
        }
    }
}

extension ServerError {
    fileprivate static let channelTaken = ServerError(
        .duplicate, "There is a channel with this URL already.")
}
