// SPDX-License-Identifier: Apache-2.0

package import RoostWire

/// A line for the operators of a server: an event, numbers and places in the server.
///
/// A line has no message text, name, ID, channel URL or key. The one exception is the network
/// address of a refused client, because operators must be able to block it.
package struct LogLine: Hashable, Sendable {
    package enum Level: Int, Hashable, Sendable, Comparable {
        /// The ordinary work of a server.
        case info
        /// The refusal of a client that may be hostile.
        case warning
        /// A failure of the server.
        case error

        package var name: String {
            switch self {
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }

        package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    package let level: Level
    /// The event, in one word.
    package let event: String
    package let fields: [JSONValue.Field]

    package init(_ level: Level, _ event: String, _ fields: [JSONValue.Field] = []) {
        self.level = level
        self.event = event
        self.fields = fields
    }

    /// Returns the line as JSON, with the time of the event as text.
    package func text(at moment: String) -> String {
        JSONValue.object(
            [
                .init("at", .string(moment)), .init("level", .string(level.name)),
                .init("event", .string(event)),
            ] + fields
        ).text
    }
}

extension ServerPart {
    /// Logs an answered call under the pattern of its path, which names no channel and no user.
    func logCall(
        _ request: APIRequest, _ response: APIResponse, refusal: Int?, took milliseconds: Int64
    ) {
        let pattern =
            Route.find(request)?.0.pattern.text ?? APICall.pattern(of: request) ?? "unknown"
        var fields: [JSONValue.Field] = [
            .init("method", .string(request.method.rawValue)), .init("call", .string(pattern)),
            .init("status", .int(Int64(response.status))), .init("ms", .int(milliseconds)),
        ]
        if let refusal { fields.append(.init("code", .int(Int64(refusal)))) }
        // A call that ended because its caller had closed the connection is no fault of the server.
        log(response.status >= 500 && !Task.isCancelled ? .error : .info, "call", fields)
    }
}
