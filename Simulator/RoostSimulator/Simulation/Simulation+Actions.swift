// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// Actions of users, on simulated devices and elsewhere.

extension Simulation {
    func perform(_ action: Action, _ app: SimulatedApp) async throws {
        switch action {
        case .send: send(1, app, to: someChannel())
        case .sendSeveral: send(2 + pick(3), app, to: someChannel())
        case .reply:
            guard app.client != nil, let watch = pick(of: app.timelines) else { return }
            let beginnings = await watch.collection.snapshot.messages.filter {
                $0.messageID != nil && $0.parentID == nil
            }
            guard let parent = pick(of: beginnings)?.messageID else { return }
            send(1, app, to: watch.collection.channel, answering: parent)
        case .blink: try await blink(app)
        case .edit:
            await withOwnMessage(app) { id, channel, number in
                app.changed.insert(channel)
                self.call(app, "edit \(id)") {
                    try await $0.edit(id, in: channel, text: "edit \(number)")
                }
            }
        case .delete:
            await withOwnMessage(app) { id, channel, _ in
                app.changed.insert(channel)
                self.call(app, "delete \(id)") { try await $0.delete(id, in: channel) }
            }
        case .resend:
            guard let id = await someFailed(app) else { return }
            resend(id, app)
        case .cancel:
            guard let id = await someFailed(app) else { return }
            noteDoubt(of: id, app)
            call(app, "cancel \(id)") { await $0.cancel(id) }
        case .openTimeline: openTimeline(app, someChannel(), startingAt: .distantFuture)
        case .openInPast: openTimeline(app, someChannel(), startingAt: somePast())
        case .openFiltered:
            let channel = someChannel()
            openTimeline(
                app, channel, startingAt: pick(4) == 0 ? somePast() : .distantFuture,
                filter: random.messageFilter(
                    senders: (0..<shape.users).map(user), log(of: channel)))
        case .jump: jump(app)
        case .download: download(app, from: .distantFuture)
        case .downloadFromPast: download(app, from: somePast())
        case .steerDownload: steerDownload(app)
        case .closeTimeline: closeTimeline(app)
        case .loadOlder: page(app, "older") { try await $0.loadOlder() }
        case .loadNewer: page(app, "newer") { try await $0.loadNewer() }
        case .openList: openList(app)
        case .loadMore:
            guard let watch = pick(of: app.lists) else { return }
            call(app, "load more in \(watch.number)") { [list = watch.collection] _ in
                try await list.loadMore()
            }
        case .closeList:
            guard !app.lists.isEmpty, app.client != nil else { return }
            let watch = app.lists.remove(at: pick(app.lists.count))
            call(app, "close list \(watch.number)") { [list = watch.collection] _ in
                await list.close()
            }
        case .createChannel:
            guard channels.count < shape.channels * 2 else { return }
            let others = (0..<shape.users).map(user).filter { $0 != app.user }
            let name = "made by \(app.name)"
            call(app, "create channel") { client in
                _ = try await client.createChannel(
                    ChannelCreateParams(memberIDs: others, name: name))
            }
        case .lookUpChannel:
            let url = someChannel()
            call(app, "look up \(url)") { _ = try await $0.channel(url) }
        case .clearChannel:
            app.noteLoss()
            let url = someChannel()
            call(app, "clear \(url)") { try await $0.clearCache(of: url) }
        case .clearAll: clearAll(app)
        case .trim:
            app.noteLoss()
            let bytes = Int64(random.next() % 2) * 40_000
            call(app, "trim to \(bytes)") {
                _ = try await $0.trimCache(downTo: ByteCount(bytes: bytes))
            }
        case .moveServerClock: moveServerClock()
        case .sendFile, .addReaction, .editUnsent, .deleteUnsent, .markRead, .changeChannel,
            .leaveHere, .draft:
            await write(action, app)
        case .connect: connect(app)
        case .reconnect: reconnect(app)
        case .waitUntilIdle:
            // As long as in `roost client`.
            call(app, "wait until idle") { _ = await $0.waitUntilIdle(atMost: .seconds(9)) }
        case .markAtServer, .compare, .ask: await question(action, app)
        case .race: try await race(app)
        case .disconnect: call(app, "disconnect") { await $0.disconnect() }
        case .wait: await pass(.milliseconds(Int64(random.next() % 500)))
        case .waitLong: await pass(.seconds(Int64(5 + random.next() % 60)))
        case .sendElsewhere, .replyElsewhere, .burst, .editElsewhere, .deleteElsewhere,
            .readElsewhere, .leave, .join, .rename, .createElsewhere, .react, .hide, .show,
            .resetHistory, .muteMember:
            try await performElsewhere(action)
        case .cutLink, .restoreLink, .loseNetwork, .findNetwork, .leaveForeground,
            .enterForeground, .roughen, .slowDown, .calm, .relaunch, .crash, .crashSoon, .suspend,
            .wake, .fillDisk, .freeDisk, .moveClock:
            try await befall(action, app)
        }
    }

    func connect(_ app: SimulatedApp) { call(app, "connect") { try await $0.connect() } }

    private func reconnect(_ app: SimulatedApp) {
        call(app, "reconnect") {
            await $0.disconnect()
            try await $0.connect()
        }
    }

    private func jump(_ app: SimulatedApp) {
        guard let watch = pick(of: app.timelines) else { return }
        let moment = pick(3) == 0 ? .distantFuture : somePast()
        call(app, "jump in \(watch.number) to \(moment)") {
            [timeline = watch.collection, number = watch.number, index = app.number] _ in
            await self.note(moment, asPlaceOf: number, in: index)
            do {
                try await timeline.jump(to: moment)
            } catch {
                await self.note(nil, asPlaceOf: number, in: index)
                throw error
            }
        }
    }

