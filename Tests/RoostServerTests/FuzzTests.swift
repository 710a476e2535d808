// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// Random input of strangers; `ROOST_FUZZ` sets its amount.
struct FuzzTests {
    private static let words = [
        "{", "}", "[", "]", "\"", "\\", "\\u0000", "\\ud800", "null", "-", "1e999",
        "99999999999999999999999", "-9223372036854775808", "0.0000001", "true", ",", ":", "\n",
        "\0",
        "'; DROP TABLE message; --", "../", "%2e%2e%2f", "%", "%zz", "\u{202e}", "g", "req_id",
        String(repeating: "[", count: 600), String(repeating: "{\"a\":", count: 300),
    ]
    private static let frames = [
        #"MESG{"channel_url":"g","message":"x","req_id":"1"}"#,
        #"MESG{"channel_url":"g","message":"x","data":"d","req_id":"2","mention_type":"users","mentioned_user_ids":["ann"],"metaarray":{"k":["v"]}}"#,
        #"FILE{"channel_url":"g","url":"u","name":"n","type":"t","size":1,"req_id":"3"}"#,
        #"MEDI{"channel_url":"g","msg_id":1,"message":"y","req_id":"4"}"#,
        #"READ{"channel_url":"g","req_id":"5"}"#, #"PING{"id":1,"req_id":""}"#,
        #"TPST{"channel_url":"g","time":1,"req_id":"6"}"#, #"ENTR{"channel_url":"o","req_id":"7"}"#,
        #"VOTE{"channel_url":"g","poll_id":1,"option_ids":[1],"req_id":"8"}"#,
        #"MACK{"channel_url":"g","msg_id":1,"req_id":"9"}"#, #"LOGI{"token":"t","req_id":"10"}"#,
    ]
    private static let calls = [
        "GET users?limit=10&token=abc&user_ids=ann,bob ", "GET group_channels?limit=5 ",
        "GET group_channels/g/messages?message_ts=1700000000000&prev_limit=2&next_limit=2 ",
        "GET group_channels/g/messages_gap?prev_start_ts=1&prev_end_ts=2&prev_cache_count=1 ",
        "GET group_channels/g/messages/changelogs?token=1 ", "GET search/messages?query=x&limit=3 ",
        "GET users/ann/my_group_channels?limit=3&order=latest_last_message&show_member=true ",
        #"POST group_channels/g/messages {"message_type":"MESG","user_id":"ann","message":"x"}"#,
        #"POST group_channels {"user_ids":["ann","bob"],"name":"n","is_distinct":true,"data":"d"}"#,
        #"PUT group_channels/g/metadata {"metadata":{"a":"b"},"upsert":true}"#,
        #"PUT group_channels/g/metacounter {"metacounter":{"a":9223372036854775807},"mode":"inc"}"#,
        #"POST group_channels/g/messages/1/reactions {"user_id":"ann","reaction":"r"}"#,
        #"POST users {"user_id":"z","nickname":"n","profile_url":"","metadata":{"a":"b"}}"#,
        #"POST polls {"title":"t","options":["a","b"],"close_at":1}"#,
        #"PUT group_channels/g/mute {"user_id":"bob","seconds":10}"#, "DELETE users/z ",
        #"PUT users/ann {"nickname":"é","preferred_languages":["en"]}"#,
    ]

