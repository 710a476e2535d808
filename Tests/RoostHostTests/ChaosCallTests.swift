// SPDX-License-Identifier: Apache-2.0

import RoostServer
import RoostSockets
import RoostWire
import Testing

@testable import RoostHost

struct ChaosCallTests {
    private static func call(
        _ target: String, method: String = "GET", _ headers: HTTPHeaders = ["Session-Key": "k"]
    ) -> ChaosCall? {
        ChaosCall(HTTPServerRequest(method: method, target: target, headers: headers))
    }

    @Test(arguments: ["/", "/health", "/metrics", "/files/a/b", "/v4/users"])
    func `requests beside the interface have no faults`(target: String) {
        #expect(Self.call(target) == nil)
    }

    @Test func `calls of the platform and preflights have no faults`() {
        #expect(Self.call("/v3/users", ["Api-Token": "t"]) == nil)
        #expect(Self.call("/v3/users", method: "OPTIONS") == nil)
        #expect(Self.call("/v3/users", [:])?.key == nil)
        #expect(Self.call("/v3/users", ["Api-Token": "t", "Session-Key": "k"])?.key == "k")
    }

    @Test(arguments: [
        ("/v3/users/ann/my_group_channels?limit=20", true, true, true),
        ("/v3/users/ann/my_group_channels?limit=1", true, false, true),
        ("/v3/users/ann/my_group_channels/changelogs?change_ts=5", true, false, true),
        ("/v3/group_channels/c/messages?prev_limit=9&next_limit=9", true, false, false),
        (
            "/v3/group_channels/c/messages?prev_limit=9&next_limit=9&checking_has_next=true", true,
            true, false
        ),
        (
            "/v3/group_channels/c/messages?prev_limit=9&next_limit=1&checking_has_next=true", true,
            false, false
        ),
        ("/v3/group_channels/c/messages_gap?prev_start_ts=1", true, false, false),
        ("/v3/group_channels/c", false, false, false),
        ("/v3/users/ann/my_group_channels", false, false, true),
    ])
    func `pages are told from other calls`(
        target: String, isPage: Bool, mayBeShort: Bool, namesTime: Bool
    ) throws {
        let call = try #require(Self.call(target))
        #expect(call.isPage == isPage)
        #expect(call.mayBeShort == mayBeShort)
        #expect(call.namesTime == namesTime)
        #expect(call.shortened(draw: 1) != nil || !mayBeShort)
    }

    @Test func `a shorter page changes its limit and nothing else`() throws {
        let list = try #require(Self.call("/v3/users/a%2Fb/my_group_channels?token=t&limit=1000"))
        let short = try #require(list.shortened(draw: 98))
        #expect(short == "/v3/users/a%2Fb/my_group_channels?token=t&limit=99")
        let page = try #require(
            Self.call(
                "/v3/group_channels/c/messages?prev_limit=9&next_limit=4&checking_has_next=true"))
        #expect(
            page.shortened(draw: 5)
                == "/v3/group_channels/c/messages?prev_limit=9&checking_has_next=true&next_limit=3")
    }

    @Test func `only logins and renewals name a new session key`() {
        for (target, opens) in [
            ("/v3/users/ann/session_key", true), ("/v3/users/ann/login", true),
            ("/v3/users/ann/authentication", true), ("/v3/users/ann/token", false),
            ("/v3/users/ann", false),
        ] {
            #expect(Self.call(target, method: "POST")?.opensSession == opens)
        }
        #expect(Self.call("/v3/users/a%2Fb/login")?.pathUser == "a/b")
        #expect(Self.call("/v3/group_channels/c?limit=1")?.place == "GET /v3/group_channels/c")
    }

    @Test func `a frame tells its command, its request and its login`() {
        let answer = ChaosFrame("MESG{\"msg_id\":1,\"req_id\":\"r\"}\n")
        #expect(answer.command == "MESG")
        #expect(answer.requestID == "r")
        #expect(answer.mayFail && answer.login == nil)
        #expect(ChaosFrame("MESG{\"req_id\":\"\"}\n").requestID == nil)
        for text in ["PONG{}\n", "BUSY{}\n", "EXPR{}\n", "LOGI{\"error\":true}\n"] {
            #expect(!ChaosFrame(text).mayFail, "\(text)")
        }
        let login = ChaosFrame(
            #"LOGI{"user_id":"ann","metadata":{"login_ts":"5"},"key":"k","login_ts":5000}"#)
        #expect(login.login?.user == "ann")
        #expect(login.login?.key == "k")
        #expect(!login.mayFail)
        #expect(
            login.withLogin(earlierBy: 1_000)
                == #"LOGI{"user_id":"ann","metadata":{"login_ts":"5"},"key":"k","login_ts":4000}"#
                + "\n")
        #expect(login.withLogin(earlierBy: 9_000)?.contains(#""login_ts":1}"#) == true)
        #expect(ChaosFrame("LOGI{\"req_id\":\"r\",\"new_key\":\"n\"}\n").newKey == "n")
    }

    @Test func `a line has everything that repeats its fault`() {
        let fault = ChaosFault(
            number: 17, kind: .lateAcknowledgement, user: "an\"n", place: 3,
            harm: .delay(milliseconds: 250))
        let line = ChaosLayer.line(
            fault, ChaosTarget(socket: 2, command: "MESG", requestID: "r\n"), seed: 42)
        #expect(
            line.text(at: "T")
                == #"{"at":"T","level":"warning","event":"chaos","number":17,"kind":"late-ack","#
                + #""user":"an\"n","nth":3,"socket":2,"command":"MESG","request":"r\n","#
                + #""delay_ms":250,"seed":42}"#)
    }

    @Test func `old session keys are forgotten`() {
        var keys = ChaosKeys()
        for number in 0...ChaosKeys.limit {
            keys.learn("k\(number)", of: "u\(number)")
            keys.end("e\(number)")
            keys.end("e\(number)")
        }
        #expect(keys.user(of: "k0") == nil && !keys.isEnded("e0"))
        #expect(keys.user(of: "k1") == "u1" && keys.isEnded("e1"))
        #expect(keys.user(of: nil) == nil && !keys.isEnded(nil))
    }
}
