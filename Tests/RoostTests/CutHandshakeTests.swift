// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTransport
import Testing

struct CutHandshakeTests {
    /// A transport whose first sockets do not open, as behind a proxy without a server.
    private struct Cutter: SocketTransport {
        let transport: any SocketTransport
        let left = Guarded(20)

        func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
            let isCut = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if isCut { throw TransportError(.lost, "The handshake was cut.") }
            return try await transport.open(request)
        }
    }

    @Test func `a client goes on by itself after twenty handshakes that were cut`() throws {
        try SimulatedWorld.play(seed: 9) { world in
            await world.add(User(id: "alice"))
            var surroundings = world.surroundings(of: world.device(of: "alice"))
            let cutter = Cutter(transport: surroundings.sockets)
            surroundings.sockets = cutter
            let client = try await ChatClient.open(
                Configuration(
                    applicationID: "simulation", server: "http://127.0.0.1:1", userID: "alice",
                    cache: .memory), world: surroundings)
            let failure = await #expect(throws: RoostError.self) { try await client.connect() }
            #expect(failure?.remedy == .retry)
            // A socket that never opened was not closed.
            #expect(failure?.code == .networkError)
            await world.pass(.seconds(3_600))
            #expect(await client.connectionState == .connected)
            #expect(cutter.left.withLock { $0 } < 0)
            await client.close()
        }
    }
}
