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

    /// The replies to a message, shown in the place of the channel's messages.
    public struct Thread: Sendable {
        let parent: Message
        let id: MessageID
        var replies: [Message] = []
        var isLoaded = false
    }

    public let channel: ChannelURL
    public internal(set) var messages: [Message] = []
    var hasOlder = false
    var hasNewer = false
    var hasHugeGap = false
    /// Whether the first messages have come from the disk.
    var isLoaded = false
    /// Whether the reader has asked for a page that has not come.
    var isPaging = false
    var pending: [PendingChange] = []
    var holes: [ChatInput.Hole]?
    var download: HistoryDownload.Progress?
    var anchor: Anchor?
    public internal(set) var selected: Message.Identity?
    var thread: Thread?
    /// The message whose text the composer changes.
    var editing: MessageTarget?
    var deleted: [Message.Identity: Tombstone] = [:]
    /// The newest message that was marked as read.
    var markedThrough = Timestamp.distantPast
    /// The message to select when it comes, after a jump.
    var wanted: MessageID?

    init(_ channel: ChannelURL) { self.channel = channel }

    /// Whether the newest messages are on screen, and new ones move the others up.
    var followsNewest: Bool { anchor == nil && !hasNewer }

    /// The messages to show, with changes that wait for the server.
    ///
    /// Deleted ones keep their place; replies are in their thread only.
    func shown(to me: UserID) -> [ShownMessage] {
        if let thread {
            return ([thread.parent] + thread.replies).map { ShownMessage($0, isDeleted: false) }
        }
        return messages.compactMap { message in
            // The message that they answer shows their number.
            if message.parentID != nil, !message.isReplyToChannel { return nil }
            if deleted[message.rowID] != nil { return ShownMessage(message, isDeleted: true) }
            guard !pending.isEmpty else { return ShownMessage(message, isDeleted: false) }
            guard let changed = message.applying(pending, by: me) else {
                return ShownMessage(message, isDeleted: true, isWaiting: true)
            }
            return ShownMessage(changed, isDeleted: false, isWaiting: changed != message)
        }
    }

    /// Takes over a new window, and keeps the places of messages that were deleted on screen.
    mutating func show(_ window: ChatInput.Window) {
        let kept = Set(window.messages.map(\.rowID))
        var merged = window.messages
        if isLoaded, let first = window.messages.first, let last = window.messages.last {
            let gone = messages.filter { message in
                !kept.contains(message.rowID) && message.position != nil
                    && message.createdAt >= first.createdAt && message.createdAt <= last.createdAt
            }
            for message in gone.suffix(Self.maxDeleted) {
                deleted[message.rowID] = Tombstone(message: message)
            }
            if !gone.isEmpty {
                merged = (merged + gone.suffix(Self.maxDeleted)).sorted(by: Self.isOlder)
            }
        }
        deleted = deleted.filter { !kept.contains($0.key) }
        if deleted.count > Self.maxDeleted { deleted = [:] }
        messages = merged.filter { kept.contains($0.rowID) || deleted[$0.rowID] != nil }
        hasOlder = window.hasOlder
        hasNewer = window.hasNewer
        hasHugeGap = window.hasHugeGap
        isLoaded = true
        isPaging = false
        if let wanted, let found = messages.last(where: { $0.messageID == wanted }) {
            selected = found.rowID
            anchor = Anchor(message: found.rowID, hiddenRows: 0)
            self.wanted = nil
        }
        if let anchor, !messages.contains(where: { $0.rowID == anchor.message }) {
            self.anchor = nil
        }
        if let selected, !messages.contains(where: { $0.rowID == selected }), thread == nil {
            self.selected = nil
        }
    }

    private static let maxDeleted = 50

    /// Whether a message stands before another one; unsent ones are the last.
    private static func isOlder(_ left: Message, _ right: Message) -> Bool {
        switch (left.position, right.position) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _): false
        }
    }
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
