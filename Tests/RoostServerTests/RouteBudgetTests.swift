// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The heaviest inputs of one user in every route.
struct RouteBudgetTests {
    /// The parameters of all routes.
    private static let names = [
        "user_id", "nickname", "profile_url", "preferred_languages", "metadata", "upsert", "value",
        "user_ids", "target_id", "channel_url", "channel_urls", "name", "cover_url", "data",
        "custom_type", "custom_field", "operator_ids", "operators", "access_code", "message",
        "mentioned_user_ids", "mention_type", "sorted_metaarray", "metaarray", "extended_message",
        "thumbnails", "files", "url", "file_name", "file_type", "req_id", "keys", "metacounter",
        "reaction", "description", "seconds", "reporting_user_id", "offending_user_id",
        "report_description", "title", "options", "option_ids", "text", "unique_id", "query",
        "gcm_reg_token", "apns_device_token", "huawei_device_token", "dnd_schedules", "timezone",
        "push_sound", "snooze_start_ts", "custom_types", "stretches", "members_nickname",
        "mentioned_message_template", "apple_critical_alert_options", "unknown",
    ]

    /// The heaviest values of one user.
    private static let values: [String] = {
        let control = String(repeating: "\\u0001", count: 700)
        let long = String(repeating: "x", count: 8_000)
        let names = (0..<100).map { "\"ann\($0)\"" }.joined(separator: ",")
        let map = (0..<100).map { "\"\($0)\":\"xxxxxxxxxxxxxxxx\"" }.joined(separator: ",")
        return [
            "\"\(control)\"", "\"\(long)\"", "\"\(String(repeating: "x", count: 250))\"",
            "[\(names)]", "{\(map)}", JSONValue.nested(60), "7", "true",
        ]
    }()

    /// The calls with a type of their own, which are in no table of routes.
    private static let typed = [
        "POST users", "POST group_channels", "GET group_channels/*", "PUT group_channels/*",
        "POST group_channels/*/invite", "PUT group_channels/*/join",
        "POST group_channels/*/messages", "GET group_channels/*/messages",
        "GET group_channels/*/messages/*", "PUT group_channels/*/messages/*",
        "GET group_channels/*/messages/changelogs", "GET group_channels/*/messages_gap",
        "PUT group_channels/*/messages/mark_as_read", "GET users",
        "GET users/*/my_group_channels", "GET users/*/my_group_channels/changelogs",
    ]

    private func path(of pattern: String, in kind: String = "g") -> String {
        var parts: [Substring] = []
        for part in pattern.split(separator: "/") {
            guard part == "*" else {
                parts.append(part)
                continue
            }
            switch parts.last {
            case "users": parts.append("ann")
            case "group_channels", "my_group_channels": parts.append("g")
            case "open_channels": parts.append("o")
            case "push": parts.append("gcm")
            default: parts.append("1")
            }
        }
        return parts.joined(separator: "/")
    }

    @Test func `no route answers, stores or publishes more than a client reads`() async throws {
        let scene = try await BudgetScene()
        try await scene.ask("POST", "open_channels", #"{"channel_url":"o"}"#, as: scene.ann)
        await scene.fixture.send("first", "first", to: "g", on: scene.ann)
        try await scene.ask(
            "POST", "polls", #"{"title":"t","options":["a","b"]}"#, as: scene.ann)
        let text = String(repeating: "x", count: 64_000)
        let heavy =
            #""message":"\#(text)","data":"\#(text)","metadata":{"k":"\#(text)"},"title":"t","#
            + #""options":["a"],"nickname":"n","user_id":"ann","reaction":"r""#
        let later = scene.fixture.world.now.milliseconds + 1_000_000
        var calls = Route.all.map { ("\($0.method.rawValue)", $0.pattern.text) }
        calls += Self.typed.map { call in
            let parts = call.split(separator: " ").map(String.init)
            return (parts[0], parts[1])
        }
        func check(_ answer: APIResponse, _ call: String) throws {
            #expect(answer.body.count <= WireLimits.answerBytes, "\(call)")
            _ = try JSONValue(parsing: answer.body)
            for frame in try scene.takeFrames() {
                #expect(frame.utf8.count <= WireLimits.frameBytes, "\(call)")
            }
        }
        // Deletions come last, so that all other calls find their objects.
        for (method, pattern) in calls.sorted(by: { $0.0 > $1.0 }) where method != "GET" {
            for value in Self.values {
                let fields = Self.names.map { "\"\($0)\":\(value)" }.joined(separator: ",")
                let fixed = """
                    "message_type":"MESG","report_category":"spam","upsert":true,\
                    "scheduled_at":\(later)
                    """
                for body in ["{\(fields),\(fixed)}", "{\(fixed),\(heavy)}"] {
                    let answer = try await scene.answer(
                        method, path(of: pattern), body, as: scene.ann)
                    try check(answer, "\(method) \(pattern)")
                }
            }
        }
        let query =
            "limit=100&message_ts=\(later)&prev_limit=200&next_limit=200&show_member=true"
            + "&show_empty=true&show_metadata=true&query=x&change_ts=0&prev_start_ts=0"
            + "&prev_end_ts=\(later)&prev_cache_count=0"
        for (method, pattern) in calls where method == "GET" {
            for device in [scene.ann, scene.bob] {
                let answer = try await scene.answer(
                    method, path(of: pattern) + "?" + query, as: device)
                try check(answer, "\(method) \(pattern)")
            }
        }
        #expect(await scene.fixture.server.metrics.oversized == 0)
    }
}
