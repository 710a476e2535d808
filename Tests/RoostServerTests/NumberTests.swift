// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// Numbers of any size in every numeric parameter.
struct NumberTests {
    private struct Scene {
        let fixture: ServerFixture
        let ann: ServerFixture.Device

        init(_ kind: StorageKind) async throws {
            fixture = await ServerFixture(storage: try await kind.make())
            ann = try await fixture.connect("ann")
            try await fixture.channel(of: ["ann", "bob"], by: ann)
            await fixture.send("x", "r-1", to: "g", on: ann)
        }

        /// Makes a call as Ann.
        func ask(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
            let request = try APIRequest(
                method: method, target: "/v3/" + path, body: Array(body.utf8))
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: ann.key))
            #expect(answer.status != 500, "\(method) \(path) \(body)")
            return try JSONValue(parsing: answer.body)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a poll's change log answers tokens and times of any size`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let path = "group_channels/g/polls/changelogs?"
        let last = try await scene.ask("GET", path + "token=p9223372036854775807")
        #expect(last["updated"] == [] && last["next"] == "p9223372036854775807")
        let first = try await scene.ask("GET", path + "change_ts=-9223372036854775808")
        #expect(first["updated"] == [] && first["has_more"] == false && first["next"] == "p0")
        #expect(
            try await scene.ask("GET", path + "token=p9223372036854775808")["code"]
                == .int(Int64(RoostError.Code.invalidValue.rawValue)))
    }

    @Test(arguments: StorageKind.allCases)
    func `calls with numbers of any size are answered`(kind: StorageKind) async throws {
        let scene = try await Scene(kind)
        let questions = [
            "group_channels/g/messages?message_ts=#&prev_limit=#&next_limit=#",
            "group_channels/g/messages?message_id=#", "group_channels/g/messages/#",
            "group_channels/g/messages/changelogs?change_ts=#",
            "group_channels/g/messages/changelogs?token=m#",
            "group_channels/g/messages_gap?prev_start_ts=#&prev_end_ts=#&prev_cache_count=#",
            "group_channels/g/messages_gap?next_start_ts=0&next_end_ts=#&next_cache_count=#",
            "group_channels/g/messages/fingerprints?stretches=#.#_#.#",
            "group_channels/g/members?token=#&limit=#", "group_channels/g/ban?token=#",
            "users/ann/my_group_channels?token=#&limit=#",
            "users/ann/my_group_channels?token=[null,#,#,%22g%22]",
            "users/ann/my_group_channels/changelogs?change_ts=#",
            "users/ann/my_group_channels/changelogs?token=c#",
            "users?token=#&limit=#", "polls?token=#", "polls/#", "scheduled_messages?token=#",
            "search/messages?query=x&message_ts_from=#&message_ts_to=#",
            "search/messages?query=x&token=s#", "group_channels/g/polls/changelogs?change_ts=#",
            "group_channels/g/scheduled_messages/#", "open_channels?token=#&limit=#",
            "users/ann/my_group_channels?created_after=#&created_before=#",
        ]
        let changes = [
            ("POST", "polls", #"{"title":"t","options":["a"],"close_at":#}"#),
            ("PUT", "polls/1", #"{"close_at":#}"#),
            ("PUT", "polls/1/vote", #"{"option_ids":[#]}"#),
            (
                "POST", "group_channels/g/messages",
                #"{"message_type":"MESG","message":"x","poll_id":#}"#
            ),
            (
                "POST", "group_channels/g/messages",
                #"{"message_type":"FILE","url":"u","file_size":#,"parent_message_id":#}"#
            ),
            (
                "POST", "group_channels/g/scheduled_messages",
                #"{"message_type":"MESG","message":"x","scheduled_at":#}"#
            ),
            (
                "PUT", "group_channels/g/messages/mark_as_read",
                #"{"message_id":#,"is_excluded":true}"#
            ),
            ("PUT", "group_channels/g/mute", #"{"user_id":"bob","seconds":#}"#),
            ("POST", "group_channels/g/ban", #"{"user_id":"bob","seconds":#}"#),
            ("PUT", "group_channels/g/metacounter", #"{"metacounter":{"a":#},"upsert":true}"#),
            (
                "PUT", "group_channels/g/metacounter",
                #"{"metacounter":{"a":#},"mode":"increase","upsert":true}"#
            ),
            (
                "PUT", "group_channels/g/metacounter",
                #"{"metacounter":{"a":#},"mode":"decrease","upsert":true}"#
            ),
            ("POST", "group_channels", #"{"user_ids":["ann"],"message_survival_seconds":#}"#),
        ]
        for number in Mutator.numbers {
            for path in questions {
                _ = try await scene.ask("GET", path.replacing("#", with: number))
            }
            for (method, path, body) in changes {
                _ = try await scene.ask(method, path, body.replacing("#", with: number))
            }
            for frame in [
                #"READ{"channel_url":"g","parent_message_id":#}"#,
                #"TPST{"channel_url":"g","time":#}"#, #"PING{"id":#}"#,
                #"MACK{"channel_url":"g","msg_id":#}"#,
                #"VOTE{"channel_url":"g","poll_id":#,"option_ids":[#],"req_id":"v"}"#,
                #"MEDI{"channel_url":"g","msg_id":#,"message":"y","req_id":"e"}"#,
            ] {
                await scene.fixture.server.receive(
                    frame.replacing("#", with: number), from: scene.ann.session)
            }
        }
        #expect(await scene.fixture.server.isHealthy())
    }

    @Test(arguments: [
        ("POST", "polls", #"{"title":"t","options":["a"],"close_at":9223372036854775807}"#),
        (
            "POST", "group_channels/g/scheduled_messages",
            #"{"message_type":"MESG","message":"x","scheduled_at":253402300800000}"#
        ),
    ])
    func `a moment after the year 9999 is not kept`(
        method: String, path: String, body: String
    ) async throws {
        let scene = try await Scene(.memory)
        #expect(
            try await scene.ask(method, path, body)["code"]
                == .int(Int64(RoostError.Code.invalidValue.rawValue)))
    }
}
