// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

/// The calls about scheduled messages.
struct ScheduledQuestionTests {
    private static let path = ["group_channels", "g", "scheduled_messages"]
    private static let later = Timestamp(milliseconds: 9_500)

    private static func body(_ request: APIRequest) throws -> JSONValue {
        try JSONValue(parsing: request.body)
    }

    private static func answer(_ text: String) -> APIResponse {
        APIResponse(status: 200, body: Array(text.utf8))
    }

    private static func text(_ id: Int, _ status: String, _ more: String = "") -> String {
        #"{"message_id":0,"channel_url":"g","type":"MESG","message":"lunch","created_at":5,"#
            + #""user":{"user_id":"ann"},"scheduled_message_id":\#(id),"scheduled_at":9500,"#
            + #""scheduled_status":"\#(status)"\#(more)}"#
    }

    @Test func `a message is scheduled with its own fields and the time`() throws {
        let message = MessageCommand(
            channelURL: "g", requestID: "r", content: .user(text: "lunch"), customType: "food")
        let request = ScheduledRequest.create(message, at: Self.later).encode()
        #expect(request.method == .post && request.path == Self.path)
        let body = try Self.body(request)
        #expect(body["message"] == "lunch" && body["message_type"] == "MESG")
        #expect(body["custom_type"] == "food" && body["req_id"] == "r")
        #expect(body["scheduled_at"] == 9_500)
    }

    @Test func `a change names what is given`() throws {
        func fields(_ params: ScheduledMessageUpdateParams) throws -> JSONValue {
            let request = ScheduledRequest.update(4, in: "g", params).encode()
            #expect(request.method == .put && request.path == Self.path + ["4"])
            return try Self.body(request)
        }
        #expect(try fields(ScheduledMessageUpdateParams()) == [:])
        let params = ScheduledMessageUpdateParams(
            sendsAt: Self.later, text: "dinner", data: "", customType: "food",
            mention: Mention(userIDs: ["bob"]), metaArrays: [MetaArray(key: "k", values: ["v"])])
        #expect(
            try fields(params) == [
                "scheduled_at": 9_500, "message": "dinner", "data": "", "custom_type": "food",
                "mention_type": "users", "mentioned_user_ids": ["bob"],
                "metaarray": [["key": "k", "value": ["v"]]],
            ])
    }

    @Test func `a scheduled message has a path, and another one to be sent`() throws {
        #expect(
            ScheduledRequest.get(4, in: "g").encode() == APIRequest(.get, Self.path + ["4"]))
        #expect(
            CancelScheduled(4, in: "g").encode() == APIRequest(.delete, Self.path + ["4"]))
        let send = ScheduledRequest.send(4, in: "g").encode()
        #expect(send.method == .post && send.path == Self.path + ["4", "send_now"])
        #expect(try Self.body(send) == [:])
    }

    @Test func `lists and counts name their selection, and a list its order and page`() {
        #expect(
            ListScheduled(query: ScheduledMessageQuery(), token: nil, limit: 0).encode()
                == APIRequest(.get, ["scheduled_messages"], query: [QueryItem("limit", "1")]))
        #expect(
            CountScheduled(query: ScheduledMessageQuery()).encode()
                == APIRequest(.get, ["scheduled_messages", "count"]))
        var query = ScheduledMessageQuery(channel: "g", statuses: [.sent, .pending])
        query.kind = .file
        query.order = .sending
        query.isReversed = true
        let selection = [
            QueryItem("channel_url", "g"), QueryItem("scheduled_status", "pending"),
            QueryItem("scheduled_status", "sent"),
            QueryItem("message_type", "FILE"), QueryItem("order", "scheduled_at"),
            QueryItem("reverse", "true"),
        ]
        #expect(
            ListScheduled(query: query, token: "t", limit: 101).encode().query
                == selection + [QueryItem("token", "t"), QueryItem("limit", "100")])
        #expect(CountScheduled(query: query).encode().query == selection)
    }

    @Test(
        arguments: [
            ("pending", .pending), ("sent", .sent), ("failed", .failed), ("canceled", .canceled),
            ("removed", .canceled), ("new", .pending),
        ] as [(String, ScheduledMessage.Status)])
    func `a scheduled message is decoded with its state`(
        word: String, status: ScheduledMessage.Status
    ) throws {
        let found = try ScheduledRequest.decode(
            Self.answer(Self.text(4, word, #","error_code":900041"#)))
        #expect(found.id == 4 && found.sendsAt == Self.later && found.status == status)
        #expect(found.channelURL == "g" && found.message.content == .user(text: "lunch"))
        #expect(found.failureCode == (status == .failed ? RoostError.Code.mutedInChannel : nil))
    }

    @Test func `a page and a count are decoded`() throws {
        let page = try ListScheduled.decode(
            Self.answer(
                #"{"scheduled_messages":[\#(Self.text(4, "sent")),\#(Self.text(5, "pending"))],"#
                    + #""next":"t","new":1}"#))
        #expect(page.messages.map(\.id) == [4, 5] && page.next == "t")
        let last = try ListScheduled.decode(Self.answer("{}"))
        #expect(last.messages.isEmpty && last.next.isEmpty)
        #expect(try CountScheduled.decode(Self.answer(#"{"new":1,"count":3}"#)) == 3)
        #expect(try CountScheduled.decode(Self.answer(#"{"count":-3}"#)) == 0)
        #expect(try CancelScheduled.decode(Self.answer("{}")) == NoOutput())
    }

    @Test func `damaged answers about scheduled messages are refused`() {
        let message = Self.text(4, "sent")
        for text in [
            "", "{}", "null", String(message.dropLast()),
            message.replacing(#""scheduled_at":9500,"#, with: ""),
            message.replacing(#""scheduled_message_id":4"#, with: #""scheduled_message_id":"x""#),
            message.replacing(#""scheduled_message_id":4"#, with: #""other":4"#),
        ] {
            #expect(throws: APIFailure.self, "\(text)") {
                try ScheduledRequest.decode(Self.answer(text))
            }
        }
        #expect(throws: APIFailure.self) {
            try ListScheduled.decode(Self.answer(#"{"scheduled_messages":[{}]}"#))
        }
        for text in ["{}", #"{"count":null}"#, #"{"count":"three"}"#] {
            #expect(throws: APIFailure.self, "\(text)") {
                try CountScheduled.decode(Self.answer(text))
            }
        }
    }
}
