// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// A group channel and an open channel, with one caller in one state.
///
/// "host" is the operator of both channels, and "peer" is in both.
struct AccessScene {
    let fixture: ServerFixture
    let who: Who
    let selfID: UserID
    let device: ServerFixture.Device
    let peer: ServerFixture.Device
    private let number: Int
    private var names: [(String, String)] = []

    static let channels: Set<Who> = [
        .nobody, .platform, .member, .chief, .muted, .banned, .late, .frozenMember, .frozenChief,
        .deactivated, .expired,
    ]

    init(
        _ who: Who, _ fixture: ServerFixture, _ host: ServerFixture.Device,
        _ peer: ServerFixture.Device, number: Int
    ) async throws {
        (self.who, self.fixture, self.peer, self.number) = (who, fixture, peer, number)
        selfID = UserID("\(who)\(number)")
        let isInside = Self.channels.contains(who)
        var login: [QueryItem] = []
        if who == .expired {
            _ = try await fixture.connect(selfID)
            let end = fixture.world.now.milliseconds + 1_000
            let token = try await Self.ask(
                fixture, "POST", "users/\(selfID)/token", #"{"expires_at":\#(end)}"#)
            login = [QueryItem("access_token", token["token"]?.string ?? "")]
        }
        device = try await fixture.connect(selfID, extra: login)
        let channel = ChannelURL("g\(who)\(number)")
        let room = ChannelURL("o\(who)\(number)")
        let isChief = who == .chief || who == .frozenChief
        let chiefs = isChief ? ["host", selfID] : ["host"]
        try await fixture.call(
            CreateChannel(
                channelURL: channel, userIDs: ["host", "peer"] + (isInside ? [selfID] : []),
                operatorIDs: chiefs), as: host)
        let operators = chiefs.map { #""\#($0)""# }.joined(separator: ",")
        _ = try await ask(
            "POST", "open_channels", #"{"channel_url":"\#(room)","operator_ids":[\#(operators)]}"#)
        for one in isInside ? [peer, device] : [peer] {
            await fixture.say(.enter(room, "enter"), on: one)
        }
        names = [
            ("CHANNEL", channel.rawValue), ("ROOM", room.rawValue), ("SELF", selfID.rawValue),
            ("OTHER", "peer"),
            ("LATER", String(fixture.world.now.milliseconds + 86_400_000)),
        ]
        let author = isInside ? selfID : "peer"
        names.append(
            ("FOREIGN", try await send(#""user_id":"peer""#, in: "group_channels/CHANNEL")))
        names.append(("WORD", try await send(#""user_id":"peer""#, in: "open_channels/ROOM")))
        let own = #""user_id":"\#(author)""#
        names.append(("MESSAGE", try await send(own, in: "group_channels/CHANNEL")))
        for (name, maker) in [("POLL", author), ("THEIRS", "peer")] {
            names.append((name, try await makePoll(of: maker)))
        }
        for (name, owner) in [("SCHEDULED", author), ("WAITING", "peer")] {
            let scheduled = try await ask(
                "POST", "group_channels/CHANNEL/scheduled_messages",
                #"{"message_type":"MESG","message":"x","scheduled_at":LATER,"user_id":"\#(owner)"}"#
            )
            names.append((name, scheduled["scheduled_message_id"]?.text ?? ""))
        }
        try await take(who)
        _ = device.inbox.takeText()
    }

    /// Brings the caller into the state.
    private func take(_ who: Who) async throws {
        let oneself = #"{"user_id":"SELF"}"#
        for place in ["group_channels/CHANNEL", "open_channels/ROOM"] {
            switch who {
            case .muted: _ = try await ask("POST", place + "/mute", oneself)
            case .banned: _ = try await ask("POST", place + "/ban", oneself)
            case .frozenMember, .frozenChief:
                _ = try await ask("PUT", place + "/freeze", #"{"freeze":true}"#)
            default: break
            }
        }
        switch who {
        case .invited:
            _ = try await ask(
                "PUT", "users/SELF/channel_invitation_preference", #"{"auto_accept":false}"#)
            _ = try await ask(
                "POST", "group_channels/CHANNEL/invite", #"{"user_ids":["SELF"]}"#)
        case .late:
            _ = try await ask("PUT", "group_channels/CHANNEL/reset_user_history", oneself)
        case .deactivated: _ = try await ask("PUT", "users/SELF", #"{"is_active":false}"#)
        case .expired: fixture.world.advance(1_000)
        default: break
        }
    }

    private func send(_ author: String, in place: String) async throws -> String {
        let message = try await ask(
            "POST", place + "/messages", #"{"message_type":"MESG","message":"x",\#(author)}"#)
        return message["message_id"]?.text ?? ""
    }

    private func makePoll(of maker: UserID) async throws -> String {
        let poll = try await ask(
            "POST", "polls",
            #"{"title":"t","options":["a","b"],"allow_user_suggestion":true,"user_id":"\#(maker)"}"#
        )
        let id = poll["id"]?.text ?? ""
        _ = try await ask(
            "POST", "group_channels/CHANNEL/messages",
            #"{"message_type":"MESG","message":"x","user_id":"\#(maker)","poll_id":\#(id)}"#)
        return id
    }

    /// Returns the text with the names of this scene.
    func fill(_ text: String) -> String {
        names.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    func id(_ name: String) -> Int64 { Int64(fill(name)) ?? 0 }

    /// Makes a call of the platform.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
        try await Self.ask(fixture, method, fill(path), fill(body))
    }

    private static func ask(
        _ fixture: ServerFixture, _ method: String, _ path: String, _ body: String
    ) async throws -> JSONValue {
        let request = try APIRequest(
            method: method, target: "/v3/" + path, body: Array(body.utf8))
        let answer = await fixture.server.respond(
            to: request, headers: RequestHeaders(apiToken: ServerFixture.apiToken))
        return try JSONValue(parsing: answer.body)
    }

    /// Returns the code of a refusal of the caller's call; nil for success.
    func code(_ method: String, _ path: String, _ body: String) async throws -> Int64? {
        var headers = RequestHeaders()
        switch who {
        case .nobody: break
        case .platform: headers.apiToken = ServerFixture.apiToken
        default: headers.sessionKey = device.key
        }
        let request = try APIRequest(
            method: method, target: "/v3/" + fill(path), body: Array(fill(body).utf8))
        let answer = await fixture.server.respond(to: request, headers: headers)
        return answer.status == 200 ? nil : try JSONValue(parsing: answer.body)["code"]?.int ?? 0
    }
}
