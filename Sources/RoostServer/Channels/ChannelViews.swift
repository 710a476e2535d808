// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// Channels as their viewers see them, loaded from the storage.
struct ChannelViews: ServerPart {
    let context: ServerContext

    /// Returns a channel for a viewer; nil is the platform.
    ///
    /// - Throws: `.notFound` if there is no such channel.
    func view(
        _ url: ChannelURL, for viewer: UserID?, _ extras: ChannelExtras
    ) async throws(ServerError) -> GroupChannel {
        guard
            let state = try await ask(
                try await storage.channelStates(
                    [url], viewer: viewer, withMembers: extras.needsMembers)
            ).first
        else { throw ServerError(.notFound, "There is no such channel.") }
        return try await view(
            of: state, for: viewer, extras,
            blocking: extras.members ? try await blocked(by: viewer) : [])
    }

    /// Returns a channel for a viewer who blocks some users; nil is the platform.
    private func view(
        of state: ChannelState, for viewer: UserID?, _ extras: ChannelExtras,
        blocking blocked: Set<UserID>
    ) async throws(ServerError) -> GroupChannel {
        var view = state.view(for: viewer, extras, at: world.now())
        let sight = Sight(beginning: view.messageOffset)
        view.pinnedMessageIDs = try await visible(view.pinnedMessageIDs, in: view.url, sight)
        view.latestPinnedMessage = await newest(of: view.pinnedMessageIDs, in: view.url, sight)
        if !blocked.isEmpty { view.members.mark(blocked) }
        return view
    }

    /// Returns the users whom a viewer blocks; none for the platform.
    func blocked(by viewer: UserID?) async throws(ServerError) -> Set<UserID> {
        guard let viewer else { return [] }
        return Set(try await ask(try await storage.userRecord(viewer))?.traits.blocked ?? [])
    }

    /// Returns the channels of a page for a viewer, as many as fit into one answer.
    ///
    /// A few of them are in memory at a time, because a channel may have thousands of members.
    ///
    /// - Parameters:
    ///   - urls: The channels.
    ///   - viewer: The user who sees them; nil for the platform.
    ///   - extras: The additional data.
    ///   - needsMembers: Whether `isWanted` reads the members.
    ///   - isWanted: Whether a channel belongs to the page.
    /// - Returns: The channels, and the number of `urls` in this answer, deleted channels included.
    /// - Throws: A failure of the storage.
    func views(
        of urls: [ChannelURL], for viewer: UserID?, _ extras: ChannelExtras,
        readingMembers needsMembers: Bool = false,
        where isWanted: (ChannelState) async throws(ServerError) -> Bool = { _ in true }
    ) async throws(ServerError) -> (channels: [GroupChannel], count: Int) {
        var budget = AnswerBudget(configuration.limits.answerBytes)
        let blocked = extras.members ? try await blocked(by: viewer) : []
        var shown: [GroupChannel] = []
        var count = 0
        let readsMembers = needsMembers || extras.needsMembers
        while count < urls.count {
            let batch = Array(urls[count...].prefix(Self.statesAtOnce))
            for slice in try await slices(of: batch, readingMembers: readsMembers) {
                try stopIfCancelled()
                let states = try await ask(
                    try await storage.channelStates(
                        slice, viewer: viewer, withMembers: readsMembers))
                let known = Dictionary(
                    states.map { ($0.record.url, $0) }, uniquingKeysWith: { first, _ in first })
                for url in slice {
                    if let state = known[url], try await isWanted(state) {
                        let channel = try await view(
                            of: state, for: viewer, extras, blocking: blocked)
                        guard budget.take(channel.weight) else { return (shown, count) }
                        shown.append(channel)
                    }
                    count += 1
                }
            }
        }
        return (shown, count)
    }

    /// Divides channels into slices whose members may be in memory together.
    ///
    /// - Parameters:
    ///   - urls: At most `statesAtOnce` channels.
    ///   - readsMembers: Whether the members are read.
    /// - Returns: The channels in their order; a large one is a slice of its own.
    /// - Throws: A failure of the storage.
    func slices(
        of urls: [ChannelURL], readingMembers readsMembers: Bool
    ) async throws(ServerError) -> [[ChannelURL]] {
        guard readsMembers, urls.count > 1 else { return [urls] }
        let counts = try await ask(try await storage.memberCounts(of: urls))
        return urls.parts(of: Self.membersAtOnce) { counts[$0] ?? 0 }
    }

    /// The channels whose states are in memory at a time.
    static let statesAtOnce = 10

    /// The members in memory at a time, unless one channel has more.
    static let membersAtOnce = 2_000

    /// Returns the newest of some pinned messages; nil if the viewer cannot see it.
    ///
    /// An unreadable message does not hide its channel.
    func newest(of pins: [MessageID], in url: ChannelURL, _ sight: Sight) async -> Message? {
        guard let newest = pins.first, let pinned = await message(newest, in: url)
        else { return nil }
        return sight.shown(pinned)?.withPoll(at: world.now())
    }

    /// Returns a pinned message; nil for an unreadable one.
    func message(_ id: MessageID, in url: ChannelURL) async -> Message? {
        try? await storage.message(id, in: url)
    }

    /// Returns the messages that a viewer can see, in their order.
    func visible(
        _ ids: [MessageID], in url: ChannelURL, _ sight: Sight
    ) async throws(ServerError) -> [MessageID] {
        guard sight != .whole, !ids.isEmpty else { return ids }
        return sight.visible(ids, try await ask(try await storage.positions(of: ids, in: url)))
    }
}

extension ChannelExtras {
    /// Whether an answer shows data of all members.
    var needsMembers: Bool { members || readReceipts || deliveryReceipts }
}

extension [Member] {
    /// Marks the members whom the viewer blocks.
    mutating func mark(_ blocked: Set<UserID>) {
        for index in indices where blocked.contains(self[index].id) {
            self[index].isBlockedByMe = true
        }
    }
}
