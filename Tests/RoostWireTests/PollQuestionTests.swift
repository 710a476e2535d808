// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

/// The calls about polls.
struct PollQuestionTests {
    private static func body(_ request: APIRequest) throws -> JSONValue {
        try JSONValue(parsing: request.body)
    }

    private static func answer(_ text: String) -> APIResponse {
        APIResponse(status: 200, body: Array(text.utf8))
    }

    private static let text =
        #"{"id":7,"title":"Lunch?","status":"closed","created_at":5,"updated_at":6,"close_at":-1,"#
        + #""message_id":9,"data":{"type":"text","text":"d"},"voter_count":-2,"created_by":"ann","#
        + #""allow_user_suggestion":true,"allow_multiple_votes":true,"voted_option_ids":[2],"#
        + #""options":[{"id":2,"text":"Soup","created_by":"bob","vote_count":3,"poll_id":7}],"#
        + #""new_field":1}"#

    @Test func `a creation names the question, and what else is given`() throws {
        let plain = PollRequest.create(PollCreateParams(title: "Lunch?", options: ["Soup"]))
        #expect(plain.encode().method == .post && plain.encode().path == ["polls"])
        #expect(
            try Self.body(plain.encode()) == [
                "title": "Lunch?", "options": ["Soup"], "allow_user_suggestion": false,
                "allow_multiple_votes": false,
            ])
        var params = PollCreateParams(
            title: "Lunch?", options: ["Soup", "Rice"], closesAt: Timestamp(milliseconds: 9_500),
            allowsSuggestions: true, allowsMultipleVotes: true)
        params.dataText = "d"
        #expect(
            try Self.body(PollRequest.create(params).encode()) == [
                "title": "Lunch?", "options": ["Soup", "Rice"], "allow_user_suggestion": true,
                "allow_multiple_votes": true, "close_at": 9, "data": ["text": "d"],
            ])
    }

    @Test func `a change names what is given, and an open end as -1`() throws {
        func fields(_ params: PollUpdateParams) throws -> JSONValue {
            let request = PollRequest.update(7, params).encode()
            #expect(request.method == .put && request.path == ["polls", "7"])
            return try Self.body(request)
        }
        #expect(try fields(PollUpdateParams()) == [:])
        #expect(
            try fields(PollUpdateParams(title: "Dinner?", closesAt: .distantFuture)) == [
                "title": "Dinner?", "close_at": -1,
            ])
        let change = PollUpdateParams(
            closesAt: Timestamp(milliseconds: 9_000), allowsSuggestions: false,
            allowsMultipleVotes: true, dataType: "text", dataText: "")
        #expect(
            try fields(change) == [
                "allow_user_suggestion": false, "allow_multiple_votes": true, "close_at": 9,
                "data": ["type": "text", "text": ""],
            ])
    }

    @Test func `polls and options have paths of their own`() throws {
        let get = PollRequest.get(7).encode()
        #expect(get == APIRequest(.get, ["polls", "7"]))
        let close = PollRequest.close(7).encode()
        #expect(close.method == .put && close.path == ["polls", "7", "close"])
        #expect(try Self.body(close) == [:])
        let add = PollRequest.addOption("Rice", to: 7).encode()
        #expect(add.method == .post && add.path == ["polls", "7", "options"])
        #expect(try Self.body(add) == ["text": "Rice"])
        let change = PollRequest.updateOption(2, text: "Rice", of: 7).encode()
        #expect(change.method == .put && change.path == ["polls", "7", "options", "2"])
        #expect(try Self.body(change) == ["text": "Rice"])
        #expect(PollRemoval.poll(7).encode() == APIRequest(.delete, ["polls", "7"]))
        #expect(
            PollRemoval.option(2, of: 7).encode()
                == APIRequest(.delete, ["polls", "7", "options", "2"]))
    }

    @Test func `lists name their page, of 1 to 100 elements`() {
        #expect(
            ListPolls(channelURL: nil, token: nil, limit: 0).encode()
                == APIRequest(.get, ["polls"], query: [QueryItem("limit", "1")]))
        #expect(
            ListPolls(channelURL: "g", token: "t", limit: 101).encode()
                == APIRequest(
                    .get, ["polls"],
                    query: [
                        QueryItem("channel_url", "g"), QueryItem("token", "t"),
                        QueryItem("limit", "100"),
                    ]))
        #expect(
            ListVoters(pollID: 7, optionID: 2, token: "t", limit: 20).encode()
                == APIRequest(
                    .get, ["polls", "7", "options", "2", "voters"],
                    query: [QueryItem("token", "t"), QueryItem("limit", "20")]))
        let path = ["group_channels", "g", "polls", "changelogs"]
        #expect(
            PollChangeLog(channelURL: "g", cursor: .token("t")).encode()
                == APIRequest(.get, path, query: [QueryItem("token", "t")]))
        #expect(
            PollChangeLog(channelURL: "g", cursor: .since(Timestamp(milliseconds: 8))).encode()
                == APIRequest(.get, path, query: [QueryItem("change_ts", "8")]))
    }

    @Test func `a poll is decoded, with numbers in their ranges`() throws {
        let poll = try PollRequest.decode(Self.answer(Self.text))
        #expect(poll.id == 7 && poll.title == "Lunch?" && poll.status == .closed)
        #expect(poll.createdAt == Timestamp(milliseconds: 5_000))
        #expect(poll.updatedAt == Timestamp(milliseconds: 6_000) && poll.closesAt == nil)
        #expect(poll.messageID == MessageID(9) && poll.createdBy == "ann")
        #expect(poll.dataType == "text" && poll.dataText == "d" && poll.voterCount == 0)
        #expect(poll.allowsSuggestions && poll.allowsMultipleVotes)
        #expect(poll.votedOptionIDs == [2] && poll.unknownFields["new_field"] == "1")
        let option = try #require(poll.options.first)
        #expect(poll.options.count == 1 && option.id == 2 && option.text == "Soup")
        #expect(option.createdBy == "bob" && option.voteCount == 3)
    }

    @Test func `pages of polls, voters and changes are decoded`() throws {
        let page = try ListPolls.decode(Self.answer(#"{"polls":[{"id":1}],"next":"t","new":1}"#))
        #expect(page.polls.map(\.id) == [1] && page.next == "t")
        let last = try ListPolls.decode(Self.answer("{}"))
        #expect(last.polls.isEmpty && last.next.isEmpty)
        let voters = try ListVoters.decode(Self.answer(#"{"voters":[{"user_id":"ann"}]}"#))
        #expect(voters.users.map(\.id) == ["ann"] && voters.next == "")
        let log = try PollChangeLog.decode(
            Self.answer(#"{"updated":[{"id":1}],"deleted":[2,3],"has_more":true,"next":"t"}"#))
        #expect(log.updated.map(\.id) == [1] && log.deleted == [2, 3])
        #expect(log.hasMore && log.next == "t")
        #expect(try PollRemoval.decode(Self.answer("{}")) == NoOutput())
    }

    @Test func `damaged answers about polls are refused`() {
        for text in [
            "", "{}", "null", #"{"title":"Lunch?"}"#, #"{"id":"seven"}"#, #"{"id":7"#,
            #"{"id":7,"options":[{"text":"Soup"}]}"#, #"{"id":7,"options":{}}"#,
        ] {
            #expect(throws: APIFailure.self, "\(text)") {
                try PollRequest.decode(Self.answer(text))
            }
        }
        #expect(throws: APIFailure.self) { try ListPolls.decode(Self.answer(#"{"polls":[{}]}"#)) }
        #expect(throws: APIFailure.self) { try ListPolls.decode(Self.answer(#"{"polls":[null]}"#)) }
        #expect(throws: APIFailure.self) { try ListVoters.decode(Self.answer(#"{"voters":[{}]}"#)) }
        #expect(throws: APIFailure.self) {
            try PollChangeLog.decode(Self.answer(#"{"deleted":["two"]}"#))
        }
    }
}
