// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct TypingTests {
    private static let url: ChannelURL = "c"
    private static let bob = User(id: "bob", nickname: "Bob")
    private static let carol = User(id: "carol")

    @Test
    func `a typing user is listed once, until the end or for ten seconds`() {
        var machine = TypingMachine()
        let expiry = TypingMachine.Timer.expiry(Self.url, "bob")
        #expect(expiry.duration == .seconds(10))
        #expect(machine.began(Self.bob, in: Self.url) == [.arm(expiry), .changed(Self.url)])
        // A repeated start extends the time and is no change.
        #expect(machine.began(Self.bob, in: Self.url) == [.arm(expiry)])
        _ = machine.began(Self.carol, in: Self.url)
        #expect(machine.users(in: Self.url).map(\.id) == ["bob", "carol"])
        #expect(machine.ended("bob", in: Self.url) == [.disarm(expiry), .changed(Self.url)])
        #expect(machine.ended("bob", in: Self.url) == [])
        #expect(machine.fired(expiry) == [])
        #expect(machine.fired(.expiry(Self.url, "carol")) == [.changed(Self.url)])
        #expect(machine.users(in: Self.url) == [])
    }

    @Test
    func `a lost connection ends all typing, because no end could arrive`() {
        var machine = TypingMachine()
        _ = machine.began(Self.bob, in: Self.url)
        _ = machine.start(in: "d")
        #expect(
            machine.lostConnection() == [
                .disarm(.expiry(Self.url, "bob")), .changed(Self.url), .disarm(.pause("d")),
            ])
        #expect(machine.users(in: Self.url) == [])
        #expect(machine.stop(in: "d") == [])
        #expect(machine.lostConnection() == [])
    }

    @Test
    func `the user's own typing is sent once a second, and its end at once`() {
        var machine = TypingMachine()
        let pause = TypingMachine.Timer.pause(Self.url)
        let told: [TypingMachine.Effect] = [.send(Self.url, isTyping: true), .arm(pause)]
        #expect(pause.duration == .seconds(1))
        #expect(machine.start(in: Self.url) == told)
        for _ in 0..<9 { #expect(machine.start(in: Self.url) == []) }
        // The user typed on, so it is sent again; then the user stopped.
        #expect(machine.fired(pause) == told)
        #expect(machine.fired(pause) == [])
        #expect(machine.stop(in: Self.url) == [.send(Self.url, isTyping: false)])
        #expect(machine.stop(in: Self.url) == [])
        // A start within the second after an end waits for the second.
        _ = machine.start(in: Self.url)
        #expect(machine.stop(in: Self.url) == [.send(Self.url, isTyping: false)])
        #expect(machine.start(in: Self.url) == [])
        #expect(machine.fired(pause) == told)
    }
}

struct ReadMarkTests {
    private static let url: ChannelURL = "c"

    @Test
    func `calls during one mark or its second become one more mark (scar 113)`() {
        var machine = ReadMarkMachine()
        #expect(machine.wish(for: Self.url) == true)
        for _ in 0..<100 { #expect(machine.wish(for: Self.url) == false) }
        #expect(machine.wish(for: "other") == true)
        #expect(machine.isUnderWay(to: Self.url) && !machine.isUnderWay(to: "third"))
        // Answered within the second: the rest waits for its end.
        #expect(machine.sent(to: Self.url) == false)
        #expect(!machine.isUnderWay(to: Self.url))
        #expect(machine.paused(in: Self.url) == true)
        #expect(machine.sent(to: Self.url) == false)
        #expect(machine.paused(in: Self.url) == false)
        #expect(machine.wish(for: Self.url) == true)
    }

    @Test
    func `a slow answer delays the next mark, and a settled channel needs none`() {
        var machine = ReadMarkMachine()
        _ = machine.wish(for: Self.url)
        _ = machine.wish(for: Self.url)
        #expect(machine.paused(in: Self.url) == false)
        #expect(machine.sent(to: Self.url) == true)
        _ = machine.wish(for: Self.url)
        machine.settle(Self.url)
        #expect(machine.sent(to: Self.url) == false)
        #expect(machine.paused(in: Self.url) == false)
    }
}
