// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
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
            let counting = try Counting(action, call)
            let outcome = Guarded<Result<Counting.Outcome, ServerError>?>(nil)
            try await changeChannel(url) { [limits] record in
                let result = Result { () throws(ServerError) in
                    try counting.outcome(since: record.traits.counters, limits)
                }
                // A storage may repeat the step with newer counters, whose outcome counts.
                outcome.withLock { $0 = result }
                guard case .success(let change) = result else { return }
                record.traits.counters.merge(change.accepted) { $1 }
            }
            guard let change = try outcome.withLock({ $0 })?.get() else {
                throw ServerError(.notFound, "There is no such channel.")
            }
            try await publishCounters(
                url, created: change.created, updated: change.updated, deleted: [])
            return counterResponse(change.accepted)
        }
    }

    private func counterResponse(_ counters: [String: Int64]) -> APIResponse {
        APIResponse { writer in writer.flat(counters) }
    }

    private func publishCounters(
        _ url: ChannelURL, created: [String: Int64], updated: [String: Int64], deleted: [String]
    ) async throws(ServerError) {
        try await publisher.publish(
            in: url, .metaCountersChanged,
            .counters(created: created, updated: updated, deleted: deleted),
            withInvited: .nothing)
    }
}

/// A change of counters by a call.
///
/// It is applied in the storage's own step: two servers of a cluster may count at once.
private struct Counting: Sendable {
    struct Outcome: Sendable {
        var created: [String: Int64] = [:]
        var updated: [String: Int64] = [:]
        var accepted: [String: Int64] { created.merging(updated) { $1 } }
    }

    private let numbers: [String: Int64]
    private let mode: String?
    private let addsMissing: Bool
    private let changesKnown: Bool

    init(_ action: ChannelAction, _ call: RouteCall) throws(ServerError) {
        guard case .object(let entries) = call.fields.value("metacounter") else {
            throw ServerError(.parameterMissing, "The parameter metacounter must be an object.")
        }
        var numbers: [String: Int64] = [:]
        for entry in entries {
            guard let number = entry.value.int else {
                throw ServerError(.wrongTypeNumber, "A metacounter must be a whole number.")
            }
            numbers[entry.name] = number
        }
        self.numbers = numbers
        mode = call.fields.string("mode")
        let isUpsert = try call.fields.bool("upsert") ?? false
        addsMissing = action == .addCounters || isUpsert
        changesKnown = action != .addCounters
    }

    func outcome(
        since known: [String: Int64], _ limits: ServerLimits
    ) throws(ServerError) -> Outcome {
        var outcome = Outcome()
        for (name, number) in numbers {
            let before = known[name] ?? 0
            let (value, isTooLarge) =
                switch mode {
                case "increase": before.addingReportingOverflow(number)
                case "decrease": before.subtractingReportingOverflow(number)
                default: (number, false)
                }
            guard !isTooLarge else {
                throw ServerError(.invalidValue, "The metacounter would become too large.")
            }
            if known[name] == nil {
                if addsMissing { outcome.created[name] = value }
            } else if changesKnown {
                outcome.updated[name] = value
            }
        }
        try limits.check(
            count: known.merging(outcome.accepted) { $1 }.count, "counters of a channel",
            atMost: limits.entries)
        for name in outcome.accepted.keys { try limits.check(name: name, "A counter's name") }
        return outcome
    }
}
