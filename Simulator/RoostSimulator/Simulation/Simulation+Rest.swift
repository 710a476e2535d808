// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostServer
import RoostStore
import RoostTestKit
import RoostWire

// The invariants after the faults have ended and all work had its time.

extension Simulation {
    /// Ends all faults for some minutes and checks the result; actions may continue afterwards.
    ///
    /// The whole history is checked only at the end, because that costs more than all other checks.
    func comeToRest(isEnd: Bool) async throws {
        note("calm")
        for app in apps {
            try await wake(app)
            app.device.network.weather = .calm
            app.device.network.restore()
            app.disk.plan(nil)
        }
        // Enough for all earlier calls to end.
        await pass(.seconds(20))
        for app in apps {
            // A client learns of a lost frame by its next connection only.
            if app.device.network.hasLostFrame { await app.device.network.cut() }
            app.device.network.restore()
            call(app, "finds a network") { await $0.networkChanged(isUp: true) }
            call(app, "comes to the foreground") { await $0.appMoved(toForeground: true) }
            connect(app)
            for download in app.downloads { await download.resume() }
        }
        try await settle()
        for app in apps { try await checkLists(of: app) }
        for app in apps { try await checkTimelines(of: app) }
        for app in apps { try await checkCache(of: app) }
        for app in apps { try await checkDownloads(of: app) }
        for app in apps { try await sendFailed(of: app) }
        try await settle()
        if isEnd {
            if pick(3) == 0, let app = pick(of: apps) { try await checkComparison(by: app) }
            if pick(3) == 0, let app = pick(of: apps) { try await checkWholeDownload(to: app) }
            for app in apps { try await checkHistories(of: app) }
            for app in apps { try checkReplay(of: app) }
        }
        for app in apps { try await checkSent(by: app) }
        for app in apps {
            try await checkWrites(of: app)
            try await checkDrafts(of: app)
            app.changed = []
        }
        for app in apps { try await checkHealth(of: app) }
        for app in apps {
            try await checkDisk(of: app)
            try await checkCursors(of: app)
        }
    }

    private func settle() async throws {
        for _ in 0..<6 {
            await pass(.seconds(30))
            try await checkNow()
        }
    }

    /// Checks that the client reports that it rests, and has published it.
    private func checkHealth(of app: SimulatedApp) async throws {
        guard let health = await app.client?.presentHealth else { return }
        try app.health.checkRest(health)
        try expect(
            app.published == health,
            "\(app.name) has published another health than its own: \(health) instead of "
                + "\(app.published.map { "\($0)" } ?? "none")")
    }

    /// Checks that the client's inputs have the same effects when they are given to its machine
    /// again.
    private func checkReplay(of app: SimulatedApp) throws {
        guard let difference = app.client?.recording.firstDifference() else { return }
        try expect(
            false,
            "\(app.name) decides otherwise on input \(difference.entry.number), "
                + "\(difference.entry.input): \(difference.replayed) instead of "
                + "\(difference.entry.effects)")
    }

    func isMember(_ app: SimulatedApp, of channel: ChannelURL) async -> Bool {
        let access = await world.storage.access(to: channel, of: app.user)
        return access?.state == .joined
    }

    /// Checks each open list against the server's answer to the same query.
    private func checkLists(of app: SimulatedApp) async throws {
        for watch in app.lists {
            let shown = await watch.shown
            try check(shown, watch, app)
            // As in the cache, a change after the clock went back may be missed.
            guard !hasClockGoneBack else { continue }
            let answer = await ask(
                ListMyChannels(
                    userID: app.user, limit: 100, order: shown.order,
                    showsEmpty: shown.filter.includesEmpty,
                    showsFrozen: shown.filter.includesFrozen, filters: shown.filter.query),
                as: app.user)
            try CollectionInvariants(place: "\(app.name) list \(watch.number), at rest,")
                .checkRest(shown, answer?.channels ?? [])
        }
    }

    /// Checks each open timeline against its stretch of the log.
    private func checkTimelines(of app: SimulatedApp) async throws {
        for watch in app.timelines where await isMember(app, of: watch.collection.channel) {
            let shown = await watch.shown
            try check(shown, watch, app)
            guard !hasClockGoneBack else { continue }
            let place = "\(app.name) timeline \(watch.number) of \(shown.channel), at rest,"
            try CollectionInvariants(place: place)
                .checkRest(shown, log(of: shown.channel, for: app.user))
        }
    }

