// SPDX-License-Identifier: Apache-2.0

public import Roost

/// The open channel: its messages, and the reader's place among them.
public struct Conversation: Sendable {
    /// The message at the lower edge of the pane.
    public struct Anchor: Hashable, Sendable {
        var message: Message.Identity
        /// The rows of the message below the edge.
        var hiddenRows: Int
    }

    /// The place of a message that was deleted while it was on screen.
    public struct Tombstone: Hashable, Sendable {
        let message: Message
    }

    /// The state of a list of messages at its ends.
    struct Ends: Hashable, Sendable {
        var hasOlder = false
        var hasNewer = false
        /// Whether the first messages have come from the disk.
        var isLoaded = false
        /// Whether the reader has asked for a page that has not come.
        var isPaging = false
    }

    /// The replies to a message, shown in the place of the channel's messages.
    public struct Thread: Sendable {
        let id: MessageID
        /// The message that the replies answer; nil if it is not on this device.
        var parent: Message?
        var replies: [Message] = []
        var ends = Ends()
        /// The reply to select when it comes.
        var wanted: MessageID?
    }

    public let channel: ChannelURL
    public internal(set) var messages: [Message] = []
    /// The ends of the channel's messages.
    var ends = Ends()
    var hasHugeGap = false
    var pending: [PendingChange] = []
    var holes: [ChatInput.Hole]?
    var download: (state: DownloadProgress.State, messages: Int)?
    var anchor: Anchor?
    public internal(set) var selected: Message.Identity?
    var thread: Thread?
    /// The message whose text the composer changes.
    var editing: MessageTarget?
    var deleted: [Message.Identity: Tombstone] = [:]
    /// The place of the newest message that was marked as read.
    var markedThrough = Position.distantPast
    /// The message to select when it comes, after a jump.
    var wanted: MessageID?

    init(_ channel: ChannelURL) { self.channel = channel }

    /// The ends of the messages in the pane: of the thread if one is open.
    var shownEnds: Ends {
        get { thread?.ends ?? ends }
        set { if thread == nil { ends = newValue } else { thread?.ends = newValue } }
    }

    /// Whether the newest messages are in the pane, and new ones move the others up.
    var followsNewest: Bool { anchor == nil && !shownEnds.hasNewer }

    /// Whether the channel's whole history comes, or will with the connection.
    var isFetching: Bool {
        switch download?.state {
        case .running, .waitingForConnection: true
        case .paused, .canceled, .finished, nil: false
        }
    }

    /// The messages to show, with changes that wait for the server.
    ///
    /// Deleted ones keep their place; replies are in their thread only.
    func shown(to me: UserID) -> [ShownMessage] {
        guard let thread else {
            // The message that they answer shows their number.
            return messages.filter { !$0.isOnlyInThread }.map { shown($0, to: me) }
        }
        return (thread.parent.map { [$0] } ?? []).map { shown($0, to: me) }
            + thread.replies.map { shown($0, to: me) }
    }

    private func shown(_ message: Message, to me: UserID) -> ShownMessage {
        if deleted[message.id] != nil { return ShownMessage(message, isDeleted: true) }
        guard !pending.isEmpty else { return ShownMessage(message, isDeleted: false) }
        guard let changed = message.applying(pending, by: me) else {
            return ShownMessage(message, isDeleted: true, isWaiting: true)
        }
        return ShownMessage(changed, isDeleted: false, isWaiting: changed != message)
    }

    /// Takes over a new window, and keeps the places of messages that were deleted on screen.
    ///
    /// - Returns: The message under edit, if it was deleted.
    mutating func show(_ window: ChatInput.Window) -> Message? {
        let kept = Set(window.messages.flatMap(\.identities))
        let extent = ends.isLoaded ? window.extent : nil
        let gone = messages.filter { message in
            guard let place = message.position, let extent else { return false }
            return extent.contains(place) && !message.identities.contains(where: kept.contains)
        }.suffix(Self.maxDeleted)
        let edited = deletedEdit(among: messages, window)
        for message in gone { deleted[message.id] = Tombstone(message: message) }
        deleted = deleted.filter { !kept.contains($0.key) }
        if deleted.count > Self.maxDeleted { deleted = [:] }
        renewParent(from: window)
        messages = Self.merge(gone.filter { deleted[$0.id] != nil }, into: window.messages)
        ends = Ends(window)
        hasHugeGap = window.hasHugeGap
        if thread == nil, goToMessage(wanted, among: messages.filter { !$0.isOnlyInThread }) {
            wanted = nil
        }
        return edited
    }

