// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Observation
public import Roost

/// The state of a conversation screen: the rows, the draft, and a banner.
///
/// `Examples/TestedApp/Tests` tests it with `RoostTestKit`, in virtual time and without a network.
@MainActor @Observable
public final class ConversationModel {
    /// One message as the screen shows it.
    public struct Row: Identifiable, Equatable, Sendable {
        /// The progress of an own message.
        public enum Delivery: Equatable, Sendable {
            case sending, delivered, failed
        }

        public let id: String
        public let text: String
        public let author: String
        public let delivery: Delivery
        let requestID: RequestID?
    }

    public private(set) var rows: [Row] = []
    /// The text of the input field.
    public var draft = ""
    /// A sentence above the rows; nil for none.
    public private(set) var banner: String?
    /// Whether a suggestion to say hello is shown, which comes after ten quiet seconds.
    public private(set) var suggestsHello = false

    @ObservationIgnored private let client: ChatClient
    @ObservationIgnored private let channel: ChannelURL
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private var timeline: Timeline?

    public init(
        _ client: ChatClient, channel: ChannelURL, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.client = client
        self.channel = channel
        self.clock = clock
    }

    /// Follows the conversation until the task is cancelled or the client is closed.
    public func run() async {
        do {
            let timeline = try await client.timeline(of: channel)
            self.timeline = timeline
            for await snapshot in await timeline.snapshots() {
                rows = snapshot.messages.map { Row($0) }
                banner = snapshot.hasHugeGap ? "Some messages are missing here." : nil
            }
        } catch {
            banner = "This conversation cannot be shown now."
        }
    }

    /// Goes on with the newest messages, for the button of the banner about missing ones.
    public func showNewest() async {
        do {
            try await timeline?.jump(to: .distantFuture)
        } catch {
            banner = "The newest messages cannot be shown now."
        }
    }

    /// Suggests to say hello if the conversation is still empty after ten seconds.
    public func waitForHello() async {
        try? await clock.sleep(for: .seconds(10))
        suggestsHello = rows.isEmpty
    }

    /// Sends a failed message again.
    public func retry(_ row: Row) async {
        guard row.delivery == .failed, let requestID = row.requestID else { return }
        await client.resend(requestID)
    }

    /// Sends the draft and empties the input field; a draft that cannot be saved stays in it.
    public func send() async {
        let text = draft.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return }
        do {
            try await client.send(text, to: channel)
            draft = ""
            suggestsHello = false
        } catch {
            banner = "There is no room for another message on this device."
        }
    }
}

extension ConversationModel.Row {
    init(_ message: Message) {
        requestID = message.requestID
        id = message.requestID.map { "\($0)" } ?? message.messageID.map { "\($0)" } ?? ""
        text = message.text
        author = message.sender?.user.nickname ?? ""
        delivery =
            switch message.status {
            case .succeeded: .delivered
            case .failed, .canceled: .failed
            default: .sending
            }
    }
}
