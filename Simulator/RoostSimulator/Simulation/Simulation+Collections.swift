// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel
import RoostServer
import RoostTestKit

// The open collections of apps: timelines, lists and downloads.

extension Simulation {
    func somePast() -> Timestamp { random.past(until: world.server.world.now()) }

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
            await self.watch(timeline, of: index, in: run, as: \.timelines, at: start)
        }
    }

    /// Observes a collection, unless its process has ended meanwhile.
    private func watch<Collection: Watchable>(
        _ collection: Collection, of index: Int, in run: Int,
        as watches: any ReferenceWritableKeyPath<SimulatedApp, [Watch<Collection>]> & Sendable,
        at place: Timestamp? = nil
    ) async {
        guard apps[index].run == run else { return }
        lastNumber += 1
        let watch = Watch(collection, lastNumber)
        watch.place = place
        let changes = await collection.changes()
        watch.begin(with: await collection.elements)
        guard apps[index].run == run else { return }
        apps[index][keyPath: watches].append(watch)
        note("  \(Collection.self) \(watch.number)")
        Task(executorPreference: executor) { [number = watch.number] in
            for await diff in changes {
                await self.fold(diff, into: number, of: index, as: watches)
            }
        }
    }

    private func fold<Collection: Watchable>(
        _ diff: ListDiff<Collection.Element>, into number: Int, of index: Int,
        as watches: any ReferenceWritableKeyPath<SimulatedApp, [Watch<Collection>]> & Sendable
    ) {
        apps[index][keyPath: watches].first { $0.number == number }?.fold(diff)
    }

    func openList(_ app: SimulatedApp) {
        guard app.lists.count < 2 else { return }
        let query = random.listQuery()
        call(app, "open list \(query)") { [index = app.number, run = app.run] in
            await self.watch(
                try await $0.channelList(query), of: index, in: run, as: \.lists)
        }
    }

    // MARK: Downloads

    func download(_ app: SimulatedApp, from start: Timestamp) {
        guard app.downloads.count < 2 else { return }
        var request = DownloadRequest(
            startingAt: start, pause: .milliseconds(Int64(pick(3) * 200)))
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
