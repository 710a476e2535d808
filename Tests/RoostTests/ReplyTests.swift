// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// The parents in replies of open timelines.
struct ReplyTests {
    /// Alice has a timeline of a channel and of a thread in it, both written by Bob.
    private struct Scene {
        let pair: Pair
        let root: MessageID
        let main: Timeline
        let thread: Timeline

        init(_ world: SimulatedWorld) async throws {
            pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            try await pair.bob.send("root", to: pair.channel)
            await world.pass()
            root = try #require(try await world.log(of: pair.channel).first?.messageID)
            for text in ["a", "b"] {
                try await pair.bob.send(
                    UserMessageParams(text: text, parentID: root, isReplyToChannel: true),
                    to: pair.channel)
            }
            await world.pass()
            main = try await pair.alice.timeline(of: pair.channel, filter: .everything)
            thread = try await pair.alice.timeline(
                of: pair.channel, filter: MessageFilter(parentID: root))
            await world.pass()
        }

        /// Returns the parent's text in each reply of a timeline.
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
    func `an edit and a deletion of a parent reach its replies in every open view (scar 116)`(
        isOffline: Bool
    ) throws {
        try SimulatedWorld.play(seed: 116) { world in
            let scene = try await Scene(world)
            let views = [scene.main, scene.thread]
            for view in views { #expect(await scene.previews(view) == ["root", "root"]) }
            try await scene.pair.during(isOffline, world) {
                try await scene.pair.bob.edit(scene.root, in: scene.pair.channel, text: "root!")
            }
            for view in views { #expect(await scene.previews(view) == ["root!", "root!"]) }
            try await scene.pair.during(isOffline, world) {
                try await scene.pair.bob.delete(scene.root, in: scene.pair.channel)
            }
            for view in views { #expect(await scene.previews(view) == [nil, nil]) }
            #expect(await scene.main.snapshot.messages.map(\.text) == ["a", "b"])
            #expect(await scene.thread.snapshot.messages.map(\.text) == ["a", "b"])
        }
    }
}
