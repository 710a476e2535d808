// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostWire

/// A call of a client, as far as faults depend on it.
struct ChaosCall: Equatable, Sendable {
    private let request: APIRequest
    /// The session key of the caller; nil for none.
    let key: String?

    /// Reads a call; nil for a request without faults: of the platform, of a browser's preflight,
    /// and all that is not below `/v3/`.
    init?(_ request: HTTPServerRequest) {
        let key = request.headers["Session-Key"].flatMap { $0.isEmpty ? nil : $0 }
        guard key != nil || request.headers["Api-Token"] == nil,
            // An invalid request is refused by the server itself.
            let call = try? APIRequest(method: request.method, target: request.target, body: [])
        else { return nil }
        self.request = call
        self.key = key
    }

    /// Method and path, without the query, for the log.
    var place: String {
        var request = request
        request.query = []
        return request.method.rawValue + " " + request.target
    }

    /// The user whom the path names.
    var pathUser: String? {
        request.path.count > 1 && request.path[0] == "users" ? request.path[1] : nil
    }

    /// Whether the answer contains a new session key of the user in the path.
    var opensSession: Bool {
        request.method == .post && request.path.count == 3 && request.path[0] == "users"
            && ["login", "authentication", "session_key"].contains(request.path[2])
    }

    /// Whether the answer is a page of a list, a log or a history.
    var isPage: Bool {
        request.method == .get && request.query.contains { Self.pageNames.contains($0.name) }
    }

    private static let pageNames: Set<String> = [
        "limit", "token", "change_ts", "prev_limit", "next_limit", "prev_start_ts",
        "next_start_ts",
    ]

    /// Whether the answer names the server's time beside its channels (`docs/protocol` 3.2, 3.10).
    var namesTime: Bool {
        request.method == .get && request.path.count > 2 && request.path[0] == "users"
            && request.path[2] == "my_group_channels"
    }

    /// The limit that may be lowered without a false statement; nil for none.
    ///
    /// A list says by `next` whether more follows, and the newer side of a history by `has_next`,
    /// if the client asks for it. The older side has no such flag: a short one would state the
    /// beginning of the history.
    private var flexibleLimit: (name: String, value: Int)? {
        guard request.method == .get else { return nil }
        if let limit = number("limit"), limit > 1 { return ("limit", min(limit, 100)) }
        guard ["true", "1"].contains(value("checking_has_next")),
            let limit = number("next_limit"), limit > 1
        else { return nil }
        return ("next_limit", min(limit, 200))
    }

    var mayBeShort: Bool { flexibleLimit != nil }

    /// Returns the target of the same call for a shorter page; nil if it cannot be shorter.
    func shortened(draw: UInt64) -> String? {
        guard let limit = flexibleLimit else { return nil }
        let lower = ChaosHarm.cutLimit(of: limit.value, draw: draw)
        var request = request
        request.query.removeAll { $0.name == limit.name }
        request.query.append(QueryItem(limit.name, String(lower)))
        return request.target
    }

    private func value(_ name: String) -> String? {
        request.query.last { $0.name == name }?.value
    }

    private func number(_ name: String) -> Int? { value(name).flatMap { Int($0) } }
}

/// A frame to a client, as far as faults depend on it.
struct ChaosFrame: Equatable, Sendable {
    /// The four letters.
    let command: String
    private let fields: JSONValue

    init(_ text: String) {
        command = String(text.prefix(4))
        // A frame of the server is JSON; another one would have no fields.
        fields = (try? JSONValue(parsing: String(text.dropFirst(4)))) ?? [:]
    }

    /// The command that the frame answers; nil for none.
    var requestID: String? { fields["req_id"]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// The user and the session key of an accepted login.
    var login: (user: String, key: String)? {
        guard command == "LOGI", requestID == nil, let key = fields["key"]?.string,
            let user = fields["user_id"]?.string
        else { return nil }
        return (user, key)
    }

    /// The session key of a renewal.
    var newKey: String? { command == "LOGI" ? fields["new_key"]?.string : nil }

    /// Whether the frame may have faults: not as an answer to a login or a ping, nor as the end of
    /// a socket.
    var mayFail: Bool {
        requestID != nil || !["LOGI", "PONG", "BUSY", "EXPR"].contains(command)
    }

    /// Returns the frame with an earlier time of the login.
    func withLogin(earlierBy step: Int64) -> String? {
        JSONValue.text(of: fields, "login_ts", earlierBy: step).map { command + $0 + "\n" }
    }
}

extension JSONValue {
    /// Returns an object as text with one of its times set back; nil if it has no such time.
    static func text(of value: JSONValue, _ name: String, earlierBy step: Int64) -> String? {
        guard let time = value[name]?.int, time > 0 else { return nil }
        var changed = value
        changed[name] = .int(max(1, time.subtractingReportingOverflow(step).partialValue))
        return changed.text
    }
}
