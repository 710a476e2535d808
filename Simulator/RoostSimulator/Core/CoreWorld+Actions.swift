// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// The actions of a core world: those of the full worlds (`Simulation+Actions`), given to the
// machine as inputs and operations.

extension CoreWorld {
    /// Performs an action; none if it is impossible at this moment, such as in a dead process.
    func perform(
        _ action: Action, _ device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        switch action {
        case .send, .sendSeveral, .reply, .edit, .delete, .resend, .cancel, .sendFile,
            .addReaction, .editUnsent, .deleteUnsent, .markRead, .changeChannel, .leaveHere,
            .draft:
            if device.canAct { write(action, device) }
        case .openTimeline, .openInPast, .openFiltered, .jump, .closeTimeline, .loadOlder,
            .loadNewer, .openList, .loadMore, .closeList, .download, .steerDownload,
            .downloadFromPast:
            if device.canAct { look(action, device, on: storage) }
        case .createChannel, .lookUpChannel, .clearChannel, .clearAll, .trim:
            if device.canAct { keep(action, device) }
        case .connect: if device.canAct { connect(device) }
        case .disconnect: if device.canAct { give(.disconnect(isLogout: false), device) }
        case .reconnect: if device.canAct { reconnect(device) }
        case .waitUntilIdle: if device.canAct { waitUntilIdle(device) }
        case .markAtServer: if device.canAct { markAtServer(device) }
        case .compare: if device.canAct { compare(device, someChannel()) }
        case .ask: if device.canAct { ask(device) }
        case .race: try race(device, on: storage)
        case .blink: try blink(device, on: storage)
        case .sendElsewhere, .replyElsewhere, .burst, .editElsewhere, .deleteElsewhere,
            .readElsewhere, .leave, .join, .rename, .createElsewhere, .react, .hide, .show,
            .resetHistory, .muteMember:
            performElsewhere(action, on: storage)
        case .cutLink, .restoreLink, .loseNetwork, .findNetwork, .leaveForeground,
            .enterForeground, .roughen, .slowDown, .calm, .relaunch, .crash, .crashSoon, .suspend,
            .wake, .fillDisk, .freeDisk, .moveClock:
            befall(action, device)
        case .moveServerClock:
            let jump = random.clockJump()
            note("the server's clock jumps by \(jump) ms")
            serverClockError += jump
        case .wait: try pass(.milliseconds(Int64(random.next() % 500)), on: storage)
        case .waitLong: try pass(.seconds(Int64(5 + random.next() % 60)), on: storage)
        }
    }

    func connect(_ device: CoreDevice) {
        call("connect", .connecting(Connecting()), device)
    }

    /// Waits as `roost client` does.
    private func waitUntilIdle(_ device: CoreDevice) {
        call("wait until idle", device) { .awaitIdle($0, atMost: .seconds(9)) }
    }

    private func reconnect(_ device: CoreDevice) {
        give(.disconnect(isLogout: false), device)
        connect(device)
    }

    /// Begins a read, and changes data at the server or ends the process before the answer arrives.
    private func race(
        _ device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        guard device.canAct else { return }
        let channel = someChannel()
        // A slow answer outlives its connection, or is overtaken by events.
        let rate = device.weather.slowAnswer
        let isSlow = random.pick(3) == 0
        if isSlow { device.weather.slowAnswer = 1000 }
        defer { device.weather.slowAnswer = rate }
        var opened: TimelineID?
        switch random.pick(5) {
        case 0: look(.openList, device, on: storage)
        case 1: look(.loadOlder, device, on: storage)
        case 2: look(.jump, device, on: storage)
        default:
            if device.timelines.count >= 3 { look(.closeTimeline, device, on: storage) }
            opened = openTimeline(device, channel, startingAt: .distantFuture)
        }
        for _ in 0...random.pick(3) {
            try pass(.milliseconds(Int64(random.pick(isSlow ? 800 : 80))), on: storage)
            switch random.pick(15) {
            case 0, 1: performElsewhere(.deleteElsewhere, in: channel, on: storage)
            case 2, 3: performElsewhere(.editElsewhere, in: channel, on: storage)
            case 4: performElsewhere(.rename, in: channel, on: storage)
            case 5: performElsewhere(.leave, in: channel, on: storage)
            case 6: if device.canAct { reconnect(device) }
            case 7: performElsewhere(.sendElsewhere, in: channel, on: storage)
            case 8, 11: performElsewhere(.react, in: channel, on: storage)
            case 9: return befall(.crash, device)
            case 10:
                // The server refuses requests while it sends an event about which the client asks.
                let rate = device.weather.refusedRequest
                device.weather.refusedRequest = 1000
                performElsewhere(.rename, in: channel, on: storage)
                try pass(.milliseconds(Int64(100 + random.pick(200))), on: storage)
                device.weather.refusedRequest = rate
            case 12, 13: if device.canAct { jump(device, opened) }
            default: performElsewhere(.join, in: channel, on: storage)
            }
        }
        if isSlow, device.canAct, random.pick(2) == 0 { reconnect(device) }
    }

