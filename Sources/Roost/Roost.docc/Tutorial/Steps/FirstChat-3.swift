// SPDX-License-Identifier: Apache-2.0

import Roost

/// The README's example: open, connect if possible, show a channel, send.
@main
struct FirstChat {
    static func main() async throws {
        let client = try await ChatClient.open(
            Configuration(
                applicationID: "demo", server: "http://127.0.0.1:8080", userID: "alice",
                cache: .folder("cache")))
        try? await client.connect()  // Offline is fine: the rest works from disk.
        let list = try await client.channelList()
        guard let channel = await list.snapshot.channels.first else { return }
    }
}
