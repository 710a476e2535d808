// SPDX-License-Identifier: Apache-2.0

import Roost

/// An open client of the native door with messages on their way.
final class Native {
    private let client: ChatClient
    private let timeline: Timeline

    init(_ run: Run) async throws {
        let client = try await ChatClient.open(
            Configuration(
                applicationID: "demo", server: run.server, userID: "native",
                cache: .folder("\(run.folder)/cache"),
                protection: .keyFile(in: "\(run.folder)/keys")))
        try await client.connect()
        let channel = try await client.createChannel(ChannelCreateParams(memberIDs: []))
        self.client = client
        timeline = try await client.timeline(of: channel.url)
        try await client.send("The connection works", to: channel.url)
        for number in 0..<run.sends {
            Task { try await client.send("Message \(number)", to: channel.url) }
        }
    }
}
