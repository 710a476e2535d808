// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// An open channel list, kept sorted, without duplicates and equal to the store.
package struct ChannelListMachine: Codable, Sendable {
    package let order: ChannelOrder
    package let filter: ChannelFilter
    package let viewer: UserID
    package private(set) var channels: [GroupChannel] = []
    /// Whether there may be channels beyond the last shown one.
    package private(set) var hasMore = true
    /// The last commit that the list contains.
    package private(set) var sequence: Int64 = .min
    /// Whether the list has to be read again.
    ///
    /// Either unknown commits were made, or a channel left the list or moved to the end of an
    /// incomplete list, where other channels may belong, or the waiting changes of a channel have
    /// changed.
    package private(set) var isBehind = false
    /// The contents of the outbox that the channels show.
    private var marks: [ChannelURL: ChannelMarks] = [:]
    /// The last messages in place of those whose deletions wait, as of the last read.
    private var previews: [ChannelURL: ChannelPreview] = [:]
    /// The number of channels of the last read that their waiting changes keep out of the list.
    package private(set) var leftOut = 0

    package init(order: ChannelOrder, filter: ChannelFilter, viewer: UserID) {
        self.order = order
        self.filter = filter
        self.viewer = viewer
    }

    /// Shows the result of a read of the cache.
    ///
    /// `hasMore` is whether the list continues beyond these channels; `sequence` is the last commit
    /// in the read. The waiting changes of the `marked` channels may bring them into the list.
    /// `previews` are the last messages in place of those whose deletions wait. `isCut` is whether
    /// the cache has more channels than were read; nil stands for the value of `hasMore`.
    package mutating func replace(
        with channels: [GroupChannel], marked extra: [GroupChannel] = [],
        previews: [ChannelURL: ChannelPreview] = [:], hasMore: Bool, isCut: Bool? = nil,
        sequence: Int64
    ) -> ListDiff<GroupChannel> {
        let before = self.channels
        self.previews = previews
        let read = channels.filter(belongs)
        // Behind the last channel of a read that was cut there are unread ones.
        let isCut = isCut ?? hasMore
        let end = isCut ? channels.map(order.key).max() : nil
        func isInside(_ channel: GroupChannel) -> Bool {
            belongs(channel) && end.map { order.key(of: channel) <= $0 } ?? true
        }
        func shown(_ channels: [GroupChannel]) -> [GroupChannel] {
            channels.map(marked).filter(isInside)
        }
        let kept = shown(channels)
        let known = leftOut
        leftOut = max(0, read.count - kept.count)
        self.channels = (kept + shown(extra)).sorted { order.key(of: $0) < order.key(of: $1) }
        self.hasMore = hasMore
        // Lower only in a cache that was made anew: its commits count from one.
        self.sequence = sequence
        // The next read asks for as many more.
        isBehind = isCut && leftOut > known
        return ListDiff(from: before, to: self.channels)
    }

    /// Applies one commit.
    ///
    /// Commits come in order. A commit that the list already contains changes nothing, and a
    /// skipped one leaves the list behind.
    package mutating func apply(_ commit: Commit) -> ListDiff<GroupChannel> {
        guard commit.sequence > sequence else { return ListDiff() }
        if commit.sequence - 1 > sequence { isBehind = true }
        sequence = commit.sequence
        let before = channels
        for change in commit.changes {
            switch change {
            case .messages: break
            case .users(let updates): rename(updates)
            case .channels(let change):
                for url in change.deleted { remove(url) }
                for update in change.updated { place(update.after) }
                for channel in change.inserted { place(channel) }
            }
        }
        return before == channels ? ListDiff() : ListDiff(from: before, to: channels)
    }

    /// Notes that unknown commits were made.
    package mutating func missCommits() { isBehind = true }

    /// Sets the marks of all channels, before the first read.
    package mutating func mark(_ marks: [ChannelURL: ChannelMarks]) { self.marks = marks }

    /// Sets the marks of a channel; the list has to be read again if its waiting changes differ.
    package mutating func mark(
        _ channel: ChannelURL, _ new: ChannelMarks?
    ) -> ListDiff<GroupChannel> {
        let old = marks[channel]
        marks[channel] = new
        let index = channels.firstIndex { $0.url == channel }
        let last = index.flatMap { channels[$0].lastMessage }
        let changes = Set(old?.changes ?? []).symmetricDifference(new?.changes ?? [])
        guard !changes.contains(where: { $0.mayChange(listed: last) }) else {
            isBehind = true
            return ListDiff()
        }
        guard old?.draft != new?.draft, let index else { return ListDiff() }
        let before = channels
        var shown = channels[index].marks?.value ?? ChannelMarks()
        shown.draft = new?.draft
        channels[index].marks = shown.isEmpty ? nil : Indirect(shown)
        return ListDiff(from: before, to: channels)
    }

    /// The channels that waiting changes may bring into the list, in order.
    package var changedChannels: [ChannelURL] {
        marks.filter { $0.value.changes.contains(where: \.isOfChannel) }.keys.sorted()
    }

    /// Returns the last message of a channel if a deletion of it waits.
    package func deletedPreview(of channel: GroupChannel) -> Message? {
        guard let last = channel.lastMessage, marks[channel.url]?.deletes(last) == true else {
            return nil
        }
        return last
    }

    /// Returns the last message in place of one whose deletion waits, from messages before it.
    package func preview(
        of channel: ChannelURL, in messages: [Message], before last: Message
    ) -> ChannelPreview {
        ChannelPreview(
            replaced: last.messageID,
            message: marks[channel]?.preview(in: messages, before: last))
    }

    private func marked(_ channel: GroupChannel) -> GroupChannel {
        let preview = previews[channel.url]
        let isMeant = preview?.replaced == channel.lastMessage?.messageID
        return channel.marked(marks[channel.url], preview: isMeant ? preview?.message : nil)
    }

    private mutating func rename(_ updates: [Update<User>]) {
        let users = Dictionary(
            updates.map { ($0.after.id, $0.after) }, uniquingKeysWith: { _, last in last })
        for index in channels.indices {
            for member in channels[index].members.indices {
                guard let user = users[channels[index].members[member].user.id] else { continue }
                channels[index].members[member].user = user
            }
            if let sender = channels[index].lastMessage?.sender, let user = users[sender.user.id] {
                channels[index].lastMessage?.sender?.user = user
            }
        }
        // Other channels may match now, and some of these may not.
        if filter.dependsOnNicknames { isBehind = true }
    }

    private func belongs(_ channel: GroupChannel) -> Bool {
        filter.matches(channel, viewer: viewer)
    }

    private mutating func remove(_ url: ChannelURL) {
        let count = channels.count
        channels.removeAll { $0.url == url }
        if hasMore, channels.count < count { isBehind = true }
    }

    private mutating func place(_ unmarked: GroupChannel) {
        let deleted = deletedPreview(of: unmarked)?.messageID
        if let deleted, previews[unmarked.url]?.replaced != deleted {
            // The message in its place is not known yet.
            isBehind = true
            return
        }
        let channel = marked(unmarked)
        guard belongs(channel) else { return remove(channel.url) }
        let shown = channels.firstIndex { $0.url == channel.url }
        let before = shown.map { order.key(of: channels.remove(at: $0)) }
        let key = order.key(of: channel)
        let index = channels.firstIndex { order.key(of: $0) > key } ?? channels.count
        // At the very end of an incomplete list it belongs to a page that is not loaded.
        if index == channels.count && hasMore {
            guard before != nil || channels.isEmpty else { return }
            if before.map({ $0 < key }) ?? true { isBehind = true }
        }
        channels.insert(channel, at: index)
    }
}

/// The last message of a channel in place of one whose deletion waits.
package struct ChannelPreview: Equatable, Codable, Sendable {
    /// The message whose deletion waits.
    package let replaced: MessageID?
    /// The message before it; nil if the cache has none.
    package let message: Message?
}

extension PendingChange {
    /// Returns whether the change may show on a channel of a list whose last message is this one.
    fileprivate func mayChange(listed last: Message?) -> Bool {
        switch action {
        case .channel, .markAsRead, .delete: true
        case .edit, .addReaction, .removeReaction:
            last.map { changes($0) || changesParent(of: $0) } ?? false
        }
    }
}
