// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The content of messages: its composition, edits, deletions, reactions and pins.
struct Messages: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let sessions: Sessions
    let views: ChannelViews

    /// Returns the message of a command, with its sender, mentions and parent, for the log.
    ///
    /// - Throws: A refusal by the limits, or of the parent.
    func compose(
        _ command: MessageCommand, from standing: Standing, to audience: Audience
    ) async throws(ServerError) -> Message {
        let sender = standing.user.map { Sender(user: $0, role: standing.role) }
        let named = command.mention.userIDs
        let mentioned = try await named.isEmpty ? [] : cards(of: named)
        var message = Message(command, from: sender, mentioning: mentioned, at: world.now())
        if audience.room != nil {
            message.unknownFields.keep(.init(name: "channel_type", json: "\"open\""))
        }
        if let parent = command.parentID {
            try message.answer(
                try await ask(try await storage.message(parent, in: command.channelURL)),
                standing.sight)
        }
        try configuration.limits.check(content: message)
        return message
    }

    /// Returns the existing users among the IDs, in the form of mentioned users.
    private func cards(of ids: [UserID]) async throws(ServerError) -> [User] {
        try await ask(try await storage.users(ids)).map(\.card)
    }

    /// Refuses an edit after which the message would be too heavy.
    ///
    /// The channel's lane is held, so the message does not change before the edit does.
    private func check(_ edit: EditCommand, mentioned: [User]) async throws(ServerError) {
        guard
            var message = try await ask(
                try await storage.message(edit.messageID, in: edit.channelURL))
        else { return }
        let before = message.contentWeight
        message.apply(edit, mentioned: mentioned, at: world.now())
        // A message above a bound that was lowered may become lighter.
        guard message.contentWeight > before else { return }
        try configuration.limits.check(content: message)
    }

    /// Edits a message and publishes the edit.
    @discardableResult
    func change(
        _ edit: EditCommand, in session: SessionID? = nil
    ) async throws(ServerError) -> Message {
        try configuration.limits.check(edit)
        let mentioned = try await cards(of: edit.mentionedUserIDs ?? [])
        try await check(edit, mentioned: mentioned)
        let outcome = try await ask(
            try await storage.edit(edit, mentioned: mentioned, now: world.now()))
        let message: Message
        let oldMention: Mention
        switch outcome {
        case .edited(let edited, let mention): (message, oldMention) = (edited, mention)
        case .repeated(let message):
            acknowledge(edit, by: EditEvent(message: message, oldMention: message.mention), session)
            return message
        case .notFound: throw ServerError(.messageNotFound, "There is no such message.")
        }
        let audience = try await publisher.audience(of: edit.channelURL)
        let except = edit.requestID == nil ? nil : session
        await publisher.publish(message, to: audience, except: except) {
            .edited(EditEvent(message: $0, oldMention: oldMention))
        }
        acknowledge(edit, by: EditEvent(message: message, oldMention: oldMention), session)
        return message
    }

    private func acknowledge(_ edit: EditCommand, by event: EditEvent, _ session: SessionID?) {
        guard let session, let requestID = edit.requestID else { return }
        var event = event
        event.acknowledges = requestID
        sessions.send(.edited(event), to: session)
    }

    /// Deletes a message and publishes the deletion.
    func delete(_ call: DeleteMessage) async throws(ServerError) {
        let url = call.channelURL
        let outcome = try await ask(
            try await storage.delete(call.messageID, in: url, now: world.now()))
        guard case .deleted(let message, let parent) = outcome else {
            throw ServerError(.messageNotFound, "There is no such message.")
        }
        let event = DeletionEvent(
            channelURL: url, messageID: call.messageID, timestamp: world.now(),
            messageCreatedAt: message.createdAt, senderID: message.sender?.user.id)
        let audience = try await publisher.audience(of: url)
        await publisher.publish(.deleted(event), about: message.createdAt, to: audience)
        await publisher.publishThread(of: parent, in: url, to: audience)
        let access = try await ask(try await storage.access(to: url, of: nil))
        guard access?.record.traits.pins.contains(call.messageID) == true else { return }
        try await setPins(of: url) { $0.removeAll { $0 == call.messageID } }
    }

    // MARK: Reactions

    private static let reactionKeyLimit = 100

    /// Adds or removes a reaction and publishes that.
    func react(_ call: RouteCall, isAdded: Bool) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let key = try call.fields.needed("reaction")
        guard key.utf8.count <= Self.reactionKeyLimit else {
            throw ServerError(.valueLength, "A reaction's name has at most 100 bytes.")
        }
        let message = try call.standing.namedMessage()
        guard let messageID = message.messageID else { return .empty }
        let change = message.reactionChange(key, by: id, isAdded: isAdded, at: world.now())
        if isAdded, message.details.reactions?.contains(where: { $0.key == key }) != true {
            try configuration.limits.check(
                count: (message.details.reactions?.count ?? 0) + 1,
                "different reactions to a message", atMost: configuration.limits.reactions)
        }
        if isAdded {
            var changed = message
            changed.apply(change)
            try configuration.limits.check(content: changed)
        }
        let now = change.updatedAt
        if !message.isIdle(change) {
            try await ask(
                try await storage.updateMessage(messageID, in: url, now: now) { $0.apply(change) })
            let event = ReactionEvent(channelURL: url, messageID: messageID, change: change)
            await publisher.publish(
                .reaction(event), about: message.createdAt,
                to: try await publisher.audience(of: url))
        }
        return APIResponse { writer in
            writer.field("msg_id", messageID.rawValue)
            writer.field("reaction", key)
            writer.field("user_id", id.rawValue)
            writer.field("operation", isAdded ? "ADD" : "DELETE")
            writer.field("updated_at", now.milliseconds)
        }
    }

    /// Answers with the reactions to the message that the path names.
    func reactions(_ call: RouteCall) throws(ServerError) -> APIResponse {
        let reactions = try call.standing.namedMessage().details.reactions ?? []
        return APIResponse { writer in
            writer.array("reactions") { writer in
                for reaction in reactions {
                    writer.object { writer in
                        writer.field("key", reaction.key)
                        writer.field("user_ids", reaction.userIDs.map(\.rawValue))
                        writer.field("updated_at", reaction.updatedAt.milliseconds)
                    }
                }
            }
        }
    }

    // MARK: Meta arrays

    /// Changes a message's meta arrays as an edit.
    func changeMetaArrays(
        _ action: MessageAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let arrays: [MetaArray]
        if action == .removeMetaArrays {
            arrays = (try call.fields.list("keys") ?? []).map { MetaArray(key: $0, values: []) }
        } else {
            arrays = (call.fields.value("sorted_metaarray")?.array ?? []).compactMap { value in
                guard let key = value["key"]?.string else { return nil }
                let values = value["value"]?.array?.compactMap(\.string) ?? []
                return MetaArray(key: key, values: values)
            }
        }
        guard !arrays.isEmpty else {
            throw ServerError(.parameterMissing, "No meta array is named.")
        }
        let removes = action == .removeMetaArrays || call.fields.string("mode") == "remove"
        let isUpsert = try call.fields.bool("upsert") ?? true
        var edit = EditCommand(
            channelURL: call.channelURL, messageID: try call.fields.pathMessageID(),
            requestID: nil)
        edit.metaArrays = EditCommand.MetaArrayEdit(
            arrays: arrays, mode: removes ? .remove : .add, isUpsert: isUpsert)
        let message = try await change(edit)
        guard action != .removeMetaArrays else { return .empty }
        return APIResponse { writer in
            writer.sortedMetaArrays("sorted_metaarray", message.metaArrays)
        }
    }

    // MARK: Pins

    /// Pins or unpins the message that the path names.
    func pin(_ call: RouteCall, isPinned: Bool) async throws(ServerError) -> APIResponse {
        guard let id = try call.standing.namedMessage().messageID else { return .empty }
        if isPinned {
            try await pin(id, in: call.channelURL)
        } else {
            try await setPins(of: call.channelURL) { $0.removeAll { $0 == id } }
        }
        return .empty
    }

    /// Pins a message; a new pin beyond the limit takes the place of the oldest one.
    func pin(_ id: MessageID, in url: ChannelURL) async throws(ServerError) {
        let limit = limits.pins
        try await setPins(of: url) { pins in
            pins.removeAll { $0 == id }
            pins.insert(id, at: 0)
            pins = Array(pins.prefix(limit))
        }
    }

    /// Changes the pinned messages of a channel, newest pin first, and publishes them.
    func setPins(
        of url: ChannelURL, _ change: @Sendable (inout [MessageID]) -> Void
    ) async throws(ServerError) {
        let record = try await ask(
            try await storage.updateChannel(url, now: world.now()) { change(&$0.traits.pins) })
        let pins = record?.traits.pins ?? []
        // Pins of messages before a member's history are hidden too.
        let readers = try await publisher.audience(of: url).audienceMembers.filter(\.isJoined)
        for share in try await shares(of: pins, in: url, among: readers) {
            let event = ChannelEvent(
                .pinsChanged, channelURL: url, timestamp: world.now(),
                content: .other(data: share.data(at: world.now())))
            await publisher.publish(.channel(event), to: share.readers)
        }
    }

    /// Returns the parts of the pins that members see, each with its members.
    ///
    /// The positions of all pins and each newest message are read once, for any number of members
    /// with histories of their own.
    private func shares(
        of pins: [MessageID], in url: ChannelURL, among readers: [AudienceMember]
    ) async throws(ServerError) -> [PinShare] {
        let groups = Dictionary(grouping: readers, by: \.beginning)
        let isWhole = pins.isEmpty || groups.keys.allSatisfy { $0 == nil }
        let positions: [MessageID: Position] =
            isWhole ? [:] : try await ask(try await storage.positions(of: pins, in: url))
        var newest: [MessageID: Message] = [:]
        var shares: [PinShare] = []
        var places: [PinShare.Key: Int] = [:]
        for (beginning, members) in groups.sorted(by: {
            $0.key ?? .distantPast < $1.key ?? .distantPast
        }) {
            let sight = Sight(beginning: beginning)
            let visible = sight.visible(pins, positions)
            if let id = visible.first, newest[id] == nil {
                newest[id] = await views.message(id, in: url)
            }
            let message = visible.first.flatMap { newest[$0] }
            let shown = message.flatMap(sight.shown)
            let key = PinShare.Key(pins: visible, isWhole: shown == message)
            let place = places[key] ?? shares.count
            if place == shares.count {
                places[key] = place
                shares.append(PinShare(pins: visible, latest: shown))
            }
            shares[place].readers += members.map(\.id)
        }
        return shares
    }
}

