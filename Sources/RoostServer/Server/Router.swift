// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The REST calls.
///
/// The router decodes each call, has it admitted, and hands it to its owner.
struct Router: ServerPart {
    let context: ServerContext
    let parts: ServerParts

    /// Answers one REST call: 200 and an object, or an error the client can read (`docs/protocol` 1.3).
    func respond(
        to request: APIRequest, headers: RequestHeaders
    ) async -> APIResponse {
        let start = world.now()
        var request = request
        if request.isForm, request.form == nil {
            request.form = await parts.uploads.receiveForm(of: request, headers)
            request.body = []
        }
        let response = await answer(request, headers)
        // Files that the call has not kept end with it.
        if case .success(let form)? = request.form {
            for file in form.files { await context.files?.drop(file.id) }
        }
        parts.telemetry.metrics.calls += 1
        if response.status != 200 { parts.telemetry.metrics.failedCalls += 1 }
        parts.telemetry.note(response.errorCode)
        logCall(
            request, response, refusal: response.errorCode?.rawValue,
            took: world.now().milliseconds(since: start), trace: headers.trace)
        return response
    }

    private func answer(_ request: APIRequest, _ headers: RequestHeaders) async -> APIResponse {
        var kept: (picture: ReceivedForm.File, owner: APICaller)?
        do throws(ServerError) {
            try parts.rates.charge(address: headers.peer)
            guard request.body.count <= configuration.limits.bodyBytes else {
                throw ServerError(
                    .valueLength,
                    "A call may have \(configuration.limits.bodyBytes) bytes at most.")
            }
            if let (route, segments) = Route.find(request) {
                if route.rule.caller == .anybody {
                    return try await parts.logins.logIn(
                        UserID(segments[0]), try RequestFields(request, pathParts: segments),
                        headers)
                }
                let caller = try await parts.logins.caller(of: request, headers)
                let (call, picture) = try await parts.uploads.keepPictures(
                    of: request, by: caller, at: headers.host)
                kept = picture.map { ($0, caller) }
                let fields = try RequestFields(call, pathParts: segments)
                return try await answer(
                    route, fields, of: caller, in: kind(of: request), at: headers.host)
            }
            let call = try await decode(request, headers)
            if call.rule.caller == .anybody { return try await answerAnybody(call, headers) }
            let caller = try await parts.logins.caller(of: request, headers)
            let (whole, picture) = try await parts.uploads.keepPictures(
                of: request, by: caller, at: headers.host)
            kept = picture.map { ($0, caller) }
            return try await answer(
                whole == request ? call : try APICall(decoding: whole), of: caller,
                in: kind(of: request))
        } catch {
            // After a failure of the storage, the outcome is open and may name the picture.
            if let kept, error.code != .internalServerError {
                await parts.uploads.remove(kept.picture, of: kept.owner)
            }
            // REST has another number for this error (`docs/protocol` 3.6).
            return APIResponse(
                error.code == .channelNotFound ? ServerError(.notFound, error.message) : error)
        }
    }

    /// Decodes a call; only an admitted caller learns what is wrong with it.
    private func decode(
        _ request: APIRequest, _ headers: RequestHeaders
    ) async throws(ServerError) -> APICall {
        do throws(ServerError) {
            return try APICall(decoding: request)
        } catch {
            if error.code != .invalidEndpoint {
                _ = try await parts.logins.caller(of: request, headers)
            }
            throw error
        }
    }

    /// Answers a call that needs no credentials or has an empty answer.
    private func answerAnybody(
        _ call: APICall, _ headers: RequestHeaders
    ) async throws(ServerError) -> APIResponse {
        guard case .refreshSessionKey(let refresh) = call else { return .empty }
        let key = try await parts.logins.renewKey(
            of: refresh.userID, token: headers.accessToken, from: headers.peer
        ).key
        return RefreshSessionKey.response(.init(sessionKey: key))
    }

