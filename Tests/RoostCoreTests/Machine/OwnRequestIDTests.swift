// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// Request IDs of other users, which may equal those of the user.
struct OwnRequestIDTests {
    private typealias Script = MachineScript

    private static func message(by user: UserID) -> Message {
        var message = Script.message(50, request: "a")
        message.sender = Sender(user: User(id: user))
        return message
    }

    @Test(arguments: ["bob", "me"])
    func `only a message of the user settles the item of its request ID`(user: UserID) throws {
        var scene = CacheScene.connected()
        _ = try scene.script.leave("a", 1)
        scene.frame(.message(MessageEvent(message: Self.message(by: user))))
        let left = scene.script.machine.state.outbox.items.map(\.requestID)
        #expect(left == (user == "me" ? [] : ["a"]))
        let stored = scene.mutations.compactMap { mutation in
            if case .liveMessage(let message, _) = mutation { message.delivery } else { nil }
        }
        #expect(stored == [.delivered(50, user == "me" ? "a" : nil)])
    }

    @Test func `a message of another channel does not settle an item with its request ID`() throws {
        var scene = CacheScene.connected()
        _ = try scene.script.leave("a", 1)
        var message = Self.message(by: "me")
        message.channelURL = "elsewhere"
        scene.frame(.message(MessageEvent(message: message)))
        #expect(scene.script.machine.state.outbox.items.map(\.requestID) == ["a"])
    }
}