/// The part of a channel's pins that some members see.
private struct PinShare {
    /// The pins, and whether the newest message has its preview of the parent.
    struct Key: Hashable {
        let pins: [MessageID]
        let isWhole: Bool
    }

    let pins: [MessageID]
    let latest: Message?
    var readers: [UserID] = []

    init(pins: [MessageID], latest: Message?) {
        self.pins = pins
        self.latest = latest
    }

    /// Returns the data of an event about the pins.
    func data(at now: Timestamp) -> String {
        guard !pins.isEmpty else { return "{}" }
        let message = latest?.withPoll(at: now)
        var data = JSONWriter()
        data.object { writer in
            writer.array("pinned_message_ids") { writer in
                for id in pins { writer.int(id.rawValue) }
            }
            if let message {
                writer.name("latest_pinned_message")
                writer.message(message)
            }
        }
        return data.text
    }
}

// MARK: - Pure parts

extension Message {
    /// Makes the message of a command, for the log.
    package init(
        _ command: MessageCommand, from sender: Sender?, mentioning users: [User],
        at now: Timestamp
    ) {
        self.init(
            delivery: .delivered(0, command.requestID), channelURL: command.channelURL,
            createdAt: now, sender: sender, content: command.content, data: command.data,
            customType: command.customType, metaArrays: command.metaArrays,
            parentID: command.parentID,
            isReplyToChannel: command.parentID != nil && command.isReplyToChannel,
            isSilent: command.isSilent, unknownFields: command.unknownFields)
        setMention(command.mention.kind, users: users)
    }

