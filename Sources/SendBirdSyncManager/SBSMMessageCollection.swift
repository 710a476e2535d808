// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
public import SendBirdSDK

/// The messages of one channel around a viewpoint, kept in step with the server.
///
/// The user's own messages come by themselves, pending and sent; those calls of the old library that
/// brought them in are harmless.
public final class SBSMMessageCollection: NSObject {
    public weak var delegate: (any SBSMMessageCollectionDelegate)?
    public let channel: SBDGroupChannel
    public let filter: SBSMMessageFilter
    /// Where the collection begins, in milliseconds; `LONG_LONG_MAX` for the newest messages.
    public var viewpointTimestamp: Int64 { window.withLock { $0 }.viewpoint }

    private let window: Guarded<Window>
    private let background: BackgroundSync

    enum News: Sendable {
        case inserted([Message])
        case changed(ListDiff<Message>)
        /// All that was shown goes.
        case cleared([Message])
        /// More is missing before the newest messages than is filled silently.
        case hugeGap
    }

    /// - Parameters:
    ///   - channel: Whose messages; without one there is no collection.
    ///   - filter: Which of them; nil for all.
    ///   - viewpointTimestamp: Where to begin, in milliseconds.
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
        window.feed.attach(self) { collection, news in collection.tell(news) }
        let isSynchronizing = SBSMSyncManager.state.withLock { [background] state in
            state.downloads[ObjectIdentifier(background)] = background
            return state.isSynchronizing
        }
        if isSynchronizing { background.resume() }
    }

    deinit { remove() }

    // MARK: Fetching

    /// Brings a page in one direction to the delegate.
    public func fetch(
        in direction: SBSMMessageDirection, completionHandler: ((SBDError?) -> Void)? = nil
    ) {
        page(direction, Callback(completionHandler.map { handler in { handler($0.1) } }))
    }

    /// Brings a page in one direction to the delegate, and tells whether there may be more.
    public func fetch(
        in direction: SBSMMessageDirection, completionHandler: @escaping (Bool, SBDError?) -> Void
    ) {
        page(direction, Callback { completionHandler($0.0, $0.1) })
    }

    /// Brings everything that is newer to the delegate.
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

    /// Brings the pending messages to the delegate again.
    public func fetchPendingMessages(completionHandler: ((SBDError?) -> Void)? = nil) {
        again(.pending, completionHandler)
    }

    /// Brings the failed messages to the delegate again.
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

    /// Begins anew at another place: the delegate hears `.clear`, and pages have to be fetched again.
    public func resetViewpointTimestamp(_ timestamp: Int64) {
        let new = Window(channel.value.url, filter.value, at: timestamp)
        new.feed.attach(self) { collection, news in collection.tell(news) }
        let old = window.withLock { window in
            defer { window = new }
            return window
        }
        old.close()
        new.feed.post(.cleared(old.messages), through: SBSMSyncManager.onDelegateQueue)
    }

    /// Ends it; the delegate hears nothing more.
    public func remove() {
        window.withLock { $0 }.close()
        background.stop()
        _ = SBSMSyncManager.state.withLock { [background] state in
            state.downloads.removeValue(forKey: ObjectIdentifier(background))
        }
    }

    // MARK: Own messages

    /// Harmless: the collection shows the user's own messages by itself.
    public func appendMessage(_ message: SBDBaseMessage?) {}

    /// Harmless: the collection shows the user's own changes by itself.
    public func updateMessage(_ message: SBDBaseMessage?) {}

    /// Takes back an own message that was not sent; a sent one goes when it is deleted in its channel.
    public func deleteMessage(_ message: SBDBaseMessage?) {
        guard let message, message.messageId == 0, let requestId = message.requestId,
            message.sender?.userId == SBDMain.door.account?.rawValue
        else { return }
        deleteMessage(withRequestId: requestId)
    }

    /// Takes back an own message that was not sent.
    public func deleteMessage(withRequestId requestId: String) {
        SBDMain.door.perform(then: .none) { client throws(RoostError) in
            await client.cancel(RequestID(requestId))
        }
    }

    // MARK: Telling

    private func tell(_ news: News) {
        switch news {
        case .inserted(let messages): tell(.insert, messages)
        case .changed(let change):
            tell(.remove, change.deleted)
            tell(.update, change.updated.map(\.after))
            tell(.insert, change.inserted)
        case .cleared(let messages):
            // With what goes: the guide's delegate passes over events without messages.
            delegate?.collection(
                self, didReceiveEvent: .clear, messages: messages.map { SBDBaseMessage.make($0) })
        case .hugeGap: window.withLock { $0 }.showNewest()
        }
    }

    private func tell(_ action: SBSMMessageEventAction, _ messages: [Message]) {
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
