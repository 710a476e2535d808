// SPDX-License-Identifier: Apache-2.0

public import Observation
public import RoostModel

/// The user's channels for a view, which follows the model's properties.
@MainActor @Observable
public final class ChannelListModel {
    /// The channels, in the order of the query.
    public private(set) var channels: [GroupChannel] = []
    /// Whether `loadMore()` may find more.
    public private(set) var hasMore = false
    /// The state of the connection; nil until `run()` is called.
    public private(set) var connection: ConnectionState?
    /// Whether the first page is on its way: not read from disk yet, or not answered by the server.
    ///
    /// False as well once the server could not be asked.
    public private(set) var isOpening = true
    /// Whether a page is being loaded.
    public private(set) var isLoading = false
    /// The last error; nil after the next success.
    public private(set) var error: RoostError?

    @ObservationIgnored private let client: ChatClient
    @ObservationIgnored private let query: ChannelListQuery
    /// The open list; the calls of `run()` share it, and so does the next one.
    @ObservationIgnored private var list: ChannelList?

    /// Creates an empty model; `run()` fills it.
    public init(_ client: ChatClient, _ query: ChannelListQuery = ChannelListQuery()) {
        self.client = client
        self.query = query
    }

    /// Opens the list and follows it until the task is canceled or the client is closed; the last
    /// state stays.
    ///
    /// The list stays open as long as the model lives. So a view that comes back shows the pages
    /// that it had.
    public func run() async {
        do {
            let list = try await opened()
            async let states: Void = followConnection()
            async let arrival: Void = awaitServer(for: list)
            for await snapshot in await list.snapshots() {
                channels = snapshot.channels
                if hasMore != snapshot.hasMore { hasMore = snapshot.hasMore }
            }
            _ = await (states, arrival)
            // The client was closed.
            if !Task.isCancelled, self.list === list { self.list = nil }
        } catch {
            self.error = error
            isOpening = false
        }
    }

    private func opened() async throws(RoostError) -> ChannelList {
        if let list { return list }
        let new = try await client.channelList(query)
        // Another view may have opened one meanwhile.
        if let list {
            await new.close()
            return list
        }
        list = new
        return new
    }

    /// Loads another page; does nothing while a page is loading or if there is none.
    public func loadMore() async {
        guard let list, hasMore, !isLoading else { return }
        isLoading = true
        defer { isLoading = false }
        do {
            try await list.loadMore()
            error = nil
        } catch {
            self.error = error
        }
    }

    private func awaitServer(for list: ChannelList) async {
        try? await list.reachServer()
        if isOpening { isOpening = false }
    }

    private func followConnection() async {
        for await state in await client.connectionStates() { connection = state }
    }
}
