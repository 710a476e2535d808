// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The metadata of channels, which are texts, and their counters, which are numbers (`docs/protocol` 3.13).
struct ChannelData: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher

    private func record(of url: ChannelURL) async throws(ServerError) -> ChannelRecord {
        guard let access = try await ask(try await storage.access(to: url, of: nil)) else {
            throw ServerError(.notFound, "There is no such channel.")
        }
        return access.record
    }

    /// Answers a call about metadata.
    func answerAboutMetadata(
        _ action: ChannelAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let known = try await record(of: url).traits.metadata
        switch action {
        case .getMetadata:
            let keys = try call.fields.list("keys", "key")
            let wanted = keys.flatMap { $0.allSatisfy(\.isEmpty) ? nil : $0 }
            return try metadataResponse(
                known.filter { wanted?.contains($0.key) ?? true }, call)
        case .deleteMetadata:
            let gone = call.detail.map { [$0] } ?? known.keys.sorted()
            try await changeMetadata(of: url, created: [:], updated: [:], deleted: gone)
            return try call.fields.bool("include_ts") == true
                ? APIResponse { $0.field("ts", world.now().milliseconds) } : .empty
        default:
            let new = try call.fields.texts("metadata")
            let isUpsert = try call.fields.bool("upsert") ?? false
            let adds = action == .addMetadata || isUpsert
            if action == .addMetadata,
                let key = new.keys.sorted().first(where: { known[$0] != nil })
            {
                throw ServerError(
                    .duplicate, "There is metadata of the name \(key) already.")
            }
            let created = new.filter { adds && known[$0.key] == nil }
            let updated = new.filter { known[$0.key] != nil }
            try configuration.limits.check(
                metadata: known.merging(created) { $1 }.merging(updated) { $1 })
            try await changeMetadata(of: url, created: created, updated: updated, deleted: [])
            return try metadataResponse(created.merging(updated) { $1 }, call)
        }
    }

    private func changeMetadata(
        of url: ChannelURL, created: [String: String], updated: [String: String],
        deleted: [String]
    ) async throws(ServerError) {
        guard !created.isEmpty || !updated.isEmpty || !deleted.isEmpty else { return }
        try await changeChannel(url) { record in
            record.traits.metadata.merge(created) { $1 }
            record.traits.metadata.merge(updated) { $1 }
            for key in deleted { record.traits.metadata[key] = nil }
        }
        try await publisher.publish(
            in: url, .metadataChanged,
            .metadata(created: created, updated: updated, deleted: deleted))
    }

    private func metadataResponse(
        _ metadata: [String: String], _ call: RouteCall
    ) throws(ServerError) -> APIResponse {
        let isDated = try call.fields.bool("include_ts") ?? false
        let now = world.now()
        return APIResponse { writer in
            guard isDated else { return writer.flat(metadata) }
            writer.texts("metadata", metadata)
            writer.field("ts", now.milliseconds)
        }
    }

    // MARK: Counters

    /// Answers a call about counters.
    func answerAboutCounters(
        _ action: ChannelAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let known = try await record(of: url).traits.counters
        switch action {
        case .getCounters:
            let keys = try call.fields.list("keys")
            return counterResponse(known.filter { keys?.contains($0.key) ?? true })
        case .deleteCounters:
            let gone = call.detail.map { [$0] } ?? known.keys.sorted()
            try await ask(
                try await storage.updateChannel(url, now: world.now()) { record in
                    for key in gone { record.traits.counters[key] = nil }
                })
            try await publishCounters(url, created: [:], updated: [:], deleted: gone)
            return .empty
        default:
            let new = try counters(call, known)
            let isUpsert = try call.fields.bool("upsert") ?? false
            let adds = action == .addCounters || isUpsert
            let created = new.filter { adds && known[$0.key] == nil }
            let updated = action == .addCounters ? [:] : new.filter { known[$0.key] != nil }
            let accepted = created.merging(updated) { $1 }
            try configuration.limits.check(
                count: known.merging(accepted) { $1 }.count, "counters of a channel",
                atMost: configuration.limits.entries)
            for key in accepted.keys {
                try configuration.limits.check(name: key, "A counter's name")
            }
            try await changeChannel(url) { $0.traits.counters.merge(accepted) { $1 } }
            try await publishCounters(url, created: created, updated: updated, deleted: [])
            return counterResponse(accepted)
        }
    }

    /// Returns the new values of the named counters; the channel's lane is held, so no other call
    /// counts meanwhile.
    private func counters(
        _ call: RouteCall, _ known: [String: Int64]
    ) throws(ServerError) -> [String: Int64] {
        guard case .object(let entries) = call.fields.value("metacounter") else {
            throw ServerError(.parameterMissing, "The parameter metacounter must be an object.")
        }
        var counters: [String: Int64] = [:]
        for entry in entries {
            guard let number = entry.value.int else {
                throw ServerError(.wrongTypeNumber, "A metacounter must be a whole number.")
            }
            let before = known[entry.name] ?? 0
            let (value, isTooLarge) =
                switch call.fields.string("mode") {
                case "increase": before.addingReportingOverflow(number)
                case "decrease": before.subtractingReportingOverflow(number)
                default: (number, false)
                }
            guard !isTooLarge else {
                throw ServerError(.invalidValue, "The metacounter would become too large.")
            }
            counters[entry.name] = value
        }
        return counters
    }

    private func counterResponse(_ counters: [String: Int64]) -> APIResponse {
        APIResponse { writer in writer.flat(counters) }
    }

    private func publishCounters(
        _ url: ChannelURL, created: [String: Int64], updated: [String: Int64], deleted: [String]
    ) async throws(ServerError) {
        try await publisher.publish(
            in: url, .metaCountersChanged,
            .counters(created: created, updated: updated, deleted: deleted))
    }
}
