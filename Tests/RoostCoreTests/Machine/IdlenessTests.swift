// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct IdlenessTests {
    private typealias Script = MachineScript

    @Test func `a frame in flight keeps the client busy until its end is reported`() {
        var script = Script.connected()
        #expect(!script.machine.isBusy)
        let effects = script.give(.startedTyping(Script.channel))
        #expect(
            effects.notices.contains(.send(.typingStart(Script.channel, time: script.now))))
        #expect(script.machine.isBusy)
        #expect(script.give(.frameSent) == [])
        #expect(!script.machine.isBusy)
    }

    @Test func `each of several frames in flight keeps the client busy`() {
        var script = Script.connected()
        script.give(.startedTyping(Script.channel))
        script.give(.startedTyping("other"))
        script.give(.frameSent)
        #expect(script.machine.isBusy)
        script.give(.frameSent)
        #expect(!script.machine.isBusy)
    }

    @Test func `an end of no frame changes nothing`() {
        var script = Script.connected()
        script.give(.frameSent)
        script.give(.startedTyping(Script.channel))
        #expect(script.machine.isBusy)
    }
}
