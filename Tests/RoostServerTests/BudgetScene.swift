// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire

/// Two members of the channel `g`, with raw calls.
struct BudgetScene {
    let fixture: ServerFixture
    let ann: ServerFixture.Device
    let bob: ServerFixture.Device

    init(
        _ storage: (any Storage)? = nil,
        configure: (inout ChatServer.Configuration) -> Void = { _ in }
    ) async throws {
        fixture = await ServerFixture(storage: storage, configure: configure)
        ann = try await fixture.connect("ann")
        bob = try await fixture.connect("bob")
        try await fixture.call(
            CreateChannel(channelURL: "g", userIDs: ["ann", "bob"], operatorIDs: ["ann"]),
            as: ann)
        _ = (ann.inbox.takeText(), bob.inbox.takeText())
    }

    /// Makes a call as a user, or as the platform for nil.
    func answer(
        _ method: String, _ path: String, _ body: String = "",
        as device: ServerFixture.Device?
    ) async throws -> APIResponse {
        var headers = RequestHeaders(sessionKey: device?.key)
        if device == nil { headers.apiToken = ServerFixture.apiToken }
        let request = try APIRequest(
            method: method, target: "/v3/" + path, body: Array(body.utf8))
        return await fixture.server.respond(to: request, headers: headers)
    }

    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String = "",
        as device: ServerFixture.Device?
    ) async throws -> JSONValue {
        try JSONValue(parsing: try await answer(method, path, body, as: device).body)
    }

    /// Returns the code of a refusal; nil for success.
    func code(
        _ method: String, _ path: String, _ body: String = "",
        as device: ServerFixture.Device?
    ) async throws -> Int? {
        try await answer(method, path, body, as: device).errorCode?.rawValue
    }

    /// Returns the frames of both members, all of them readable for a client.
    func takeFrames() throws -> [String] {
        let frames = ann.inbox.takeText() + bob.inbox.takeText()
        for frame in frames {
            for event in ServerEvent.decodeAll(frame) { _ = try event.get() }
        }
        return frames
    }
}

extension JSONValue {
    /// Returns nested lists.
    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}
