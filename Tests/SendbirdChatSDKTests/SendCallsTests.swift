// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostModel
import Testing

/// Tests of the calls that wait for the outcomes of messages.
struct SendCallsTests {
    private static func message(_ state: UnsentState) -> Message {
        Message(
            delivery: .unsent("a", state), channelURL: "c",
            createdAt: Timestamp(milliseconds: 1),
            content: .user(text: "a"))
    }

    private static let failed = message(.failed(.networkError))

    @Test func `a resend takes no failure of the attempt before it (R149)`() {
        var calls = SendCalls()
        _ = calls.add("a", .none, isRetry: true)
        #expect(calls.settle(Self.failed).isEmpty)
        #expect(calls.settle(Self.message(.pending)).isEmpty)
        calls.noteRetry(of: "a")
        let outcome = calls.settle(Self.failed)
        #expect(outcome.count == 1)
    }

    @Test(arguments: [UnsentState.canceled, nil])
    func `a resend learns of the arrival and the end of its message (R149)`(state: UnsentState?) {
        var calls = SendCalls()
        let number = calls.add("a", .none, isRetry: true)
        var message = Self.message(state ?? .pending)
        if state == nil { message.delivery = .delivered(1, "a") }
        let outcome = calls.settle(message)
        #expect(outcome.count == 1)
        let isWaiting = calls.remove(number)
        #expect(!isWaiting)
    }

    @Test func `a handler is called without a connection once its message is on disk (R142)`() {
        var calls = SendCalls()
        let number = calls.add("a", .none)
        let early = calls.answerSaved()
        let isWaiting = calls.save(Self.message(.pending), for: number)
        let onItsWay = calls.answerSaved(except: ["a"])
        let answered = calls.answerSaved()
        let again = calls.answerSaved()
        #expect(early.isEmpty && isWaiting && onItsWay.isEmpty)
        #expect(answered.map(\.message) == [Self.message(.pending)])
        #expect(again.isEmpty)
        let outcome = calls.settle(Self.failed)
        #expect(outcome.isEmpty)
    }

    @Test func `an answered call still reports its progress (R145)`() {
        var calls = SendCalls()
        let steps = Callback<UploadStep> { _ in }
        let number = calls.add("a", .none, progress: steps)
        _ = calls.save(Self.message(.pending), for: number)
        _ = calls.answerSaved()
        #expect(calls.progress(of: "a").count == 1)
        let outcome = calls.settle(Self.failed)
        #expect(outcome.isEmpty && calls.progress(of: "a").isEmpty)
    }

    @Test func `a call whose message is sent later still reports its progress (R145)`() {
        var calls = SendCalls()
        let numbers = [
            calls.add("a", .none, progress: Callback { _ in }), calls.add("a", .none),
        ]
        let delayed = calls.settle(Self.message(.pending))
        #expect(delayed.count == 2)
        #expect(calls.progress(of: "a").count == 1)
        let again = calls.settle(Self.message(.pending))
        #expect(again.isEmpty && calls.progress(of: "a").count == 1)
        var isWaiting: [Bool] = []
        for number in numbers { isWaiting.append(calls.remove(number)) }
        #expect(isWaiting == [false, false])
        #expect(calls.progress(of: "a").isEmpty)
    }

    @Test func `the reason of a failed upload is that of its message`() {
        var calls = SendCalls()
        _ = calls.add("a", .none)
        #expect(calls.reason(of: "a") == nil)
        calls.note(.uploadTimeout, of: "a")
        #expect(calls.reason(of: "a") == .uploadTimeout)
    }
}
