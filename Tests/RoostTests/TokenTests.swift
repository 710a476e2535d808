// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import Testing

/// The renewal of an access token that the server no longer accepts.
struct TokenTests {
    /// A client of alice, whose token at the server is "new", and the number of tokens it asked for.
    private struct Story {
        let world: SimulatedWorld
        let client: ChatClient
        let asked: Guarded<Int>
    }

    /// The app's source of tokens.
    private enum Source {
        case none
        case answers(String?)
        /// Fails before it answers.
        case fails(times: Int, then: String)
        /// Answers once the gate is open.
        case isHeld(by: Gate, String)
    }

    /// Plays a scene with a client that has the token "old".
    private static func play(
        with source: Source,
        _ scene: @escaping @Sendable (Story) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: 91) { world in
            await world.setToken("new", of: "alice")
            let asked = Guarded(0)
            let client = try await world.launch(
                world.device(of: "alice"),
                configure: { configuration in
                    configuration.token = "old"
                    if case .none = source { return }
                    configuration.tokenProvider = {
                        let number = asked.withLock { asked in
                            asked += 1
                            return asked
                        }
                        switch source {
                        case .none: return nil
                        case .answers(let token): return token
                        case .fails(let times, let token):
                            if number <= times { throw CancellationError() }
                            return token
                        case .isHeld(let gate, let token):
                            await gate.wait()
                            return token
                        }
                    }
                })
            try await scene(Story(world: world, client: client, asked: asked))
            await client.close()
        }
    }

    @Test func `a refused token is renewed without another call of the app`() throws {
        try Self.play(with: .answers("new")) { story in
            try await story.client.connect()
            #expect(story.asked.withLock { $0 } == 1)
        }
    }

    @Test func `a token that ends while the app is open is renewed at the next login`() throws {
        try Self.play(with: .answers("newer")) { story in
            await story.client.use(token: "new")
            try await story.client.connect()
            await story.world.setToken("newer", of: "alice")
            await story.client.disconnect()
            // The first attempt presents the session's key, which has ended with the token.
            await #expect(throws: RoostError.self) { try await story.client.connect() }
            await Self.untilConnected(story.client)
            #expect(story.asked.withLock { $0 } == 1)
        }
    }

    @Test func `without another token the refusal is final`() throws {
        try Self.play(with: .answers(nil)) { story in
            await #expect(throws: RoostError.self) { try await story.client.connect() }
            guard case .refused(let error) = await story.client.connectionState else {
                Issue.record("The client does not report the refusal.")
                return
            }
            #expect(error.code == .tokenInvalid)
            #expect(story.asked.withLock { $0 } == 1)
        }
    }

    @Test func `a second refusal is final, and the next call to connect asks again`() throws {
        try Self.play(with: .answers("wrong")) { story in
            for attempt in 1...2 {
                await #expect(throws: RoostError.self) { try await story.client.connect() }
                #expect(story.asked.withLock { $0 } == attempt)
            }
        }
    }

    @Test func `an app without an answer within a minute gets time until the next attempt`() throws
    {
        let gate = Gate()
        try Self.play(with: .isHeld(by: gate, "new")) { story in
            let start = story.world.executor.now
            await #expect {
                try await story.client.connect()
            } throws: {
                ($0 as? RoostError)?.remedy == .retry
            }
            #expect(story.world.executor.now - start >= .seconds(60))
            gate.open()
            // The late token is that of the next login.
            await Self.untilConnected(story.client)
            #expect(story.asked.withLock { $0 } == 1)
        }
    }

    @Test func `a source of tokens that fails is asked again until it answers`() throws {
        try Self.play(with: .fails(times: 3, then: "new")) { story in
            await #expect {
                try await story.client.connect()
            } throws: {
                ($0 as? RoostError)?.remedy == .retry
            }
            await Self.untilConnected(story.client)
            #expect(story.asked.withLock { $0 } == 4)
        }
    }

    private static func untilConnected(_ client: ChatClient) async {
        for await state in await client.connectionStates() {
            if case .connected = state { break }
        }
    }

    @Test func `a call to connect with another token ends the wait for one`() throws {
        let gate = Gate()
        try Self.play(with: .isHeld(by: gate, "late")) { story in
            async let first: Void = story.client.connect()
            await story.world.pass()
            await story.client.use(token: "new")
            try await story.client.connect()
            try await first
            #expect(story.world.executor.now < .seconds(60))
            gate.open()
            await story.world.pass()
            guard case .connected = await story.client.connectionState else {
                Issue.record("A late token ended the connection.")
                return
            }
        }
    }

    @Test func `a client without a source of tokens is refused at once`() throws {
        try Self.play(with: .none) { story in
            await #expect(throws: RoostError.self) { try await story.client.connect() }
            await story.client.use(token: "new")
            try await story.client.connect()
        }
    }
}
