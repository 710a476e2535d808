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
    /// The channel of the messages, as it is now.
    public var channel: SBDGroupChannel {
        let (value, moment) = watch.channel
        return SBDGroupChannel(kept: value, askedAt: moment)
    }
    /// The selection of messages.
    public let filter: SBSMMessageFilter
    /// The time that the collection begins around, in milliseconds; `LONG_LONG_MAX` for the newest
    /// messages.
    public var viewpointTimestamp: Int64 { window.withLock { $0 }.viewpoint }

    private let url: ChannelURL
    /// The user at the creation; nil if none had logged in.
    private let account: UserID?
    private let isRemoved = Guarded(false)
    private let window: Guarded<Window>
    private let watch: ChannelWatch
    private let background: BackgroundSync
    /// The place of the newest delivered message that the delegate has got; nil before the first.
    let newest = Guarded<Position?>(nil)

    enum Event: Sendable {
        case inserted([Message])
        case changed(ListDiff<Message>)
        /// The channel has no messages, so that each later one is new.
        case isEmpty
        /// All shown messages were removed.
        case cleared([Message])
        /// More messages are missing before the newest ones than are filled silently.
        case hugeGap
    }

    /// Creates a collection.
    ///
    /// - Parameters:
    ///   - channel: The channel of the messages.
    ///   - filter: The selection of messages; nil for all.
    ///   - viewpointTimestamp: The time to begin around, in milliseconds.
    public init(
        channel: SBDGroupChannel, filter: SBSMMessageFilter?, viewpointTimestamp: Int64
    ) {
        let (value, filter) = (channel.value, filter ?? SBSMMessageFilter())
        let account = SBDMain.door.account
        self.account = account
        self.filter = filter
        url = value.url
        background = BackgroundSync(value.url, at: viewpointTimestamp)
        watch = ChannelWatch(value)
        let window = Window(value.url, of: account, filter.value, at: viewpointTimestamp)
        self.window = Guarded(window)
        super.init()
        window.attach(self)
        watch.attach(self)
        let isSynchronizing = SBSMSyncManager.state.withLock { [background] state in
            state.downloads[ObjectIdentifier(background)] = background
            return state.isSynchronizing
        }
        if isSynchronizing { background.resume() }
    }

    deinit { remove() }

    // MARK: Messages

    /// The delivered messages that the delegate has got, by position.
    public var succeededMessages: [SBDBaseMessage] { list(.succeeded) }
    /// The messages that wait or are being sent, oldest first.
    public var pendingMessages: [SBDBaseMessage] { list(.pending) }
    /// The failed messages, oldest first.
    public var failedMessages: [SBDBaseMessage] { list(.failed) }

    private func list(_ group: MessageGroup) -> [SBDBaseMessage] {
        window.withLock { $0 }.objects(group)
    }

    /// The receiver of the next call; nil once the collection is closed.
    var receiver: (any SBSMMessageCollectionDelegate)? {
        window.withLock { $0 }.feed.isOpen ? delegate : nil
    }

    func showNewest() { window.withLock { $0 }.showNewest() }

    // MARK: Fetching

    /// Delivers a page in one direction to the delegate.
    ///
    /// Without a connection to fetch it, the handler gets an error, and the delegate gets the page
    /// after the reconnection.
    @_disfavoredOverload
    public func fetch(
        in direction: SBSMMessageDirection, completionHandler: ((SBDError?) -> Void)?
    ) {
        page(direction, Callback(completionHandler.map { handler in { handler($0.1) } }))
    }

    /// Delivers a page in one direction to the delegate, and tells the handler whether there may be
    /// more.
    ///
    /// Without a connection to fetch it, the handler gets an error, and the delegate gets the page
    /// after the reconnection.
    public func fetch(
        in direction: SBSMMessageDirection, completionHandler: ((Bool, SBDError?) -> Void)? = nil
    ) {
        page(
            direction, Callback(completionHandler.map { handler in { handler($0.0, $0.1) } }))
    }

    /// Delivers all newer messages to the delegate, page by page.
    public func fetchAllNextMessages(_ completionHandler: ((Bool, SBDError?) -> Void)? = nil) {
        fetch(in: .next) { [weak self] (hasMore: Bool, error: SBDError?) in
            guard hasMore, error == nil, let self else {
                completionHandler?(hasMore, error)
                return
            }
            self.fetchAllNextMessages(completionHandler)
        }
    }

    /// Calls the handler; the delegate gets the pending messages with the first page.
    ///
    /// Before a user is named the handler gets `SBSMErrorCode.setupRequired`.
    public func fetchPendingMessages(_ completionHandler: ((SBDError?) -> Void)? = nil) {
        answer(completionHandler)
    }

    /// Calls the handler; the delegate gets the failed messages with the first page.
    ///
    /// Before a user is named the handler gets `SBSMErrorCode.setupRequired`.
    public func fetchFailedMessages(_ completionHandler: ((SBDError?) -> Void)? = nil) {
        answer(completionHandler)
    }

    private func answer(_ completionHandler: ((SBDError?) -> Void)?) {
        let error = SBSMSyncManager.setupError.map { SBDError($0) }
        Callback(completionHandler).post(error, through: SBSMSyncManager.onCompletionQueue)
    }

    private func page(
        _ direction: SBSMMessageDirection, _ done: Callback<(Bool, SBDError?)>
    ) {
        watch.begin()
        window.withLock { $0 }.fetch(direction) { hasMore, error in
            let error = error.map { SBDError($0) }
            done.post((hasMore, error), through: SBSMSyncManager.onCompletionQueue)
        }
    }

    /// Moves the collection to another viewpoint.
    ///
    /// The delegate gets `.clear`, and pages must be fetched again. The download of history begins
    /// anew at the viewpoint. After `remove()` the call has no effect.
    public func resetViewpointTimestamp(_ timestamp: Int64) {
        guard !isRemoved.withLock({ $0 }) else { return }
        let new = Window(url, of: account, filter.value, at: timestamp)
        new.attach(self)
        let old = window.withLock { window in
            defer { window = new }
            return window
        }
        old.close()
        // `remove()` on another thread may have closed the old one only.
        guard !isRemoved.withLock({ $0 }) else { return new.close() }
        new.feed.post(.cleared(old.messages), through: SBSMSyncManager.onDelegateQueue)
        background.move(to: timestamp)
        if SBSMSyncManager.state.withLock({ $0.isSynchronizing }) { background.resume() }
    }

    /// Closes the collection; the delegate gets no more events.
    public func remove() {
        isRemoved.withLock { $0 = true }
        window.withLock { $0 }.close()
        watch.close()
        background.stop()
        _ = SBSMSyncManager.state.withLock { [background] state in
            state.downloads.removeValue(forKey: ObjectIdentifier(background))
        }
    }
}
