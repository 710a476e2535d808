// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// The invariants of a core world, at every step and at rest.

extension CoreWorld {
    func log(
        of channel: ChannelURL, for user: UserID, on storage: isolated MemoryStorage
    ) -> ServerLog {
        ServerLog(
            of: channel, storage.entries(of: channel),
            hiddenThrough: storage.messageOffset(of: user, in: channel))
    }

    func invariants(of device: CoreDevice) -> CacheInvariants {
        CacheInvariants(device: device.name, hasClockGoneBack: hasClockGoneBack)
    }

    /// Runs a check inside an event; the next step reports its violation.
    func note(_ check: () throws(Violation) -> Void) {
        do throws(Violation) { try check() } catch { violation = violation ?? error }
    }

    // MARK: The cache

    /// Checks the changes of a commit.
    func follow(_ commit: Commit, _ device: CoreDevice, on storage: isolated MemoryStorage) {
        note { () throws(Violation) in
            for case .messages(let change) in commit.changes {
                let log = log(of: change.channel, for: device.user, on: storage)
                try invariants(of: device).checkTruth(
                    of: change, device.store.history(of: change.channel), log)
                try device.deleted.follow(change, log, on: device.name)
            }
        }
    }

    func checkCursors(of device: CoreDevice, on storage: isolated MemoryStorage) {
        note { () throws(Violation) in
            let checks = invariants(of: device)
            for channel in channels {
                guard let held = device.store.history(of: channel),
                    let cursor = device.store.cursor(.messageChanges(channel)),
                    // A change after the clock went back may have an earlier time than the moment.
                    cursor.moment == nil || !hasClockGoneBack
                else { continue }
                try checks.checkCursor(
                    cursor, held, log(of: channel, for: device.user, on: storage))
            }
            guard let cursor = device.store.cursor(.channelChanges) else {
                device.listBegan = nil
                return
            }
            let began = device.listBegan ?? cursor.moment ?? device.lastLoginAt
            device.listBegan = began
            let isFilled = device.store.cursor(.channelFill) == .listEnd
            if cursor.moment != nil, hasClockGoneBack { return }
            for listing in storage.listings(of: device.user) {
                try checks.checkCursor(
                    cursor, of: listing, device.store.channel(listing.record.url), began: began,
                    isFilled: isFilled)
            }
        }
    }

    /// Checks that everything the store covers is there, under every filter.
    private func checkCoverage(
        of device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        for channel in channels {
            guard let held = device.store.history(of: channel) else { continue }
            let log = log(of: channel, for: device.user, on: storage)
            for (filter, coverage) in held.coverages {
                for range in coverage.ranges {
                    try invariants(of: device).checkComplete(
                        from: range.lower, through: range.upper, held, log, under: filter)
                }
            }
        }
    }

    // MARK: Every step

    /// The longest allowed time of a call; every time limit of the machine is shorter.
    private static let patience = Duration.seconds(300).microseconds

    /// Checks the time that a call has taken so far.
    func check(_ call: CoreDevice.Call, _ device: CoreDevice) throws(Violation) {
        try expect(
            now - call.since <= Self.patience,
            "\(device.name): a call has not returned for minutes: \(call.name)")
        guard call.isTimed else { return }
        try device.answers.check(
            "\(device.name): \(call.name)", since: .microseconds(call.since),
            at: .microseconds(now))
    }

    /// Checks everything that changed since the last step.
    func checkNow(on storage: isolated MemoryStorage) throws(Violation) {
        if let violation { throw violation }
        for device in devices where !device.isSuspended {
            try device.health.follow(device.state.health, at: .microseconds(now))
            for call in device.calls.values { try check(call, device) }
            // A collection follows a commit once the machine has received it.
            guard device.unreportedCommits == 0 else { continue }
            for (id, watch) in device.timelines where watch.isDirty {
                // A read under way brings what the collection lacks.
                if device.state.timelines[id]?.reads.isUnderWay == true { continue }
                device.timelines[id]?.isDirty = false
                try check(id, watch, device, on: storage)
            }
            for (id, watch) in device.lists where watch.isDirty {
                if device.state.lists[id]?.reads.isUnderWay == true { continue }
                device.lists[id]?.isDirty = false
                try check(id, watch, device)
            }
        }
        if step % 20 == 19 {
            let device = devices[random.pick(devices.count)]
            checkCursors(of: device, on: storage)
            try checkCoverage(of: device, on: storage)
        }
        if let violation { throw violation }
    }

