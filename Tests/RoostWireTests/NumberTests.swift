// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

struct NumberTests {
    private static let largest = "9223372036854775807"

    private func event(_ text: String) throws -> ServerEvent {
        try #require(try ServerEvent.decodeAll(text).first?.get())
    }

    // MARK: Arithmetic

    @Test(
        arguments: [
            (1, 2), (.max, 1), (.max, -1), (.min, -1), (.min, 1), (.min, .min), (.max, .max),
            (0, .min),
            (-1, .min), (.min, .max), (.max, .min),
        ] as [(Int64, Int64)])
    func `arithmetic saturates at the limits of the type`(left: Int64, right: Int64) {
        func nearest(_ value: Int128) -> Int64 { Int64(clamping: value) }
        let (wideLeft, wideRight) = (Int128(left), Int128(right))
        #expect(left.addingSaturated(right) == nearest(wideLeft + wideRight))
        #expect(left.subtractingSaturated(right) == nearest(wideLeft - wideRight))
        #expect(left.multipliedSaturated(by: right) == nearest(wideLeft * wideRight))
        let moment = Timestamp(milliseconds: left)
        #expect(moment.advanced(by: right).milliseconds == nearest(wideLeft + wideRight))
        #expect(
            moment.milliseconds(since: Timestamp(milliseconds: right))
                == nearest(wideLeft - wideRight))
        #expect((moment + .milliseconds(right)).milliseconds == nearest(wideLeft + wideRight))
        #expect(MessageID(left).next.rawValue == nearest(wideLeft + 1))
        #expect(MessageID(left).previous.rawValue == nearest(wideLeft - 1))
        #expect(Duration.seconds(left).wholeMilliseconds == nearest(wideLeft * 1_000))
    }

    // MARK: Places

    @Test(arguments: ["-1", "-9223372036854775808", "253402300800000", largest])
    func `an impossible time makes a message unreadable`(moment: String) {
        let text =
            #"{"message_id":1,"type":"MESG","channel_url":"g","message":"x","created_at":\#(moment)}"#
        #expect(throws: APIFailure.self) {
            try SendMessage.decode(APIResponse(status: 200, body: Array(text.utf8)))
        }
        #expect(throws: WireError.self) {
            try event(#"MESG{"msg_id":1,"channel_url":"g","message":"x","ts":\#(moment)}"#)
        }
    }

    @Test(arguments: [("0", 0), ("253402300799999", 253_402_300_799_999)] as [(String, Int64)])
    func `a message decodes at the first and the last moment`(
        text: String, moment: Int64
    ) throws {
        guard
            case .message(let event) = try event(
                #"MESG{"msg_id":1,"channel_url":"g","message":"x","ts":\#(text)}"#)
        else { return #expect(Bool(false)) }
        #expect(event.message.createdAt.milliseconds == moment)
    }

    // MARK: Advice

    @Test(arguments: [(largest, Int64(Int32.max)), ("-5", 0), ("30", 30)])
    func `a wait requested by the server is clamped to 0 to 68 years`(
        text: String, seconds: Int64
    ) throws {
        guard case .busy(let busy) = try event(#"BUSY{"retry_after":\#(text)}"#) else {
            return #expect(Bool(false))
        }
        #expect(busy.retryAfter == .seconds(seconds))
        let login =
            #"LOGI{"key":"k","user_id":"u","ping_interval":\#(text),"pong_timeout":\#(text),"#
            + #""reconnect":{"interval":\#(text),"max_interval":\#(text),"retry_cnt":\#(text)},"#
            + #""sdk_background_connection_close_timeout":\#(text),"unread_cnt":{"all":\#(text)}}"#
        guard case .login(.success(let success)) = try event(login) else {
            return #expect(Bool(false))
        }
        for wait in [
            success.pingInterval, success.pongTimeout, success.reconnect.interval,
            success.reconnect.maximumInterval, success.backgroundStay,
        ] { #expect(wait == .seconds(seconds)) }
        #expect(success.reconnect.tryLimit == (text == "-5" ? nil : Int(seconds)))
        #expect(success.unread?.all == Int(seconds))
    }

    @Test(arguments: [
        ("1.5", 1), ("1e308", Int64(Int32.max)), ("-1e308", 0), ("1e999", 2_147_483_647),
    ])
    func `a wait with a fraction or beyond 64 bits becomes the nearest possible one`(
        text: String, seconds: Int64
    ) throws {
        guard case .busy(let busy) = try event(#"BUSY{"retry_after":\#(text)}"#) else {
            return #expect(Bool(false))
        }
        #expect(busy.retryAfter == .seconds(seconds))
    }

    @Test(arguments: [
        ("1.5", 1), ("0.9", 0), ("-0.5", 0), ("1e308", Int(Int32.max)), ("-1e308", 0),
        ("1e999999999999", Int(Int32.max)), ("9223372036854775808", Int(Int32.max)),
    ])
    func `a count with a fraction or beyond 64 bits becomes the nearest possible one`(
        text: String, count: Int
    ) throws {
        let json =
            #"{"channel_url":"g","created_at":1.5,"unread_message_count":\#(text),"member_count":\#(text)}"#
        let output = try GetChannel.decode(APIResponse(status: 200, body: Array(json.utf8)))
        #expect(output.unreadMessageCount == count && output.memberCount == count)
        #expect(output.createdAt == Timestamp(seconds: 1))
    }

    @Test(arguments: [(largest, Int(Int32.max)), ("-1", 0), ("7", 7)])
    func `a count is clamped to 0 to 2^31 - 1`(text: String, count: Int) throws {
        let json =
            #"{"channel_url":"g","created_at":1,"unread_message_count":\#(text),"member_count":\#(text)}"#
        let output = try GetChannel.decode(APIResponse(status: 200, body: Array(json.utf8)))
        #expect(output.unreadMessageCount == count && output.memberCount == count)
    }

    @Test func `a descriptive moment is clamped to the end of the year 9999`() throws {
        let json =
            #"{"channel_url":"g","created_at":\#(Self.largest),"user_last_read":\#(Self.largest),"#
            + #""joined_ts":\#(Self.largest),"ts_message_offset":-7}"#
        let channel = try GetChannel.decode(APIResponse(status: 200, body: Array(json.utf8)))
        #expect(channel.createdAt == Timestamp.wireRange.upperBound)
        #expect(channel.myLastRead == Timestamp.wireRange.upperBound)
        #expect(channel.joinedAt == Timestamp.wireRange.upperBound)
        #expect(channel.messageOffset == nil)
    }

    @Test func `a question about a moment out of range asks for the end of the range`() throws {
        func anchor(_ text: String) throws -> ListMessages.Anchor {
            let request = try APIRequest(
                method: "GET", target: "/v3/group_channels/g/messages?message_ts=\(text)", body: [])
            guard case .listMessages(let call) = try APICall(decoding: request) else {
                throw ServerError.invalidEndpoint
            }
            return call.anchor
        }
        #expect(try anchor(Self.largest) == .time(.distantFuture))
        #expect(try anchor("99999999999999999999") == .time(.distantFuture))
        #expect(try anchor("-1") == .time(.distantPast))
        #expect(try anchor("5") == .time(Timestamp(milliseconds: 5)))
    }
}
