// SPDX-License-Identifier: Apache-2.0

package import RoostWire

/// What a server has to say to those who run it: kinds, numbers and places of its own.
///
/// Never what people wrote, nor who they are: no texts, names, IDs, URLs of channels, keys. The one
/// exception is the network address of who is refused, because those who run a server must be able to
/// keep it out.
package struct LogLine: Hashable, Sendable {
    package enum Level: Int, Hashable, Sendable, Comparable {
        /// What a working server does all day.
        case info
        /// Somebody was refused who may mean harm.
        case warning
        /// The server could not do its work.
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
    /// What happened, in one word.
    package let event: String
    package let fields: [JSONValue.Field]

    package init(_ level: Level, _ event: String, _ fields: [JSONValue.Field] = []) {
        self.level = level
        self.event = event
        self.fields = fields
    }

    /// One line of JSON, with when it happened as the caller writes times.
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
        log(response.status >= 500 ? .error : .info, "call", fields)
    }
}
