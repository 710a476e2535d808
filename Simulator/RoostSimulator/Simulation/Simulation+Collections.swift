// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel
import RoostServer
import RoostTestKit

// The open collections of apps: timelines, lists and downloads.

extension Simulation {
    func somePast() -> Timestamp {
        let now = world.server.world.now().milliseconds
        let start = SimulatedWorld.beginningMS
        return Timestamp(milliseconds: start + Int64(random.next() % UInt64(now - start + 1)))
    }

    func someChannel() -> ChannelURL { channels[pick(channels.count)] }

    func closeTimeline(_ app: SimulatedApp) {
        guard !app.timelines.isEmpty, app.client != nil else { return }
        let watch = app.timelines.remove(at: pick(app.timelines.count))
        call(app, "close timeline \(watch.number)") { [timeline = watch.collection] _ in
            await timeline.close()
        }
    }

    /// Loads a page of an open timeline.
    func page(
        _ app: SimulatedApp, _ name: String,
        _ load: @escaping @Sendable (Timeline) async throws -> Void
    ) {
        guard let watch = pick(of: app.timelines) else { return }
        call(app, "load \(name) in \(watch.number)") { [timeline = watch.collection] _ in
            try await load(timeline)
        }
    }

    func openTimeline(
        _ app: SimulatedApp, _ channel: ChannelURL, startingAt start: Timestamp,
        filter: MessageFilter = .everything
    ) {
        guard app.timelines.count < 3 else { return }
        let filter = filter.normalized
        if filter != .everything, app.filters[channel]?.contains(filter) != true {
            app.filters[channel, default: []].append(filter)
        }
        call(app, "open timeline of \(channel) at \(start) under \(filter)") {
            [index = app.number, run = app.run] in
            let timeline = try await $0.timeline(of: channel, startingAt: start, filter: filter)
            await self.watch(timeline, of: index, in: run)
        }
    }

    private func watch(_ timeline: Timeline, of index: Int, in run: Int) async {
        guard apps[index].run == run else { return }
        lastNumber += 1
        let watch = Watch(timeline, lastNumber)
        let changes = await timeline.changes()
        watch.begin(with: await timeline.snapshot.messages)
        guard apps[index].run == run else { return }
        apps[index].timelines.append(watch)
        note("  timeline \(watch.number) of \(timeline.channel) under \(timeline.filter)")
        Task(executorPreference: executor) { [number = watch.number] in
            for await diff in changes { await self.fold(diff, into: number, of: index) }
        }
    }

    private func fold(_ diff: ListDiff<Message>, into number: Int, of index: Int) {
        apps[index].timelines.first { $0.number == number }?.fold(diff)
    }

    func openList(_ app: SimulatedApp) {
        guard app.lists.count < 2 else { return }
        let order: ChannelOrder =
            [.latestLastMessage, .latestLastMessage, .chronological, .name][pick(4)]
        var filter = ChannelFilter()
        filter.includesEmpty = pick(2) == 0
        filter.hidden = [.none, .none, .none, .all, .only][pick(5)]
        filter.isUnread = pick(6) == 0
        let query = ChannelListQuery(filter, order: order, pageSize: 2)
        call(app, "open list \(query)") { [index = app.number, run = app.run] in
            await self.watch(try await $0.channelList(query), of: index, in: run)
        }
    }

    private func watch(_ list: ChannelList, of index: Int, in run: Int) async {
        guard apps[index].run == run else { return }
        lastNumber += 1
        let watch = Watch(list, lastNumber)
        let changes = await list.changes()
        watch.begin(with: await list.snapshot.channels)
        guard apps[index].run == run else { return }
        apps[index].lists.append(watch)
        note("  list \(watch.number)")
        Task(executorPreference: executor) { [number = watch.number] in
            for await diff in changes { await self.fold(diff, into: number, of: index) }
        }
    }

    private func fold(_ diff: ListDiff<GroupChannel>, into number: Int, of index: Int) {
        apps[index].lists.first { $0.number == number }?.fold(diff)
    }

    // MARK: Filters

    func someFilter(in channel: ChannelURL) -> MessageFilter {
        switch pick(5) {
        case 0: return MessageFilter()
        case 1: return MessageFilter(senderIDs: [user(pick(shape.users))], replyType: .all)
        case 2: return MessageFilter(customTypes: ["a"], replyType: .all)
        case 3:
            return MessageFilter(
                kind: pick(2) == 0 ? .user : .file, replyType: .onlyReplyToChannel)
        default:
            let log = log(of: channel)
            let thread = pick(of: log.compactMap(\.message.parentID)) ?? log.last?.message.messageID
            return MessageFilter(parentID: thread ?? MessageID(1))
        }
    }

    // MARK: Downloads

    func download(_ app: SimulatedApp) {
        guard app.downloads.count < 2 else { return }
        var request = DownloadRequest(pause: .milliseconds(Int64(pick(3) * 200)))
        if pick(2) == 0 { request.channels = [someChannel()] }
        if pick(2) == 0 { request.since = somePast() }
        call(app, "download \(request)") { [index = app.number, run = app.run, request] client in
            await self.keep(await client.download(request), of: index, in: run)
        }
    }

    private func keep(_ download: HistoryDownload, of index: Int, in run: Int) {
        if apps[index].run == run { apps[index].downloads.append(download) }
    }

    func steerDownload(_ app: SimulatedApp) {
        guard let download = pick(of: app.downloads) else { return }
        switch pick(5) {
        case 0, 1: call(app, "pause a download") { _ in await download.pause() }
        case 2, 3: call(app, "resume a download") { _ in await download.resume() }
        default: call(app, "cancel a download") { _ in await download.cancel() }
        }
    }
}
