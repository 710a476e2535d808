// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTestSupport
import RoostTransport
import Testing

struct LoginVersionTests {
    /// A transport that records the addresses of sockets.
    private struct Recorder: SocketTransport {
        let transport: any SocketTransport
        let urls = Guarded<[String]>([])

        func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
            urls.withLock { $0.append(request.url) }
            return try await transport.open(request)
        }
    }

    @Test(arguments: [nil, "1.2 & more"] as [String?])
    func `a login names the version of the app (R79)`(version: String?) throws {
        try SimulatedWorld.play(seed: 7) { world in
            await world.add(User(id: "alice"))
            var surroundings = world.surroundings(of: world.device(of: "alice"))
            let recorder = Recorder(transport: surroundings.sockets)
            surroundings.sockets = recorder
            var configuration = Configuration(
                applicationID: "simulation", server: "http://127.0.0.1:1", userID: "alice",
                cache: .memory)
            configuration.appVersion = version
            let client = try await ChatClient.open(configuration, world: surroundings)
            try await client.connect()
            let urls = recorder.urls.withLock { $0 }
            #expect(urls.count == 1)
            #expect(urls[0].contains("av=1.2%20%26%20more") == (version != nil))
            #expect(urls[0].contains("av=") == (version != nil))
            await client.close()
        }
    }
}
