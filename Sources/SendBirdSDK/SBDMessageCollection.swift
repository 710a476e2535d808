// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// The first contents of a collection.
public enum SBDMessageCollectionInitPolicy: UInt, Sendable {
    /// The messages of the cache, then in their place those of the server.
    case cacheAndReplaceByApi
}

/// The messages of one channel around a starting point, kept in step with the server.
public final class SBDMessageCollection: NSObject {
    /// The receiver of events, held weakly.
    public weak var delegate: (any SBDMessageCollectionDelegate)?
    /// The time to begin around, in milliseconds; `LONG_LONG_MAX` for the newest messages.
    public let startingPoint: Int64
    /// The selection and order of messages.
    public let params: SBDMessageListParams?

    private let isReversed: Bool
    private let parts: MessageParts
    private let core: MessageCollectionCore<SBDMessageCollection, SBDBaseMessage>

    /// Creates a collection; the parameters' settings count as they are now.
    public init(channel: SBDGroupChannel, startingPoint: Int64, params: SBDMessageListParams) {
        self.startingPoint = startingPoint
        self.params = params
        (isReversed, parts) = (params.reverse, params.parts)
        let size = max(params.previousResultSize, params.nextResultSize)
        core = MessageCollectionCore(
            SBDMain.door, channel.value, startingAt: Timestamp(milliseconds: startingPoint),
            isInclusive: params.isInclusive, filter: params.filter,
            pageSize: size > 0 ? size : nil)
        super.init()
        core.attach(self) { collection, event in collection.notify(event) }
    }

    deinit { dispose() }

    /// The channel as it is now.
    public var channel: SBDGroupChannel {
        let (value, moment) = core.channel
        return SBDGroupChannel(kept: value, askedAt: moment)
    }

    /// Whether `loadPrevious(completionHandler:)` may find more.
    public var hasPrevious: Bool { core.view.hasOlder }
    /// Whether `loadNext(completionHandler:)` may find more; false while the newest messages are
    /// followed.
    public var hasNext: Bool { core.view.hasNewer }

    /// The delivered messages.
    public var succeededMessages: [SBDBaseMessage] { list(.succeeded) }
    /// The messages that wait or are being sent.
    public var pendingMessages: [SBDBaseMessage] { list(.pending) }
    /// The failed messages.
    public var failedMessages: [SBDBaseMessage] { list(.failed) }

    private func list(_ group: MessageGroup) -> [SBDBaseMessage] {
        core.objects(group) { objects($0) }
    }

    private func objects(_ messages: [Message]) -> [SBDBaseMessage] {
        messages.objects(isReversed: isReversed, showing: parts)
    }

    /// The handler of a page of messages.
    public typealias MessagesHandler = ([SBDBaseMessage]?, SBDError?) -> Void

    /// Loads the messages of the cache, then those of the server, which replace them.
    ///
    /// Each handler is called once. The second gets an error if the server does not answer; a later
    /// answer goes to the delegate. If the collection was started before, the first handler gets
    /// `SBDErrorCode.queryInProgress`, and the second the messages.
    public func start(
        with initPolicy: SBDMessageCollectionInitPolicy, cacheResultHandler: MessagesHandler?,
        apiResultHandler: MessagesHandler?
    ) {
        core.start(cache: page(cacheResultHandler), server: page(apiResultHandler))
    }

    /// Loads a page of newer messages.
    public func loadNext(completionHandler: MessagesHandler? = nil) {
        core.load(.newer, then: page(completionHandler))
    }

    /// Loads a page of older messages.
    public func loadPrevious(completionHandler: MessagesHandler? = nil) {
        core.load(.older, then: page(completionHandler))
    }

    /// Closes the collection; the delegate gets no more events.
    public func dispose() { core.close() }

    private func page(
        _ handler: MessagesHandler?
    ) -> Callback<Result<[Message], RoostError>> {
        .answer(handler) { [isReversed, parts] (messages: [Message]) in
            messages.objects(isReversed: isReversed, showing: parts)
        }
    }

    // MARK: Events

    /// The receiver of the next call; nil once the collection is closed.
    private var receiver: (any SBDMessageCollectionDelegate)? {
        core.isOpen ? delegate : nil
    }

    private func notify(_ event: MessageCollectionEvent) {
        switch event {
        case .messages(.hugeGap): receiver?.didDetectHugeGap(self)
        case .messages(.changed(let change)):
            for step in change.withCancellations { notify(step) }
        case .channel(let event):
            let change = event.change
            for channel in change.inserted {
                notify(
                    channel, event.moment, SBDCollectionEventSource(added: channel, in: change))
            }
            for update in change.updated {
                notify(
                    update.after, event.moment,
                    SBDCollectionEventSource(ofChannels: change.origins))
            }
            for channel in change.deleted {
                let source = SBDCollectionEventSource(removed: channel, in: change)
                receiver?.messageCollection(
                    self, context: SBDMessageContext(source, .none),
                    deletedChannel: channel.url.rawValue)
            }
        }
    }

    private func notify(
        _ channel: GroupChannel, _ moment: KeptChannels.Moment, _ source: SBDCollectionEventSource
    ) {
        receiver?.messageCollection(
            self, context: SBDMessageContext(source, .none),
            updatedChannel: SBDGroupChannel(kept: channel, askedAt: moment))
    }

    /// Calls the delegate once for each status, because a call has one status only.
    private func notify(_ change: ListDiff<Message>) {
        let channel = channel
        func context(_ kind: MessageChangeKind, _ status: SendingStatus) -> SBDMessageContext {
            SBDMessageContext(
                SBDCollectionEventSource(change.origins, kind, status),
                SBDMessageSendingStatus(status))
        }
        for (status, messages) in change.deleted.runs(\.status) {
            receiver?.messageCollection(
                self, context: context(.deleted, status), channel: channel,
                deletedMessages: objects(messages))
        }
        let settled = change.updated.filter { $0.before.status != $0.after.status }
        let updated = change.updated.filter { $0.before.status == $0.after.status }
        for (kind, updates) in [(MessageChangeKind.settled, settled), (.updated, updated)] {
            for (status, messages) in updates.map(\.after).runs(\.status) {
                receiver?.messageCollection(
                    self, context: context(kind, status), channel: channel,
                    updatedMessages: objects(messages))
            }
        }
        for (status, messages) in change.inserted.runs(\.status) {
            receiver?.messageCollection(
                self, context: context(.added, status), channel: channel,
                addedMessages: objects(messages))
        }
    }
}
