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

    /// Applies a commit and checks its changes only.
    func follow(_ commit: Commit, _ app: SimulatedApp) throws(Violation) {
        guard commit.sequence > app.mirror.sequence else { return }
        app.mirror.sequence = commit.sequence
        for change in commit.changes {
            switch change {
            case .messages(let change):
                app.mirror.apply(change)
                try checkTruth(of: change, app)
            case .channels(let change): app.mirror.apply(change)
            case .users: break
            }
        }
    }

    private func checkTruth(of change: MessagesChange, _ app: SimulatedApp) throws(Violation) {
        let log = log(of: change.channel)
        let held = app.mirror.channels[change.channel]?.messages ?? [:]
        for message in change.inserted + change.updated.map(\.after) {
            guard let glimpse = Glimpse(message) else { continue }
            try checkKnown(glimpse, log, change.channel, app)
            try expect(
                app.mirror.channels[change.channel].map { $0.isBlurred || $0.covers(glimpse) }
                    ?? false,
                "\(app.name) holds \(glimpse) of \(change.channel) outside its coverage")
        }
        let visible = self.log(of: change.channel, for: app.user)
        for message in change.deleted {
            // A message from before the user's own beginning does not exist for the user: the
            // server answers so.
            guard let place = message.position, let index = visible.index(of: place) else {
                continue
            }
            try expect(
                visible[index].deletedAt != nil
                    || change.coverageAfter.range(containing: place) == nil,
                "\(app.name) dropped \(place) of \(change.channel), which is in the log")
        }
        for range in change.coverageAfter.ranges
        where !change.coverageBefore.ranges.contains(range) {
            // The earlier coverage was checked earlier.
            let old = change.coverageBefore.range(containing: range.lower)
            let start = old.map { $0.upper.next } ?? range.lower
            try checkComplete(
                from: start, through: range.upper, visible, held, change.channel, app)
        }
    }

    /// Checks that the cache has every message of the server in a covered stretch.
    func checkComplete(
        from lower: Position, through upper: Position, _ log: [MemoryChannel.Entry],
        _ held: [MessageID: Glimpse], _ channel: ChannelURL, _ app: SimulatedApp,
        under filter: MessageFilter = .everything
    ) throws(Violation) {
        var index = log.firstIndex(atOrAfter: lower)
        while index < log.count, let place = log[index].message.position, place <= upper {
            let entry = log[index]
            // Whether an edit made it match the filter is not known in this app at once.
            let isMeant =
                filter == .everything
                || (filter.matches(entry.message) && entry.message.updatedAt == nil)
            try expect(
                entry.deletedAt != nil || !isMeant || held[place.messageID] != nil,
                "\(app.name) covers \(channel) from \(lower) through \(upper) without \(place)"
                    + (filter == .everything ? "" : " under \(filter)"))
            index += 1
        }
    }

    /// Checks that the cache has no message that the server never had, and no newer state of one.
    private func checkKnown(
        _ glimpse: Glimpse, _ log: [MemoryChannel.Entry], _ channel: ChannelURL,
        _ app: SimulatedApp
    ) throws(Violation) {
        guard let index = log.index(of: glimpse.place) else {
            throw Violation(sentence: "\(app.name) holds \(glimpse), which \(channel) never had")
        }
        let entry = log[index]
        guard entry.deletedAt == nil else { return }
        let now = entry.message.updatedAt ?? .distantPast
        let then = glimpse.updatedAt ?? .distantPast
        try expect(
            then < now || (then == now && glimpse.text == entry.message.text),
            "\(app.name) holds \(glimpse), the server “\(entry.message.text)” of \(now)")
    }

    // MARK: No cursor is ahead of its data

    /// Checks that the cache has the data before each cursor, whenever the process may end.
    func checkCursors(of app: SimulatedApp) async throws {
        guard let reader = app.launched?.client.store.readers[0] else { return }
        for (channel, held) in app.mirror.channels {
            guard let cursor = try await reader.cursor(.messageChanges(channel)).value else {
                continue
            }
            for entry in log(of: channel, for: app.user) where cursor.covers(entry.change) {
                guard let place = entry.message.position,
                    let glimpse = held.messages[place.messageID]
                else { continue }
                try expect(
                    entry.deletedAt == nil,
                    "\(app.name) holds \(glimpse) of \(channel), deleted before its cursor \(cursor)"
                )
                try expect(
                    glimpse == Glimpse(entry.message),
                    "\(app.name) holds \(glimpse) of \(channel), but its cursor \(cursor) is past "
                        + "“\(entry.message.text)”")
            }
        }
        guard let cursor = try await reader.cursor(.channelChanges).value else {
            app.listBegan = nil
            return
        }
        let began = app.listBegan ?? cursor.moment ?? app.device.network.lastLoginAt
        app.listBegan = began
        let isFilled = try await reader.cursor(.channelFill).value == .token("")
        for listing in await world.storage.listings(of: app.user)
        where cursor.covers((listing.changeSequence, listing.changedAt)) {
            let held = app.mirror.groupChannels[listing.record.url]
            guard listing.state != .none else {
                try expect(
                    held == nil,
                    "\(app.name) holds \(listing.record.url), left before its cursor \(cursor)")
                continue
            }
            // A change from before the beginning of the log belongs to the pages of the list.
            if held == nil, !isFilled, began.map({ listing.changedAt <= $0 }) ?? true { continue }
            try expect(
                held?.name == listing.record.name
                    && held?.lastMessage?.createdAt == listing.lastMessageAt,
                "\(app.name) holds \(listing.record.url) as “\(held?.name ?? "nothing")” with "
                    + "\(held?.lastMessage?.text ?? "nothing"), but its cursor \(cursor) is past "
                    + "“\(listing.record.name)” with \(listing.lastMessageAt ?? .distantPast)")
        }
    }

    // MARK: Collections

    /// The longest allowed time of a call; every time limit of the engine is shorter.
    private static let patience = Duration.seconds(300)

    /// Checks everything that changed since the last step, and the disk now and then.
    func checkNow() async throws {
        try throwViolation()
        let late = pendingCalls.values.first { call in
            executor.now - call.since > Self.patience && !apps[call.app].isSuspended
        }
        if let late {
            throw Violation(sentence: "A call has not returned for minutes: \(late.name)")
        }
        for app in apps where app.client != nil {
            try await sharpen(app)
            for watch in app.timelines where watch.isDirty {
                watch.isDirty = false
                try check(await watch.collection.snapshot, watch, app)
            }
            for watch in app.lists where watch.isDirty {
                watch.isDirty = false
                try check(await watch.collection.snapshot, watch, app)
            }
        }
        // Reading a whole disk costs more than a hundred steps.
        if step % 150 == 149, let app = pick(of: apps), app.client != nil {
            try await checkDisk(of: app)
            try await checkCursors(of: app)
        }
    }

    func check(
        _ shown: Timeline.Snapshot, _ watch: Watch<Timeline>, _ app: SimulatedApp
    ) throws(Violation) {
        let channel = watch.collection.channel
        let place = "\(app.name) timeline \(watch.number) of \(channel)"
        let delivered = shown.messages.prefix { $0.status == .succeeded }
        let unsent = shown.messages.dropFirst(delivered.count)
        try expect(
            unsent.allSatisfy { $0.status != .succeeded },
            "\(place) shows delivered messages after unsent ones")
        try expect(
            shown.messages.allSatisfy { $0.channelURL == channel },
            "\(place) shows another channel's messages")
        let glimpses = delivered.compactMap { Glimpse($0) }
        try expect(
            zip(glimpses, glimpses.dropFirst()).allSatisfy { $0.place < $1.place },
            "\(place) is out of order or has duplicates")
        let requests = shown.messages.compactMap(\.requestID)
        try expect(Set(requests).count == requests.count, "\(place) shows one message twice")
        try expect(
            watch.holds(shown.messages), "\(place) differs from the sum of its changes")
        guard let first = glimpses.first?.place, let last = glimpses.last?.place else { return }
        let filter = watch.collection.filter
        try expect(
            shown.messages.allSatisfy(filter.matches),
            "\(place) shows messages outside its filter: \(filter)")
        let held = (app.mirror.channels[channel] ?? Mirror.Channel()).messages.values
            .filter { first <= $0.place && $0.place <= last && filter.matches($0.message) }
            .sorted { $0.place < $1.place }
        try expect(
            held == glimpses,
            "\(place) differs from the store in its stretch: it lacks "
                + "\(held.filter { !glimpses.contains($0) }) and has "
                + "\(glimpses.filter { !held.contains($0) }) instead")
        guard !shown.hasOlder else { return }
        // An edit that made a message match the filter may not be known in this app yet.
        let oldest = log(of: channel, for: app.user).first { entry in
            entry.deletedAt == nil && filter.matches(entry.message)
                && (filter.customTypes == nil || entry.message.updatedAt == nil)
        }?.message.position
        try expect(
            oldest.map { first <= $0 } ?? true,
            "\(place) claims to begin with the first message, which is \(oldest ?? first)")
    }

    func check(
        _ shown: ChannelList.Snapshot, _ watch: Watch<ChannelList>, _ app: SimulatedApp
    ) throws(Violation) {
        let place = "\(app.name) list \(watch.number)"
        let query = watch.collection.query
        let keys = shown.channels.map(query.order.key)
        try expect(
            zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 },
            "\(place) is out of order or has duplicates")
        try expect(
            watch.holds(shown.channels), "\(place) differs from the sum of its changes")
        for channel in shown.channels {
            try expect(
                query.filter.matches(channel, viewer: app.user),
                "\(place) shows \(channel.url), which is none of its channels")
            try expect(
                app.mirror.groupChannels[channel.url]?.lastMessage == channel.lastMessage
                    && app.mirror.groupChannels[channel.url]?.name == channel.name,
                "\(place) shows \(channel.url) in another state than the store's")
        }
        guard let last = keys.last else { return }
        let missing = app.mirror.groupChannels.values.first { channel in
            query.filter.matches(channel, viewer: app.user)
                && query.order.key(of: channel) < last
                && !shown.channels.contains { $0.url == channel.url }
        }
        try expect(missing == nil, "\(place) leaves out \(missing?.url.rawValue ?? "")")
    }
}

extension Cursor {
    fileprivate var moment: Timestamp? {
        if case .moment(let moment) = self { moment } else { nil }
    }

    /// Whether a change happened before the moment to which the cursor has read.
    fileprivate func covers(_ change: (sequence: Int64, at: Timestamp)) -> Bool {
        switch self {
        case .moment(let moment): change.at < moment
        case .token(let token): Int64(token.dropFirst()).map { change.sequence <= $0 } ?? false
        }
    }
}

extension [MemoryChannel.Entry] {
    func firstIndex(after moment: Timestamp) -> Int {
        firstIndex(
            atOrAfter: Position(
                createdAt: Timestamp(milliseconds: moment.milliseconds + 1),
                messageID: MessageID(.min)))
    }

    func firstIndex(atOrAfter place: Position) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if (self[middle].message.position ?? .distantPast) < place {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    func index(of place: Position) -> Int? {
        let index = firstIndex(atOrAfter: place)
        return index < count && self[index].message.position == place ? index : nil
    }
}
