// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// Faults and delays of a device's link, and cuts of it.
@MainActor
struct LinkFaultTests {
    @Test(arguments: [TestFault.lostRequest, .refusedRequest])
    func `a fault waits while the link is cut`(fault: TestFault) async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            await world.pass()
            await scene.phone.cutLink()
            scene.phone.inject(fault)
            let before = scene.phone.requestCount
            await #expect(throws: RoostError.self) {
                try await scene.client.download(fileAt: "http://127.0.0.1:1/files/none").file()
            }
            #expect(scene.phone.requestCount > before)
            #expect(scene.phone.remaining(fault) == 1)
        }
    }

    @Test func `a cut loses a request that is slower than the client's limit`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            await world.pass()
            scene.phone.setDelay(.seconds(10))
            let client = scene.client
            let params = {
                var params = ChannelCreateParams(memberIDs: ["bob"])
                params.url = "cellar"
                return params
            }()
            async let channel = client.createChannel(params)
            await world.pass(.seconds(1))
            await scene.phone.cutLink()
            await world.pass(.seconds(30))
            _ = try? await channel
            // The server would refuse a URL that it knows.
            try await scene.bob.createChannel(with: ["alice"], url: "cellar")
        }
    }
}
