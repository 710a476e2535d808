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
        for app in apps { try await checkDownloads(of: app) }
        for app in apps { try await sendFailed(of: app) }
        try await settle()
        if isEnd {
            if pick(3) == 0, let app = pick(of: apps) { try await checkWholeDownload(to: app) }
            for app in apps { try await checkHistories(of: app) }
            for app in apps { try checkReplay(of: app) }
        }
        for app in apps { try await checkSent(by: app) }
        for app in apps { try await checkWrites(of: app) }
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

    private func isMember(_ app: SimulatedApp, of channel: ChannelURL) async -> Bool {
        let access = await world.storage.access(to: channel, of: app.user)
        return access?.state == .joined
    }

    /// Checks that each list is the server's answer to the same query, and that its counts equal a
    /// recount.
    private func checkLists(of app: SimulatedApp) async throws {
        for watch in app.lists {
            let shown = await watch.collection.snapshot
            try check(shown, watch, app)
            let query = watch.collection.query
            let answer = await ask(
                ListMyChannels(
                    userID: app.user, limit: 100,
                    order: query.order, showsEmpty: query.filter.includesEmpty,
                    showsFrozen: query.filter.includesFrozen, filters: query.filter.query),
                as: app.user)
            let expected = answer?.channels ?? []
            let place = "\(app.name) list \(watch.number), at rest,"
            try expect(
                shown.channels.map(\.url) == expected.prefix(shown.channels.count).map(\.url)
                    && (shown.hasMore || shown.channels.count == expected.count),
                "\(place) shows \(shown.channels.map(\.url)) and more: \(shown.hasMore), but the "
                    + "server \(expected.map(\.url))")
            for (ours, theirs) in zip(shown.channels, expected) {
                try expect(
                    ours.name == theirs.name && ours.lastMessage?.text == theirs.lastMessage?.text
                        && ours.memberCount == theirs.memberCount,
                    "\(place) shows \(ours.url) as “\(ours.name)” with \(ours.memberCount) members "
                        + "and “\(ours.lastMessage?.text ?? "")”, the server as “\(theirs.name)” "
                        + "with \(theirs.memberCount) and “\(theirs.lastMessage?.text ?? "")”")
                try expect(
                    ours.unreadMessageCount == theirs.unreadMessageCount,
                    "\(place) counts \(ours.unreadMessageCount) unread in \(ours.url), a recount "
                        + "gives \(theirs.unreadMessageCount)")
            }
        }
    }

    /// Checks that every open timeline is a stretch of the log, up to its end if it follows it.
    private func checkTimelines(of app: SimulatedApp) async throws {
        for watch in app.timelines where await isMember(app, of: watch.collection.channel) {
            let shown = await watch.collection.snapshot
            try check(shown, watch, app)
            let channel = watch.collection.channel
            let glimpses = shown.messages.compactMap { Glimpse($0) }
            let filter = watch.collection.filter
            let log = log(of: channel, for: app.user)
                .filter { $0.deletedAt == nil && filter.matches($0.message) }
                .compactMap { Glimpse($0.message) }
            let place = "\(app.name) timeline \(watch.number) of \(channel), at rest,"
            try checkReplies(shown.messages, of: channel, for: app.user, place)
            guard let first = glimpses.first?.place, let last = glimpses.last?.place else {
                try expect(
                    log.isEmpty || shown.hasNewer,
                    "\(place) is empty, the log is not")
                continue
            }
            let expected = log.filter {
                first <= $0.place && ($0.place <= last || !shown.hasNewer)
            }
            try expect(
                glimpses == expected,
                "\(place) shows \(glimpses.count) messages, the log has \(expected.count): "
                    + Glimpse.difference(of: glimpses, from: expected))
        }
    }

    /// Checks that replies show their parents as the user sees them in the log, and no content of
    /// deleted or hidden parents.
    private func checkReplies(
        _ messages: [Message], of channel: ChannelURL, for user: UserID, _ place: String
    ) throws(Violation) {
        let log = log(of: channel, for: user)
        for reply in messages where reply.messageID != nil {
            guard let parent = reply.parentID else { continue }
            let entry = log.first { $0.message.messageID == parent && $0.deletedAt == nil }
            let (shown, wanted) = (reply.details.parentPreview, entry?.message.preview)
            try expect(
                shown?.content == wanted?.content && shown?.data == wanted?.data
                    && shown?.customType == wanted?.customType
                    && shown?.sender?.id == wanted?.sender?.id,
                "\(place) shows “\(reply.text)” as an answer to \(String(describing: shown)), the "
                    + "log has \(String(describing: wanted))")
        }
    }

    /// Checks that a download ends with a connection and without a pause.
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
        try await sharpen(app)
        let progress = await download.progress
        try expect(
            progress.state == .finished && progress.refused.isEmpty,
            "\(app.name) could not download everything: \(progress)")
        for channel in channels where await isMember(app, of: channel) {
            let held = app.mirror.channels[channel] ?? Mirror.Channel()
            let log = log(of: channel, for: app.user).filter { $0.deletedAt == nil }
            try expect(
                held.coverage.ranges.first?.startsHistory ?? false
                    && held.coverage.ranges.count == 1
                    && log.allSatisfy { held.messages[$0.message.messageID ?? 0] != nil },
                "\(app.name) has downloaded \(channel) with holes: \(held.coverage)")
        }
    }

    /// Resends the failed messages.
    private func sendFailed(of app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        for item in try await client.unsentMessages() {
            guard case .failed = item.state else { continue }
            let cached = try await client.store.readers[0].message(item.requestID).value
            try expect(
                cached == nil,
                "\(app.name) has failed \(item.requestID), which its cache has as delivered")
            retry(item.requestID, app, "resend \(item.requestID)", atMost: .max) {
                await $0.resend($1)
            }
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
            let shown = await timeline.snapshot.messages.compactMap { Glimpse($0) }
            let log = log(of: channel, for: app.user).filter { $0.deletedAt == nil }
                .compactMap { Glimpse($0.message) }
            try expect(
                shown == log,
                "\(app.name) shows \(shown.count) messages of \(channel), the log has \(log.count): "
                    + Glimpse.difference(of: shown, from: log))
            try checkReplies(
                shown.map(\.message), of: channel, for: app.user,
                "\(app.name), having paged \(channel),")
            await timeline.close()
        }
    }

    /// Checks that every message whose send call returned is in the log once, in the order of the
    /// calls.
    private func checkSent(by app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        let unsent = Set(try await client.unsentMessages().map(\.requestID))
        for channel in channels {
            let log = log(of: channel)
            let places = Dictionary(
                grouping: log.indices.filter { log[$0].message.requestID != nil },
                by: { log[$0].message.requestID })
            let data = log.map(\.message.data).filter { !$0.isEmpty }
            try expect(
                Set(data).count == data.count, "\(channel) has one request ID twice")
            let isMember = await isMember(app, of: channel)
            var last = -1
            for sent in app.sent where sent.channel == channel {
                let found = places[sent.requestID] ?? []
                try expect(
                    found.count <= 1, "\(sent.requestID) is \(found.count) times in \(channel)")
                guard let place = found.first else {
                    // A user who has left cannot deliver messages.
                    try expect(
                        sent.wasCanceled || (!isMember && unsent.contains(sent.requestID)),
                        "\(app.name) sent \(sent.requestID) to \(channel), which never got it")
                    continue
                }
                // A user who has left gets no events.
                try expect(
                    !isMember || !unsent.contains(sent.requestID),
                    "\(app.name) still has \(sent.requestID) to send, which is in \(channel)")
                if sent.wasResent { continue }
                try expect(
                    place > last, "\(app.name)'s messages are in \(channel) in another order")
                last = place
            }
        }
    }
}