    /// Takes over a new window of the open thread.
    ///
    /// - Returns: The message under edit, if it was deleted.
    mutating func showReplies(_ window: ChatInput.Window) -> Message? {
        let edited = deletedEdit(among: thread?.replies ?? [], window)
        thread?.replies = window.messages
        thread?.ends = Ends(window)
        let shown = (thread?.parent.map { [$0] } ?? []) + window.messages
        if goToMessage(thread?.wanted, among: shown) { thread?.wanted = nil }
        return edited
    }

    /// Returns the message under edit if a list had it, and a window that would have it has not.
    private func deletedEdit(among old: [Message], _ window: ChatInput.Window) -> Message? {
        guard let editing, let edited = old.last(where: { $0.target == editing }),
            let place = edited.position, window.covers(place),
            !window.messages.contains(where: { $0.messageID == place.messageID })
        else { return nil }
        return edited
    }

    /// Takes over the thread's parent from the channel's messages.
    private mutating func renewParent(from window: ChatInput.Window) {
        guard let thread else { return }
        if let new = window.messages.last(where: { $0.messageID == thread.id }) {
            self.thread?.parent = new
        } else if let old = messages.last(where: { $0.messageID == thread.id }),
            let place = old.position, window.covers(place)
        {
            deleted[old.id] = Tombstone(message: old)
        }
    }

    /// Selects a message if it has come, and gives up a place that is no longer shown.
    ///
    /// - Returns: Whether the message has come.
    private mutating func goToMessage(_ wanted: MessageID?, among shown: [Message]) -> Bool {
        let found = wanted.flatMap { wanted in shown.last { $0.messageID == wanted } }
        if let found {
            selected = found.id
            anchor = Anchor(message: found.id, hiddenRows: 0)
        }
        if let anchor, !shown.contains(where: { $0.id == anchor.message }) {
            self.anchor = nil
        }
        if let selected, !shown.contains(where: { $0.id == selected }) {
            self.selected = nil
        }
        return found != nil
    }

    private static let maxDeleted = 50

    /// Puts delivered messages to their places among those of a window, whose unsent ones are last.
    private static func merge(_ gone: [Message], into messages: [Message]) -> [Message] {
        var merged: [Message] = []
        var rest = gone[...]
        for message in messages {
            while let next = rest.first, isOlder(next, message) {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(message)
        }
        return merged + rest
    }

    /// Whether a delivered message stands before another one; unsent ones are the last.
    private static func isOlder(_ left: Message, _ right: Message) -> Bool {
        guard let left = left.position, let right = right.position else { return true }
        return left < right
    }
}

extension Conversation.Ends {
    /// The ends of a window that has come.
    init(_ window: ChatInput.Window) {
        self.init(hasOlder: window.hasOlder, hasNewer: window.hasNewer, isLoaded: true)
    }
}

extension ChatInput.Window {
    /// The places from the first to the last delivered message; nil without one.
    ///
    /// Unsent messages stand behind the newest one, so the window then reaches the end.
    fileprivate var extent: ClosedRange<Position>? {
        guard let (first, last) = edges else { return nil }
        return first...(messages.last?.position == nil ? .distantFuture : last)
    }

    /// Whether a delivered message of this place would be in the window.
    fileprivate func covers(_ place: Position) -> Bool {
        let edges = edges
        let isBehindStart = !hasOlder || edges.map { $0.first <= place } ?? false
        let isBeforeEnd = !hasNewer || edges.map { place <= $0.last } ?? false
        return isBehindStart && isBeforeEnd
    }

    private var edges: (first: Position, last: Position)? {
        guard let first = messages.first(where: { $0.position != nil })?.position,
            let last = messages.last(where: { $0.position != nil })?.position, first <= last
        else { return nil }
        return (first, last)
    }
}

extension Message {
    /// Whether the message is a reply that its channel does not show.
    var isOnlyInThread: Bool { parentID != nil && !isReplyToChannel }
}

/// A message as the screen shows it.
struct ShownMessage {
    let message: Message
    let isDeleted: Bool
    /// Whether a change of it waits for the server.
    let isWaiting: Bool

    init(_ message: Message, isDeleted: Bool, isWaiting: Bool = false) {
        self.message = message
        self.isDeleted = isDeleted
        self.isWaiting = isWaiting
    }
}
