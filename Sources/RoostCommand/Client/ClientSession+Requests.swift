// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostHistory
import RoostRequests
import RoostWire

extension ClientSession {
    /// The longest wait of a request for the server; afterwards the answer has the present state.
    private static let patience = Duration.seconds(9)

    /// Performs one request; its answer, errors included, goes to the script.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - call: The number of its line in the history; nil without one.
    /// - Returns: The answer and its further effects.
    /// - Throws: The error for the answer.
    mutating func perform(
        _ request: Request, as call: Int64? = nil
    ) async throws(RoostError) -> Outcome {
        switch request {
        case .connect:
            try await client.connect()
            return .answered(await connection())
        case .disconnect:
            await client.disconnect()
            return .answered(await connection())
        case .createChannel(let params):
            return .answered(.channel(try await client.createChannel(params)))
        case .channels(let anew): return try await listChannels(anew: anew)
        case .moreChannels:
            guard let list else { throw .notOpen("list: ask for “channels” first") }
            let count = try await list.loadMore()
            return .answered(await Self.show(list, count: count))
        case .open(let channel, let start): return try await open(channel, startingAt: start)
        case .older:
            let timeline = try openTimeline()
            let count = try await timeline.loadOlder()
            return .answered(Self.extent(await timeline.snapshot, count: count))
        case .newer:
            let timeline = try openTimeline()
            let count = try await timeline.loadNewer()
            return .answered(Self.extent(await timeline.snapshot, count: count))
        case .send, .sendFile, .edit, .delete, .resend, .cancel:
            return .answered(try await performOnMessage(request))
        case .react(let key, let adds, let message, let channel):
            let (target, channel) = (MessageTarget.delivered(message), try openChannel(or: channel))
            let id =
                adds
                ? try await client.addReaction(key, to: target, in: channel)
                : try await client.removeReaction(key, from: target, in: channel)
            return .answered(["request_id": .string(id.rawValue)])
        case .markRead(let moment, let channel):
            let channel = try openChannel(or: channel)
            guard let moment else {
                try await client.markAsReadNow(channel, awaitingServer: true)
                return .answered([:])
            }
            let id = try await client.markAsRead(channel, through: moment)
            return .answered(["request_id": .string(id.rawValue)])
        case .typing(let isStart, let channel):
            let channel = try openChannel(or: channel)
            if isStart {
                await client.startTyping(in: channel)
            } else {
                await client.endTyping(in: channel)
            }
            return .answered([:])
        case .search(let words, let limit, let channel):
            let search = MessageSearch(words, in: channel.map { [$0] }, limit: limit)
            return .answered(.found(try await client.search(search)))
        case .holes(let channel):
            let holes = try await client.countedHoles(in: try openChannel(or: channel))
            return .answered(["holes": .array(holes.map { .hole($0) })])
        case .download(let url, let path):
            return .answered(try await download(url, to: path))
        case .change(let change, let channel):
            let id = try await client.queue(change, in: try openChannel(or: channel))
            return .answered(["request_id": .string(id.rawValue)])
        case .saveDraft(let text, let thread, let channel):
            let place = DraftPlace(try openChannel(or: channel), thread: thread)
            try await client.saveDraft(text, at: place)
            return .answered([:])
        case .drafts:
            return .answered(["drafts": .array(await client.drafts().map { .draft($0) })])
        case .inbox(let name, let isFromBeginning):
            return try await read(name, from: isFromBeginning ? .beginning : .now)
        case .acknowledge(let name):
            guard let report = inboxes[name] else {
                throw .notOpen("inbox of this name: ask for “inbox” with it first")
            }
            try await report.acknowledge()
            return .answered([:])
        case .snapshot: return .answered(try await showTimeline(as: call))
        case .close:
            await timeline?.close()
            timeline = nil
            return .answered([:])
        case .cache:
            return .answered(
                CacheSummary.json(
                    try await client.inspection(), unsent: try await client.unsent()))
        case .compare(let channel):
            let found = try await client.compareCache(of: try openChannel(or: channel))
            return .answered([
                "compared": .int(Int64(found.comparedMessages)),
                "fetched": .int(Int64(found.fetchedMessages)),
                "differing": .int(Int64(found.differingStretches)),
            ])
        case .health:
            return .answered(.health(await client.health, at: WallClock.now, showsMetrics: true))
        case .waitIdle:
            let isIdle = await client.waitUntilIdle(atMost: Self.patience)
            return .answered([
                "connection": .string(await client.connectionState.name), "idle": .bool(isIdle),
            ])
        case .quit: return .quit
        }
    }

    private func performOnMessage(_ request: Request) async throws(RoostError) -> JSONValue {
        switch request {
        case .send(let text, let channel):
            return .message(try await client.send(text, to: try openChannel(or: channel)))
        case .sendFile(let path, let text, let channel):
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let file = OutgoingFile(
                .copy(of: path), name: name, type: "application/octet-stream")
            return .message(
                try await client.send(
                    FileMessageParams(files: [file], caption: text),
                    to: try openChannel(or: channel)))
        case .edit(let id, let text, let channel):
            try await client.edit(id, in: try openChannel(or: channel), text: text)
        case .delete(let id, let channel):
            try await client.delete(id, in: try openChannel(or: channel))
        case .resend(let id): return ["resent": .bool(await client.resend(id))]
        case .cancel(let id): await client.cancel(id)
        default: preconditionFailure("The request \(request) names no message.")
        }
        return [:]
    }

