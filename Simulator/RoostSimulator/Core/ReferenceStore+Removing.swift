// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

// Removals: cleared, evicted and forgotten messages, cut histories and channels.

extension ReferenceStore {
    mutating func clear(_ url: ChannelURL, before rest: ArraySlice<Mutation>) {
        guard histories[url] != nil else { return }
        touch(url)
        // The empty coverage states the deletion, unless the commit fills the channel again.
        if rest.contains(where: { $0.channelOfMessages == url }) {
            for message in histories[url]?.messages ?? [] { note(message, in: url) }
        } else {
            changes[url]?.isCleared = true
        }
        histories[url]?.messages = []
        histories[url]?.places = [:]
        histories[url]?.coverage = Coverage()
        for filter in histories[url]?.filtered.keys.map({ $0 }) ?? [] {
            histories[url]?.filtered[filter] = Coverage()
        }
    }

    mutating func evict(_ url: ChannelURL, through moment: Timestamp) {
        guard histories[url] != nil else { return }
        touch(url)
        drop(url, through: moment)
        let end = Position(createdAt: moment, messageID: MessageID(.max))
        histories[url]?.coverage.subtract(lower: .distantPast, upper: end)
        for filter in histories[url]?.filtered.keys.map({ $0 }) ?? [] {
            histories[url]?.filtered[filter]?.subtract(lower: .distantPast, upper: end)
        }
    }

    mutating func cut(_ url: ChannelURL, through moment: Timestamp) {
        touch(url)
        guard moment > histories[url]?.cut ?? .distantPast else { return }
        histories[url]?.cut = moment
        drop(url, through: moment)
        let end = Position(createdAt: moment, messageID: MessageID(.max))
        histories[url]?.coverage.cut(through: end)
        for filter in histories[url]?.filtered.keys.map({ $0 }) ?? [] {
            histories[url]?.filtered[filter]?.cut(through: end)
        }
        changes[url]?.cutThrough = moment
        let kept = changes[url]?.before.filter { id, before in
            (before ?? histories[url]?.message(id)).map { $0.createdAt > moment } ?? false
        }
        changes[url]?.before = kept ?? [:]
    }

    /// Removes messages; the commit does not list them one by one.
    mutating func drop(_ url: ChannelURL, through moment: Timestamp) {
        let gone = histories[url]?.messages.prefix { $0.createdAt <= moment } ?? []
        for message in gone {
            histories[url]?.places[message.messageID ?? 0] = nil
            changes[url]?.before[message.messageID ?? 0] = nil
        }
        histories[url]?.messages.removeFirst(gone.count)
    }

    mutating func forget(_ range: CoveredRange, of url: ChannelURL) {
        guard let history = histories[url] else { return }
        touch(url)
        for glimpse in history.glimpses(from: range.lower, through: range.upper) {
            remove(glimpse.message, in: url)
        }
        histories[url]?.coverage.subtract(lower: range.lower, upper: range.upper)
        for filter in history.filtered.keys {
            histories[url]?.filtered[filter]?.subtract(lower: range.lower, upper: range.upper)
        }
    }

    // MARK: Channels

    mutating func put(_ new: GroupChannel) {
        let old = groupChannels[new.url]
        var channel = new
        channel.readReceipts = new.readReceipts ?? old?.readReceipts
        channel.deliveryReceipts = new.deliveryReceipts ?? old?.deliveryReceipts
        channel.metadata = new.metadata ?? old?.metadata
        users.learn(from: channel)
        guard old != channel else { return }
        noteChannel(channel.url)
        groupChannels[channel.url] = channel
        if let offset = channel.messageOffset, offset > old?.messageOffset ?? .distantPast {
            cut(channel.url, through: offset)
        }
    }

    mutating func noteChannel(_ url: ChannelURL) {
        guard channelsBefore[url] == nil else { return }
        channelsBefore[url] = .some(groupChannels[url])
        channelOrder.append(url)
    }

    mutating func removeChannel(_ url: ChannelURL, before rest: ArraySlice<Mutation>) {
        cursors[.messageChanges(url)] = nil
        guard histories[url] != nil || groupChannels[url] != nil else { return }
        clear(url, before: rest)
        histories[url]?.cut = nil
        // A channel that returns in the same commit keeps its place in the order of eviction.
        if !rest.contains(where: { $0.concerns(url) }) {
            histories[url]?.accessedAt = nil
            histories[url]?.isPinned = false
        }
        noteChannel(url)
        groupChannels[url] = nil
    }
}
