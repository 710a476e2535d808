// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// The changes that wait in the outbox and that the properties already show, in the order of
    /// their calls; empty for a message as the server has it.
    ///
    /// A message whose deletion waits is not shown at all.
    public var pendingChanges: [PendingChange] {
        hasNoDetails ? [] : details.storedChanges?.value ?? []
    }

    /// Returns whether the user's reaction with this key waits to be added or removed.
    public func isReactionPending(_ key: String) -> Bool {
        pendingChanges.contains { change in
            switch change.action {
            case .addReaction(key, _), .removeReaction(key, _): true
            default: false
            }
        }
    }

    /// Returns the message as the server will have it after these changes; nil if they delete it.
    ///
    /// Timelines, searches and look-ups of the cache show messages in this form already. The result
    /// is marked with the changes (`pendingChanges`); applying them once more changes nothing.
    ///
    /// - Parameters:
    ///   - changes: The changes, in the order of their calls.
    ///   - me: The user who made them.
    /// - Returns: The message as it will be, or nil.
    public func applying(_ changes: [PendingChange], by me: UserID) -> Message? {
        var message = self
        var marks = pendingChanges
        for change in changes where change.changes(self) {
            switch change.action {
            case .edit(_, let edit): message.apply(edit)
            case .delete: return nil
            case .addReaction(let key, _): message.react(key, me, isAdded: true, change.createdAt)
            case .removeReaction(let key, _):
                message.react(key, me, isAdded: false, change.createdAt)
            case .markAsRead, .channel: break
            }
            marks.removeAll { $0.id == change.id }
            marks.append(change)
        }
        guard marks != pendingChanges else { return message }
        message.details.storedChanges = Indirect(marks)
        return message
    }

    /// Returns a channel's last message with these changes, marked with them; nil if they delete it.
    ///
    /// The reactions stay, because the cache does not follow those of a last message either.
    package func applyingToPreview(_ changes: [PendingChange]) -> Message? {
        var message = self
        let changes = changes.filter { $0.changes(self) }
        guard !changes.isEmpty else { return self }
        for change in changes {
            switch change.action {
            case .edit(_, let edit): message.apply(edit)
            case .delete: return nil
            case .addReaction, .removeReaction, .markAsRead, .channel: break
            }
        }
        message.details.storedChanges = Indirect(changes)
        return message
    }

    /// Returns a reply whose view of its parent shows these changes.
    package func applyingToParent(_ changes: [PendingChange]) -> Message {
        guard let parent, changes.contains(where: { $0.changes(parent) }) else { return self }
        var message = self
        let changed = parent.applyingToPreview(changes)
        if let changed, var preview = details.parentPreview {
            preview.content = changed.content
            preview.data = changed.data
            preview.customType = changed.customType
            message.details.parentPreview = preview
        } else {
            message.details.parentPreview = nil
        }
        return message
    }

    private mutating func apply(_ edit: MessageEdit) {
        if let text = edit.text {
            switch content {
            case .file(var file):
                file.caption = text
                content = .file(file)
            case .user, .admin: content = .user(text: text)
            case .unknown: break
            }
        }
        data = edit.data ?? data
        customType = edit.customType ?? customType
        mention = edit.mention ?? mention
        if let template = edit.mentionTemplate { details.mentionTemplate = template }
    }

    private mutating func react(
        _ key: String, _ user: UserID, isAdded: Bool, _ moment: Timestamp
    ) {
        // The device's clock cannot be compared with the server's: the local change replaces the
        // entry.
        let last = details.reactions?.first { $0.key == key }?.updatedAt
        let change = ReactionChange(
            key: key, userID: user, isAdded: isAdded, updatedAt: max(moment, last ?? moment))
        details.reactions = (details.reactions ?? []).applying(change)
    }
}

extension PendingChange {
    /// Returns whether a message is the target of the change.
    package func changes(_ message: Message) -> Bool {
        switch action.target {
        case .delivered(let id)?: message.messageID == id
        case .unsent(let id)?: message.requestID == id
        case nil: false
        }
    }

    /// Returns whether the parent of a message is the target of the change.
    package func changesParent(of message: Message) -> Bool {
        guard let parent = message.parentID else { return false }
        return action.target == .delivered(parent)
    }
}
