// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// Typing on the way between the app, the socket and the timers.
struct TypingCallTests {
    private typealias Script = MachineScript

    private static let bob = User(id: "bob")

    private static func frame(
        _ script: inout Script, _ user: User, isTyping: Bool
    ) -> [Script.Effect] {
        script.frame(
            .channel(
                ChannelEvent(
                    .typingStart, channelURL: Script.channel, timestamp: Script.loginAt,
                    content: .typing(user, isTyping: isTyping))))
    }

    private static func events(_ effects: [Script.Effect]) -> [ChatEvent] {
        effects.notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    @Test func `a member who types is announced, until the end or ten seconds later`() {
        var script = Script.connected()
        let began = Self.frame(&script, Self.bob, isTyping: true)
        #expect(Self.events(began) == [.typing([Self.bob], Script.channel)])
        let timer = MachineTimer.typing(.expiry(Script.channel, "bob"))
        #expect(began.notices.contains(.arm(timer, .seconds(10))))
        #expect(Self.events(script.give(.fired(timer))) == [.typing([], Script.channel)])
        _ = Self.frame(&script, Self.bob, isTyping: true)
        let ended = Self.frame(&script, Self.bob, isTyping: false)
        #expect(Self.events(ended) == [.typing([], Script.channel)])
        #expect(ended.notices.contains(.disarm(timer)))
    }

    @Test func `the user's own typing on another device is no event`() {
        var script = Script.connected()
        #expect(Self.events(Self.frame(&script, User(id: "me"), isTyping: true)) == [])
    }

    @Test func `the end of the user's typing is reported, and only after a reported beginning`() {
        var script = Script.connected()
        #expect(script.give(.stoppedTyping(Script.channel)) == [])
        script.give(.startedTyping(Script.channel))
        #expect(
            script.give(.stoppedTyping(Script.channel)).notices
                == [.send(.typingEnd(Script.channel, time: script.now))])
        script.give(.startedTyping("d"))
        script.lose()
        #expect(script.give(.stoppedTyping("d")) == [])
    }

    @Test func `typing in a pause that ends before the pause is never reported`() {
        var script = Script.connected()
        let pause = MachineTimer.typing(.pause(Script.channel))
        script.give(.startedTyping(Script.channel))
        script.give(.stoppedTyping(Script.channel))
        // The pause of one second has begun with the first report.
        #expect(script.give(.startedTyping(Script.channel)).notices == [])
        #expect(script.give(.stoppedTyping(Script.channel)).notices == [])
        #expect(script.give(.fired(pause)).notices == [])
        #expect(script.give(.fired(pause)).notices == [])
        let again = script.give(.startedTyping(Script.channel))
        #expect(again.notices.contains(.send(.typingStart(Script.channel, time: script.now))))
    }

    @Test func `typing that goes on is reported again after each pause`() {
        var script = Script.connected()
        let pause = MachineTimer.typing(.pause(Script.channel))
        script.give(.startedTyping(Script.channel))
        script.give(.startedTyping(Script.channel))
        let effects = script.give(.fired(pause))
        #expect(effects.notices.contains(.send(.typingStart(Script.channel, time: script.now))))
        // A quiet pause ends the reports, and the typing has not been ended yet.
        #expect(script.give(.fired(pause)).notices == [])
        #expect(
            script.give(.stoppedTyping(Script.channel)).notices
                == [.send(.typingEnd(Script.channel, time: script.now))])
    }

    @Test func `a lost connection ends the typing of all members`() {
        var script = Script.connected()
        for (user, channel) in [("bob", "d"), ("bob", "c"), ("eve", "c")] as [(UserID, ChannelURL)]
        {
            _ = script.frame(
                .channel(
                    ChannelEvent(
                        .typingStart, channelURL: channel, timestamp: Script.loginAt,
                        content: .typing(User(id: user), isTyping: true))))
        }
        #expect(Self.events(script.lose()) == [.typing([], "c"), .typing([], "d")])
    }
}
