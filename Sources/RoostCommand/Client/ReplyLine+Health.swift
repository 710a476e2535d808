// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

extension JSONValue {
    /// Returns the health of a client, as the request `health` answers it.
    package static func health(
        _ health: Health, at now: Timestamp, showsMetrics: Bool
    ) -> JSONValue {
        var fields = healthFields(health, at: now)
        if showsMetrics {
            let metrics = health.metrics(at: now).map {
                Field($0.name, JSONValue(figure: $0.value))
            }
            fields.append(Field("metrics", .object(metrics)))
        }
        return .object(fields)
    }

    /// Returns the fields of the event `health`.
    package static func healthFields(_ health: Health, at now: Timestamp) -> [Field] {
        [
            Field("summary", .string(health.summary(at: now))),
            Field("settled", .bool(health.isSettled)),
            Field("connection", connection(health.connection)),
            Field("catch_up", catchUp(health.catchUp)), Field("outbox", outbox(health.outbox)),
            Field("cache", cache(health.cache)),
            Field(
                "damage",
                [
                    "repairing": .bool(health.damage.isBeingRepaired),
                    "repairs": .int(Int64(health.damage.repairs)),
                    "lost_messages": .int(Int64(health.damage.lostMessages)),
                ]), Field("suspended", .bool(health.isSuspended)),
        ]
    }

    private static func connection(_ connection: Health.Connection) -> JSONValue {
        [
            "state": .string(connection.state.rawValue), "attempt": .int(Int64(connection.attempt)),
            "next_attempt": moment(connection.nextAttempt), "since": moment(connection.since),
            "error": connection.failure.map { .error($0) } ?? .null,
        ]
    }

    private static func catchUp(_ catchUp: Health.CatchUp) -> JSONValue {
        [
            "channel_list": .string(catchUp.channelList.rawValue),
            "fetched_channels": .int(Int64(catchUp.fetchedChannels)),
            "running": .int(Int64(catchUp.running)), "waiting": .int(Int64(catchUp.waiting)),
            "finished": .int(Int64(catchUp.finished)), "look_ups": .int(Int64(catchUp.lookUps)),
            "downloads": .int(Int64(catchUp.downloads)),
            "next_attempt": moment(catchUp.nextAttempt),
        ]
    }

    private static func outbox(_ outbox: Health.Outbox) -> JSONValue {
        [
            "pending": .int(Int64(outbox.pending)), "failed": .int(Int64(outbox.failed)),
            "oldest": outbox.oldest.map { .unsent($0) } ?? .null,
        ]
    }

    private static func unsent(_ unsent: Health.Unsent) -> JSONValue {
        var fields = [
            Field("request_id", .string(unsent.id.rawValue)),
            Field("channel", .string(unsent.channel.rawValue)),
            Field("is_change", .bool(unsent.isChange)),
            Field("created_at", .int(unsent.createdAt.milliseconds)),
            Field("waits_for", unsent.wait.map { .string($0.name) } ?? .null),
            Field("next_attempt", moment(unsent.wait?.nextAttempt)),
        ]
        switch unsent.wait {
        case .earlier(let id), .arrival(let id):
            fields.append(Field("awaited_request_id", .string(id.rawValue)))
        default: break
        }
        return .object(fields)
    }

    private static func cache(_ cache: Health.Cache) -> JSONValue {
        [
            "bytes": cache.size.map { .int($0.bytes) } ?? .null,
            "limit": cache.limit.map { .int($0.bytes) } ?? .null,
            "channels_with_holes": cache.channelsWithHoles.map { .int(Int64($0)) } ?? .null,
            "pages_from_disk": .int(Int64(cache.pagesFromDisk)),
            "pages_from_server": .int(Int64(cache.pagesFromServer)),
            "error": cache.refusal.map { .error($0) } ?? .null,
        ]
    }

    private static func moment(_ moment: Timestamp?) -> JSONValue {
        moment.map { .int($0.milliseconds) } ?? .null
    }

    /// Makes a number, without a fraction if it is whole.
    private init(figure: Double) {
        self = Int64(exactly: figure).map { .int($0) } ?? .number("\(figure)")
    }
}
