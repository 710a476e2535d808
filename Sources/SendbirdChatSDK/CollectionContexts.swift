// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// The circumstances of an event of a message collection.
public final class MessageContext: NSObject {
    /// The source of the event.
    public let source: CollectionEventSource
    /// The state of sending, the same for all messages of the event.
    public let sendingStatus: MessageSendingStatus
    /// Whether the source is a live event.
    public var fromEvent: Bool { source.isEvent }

    /// Creates a context, such as for an app's own calls of a delegate.
    public init(source: CollectionEventSource, sendingStatus: MessageSendingStatus) {
        self.source = source
        self.sendingStatus = sendingStatus
    }

    convenience init(_ context: ChannelContext) {
        self.init(source: context.source, sendingStatus: .none)
    }
}

/// The circumstances of an event of a channel collection.
public final class ChannelContext: NSObject {
    /// The source of the event.
    public let source: CollectionEventSource
    /// More about the event; nil for most sources.
    public let eventDetail: EventDetail?
    /// Whether the source is a live event.
    public var fromEvent: Bool { source.isEvent }

    init(_ source: CollectionEventSource, _ detail: EventDetail? = nil) {
        self.source = source
        eventDetail = detail
    }
}

/// More about an event of a channel collection; a subclass says what.
open class EventDetail: NSObject {
    override init() {}

    /// An invitation; with the source `.eventUserReceivedInvitation`.
    public final class UserReceivedInvitation: EventDetail {
        /// The user who invited this user; nil if unknown, as for other users' invitations.
        public let inviter: User?
        /// The invited users.
        public let invitees: [User]

        init(inviter: User?, invitees: [User]) {
            self.inviter = inviter
            self.invitees = invitees
            super.init()
        }
    }
}

// MARK: - Contexts of changes

extension MessageContext {
    convenience init(_ message: Message, in change: ListDiff<Message>) {
        self.init(
            source: CollectionEventSource(added: message, change.origins),
            sendingStatus: MessageSendingStatus(message))
    }

    convenience init(_ update: Update<Message>, in change: ListDiff<Message>) {
        self.init(
            source: CollectionEventSource(update, change.origins),
            sendingStatus: MessageSendingStatus(update.after))
    }

    convenience init(removed message: Message, in change: ListDiff<Message>) {
        self.init(
            source: CollectionEventSource(removed: message, change.origins),
            sendingStatus: MessageSendingStatus(message))
    }
}

extension ChannelContext {
    convenience init(_ channel: RoostModel.GroupChannel, in event: ChannelListDriver.Event) {
        let source = CollectionEventSource(added: channel, in: event.change, for: event.viewer)
        var detail: EventDetail?
        if source == .eventUserReceivedInvitation {
            detail = EventDetail.UserReceivedInvitation(
                inviter: channel.inviter.map { User($0) },
                invitees: channel.members.filter { $0.state == .invited }.map { Member($0) })
        }
        self.init(source, detail)
    }

    convenience init(
        _ update: Update<RoostModel.GroupChannel>, in event: ChannelListDriver.Event
    ) {
        let source = CollectionEventSource(update, event.change.origins, for: event.viewer)
        var detail: EventDetail?
        if source == .eventUserReceivedInvitation {
            detail = EventDetail.UserReceivedInvitation(
                inviter: update.after.inviter.map { User($0) },
                invitees: update.newMembers(.invited).map { Member($0) })
        }
        self.init(source, detail)
    }

    convenience init(
        removed channel: RoostModel.GroupChannel, in event: ChannelListDriver.Event
    ) {
        self.init(
            CollectionEventSource(removed: channel, in: event.change, for: event.viewer))
    }
}

extension Array {
    /// The elements in groups of consecutive equal contexts.
    func runs<Context: CollectionContext>(
        _ context: (Element) -> Context
    ) -> [(context: Context, elements: [Element])] {
        reduce(into: []) { runs, element in
            let context = context(element)
            if let last = runs.last, last.context.isSame(as: context) {
                runs[runs.count - 1].elements.append(element)
            } else {
                runs.append((context, [element]))
            }
        }
    }
}

/// A context that several elements of an event may share.
protocol CollectionContext {
    func isSame(as other: Self) -> Bool
}

extension MessageContext: CollectionContext {
    func isSame(as other: MessageContext) -> Bool {
        source == other.source && sendingStatus == other.sendingStatus
    }
}

extension ChannelContext: CollectionContext {
    func isSame(as other: ChannelContext) -> Bool {
        source == other.source && eventDetail == nil && other.eventDetail == nil
    }
}