    /// Cuts the link for a moment, with a message or an edit meanwhile and more during the return.
    private func blink(
        _ device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        guard device.isLinkUp else { return }
        let channel =
            random.pick(of: device.state.timelines.ids).flatMap {
                device.state.timelines[$0]?.channel
            }
            ?? someChannel()
        note("\(device.name) link cut for a moment")
        cut(device)
        // A client that knows of the loss connects at once on its end.
        if device.canAct { give(.link(.networkChanged(isUp: false)), device) }
        for _ in 0...random.pick(2) { happen(in: channel, to: device, on: storage) }
        try pass(.milliseconds(Int64(random.next() % 3_000)), on: storage)
        device.isLinkUp = true
        if device.canAct { give(.link(.networkChanged(isUp: true)), device) }
        for _ in 0..<random.pick(4) {
            try pass(.milliseconds(Int64(random.pick(150))), on: storage)
            happen(in: channel, to: device, on: storage)
        }
    }

    /// Changes a channel at the server once, as another device of a user.
    private func happen(
        in channel: ChannelURL, to device: CoreDevice, on storage: isolated MemoryStorage
    ) {
        switch random.pick(9) {
        case 0, 1: performElsewhere(.sendElsewhere, in: channel, on: storage)
        case 2, 3: performElsewhere(.editElsewhere, in: channel, on: storage)
        case 4: performElsewhere(.deleteElsewhere, in: channel, on: storage)
        case 5: performElsewhere(.rename, in: channel, on: storage)
        case 6: performElsewhere(.hide, in: channel, by: device.user, on: storage)
        case 7: performElsewhere(.show, in: channel, by: device.user, on: storage)
        default: performElsewhere(.react, in: channel, on: storage)
        }
    }

    // MARK: Reading

    /// Performs an action on a timeline, a list or a download.
    private func look(
        _ action: Action, _ device: CoreDevice, on storage: isolated MemoryStorage
    ) {
        switch action {
        case .openTimeline: openTimeline(device, someChannel(), startingAt: .distantFuture)
        case .openInPast: openTimeline(device, someChannel(), startingAt: somePast())
        case .openFiltered:
            let channel = someChannel()
            openTimeline(
                device, channel, startingAt: random.pick(4) == 0 ? somePast() : .distantFuture,
                filter: random.messageFilter(
                    senders: (0..<shape.users).map(user), storage.entries(of: channel)))
        case .jump: jump(device, nil)
        case .closeTimeline:
            guard let id = someTimeline(device) else { return }
            note("\(device.name) closes timeline \(id.number)")
            device.timelines[id] = nil
            give(.closeTimeline(id), device)
        case .loadOlder, .loadNewer:
            guard let id = someTimeline(device) else { return }
            let direction: PageDirection = action == .loadOlder ? .older : .newer
            call(
                "load \(direction) in \(id.number)",
                .timelinePaging(TimelinePaging(id, direction)), device)
        case .openList: openList(device)
        case .loadMore:
            guard let id = random.pick(of: device.lists.keys.sorted { $0.number < $1.number })
            else { return }
            call("load more in \(id.number)", .listPaging(ListPaging(id)), device)
        case .closeList:
            guard let id = random.pick(of: device.lists.keys.sorted { $0.number < $1.number })
            else { return }
            note("\(device.name) closes list \(id.number)")
            device.lists[id] = nil
            give(.closeList(id), device)
        case .download: download(device, from: nil)
        case .downloadFromPast: download(device, from: somePast())
        case .steerDownload:
            guard let id = random.pick(of: device.downloads.keys.sorted()) else { return }
            let input: DownloadInput = [.pause, .pause, .resume, .resume, .cancel][random.pick(5)]
            note("\(device.name) \(input) of download \(id.number)")
            give(.download(id, input), device)
        default: preconditionFailure("\(action) is no looking.")
        }
    }

