// SPDX-License-Identifier: Apache-2.0

public import Observation
public import RoostModel

/// A channel's messages for a view: read its properties, and the view follows them.
///
/// In SwiftUI, keep one in the view's state and run it with the view:
///
/// ```swift
/// List(model.messages, id: \.rowID) { Text($0.text) }
///     .task { await model.run() }
/// ```
///
/// All of it lives on the main actor and none of it waits there: disk and network are the client's
/// executor's.
@MainActor @Observable
public final class TimelineModel {
    /// Delivered messages by place, oldest first, then the unsent by age.
    public private(set) var messages: [Message] = []
    public private(set) var hasOlder = false
    public private(set) var hasNewer = false
    /// More than 300 messages are missing after the last one shown; `jump(to: .distantFuture)` leads out.
    public private(set) var hasHugeGap = false
    /// A page is being loaded.
    public private(set) var isLoading = false
    /// What went wrong last; nil once something worked.
    public private(set) var error: RoostError?

    @ObservationIgnored private let client: ChatClient
    @ObservationIgnored private let channel: ChannelURL
    @ObservationIgnored private let start: Timestamp
    @ObservationIgnored private let filter: MessageFilter
    @ObservationIgnored private var timeline: Timeline?

    /// Shows nothing until it runs.
    public init(
        _ client: ChatClient, channel: ChannelURL, startingAt start: Timestamp = .distantFuture,
        filter: MessageFilter = .everything
    ) {
        self.client = client
        self.channel = channel
        self.start = start
        self.filter = filter
    }

    /// Opens the timeline and follows it until the task is cancelled or the client is closed; the last
    /// state stays.
    public func run() async {
        do {
            let timeline = try await client.timeline(
                of: channel, startingAt: start, filter: filter)
            self.timeline = timeline
            for await snapshot in await timeline.snapshots() { show(snapshot) }
            self.timeline = nil
            await timeline.close()
        } catch {
            self.error = error
        }
    }

    /// Loads a page of older messages; does nothing while a page is loading or when there is none.
    public func loadOlder() async {
        guard hasOlder else { return }
        await load { timeline throws(RoostError) in _ = try await timeline.loadOlder() }
    }

    /// Loads a page of newer messages; does nothing while a page is loading or when there is none.
    public func loadNewer() async {
        guard hasNewer else { return }
        await load { timeline throws(RoostError) in _ = try await timeline.loadNewer() }
    }

    /// Shows the messages around a moment; see `Timeline.jump(to:)`.
    public func jump(to moment: Timestamp) async {
        await load { timeline throws(RoostError) in try await timeline.jump(to: moment) }
    }

    /// Saves a text and queues it for delivery; false when it could not be saved, and `error` says why.
    @discardableResult
    public func send(_ text: String) async -> Bool {
        do {
            try await client.send(text, to: channel)
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
        // A view that reads one property is drawn for that one alone.
        if hasOlder != snapshot.hasOlder { hasOlder = snapshot.hasOlder }
        if hasNewer != snapshot.hasNewer { hasNewer = snapshot.hasNewer }
        if hasHugeGap != snapshot.hasHugeGap { hasHugeGap = snapshot.hasHugeGap }
    }
}

extension Message {
    /// A name that stays with the message from its writing on, for lists of views.
    ///
    /// Messages of others have no request ID, and those of the user keep theirs.
    public var rowID: Identity {
        identities.last ?? .request(RequestID(""))
    }
}
