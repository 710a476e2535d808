// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A call of the REST interface, as a server receives it.
package enum APICall: Equatable, Sendable {
    case createChannel(CreateChannel)
    case getChannel(GetChannel)
    case updateChannel(UpdateChannel)
    case inviteMembers(InviteMembers)
    case joinChannel(JoinChannel)
    case leaveChannel(LeaveChannel)
    case listMyChannels(ListMyChannels)
    case channelChangeLog(ChannelChangeLog)
    case listMessages(ListMessages)
    case messageChangeLog(MessageChangeLog)
    case messageGap(MessageGap)
    case sendMessage(SendMessage)
    case getMessage(GetMessage)
    case editMessage(EditMessage)
    case deleteMessage(DeleteMessage)
    case markAsRead(MarkAsRead)
    case createUser(CreateUser)
    case listUsers(ListUsers)
    case refreshSessionKey(RefreshSessionKey)
    /// A call below `/v3/sdk/` without meaning here; every client accepts `{}`.
    case unlisted

    /// Finds the endpoint and decodes its parameters.
    ///
    /// - Throws: `.invalidEndpoint` if there is none; another code for an invalid parameter.
    package init(decoding request: APIRequest) throws(ServerError) {
        for route in Self.routes where route.method == request.method {
            guard let parts = route.pattern.match(request.path) else { continue }
            self = try route.make(RequestFields(request, pathParts: parts))
            return
        }
        guard request.path.first == "sdk" else { throw .invalidEndpoint }
        self = .unlisted
    }

    /// Returns the path pattern that a request matches; nil for none.
    package static func pattern(of request: APIRequest) -> String? {
        routes.first { $0.method == request.method && $0.pattern.match(request.path) != nil }?
            .pattern.text
    }
}

/// A pattern of a path; "*" matches any segment.
package struct PathPattern: Equatable, Sendable {
    private let segments: [Substring]

    package init(_ text: String) { segments = text.split(separator: "/") }

    package var text: String { segments.joined(separator: "/") }

    /// Returns the segments at the places of "*"; nil if the path does not match.
    package func match(_ path: [String]) -> [String]? {
        guard path.count == segments.count else { return nil }
        var parts: [String] = []
        for (segment, expected) in zip(path, segments) {
            if expected == "*" {
                parts.append(segment)
            } else if segment != expected {
                return nil
            }
        }
        return parts
    }
}

/// A pattern of a path with its decoder.
private struct Route: Sendable {
    let method: APIRequest.Method
    let pattern: PathPattern
    let make: @Sendable (RequestFields) throws(ServerError) -> APICall

    init<E: Endpoint>(
        _ method: APIRequest.Method, _ pattern: String, _ type: E.Type,
        _ wrap: @escaping @Sendable (E) -> APICall
    ) {
        self.method = method
        self.pattern = PathPattern(pattern)
        make = { fields throws(ServerError) in wrap(try E(fields)) }
    }
}

extension APICall {
    /// The routes; the first match counts, so fixed words precede "*".
    private static let routes: [Route] = [
        Route(.get, "group_channels/*/messages/changelogs", MessageChangeLog.self) {
            .messageChangeLog($0)
        },
        Route(.put, "group_channels/*/messages/mark_as_read", MarkAsRead.self) { .markAsRead($0) },
        Route(.get, "group_channels/*/messages_gap", MessageGap.self) { .messageGap($0) },
        Route(.get, "group_channels/*/messages", ListMessages.self) { .listMessages($0) },
        Route(.post, "group_channels/*/messages", SendMessage.self) { .sendMessage($0) },
        Route(.get, "group_channels/*/messages/*", GetMessage.self) { .getMessage($0) },
        Route(.put, "group_channels/*/messages/*", EditMessage.self) { .editMessage($0) },
        Route(.delete, "group_channels/*/messages/*", DeleteMessage.self) { .deleteMessage($0) },
        Route(.get, "open_channels/*/messages/changelogs", MessageChangeLog.self) {
            .messageChangeLog($0)
        },
        Route(.get, "open_channels/*/messages", ListMessages.self) { .listMessages($0) },
        Route(.post, "open_channels/*/messages", SendMessage.self) { .sendMessage($0) },
        Route(.get, "open_channels/*/messages/*", GetMessage.self) { .getMessage($0) },
        Route(.put, "open_channels/*/messages/*", EditMessage.self) { .editMessage($0) },
        Route(.delete, "open_channels/*/messages/*", DeleteMessage.self) { .deleteMessage($0) },
        Route(.post, "group_channels", CreateChannel.self) { .createChannel($0) },
        Route(.get, "group_channels/*", GetChannel.self) { .getChannel($0) },
        Route(.get, "sdk/group_channels/*", GetChannel.self) { .getChannel($0) },
        Route(.put, "group_channels/*", UpdateChannel.self) { .updateChannel($0) },
        Route(.post, "group_channels/*/invite", InviteMembers.self) { .inviteMembers($0) },
        Route(.put, "group_channels/*/join", JoinChannel.self) { .joinChannel($0) },
        Route(.put, "group_channels/*/accept", JoinChannel.self) { .joinChannel($0) },
        Route(.put, "group_channels/*/leave", LeaveChannel.self) { .leaveChannel($0) },
        Route(.get, "users/*/my_group_channels/changelogs", ChannelChangeLog.self) {
            .channelChangeLog($0)
        },
        Route(.get, "users/*/my_group_channels", ListMyChannels.self) { .listMyChannels($0) },
        Route(.post, "users", CreateUser.self) { .createUser($0) },
        Route(.get, "users", ListUsers.self) { .listUsers($0) },
        Route(.post, "users/*/session_key", RefreshSessionKey.self) { .refreshSessionKey($0) },
    ]
}
