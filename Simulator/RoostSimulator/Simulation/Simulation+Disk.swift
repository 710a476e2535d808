// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostServer
import RoostStore
import RoostTestKit

// The content of a device's disk, compared with its journal and with the server's log.

extension Simulation {
    /// Reads the content of a store from its disk; also updates the list of all channels.
    func mirror(of store: Store, _ app: SimulatedApp) async throws -> Mirror {
        var mirror = Mirror()
        let reader = store.readers[0]
        // A channel may exist although its creation was not reported.
        channels = await world.storage.channelURLs
        for channel in channels {
            mirror.groupChannels[channel] = try await reader.channel(channel).value
            mirror.sequence = try await reader.coverage(of: channel).sequence
            let held = try await held(in: channel, reader, app)
            if held != Mirror.Channel() { mirror.channels[channel] = held }
        }
        return mirror
    }

    private func held(
        in channel: ChannelURL, _ reader: StoreReader, _ app: SimulatedApp
    ) async throws -> Mirror.Channel {
        var held = Mirror.Channel(coverage: try await reader.coverage(of: channel).value)
        for filter in app.filters[channel] ?? [] {
            let known = try await reader.coverage(of: channel, under: filter).value
            if known != held.coverage { held.filtered[filter] = known }
        }
        let everything = MessageQuery(in: channel, limit: 1_000_000)
        for message in try await reader.messages(everything).value {
            guard let glimpse = Glimpse(message) else { continue }
            held.messages[glimpse.place.messageID] = glimpse
            try expect(
                held.covers(glimpse),
                "\(app.name) holds \(glimpse) of \(channel) outside its coverage")
        }
        return held
    }

    /// Reads the blurred channels of an app from its disk, and checks their coverage under filters.
    ///
    /// A channel is blurred if the journal reported less than its whole content (`needsReread`).
    func rereadFromDisk(_ app: SimulatedApp) async throws {
        guard let store = app.client?.store else { return }
        for channel in channels where app.mirror.channels[channel]?.needsReread ?? false {
            let held = try await held(in: channel, store.readers[0], app)
            app.mirror.channels[channel] = held
            let log = log(of: channel, for: app.user)
            for (filter, known) in held.filtered {
                for range in known.ranges {
                    try invariants(of: app).checkComplete(
                        from: range.lower, through: range.upper, held, log, under: filter)
                }
            }
        }
    }

    /// Checks that the disk has the content that the journal reported.
    func checkDisk(of app: SimulatedApp) async throws {
        guard let store = app.client?.store else { return }
        let disk = try await mirror(of: store, app)
        for channel in channels {
            let reported = app.mirror.channels[channel] ?? Mirror.Channel()
            let held = disk.channels[channel] ?? Mirror.Channel()
            try expect(
                reported.messages == held.messages && reported.coverage == held.coverage,
                "\(app.name) has reported of \(channel) \(reported.difference(from: held)), but "
                    + "its disk differs")
            try expect(
                app.mirror.groupChannels[channel]?.name == disk.groupChannels[channel]?.name
                    && app.mirror.groupChannels[channel]?.lastMessage?.text
                        == disk.groupChannels[channel]?.lastMessage?.text,
                "\(app.name) has reported of the channel \(channel) a state unlike its disk's")
        }
    }
}
