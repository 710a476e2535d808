// SPDX-License-Identifier: Apache-2.0

// A change is noted while it is applied, and the place of a channel is found by halving. A
// comparison of whole lists would cost as much for each message as there are channels on screen.

package import RoostModel

/// An open channel list, kept sorted, without duplicates and equal to the store.
package struct ChannelListMachine: Codable, Sendable {
    package let order: ChannelOrder
    package let filter: ChannelFilter
    package let viewer: UserID
    package private(set) var channels: [GroupChannel] = []
    /// The keys of the channels, at the same places.
    private var places = SortedKeys<ChannelSortKey>()
    private var keys: [ChannelURL: ChannelSortKey] = [:]
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
        let sorted = (kept + shown(extra)).map { (key: order.key(of: $0), channel: $0) }
            .sorted { $0.key < $1.key }
        self.channels = sorted.map(\.channel)
        places = SortedKeys(sorted.map(\.key))
        keys = Dictionary(sorted.map { ($0.key.url, $0.key) }, uniquingKeysWith: { $1 })
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
        var step = Step()
        for change in commit.changes {
            switch change {
            case .messages: break
            case .users(let updates): rename(updates, &step)
            case .channels(let change):
                for url in change.deleted { remove(url, &step) }
                for update in change.updated { place(update.after, &step, from: update.before) }
                for channel in change.inserted { place(channel, &step) }
            }
        }
        return diff(of: step)
    }

    /// Notes that unknown commits were made.
    package mutating func missCommits() { isBehind = true }

    /// Returns whether the list has a channel.
    package func shows(_ channel: ChannelURL) -> Bool { keys[channel] != nil }

    /// Sets the marks of all channels, before the first read.
    package mutating func mark(_ marks: [ChannelURL: ChannelMarks]) { self.marks = marks }

    /// Sets the marks of a channel; the list has to be read again if its waiting changes differ.
    package mutating func mark(
        _ channel: ChannelURL, _ new: ChannelMarks?
    ) -> ListDiff<GroupChannel> {
        let old = marks[channel]
        marks[channel] = new
        let index = index(of: channel)
        let last = index.flatMap { channels[$0].lastMessage }
        let changes = Set(old?.changes ?? []).symmetricDifference(new?.changes ?? [])
        guard !changes.contains(where: { $0.mayChange(listed: last) }) else {
            isBehind = true
            return ListDiff()
        }
        guard old?.draft != new?.draft, let index else { return ListDiff() }
        var step = Step()
        step.note(channels[index])
        var shown = channels[index].marks?.value ?? ChannelMarks()
        shown.draft = new?.draft
        channels[index].marks = shown.isEmpty ? nil : Indirect(shown)
        return diff(of: step)
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

    private mutating func rename(_ updates: [Update<User>], _ step: inout Step) {
        let users = Dictionary(
            updates.map { ($0.after.id, $0.after) }, uniquingKeysWith: { _, last in last })
        for index in channels.indices where channels[index].has(users) {
            step.note(channels[index])
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

    private mutating func remove(_ url: ChannelURL, _ step: inout Step) {
        guard takeOut(url, &step) != nil else { return }
        if hasMore { isBehind = true }
    }

    private mutating func place(
        _ unmarked: GroupChannel, _ step: inout Step, from old: GroupChannel? = nil
    ) {
        let deleted = deletedPreview(of: unmarked)?.messageID
        if let deleted, previews[unmarked.url]?.replaced != deleted {
            // The message in its place is not known yet.
            isBehind = true
            return
        }
        let channel = marked(unmarked)
        guard belongs(channel) else {
            step.note(counterpart: channel)
            return remove(channel.url, &step)
        }
        let before = takeOut(channel.url, &step)
        let key = order.key(of: channel)
        let index = places.end(of: key)
        // At the very end of an incomplete list it belongs to a page that is not loaded.
        if index == channels.count && hasMore {
            guard before != nil || channels.isEmpty else { return }
            if before.map({ $0 < key }) ?? true { isBehind = true }
        }
        if before == nil {
            step.note(channel.url)
            if let old { step.note(counterpart: old) }
        }
        channels.insert(channel, at: index)
        places.insert(key, at: index)
        keys[channel.url] = key
    }

    // MARK: Places

    /// Returns the place of a channel; nil if the list does not have it.
    private func index(of channel: ChannelURL) -> Int? {
        keys[channel].flatMap { places.index(of: $0) }
    }

    /// Takes a channel out of the list, and returns its key; nil if the list does not have it.
    private mutating func takeOut(_ url: ChannelURL, _ step: inout Step) -> ChannelSortKey? {
        guard let index = index(of: url) else { return nil }
        step.note(channels.remove(at: index))
        places.remove(at: index)
        return keys.removeValue(forKey: url)
    }

    /// The channels that one step may have changed.
    private struct Step {
        /// Each channel as it was before; nil inside if the list did not have it.
        private(set) var before: [ChannelURL: GroupChannel?] = [:]
        /// The values outside the list of channels that have entered or left it.
        private(set) var counterparts: [ChannelURL: GroupChannel] = [:]

        mutating func note(counterpart: GroupChannel) {
            counterparts[counterpart.url] = counterpart
        }

        mutating func note(_ channel: GroupChannel) {
            if before[channel.url] == nil { before.updateValue(channel, forKey: channel.url) }
        }

        /// Notes a channel that the list did not have.
        mutating func note(_ new: ChannelURL) {
            if before[new] == nil { before.updateValue(nil, forKey: new) }
        }
    }

    private func diff(of step: Step) -> ListDiff<GroupChannel> {
        var diff = ListDiff<GroupChannel>()
        for key in step.before.keys.compactMap({ keys[$0] }).sorted() {
            guard let index = places.index(of: key) else { continue }
            if let before = step.before[key.url] ?? nil {
                if before == channels[index] { continue }
                diff.updated.append(Update(before: before, after: channels[index]))
            } else {
                diff.inserted.append(channels[index])
            }
        }
        let gone = step.before.filter { keys[$0.key] == nil }.compactMap(\.value)
        diff.deleted = gone.sorted { order.key(of: $0) < order.key(of: $1) }
        diff.counterparts = (diff.inserted + diff.deleted).compactMap { channel in
            step.counterparts[channel.url]
        }
        return diff
    }
}

extension GroupChannel {
    /// Whether a member or the sender of the last message is one of some users.
    fileprivate func has(_ users: [UserID: User]) -> Bool {
        lastMessage?.sender.map { users[$0.user.id] != nil } ?? false
            || members.contains { users[$0.user.id] != nil }
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
