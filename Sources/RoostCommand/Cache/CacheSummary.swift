// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

/// The contents of a cache, as the answer to the request `cache`.
enum CacheSummary {
    static func json(_ cache: CacheInspection, unsent: OutboxItems) -> JSONValue {
        [
            "bytes": .int(cache.usedBytes), "free_bytes": .int(cache.freeBytes),
            "users": .int(Int64(cache.userCount)),
            "channels": .array(cache.channels.map { channel($0) }),
            "outbox": .array(unsent.items.map { item($0) }),
            "unreadable": .array(
                unsent.damaged.map { unreadable($0, "damaged") }
                    + unsent.newer.map { unreadable($0, "newer") }),
        ]
    }

    private static func channel(_ channel: CacheInspection.Channel) -> JSONValue {
        [
            "url": .string(channel.url.rawValue), "messages": .int(Int64(channel.messageCount)),
            "ranges": .array(
                channel.coverage.ranges.map { stretch(from: $0.lower, to: $0.upper) }),
            "holes": .array(channel.coverage.holes.map { stretch(from: $0.lower, to: $0.upper) }),
        ]
    }

    private static func stretch(from lower: Position, to upper: Position) -> JSONValue {
        ["from": moment(lower), "to": moment(upper)]
    }

    /// Returns the time of a place; null for the start of history, and for its end.
    private static func moment(_ position: Position) -> JSONValue {
        switch position.createdAt {
        case .distantPast, .distantFuture: .null
        default: .int(position.createdAt.milliseconds)
        }
    }

    private static func unreadable(_ id: RequestID, _ reason: String) -> JSONValue {
        ["request_id": .string(id.rawValue), "reason": .string(reason)]
    }

    private static func item(_ item: OutboxItem) -> JSONValue {
        var fields = [
            JSONValue.Field("request_id", .string(item.requestID.rawValue)),
            JSONValue.Field("channel", .string(item.channel.rawValue)),
            JSONValue.Field("created_at", .int(item.createdAt.milliseconds)),
            JSONValue.Field("kind", .string(item.kind)),
            JSONValue.Field("status", .string(item.status.rawValue)),
        ]
        if case .failed(let code) = item.state {
            fields.append(JSONValue.Field("error_code", .int(Int64(code.rawValue))))
        }
        if let target = item.change?.action.target {
            switch target {
            case .delivered(let id): fields.append(JSONValue.Field("message_id", .int(id.rawValue)))
            case .unsent(let id):
                fields.append(JSONValue.Field("target_request_id", .string(id.rawValue)))
            }
        }
        if case .edit(_, let edit)? = item.change?.action, let text = edit.text {
            fields.append(JSONValue.Field("text", .string(text)))
        }
        if let draft = item.draft {
            fields.append(JSONValue.Field("text", .string(draft.text)))
            if let thread = draft.place.thread {
                fields.append(JSONValue.Field("thread", .int(thread.rawValue)))
            }
        }
        if let mark = item.inboxMark {
            fields.append(JSONValue.Field("inbox", .string(mark.inbox)))
            fields.append(
                JSONValue.Field("through", .int(mark.position.createdAt.milliseconds)))
        }
        return .object(fields)
    }
}
