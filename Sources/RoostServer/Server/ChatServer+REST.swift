// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

extension ChatServer {
    /// Answers one REST call: 200 and an object, or an error the client can read (`protocol.md` 1.3).
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
        counted.calls += 1
        if response.status != 200 { counted.failedCalls += 1 }
        logCall(
            request, response, refusal: response.errorCode?.rawValue,
            took: world.now().milliseconds(since: start))
        return response
    }

    private func answer(_ request: APIRequest, _ headers: RequestHeaders) async -> APIResponse {
        var picture: String?
        do throws(ServerError) {
            try charge(address: headers.peer)
            guard request.body.count <= configuration.limits.bodyBytes else {
                throw ServerError(
                    .valueLength,
                    "A call may have \(configuration.limits.bodyBytes) bytes at most.")
            }
            if let (route, parts) = Route.find(request) {
                let caller = try await caller(headers)
                try await checkKind(request)
                let call: APIRequest
                (call, picture) = try await keepPictures(of: request, at: headers.host)
                let fields = try RequestFields(call, pathParts: parts)
                return try await answer(route, fields, of: caller, at: headers.host)
            }
            let call = try await decode(request, headers)
            if case .refreshSessionKey(let refresh) = call {
                let key = try await renewKey(
                    of: refresh.userID, token: headers.accessToken, from: headers.peer
                ).key
                return RefreshSessionKey.response(.init(sessionKey: key))
            }
            if call == .unlisted { return .empty }
            let caller = try await caller(headers)
            try await checkKind(request)
            let whole: APIRequest
            (whole, picture) = try await keepPictures(of: request, at: headers.host)
            return try await answer(
                whole == request ? call : try APICall(decoding: whole), of: caller)
        } catch {
            // A call that the server could not end may have named it already.
            if let picture, error.code != .internalServerError { await files?.remove(picture) }
            // The socket's number for this is not REST's (`protocol.md` 3.6).
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
            if error.code != .invalidEndpoint { _ = try await caller(headers) }
            throw error
        }
    }

    private func answer(
        _ call: APICall, of caller: Caller
    ) async throws(ServerError) -> APIResponse {
        switch call {
        case .createChannel(let call):
            return CreateChannel.response(try await create(call, by: caller))
        case .getChannel(let call): return GetChannel.response(try await get(call, for: caller))
        case .updateChannel(let call):
            return UpdateChannel.response(try await update(call, by: caller))
        case .inviteMembers(let call):
            return InviteMembers.response(try await invite(call, by: caller))
        case .joinChannel(let call): return JoinChannel.response(try await join(call, by: caller))
        case .leaveChannel(let call):
            try await leave(call, by: caller)
            return .empty
        case .listMyChannels(let call):
            return ListMyChannels.response(try await list(call, for: caller))
        case .channelChangeLog(let call):
            return ChannelChangeLog.response(try await changes(call, for: caller))
        case .createUser(let call): return CreateUser.response(try await make(call, by: caller))
        case .listUsers(let call): return ListUsers.response(try await list(call))
        case .listMessages, .messageChangeLog, .messageGap, .sendMessage, .getMessage,
            .editMessage, .deleteMessage, .markAsRead:
            return try await answerAboutMessages(call, of: caller)
        case .refreshSessionKey, .unlisted:
            preconditionFailure("These calls need no caller and are answered before.")
        }
    }

    private func answerAboutMessages(
        _ call: APICall, of caller: Caller
    ) async throws(ServerError) -> APIResponse {
        switch call {
        // Several questions to the storage make one answer; nothing may change the channel between
        // them, or the answer would claim a stretch that never was whole.
        case .listMessages(let call):
            let page = try await inLane(of: call.channelURL) { () throws(ServerError) in
                var page = try await list(call, for: caller)
                page.messages = try await seen(page.messages, by: caller)
                return page
            }
            return ListMessages.response(page)
        case .messageChangeLog(let call):
            var changes = try await changes(call, for: caller)
            changes.updated = try await seen(changes.updated, by: caller)
            return MessageChangeLog.response(changes)
        case .messageGap(let call):
            let answer = try await inLane(of: call.channelURL) { () throws(ServerError) in
                var answer = try await gap(call, for: caller)
                answer.previous.messages = try await seen(answer.previous.messages, by: caller)
                answer.next.messages = try await seen(answer.next.messages, by: caller)
                return answer
            }
            return MessageGap.response(answer)
        case .sendMessage(let call): return SendMessage.response(try await send(call, by: caller))
        case .getMessage(let call): return GetMessage.response(try await get(call, for: caller))
        case .editMessage(let call):
            return EditMessage.response(try await change(call.edit, by: caller.userID))
        case .deleteMessage(let call):
            try await delete(call, by: caller)
            return .empty
        case .markAsRead(let call):
            guard let id = caller.userID ?? call.userID else {
                throw ServerError(.parameterMissing, "The parameter user_id is missing.")
            }
            guard let first = call.unreadFrom else {
                return MarkAsRead.response(try await markRead(call.channelURL, by: id))
            }
            return MarkAsRead.response(
                try await markUnread(from: first, in: call.channelURL, by: id, call.uniqueID))
        default: preconditionFailure("This call is not about messages: \(call)")
        }
    }

    private func send(_ call: SendMessage, by caller: Caller) async throws(ServerError) -> Message {
        let isAdmin = call.message.content.kind == MessageFilter.Kind.admin.rawValue
        guard caller == .platform || !isAdmin else {
            throw ServerError(.notAuthorized, "Only the platform sends administrators' messages.")
        }
        let sender = caller.userID ?? (isAdmin ? nil : call.userID)
        guard sender != nil || isAdmin else {
            throw ServerError(.parameterMissing, "The parameter user_id is missing.")
        }
        return try await accept(call.message, from: sender)
    }

    private func get(_ call: GetMessage, for caller: Caller) async throws(ServerError) -> Message {
        let offset = try await visibility(of: call.channelURL, for: caller)
        guard
            let message = try await ask(
                try await storage.message(call.messageID, in: call.channelURL)),
            offset.map({ message.createdAt > $0 }) ?? true
        else { throw ServerError(.messageNotFound, "There is no such message.") }
        return try await seen([message], by: caller)[0]
    }

    private func make(
        _ call: CreateUser, by caller: Caller
    ) async throws(ServerError) -> CreateUser.Output {
        guard caller == .platform else {
            throw ServerError(.notAuthorized, "Only the platform makes users.")
        }
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
        try await ask(try await storage.saveUser(user))
        let now = world.now()
        try await change(call.userID) { $0.traits.createdAt = now }
        let token = call.issuesAccessToken ? try await issueAccessToken(for: call.userID) : nil
        return CreateUser.Output(user: user, accessToken: token)
    }

    private func list(_ call: ListUsers) async throws(ServerError) -> ListUsers.Output {
        if let ids = call.userIDs {
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
