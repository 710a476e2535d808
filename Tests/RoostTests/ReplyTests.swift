// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// What replies show of the message they answer, on screens that are open.
struct ReplyTests {
    /// Alice looks at a channel and at a thread in it, both written by Bob.
    private struct Scene {
        let phone: SimulatedWorld.Device
        let alice: ChatClient
        let bob: ChatClient
        let channel: ChannelURL
        let root: MessageID
        let main: Timeline
        let thread: Timeline

        init(_ world: SimulatedWorld) async throws {
            phone = world.device(of: "alice")
            alice = try await world.launch(phone)
            bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            try await bob.send("root", to: channel)
            await world.pass()
            root = try #require(try await world.log(of: channel).first?.messageID)
            for text in ["a", "b"] {
                try await bob.send(
                    UserMessageParams(text: text, parentID: root, isReplyToChannel: true),
                    to: channel)
            }
            await world.pass()
            main = try await alice.timeline(of: channel, filter: .everything)
            thread = try await alice.timeline(of: channel, filter: MessageFilter(parentID: root))
            await world.pass()
        }

        /// What the replies of a screen show of their parent.
        func previews(_ timeline: Timeline) async -> [String?] {
            await timeline.snapshot.messages.filter { $0.parentID != nil }.map { reply in
                guard case .user(let text) = reply.details.parentPreview?.content else {
                    return nil
                }
                return text
            }
        }
    }

    @Test(arguments: [false, true])
    func
        `an edit and a deletion of a parent reach its replies in every open view, live and by catch-up (scar 116)`(
            isOffline: Bool
        ) throws
    {
        try SimulatedWorld.play(seed: 116) { world in
            let scene = try await Scene(world)
            func meanwhile(_ work: () async throws -> Void) async throws {
                if isOffline { await scene.phone.network.cut() }
                try await work()
                await scene.bob.waitUntilIdle()
                if isOffline { scene.phone.network.restore() }
                await world.pass(.seconds(60))
            }
            let views = [scene.main, scene.thread]
            for view in views { #expect(await scene.previews(view) == ["root", "root"]) }
            try await meanwhile {
                try await scene.bob.edit(scene.root, in: scene.channel, text: "root!")
            }
            for view in views { #expect(await scene.previews(view) == ["root!", "root!"]) }
            try await meanwhile { try await scene.bob.delete(scene.root, in: scene.channel) }
            for view in views { #expect(await scene.previews(view) == [nil, nil]) }
            #expect(await scene.main.snapshot.messages.map(\.text) == ["a", "b"])
            #expect(await scene.thread.snapshot.messages.map(\.text) == ["a", "b"])
        }
    }
}