    @discardableResult
    private func check(
        _ id: TimelineID, _ watch: CoreDevice.Watch<Message>, _ device: CoreDevice,
        on storage: isolated MemoryStorage
    ) throws(Violation) -> ShownTimeline? {
        guard let open = device.state.timelines[id] else { return nil }
        let shown = ShownTimeline(
            channel: open.channel, filter: open.filter, messages: open.messages,
            hasOlder: open.list.hasOlder, hasNewer: open.list.hasNewer,
            hasHugeGap: open.hasHugeGap, sentBeyondGap: open.beyondGapCount,
            place: watch.isInPlace ? open.start : nil, isReading: open.reads.isUnderWay,
            marks: open.marks)
        // A full timeline that follows the newest end removes the messages of its beginning.
        if open.list.delivered.count == open.list.capacity {
            device.timelines[id]?.isInPlace = false
        }
        let place = "\(device.name) timeline \(id.number) of \(open.channel)"
        try expect(
            open.latestMarks == device.state.outbox.messageMarks(in: open.channel),
            "\(place) shows other changes than those that wait")
        try CollectionInvariants(place: place).check(
            shown, watch.changes, device.store.history(of: open.channel),
            log(of: open.channel, for: device.user, on: storage))
        return shown
    }

    @discardableResult
    private func check(
        _ id: ListID, _ watch: CoreDevice.Watch<GroupChannel>, _ device: CoreDevice
    ) throws(Violation) -> ShownList? {
        guard let open = device.state.lists[id] else { return nil }
        let shown = ShownList(
            filter: open.query.filter, order: open.query.order, channels: open.list.channels,
            hasMore: open.list.hasMore)
        // A list whose read has failed is read again with the next commit.
        let outbox = device.state.outbox
        let unsure = open.list.isBehind || open.hasWaitingMarks ? Set(channels) : []
        try CollectionInvariants(place: "\(device.name) list \(id.number)").check(
            shown, watch.changes,
            device.store.groupChannels.mapValues { $0.marked(outbox.marks(of: $0.url)) },
            viewer: device.user, unsure: unsure)
        return shown
    }

    // MARK: Rest

    /// Ends all faults for some minutes and checks the result; actions may continue afterwards.
    ///
    /// The whole history is checked only at the end, because that costs more than all other checks.
    func comeToRest(isEnd: Bool, on storage: isolated MemoryStorage) throws(Violation) {
        note("calm")
        random.restart(seed: ~seed, step: -step - 2)
        for device in devices {
            wake(device)
            device.weather = .calm
            device.isLinkUp = true
            device.isDiskFull = false
            device.eventsToCrash = nil
        }
        // Enough for all earlier calls to end.
        try pass(.seconds(20), on: storage)
        for device in devices {
            if device.hasLostFrame { cut(device) }
            device.isLinkUp = true
            device.isDiskFull = false
            give(.link(.networkChanged(isUp: true)), device)
            give(.link(.appMoved(toForeground: true)), device)
            connect(device)
            for id in device.downloads.keys.sorted() { give(.download(id, .resume), device) }
        }
        try settle(on: storage)
        for device in devices {
            try checkLists(of: device, on: storage)
            try checkTimelines(of: device, on: storage)
            try checkCache(of: device, on: storage)
            try checkDownloads(of: device)
            sendFailed(of: device)
        }
        try settle(on: storage)
        if isEnd, let device = random.pick(of: devices) {
            try checkAnswers(to: device, on: storage)
            try checkHistory(of: device, on: storage)
        }
        for device in devices {
            for channel in channels {
                let access = storage.writing(of: device.user, in: channel, at: serverTime)
                try DeliveryInvariants(device: device.name).check(
                    device.sent, device.state.outbox.items, access,
                    log(of: channel, for: device.user, on: storage))
                guard access != .none else { continue }
                for change in device.state.outbox.pendingChanges(in: channel) {
                    if case .unsent? = change.action.target { continue }
                    throw Violation(
                        sentence: "\(device.name) still has \(change) pending at rest")
                }
            }
            try checkChanges(of: device)
            try checkMessageChanges(of: device, on: storage)
            try checkDrafts(of: device)
            checkCursors(of: device, on: storage)
            try checkCoverage(of: device, on: storage)
            try expect(!device.machine.isBusy, "\(device.name) is busy at rest")
            try device.health.checkRest(device.state.health)
        }
        if let violation { throw violation }
    }

    private func settle(on storage: isolated MemoryStorage) throws(Violation) {
        for _ in 0..<6 {
            try pass(.seconds(30), on: storage)
            try checkNow(on: storage)
        }
    }

    func isMember(
        _ user: UserID, of channel: ChannelURL, on storage: isolated MemoryStorage
    ) -> Bool {
        storage.access(to: channel, of: user)?.state == .joined
    }