    /// Moves a timeline, or any of the device if it is not open.
    private func jump(_ device: CoreDevice, _ timeline: TimelineID?) {
        let open = timeline.flatMap { device.timelines[$0] == nil ? nil : $0 }
        guard let id = open ?? someTimeline(device), device.calls.count < Self.callLimit else {
            return
        }
        let moment = random.pick(3) == 0 ? .distantFuture : somePast()
        device.timelines[id]?.isInPlace = true
        call(
            "jump in \(id.number) to \(moment)",
            .timelineJump(TimelineJump(id, to: moment)), device, then: .jumped(id))
    }

    @discardableResult
    func openTimeline(
        _ device: CoreDevice, _ channel: ChannelURL, startingAt start: Timestamp,
        filter: MessageFilter = .everything, capacity: Int = 300
    ) -> TimelineID? {
        guard device.state.timelines.ids.count < 3 || capacity == .max else { return nil }
        let open = OpenTimeline(
            TimelineID(number()), channel: channel, startingAt: start, filter: filter,
            capacity: capacity, pageSize: shape.pageSize)
        give(.openTimeline(open), device)
        call(
            "open timeline \(open.id.number) of \(channel) at \(start) under \(filter)",
            .timelineOpening(TimelineOpening(open.id)), device,
            then: .openedTimeline(open.id), atMost: .max)
        return open.id
    }

    private func openList(_ device: CoreDevice) {
        guard device.state.lists.ids.count < 2 else { return }
        let query = random.listQuery()
        let open = OpenList(ListID(number()), query, viewer: device.user)
        give(.openList(open), device)
        call(
            "open list \(open.id.number) \(query)", .listOpening(ListOpening(open.id)), device,
            then: .openedList(open.id), atMost: .max)
    }

    private func download(_ device: CoreDevice, from start: Timestamp?) {
        guard device.downloads.count < 2 else { return }
        let request = DownloadRequest(
            channels: random.pick(2) == 0 ? [someChannel()] : nil,
            since: random.pick(2) == 0 ? somePast() : .distantPast,
            startingAt: start ?? .distantFuture, pause: .milliseconds(Int64(random.pick(3) * 200)))
        let id = DownloadID(number())
        device.downloads[id] = DownloadProgress()
        note("\(device.name) downloads \(request)")
        give(.download(id, .begin(request)), device)
    }

    // MARK: Channels and the cache

    /// Creates or looks up a channel, or removes messages from the cache.
    private func keep(_ action: Action, _ device: CoreDevice) {
        switch action {
        case .createChannel:
            guard channels.count < shape.channels * 2 else { return }
            let others = (0..<shape.users).map(user).filter { $0 != device.user }
            var create = CreateChannel(
                userIDs: [device.user] + others, name: "made by \(device.name)")
            create.channelURL = ChannelURL("channel-\(number())")
            if let url = create.channelURL { channels.append(url) }
            call("create channel", .channelCreation(ChannelCreation(create)), device)
        case .lookUpChannel:
            let url = someChannel()
            call("look up \(url)", .channelSearch(ChannelSearch(url)), device)
        case .clearChannel:
            device.noteLoss()
            let url = someChannel()
            call("clear \(url)", .cacheClearing(CacheClearing(.channel(url))), device)
        case .clearAll:
            device.noteLoss()
            device.listBegan = nil
            call("clear all", .cacheClearing(CacheClearing(.all)), device)
        case .trim:
            device.noteLoss()
            let bytes = Int64(random.next() % 2) * 40_000
            call(
                "trim to \(bytes)", .cacheTrimming(CacheTrimming(downTo: bytes)), device)
        default: preconditionFailure("\(action) is no keeping.")
        }
    }

    // MARK: Choices

    func someChannel() -> ChannelURL { channels[random.pick(channels.count)] }

    private func somePast() -> Timestamp { random.past(until: serverTime) }

    func someTimeline(_ device: CoreDevice) -> TimelineID? {
        random.pick(of: device.timelines.keys.sorted { $0.number < $1.number })
    }

    /// Chooses a message that a timeline of the device shows.
    func someShown(
        _ device: CoreDevice, where isMeant: (Message) -> Bool
    ) -> (ChannelURL, Message)? {
        guard let id = someTimeline(device), let open = device.state.timelines[id],
            let message = random.pick(of: open.messages.filter(isMeant))
        else { return nil }
        return (open.channel, message)
    }

    /// Chooses a delivered message of the device's user.
    func someOwn(_ device: CoreDevice) -> (ChannelURL, Message)? {
        someShown(device) { $0.messageID != nil && $0.sender?.user.id == device.user }
    }
}
