// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Roost

/// The chat at work: inputs change the state one after another, and effects reach the client.
///
/// It uses the public interface of `Roost` only, as any app does.
public actor ChatSession {
    let client: ChatClient
    let folder: URL
    private(set) var state: ChatState
    private let show: @Sendable (ChatState) -> Void
    private let repaint: @Sendable () -> Void
    private let inputs: AsyncStream<ChatInput>
    private nonisolated let feed: AsyncStream<ChatInput>.Continuation
    private var tasks: [Task<Void, Never>] = []
    /// The tasks of effects that wait for no other effect, each until its end.
    var errands: [Int: Task<Void, Never>] = [:]
    var lastErrand = 0
    /// Finished by the last errand, if the end of the session waits for it.
    var lastErrandEnds: AsyncStream<Void>.Continuation?
    private(set) var list: ChannelList?
    /// The effects that must happen in their order: the user's writes, and the places of the
    /// timeline.
    private let writes = Lane()
    private let places = Lane()
    /// Signals that holes and pending changes may differ.
    private let doubts = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    var history: HistoryDownload?

    /// Effects in their order, for one task.
    private struct Lane {
        let effects: AsyncStream<ChatEffect>
        let feed: AsyncStream<ChatEffect>.Continuation

        init() { (effects, feed) = AsyncStream.makeStream(of: ChatEffect.self) }
    }

    /// Creates a session that has not begun.
    ///
    /// - Parameters:
    ///   - client: An open client; the end of `run` closes it.
    ///   - size: The size of the screen.
    ///   - timeZone: The time zone of the shown times.
    ///   - folder: The folder of saved files.
    ///   - show: Gets the state after each input; returns at once.
    ///   - repaint: Draws the whole screen again; returns at once.
    public init(
        _ client: ChatClient, size: GridSize, timeZone: TimeZone, savingFilesIn folder: URL,
        show: @escaping @Sendable (ChatState) -> Void, repaint: @escaping @Sendable () -> Void
    ) {
        self.client = client
        self.folder = folder
        self.show = show
        self.repaint = repaint
        state = ChatState(me: client.configuration.userID, size: size, timeZone: timeZone)
        state.now = ChatClock.now
        (inputs, feed) = AsyncStream.makeStream(of: ChatInput.self)
    }

    /// Takes an input, in the order of the calls.
    public nonisolated func send(_ input: ChatInput) { feed.yield(input) }

    /// Runs until the user or the caller ends it, and closes the client.
    ///
    /// The first screen comes from the disk; the connection is made behind it.
    public func run() async {
        startFollowing()
        perform(.connect)
        for await input in inputs {
            let effects = state.receive(input)
            show(state)
            if effects.contains(.quit) {
                for effect in effects where effect != .quit { perform(effect) }
                break
            }
            for effect in effects { perform(effect) }
        }
        writes.feed.finish()
        places.feed.finish()
        for task in tasks.dropFirst() { task.cancel() }
        for errand in errands.values { errand.cancel() }
        // The last writes, such as a draft, reach the disk.
        await tasks.first?.value
        await client.close()
        await finishErrands()
    }

    /// Adds a task that ends with the session.
    private func start(_ body: @escaping @Sendable () async -> Void) {
        tasks.append(Task { await body() })
    }

    private func startFollowing() {
        // The first task is that of the user's writes; see `run`.
        start { [self] in for await effect in writes.effects { await write(effect) } }
        start { [self] in
            var place = OpenPlace()
            for await effect in places.effects { await move(effect, &place) }
        }
        start { [self] in await followChannels() }
        start { [self] in
            for await health in await client.healthStates() {
                send(.health(health))
                doubt()
                await ChatClock.pause(ChatClock.frame)
            }
        }
        start { [self] in
            for await event in await client.events() { note(event) }
        }
        start { [self] in
            let events = await client.outboxEvents()
            // Those of an earlier run, too: it may have ended before the reader saw them.
            for refusal in await client.refusals() { send(.changeRefused(refusal)) }
            for await event in events { note(event) }
        }
        start { [self] in
            while !Task.isCancelled {
                send(.tick(ChatClock.now))
                await ChatClock.pause(.seconds(1))
            }
        }
        start { [self] in
            for await _ in doubts.stream {
                await look()
                await ChatClock.pause(.milliseconds(200))
            }
        }
    }

    private func followChannels() async {
        var filter = ChannelFilter()
        filter.includesEmpty = true
        do {
            let list = try await client.channelList(ChannelListQuery(filter, pageSize: 40))
            self.list = list
            for await snapshot in await list.snapshots() {
                send(.channels(snapshot.channels, hasMore: snapshot.hasMore))
                await ChatClock.pause(ChatClock.frame)
            }
        } catch {
            send(.failed("The channels cannot be read: \(error.message)"))
        }
    }

    nonisolated func note(_ event: ChatEvent) {
        switch event {
        case .typing(let users, let channel): send(.typing(users, channel))
        case .storageRepaired(let sentence): send(.told(sentence))
        default: break
        }
    }

    private nonisolated func note(_ event: OutboxEvent) {
        switch event {
        case .uploading(let request, let progress): send(.uploading(request, progress))
        case .changeQueued, .changeMade, .changeDropped: doubt()
        case .changeRefused(let refusal):
            doubt()
            send(.changeRefused(refusal))
        default: break
        }
    }

    // MARK: Doubts

    nonisolated func doubt() { doubts.continuation.yield() }

    /// Reads the facts of the open channel that come with no stream.
    private func look() async {
        guard let channel = state.conversation?.channel else { return }
        send(.pending(channel, await client.pendingChanges(in: channel)))
        do {
            let holes = try await client.holes(in: channel)
            send(
                .holes(
                    channel, holes.map { ChatInput.Hole(from: $0.from, through: $0.through) }))
        } catch {
            send(.failed("The history cannot be read: \(error.message)"))
        }
    }

    // MARK: Effects

    private func perform(_ effect: ChatEffect) {
        switch effect {
        case .open, .openThread:
            places.feed.yield(effect)
            // The draft is read behind the writes before, of which one may be this draft.
            writes.feed.yield(effect)
        case .jump, .loadOlder, .loadNewer, .closeThread: places.feed.yield(effect)
        case .send, .sendFile, .edit, .delete, .addReaction, .removeReaction, .resend, .discard,
            .forget, .readFailures, .markAsRead, .startTyping, .endTyping, .saveDraft, .addToDraft:
            writes.feed.yield(effect)
        case .repaint: repaint()
        case .quit: break
        case .search, .createChannel, .loadMoreChannels, .readPresence, .connect, .disconnect,
            .downloadHistory, .pauseDownload, .save:
            // A task of its own: none of them waits for another.
            startErrand { [self] in await run(effect) }
        }
    }

    private func write(_ effect: ChatEffect) async {
        do throws(RoostError) {
            switch effect {
            case .send(let text, let channel, let thread):
                let params = UserMessageParams(text: text, parentID: thread)
                do throws(RoostError) { try await client.send(params, to: channel) } catch {
                    let place = DraftPlace(channel, thread: thread)
                    send(.textRefused(text, place, reason: error.message))
                }
            case .sendFile(let path, let channel, let thread):
                try await sendFile(path, to: channel, thread)
            case .edit(let target, let channel, let text):
                do throws(RoostError) {
                    try await client.edit(target, in: channel, MessageEdit(text: text))
                } catch {
                    send(.editRefused(target, channel, text: text, reason: error.message))
                }
            case .delete(let target, let channel): try await client.delete(target, in: channel)
            case .addReaction(let key, let target, let channel):
                try await client.addReaction(key, to: target, in: channel)
            case .removeReaction(let key, let target, let channel):
                try await client.removeReaction(key, from: target, in: channel)
            case .resend(let request): await client.resend(request)
            case .discard(let request, let channel):
                await client.cancel(request)
                await client.removeFailed(request, in: channel)
            case .forget(let change): await client.cancel(change)
            case .readFailures:
                send(.failures(await client.unsentMessages().filter { $0.status != .pending }))
            case .markAsRead(let channel, let moment):
                try await client.markAsRead(channel, through: moment)
            case .startTyping(let channel): await client.startTyping(in: channel)
            case .endTyping(let channel): await client.endTyping(in: channel)
            case .saveDraft(let text, let place):
                if text.isEmpty {
                    try await client.removeDraft(at: place)
                } else {
                    try await client.saveDraft(text, at: place)
                }
            case .addToDraft(let text, let place):
                let draft = await client.draft(at: place).map { "\n" + $0.text } ?? ""
                try await client.saveDraft(text + draft, at: place)
            case .open(let channel, _): await readDraft(at: DraftPlace(channel))
            case .openThread(let channel, let parent, _):
                await readDraft(at: DraftPlace(channel, thread: parent))
            default: break
            }
        } catch {
            send(.failed(error.message))
        }
    }

    private func readDraft(at place: DraftPlace) async {
        send(.draft(place, await client.draft(at: place)?.text ?? ""))
    }

    // MARK: Places

    /// The open lists of messages, with the tasks that follow them.
    private struct OpenPlace {
        var timeline: Timeline?
        var following: Task<Void, Never>?
        var thread: Timeline?
        var followingThread: Task<Void, Never>?

        /// The list on screen, which pages and jumps move.
        var shown: Timeline? { thread ?? timeline }
    }

    private func move(_ effect: ChatEffect, _ place: inout OpenPlace) async {
        do throws(RoostError) {
            switch effect {
            case .open(let channel, let moment):
                await close(&place)
                let timeline = try await client.timeline(
                    of: channel, startingAt: moment ?? .distantFuture)
                place.timeline = timeline
                place.following = follow(timeline)
            case .jump(let moment): try await place.shown?.jump(to: moment)
            case .loadOlder:
                let count = try await place.shown?.loadOlder()
                // Without a new message no snapshot ends the wait for the page.
                if count == 0 { await repeatSnapshot(of: place) }
            case .loadNewer:
                let count = try await place.shown?.loadNewer()
                if count == 0 { await repeatSnapshot(of: place) }
            case .openThread(let channel, let parent, let moment):
                await closeThread(&place)
                let thread = try await client.timeline(
                    of: channel, startingAt: moment ?? .distantFuture,
                    filter: MessageFilter(replyType: .all, parentID: parent))
                place.thread = thread
                place.followingThread = Task { [self] in
                    async let parentWasSent: Void = sendParent(parent, in: channel)
                    for await snapshot in await thread.snapshots() {
                        send(.replies(parent, ChatInput.Window(snapshot)))
                        await ChatClock.pause(ChatClock.frame)
                    }
                    await parentWasSent
                }
            case .closeThread: await closeThread(&place)
            default: break
            }
        } catch {
            await repeatSnapshot(of: place)
            // Without a connection the screen says so already.
            if error.code != .connectionRequired { send(.failed(error.message)) }
        }
    }

    private func follow(_ timeline: Timeline) -> Task<Void, Never> {
        Task { [self] in
            for await snapshot in await timeline.snapshots() {
                send(.messages(timeline.channel, ChatInput.Window(snapshot)))
                doubt()
                await ChatClock.pause(ChatClock.frame)
            }
        }
    }

    private func repeatSnapshot(of place: OpenPlace) async {
        guard let shown = place.shown else { return }
        let window = ChatInput.Window(await shown.snapshot)
        if let parent = shown.filter.parentID {
            send(.replies(parent, window))
        } else {
            send(.messages(shown.channel, window))
        }
    }

    /// Tells of a thread's parent from the disk or the server; without it the replies stand alone.
    private func sendParent(_ parent: MessageID, in channel: ChannelURL) async {
        var message = try? await client.cachedMessage(parent)
        if message == nil { message = try? await client.fetchMessage(parent, in: channel) }
        if let message { send(.threadParent(message)) }
    }

    private func close(_ place: inout OpenPlace) async {
        await closeThread(&place)
        place.following?.cancel()
        await place.timeline?.close()
        place.timeline = nil
    }

    private func closeThread(_ place: inout OpenPlace) async {
        place.followingThread?.cancel()
        await place.thread?.close()
        place.thread = nil
    }
}

extension ChatInput.Window {
    init(_ snapshot: Timeline.Snapshot) {
        self.init(
            snapshot.messages, hasOlder: snapshot.hasOlder, hasNewer: snapshot.hasNewer,
            hasHugeGap: snapshot.hasHugeGap)
    }
}
