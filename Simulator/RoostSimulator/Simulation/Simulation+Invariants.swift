// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostServer
import RoostStore
import RoostTestKit

// The invariants that hold at every moment.

extension Simulation {
    // MARK: The cache is truthful

    /// Applies a commit to the mirror and checks its changes; commits that it has are skipped.
    func follow(_ commit: Commit, _ app: SimulatedApp) throws(Violation) {
        guard commit.sequence > app.mirror.sequence else { return }
        app.mirror.sequence = commit.sequence
        for change in commit.changes {
            switch change {
            case .messages(let change):
                app.mirror.apply(change)
                let held = app.mirror.channels[change.channel]
                let log = log(of: change.channel, for: app.user)
                try invariants(of: app).checkTruth(
                    of: change, held, needsReread: held?.needsReread ?? false, log)
                try app.deleted.follow(change, log, on: app.name)
            case .channels(let change): app.mirror.apply(change)
            case .users: break
            }
        }
    }

    func invariants(of app: SimulatedApp) -> CacheInvariants {
        CacheInvariants(device: app.name, hasClockGoneBack: hasClockGoneBack)
    }

    // MARK: No cursor is ahead of its data

    /// Checks that the cache has the data before each cursor, whenever the process may end.
    func checkCursors(of app: SimulatedApp) async throws {
        guard let reader = app.launched?.client.store.readers[0] else { return }
        for (channel, held) in app.mirror.channels {
            guard let cursor = try await reader.cursor(.messageChanges(channel)).value else {
                continue
            }
            try invariants(of: app).checkCursor(cursor, held, log(of: channel, for: app.user))
        }
        guard let cursor = try await reader.cursor(.channelChanges).value else {
            app.listBegan = nil
            return
        }
        // A cursor is a moment until the first page of its log, and a token afterwards.
        let began = app.listBegan ?? cursor.moment ?? app.device.network.lastLoginAt
        app.listBegan = began
        let isFilled = try await reader.cursor(.channelFill).value == .listEnd
        for listing in await world.storage.listings(of: app.user) {
            try invariants(of: app).checkCursor(
                cursor, of: listing, app.mirror.groupChannels[listing.record.url], began: began,
                isFilled: isFilled)
        }
    }

    // MARK: Collections

    /// The longest allowed time of a call; every time limit of the engine is shorter.
    private static let patience = Duration.seconds(300)

    /// Checks the time that a call has taken so far.
    func check(_ call: PendingCall) throws(Violation) {
        try expect(
            executor.now - call.since <= Self.patience,
            "A call has not returned for minutes: \(call.name)")
        guard call.isTimed else { return }
        try apps[call.app].answers.check(call.name, since: call.since, at: executor.now)
    }

    /// Checks everything that changed since the last step, and the disk now and then.
    func checkNow() async throws {
        try throwViolation()
        for call in pendingCalls.values where !apps[call.app].isSuspended { try check(call) }
        for app in apps where app.client != nil {
            if !app.isSuspended, let health = await app.client?.presentHealth {
                try app.health.follow(health, at: executor.now)
            }
            try await rereadFromDisk(app)
            for watch in app.timelines where watch.isDirty {
                watch.isDirty = false
                try check(await watch.shown, watch, app)
            }
            for watch in app.lists where watch.isDirty {
                watch.isDirty = false
                try check(await watch.shown, watch, app)
            }
        }
        // Reading a whole disk costs more than a hundred steps.
        if step % 150 == 149, let app = pick(of: apps), app.client != nil {
            try await checkDisk(of: app)
            try await checkCursors(of: app)
        }
    }

    func check(
        _ shown: ShownTimeline, _ watch: Watch<Timeline>, _ app: SimulatedApp
    ) throws(Violation) {
        try invariants(of: watch, app).check(
            shown, watch.changes, app.mirror.channels[shown.channel],
            log(of: shown.channel, for: app.user))
    }

    func check(
        _ shown: ShownList, _ watch: Watch<ChannelList>, _ app: SimulatedApp
    ) throws(Violation) {
        try CollectionInvariants(place: "\(app.name) list \(watch.number)").check(
            shown, watch.changes,
            app.mirror.groupChannels.mapValues { held in
                // A list shows a change a moment before or after the outbox is rid of it.
                let shown = shown.channels.first { $0.url == held.url }
                return held.marked(ChannelMarks(changes: shown?.pendingChanges ?? []))
            }, viewer: app.user, unsure: app.changed)
    }

    private func invariants(
        of watch: Watch<Timeline>, _ app: SimulatedApp
    ) -> CollectionInvariants {
        CollectionInvariants(
            place: "\(app.name) timeline \(watch.number) of \(watch.collection.channel)")
    }
}
