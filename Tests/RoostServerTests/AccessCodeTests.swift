// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The secrecy of access codes.
struct AccessCodeTests {
    @Test(arguments: StorageKind.allCases)
    func `an access code is stored as a salted hash and opens its channel`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let scene = try await BudgetScene(storage)
        func make(_ url: String) async throws {
            try await scene.ask(
                "POST", "group_channels",
                #"{"user_ids":["ann"],"operator_ids":["ann"],"channel_url":"\#(url)","is_public":true,"access_code":"the code"}"#,
                as: scene.ann)
        }
        func kept(_ url: ChannelURL) async throws -> KeptSecret? {
            try await storage.access(to: url, of: nil)?.record.traits.accessCode
        }
        try await make("c1")
        try await make("c2")
        let (one, two) = (try #require(try await kept("c1")), try #require(try await kept("c2")))
        #expect(one.salt.utf8.count == 32 && one.hash.utf8.count == 64)
        #expect(one.salt != two.salt && one.hash != two.hash, "each code has a salt of its own")
        #expect(one.hash != TestWorld.digest("the code"))
        func join(_ code: String) async throws -> Int? {
            try await scene.code(
                "PUT", "group_channels/c1/join", #"{"user_id":"bob","access_code":"\#(code)"}"#,
                as: scene.bob)
        }
        for wrong in ["", "The code", "the code ", one.hash, one.salt] {
            #expect(try await join(wrong) == RoostError.Code.notAuthorized.rawValue, "\(wrong)")
        }
        #expect(try await join("the code") == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `an empty access code opens the channel, and another change keeps the code`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let path = "group_channels/g"
        func needsCode(_ body: String) async throws -> JSONValue? {
            try await scene.ask("PUT", path, body, as: scene.ann)["is_access_code_required"]
        }
        #expect(try await needsCode(#"{"is_public":true,"access_code":"1"}"#) == true)
        #expect(try await needsCode(#"{"name":"New"}"#) == true)
        #expect(try await needsCode(#"{"access_code":""}"#) == nil, "a false flag is left out")
        #expect(
            try await scene.code(
                "PUT", path, #"{"access_code":"\#(String(repeating: "1", count: 3_000))"}"#,
                as: scene.ann) == RoostError.Code.valueLength.rawValue)
    }
}
