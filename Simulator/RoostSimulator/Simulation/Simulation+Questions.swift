// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostTestKit

// Calls that need the server at once: comparisons, counts, waits and read marks; and the check of
// comparisons.

extension Simulation {
    func question(_ action: Action, _ app: SimulatedApp) async {
        switch action {
        case .compare:
            let channel = someChannel()
            call(app, "compare \(channel)", isTimed: false) {
                _ = try await $0.compareCache(of: channel)
            }
        case .markAtServer: await mark(app)
        default: ask(app)
        }
    }

    private func mark(_ app: SimulatedApp) async {
        let channel = someChannel()
        switch pick(3) {
        case 0:
            call(app, "mark \(channel) as read") { try await $0.markAsReadNow(channel) }
        case 1:
            call(app, "mark \(channel) as read at the server") {
                try await $0.markAsReadNow(channel, awaitingServer: true)
            }
        default:
            guard app.client != nil, let watch = pick(of: app.timelines),
                let id = pick(of: await watch.collection.snapshot.messages)?.messageID
            else { return }
            call(app, "mark \(id) as unread") { [channel = watch.collection.channel] in
                try await $0.markAsUnread(channel, from: id)
            }
        }
    }

    private func ask(_ app: SimulatedApp) {
        let channel = someChannel()
        switch pick(4) {
        case 0:
            call(app, "count the holes of \(channel)") {
                _ = try await $0.countedHoles(in: channel)
            }
        case 1:
            call(app, "estimate a download of \(channel)") {
                _ = try await $0.downloadEstimate(of: channel)
            }
        case 2: call(app, "read the refusals of \(channel)") { _ = await $0.refusals(in: channel) }
        default:
            guard let watch = pick(of: app.timelines) else { return }
            call(app, "wait for the server in \(watch.number)") {
                [timeline = watch.collection] _ in try await timeline.reachServer()
            }
        }
    }

    /// Checks that after a comparison the cached messages are as in the log.
    func checkComparison(by app: SimulatedApp) async throws {
        guard let client = app.client, !hasClockGoneBack else { return }
        for channel in channels where await isMember(app, of: channel) {
            _ = try await client.compareCache(of: channel)
        }
        try await rereadFromDisk(app)
        for channel in channels where await isMember(app, of: channel) {
            guard let held = app.mirror.channels[channel] else { continue }
            try invariants(of: app).checkCompared(held, log(of: channel, for: app.user))
        }
    }
}