    private func note(_ place: Timestamp?, asPlaceOf timeline: Int, in index: Int) {
        apps[index].timelines.first { $0.number == timeline }?.place = place
    }

    private func clearAll(_ app: SimulatedApp) {
        app.noteLoss()
        call(app, "clear all") { [index = app.number] client in
            await self.forgetList(of: index)
            try await client.clearCache(includingUnsent: false)
            await self.forgetList(of: index)
        }
    }

    private func forgetList(of index: Int) { apps[index].listBegan = nil }

    private func moveServerClock() {
        let jump = random.clockJump()
        note("the server's clock jumps by \(jump) ms")
        if jump < 0 { hasClockGoneBack = true }
        world.serverClockError.milliseconds += jump
    }

    private func race(_ app: SimulatedApp) async throws {
        let channel = someChannel()
        // A slow answer outlives its connection, or is overtaken by events.
        let network = app.device.network
        let rate = network.weather.slowAnswer
        let isSlow = pick(3) == 0
        if isSlow { network.weather.slowAnswer = 1000 }
        defer { network.weather.slowAnswer = rate }
        switch pick(5) {
        case 0: openList(app)
        case 1: page(app, "older") { try await $0.loadOlder() }
        case 2: jump(app)
        default:
            if app.timelines.count >= 3 { closeTimeline(app) }
            openTimeline(app, channel, startingAt: .distantFuture)
        }
        for _ in 0...pick(3) {
            await pass(.milliseconds(Int64(pick(isSlow ? 800 : 80))))
            switch pick(15) {
            case 0, 1: try await performElsewhere(.deleteElsewhere, in: channel)
            case 2, 3: try await performElsewhere(.editElsewhere, in: channel)
            case 4: try await performElsewhere(.rename, in: channel)
            case 5: try await performElsewhere(.leave, in: channel)
            case 6: reconnect(app)
            case 7: try await performElsewhere(.sendElsewhere, in: channel)
            case 8, 11: try await performElsewhere(.react, in: channel)
            case 10:
                try await fallSilent(before: app) {
                    try await performElsewhere(.rename, in: channel)
                }
            case 12, 13: jump(app)
            case 9: if app.client != nil { return try await befall(.crash, app) }
            default: try await performElsewhere(.join, in: channel)
            }
        }
        if isSlow, pick(2) == 0 { reconnect(app) }
    }

    // MARK: Messages

    private func send(
        _ count: Int, _ app: SimulatedApp, to channel: ChannelURL,
        answering parent: MessageID? = nil
    ) {
        // One call at a time, so that the order of calls is known.
        guard let client = app.client, !app.isSending else { return }
        app.isSending = true
        lastNumber += 1
        let number = lastNumber
        let texts = (1...count).map { "\(app.name) \(app.sendCount + $0)" }
        app.sendCount += count
        pendingCalls[number] = PendingCall(
            app: app.number, name: "\(app.name) send", since: executor.now)
        let (kind, isShown) = (random.customType(), pick(2) == 0)
        note("\(app.name) sends \(texts) to \(channel)\(parent.map { " answering \($0)" } ?? "")")
        Task(executorPreference: executor) { [index = app.number, run = app.run] in
            for text in texts {
                let message = try? await client.send(
                    UserMessageParams(
                        text: text, data: text, customType: kind, parentID: parent,
                        isReplyToChannel: parent != nil && isShown),
                    to: channel)
                await self.noteSent(message, from: index)
            }
            await self.hasSent(from: index, in: run, number)
        }
    }

    func noteSent(_ message: Message?, from index: Int) {
        let app = apps[index]
        note("  \(app.name) \(message == nil ? "could not save it" : "saved it")")
        guard let message, let requestID = message.requestID else { return }
        app.sent.append(SentMessage(channel: message.channelURL, requestID: requestID))
    }

    func hasSent(from index: Int, in run: Int, _ number: Int) {
        _ = takeCall(number)
        if apps[index].run == run { apps[index].isSending = false }
    }

    private func withOwnMessage(
        _ app: SimulatedApp, _ act: (MessageID, ChannelURL, _ number: Int) -> Void
    ) async {
        guard app.client != nil, let watch = pick(of: app.timelines) else { return }
        let own = await watch.collection.snapshot.messages.filter {
            $0.messageID != nil && $0.sender?.user.id == app.user
        }
        guard let id = pick(of: own)?.messageID else { return }
        lastNumber += 1
        act(id, watch.collection.channel, lastNumber)
    }

    /// Chooses a failed message of a timeline that the app shows.
    private func someFailed(_ app: SimulatedApp) async -> RequestID? {
        guard app.client != nil, let watch = pick(of: app.timelines) else { return nil }
        let failed = await watch.collection.snapshot.messages.filter { $0.status == .failed }
        return pick(of: failed)?.requestID
    }

    /// Resends a failed message, which may then arrive behind later ones.
    func resend(_ id: RequestID, _ app: SimulatedApp, atMost limit: Int = 12) {
        if let index = app.sent.firstIndex(where: { $0.requestID == id }) {
            app.sent[index].wasResent = true
        }
        call(app, "resend \(id)", atMost: limit) { await $0.resend(id) }
    }

    /// Notes that a message may arrive late or never, because of a call about it.
    func noteDoubt(of id: RequestID, _ app: SimulatedApp) {
        guard let index = app.sent.firstIndex(where: { $0.requestID == id }) else { return }
        app.sent[index].wasResent = true
        app.sent[index].wasCanceled = true
    }
}
