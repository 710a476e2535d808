// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

extension ChatServer {
    /// Answers one REST call: 200 and an object, or an error the client can read (`docs/protocol` 1.3).
    package func respond(
        to request: APIRequest, headers: RequestHeaders
    ) async -> APIResponse {
        let start = world.now()
        var request = request
        if request.isForm, request.form == nil {
            request.form = await receiveForm(of: request, headers)
            request.body = []
        }
        let response = await answer(request, headers)
        // What the call has not kept.
        if case .success(let form)? = request.form {
            for file in form.files { await files?.drop(file.id) }
        }
        telemetry.metrics.calls += 1
        if response.status != 200 { telemetry.metrics.failedCalls += 1 }
        logCall(
            request, response, refusal: response.errorCode?.rawValue,
            took: world.now().milliseconds(since: start))
        return response
    }

    private func answer(_ request: APIRequest, _ headers: RequestHeaders) async -> APIResponse {
        var picture: String?
        do throws(ServerError) {
            try rates.charge(address: headers.peer)
            guard request.body.count <= configuration.limits.bodyBytes else {
                throw ServerError(
                    .valueLength,
                    "A call may have \(configuration.limits.bodyBytes) bytes at most.")
            }
            if let (route, parts) = Route.find(request) {
                let caller = try await logins.caller(headers)
                let call: APIRequest
                (call, picture) = try await keepPictures(of: request, at: headers.host)
                let fields = try RequestFields(call, pathParts: parts)
                return try await answer(
                    route, fields, of: caller, in: kind(of: request), at: headers.host)
            }
            let call = try await decode(request, headers)
            if call.rule.caller == .anybody { return try await answerAnybody(call, headers) }
            let caller = try await logins.caller(headers)
            let whole: APIRequest
            (whole, picture) = try await keepPictures(of: request, at: headers.host)
            return try await answer(
                whole == request ? call : try APICall(decoding: whole), of: caller,
                in: kind(of: request))
        } catch {
            // A call that the server could not end may have named it already.
            if let picture, error.code != .internalServerError { await files?.remove(picture) }
            // The socket's number for this is not REST's (`docs/protocol` 3.6).
            return APIResponse(
                error.code == .channelNotFound ? ServerError(.notFound, error.message) : error)
        }
    }

    /// Reads a call; what is wrong with it is told to nobody who may not ask.
    private func decode(
        _ request: APIRequest, _ headers: RequestHeaders
    ) async throws(ServerError) -> APICall {
        do throws(ServerError) {
            return try APICall(decoding: request)
        } catch {
            if error.code != .invalidEndpoint { _ = try await logins.caller(headers) }
            throw error
        }
    }

    /// Answers a call that proves itself or has no answer.
    private func answerAnybody(
        _ call: APICall, _ headers: RequestHeaders
    ) async throws(ServerError) -> APIResponse {
        guard case .refreshSessionKey(let refresh) = call else { return .empty }
        let key = try await logins.renewKey(
            of: refresh.userID, token: headers.accessToken, from: headers.peer
        ).key
        return RefreshSessionKey.response(.init(sessionKey: key))
    }

    /// The kind of channel that a path says; nil when it names no channel.
    private func kind(of request: APIRequest) -> Bool? {
        let kinds = ["group_channels", "open_channels"]
        guard let place = request.path.prefix(2).firstIndex(where: kinds.contains),
            request.path.count > place + 1
        else { return nil }
        return request.path[place] == "open_channels"
    }

    private func answer(
        _ call: APICall, of caller: APICaller, in isOpen: Bool?
    ) async throws(ServerError) -> APIResponse {
        var target = call.target
        target.wantsOpenChannel = isOpen
        return try await admission.admitted(call.rule, target, caller) {
            standing throws(ServerError) in
            try await answer(call, standing)
        }
    }