    /// Checks the cached channels and the cached messages of open timelines.
    private func checkCache(
        of device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        // A change after the clock went back may be earlier than the moment of a cursor.
        guard !hasClockGoneBack,
            case .success(.myChannels(let page)) = server.answer(
                .myChannels(.all(of: device.user)), as: device.user, on: storage, at: serverTime)
        else { return }
        let open = Set(device.timelines.keys.compactMap { device.state.timelines[$0]?.channel })
        let channels = device.store.groupChannels
        let isFilled = device.store.cursor(.channelFill) == .listEnd
        try invariants(of: device).checkRest(channels, isFilled: isFilled, page.channels)
        try invariants(of: device).checkMutes(
            of: device.user, channels, shown: open, page.channels, at: serverTime)
        if isFilled {
            try invariants(of: device).checkUnread(
                channels.values.unreadTotal, storage.unreadTotal(of: device.user))
        }
        for channel in open.sorted() where isMember(device.user, of: channel, on: storage) {
            guard let held = device.store.history(of: channel) else { continue }
            try invariants(of: device).checkRest(
                held, log(of: channel, for: device.user, on: storage))
        }
    }

    private func checkLists(
        of device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        for (id, watch) in device.lists {
            // As in the cache, a change after the clock went back may be missed.
            guard let shown = try check(id, watch, device), !hasClockGoneBack else { continue }
            let question = ListMyChannels(
                userID: device.user, limit: 100, order: shown.order,
                showsEmpty: shown.filter.includesEmpty,
                showsFrozen: shown.filter.includesFrozen, filters: shown.filter.query)
            guard
                case .success(.myChannels(let page)) = server.answer(
                    .myChannels(question), as: device.user, on: storage, at: serverTime)
            else { continue }
            try CollectionInvariants(place: "\(device.name) list \(id.number), at rest,")
                .checkRest(shown, page.channels)
        }
    }

    private func checkTimelines(
        of device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        for (id, watch) in device.timelines {
            guard let shown = try check(id, watch, device, on: storage),
                isMember(device.user, of: shown.channel, on: storage)
            else { continue }
            // As in the cache, an edit or a reset after the clock went back may be missed.
            guard !hasClockGoneBack else { continue }
            let place = "\(device.name) timeline \(id.number) of \(shown.channel), at rest,"
            try CollectionInvariants(place: place).checkRest(
                shown, log(of: shown.channel, for: device.user, on: storage))
        }
    }

    /// Checks that a download ends with a connection and without a pause.
    private func checkDownloads(of device: CoreDevice) throws(Violation) {
        for progress in device.downloads.values {
            try expect(progress.isOver, "\(device.name) has not ended a download: \(progress)")
        }
        device.downloads = [:]
    }

    /// Resends the failed messages.
    private func sendFailed(of device: CoreDevice) {
        for item in device.state.outbox.items {
            guard case .failed = item.state else { continue }
            note { () throws(Violation) in
                try expect(
                    device.store.answer(.messageOfRequest(item.requestID)) == .message(nil),
                    "\(device.name) has failed \(item.requestID), which its cache has as delivered")
            }
            noteResend(of: item.requestID, device)
            call(
                "resend \(item.requestID)",
                .outbox(.resending(OutboxResending(item.requestID))), device, atMost: .max)
        }
    }

    /// Checks that timelines opened again and paged to their beginnings equal the log.
    private func checkHistory(
        of device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        for channel in channels where isMember(device.user, of: channel, on: storage) {
            guard
                let id = openTimeline(
                    device, channel, startingAt: .distantFuture, capacity: .max)
            else { continue }
            try pass(.seconds(20), on: storage)
            var pages = 0
            while device.state.timelines[id]?.list.hasOlder ?? false {
                call(
                    "load older in \(id.number)", .timelinePaging(TimelinePaging(id, .older)),
                    device, atMost: .max)
                try pass(.seconds(1), on: storage)
                pages += 1
                try expect(pages < 1_000, "\(device.name) pages \(channel) back without end")
            }
            // A message cancelled with an unknown outcome is deleted when it appears.
            try pass(.seconds(20), on: storage)
            // As in the cache, a reset of the history after the clock went back may be missed.
            guard !hasClockGoneBack else { continue }
            try CollectionInvariants(place: "\(device.name), having paged \(channel),").checkWhole(
                device.state.timelines[id]?.messages ?? [],
                log(of: channel, for: device.user, on: storage))
            device.timelines[id] = nil
            give(.closeTimeline(id), device)
        }
    }
}
