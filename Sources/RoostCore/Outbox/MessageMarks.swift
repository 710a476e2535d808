// SPDX-License-Identifier: Apache-2.0

// Waiting changes are laid over messages when they are shown. The cache and the window of a
// timeline have the server's state only, so a refusal needs nothing but the end of the mark.

package import RoostModel

/// The changes of a channel's messages that wait in the outbox.
package struct MessageMarks: Hashable, Codable, Sendable {
    /// The changes by target, each list in the order of the calls.
    private var changes: [MessageTarget: [PendingChange]] = [:]
    private var me = UserID("")

    /// Marks without a change.
    package init() {}

    /// - Parameters:
    ///   - changes: The changes, in the order of their calls; those without a message are left out.
    ///   - me: The user who made them.
    package init(_ changes: [PendingChange], by me: UserID) {
        for change in changes {
            guard let target = change.action.target else { continue }
            self.changes[target, default: []].append(change)
        }
        if !self.changes.isEmpty { self.me = me }
    }

    package var isEmpty: Bool { changes.isEmpty }

    /// The messages that the server has and whose texts waiting edits change, in order.
    package var editedMessages: [MessageID] {
        changes.compactMap { target, changes in
            guard case .delivered(let id) = target, changes.contains(where: \.changesText) else {
                return nil
            }
            return id
        }.sorted()
    }

    /// The number of messages with changes.
    package var count: Int { changes.count }

    /// Returns the changes of a message, in the order of the calls.
    package func changes(of message: Message) -> [PendingChange] {
        guard !changes.isEmpty else { return [] }
        // Changes of a message that was unsent at the time of the call are the earlier ones.
        let unsent = message.requestID.flatMap { changes[.unsent($0)] } ?? []
        let delivered = message.messageID.flatMap { changes[.delivered($0)] } ?? []
        return unsent + delivered
    }

    private func changes(ofParentOf message: Message) -> [PendingChange] {
        guard !changes.isEmpty else { return [] }
        return message.parentID.flatMap { changes[.delivered($0)] } ?? []
    }

    /// Returns the message with its changes; nil if they delete it, or take it out of the filter.
    ///
    /// A reply shows its parent with the parent's changes.
    package func shown(
        _ message: Message, under filter: MessageFilter = .everything
    ) -> Message? {
        let message = message.applyingToParent(changes(ofParentOf: message))
        let changes = changes(of: message)
        guard !changes.isEmpty else { return message }
        return message.applying(changes, by: me).flatMap { filter.matches($0) ? $0 : nil }
    }

    /// Returns the shown form of some messages of the channel, in their order.
    package func shown(
        _ messages: [Message], under filter: MessageFilter = .everything
    ) -> [Message] {
        isEmpty ? messages : messages.compactMap { shown($0, under: filter) }
    }

    /// Returns the shown form of a change of a list.
    package func shown(
        _ diff: ListDiff<Message>, under filter: MessageFilter
    ) -> ListDiff<Message> {
        guard !isEmpty else { return diff }
        var result = ListDiff<Message>().withOrigins(diff.origins)
        result.inserted = shown(diff.inserted, under: filter)
        result.deleted = shown(diff.deleted, under: filter)
        for update in diff.updated {
            result.note(
                from: shown(update.before, under: filter), to: shown(update.after, under: filter))
        }
        return result
    }

    /// Returns the change of a shown list when other marks take the place of these.
    package func replaced(
        by new: MessageMarks, in messages: [Message], under filter: MessageFilter
    ) -> ListDiff<Message> {
        var result = ListDiff<Message>()
        for message in messages
        where changes(of: message) != new.changes(of: message)
            || changes(ofParentOf: message) != new.changes(ofParentOf: message)
        {
            result.note(
                from: shown(message, under: filter), to: new.shown(message, under: filter))
        }
        return result
    }
}

extension ListDiff<Message> {
    /// Notes that an element was shown in one form and is shown in another; nil for not at all.
    fileprivate mutating func note(from before: Message?, to after: Message?) {
        switch (before, after) {
        case (let before?, let after?):
            if before != after { updated.append(Update(before: before, after: after)) }
        case (nil, let after?): inserted.append(after)
        case (let before?, nil): deleted.append(before)
        case (nil, nil): break
        }
    }
}

extension PendingChange {
    fileprivate var changesText: Bool {
        if case .edit(_, let edit) = action { edit.text != nil } else { false }
    }
}

extension Outbox {
    /// Returns the waiting changes of a channel's messages.
    package func messageMarks(in channel: ChannelURL) -> MessageMarks {
        MessageMarks(pendingChanges(in: channel), by: me.id)
    }

    /// Returns the waiting changes of the messages of all channels that have some.
    package var messageMarks: [ChannelURL: MessageMarks] {
        allMarks.mapValues { MessageMarks($0.changes, by: me.id) }.filter { !$0.value.isEmpty }
    }
}
