// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// Channels as their viewers see them, loaded from the storage.
struct ChannelViews: ServerPart {
    let context: ServerContext

    func view(
        _ url: ChannelURL, for viewer: UserID?, _ extras: ChannelExtras
    ) async throws(ServerError) -> GroupChannel {
        guard
            let state = try await ask(
                try await storage.channelStates([url], viewer: viewer)
            ).first
        else { throw ServerError(.notFound, "There is no such channel.") }
        return try await views(of: [state], for: viewer, extras)[0]
    }

    /// Channels from one user's point of view, or from nobody's, in their order.
    func views(
        of states: [ChannelState], for viewer: UserID?, _ extras: ChannelExtras
    ) async throws(ServerError) -> [GroupChannel] {
        var views: [GroupChannel] = []
        for state in states {
            var view = state.view(for: viewer, extras, at: world.now())
            view.pinnedMessageIDs = try await visible(
                view.pinnedMessageIDs, in: view.url, Sight(beginning: view.messageOffset))
            views.append(view)
        }
        return views
    }

    /// A page's channels as a user sees them, as many as fit into one answer.
    ///
    /// They are looked at a few at a time: a channel may have thousands of members.
    ///
    /// - Returns: The channels, and how many of `urls` they stand for, channels that are gone included.
    func views(
        of urls: [ChannelURL], for viewer: UserID?, _ extras: ChannelExtras,
        where isWanted: (ChannelState) async throws(ServerError) -> Bool = { _ in true }
    ) async throws(ServerError) -> (channels: [GroupChannel], count: Int) {
        var budget = AnswerBudget(configuration.limits.answerBytes)
        var shown: [GroupChannel] = []
        var count = 0
        while count < urls.count {
            try stopIfCancelled()
            let slice = Array(urls[count...].prefix(Self.statesAtOnce))
            let states = try await ask(try await storage.channelStates(slice, viewer: viewer))
            let known = Dictionary(
                states.map { ($0.record.url, $0) }, uniquingKeysWith: { first, _ in first })
            for url in slice {
                if let state = known[url], try await isWanted(state) {
                    let channel = try await views(of: [state], for: viewer, extras)[0]
                    guard budget.take(channel.weight) else { return (shown, count) }
                    shown.append(channel)
                }
                count += 1
            }
        }
        return (shown, count)
    }

    /// Channels whose members are in memory at one time.
    static let statesAtOnce = 10

    /// Those of the messages that a viewer can see, in their order.
    func visible(
        _ ids: [MessageID], in url: ChannelURL, _ sight: Sight
    ) async throws(ServerError) -> [MessageID] {
        guard sight != .whole, !ids.isEmpty else { return ids }
        var visible: [MessageID] = []
        for id in ids {
            let position = try await ask(try await storage.position(of: id, in: url))
            if position.map({ sight.shows($0.createdAt) }) ?? false { visible.append(id) }
        }
        return visible
    }
}