    /// Checks the cached channels and the cached messages of open timelines.
    private func checkCache(of app: SimulatedApp) async throws {
        // A change after the clock went back may be earlier than the moment of a cursor.
        guard !hasClockGoneBack else { return }
        guard let client = app.client else { return }
        let answer = await ask(ListMyChannels.all(of: app.user), as: app.user)
        let isFilled = try await client.store.readers[0].cursor(.channelFill).value == .listEnd
        let open = Set(app.timelines.map(\.collection.channel))
        try invariants(of: app).checkRest(
            app.mirror.groupChannels, isFilled: isFilled, answer?.channels ?? [])
        try invariants(of: app).checkMutes(
            of: app.user, app.mirror.groupChannels, shown: open, answer?.channels ?? [],
            at: world.server.world.now())
        if isFilled {
            try invariants(of: app).checkUnread(
                try await client.unreadTotals().messages,
                await world.storage.unreadTotal(of: app.user))
        }
        try await rereadFromDisk(app)
        for channel in open.sorted() where await isMember(app, of: channel) {
            guard let held = app.mirror.channels[channel] else { continue }
            try invariants(of: app).checkRest(held, log(of: channel, for: app.user))
        }
    }

    /// Checks that every download has ended, because all are connected and none is paused.
    private func checkDownloads(of app: SimulatedApp) async throws {
        for download in app.downloads {
            let progress = await download.progress
            try expect(
                progress.state == .finished || progress.state == .canceled,
                "\(app.name) has not ended a download: \(progress)")
        }
        app.downloads = []
    }

    /// Checks that the disk has the whole log after a complete download, and covers it.
    private func checkWholeDownload(to app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        let download = await client.download(DownloadRequest(pause: .zero))
        await pass(.seconds(60))
        try await rereadFromDisk(app)
        let progress = await download.progress
        try expect(
            progress.state == .finished && progress.refused.isEmpty,
            "\(app.name) could not download everything: \(progress)")
        for channel in channels where await isMember(app, of: channel) {
            let held = app.mirror.channels[channel] ?? Mirror.Channel()
            let log = log(of: channel, for: app.user).living
            try expect(
                held.coverage.ranges.first?.startsHistory ?? false
                    && held.coverage.ranges.count == 1
                    && log.allSatisfy { held.messages[$0.messageID ?? 0] != nil },
                "\(app.name) has downloaded \(channel) with holes: \(held.coverage)")
        }
    }

    /// Resends the failed messages, and checks that none of them was delivered.
    private func sendFailed(of app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        for item in try await client.unsentItems() {
            guard case .failed = item.state else { continue }
            let cached = try await client.store.readers[0].message(item.requestID).value
            try expect(
                cached == nil,
                "\(app.name) has failed \(item.requestID), which its cache has as delivered")
            resend(item.requestID, app, atMost: .max)
        }
    }

    /// Checks that a timeline opened again and paged to its beginning equals the log.
    private func checkHistories(of app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        for channel in channels where await isMember(app, of: channel) {
            let timeline = try await client.timeline(of: channel, capacity: .max)
            await pass(.seconds(20))
            var pages = 0
            while await timeline.snapshot.hasOlder {
                try await timeline.loadOlder()
                pages += 1
                try expect(pages < 1_000, "\(app.name) pages \(channel) back without end")
            }
            // A message cancelled with an unknown outcome is deleted when it appears.
            await pass(.seconds(20))
            try CollectionInvariants(place: "\(app.name), having paged \(channel),")
                .checkWhole(
                    await timeline.snapshot.messages, log(of: channel, for: app.user))
            await timeline.close()
        }
    }

    /// Checks that every message whose send call returned is in the log once, in the order of the
    /// calls.
    private func checkSent(by app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        let unsent = try await client.unsentItems()
        for channel in channels {
            let access = await world.storage.writing(
                of: app.user, in: channel, at: world.server.world.now())
            try DeliveryInvariants(device: app.name).check(
                app.sent, unsent, access, log(of: channel, for: app.user))
        }
    }
}
