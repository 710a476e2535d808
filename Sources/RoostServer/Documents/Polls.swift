// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

enum PollAction: Equatable, Sendable {
    case create, list, get, update, delete, close, vote, voters, changes
    case addOption, getOption, updateOption, deleteOption
}

/// The polls.
///
/// A poll is a document. The message that carries it has a copy with the counts, so every reader of the
/// message and of its change log sees the state of the poll.
struct Polls: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let sessions: Sessions
    let views: ChannelViews
    let admission: Admission

    /// Answers a call about polls.
    func answer(
        _ action: PollAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .create: return try await createPoll(call)
        case .list: return try await listPolls(call)
        case .changes: return try await pollChanges(call)
        case .get: return response(to: try poll(call), for: call)
        case .voters: return try await voters(call)
        case .vote:
            let (document, voter) = (try poll(call), try call.actor())
            let (votes, message) = try await cast(try votedOptions(call), in: document, by: voter)
            return APIResponse { writer in writer.fields(of: votes, in: message) }
        case .addOption:
            let text = try call.fields.needed("text")
            try configuration.limits.check(name: text, "An option")
            let (id, limit) = (try call.actor(), configuration.limits.entries)
            return try await changePoll(call) { poll, now in
                guard poll.options.count < limit else { return false }
                poll.add(text, by: id, at: now)
                return true
            }
        case .getOption:
            let poll = try poll(call).poll(for: call.caller.userID, at: world.now())
            guard let option = poll.options.first(where: { $0.id == call.optionID }) else {
                throw ServerError(.notFound, "There is no such option.")
            }
            return APIResponse { writer in writer.fields(of: option, in: poll.id) }
        case .updateOption:
            let text = try call.fields.needed("text")
            try configuration.limits.check(name: text, "An option")
            return try await changePoll(call) { poll, now in
                guard let index = poll.options.firstIndex(where: { $0.id == call.optionID }) else {
                    return false
                }
                poll.options[index].text = text
                poll.options[index].updatedAt = now
                return true
            }
        case .deleteOption:
            _ = try await changePoll(call) { poll, _ in poll.remove(call.optionID) }
            return .empty
        case .update:
            let (fields, closesAt) = (call.fields, try call.fields.keptSeconds("close_at"))
            let setsClosing = try fields.int64("close_at") != nil
            let several = try fields.bool("allow_multiple_votes")
            let suggestions = try fields.bool("allow_user_suggestion")
            try configuration.limits.check(name: fields.string("title"), "The title")
            try configuration.limits.check(
                text: fields.value("data")?["text"]?.string, "The data")
            return try await changePoll(call) { poll, _ in
                poll.title = fields.string("title") ?? poll.title
                poll.setData(fields)
                poll.allowsMultipleVotes = several ?? poll.allowsMultipleVotes
                poll.allowsSuggestions = suggestions ?? poll.allowsSuggestions
                if setsClosing { poll.closesAt = closesAt }
                return true
            }
        case .close:
            return try await changePoll(call) { poll, _ in
                poll.status = .closed
                return true
            }
        case .delete:
            _ = try await changePoll(call, whileOpen: false) { poll, _ in
                poll.status = .removed
                return true
            }
            return .empty
        }
    }

    /// Returns the options of a vote; only an empty list takes the vote back, not a misspelt one.
    private func votedOptions(_ call: RouteCall) throws(ServerError) -> [PollOptionID] {
        guard let texts = try call.fields.list("option_ids") else {
            throw ServerError(.parameterMissing, "The parameter option_ids is missing.")
        }
        let ids = texts.compactMap { Int64($0) }.map { PollOptionID($0) }
        // A list leaves out elements that are neither text nor number.
        let isWhole = (call.fields.value("option_ids")?.array ?? []).allSatisfy { element in
            element.int != nil || element.string != nil
        }
        guard isWhole, ids.count == texts.count else {
            throw ServerError(.wrongTypeNumber, "Each of option_ids must be a whole number.")
        }
        return ids
    }

    /// Returns the poll of a call.
    private func poll(_ call: RouteCall) throws(ServerError) -> Document {
        guard let document = call.standing.document else {
            throw ServerError(.notFound, "There is no such poll.")
        }
        return document
    }

    private func createPoll(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (fields, id, now) = (call.fields, try call.actor(), world.now())
        let texts = (fields.value("options")?.array ?? []).compactMap { option in
            option.string ?? option["text"]?.string
        }
        guard !texts.isEmpty else {
            throw ServerError(.parameterMissing, "A poll needs options.")
        }
        let limits = configuration.limits
        try limits.check(count: texts.count, "options of a poll", atMost: limits.entries)
        for text in texts { try limits.check(name: text, "An option") }
        var poll = Poll(id: 0)
        poll.title = try fields.needed("title")
        try limits.check(name: poll.title, "The title")
        poll.createdBy = id
        (poll.createdAt, poll.updatedAt) = (now, now)
        poll.allowsMultipleVotes = try fields.bool("allow_multiple_votes") ?? false
        poll.allowsSuggestions = try fields.bool("allow_user_suggestion") ?? false
        poll.closesAt = try fields.keptSeconds("close_at")
        poll.setData(fields)
        try limits.check(text: poll.dataText, "The data")
        for text in texts { poll.add(text, by: id, at: now) }
        try limits.check(poll)
        let count = try await ask(try await storage.documentCount(.poll, of: id))
        try limits.check(count: count + 1, "polls of one user", atMost: limits.createdPolls)
        let draft = Document(.poll, of: id, body: [:]).with(poll, at: now)
        return response(to: try await ask(try await storage.addDocument(draft)), for: call)
    }

    private func voters(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let document = try poll(call)
        let option = call.optionID
        guard document.poll(for: nil, at: world.now()).options.contains(where: { $0.id == option })
        else { throw ServerError(.notFound, "There is no such option.") }
        let ids = document.votes.filter { $0.value.contains(option) }.map(\.key).sorted()
        let page = try Page(ids, call.fields, \.self)
        let users = try await ask(try await storage.users(page.elements))
        return APIResponse { writer in
            writer.users("voters", users)
            writer.field("vote_count", ids.count)
            writer.field("next", page.next)
        }
    }

    /// Changes a poll and publishes it to its channel; a closed one
    /// only if `whileOpen` is false.
    private func changePoll(
        _ call: RouteCall, whileOpen: Bool = true,
        _ change: @escaping @Sendable (inout Poll, Timestamp) -> Bool
    ) async throws(ServerError) -> APIResponse {
        let document = try poll(call)
        let now = world.now()
        let refusal = ServerError(.invalidValue, "The poll does not allow this.")
        let judged = JudgedChange<Document> { document in
            var poll = document.poll(for: nil, at: now)
            guard poll.status == .open || poll.status == .closed && !whileOpen, change(&poll, now)
            else { return }
            poll.updatedAt = now
            document = document.with(poll, at: now)
        } check: { [limits] (outcome, before) throws(ServerError) in
            // Another server may have closed the poll since the admission.
            guard outcome != before else { throw refusal }
            let poll = outcome.poll(for: nil, at: now)
            guard poll.weight > before.poll(for: nil, at: now).weight else { return }
            try limits.check(poll)
        }
        let changed = try await ask(
            try await storage.updateDocument(document.id, .poll) { judged.apply(to: &$0) })
        try judged.confirm()
        guard let changed else { throw refusal }
        let poll = changed.poll(for: nil, at: now)
        if let url = changed.channelURL, let message = poll.messageID {
            try await show(poll, in: message, of: url)
            try await publish(poll, in: url, sentAt: call.standing.pollMoment ?? now)
        }
        return response(to: changed, for: call)
    }

    /// Publishes the state of a poll to the users who see messages of the time of its message.
    func publish(
        _ poll: Poll, in url: ChannelURL, sentAt moment: Timestamp
    ) async throws(ServerError) {
        let event = PollEvent(channelURL: url, messageID: poll.messageID, change: .edited(poll))
        await publisher.publish(
            .poll(event), about: moment, to: try await publisher.audience(of: url))
    }

    private func response(to document: Document, for call: RouteCall) -> APIResponse {
        let poll = document.poll(for: call.caller.userID, at: world.now())
        return APIResponse { writer in writer.fields(of: poll) }
    }

    // MARK: In a channel

    /// Counts the vote of a socket's command.
    func vote(
        _ command: VoteCommand, by id: UserID, in session: SessionID, _ standing: Standing
    ) async throws(ServerError) {
        guard let document = standing.document else { return }
        _ = try await cast(
            command.optionIDs, in: document, by: id, over: session, command.requestID)
    }

    /// Replaces a user's votes.
    ///
    /// The user's sockets get the votes, all other members the counts. The answer leaves before the
    /// next vote counts, so counts arrive in order.
    private func cast(
        _ options: [PollOptionID], in document: Document, by id: UserID,
        over session: SessionID? = nil, _ requestID: RequestID? = nil
    ) async throws(ServerError) -> (PollVotes, MessageID?) {
        guard let url = document.channelURL else {
            throw ServerError(.invalidValue, "The poll is not in a channel yet.")
        }
        let number = document.id
        let now = world.now()
        let wanted = Array(Set(options)).sorted()
        let voters = configuration.limits.voters
        let refusal = ServerError(
            .invalidValue,
            "The poll is closed, has no such options, or has \(voters) voters already.")
        let judged = JudgedChange<Document> { document in
            document.vote(wanted, by: id, at: now)
        } check: { (_, before) throws(ServerError) in
            guard before.allows(wanted, by: id, at: now, atMost: voters) else { throw refusal }
        }
        let changed = try await ask(
            try await storage.updateDocument(number, .poll) { judged.apply(to: &$0) })
        try judged.confirm()
        guard let changed else { throw refusal }
        let poll = changed.poll(for: nil, at: now)
        let own = PollVotes(changed.poll(for: id, at: now), at: now)
        if let message = poll.messageID { try await show(poll, in: message, of: url) }
        let audience = try await publisher.audience(of: url)
        var moment = now
        if let message = poll.messageID {
            moment =
                try await ask(try await storage.position(of: message, in: url))?.createdAt
                ?? now
        }
        var event = PollEvent(
            channelURL: url, messageID: poll.messageID,
            change: .voted(PollVotes(poll, at: now)))
        let except = requestID == nil ? nil : session
        if audience.room == nil {
            let others = audience.readers(of: moment).filter { $0 != id }
            await publisher.publish(.poll(event), to: others)
            event.change = .voted(own)
            await publisher.publish(.poll(event), to: [id], except: except)
        } else {
            // The users in an open channel are known by their sockets only.
            await publisher.publish(.poll(event), to: audience, except: except)
            event.change = .voted(own)
        }
        if let session, let requestID {
            event.acknowledges = requestID
            sessions.send(
                ServerEvent.poll(event).encoded(isOpen: audience.room != nil), to: session)
        }
        return (own, poll.messageID)
    }

    /// The polls in memory at a time with all their votes; each may have thousands of voters.
    static let documentsAtOnce = 5

    /// Returns the messages with the present state of their polls, and with a user's own votes.
    ///
    /// The log has no votes of single users, and it does not change when a poll ends by its time.
    ///
    /// - Parameters:
    ///   - viewer: The user; the platform, which is nil, sees no votes.
    ///   - messages: The messages of the log.
    /// - Returns: The messages in the same order.
    /// - Throws: A failure of the storage.
    func showing(
        votesOf viewer: UserID?, in messages: [Message]
    ) async throws(ServerError) -> [Message] {
        let polls = messages.compactMap { $0.hasNoDetails ? nil : $0.details.poll?.id.rawValue }
        guard !polls.isEmpty else { return messages }
        let now = world.now()
        var known: [PollID: (status: Poll.Status, votes: [PollOptionID])] = [:]
        for start in stride(from: 0, to: polls.count, by: Self.documentsAtOnce) {
            let slice = Array(polls[start...].prefix(Self.documentsAtOnce))
            for document in try await ask(try await storage.documents(.poll, among: slice)) {
                try stopIfCancelled()
                await Task.yield()
                let status = document.ballot.status(at: now)
                known[PollID(document.id)] = (status, viewer.map(document.votes) ?? [])
            }
        }
        return messages.map { message in
            guard !message.hasNoDetails, let id = message.details.poll?.id else { return message }
            var message = message
            if let poll = known[id] { message.details.poll?.status = poll.status }
            guard viewer != nil else { return message }
            message.details.poll?.votedOptionIDs = known[id]?.votes ?? []
            return message
        }
    }

    /// Updates the message that carries a poll.
    ///
    /// Two servers may change a poll at once, and write the message in the other order. So the poll
    /// is read again after the message: the later writer has read both changes.
    func show(
        _ poll: Poll?, in message: MessageID, of url: ChannelURL
    ) async throws(ServerError) {
        var shown = poll
        while true {
            try await ask(
                try await storage.updateMessage(message, in: url, now: world.now()) {
                    [shown] in $0.details.poll = shown
                })
            guard let id = shown?.id else { return }
            let present = try await ask(try await storage.documents(.poll, among: [id.rawValue]))
                .first?.poll(for: nil, at: world.now())
            guard let present, present != shown, present.messageID == message else { return }
            try stopIfCancelled()
            shown = present
        }
    }
}

extension RouteCall {
    /// The option that the path names; 0 when it names none.
    fileprivate var optionID: PollOptionID { PollOptionID(Int64(detail ?? "") ?? 0) }
}