    private func answer(
        _ call: APICall, _ standing: Standing
    ) async throws(ServerError) -> APIResponse {
        let caller = standing.caller
        switch call {
        case .createChannel(let call):
            return CreateChannel.response(try await create(call, by: caller))
        case .getChannel(let call): return GetChannel.response(try await get(call, for: caller))
        case .updateChannel(let call):
            return UpdateChannel.response(try await update(call, by: caller))
        case .inviteMembers(let call):
            return InviteMembers.response(try await invite(call, by: caller))
        case .joinChannel(let call):
            return JoinChannel.response(
                try await join(
                    try standing.namedActor(), call.channelURL,
                    isAcceptance: standing.access?.state == .invited))
        case .leaveChannel(let call):
            try await leave(call, by: caller)
            return .empty
        case .listMyChannels(let call): return ListMyChannels.response(try await list(call))
        case .channelChangeLog(let call): return ChannelChangeLog.response(try await changes(call))
        case .createUser(let call): return CreateUser.response(try await make(call))
        case .listUsers(let call): return ListUsers.response(try await list(call))
        case .listMessages, .messageChangeLog, .messageGap, .sendMessage, .getMessage,
            .editMessage, .deleteMessage, .markAsRead:
            return try await answerAboutMessages(call, standing)
        case .refreshSessionKey, .unlisted:
            preconditionFailure("These calls need no caller and are answered before.")
        }
    }

    private func answerAboutMessages(
        _ call: APICall, _ standing: Standing
    ) async throws(ServerError) -> APIResponse {
        switch call {
        case .listMessages(let call):
            var page = try await list(call, standing.sight)
            page.messages = try await seen(page.messages, standing)
            return ListMessages.response(page)
        case .messageChangeLog(let call):
            var changes = try await changes(call, standing.sight)
            changes.updated = try await seen(changes.updated, standing)
            return MessageChangeLog.response(changes)
        case .messageGap(let call):
            var answer = try await gap(call, standing.sight)
            answer.previous.messages = try await seen(answer.previous.messages, standing)
            answer.next.messages = try await seen(answer.next.messages, standing)
            return MessageGap.response(answer)
        case .sendMessage(let call):
            return SendMessage.response(try await send(call, by: standing.caller))
        case .getMessage:
            return GetMessage.response(
                try await seen(try standing.namedMessage(), standing))
        case .editMessage(let call):
            return EditMessage.response(try await seen(try await change(call.edit), standing))
        case .deleteMessage(let call):
            try await delete(call)
            return .empty
        case .markAsRead(let call):
            let id = try standing.namedActor()
            try configuration.limits.check(name: call.uniqueID, "The unique ID")
            guard call.unreadFrom != nil else {
                return MarkAsRead.response(try await markRead(call.channelURL, by: id))
            }
            return MarkAsRead.response(
                try await markUnread(
                    from: try standing.namedMessage(), in: call.channelURL, by: id, call.uniqueID))
        default: preconditionFailure("This call is not about messages: \(call)")
        }
    }

    private func send(_ call: SendMessage, by caller: APICaller) async throws(ServerError)
        -> Message
    {
        let rule = APICall.sendMessage(call).rule
        let sender = rule.actor == .named ? caller.userID ?? call.userID : nil
        return try await accept(call.message, rule, of: caller, from: sender)
    }

    private func make(_ call: CreateUser) async throws(ServerError) -> CreateUser.Output {
        guard try await ask(try await storage.user(call.userID)) == nil else {
            throw ServerError(.duplicate, "There is a user with this ID already.")
        }
        try configuration.limits.check(user: call.userID)
        try configuration.limits.check(name: call.nickname, "The nickname")
        try configuration.limits.check(name: call.profileURL, "The picture's URL")
        try configuration.limits.check(metadata: call.metadata)
        let user = User(
            id: call.userID, nickname: call.nickname, profileURL: call.profileURL,
            metadata: call.metadata)
        try configuration.limits.check(user, since: nil)
        try await ask(try await storage.saveUser(user))
        let now = world.now()
        try await changeUser(call.userID) { $0.traits.createdAt = now }
        let token =
            call.issuesAccessToken ? try await logins.issueAccessToken(for: call.userID) : nil
        return CreateUser.Output(user: user, accessToken: token)
    }

    private func list(_ call: ListUsers) async throws(ServerError) -> ListUsers.Output {
        if let ids = call.userIDs {
            let limits = configuration.limits
            try limits.check(
                count: ids.count, "users in one query", atMost: limits.queriedUsers)
            return ListUsers.Output(users: try await ask(try await storage.users(ids)))
        }
        let start = call.token.isEmpty ? nil : UserID(call.token)
        let users = try await ask(
            try await storage.users(after: start, limit: call.limit + 1))
        let page = Array(users.prefix(call.limit))
        return ListUsers.Output(
            users: page, next: users.count > call.limit ? page.last?.id.rawValue ?? "" : "")
    }
}
