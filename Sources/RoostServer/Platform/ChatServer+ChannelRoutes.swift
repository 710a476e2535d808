// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    func answer(
        _ action: ChannelAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        if action == .list { return try await listChannels(call) }
        let url = call.channelURL
        switch action {
        case .delete: return try await deleteChannel(url)
        case .decline: return try await decline(call)
        case .hide: return try await hide(call)
        case .unhide:
            let id = try call.actor()
            try await ask(
                try await storage.updateMember(id, of: url, now: world.now()) {
                    $0.hidden = .unhidden
                })
            let event = ChannelEvent(.unhidden, channelURL: url, timestamp: world.now())
            await publisher.publish(.channel(event), to: [id])
            return .empty
        case .freeze: return try await freeze(call)
        case .resetHistory: return try await resetHistory(call)
        case .members: return try await listMembers(call)
        case .isMember: return try await isMember(call)
        case .addMetadata, .putMetadata, .getMetadata, .deleteMetadata:
            return try await answerAboutMetadata(action, call)
        case .addCounters, .putCounters, .getCounters, .deleteCounters:
            return try await answerAboutCounters(action, call)
        case .startTyping, .stopTyping:
            for id in try call.fields.users("user_ids") ?? [] {
                try await admission.admit(.typing, AccessTarget(channel: url), .user(id))
                try await tellTyping(id, in: url, isTyping: action == .startTyping)
            }
            return .empty
        case .list, .purgeOffset:
            return APIResponse { writer in writer.field("message_purge_offset", 0) }
        }
    }

    private func channelResponse(
        _ url: ChannelURL, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let channel = try await view(url, for: call.caller.userID, ChannelExtras())
        return APIResponse { writer in writer.fields(of: channel) }
    }

    /// The platform sees every channel, users those that are public and want to be found.
    private func listChannels(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let filter = try ChannelListFilter(
            call.fields.query.filter { $0.name != "hidden_mode" },
            showsEmpty: try call.fields.bool("show_empty") ?? true)
        let limit = try call.fields.int("limit", in: 1...100) ?? 20
        let extras = try ChannelExtras(call.fields)
        let viewer = call.caller.userID
        let (urls, end) = try await walk(from: call.fields.string("token"), limit: limit) {
            record in
            let isShown = record.isPublic && record.traits.isDiscoverable != false
            return !record.traits.isOpen && (call.caller == .platform || isShown)
                && filter.matches(call.caller == .platform ? record : record.veiled)
        }
        let page = try await views(of: urls, for: viewer, extras) {
            (state) async throws(ServerError) -> Bool in
            guard filter.matches(state.veiled(for: viewer), viewer: viewer) else { return false }
            return try await isShown(state, to: call.caller)
        }
        let next =
            page.count > 0 && page.count < urls.count ? urls[page.count - 1].rawValue : end
        return APIResponse { writer in
            writer.array("channels") { writer in
                for channel in page.channels { writer.groupChannel(channel) }
            }
            writer.field("next", next)
            writer.field("ts", world.now().milliseconds)
        }
    }

    /// Whether a list of channels shows one to a caller: those that the caller may look up.
    private func isShown(
        _ state: ChannelState, to caller: APICaller
    ) async throws(ServerError) -> Bool {
        guard caller != .platform else { return true }
        let access = try await ask(
            try await storage.access(to: state.record.url, of: caller.userID))
        return access?.traits.ban?.isActive(at: world.now()) != true
    }

    /// Walks through all channels by URL, so far that the walk costs one caller's share.
    ///
    /// - Returns: The channels that are wanted, `limit` at most, and the token of the next page: "" after
    ///   the last channel. A page may be short, or empty, and have a next one.
    func walk(
        from token: String?, limit: Int, where isWanted: (ChannelRecord) -> Bool
    ) async throws(ServerError) -> (urls: [ChannelURL], next: String) {
        var after = token.flatMap { $0.isEmpty ? nil : ChannelURL($0) }
        var found: [ChannelURL] = []
        for _ in 0..<Self.walkedPages {
            try stopIfCancelled()
            let start = after
            let page = try await ask(
                try await storage.channels(after: start, limit: Self.walkedPage))
            for record in page where isWanted(record) {
                guard found.count < limit else { return (found, found.last?.rawValue ?? "") }
                found.append(record.url)
            }
            guard page.count == Self.walkedPage, let last = page.last?.url else {
                return (found, "")
            }
            after = last
        }
        return (found, after?.rawValue ?? "")
    }

    private static let walkedPage = 200
    private static let walkedPages = 20

    private func deleteChannel(_ url: ChannelURL) async throws(ServerError) -> APIResponse {
        let members = try await ask(try await storage.memberIDs(of: url))
        guard try await ask(try await storage.deleteChannel(url, now: world.now())) else {
            throw ServerError(.notFound, "There is no such channel.")
        }
        let event = ChannelEvent(.deleted, channelURL: url, timestamp: world.now())
        await publisher.publish(.channel(event), to: members)
        return .empty
    }

    private func decline(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let user = try await existingUser(id).user
        guard try await ask(try await storage.removeMember(id, from: url, now: world.now())),
            let state = try await ask(
                try await storage.channelStates([url], viewer: nil)
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

    private func hide(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let hidesPrevious = try call.fields.bool("hide_previous_messages") ?? false
        let returns = try call.fields.bool("allow_auto_unhide") ?? true
        let isForAll = try call.fields.bool("should_hide_all") ?? false
        let everybody = isForAll && call.caller == .platform
        let ids = everybody ? try await ask(try await storage.memberIDs(of: url)) : [id]
        let moment = try await newestMoment(of: url)
        var offset: Timestamp?
        for id in ids {
            let changed = try await ask(
                try await storage.updateMember(id, of: url, now: world.now()) { member in
                    member.hidden = returns ? .untilNextMessage : .untilShown
                    if hidesPrevious { member.forget(through: moment) }
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

    private func resetHistory(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let everybody = try call.fields.bool("reset_all") ?? false
        let actor = everybody ? nil : try call.actor()
        let ids = try await ask(try await storage.memberIDs(of: url))
        let moment = try await newestMoment(of: url)
        for id in ids where actor == nil || actor == id {
            try await ask(
                try await storage.updateMember(id, of: url, now: world.now()) {
                    $0.forget(through: moment)
                })
            let event = ChannelEvent(
                .propertiesChanged, channelURL: url, timestamp: world.now())
            await publisher.publish(.channel(event), to: [id])
        }
        return APIResponse { writer in
            writer.field("ts_message_offset", moment.milliseconds)
        }
    }

    private func freeze(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        guard let isFrozen = try call.fields.bool("freeze") else {
            throw ServerError(.parameterMissing, "The parameter freeze is missing.")
        }
        try await ask(
            try await storage.updateChannel(url, now: world.now()) {
                $0.traits.isFrozen = isFrozen
            })
        try await publisher.publish(in: url, isFrozen ? .frozen : .unfrozen, .frozen(isFrozen))
        if try await publisher.audience(of: url).room != nil {
            return try await openChannelResponse(url)
        }
        return try await channelResponse(url, call)
    }

    // MARK: Members

    private func listMembers(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let fields = call.fields
        let state = try await ask(
            try await storage.channelStates([call.channelURL], viewer: nil)
        ).first
        let now = world.now()
        let members = (state?.members ?? []).filter { record in
            let isMuted = record.traits.mute?.isActive(at: now) ?? false
            let isRole =
                switch fields.string("operator_filter") {
                case "operator": record.role == .operator
                case "nonoperator": record.role != .operator
                default: true
                }
            let isMute =
                switch fields.string("muted_member_filter") {
                case "muted": isMuted
                case "unmuted": !isMuted
                default: true
                }
            let isState =
                switch fields.string("member_state_filter") {
                case "joined_only": record.state == .joined
                case "invited_only": record.state == .invited
                default: true
                }
            let start = fields.string("nickname_startswith") ?? ""
            return isRole && isMute && isState
                && (start.isEmpty
                    || record.user.nickname.lowercased().hasPrefix(start.lowercased()))
        }
        let operatorsFirst = fields.string("order") == "operator_then_member_alphabetical"
        let places = members.map { record in
            let isFirst = operatorsFirst && record.role == .operator
            return (isFirst ? 0 : 1, record.user.nickname.lowercased(), record.user.id)
        }
        let order = members.indices.sorted { places[$0] < places[$1] }
        let page = try Page(order.map { members[$0] }, fields)
        let reads = try fields.bool("show_read_receipt") ?? false
        let deliveries = try fields.bool("show_delivery_receipt") ?? false
        let shown = page.elements.map { record in
            var member = record.member(at: now)
            if reads { member.readAt = record.lastRead }
            if deliveries { member.deliveredAt = record.deliveredAt }
            return member
        }
        return APIResponse { writer in
            writer.members("members", shown)
            writer.field("next", page.next)
        }
    }

    private func isMember(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let id = UserID(call.detail ?? "")
        let access = try await ask(try await storage.access(to: call.channelURL, of: id))
        let state = access?.state ?? .none
        return APIResponse { writer in
            writer.field("is_member", state == .joined)
            writer.field("state", state.rawValue)
        }
    }
}

extension MemberRecord {
    /// Hides what was said until now, and takes it for read.
    fileprivate mutating func forget(through moment: Timestamp) {
        traits.messageOffset = moment
        lastRead = max(lastRead ?? moment, moment)
    }
}
