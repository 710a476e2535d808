// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
package import RoostWire

/// A line for the operators of a server: an event, numbers and places in the server.
///
/// A line has no message text, name, ID, channel URL or key. There are two exceptions: the network
/// address of a refused client, because operators must be able to block it, and the name that a proxy or
/// a client gave to a request.
package struct LogLine: Hashable, Sendable {
    package enum Level: Int, Hashable, Sendable, Comparable {
        /// Each command on its way, by the hash of its request ID.
        case trace
        /// The ordinary work of a server.
        case info
        /// The refusal of a client that may be hostile.
        case warning
        /// A failure of the server.
        case error

        package var name: String {
            switch self {
            case .trace: "trace"
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
    /// Logs a command that was answered or refused, at level `trace`.
    ///
    /// The name of a command is the beginning of the hash of its request ID. Who knows the ID, such as
    /// a user with a complaint, finds the lines of all servers and the row of the message.
    func traceCommand(
        _ command: Frame.Command, _ id: RequestID?, since start: Timestamp, code: Int? = nil
    ) {
        guard world.traces, let name = traceName(id?.rawValue) else { return }
        var fields: [JSONValue.Field] = [
            .init("trace", .string(name)), .init("command", .string(command.rawValue)),
            .init("ms", .int(world.now().milliseconds(since: start))),
        ]
        if let code { fields.append(.init("code", .int(Int64(code)))) }
        log(.trace, "command", fields)
    }

    /// Logs the delivery of a message's first frame to sockets of this server, at level `trace`.
    func traceDelivery(_ notice: Notice, to sockets: Int) {
        guard world.traces,
            // An error ends the search: this frame has no request ID.
            let value = try? JSONValue(parsing: String(notice.frame.dropFirst(4))),
            let name = traceName(value["request_id"]?.string)
        else { return }
        log(
            .trace, "delivered",
            [
                .init("trace", .string(name)),
                .init("command", .string(String(notice.frame.prefix(4)))),
                .init("sockets", .int(Int64(sockets))),
            ])
    }

    private func traceName(_ id: String?) -> String? {
        guard let id, !id.isEmpty else { return nil }
        return String(world.digest(id).prefix(12))
    }

    /// Logs an answered call under the pattern of its path, which names no channel and no user.
    func logCall(
        _ request: APIRequest, _ response: APIResponse, refusal: Int?, took milliseconds: Int64,
        trace: String?
    ) {
        let pattern =
            Route.find(request)?.0.pattern.text ?? APICall.pattern(of: request) ?? "unknown"
        var fields: [JSONValue.Field] = [
            .init("method", .string(request.method.rawValue)), .init("call", .string(pattern)),
            .init("status", .int(Int64(response.status))), .init("ms", .int(milliseconds)),
        ]
        if let refusal { fields.append(.init("code", .int(Int64(refusal)))) }
        if let trace { fields.append(.init("trace", .string(trace))) }
        // A call that ended because its caller had closed the connection is no fault of the server.
        log(response.status >= 500 && !Task.isCancelled ? .error : .info, "call", fields)
    }
}
