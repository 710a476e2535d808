// SPDX-License-Identifier: Apache-2.0

/// The contents of the outbox that show on a channel.
package struct ChannelMarks: Hashable, Codable, Sendable {
    /// The waiting changes, those of the channel's messages included, in the order of their calls.
    package var changes: [PendingChange]
    /// The channel's own draft.
    package var draft: MessageDraft?

    package init(changes: [PendingChange] = [], draft: MessageDraft? = nil) {
        self.changes = changes
        self.draft = draft
    }

    package var isEmpty: Bool { changes.isEmpty && draft == nil }

    /// The marks without the changes of messages and without read marks.
    package var ofChannelOnly: ChannelMarks {
        ChannelMarks(changes: changes.filter(\.isOfChannel), draft: draft)
    }

    /// The marks without the changes of messages, which change no unread count.
    package var ofCounts: ChannelMarks {
        ChannelMarks(changes: changes.filter { $0.action.target == nil })
    }

    /// Returns whether a waiting deletion takes a message away.
    package func deletes(_ message: Message) -> Bool {
        changes.contains { change in
            if case .delete = change.action { change.changes(message) } else { false }
        }
    }

    /// Returns the newest of some messages that may be the channel's last one, once the deletions
    /// that wait are made.
    ///
    /// - Parameters:
    ///   - messages: Messages of the channel, oldest first.
    ///   - last: The last message, which is deleted.
    /// - Returns: The message; nil if none of them may.
    package func preview(in messages: [Message], before last: Message) -> Message? {
        guard let end = last.position else { return nil }
        return messages.last { message in
            message.position.map { $0 < end } ?? false && message.isPreview && !deletes(message)
        }
    }
}

extension PendingChange {
    /// Whether the change is one of the channel, or of the user's settings in it.
    package var isOfChannel: Bool { if case .channel = action { true } else { false } }
}

extension Message {
    /// Whether the message may be a channel's last one, as far as a device knows.
    package var isPreview: Bool {
        guard !isSilent, parentID == nil || isReplyToChannel else { return false }
        return hasNoDetails || details.effects?.updatesLastMessage ?? true
    }
}

extension GroupChannel {
    /// The changes that wait in the outbox and that these properties already show, in the order of
    /// their calls; empty for a channel as the server has it.
    ///
    /// The changes of the last message are among them.
    public var pendingChanges: [PendingChange] { marks?.value.changes ?? [] }

    /// The channel's own draft on this device; nil without one.
    public var draft: MessageDraft? { marks?.value.draft }

    /// Returns the channel as it will be once the waiting changes are made, and marks it with those
    /// that change it.
    ///
    /// - Parameters:
    ///   - marks: The contents of the outbox.
    ///   - preview: The last message in place of one whose deletion waits.
    /// - Returns: The channel as an app sees it.
    package func marked(_ marks: ChannelMarks?, preview: Message? = nil) -> GroupChannel {
        guard let marks, !marks.isEmpty else { return self }
        var channel = self
        var shown: [PendingChange] = []
        for change in marks.changes where channel.isChanged(by: change) {
            shown.append(change)
            switch change.action {
            case .channel(let change): channel.apply(change)
            case .markAsRead(let moment): channel = channel.applying(readMark: moment)
            case .edit, .delete, .addReaction, .removeReaction: break
            }
        }
        if let last = lastMessage, !marks.changes.isEmpty {
            let shown = last.applyingToPreview(marks.changes)
            channel.lastMessage = (shown ?? preview?.applyingToPreview(marks.changes))?
                .applyingToParent(marks.changes)
        }
        let new = ChannelMarks(changes: shown, draft: marks.draft)
        channel.marks = new.isEmpty ? nil : Indirect(new)
        return channel
    }

    /// Returns whether a waiting change shows on the channel.
    private func isChanged(by change: PendingChange) -> Bool {
        switch change.action {
        case .channel: true
        case .markAsRead(let moment): applying(readMark: moment) != self
        case .edit, .delete, .addReaction, .removeReaction:
            lastMessage.map { change.changes($0) || change.changesParent(of: $0) } ?? false
        }
    }

    /// Returns the channel after the viewer has read everything up to a moment, on any device.
    package func applying(readMark moment: Timestamp) -> GroupChannel {
        guard moment > myLastRead ?? .distantPast else { return self }
        var channel = self
        channel.myLastRead = moment
        if lastMessage.map({ $0.createdAt <= moment }) ?? true {
            channel.unreadMessageCount = 0
            channel.unreadMentionCount = 0
        }
        return channel
    }
}
