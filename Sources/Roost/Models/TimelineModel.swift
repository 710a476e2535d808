// SPDX-License-Identifier: Apache-2.0

public import Observation
public import RoostModel

/// A channel's messages for a view, which follows the model's properties.
///
/// In SwiftUI, keep a model in the view's state and run it with the view:
///
/// ```swift
/// List(model.messages) { Text($0.text) }
///     .task { await model.run() }
/// ```
///
/// The model is isolated to the main actor and never blocks it: disk and network work runs on the
/// client's executor.
@MainActor @Observable
public final class TimelineModel {
    /// The delivered messages by position, oldest first, then the unsent ones by age.
    ///
    /// The last delivered ones may lie beyond a gap: `sentBeyondGap`.
    public private(set) var messages: [Message] = []
    /// Whether `loadOlder()` may find more.
    public private(set) var hasOlder = false
    /// Whether `loadNewer()` may find more.
    public private(set) var hasNewer = false
    /// Whether more than 300 messages are missing after the last one; `jump(to: .distantFuture)`
    /// leads to the newest.
    public private(set) var hasHugeGap = false
    /// The number of the last delivered messages that lie beyond missing ones; see
    /// `Timeline.Snapshot.sentBeyondGap`.
    public private(set) var sentBeyondGap = 0
    /// The state of the connection; nil until `run()` is called.
    public private(set) var connection: ConnectionState?
    /// Whether the first page is on its way: not read from disk yet, or not answered by the server.
    ///
    /// False as well once the server could not be asked.
    public private(set) var isOpening = true
    /// Whether a page is being loaded.
    public private(set) var isLoading = false
    /// The last error, such as the server's refusal to show the channel; nil after the next
    /// success.
    public private(set) var error: RoostError?

    @ObservationIgnored private let client: ChatClient
    @ObservationIgnored private let channel: ChannelURL
    @ObservationIgnored private let start: Timestamp
    @ObservationIgnored private let filter: MessageFilter
    /// The open timeline; the calls of `run()` share it, and so does the next one.
    @ObservationIgnored private var timeline: Timeline?
    /// The moment of a jump that waits for the opening or the end of a page.
    @ObservationIgnored private var goal: Timestamp?

    /// Creates an empty model; `run()` fills it.
    public init(
        _ client: ChatClient, channel: ChannelURL, startingAt start: Timestamp = .distantFuture,
        filter: MessageFilter = .everything
    ) {
        self.client = client
        self.channel = channel
        self.start = start
        self.filter = filter
    }

    /// Opens the timeline and follows it until the task is canceled or the client is closed; the
    /// last state stays.
    ///
    /// The timeline stays open as long as the model lives. So a view that comes back shows the
    /// pages that it had.
    public func run() async {
        do {
            let timeline = try await opened()
            await jumpToGoal()
            async let refusals: Void = followRefusals(of: timeline)
            async let states: Void = followConnection()
            async let arrival: Void = awaitServer(for: timeline)
            for await snapshot in await timeline.snapshots() { show(snapshot) }
            _ = await (refusals, states, arrival)
            // The client was closed.
            if !Task.isCancelled, self.timeline === timeline { self.timeline = nil }
        } catch {
            self.error = error
            isOpening = false
        }
    }

    private func opened() async throws(RoostError) -> Timeline {
        if let timeline { return timeline }
        let new = try await client.timeline(of: channel, startingAt: start, filter: filter)
        // Another view may have opened one meanwhile.
        if let timeline {
            await new.close()
            return timeline
        }
        timeline = new
        return new
    }

    private func followConnection() async {
        for await state in await client.connectionStates() { connection = state }
    }

    private func awaitServer(for timeline: Timeline) async {
        // A failure is an error of the connection, or comes as a refusal.
        try? await timeline.reachServer()
        if isOpening { isOpening = false }
    }

    private func followRefusals(of timeline: Timeline) async {
        for await refusal in await timeline.serverRefusals() { error = refusal }
    }

    /// Loads a page of older messages; does nothing while a page is loading or if there is none.
    public func loadOlder() async {
        guard hasOlder else { return }
        await load { timeline throws(RoostError) in _ = try await timeline.loadOlder() }
        await jumpToGoal()
    }

    /// Loads a page of newer messages; does nothing while a page is loading or if there is none.
    public func loadNewer() async {
        guard hasNewer else { return }
        await load { timeline throws(RoostError) in _ = try await timeline.loadNewer() }
        await jumpToGoal()
    }

    /// Shows the messages around a moment; see `Timeline.jump(to:)`.
    ///
    /// While a page is loading, and before `run()` has opened the timeline, the call returns at
    /// once and the jump follows.
    public func jump(to moment: Timestamp) async {
        goal = moment
        await jumpToGoal()
    }

    private func jumpToGoal() async {
        while timeline != nil, !isLoading, let moment = goal {
            goal = nil
            await load { timeline throws(RoostError) in try await timeline.jump(to: moment) }
        }
    }

    /// Saves a text and queues it for delivery.
    ///
    /// - Returns: Whether it was saved; if not, `error` has the reason.
    @discardableResult
    public func send(_ text: String) async -> Bool {
        await send(UserMessageParams(text: text))
    }

    /// Saves a message, such as a reply or one with mentions, and queues it for delivery.
    ///
    /// - Returns: Whether it was saved; if not, `error` has the reason.
    @discardableResult
    public func send(_ params: UserMessageParams) async -> Bool {
        do {
            try await client.send(params, to: channel)
            error = nil
            return true
        } catch {
            self.error = error
            return false
        }
    }

    private func load(_ work: (Timeline) async throws(RoostError) -> Void) async {
        guard let timeline, !isLoading else { return }
        isLoading = true
        defer { isLoading = false }
        do {
            try await work(timeline)
            error = nil
        } catch {
            self.error = error
        }
    }

    private func show(_ snapshot: Timeline.Snapshot) {
        messages = snapshot.messages
        // Each assignment redraws the views that read the property, even with an equal value.
        if hasOlder != snapshot.hasOlder { hasOlder = snapshot.hasOlder }
        if hasNewer != snapshot.hasNewer { hasNewer = snapshot.hasNewer }
        if hasHugeGap != snapshot.hasHugeGap { hasHugeGap = snapshot.hasHugeGap }
        if sentBeyondGap != snapshot.sentBeyondGap { sentBeyondGap = snapshot.sentBeyondGap }
    }
}
