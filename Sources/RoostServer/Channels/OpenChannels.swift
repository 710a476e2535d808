// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

enum OpenChannelAction: Equatable, Sendable {
    case list, create, get, update, delete, participants
}

/// The open channels: they have no members, and every user may enter and read them.
struct OpenChannels: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let rooms: Rooms
    let sessions: Sessions
    let lists: ChannelLists
    let admission: Admission

    /// Answers a call about open channels.
    func answer(
        _ action: OpenChannelAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .list: return try await list(call)
        case .create: return try await create(call)
        case .get: return try await response(to: call.channelURL)
        case .update: return try await update(call)
        case .delete:
            let url = call.channelURL
            let event = ChannelEvent(.deleted, channelURL: url, timestamp: world.now())
            guard try await ask(try await storage.deleteChannel(url, now: world.now())) else {
                throw ServerError(.notFound, "There is no such channel.")
            }
            await publisher.publish(.channel(event), to: Audience(room: url))
            await publisher.fanOut.tell(.close(url))
            rooms.close(url)
            return .empty
        case .participants:
            return try await participants(call)
        }
    }

    /// Answers with an open channel (`docs/protocol` 4.3).
    func response(to url: ChannelURL) async throws(ServerError) -> APIResponse {
        guard let access = try await ask(try await storage.access(to: url, of: nil)) else {
            throw ServerError(.notFound, "There is no such channel.")
        }
        let operators = try await operators(of: url)
        let count = await rooms.total(in: url)
        return APIResponse { writer in
            writer.openChannel(access.record, operators: operators, participants: count)
        }
    }

    private func participants(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let page = try Page(await rooms.allParticipants(of: url), call.fields, \.self)
        let users = try await ask(try await storage.users(page.elements))
        let now = world.now()
        let muted = Set(
            try await ask(try await storage.memberRecords(of: url, among: page.elements))
                .filter { $0.traits.mute?.isActive(at: now) ?? false }.map(\.user.id))
        return APIResponse { writer in
            writer.array("participants") { writer in
                for user in users {
                    writer.object { writer in
                        writer.fields(of: user)
                        writer.field("is_muted", muted.contains(user.id))
                    }
                }
            }
            writer.field("next", page.next)
        }
    }

    private func operators(of url: ChannelURL) async throws(ServerError) -> [User] {
        try await ask(try await storage.operators(of: [url]))[url] ?? []
    }

    private func list(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let fields = call.fields
        let limit = try fields.int("limit", in: 1...100) ?? 20
        let name = fields.string("name_contains")?.lowercased() ?? ""
        let part = fields.string("url_contains") ?? ""
        let types = try fields.list("custom_types", "custom_type") ?? []
        let urls = Set((try fields.list("channel_urls") ?? []).filter { !$0.isEmpty })
        let showsFrozen = try fields.bool("show_frozen") ?? true
        let (found, end) = try await lists.walk(from: fields.string("token"), limit: limit) {
            record in
            record.traits.isOpen && (showsFrozen || !record.traits.isFrozen)
                && (name.isEmpty || record.name.lowercased().contains(name))
                && (part.isEmpty || record.url.rawValue.contains(part))
                && (types.allSatisfy(\.isEmpty) || types.contains(record.customType))
                && (urls.isEmpty || urls.contains(record.url.rawValue))
        }
        var shown: [(ChannelRecord, [User], Int)] = []
        var budget = AnswerBudget(configuration.limits.answerBytes)
        var last = end
        let totals = await rooms.totals(in: found.map(\.url))
        var rest = found.map(\.url)[...]
        rows: while !rest.isEmpty {
            let slice = Array(rest.prefix(ChannelLists.recordsAtOnce))
            rest = rest.dropFirst(slice.count)
            try stopIfCancelled()
            let operators = try await ask(try await storage.operators(of: slice))
            for record in try await ask(try await storage.channelRecords(slice)) {
                let row = (record, operators[record.url] ?? [], totals[record.url] ?? 0)
                guard budget.take(row.0.weight + row.1.reduce(1_024) { $0 + $1.weight }) else {
                    last = shown.last?.0.url.rawValue ?? end
                    break rows
                }
                shown.append(row)
            }
        }
        let (page, next) = (shown, last)
        return APIResponse { writer in
            writer.array("channels") { writer in
                for (record, operators, count) in page {
                    writer.object { writer in
                        writer.openChannel(record, operators: operators, participants: count)
                    }
                }
            }
            writer.field("next", next)
        }
    }

    private func texts(_ call: RouteCall) throws(ServerError) -> ChannelTexts {
        let fields = call.fields
        let texts = ChannelTexts(
            name: fields.string("name"), coverURL: fields.string("cover_url"),
            data: fields.string("data"), customType: fields.string("custom_type"))
        try configuration.limits.check(
            channel: fields.string("channel_url").map { ChannelURL($0) }, texts)
        return texts
    }

    private func create(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (fields, texts) = (call.fields, try texts(call))
        let wanted = fields.string("channel_url").flatMap { $0.isEmpty ? nil : ChannelURL($0) }
        let url = wanted ?? ChannelURL("roost_open_channel_" + makeSecret().prefix(16))
        let now = world.now()
        var traits = ChannelTraits()
        traits.isOpen = true
        traits.isEphemeral = try fields.bool("is_ephemeral") ?? false
        let record = ChannelRecord(
            url: url, name: texts.name ?? "", coverURL: texts.coverURL ?? "",
            data: texts.data ?? "", customType: texts.customType ?? "",
            createdAt: Timestamp(seconds: now.seconds), createdBy: call.caller.userID,
            traits: traits)
        try configuration.limits.check(record, since: nil)
        let named = try fields.users("operator_ids", "operators") ?? []
        try limits.check(operators: named.count)
        // The creator is the operator unless the call names others.
        let operators = named.isEmpty ? call.caller.userID.map { [$0] } ?? [] : named
        for id in operators { _ = try await existingUser(id) }
        var new = NewChannel(record: record, members: [])
        if call.caller != .platform { new.creatorLimit = limits.createdChannels }
        _ = try await create(new, at: now)
        try await setRoles(operators, to: .operator, in: url)
        return try await response(to: url)
    }

    private func update(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, texts) = (call.channelURL, try texts(call))
        let wanted = try call.fields.users("operator_ids", "operators")
        try limits.check(operators: wanted?.count ?? 0)
        for id in wanted ?? [] { _ = try await existingUser(id) }
        try await changeChannel(url) { record in
            record.name = texts.name ?? record.name
            record.coverURL = texts.coverURL ?? record.coverURL
            record.data = texts.data ?? record.data
            record.customType = texts.customType ?? record.customType
        }
        if let wanted {
            let before = try await operators(of: url).map(\.id)
            try await setRoles(before.filter { !wanted.contains($0) }, to: .none, in: url)
            try await setRoles(wanted, to: .operator, in: url)
            let operators = try await operators(of: url)
            try await publisher.publish(in: url, .operatorsChanged, .operators(operators))
        }
        try await publisher.publish(in: url, .propertiesChanged)
        return try await response(to: url)
    }

    private func setRoles(
        _ ids: [UserID], to role: Role, in url: ChannelURL
    ) async throws(ServerError) {
        for id in ids {
            try await ask(
                try await storage.updateMember(id, of: url, now: world.now()) { $0.role = role })
        }
    }

    // MARK: Sockets

    /// Adds a socket to an open channel, acknowledges the entry, and publishes a new participant.
    func enter(
        _ url: ChannelURL, _ id: UserID, in session: SessionID, _ requestID: RequestID?
    ) async throws(ServerError) {
        guard let user = try await ask(try await storage.user(id)), sessions.isOpen(session)
        else { return }
        let wasInside = rooms.contains(session, in: url)
        let isNew = try rooms.enter(session, of: id, url)
        if !wasInside { try await confirm(url, id, in: session) }
        await answer(isEntry: true, url, requestID, in: session)
        guard isNew, await !rooms.containsElsewhere(id, in: url),
            // The socket may have ended meanwhile, and its exit was published.
            rooms.contains(session, in: url)
        else { return }
        await rooms.publishEntry(user, in: url, except: session)
    }

    /// Refuses a new place in an open channel if another server has banned the user since the
    /// admission, or deleted the channel.
    ///
    /// The lane is that of one server. The other server's order to end the place may have come before
    /// the place began.
    private func confirm(
        _ url: ChannelURL, _ id: UserID, in session: SessionID
    ) async throws(ServerError) {
        guard context.peers != nil else { return }
        do throws(ServerError) {
            try await admission.admit(
                AccessRule(.user, in: .entrant), AccessTarget(channel: url), .user(id))
        } catch {
            rooms.exit(session, url)
            throw error
        }
    }

    /// Removes a socket from an open channel, acknowledges the exit, and publishes the exit of its
    /// user.
    func exit(
        _ url: ChannelURL, _ id: UserID, in session: SessionID, _ requestID: RequestID?
    ) async {
        rooms.exit(session, url)
        await answer(isEntry: false, url, requestID, in: session)
        await rooms.publishExit(id, from: url)
    }

    /// Acknowledges that a socket has entered or left an open channel.
    private func answer(
        isEntry: Bool, _ url: ChannelURL, _ requestID: RequestID?, in session: SessionID
    ) async {
        guard let requestID else { return }
        let answer = RoomAnswer(
            isEntry: isEntry, channelURL: url, participantCount: await rooms.total(in: url),
            timestamp: world.now(), acknowledges: requestID)
        sessions.send(.room(answer), to: session)
    }
}

extension JSONWriter {
    /// Writes an open channel's fields into the object at hand.
    fileprivate mutating func openChannel(
        _ record: ChannelRecord, operators: [User], participants: Int
    ) {
        field("channel_url", record.url.rawValue)
        field("name", record.name)
        field("cover_url", record.coverURL)
        field("data", record.data)
        field("custom_type", record.customType)
        field("created_at", record.createdAt.seconds)
        field("freeze", record.traits.isFrozen)
        field("is_ephemeral", record.traits.isEphemeral)
        field("is_dynamic_partitioned", false)
        field("participant_count", participants)
        field("message_survival_seconds", record.traits.survivalSeconds ?? -1)
        texts("metadata", record.traits.metadata)
        users("operators", operators)
    }
}
