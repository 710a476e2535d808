// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostWire

/// The users: creation, profiles, metadata, tokens, blocks and deletion.
struct Users: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let sessions: Sessions
    let logins: Logins
    let memberships: Memberships
    let lanes: ChannelLanes

    /// Answers a call about a user.
    func answer(
        _ action: UserAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .get: return await response(try await existingUser(call.subject), to: call.caller)
        case .update: return try await update(call)
        case .delete:
            try await delete(call.subject)
            return .empty
        case .issueToken:
            _ = try await existingUser(call.subject)
            let (token, end) = try await logins.issueToken(
                for: call.subject, until: call.fields.keptMoment("expires_at"))
            return APIResponse { writer in
                writer.field("token", token)
                writer.field("expires_at", end.milliseconds)
            }
        case .revokeTokens:
            _ = try await existingUser(call.subject)
            try await logins.revoke(call.subject)
            return .empty
        case .addMetadata: return try await changeMetadata(call, adds: true, updates: false)
        case .putMetadata:
            let isUpsert = try call.fields.bool("upsert") ?? false
            return try await changeMetadata(call, adds: isUpsert, updates: true)
        case .getMetadata: return try await metadata(call)
        case .deleteMetadata:
            let key = call.detail
            try await changeUser(call.subject) { record in
                record.user.metadata = record.user.metadata.filter { key != nil && $0.key != key }
            }
            return .empty
        case .listBlocked, .block, .unblock: return try await answerAboutBlocks(action, call)
        }
    }

    /// Creates a user, with a token if the call asks for one.
    ///
    /// - Throws: `.duplicate` if the user exists.
    func create(_ call: CreateUser) async throws(ServerError) -> CreateUser.Output {
        try configuration.limits.check(user: call.userID)
        try configuration.limits.check(name: call.nickname, "The nickname")
        try configuration.limits.check(name: call.profileURL, "The picture's URL")
        try configuration.limits.check(metadata: call.metadata)
        let user = User(
            id: call.userID, nickname: call.nickname, profileURL: call.profileURL,
            metadata: call.metadata)
        try configuration.limits.check(user, since: nil)
        guard try await ask(try await storage.addUser(user)) else {
            throw ServerError(.duplicate, "There is a user with this ID already.")
        }
        let now = world.now()
        try await changeUser(call.userID) { $0.traits.createdAt = now }
        let token =
            call.issuesAccessToken ? try await logins.issueAccessToken(for: call.userID) : nil
        return CreateUser.Output(user: user, accessToken: token)
    }

    /// Returns a page of all users, or the users that the call names.
    func list(_ call: ListUsers) async throws(ServerError) -> ListUsers.Output {
        if let ids = call.query.ids {
            let limits = configuration.limits
            try limits.check(
                count: ids.count, "users in one query", atMost: limits.queriedUsers)
            var users = try await ask(try await storage.users(ids))
            let online = await sessions.onlineAnywhere(among: users.map(\.id))
            for place in users.indices {
                users[place].details.isOnline = online.contains(users[place].id)
            }
            return ListUsers.Output(users: users)
        }
        var place = call.token.isEmpty ? nil : UserID(call.token)
        var page: [User] = []
        // A rare name makes a page short instead of reading all users in one call.
        for _ in 0..<Self.listedPages {
            try stopIfCancelled()
            let users = try await ask(
                try await storage.users(after: place, limit: Self.listedUsers + 1))
            for user in users.prefix(Self.listedUsers) {
                if page.count == call.limit {
                    return ListUsers.Output(users: page, next: place?.rawValue ?? "")
                }
                place = user.id
                if call.query.matches(user) { page.append(user) }
            }
            guard users.count > Self.listedUsers else { return ListUsers.Output(users: page) }
        }
        return ListUsers.Output(users: page, next: place?.rawValue ?? "")
    }

    /// The users that one step of a list reads.
    private static let listedUsers = 100
    /// The steps of one list.
    private static let listedPages = 20

    private func response(
        _ record: UserRecord, to caller: APICaller, token: String? = nil
    ) async -> APIResponse {
        var user = record.user
        user.details.isOnline = await sessions.isOnlineAnywhere(user.id)
        let shown = user
        return APIResponse { writer in
            writer.fields(of: shown)
            guard caller == .platform else { return }
            if let moment = record.traits.createdAt { writer.field("created_at", moment.seconds) }
            writer.field("discovery_keys", record.traits.discoveryKeys)
            if let token { writer.field("access_token", token) }
        }
    }

    private func update(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let fields = call.fields
        let nickname = fields.string("nickname")
        let picture = fields.string("profile_url")
        let languages = try fields.list("preferred_languages")
        try configuration.limits.check(name: nickname, "The nickname")
        try configuration.limits.check(name: picture, "The picture's URL")
        let isPlatform = call.caller == .platform
        let isActive = isPlatform ? try fields.bool("is_active") : nil
        let keys = isPlatform ? try fields.list("discovery_keys") : nil
        let record = try await changeUser(call.subject) { record in
            record.user.nickname = nickname ?? record.user.nickname
            record.user.profileURL = picture ?? record.user.profileURL
            record.user.isActive = isActive ?? record.user.isActive
            if let languages { record.user.details.preferredLanguages = languages }
            record.traits.discoveryKeys = keys ?? record.traits.discoveryKeys
        }
        if isActive == false {
            await sessions.expel(call.subject, Logins.revoked)
            if try fields.bool("leave_all_when_deactivated") ?? false {
                try await memberships.leaveAll(call.subject) { _ in true }
            }
        }
        var token: String?
        if isPlatform, try fields.bool("issue_access_token") ?? false {
            token = try await logins.issueAccessToken(for: call.subject)
        }
        return await response(record, to: call.caller, token: token)
    }

    private func delete(_ id: UserID) async throws(ServerError) {
        let user = try await existingUser(id).user
        guard let urls = try await ask(try await storage.deleteUser(id, now: world.now())) else {
            return
        }
        await sessions.expel(id, Logins.revoked)
        for url in urls {
            try await lanes.inLane(of: url) { () async throws(ServerError) in
                let states = try await ask(
                    try await storage.channelStates([url], viewer: nil, withMembers: false))
                guard let state = states.first else { return }
                try await publisher.publish(in: url, .left, .left(user, state.counts))
            }
        }
    }

    // MARK: Metadata

    private func changeMetadata(
        _ call: RouteCall, adds: Bool, updates: Bool
    ) async throws(ServerError) -> APIResponse {
        let new: [String: String]
        if let key = call.detail {
            new = [key: try call.fields.needed("value")]
        } else {
            new = try call.fields.texts("metadata")
        }
        let known = try await existingUser(call.subject).user.metadata
        if adds, !updates, let key = new.keys.sorted().first(where: { known[$0] != nil }) {
            throw ServerError(.duplicate, "There is metadata of the name \(key) already.")
        }
        let accepted = new.filter { known[$0.key] == nil ? adds : updates }
        try configuration.limits.check(metadata: known.merging(accepted) { $1 })
        try await changeUser(call.subject) { $0.user.metadata.merge(accepted) { $1 } }
        return APIResponse { writer in writer.flat(accepted) }
    }

    private func metadata(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let all = try await existingUser(call.subject).user.metadata
        guard let key = call.detail else { return APIResponse { writer in writer.flat(all) } }
        guard let value = all[key] else {
            throw ServerError(.notFound, "There is no metadata of this name.")
        }
        return APIResponse { writer in writer.field(key, value) }
    }

    // MARK: Blocks

    private func answerAboutBlocks(
        _ action: UserAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let blocker = try await existingUser(call.subject)
        switch action {
        case .block:
            var ids = try call.fields.users("user_ids") ?? []
            if ids.isEmpty { ids = [UserID(try call.fields.needed("target_id"))] }
            var seen: Set<UserID> = [blocker.user.id]
            ids.removeAll { !seen.insert($0).inserted }
            let limits = configuration.limits
            try limits.check(
                count: ids.count, "users in one call", atMost: limits.queriedUsers)
            let wanted = ids
            let users = try await ask(try await storage.users(wanted))
            guard users.count == wanted.count else {
                throw ServerError(.notFound, "There is no such user.")
            }
            let added = Guarded<Set<UserID>>([])
            try await changeUser(blocker.user.id) { record in
                let known = Set(record.traits.blocked)
                let new = wanted.filter { !known.contains($0) }
                record.traits.blocked += new
                // A storage may repeat the step with a newer record, whose outcome counts.
                added.withLock { $0 = Set(new) }
            }
            // Otherwise a blocker could send words to a user who blocks them, again and again.
            for blockee in users where added.withLock({ $0.contains(blockee.id) }) {
                await publishBlock(20_001, blocker.user, blockee)
            }
            return APIResponse { writer in
                if let first = users.first { writer.fields(of: first) }
                writer.users("users", users)
            }
        case .unblock:
            let id = UserID(call.detail ?? "")
            let blockee = try await existingUser(id).user
            let isRemoved = Guarded(false)
            try await changeUser(blocker.user.id) { record in
                let isKnown = record.traits.blocked.contains(id)
                record.traits.blocked.removeAll { $0 == id }
                isRemoved.withLock { $0 = isKnown }
            }
            if isRemoved.withLock({ $0 }) { await publishBlock(20_000, blocker.user, blockee) }
            return .empty
        case .listBlocked where call.fields.string("list") == "blocking_me":
            return try await listBlockers(of: blocker, call)
        default:
            let page = try Page(blocker.traits.blocked, call.fields, \.self)
            let users = try await ask(try await storage.users(page.elements))
            return APIResponse { writer in
                writer.blocked("users", users, Set(page.elements))
                writer.field("next", page.next)
            }
        }
    }

    private func listBlockers(
        of blocked: UserRecord, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let limit = try call.fields.int("limit", in: 1...100) ?? 20
        let start = call.fields.string("token").flatMap { $0.isEmpty ? nil : UserID($0) }
        let users = try await ask(
            try await storage.blockers(of: blocked.user.id, after: start, limit: limit + 1))
        let page = Array(users.prefix(limit))
        return APIResponse { writer in
            writer.blocked("users", page, Set(blocked.traits.blocked))
            writer.field("next", users.count > limit ? page.last?.id.rawValue ?? "" : "")
        }
    }

    private func publishBlock(_ category: Int, _ blocker: User, _ blockee: User) async {
        var data = JSONWriter()
        data.object { writer in
            writer.name("blocker")
            writer.user(blocker)
            writer.name("blockee")
            writer.user(blockee)
        }
        await publisher.publish(
            .user(category: category, data: data.text), to: [blocker.id, blockee.id])
    }
}

extension JSONWriter {
    /// Writes users, and marks those whom the viewer blocks.
    fileprivate mutating func blocked(_ name: String, _ users: [User], _ blocked: Set<UserID>) {
        array(name) { writer in
            for user in users {
                writer.object { writer in
                    writer.fields(of: user)
                    if blocked.contains(user.id) { writer.field("is_blocked_by_me", true) }
                }
            }
        }
    }

    /// Writes the entries of a dictionary as fields, in order.
    mutating func flat(_ texts: [String: String]) {
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { field(name, text) }
    }
}

extension RequestFields {
    /// Returns a dictionary of texts in the body; other values become their JSON.
    func texts(_ name: String) throws(ServerError) -> [String: String] {
        guard case .object(let entries) = value(name) else {
            throw ServerError(.parameterMissing, "The parameter \(name) must be an object.")
        }
        var texts: [String: String] = [:]
        for entry in entries { texts[entry.name] = entry.value.string ?? entry.value.text }
        return texts
    }
}