    /// Reads a timeline, and records it with its claims.
    private func showTimeline(as call: Int64?) async throws(RoostError) -> JSONValue {
        let timeline = try openTimeline()
        // Asked before the list is read: later news only makes the list more complete. Twice,
        // because the end of a connection drops the work that it had left.
        var isCaughtUp = await isConnected
        if isCaughtUp { isCaughtUp = await client.waitUntilIdle(atMost: .zero) }
        if isCaughtUp { isCaughtUp = await isConnected }
        let snapshot = await timeline.snapshot
        if snapshot.hasNewer || snapshot.hasHugeGap { isCaughtUp = false }
        await history?.record(
            .snapshot(
                HistoryView(
                    channel: timeline.channel.rawValue, call: call,
                    messages: snapshot.stretch.compactMap { HistoryMessage($0) },
                    hasOlder: snapshot.hasOlder, hasNewer: snapshot.hasNewer,
                    isCaughtUp: isCaughtUp)))
        return Self.show(snapshot, of: timeline, isCaughtUp: isCaughtUp)
    }

    private var isConnected: Bool {
        get async { if case .connected = await client.connectionState { true } else { false } }
    }

    private func connection() async -> JSONValue {
        ["connection": .string(await client.connectionState.name)]
    }
}

// MARK: - The open lists

extension ClientSession {
    private mutating func open(
        _ channel: ChannelURL, startingAt start: Timestamp
    ) async throws(RoostError) -> Outcome {
        await timeline?.close()
        timeline = nil
        let timeline = try await client.timeline(of: channel, startingAt: start)
        self.timeline = timeline
        // Observed before it is read, so that no change falls between the answer and the events.
        let changes = await timeline.changes()
        let refusals = await timeline.serverRefusals()
        let extent = Self.extent(await timeline.snapshot, count: nil)
        return .opened(timeline, changes, refusals, extent)
    }

    private mutating func read(
        _ name: String, from start: Inbox.Start
    ) async throws(RoostError) -> Outcome {
        if let report = inboxes[name], await !report.isOver { return .answered([:]) }
        let report = InboxReport(try await client.inbox(name, from: start))
        inboxes[name] = report
        return .reading(report)
    }

    private mutating func listChannels(anew: Bool) async throws(RoostError) -> Outcome {
        if anew {
            await list?.close()
            list = nil
        }
        if let list {
            return .answered(await Self.show(list, count: nil), await list.serverFailure)
        }
        let list = try await client.channelList()
        self.list = list
        // While connected, a script asks for the server's list, not for the cached one.
        var failure: RoostError?
        if case .connected = await client.connectionState {
            let isIdle = await client.waitUntilIdle(atMost: Self.patience)
            failure = await list.serverFailure
            if failure == nil, !isIdle, await !list.hasServerPage { failure = .unanswered }
        }
        let changes = await list.changes()
        return .listed(list, changes, await Self.show(list, count: nil), failure)
    }

    private func openTimeline() throws(RoostError) -> Timeline {
        guard let timeline else { throw .notOpen("channel: ask for “open” first") }
        return timeline
    }

    private func openChannel(or channel: ChannelURL?) throws(RoostError) -> ChannelURL {
        if let channel { return channel }
        guard let timeline else {
            throw .notOpen("channel: name one in “channel”, or ask for “open” first")
        }
        return timeline.channel
    }

    /// Returns the extent of a list, without its elements.
    private static func extent(_ snapshot: Timeline.Snapshot, count: Int?) -> JSONValue {
        .object(
            [
                JSONValue.Field("count", .int(Int64(count ?? snapshot.messages.count)))
            ] + flags(of: snapshot))
    }

    private static func show(
        _ snapshot: Timeline.Snapshot, of timeline: Timeline, isCaughtUp: Bool
    ) -> JSONValue {
        .object(
            [
                JSONValue.Field("channel", .string(timeline.channel.rawValue)),
                JSONValue.Field("messages", .array(snapshot.messages.map { .message($0) })),
            ] + flags(of: snapshot) + [JSONValue.Field("caught_up", .bool(isCaughtUp))])
    }

    private static func flags(of snapshot: Timeline.Snapshot) -> [JSONValue.Field] {
        let beyondGap = snapshot.sentBeyondGap
        return [
            JSONValue.Field("has_older", .bool(snapshot.hasOlder)),
            JSONValue.Field("has_newer", .bool(snapshot.hasNewer)),
            JSONValue.Field("has_huge_gap", .bool(snapshot.hasHugeGap)),
        ] + (beyondGap > 0 ? [JSONValue.Field("sent_beyond_gap", .int(Int64(beyondGap)))] : [])
    }

    private static func show(_ list: ChannelList, count: Int?) async -> JSONValue {
        let snapshot = await list.snapshot
        var fields = [
            JSONValue.Field("channels", .array(snapshot.channels.map { .channel($0) })),
            JSONValue.Field("has_more", .bool(snapshot.hasMore)),
        ]
        if let count { fields.append(JSONValue.Field("count", .int(Int64(count)))) }
        return .object(fields)
    }
}

extension RoostError {
    fileprivate static let unanswered = RoostError(
        .requestFailed, remedy: .retry,
        message: "The server has not answered yet. The list shows the cache; the request continues."
    )

    /// Returns the error of a request that needs an open list.
    static func notOpen(_ what: String) -> RoostError {
        RoostError(
            .invalidParameter, remedy: .correctInput, message: "There is no open \(what).")
    }
}
