// SPDX-License-Identifier: Apache-2.0

internal import Roost
internal import RoostModel

/// A full cache, and a thousand live messages a second for its client.
package struct LiveLoad: Sendable {
    /// The live messages in a second.
    static let rate = 1_000
    private static let user = UserID("user-0000")

    /// The number of messages in the cache.
    package var messages: Int
    /// The seconds with live messages.
    package var seconds: Int
    package var seed: UInt64 = 1

    /// Fills a cache and opens a client on it, whose server has no network.
    ///
    /// - Returns: The live messages, the server that delivers them, and the client.
    func open(
        _ folder: String, _ tell: (String) -> Void
    ) async throws -> (feed: LiveFeed, server: InProcessServer, client: ChatClient) {
        let data = try ServerData(seed: seed, messages: messages)
        try await Self.fill(folder, data, tell)
        let server = InProcessServer(user: Self.user, loginAt: Timestamp(milliseconds: 1))
        var world = World.live()
        world.http = server
        world.sockets = server
        let client = try await ChatClient.open(
            Configuration(
                applicationID: "bench", server: "http://127.0.0.1:9", userID: Self.user,
                cache: .folder(folder)), world: world)
        return (LiveFeed(data), server, client)
    }

    /// Fills a cache with all messages.
    private static func fill(
        _ folder: String, _ data: ServerData, _ tell: (String) -> Void
    ) async throws(BenchError) {
        // With an index of words: otherwise the client would fill the index during the measurement.
        var cache = try await OurCache(folder, hasSearch: true)
        try await cache.putChannels(data.channels())
        for number in 0..<data.pageCount {
            if number.isMultiple(of: 1_000) {
                tell("filling the cache: page \(number) of \(data.pageCount)")
            }
            try await cache.putPage(data.page(number))
        }
        await cache.close()
    }
}
