// SPDX-License-Identifier: Apache-2.0

// The rules that every storage keeps.

package import RoostModel
package import RoostWire

/// The numbers that hold for every storage.
package enum StorageRules {
    /// The greatest number of a user's unread messages, in a channel and in all channels together.
    ///
    /// A list of channels, a login and a read mark count no further.
    package static let unreadLimit = 100_000
    /// The milliseconds for which a deleted channel counts among those of its creator: 30 days.
    ///
    /// Its row stays for the change logs of its members.
    package static let deletionPeriod: Int64 = 2_592_000_000
}

/// The rows that calls of a storage read or remove at most; tests choose smaller numbers.
package struct StorageBounds: Sendable {
    /// The unread messages of one channel that are counted.
    package var unread = StorageRules.unreadLimit
    /// The rows of a log that one statement reads; about 10 ms.
    package var stretch = 20_000
    /// The rows of the first stretch of a page, in which most pages are found.
    package var firstStretch = 500
    /// The stretches without a match that a page with a filter reads in a row at most.
    package var stretches = 50
    /// The stretches that such a page reads at most in all.
    package var allStretches = 250
    /// The messages of a deleted channel that one transaction of an embedded server removes.
    package var removal = 1_000

    package init() {}
}

/// The result of reading a log, with the work of reading it.
protocol LogRead: Sendable {
    /// The number of long stretches of the log that were read.
    var stretches: Int { get }
}

/// The messages of a page, with the work of finding them.
package struct FoundMessages: LogRead, Equatable, Sendable {
    package var messages: [Message]
    /// The number of long stretches of the log that were read.
    package var stretches = 0
    /// Whether the page is as long as the log allows; otherwise the search for messages has ended
    /// early.
    package var isWhole = true

    package init(_ messages: [Message] = []) { self.messages = messages }
}

/// A number of messages, with the work of counting them.
package struct CountedMessages: LogRead, Equatable, Sendable {
    package var count: Int
    /// The number of long stretches of the log that were read before the last one.
    package var stretches = 0

    package init(_ count: Int = 0) { self.count = count }
}

extension MessageFilter {
    /// Whether the filter asks for columns that are in no index, so that a page may read many rows.
    package var readsManyRows: Bool { kind != .all || customTypes != nil || senderIDs != nil }
}

extension Message {
    /// Whether the message counts as unread and can be a channel's last message; silent messages
    /// and replies within a thread do not.
    package var isCounted: Bool { !isSilent && (parentID == nil || isReplyToChannel) }

    func mentions(_ user: UserID) -> Bool {
        mention.calls(user)
    }

    /// The rest of a deleted message: its place, its IDs and its sender.
    package var tombstone: Message {
        Message(
            delivery: delivery, channelURL: channelURL, createdAt: createdAt, sender: sender,
            content: .user(text: ""))
    }

    /// Adds a stored reply to the thread.
    package mutating func note(reply: Message) {
        var thread = details.threadInfo ?? ThreadInfo(replyCount: 0)
        thread.replyCount += 1
        thread.add(reply.sender?.user)
        thread.lastRepliedAt = reply.createdAt
        thread.updatedAt = nextThreadTime(at: reply.createdAt)
        details.threadInfo = thread
    }

    /// Sets the thread to its replies.
    ///
    /// - Parameters:
    ///   - count: The number of the replies.
    ///   - last: The time of the last one.
    ///   - users: The users who replied, in the order of their first replies, up to
    ///     `ThreadInfo.mostRepliers`.
    ///   - now: The time of the change.
    package mutating func setReplies(
        _ count: Int, lastAt last: Timestamp?, by users: [User], now: Timestamp
    ) {
        var thread = ThreadInfo(replyCount: count)
        for user in users { thread.add(user) }
        thread.lastRepliedAt = last
        thread.updatedAt = nextThreadTime(at: now)
        details.threadInfo = thread
    }

    /// Returns the time of the next state of the thread; clients keep the newer of two states, so
    /// no two have one time.
    private func nextThreadTime(at now: Timestamp) -> Timestamp {
        guard let last = details.threadInfo?.updatedAt else { return now }
        return max(now, last.advanced(by: 1))
    }

    /// Applies an edit; unnamed properties stay (`docs/protocol` 2.6).
    package mutating func apply(_ edit: EditCommand, mentioned: [User], at now: Timestamp) {
        if let text = edit.text { content.setText(text) }
        data = edit.data ?? data
        customType = edit.customType ?? customType
        if edit.mentionKind != nil || edit.mentionedUserIDs != nil {
            setMention(edit.mentionKind ?? mention.kind, users: mentioned)
        }
        if let template = edit.mentionTemplate {
            // A new message has the template among the fields that travel unchanged.
            unknownFields = unknownFields.removing(UnknownFields.mentionTemplateName)
            details.mentionTemplate = template
        }
        if let change = edit.metaArrays { apply(change) }
        // Clients keep the later of two edits, so no two have one time.
        let next = updatedAt.map { $0.advanced(by: 1) }
        updatedAt = max(now, createdAt, next ?? createdAt)
    }

    private mutating func apply(_ change: EditCommand.MetaArrayEdit) {
        for array in change.arrays {
            let index = metaArrays.firstIndex { $0.key == array.key }
            switch (change.mode, index) {
            case (.add, let index?):
                let known = Set(metaArrays[index].values)
                metaArrays[index].values += array.values.filter { !known.contains($0) }
            case (.add, nil): if change.isUpsert { metaArrays.append(array) }
            case (.remove, let index?):
                if array.values.isEmpty {
                    metaArrays.remove(at: index)
                } else {
                    metaArrays[index].values.removeAll { array.values.contains($0) }
                }
            case (.remove, nil): break
            }
        }
    }
}

extension ThreadInfo {
    /// The users among whom the summary of a thread finds five that have room in it.
    package static let mostRepliers = 20

    /// Adds a user who replied, unless there are five users or no room for another.
    fileprivate mutating func add(_ user: User?) {
        guard let user, mostReplies.count < 5, !mostReplies.contains(where: { $0.id == user.id })
        else { return }
        let weight = mostReplies.reduce(user.weight) { $0 + $1.weight }
        // The other fields of the summary are smaller than this reserve.
        guard weight <= ServerLimits.relationBytes - 512 else { return }
        mostReplies.append(user)
    }
}

extension MessageContent {
    fileprivate mutating func setText(_ text: String) {
        switch self {
        case .user: self = .user(text: text)
        case .admin: self = .admin(text: text)
        case .file(var file):
            file.caption = text
            self = .file(file)
        case .unknown: break
        }
    }
}

extension MemberTraits {
    /// The restriction of a kind.
    package subscript(kind: Restriction.Kind) -> Restriction? {
        get { kind == .ban ? ban : mute }
        set {
            switch kind {
            case .ban: ban = newValue
            case .mute: mute = newValue
            }
        }
    }

    /// Whether there is a ban or a mute, ended ones included.
    package var isRestricted: Bool { ban != nil || mute != nil }

    /// Removes the restrictions that are not active at a moment.
    package mutating func forgetRestrictions(endedBy now: Timestamp) {
        if ban?.isActive(at: now) == false { ban = nil }
        if mute?.isActive(at: now) == false { mute = nil }
    }

    /// Applies an entry: a ban ends, a mute and hidden history stay.
    package mutating func admit(as state: MembershipState, by inviter: UserID?, now: Timestamp) {
        ban = nil
        guard state == .invited else { return }
        self.inviter = inviter
        invitedAt = now
    }
}
