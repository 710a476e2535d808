// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// The open collections: what they are told, and what they ask for.

extension SyncEngine {
    func open(_ timeline: Timeline) async throws(RoostError) {
        if isClosed { throw RoostError(StoreError.closed) }
        journal.asked("timeline", of: timeline.channel)
        timelines.removeAll { $0.object == nil }
        timelines.append(WeakReference(timeline))
        try await timeline.open()
        await timeline.setUnsent(await outbox?.unsent(in: timeline.channel) ?? [])
        noteOpening(of: timeline.channel)
        await synchronizeLater(timeline)
    }

    /// Has a timeline that shows what the disk has brought up to the server.
    func synchronizeLater(_ timeline: Timeline) async {
        guard isOnline else { return }
        let round = await timeline.beginOpening()
        run { engine in await engine.synchronizeOpening(timeline, round) }
    }

    /// Catches a channel up, and tells its timelines what that came to.
    func catchUpTelling(_ channel: ChannelURL) async throws(RoostError) {
        var failure: RoostError?
        do throws(RoostError) {
            try await catchUpMessages(of: channel)
        } catch {
            failure = error
        }
        for timeline in openTimelines(of: channel) { await timeline.endCatchUp(failure) }
        if let failure { throw failure }
    }

    /// Reads the change log of the channels and the first page of each open list, and tells the lists what
    /// that came to; then the rest of the channels.
    func catchUpChannelsTelling() async throws(RoostError) {
        let asked = session
        do throws(RoostError) {
            try await applyChannelChanges()
            endChannelLog(of: asked)
            for list in openLists {
                try await takeTurn()
                try await list.synchronize()
            }
        } catch {
            for list in openLists { await list.endCatchUp(error) }
            throw error
        }
        for list in openLists { await list.endCatchUp(nil) }
        try await fillChannelList()
    }

    func open(_ list: ChannelList) async throws(RoostError) {
        if isClosed { throw RoostError(StoreError.closed) }
        journal.asked("channel list")
        lists.removeAll { $0.object == nil }
        lists.append(WeakReference(list))
        try await list.open()
        guard isOnline else { return }
        run { engine in await engine.catchUpChannels() }
    }

    func remove(_ timeline: Timeline) { timelines.removeAll { $0.object === timeline } }
    func remove(_ list: ChannelList) { lists.removeAll { $0.object === list } }

    func openTimelines(of channel: ChannelURL) -> [Timeline] {
        timelines.compactMap(\.object).filter { $0.channel == channel }
    }

    var openLists: [ChannelList] { lists.compactMap(\.object) }

    /// Channels with an open timeline, each once, in the order they were opened.
    var openChannels: [ChannelURL] {
        var seen: Set<ChannelURL> = []
        return timelines.compactMap(\.object?.channel).filter { seen.insert($0).inserted }
    }

    func unsentChanged(in channel: ChannelURL) async {
        // Ten thousand that wait are not listed for nobody.
        if openTimelines(of: channel).isEmpty { return await resumeIdleWaiters() }
        let unsent = await outbox?.unsent(in: channel) ?? []
        for timeline in openTimelines(of: channel) { await timeline.setUnsent(unsent) }
        await resumeIdleWaiters()
    }

    func reread(_ timeline: Timeline) {
        // A read that fails leaves the list as it was; the next commit asks again.
        run { _ in try? await timeline.rereadWindow() }
    }

    func reread(_ list: ChannelList) {
        run { _ in try? await list.reread() }
    }

    /// Tells the collections of other processes' commits, until the store closes.
    func hearOthers() async {
        let feed = await store.writer.missedCommits()
        // Ends with the feed.
        Task(executorPreference: executor) { [weak self] in
            for await _ in feed { await self?.missCommits() }
        }
    }

    private func missCommits() async {
        // After the delivery that is under way, which may be of a commit from before.
        await withCheckedContinuation { committing.enter($0) }
        defer { committing.leave() }
        for timeline in timelines { await timeline.object?.missCommits() }
        for list in lists { await list.object?.missCommits() }
        finishIndex()
    }

    /// History is missing below a live message: look what, while there is a connection.
    func repair(_ channel: ChannelURL) {
        if isOnline { catchUp(channel, .ifNeeded) }
    }
}