    /// Makes the message an answer to a parent that its sender sees.
    package mutating func answer(_ parent: Message?, _ sight: Sight) throws(ServerError) {
        guard let parent, sight.shows(parent.createdAt) else {
            throw ServerError(.messageNotFound, "There is no such message to answer.")
        }
        guard parent.parentID == nil else {
            throw ServerError(
                .messageNotFound,
                "A reply cannot be answered. Answer the first message of its thread.")
        }
        details.parentPreview = parent.shownPreview
    }

    /// Returns the change of a reaction of a user.
    ///
    /// Clients compare times, so each change of a key is later than the last. A removal that
    /// changes nothing must not win over an addition in the same millisecond, so it is earlier.
    package func reactionChange(
        _ key: String, by id: UserID, isAdded: Bool, at now: Timestamp
    ) -> ReactionChange {
        let last = details.reactions?.first { $0.key == key }?.updatedAt
        var change = ReactionChange(
            key: key, userID: id, isAdded: isAdded,
            updatedAt: last.map { max(now, $0.advanced(by: 1)) } ?? now)
        if isIdle(change) { change.updatedAt = last ?? now.advanced(by: -1) }
        return change
    }

    /// Returns whether a change removes a reaction that is not there.
    package func isIdle(_ change: ReactionChange) -> Bool {
        let reaction = details.reactions?.first { $0.key == change.key }
        return !change.isAdded && reaction?.userIDs.contains(change.userID) != true
    }

    package mutating func apply(_ change: ReactionChange) {
        details.reactions = (details.reactions ?? []).applying(change)
    }
}
