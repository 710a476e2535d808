// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    func answer(
        _ action: MessageAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .search: return try await search(call)
        case .count:
            let offset = call.standing.sight.beginning
            let total = try await ask(
                try await storage.messageCount(
                    in: call.channelURL, PositionRange().hiding(through: offset),
                    MessageFilter(replyType: .all)))
            return APIResponse { writer in CountMessages.write(total, &writer) }
        case .fingerprints:
            let found = try await fingerprints(
                of: try FingerprintMessages.stretches(call.fields), in: call.channelURL,
                call.standing.sight)
            return APIResponse { writer in FingerprintMessages.write(found, &writer) }
        case .delivered: return try await markDelivered(call)
        case .react, .unreact: return try await react(call, isAdded: action == .react)
        case .reactions:
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
        case .addMetaArrays, .putMetaArrays, .removeMetaArrays:
            return try await changeMetaArrays(action, call)
        case .pin, .unpin:
            let id = try call.standing.namedMessage().messageID
            let limit = configuration.limits.pins
            try await setPins(of: call.channelURL) { pins in
                pins.removeAll { $0 == id }
                if action == .pin, let id { pins.insert(id, at: 0) }
                // Like a board on a wall: for a new note the oldest comes down.
                pins = Array(pins.prefix(limit))
            }
            return .empty
        }
    }

    private func markDelivered(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let moment = try await newestMoment(of: url)
        try await ask(try await storage.markDelivered(url, to: id, at: moment))
        await publisher.publish(
            .delivered(url, [id: moment]), to: try await publisher.audience(of: url).readers)
        return APIResponse { writer in writer.field("ts", moment.milliseconds) }
    }

    // MARK: Reactions

    private static let reactionKeyLimit = 100

    private func react(_ call: RouteCall, isAdded: Bool) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let key = try call.fields.needed("reaction")
        guard key.utf8.count <= Self.reactionKeyLimit else {
            throw ServerError(.valueLength, "A reaction's name has at most 100 bytes.")
        }
        let message = try call.standing.namedMessage()
        guard let messageID = message.messageID else { return .empty }
        // A change of the same key always comes later than the last, as clients compare times.
        let last = message.details.reactions?.first { $0.key == key }?.updatedAt
        if isAdded, last == nil {
            try configuration.limits.check(
                count: (message.details.reactions?.count ?? 0) + 1,
                "different reactions to a message", atMost: configuration.limits.reactions)
        }
        let now =
            last.map { max(world.now(), $0.advanced(by: 1)) }
            ?? world.now()
        let change = ReactionChange(key: key, userID: id, isAdded: isAdded, updatedAt: now)
        if isAdded {
            var changed = message
            changed.details.reactions = (message.details.reactions ?? []).applying(change)
            try configuration.limits.check(content: changed)
        }
        try await ask(
            try await storage.updateMessage(messageID, in: url, now: now) { message in
                let reactions = message.details.reactions ?? []
                message.details.reactions = reactions.applying(change)
            })
        let event = ReactionEvent(channelURL: url, messageID: messageID, change: change)
        await publisher.publish(
            .reaction(event), about: message.createdAt, to: try await publisher.audience(of: url))
        return APIResponse { writer in
            writer.field("msg_id", messageID.rawValue)
            writer.field("reaction", key)
            writer.field("user_id", id.rawValue)
            writer.field("operation", isAdded ? "ADD" : "DELETE")
            writer.field("updated_at", now.milliseconds)
        }
    }

    // MARK: Meta arrays

    private func changeMetaArrays(
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

    /// Changes which messages of a channel are pinned, newest pin first, and tells its readers.
    func setPins(
        of url: ChannelURL, _ change: @Sendable (inout [MessageID]) -> Void
    ) async throws(ServerError) {
        let record = try await ask(
            try await storage.updateChannel(url, now: world.now()) { change(&$0.traits.pins) })
        let pins = record?.traits.pins ?? []
        // Pins of messages before a member's history are hidden with them.
        let readers = try await publisher.audience(of: url).hearers.filter(\.isJoined)
        let beginnings = Dictionary(grouping: readers, by: \.beginning)
        for (beginning, readers) in beginnings.sorted(by: {
            $0.key ?? .distantPast < $1.key ?? .distantPast
        }) {
            let sight = Sight(beginning: beginning)
            let visible = try await visible(pins, in: url, sight)
            let event = ChannelEvent(
                .pinsChanged, channelURL: url, timestamp: world.now(),
                content: .other(data: try await pinData(visible, in: url, sight)))
            await publisher.publish(.channel(event), to: readers.map(\.id))
        }
    }

    private func pinData(
        _ pins: [MessageID], in url: ChannelURL, _ sight: Sight
    ) async throws(ServerError) -> String {
        guard let newest = pins.first else { return "{}" }
        let latest = try await ask(try await storage.message(newest, in: url))
            .flatMap(sight.shown)
        var data = JSONWriter()
        data.object { writer in
            writer.array("pinned_message_ids") { writer in
                for id in pins { writer.int(id.rawValue) }
            }
            if let latest {
                writer.name("latest_pinned_message")
                writer.message(latest)
            }
        }
        return data.text
    }
}
