// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

// Messages that come, and the changes of those that are there.

extension ReferenceStore {
    /// Begins to collect the changes of a channel's messages.
    mutating func touch(_ url: ChannelURL) {
        guard changes[url] == nil else { return }
        let history = histories[url] ?? History()
        histories[url] = history
        changes[url] = Changes(
            coverageBefore: history.coverage, filteredBefore: history.filtered)
        order.append(url)
    }

    mutating func put(
        _ messages: [Message], in url: ChannelURL, covering range: CoveredRange?,
        under filter: MessageFilter
    ) {
        touch(url)
        if let range {
            if filter == .everything {
                histories[url]?.coverage.insert(range)
                noteEntered(in: range, of: url)
            } else {
                histories[url]?.filtered[filter, default: Coverage()].insert(range)
            }
        }
        for message in messages { put(message, in: url) }
        joinPredecessors(messages, in: url)
    }

    mutating func putLive(_ message: Message, after predecessor: MessageID?) {
        let url = message.channelURL
        guard let place = message.position else { return }
        touch(url)
        if let cut = histories[url]?.cut, place.createdAt <= cut { return }
        var range = CoveredRange(lower: place, upper: place, predecessor: predecessor)
        if let predecessor, let known = position(of: predecessor, in: url), known <= place {
            range = CoveredRange(lower: known, upper: place)
        }
        histories[url]?.coverage.insert(range)
        noteEntered(in: range, of: url)
        put(message, in: url)
        joinPredecessors([message], in: url)
    }

    func position(of id: MessageID, in url: ChannelURL) -> Position? {
        guard let history = histories[url] else { return nil }
        if let end = history.coverage.ranges.last?.upper, end.messageID == id { return end }
        return history.places[id]
    }

    /// Notes the messages of a range that were covered under filters only.
    mutating func noteEntered(in range: CoveredRange, of url: ChannelURL) {
        guard let history = histories[url], let before = changes[url], !history.filtered.isEmpty
        else { return }
        for glimpse in history.glimpses(from: range.lower, through: range.upper)
        where before.coverageBefore.range(containing: glimpse.place) == nil {
            note(glimpse.message, in: url)
            changes[url]?.entered.insert(glimpse.place.messageID)
        }
    }

    /// Joins a range with the one that contains its predecessor now.
    mutating func joinPredecessors(_ messages: [Message], in url: ChannelURL) {
        for range in histories[url]?.coverage.ranges ?? [] {
            guard let predecessor = range.predecessor,
                let position = messages.first(where: { $0.messageID == predecessor })?.position,
                position < range.lower,
                histories[url]?.coverage.range(containing: position) != nil
            else { continue }
            histories[url]?.coverage.insert(CoveredRange(lower: position, upper: range.lower))
        }
    }

    mutating func put(_ message: Message, in url: ChannelURL) {
        guard let place = message.position, let history = histories[url] else { return }
        if let cut = history.cut, place.createdAt <= cut { return }
        if let old = history.message(place.messageID) {
            update(old, with: message, isEdit: false, in: url)
            guard !history.filtered.isEmpty, let now = histories[url]?.coverage,
                changes[url]?.coverageBefore.range(containing: place) == nil,
                now.range(containing: place) != nil
            else { return }
            // For readers without the filter the message is new.
            note(old, in: url)
            changes[url]?.entered.insert(place.messageID)
            return
        }
        guard history.covers(message, at: place) else { return }
        insert(message, at: place, in: url)
        if !message.hasNoDetails, message.details.threadInfo != nil {
            follow(place.messageID, as: message.preview, in: url)
        }
    }

    mutating func insert(_ message: Message, at place: Position, in url: ChannelURL) {
        note(place.messageID, before: nil, in: url)
        users.learn(from: message)
        let index = histories[url]?.firstIndex(atOrAfter: place) ?? 0
        histories[url]?.messages.insert(message, at: index)
        histories[url]?.places[place.messageID] = place
    }

    mutating func putEdited(_ message: Message) {
        let url = message.channelURL
        guard let place = message.position, histories[url] != nil else { return }
        touch(url)
        if let old = histories[url]?.message(place.messageID) {
            return update(old, with: message, isEdit: true, in: url)
        }
        if message.parentID == nil { follow(place.messageID, as: message.preview, in: url) }
        // The message may match a filter only now.
        guard let history = histories[url], history.coverage.range(containing: place) == nil else {
            return
        }
        for filter in history.filtered.keys where filter.matches(message) {
            histories[url]?.filtered[filter]?.subtract(lower: place, upper: place)
        }
    }

    mutating func update(
        _ stored: Message, with copy: Message, isEdit: Bool, in url: ChannelURL
    ) {
        let old = users.now(stored)
        let merged = old.merged(with: copy)
        guard let place = merged.position, let history = histories[url] else { return }
        if history.covers(merged, at: place) {
            replace(old, with: merged, in: url)
        } else {
            remove(old, in: url)
        }
        guard merged.parentID == nil, isEdit || merged.preview != old.preview else { return }
        follow(place.messageID, as: merged.preview, in: url)
    }

    mutating func amend(
        _ id: MessageID, in url: ChannelURL, _ change: (inout Message) -> Void
    ) {
        guard let stored = histories[url]?.message(id) else { return }
        touch(url)
        let old = users.now(stored)
        var copy = old
        change(&copy)
        replace(old, with: copy, in: url)
    }

    mutating func replace(_ old: Message, with new: Message, in url: ChannelURL) {
        users.learn(from: new)
        guard new != old, let id = new.messageID, let index = histories[url]?.index(of: id) else {
            return
        }
        note(old, in: url)
        histories[url]?.messages[index] = new
    }

    mutating func remove(_ old: Message, in url: ChannelURL) {
        guard let id = old.messageID, let index = histories[url]?.index(of: id) else { return }
        touch(url)
        note(old, in: url)
        histories[url]?.messages.remove(at: index)
        histories[url]?.places[id] = nil
    }

    /// Updates the replies to a message; nil if it is deleted.
    mutating func follow(
        _ parent: MessageID, as preview: ParentPreview?, in url: ChannelURL
    ) {
        for reply in histories[url]?.messages ?? []
        where reply.parentID == parent && reply.details.parentPreview != preview {
            touch(url)
            var copy = users.now(reply)
            if let preview {
                copy.details.follow(preview)
            } else {
                copy.details.parentPreview = nil
            }
            replace(reply, with: copy, in: url)
        }
    }

    mutating func note(_ message: Message, in url: ChannelURL) {
        if let id = message.messageID { note(id, before: message, in: url) }
    }

    mutating func note(_ id: MessageID, before: Message?, in url: ChannelURL) {
        if changes[url]?.before[id] == nil { changes[url]?.before[id] = .some(before) }
    }
}