    /// Returns whether a path names an open channel; nil if it names no channel.
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
        try parts.rates.charge(user: caller.userID, naming: call.namedUsers)
        var target = call.target
        target.wantsOpenChannel = isOpen
        return try await parts.admission.admitted(call.rule, target, caller) {
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
            return CreateChannel.response(try await parts.channels.create(call, by: caller))
        case .getChannel(let call):
            return GetChannel.response(try await parts.channels.get(call, for: caller))
        case .updateChannel(let call):
            return UpdateChannel.response(try await parts.channels.update(call, by: caller))
        case .inviteMembers(let call):
            return InviteMembers.response(try await parts.memberships.invite(call, by: caller))
        case .joinChannel(let call):
            return JoinChannel.response(
                try await parts.memberships.join(
                    try standing.namedActor(), call.channelURL, by: caller,
                    isAcceptance: standing.access?.state == .invited))
        case .leaveChannel(let call):
            try await parts.memberships.leave(call, by: caller)
            return .empty
        case .listMyChannels(let call):
            return ListMyChannels.response(try await parts.lists.list(call, for: caller))
        case .channelChangeLog(let call):
            return ChannelChangeLog.response(try await parts.lists.changes(call))
        case .createUser(let call):
            return CreateUser.response(try await parts.users.create(call))
        case .listUsers(let call): return ListUsers.response(try await parts.users.list(call))
        case .listMessages, .messageChangeLog, .messageGap, .sendMessage, .getMessage,
            .editMessage, .deleteMessage, .markAsRead:
            return try await answerAboutMessages(call, standing)
        case .refreshSessionKey, .unlisted:
            preconditionFailure("Calls without a caller are answered earlier.")
        }
    }

    private func answerAboutMessages(
        _ call: APICall, _ standing: Standing
    ) async throws(ServerError) -> APIResponse {
        let history = parts.history
        switch call {
        case .listMessages(let call):
            var page = try await history.list(call, standing)
            page.messages = try await history.seen(page.messages, standing)
            return ListMessages.response(page)
        case .messageChangeLog(let call):
            var changes = try await history.changes(call, standing.sight)
            changes.updated = try await history.seen(changes.updated, standing)
            return MessageChangeLog.response(changes)
        case .messageGap(let call):
            var answer = try await history.gap(call, standing)
            answer.previous.messages = try await history.seen(answer.previous.messages, standing)
            answer.next.messages = try await history.seen(answer.next.messages, standing)
            return MessageGap.response(answer)
        case .sendMessage(let call):
            return SendMessage.response(try await send(call, by: standing.caller))
        case .getMessage:
            return GetMessage.response(
                try await history.seen(try standing.namedMessage(), standing))
        case .editMessage(let call):
            return EditMessage.response(
                try await history.seen(try await parts.messages.change(call.edit), standing))
        case .deleteMessage(let call):
            try await parts.messages.delete(call)
            return .empty
        case .markAsRead(let call):
            let id = try standing.namedActor()
            try configuration.limits.check(name: call.uniqueID, "The unique ID")
            guard call.unreadFrom != nil else {
                return MarkAsRead.response(
                    try await parts.receipts.markRead(call.channelURL, by: id))
            }
            return MarkAsRead.response(
                try await parts.receipts.markUnread(
                    from: try standing.namedMessage(), in: call.channelURL, by: id, call.uniqueID))
        default: preconditionFailure("This call is not about messages: \(call)")
        }
    }

    private func send(_ call: SendMessage, by caller: APICaller) async throws(ServerError)
        -> Message
    {
        let rule = APICall.sendMessage(call).rule
        let sender = rule.actor == .named ? caller.userID ?? call.userID : nil
        return try await parts.logs.accept(call.message, rule, of: caller, from: sender)
    }

    // MARK: Routes

    func answer(
        _ route: Route, _ fields: RequestFields, of caller: APICaller, in isOpen: Bool?,
        at host: String?
    ) async throws(ServerError) -> APIResponse {
        let rule = try route.rule(of: fields)
        // Only an admitted caller learns what is wrong with a call.
        try rule.decideCaller(caller, subject: fields.pathParts.first.map { UserID($0) })
        try parts.rates.charge(user: caller.userID, naming: fields.namedUsers)
        var target = try route.target(fields, rule)
        target.wantsOpenChannel = isOpen
        return try await parts.admission.admitted(rule, target, caller) {
            standing throws(ServerError) in
            try await answer(
                route.action,
                RouteCall(
                    fields: fields, standing: standing, address: parts.uploads.address(host),
                    isAboutUser: route.pattern.text.hasSuffix("users/*")))
        }
    }

    private func answer(
        _ action: Action, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .user(let action): try await parts.users.answer(action, call)
        case .setting(let action): try await parts.settings.answer(action, call)
        case .channel(let action): try await answer(action, call)
        case .moderation(let action): try await parts.moderation.answer(action, call)
        case .message(let action): try await answer(action, call)
        case .openChannel(let action): try await parts.openChannels.answer(action, call)
        case .poll(let action): try await parts.polls.answer(action, call)
        case .scheduled(let action): try await parts.scheduled.answer(action, call)
        case .report: try await parts.reports.report(call)
        case .login: preconditionFailure("Calls without a caller are answered earlier.")
        case .activity(let action): try await parts.activity.answer(action, call)
        case .emoji(let action): try ServerEmoji.answer(action, call)
        case .upload: try await parts.uploads.upload(call)
        }
    }

    private func answer(
        _ action: ChannelAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .list: try await parts.lists.listPublic(call)
        case .delete: try await parts.channels.delete(call.channelURL)
        case .freeze: try await freeze(call)
        case .decline: try await parts.memberships.decline(call)
        case .hide: try await parts.memberships.hide(call)
        case .unhide: try await parts.memberships.unhide(call)
        case .resetHistory: try await parts.memberships.resetHistory(call)
        case .members: try await parts.memberships.list(call)
        case .isMember: try await parts.memberships.isMember(call)
        case .addMetadata, .putMetadata, .getMetadata, .deleteMetadata:
            try await parts.channelData.answerAboutMetadata(action, call)
        case .addCounters, .putCounters, .getCounters, .deleteCounters:
            try await parts.channelData.answerAboutCounters(action, call)
        case .startTyping, .stopTyping:
            try await publishTyping(call, isTyping: action == .startTyping)
        case .purgeOffset: APIResponse { $0.field("message_purge_offset", 0) }
        // Members do not learn of it: no event of the protocol tells them.
        case .screenshot: .empty
        }
    }

    /// Freezes or unfreezes a channel, and answers with the channel.
    private func freeze(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        try await parts.channels.freeze(call)
        let url = call.channelURL
        return call.standing.access?.record.traits.isOpen == true
            ? try await parts.openChannels.response(to: url)
            : try await parts.channels.response(to: url, for: call.caller.userID)
    }

    /// Publishes the typing of users; each of them is admitted as the caller of a call of their
    /// own.
    private func publishTyping(
        _ call: RouteCall, isTyping: Bool
    ) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        for id in try call.fields.users("user_ids") ?? [] {
            let standing = try await parts.admission.admit(
                .typing, AccessTarget(channel: url), .user(id))
            try await parts.receipts.publishTyping(id, in: url, isTyping: isTyping, standing)
        }
        return .empty
    }

    /// Acknowledges a choice about the pushes of a thread, which the server does not send.
    private func acknowledgeThreadPush(_ call: RouteCall) throws(ServerError) -> APIResponse {
        guard try call.fields.bool("push_enabled") != nil else {
            throw ServerError(.parameterMissing, "The parameter push_enabled is missing.")
        }
        return .empty
    }

    private func answer(
        _ action: MessageAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .search: try await parts.search.search(call)
        case .migrate: try await parts.migrations.migrate(call)
        case .count: try await parts.history.count(call)
        case .fingerprints: try await parts.history.fingerprints(call)
        case .delivered: try await parts.receipts.markDelivered(call)
        case .unreadCounts: try await parts.receipts.unreadCounts(call)
        case .react, .unreact:
            try await parts.messages.react(call, isAdded: action == .react)
        case .reactions: try parts.messages.reactions(call)
        case .addMetaArrays, .putMetaArrays, .removeMetaArrays:
            try await parts.messages.changeMetaArrays(action, call)
        case .pin, .unpin: try await parts.messages.pin(call, isPinned: action == .pin)
        case .threadPush: try acknowledgeThreadPush(call)
        }
    }
}

extension APICall {
    /// The number of users whom the call names, besides mentions.
    fileprivate var namedUsers: Int {
        switch self {
        case .createChannel(let call): call.userIDs.count + call.operatorIDs.count
        case .updateChannel(let call): call.options.operatorIDs?.count ?? 0
        case .inviteMembers(let call): call.userIDs.count
        case .listUsers(let call): call.query.ids?.count ?? 0
        default: 0
        }
    }
}

extension RequestFields {
    /// The number of users whom the call of a route names, besides mentions.
    fileprivate var namedUsers: Int {
        // The route refuses a list that cannot be read.
        let lists = [try? list("user_ids"), try? list("operator_ids", "operators")]
        return lists.reduce(0) { $0 + ($1?.count ?? 0) }
    }
}