    @Test func `random frames disturb no other client`() async throws {
        let fixture = await ServerFixture()
        let (ann, eve) = (try await fixture.connect("ann"), try await fixture.connect("eve"))
        try await fixture.channel(of: ["ann", "eve"], by: ann)
        _ = (try ann.inbox.take(), try eve.inbox.take())
        for seed in Mutator.seed..<(Mutator.seed + UInt64(Mutator.rounds)) {
            var mutator = Mutator(seed: seed, samples: Self.frames, words: Self.words)
            let text = String(decoding: mutator.next(), as: UTF8.self)
            await fixture.server.receive(text, from: eve.session)
            // Every frame of the others is readable.
            _ = (try ann.inbox.take(), try eve.inbox.take())
            guard seed % 50 == 0 else { continue }
            await fixture.send("still here", RequestID("ok-\(seed)"), to: "g", on: ann)
            #expect(
                try ann.inbox.take().contains { $0.message?.acknowledges != nil }, "seed \(seed)")
        }
        let log = try await fixture.server.log(of: "g").map(\.message)
        #expect(zip(log, log.dropFirst()).allSatisfy { $0.createdAt < $1.createdAt })
    }

    @Test(arguments: StorageKind.allCases)
    func `random calls are answered without a failure of the server`(
        kind: StorageKind
    ) async throws {
        let fixture = await ServerFixture(storage: try await kind.make())
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann", "bob"], by: ann)
        await fixture.send("x", "r", to: "g", on: ann)
        for seed in Mutator.seed..<(Mutator.seed + UInt64(Mutator.rounds)) {
            var mutator = Mutator(seed: seed, samples: Self.calls, words: Self.words)
            let text = String(decoding: mutator.next(), as: UTF8.self)
            let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3,
                let request = try? APIRequest(
                    method: String(parts[0]), target: "/v3/" + parts[1], body: Array(parts[2].utf8))
            else { continue }
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(apiToken: ServerFixture.apiToken))
            #expect([200, 400, 401].contains(answer.status), "seed \(seed): \(text)")
            let value = try? JSONValue(parsing: answer.body)
            guard case .object? = value else {
                Issue.record("No object answers seed \(seed): \(text)")
                continue
            }
        }
        #expect(await fixture.server.isHealthy())
    }

    @Test func `random JSON is refused, or survives a round trip unchanged`() {
        for seed in Mutator.seed..<(Mutator.seed + UInt64(Mutator.rounds) * 10) {
            var mutator = Mutator(
                seed: seed, samples: Self.frames.map { String($0.dropFirst(4)) }, words: Self.words)
            guard let value = try? JSONValue(parsing: mutator.next()) else { continue }
            #expect((try? JSONValue(parsing: Array(value.text.utf8))) == value, "seed \(seed)")
        }
    }

    @Test func `random queries survive a round trip unchanged`() {
        let samples = ["a=b&c=d%20e", "message_ts=1&reverse=true", "=&&a&%41=%C3%A9+x"]
        for seed in Mutator.seed..<(Mutator.seed + UInt64(Mutator.rounds) * 10) {
            var mutator = Mutator(
                seed: seed, samples: samples, words: Self.words + ["&", "=", "+"])
            let items = QueryItem.parse(String(decoding: mutator.next(), as: UTF8.self))
            #expect(QueryItem.parse(QueryItem.text(items)) == items, "seed \(seed)")
        }
    }

    @Test func `random forms have the same reading for every cut`() {
        let form =
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ntext\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../x\"\r\n"
            + "Content-Type: text/plain\r\n\r\nbytes\r\n--\r\n-\r\n--B--\r\n"
        let words = [
            "\r\n", "\r\n--B", "--B--", "\r\n--", "\r", "-", ":", ";", "\"", "\0", "name=",
        ]
        for seed in Mutator.seed..<(Mutator.seed + UInt64(Mutator.rounds) * 10) {
            var mutator = Mutator(seed: seed, samples: [form], words: words)
            let bytes = mutator.next()
            #expect(read(mutator.pieces(of: bytes)) == read([bytes]), "seed \(seed)")
        }
    }

    /// Returns the content of a form, complete or not; an error ends it.
    private func read(_ pieces: [[UInt8]]) -> String? {
        var text = ""
        do throws(ServerError) {
            var reader = try MultipartReader(contentType: "multipart/form-data; boundary=B")
            for piece in pieces {
                for event in try reader.read(piece) {
                    switch event {
                    case .part(let part): text += "\n\(part)\n"
                    case .bytes(let bytes):
                        text += String(bytes.map { Character(Unicode.Scalar($0)) })
                    }
                }
            }
            return reader.isWhole ? text : nil
        } catch {
            return nil
        }
    }
}
