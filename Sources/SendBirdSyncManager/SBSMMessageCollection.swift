// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
public import SendBirdSDK

/// The messages of one channel around a viewpoint, kept in step with the server.
///
/// The user's own messages appear automatically, pending and sent; the calls of the old library
/// that added them have no effect.
public final class SBSMMessageCollection: NSObject {
    /// The receiver of events, held weakly.
    public weak var delegate: (any SBSMMessageCollectionDelegate)?
    /// The channel of the messages, as it was when the collection was made.
    public let channel: SBDGroupChannel
    /// The selection of messages.
    public let filter: SBSMMessageFilter
    /// The time that the collection begins around, in milliseconds; `LONG_LONG_MAX` for the newest
    /// messages.
    public var viewpointTimestamp: Int64 { window.withLock { $0 }.viewpoint }

    private let window: Guarded<Window>
    private let background: BackgroundSync

    enum Event: Sendable {
        case inserted([Message])
        case changed(ListDiff<Message>)
        /// All shown messages were removed.
        case cleared([Message])
        /// More messages are missing before the newest ones than are filled silently.
        case hugeGap
    }

    /// Creates a collection; nil without a channel.
    ///
    /// - Parameters:
    ///   - channel: The channel of the messages.
    ///   - filter: The selection of messages; nil for all.
    ///   - viewpointTimestamp: The time to begin around, in milliseconds.
    public init?(
        channel: SBDGroupChannel?, filter: SBSMMessageFilter?, viewpointTimestamp: Int64
    ) {
        guard let channel else { return nil }
        let filter =
            filter ?? SBSMMessageFilter(messageType: .all, customType: nil, senderUserIds: nil)
        self.channel = channel
        self.filter = filter
        background = BackgroundSync(channel.value.url)
        let window = Window(channel.value.url, filter.value, at: viewpointTimestamp)
        self.window = Guarded(window)
        super.init()
        window.feed.attach(self) { collection, event in collection.notify(event) }
        let isSynchronizing = SBSMSyncManager.state.withLock { [background] state in
            state.downloads[ObjectIdentifier(background)] = background
            return state.isSynchronizing
        }
        if isSynchronizing { background.resume() }
    }

    deinit { remove() }

    // MARK: Fetching

    /// Delivers a page in one direction to the delegate.
    public func fetch(
        in direction: SBSMMessageDirection, completionHandler: ((SBDError?) -> Void)? = nil
    ) {
        page(direction, Callback(completionHandler.map { handler in { handler($0.1) } }))
    }

    /// Delivers a page in one direction to the delegate, and tells the handler whether there may be
    /// more.
    public func fetch(
        in direction: SBSMMessageDirection, completionHandler: @escaping (Bool, SBDError?) -> Void
    ) {
        page(direction, Callback { completionHandler($0.0, $0.1) })
    }

    /// Delivers all newer messages to the delegate, page by page.
    public func fetchAllNextMessages(
        completionHandler: ((Bool, SBDError?) -> Void)? = nil
    ) {
        fetch(in: .next) { [weak self] (hasMore: Bool, error: SBDError?) in
            guard hasMore, error == nil, let self else {
                completionHandler?(hasMore, error)
                return
            }
            self.fetchAllNextMessages(completionHandler: completionHandler)
        }
    }

    /// Delivers the pending messages to the delegate again.
    public func fetchPendingMessages(completionHandler: ((SBDError?) -> Void)? = nil) {
        again(.pending, completionHandler)
    }

    /// Delivers the failed messages to the delegate again.
    public func fetchFailedMessages(completionHandler: ((SBDError?) -> Void)? = nil) {
        again(.failed, completionHandler)
    }

    private func again(_ status: SendingStatus, _ handler: ((SBDError?) -> Void)?) {
        let window = window.withLock { $0 }
        let messages = window.messages.filter { $0.status == status }
        if !messages.isEmpty {
            window.feed.post(.inserted(messages), through: SBSMSyncManager.onDelegateQueue)
        }
        Callback(handler).post(nil, through: SBSMSyncManager.onCompletionQueue)
    }

    private func page(
        _ direction: SBSMMessageDirection, _ done: Callback<(Bool, SBDError?)>
    ) {
        window.withLock { $0 }.fetch(direction) { hasMore, error in
            let error = error.map { SBDError($0) }
            done.post((hasMore, error), through: SBSMSyncManager.onCompletionQueue)
        }
    }

    /// Moves the collection to another viewpoint.
    ///
    /// The delegate gets `.clear`, and pages must be fetched again.
    public func resetViewpointTimestamp(_ timestamp: Int64) {
        let new = Window(channel.value.url, filter.value, at: timestamp)
        new.feed.attach(self) { collection, event in collection.notify(event) }
        let old = window.withLock { window in
            defer { window = new }
            return window
        }
        old.close()
        new.feed.post(.cleared(old.messages), through: SBSMSyncManager.onDelegateQueue)
    }

    /// Closes the collection; the delegate gets no more events.
    public func remove() {
        window.withLock { $0 }.close()
        background.stop()
        _ = SBSMSyncManager.state.withLock { [background] state in
            state.downloads.removeValue(forKey: ObjectIdentifier(background))
        }
    }

    // MARK: Own messages

    /// Has no effect: the collection shows the user's own messages automatically.
    public func appendMessage(_ message: SBDBaseMessage?) {}

    /// Has no effect: the collection shows the user's own changes automatically.
    public func updateMessage(_ message: SBDBaseMessage?) {}

    /// Cancels the user's own unsent message; to remove a sent one, delete it in its channel.
    public func deleteMessage(_ message: SBDBaseMessage?) {
        guard let message, message.messageId == 0, let requestId = message.requestId,
            message.sender?.userId == SBDMain.door.account?.rawValue
        else { return }
        deleteMessage(withRequestId: requestId)
    }

    /// Cancels the user's own unsent message.
    public func deleteMessage(withRequestId requestId: String) {
        SBDMain.door.perform(then: .none) { client throws(RoostError) in
            await client.cancel(RequestID(requestId))
        }
    }

    // MARK: Delivery

    private func notify(_ event: Event) {
        switch event {
        case .inserted(let messages): notify(.insert, messages)
        case .changed(let change):
            notify(.remove, change.deleted)
            notify(.update, change.updated.map(\.after))
            notify(.insert, change.inserted)
        case .cleared(let messages):
            // The event carries the removed messages: the guide's delegate ignores events without
            // messages.
            delegate?.collection(
                self, didReceiveEvent: .clear, messages: messages.map { SBDBaseMessage.make($0) })
        case .hugeGap: window.withLock { $0 }.showNewest()
        }
    }

    private func notify(_ action: SBSMMessageEventAction, _ messages: [Message]) {
        guard !messages.isEmpty, let delegate else { return }
        func objects(_ status: [SendingStatus]) -> [SBDBaseMessage] {
            messages.filter { status.contains($0.status) }.map { SBDBaseMessage.make($0) }
        }
        delegate.collection(
            self, didReceiveEvent: action, messages: messages.map { SBDBaseMessage.make($0) })
        let (sent, pending) = (objects([.succeeded]), objects([.pending]))
        if !sent.isEmpty {
            delegate.collection(self, didReceiveEvent: action, succeededMessages: sent)
        }
        if !pending.isEmpty {
            delegate.collection(self, didReceiveEvent: action, pendingMessages: pending)
        }
        for message in objects([.failed, .canceled]) {
            delegate.collection(
                self, didReceiveEvent: action, failedMessages: [message],
                reason: SBSMFailedMessageEventActionReason(message.errorCode))
        }
    }
}
