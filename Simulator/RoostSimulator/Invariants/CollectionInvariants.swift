// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer

// A collection shows the committed state of the cache, and at rest the state of the server.

/// A timeline as an app sees it.
struct ShownTimeline {
    let channel: ChannelURL
    let filter: MessageFilter
    let messages: [Message]
    let hasOlder: Bool
    let hasNewer: Bool
    let hasHugeGap: Bool
    /// The number of the last delivered messages that lie beyond missing ones.
    var sentBeyondGap = 0
    /// The moment around which it was opened or to which it has jumped; nil if the cache has lost
    /// messages since, so that it may be elsewhere.
    var place: Timestamp?
    /// Whether the cache is being read for it.
    var isReading = false
    /// The waiting changes that it shows.
    var marks = MessageMarks()
}

extension ShownTimeline {
    fileprivate var endsWithCoverage: Bool {
        filter == .everything && !hasNewer && !isReading
    }

    /// The delivered messages without those beyond missing ones.
    fileprivate var stretch: ArraySlice<Message> {
        messages.prefix { $0.status == .succeeded }.dropLast(sentBeyondGap)
    }
}

/// A channel list as an app sees it.
struct ShownList {
    let filter: ChannelFilter
    let order: ChannelOrder
    let channels: [GroupChannel]
    let hasMore: Bool
}

/// The invariants of one collection.
struct CollectionInvariants {
    /// The device and the collection, in the sentences of violations.
    let place: String

    // MARK: Timelines

    /// Checks a timeline against the cache and against the sum of its changes.
    func check(
        _ shown: ShownTimeline, _ changes: Fold<Message>, _ held: (some HeldHistory)?,
        _ log: @autoclosure () -> ServerLog
    ) throws(Violation) {
        let delivered = shown.messages.prefix { $0.status == .succeeded }
        let unsent = shown.messages.dropFirst(delivered.count)
        try expect(
            unsent.allSatisfy { $0.status != .succeeded },
            "\(place) shows delivered messages after unsent ones")
        try expect(
            shown.messages.allSatisfy { $0.channelURL == shown.channel },
            "\(place) shows another channel's messages")
        let glimpses = delivered.compactMap { Glimpse($0) }
        try expect(
            zip(glimpses, glimpses.dropFirst()).allSatisfy { $0.place < $1.place },
            "\(place) is out of order or has duplicates")
        let requests = shown.messages.compactMap(\.requestID)
        try expect(Set(requests).count == requests.count, "\(place) shows one message twice")
        try expect(
            changes.holds(shown.messages), "\(place) differs from the sum of its changes")
        try expect(changes.misfit == nil, "\(place) had \(changes.misfit ?? "")")
        let filter = shown.filter
        try expect(
            shown.messages.allSatisfy(filter.matches),
            "\(place) shows messages outside its filter: \(filter)")
        let beyond = glimpses.suffix(shown.sentBeyondGap)
        try expect(
            beyond.allSatisfy { held?.glimpse(of: $0.place.messageID) != nil },
            "\(place) shows messages beyond a gap that are not in the store: \(beyond)")
        let shownStretch = shown.stretch.compactMap { Glimpse($0) }
        guard let first = shownStretch.first?.place, let last = shownStretch.last?.place else {
            return
        }
        // Behind the last message, a timeline without newer ones shows all that is known.
        let end = shown.endsWithCoverage ? held?.coverage.range(containing: last)?.upper : nil
        let stretch = (held?.glimpses(from: first, through: end ?? last) ?? []).filter {
            filter.matches($0.message)
        }
        let kept = shown.marks.shown(stretch.map(\.message), under: filter)
            .compactMap { Glimpse($0) }
        try expect(
            kept == shownStretch,
            "\(place) differs from the store in its stretch: it lacks "
                + "\(kept.filter { !shownStretch.contains($0) }) and has "
                + "\(shownStretch.filter { !kept.contains($0) }) instead")
        guard !shown.hasOlder else { return }
        // An edit that made a message match the filter may not be known on this device yet.
        let oldest = log().visible.first { entry in
            entry.deletedAt == nil && filter.matches(entry.message)
                && (filter.customTypes == nil || entry.message.updatedAt == nil)
                // A message whose deletion waits is in the log and not shown.
                && shown.marks.shown(entry.message, under: filter) != nil
        }?.message.position
        try expect(
            oldest.map { first <= $0 } ?? true,
            "\(place) claims to begin with the first message, which is \(oldest ?? first)")
    }

    /// Checks that a timeline at rest is a stretch of the log, up to its end if it follows it.
    func checkRest(_ shown: ShownTimeline, _ log: ServerLog) throws(Violation) {
        let glimpses = shown.stretch.compactMap { Glimpse($0) }
        let living = log.visible
            .filter { $0.deletedAt == nil && shown.filter.matches($0.message) }
            .compactMap { Glimpse($0.message) }
        try checkReplies(shown.messages, log)
        let beyond = shown.messages.filter { $0.status == .succeeded }
            .suffix(shown.sentBeyondGap).compactMap { Glimpse($0) }
        try expect(
            beyond.allSatisfy(living.contains) && (beyond.isEmpty || shown.hasNewer),
            "\(place) shows \(beyond) beyond a gap, which the log has in another way")
        guard let first = glimpses.first?.place, let last = glimpses.last?.place else {
            return try expect(
                living.isEmpty || shown.hasNewer, "\(place) is empty, the log is not")
        }
        // Missing messages are counted without the filter, so none of them may match it.
        try expect(
            !shown.hasHugeGap || log.living.compactMap(Glimpse.init).contains { last < $0.place },
            "\(place) says that many messages are missing, but shows the newest")
        // A timeline at the newest end stops following it when too much is missing.
        if shown.hasNewer, let moment = shown.place, moment < .distantFuture {
            let place = Position(createdAt: moment, messageID: MessageID(.min))
            let (older, newer) = (
                living.last { $0.place < place }?.place, living.first { $0.place >= place }?.place
            )
            try expect(
                [older, newer].contains { $0.map { first <= $0 && $0 <= last } ?? false },
                "\(self.place) shows \(first) through \(last), but was opened at \(moment)")
        }
        let expected = living.filter {
            first <= $0.place && ($0.place <= last || !shown.hasNewer)
        }
        try expect(
            glimpses == expected,
            "\(place) shows \(glimpses.count) messages, the log has \(expected.count): "
                + Glimpse.difference(of: glimpses, from: expected))
    }

    /// Checks that messages are the whole log.
    func checkWhole(_ messages: [Message], _ log: ServerLog) throws(Violation) {
        let shown = messages.compactMap { Glimpse($0) }
        let living = log.living.compactMap { Glimpse($0) }
        try expect(
            shown == living,
            "\(place) shows \(shown.count) messages, the log has \(living.count): "
                + Glimpse.difference(of: shown, from: living))
        try checkReplies(messages, log)
    }

    /// Checks that replies show their parents as the user sees them in the log, and no content of
    /// deleted or hidden parents.
    func checkReplies(_ messages: [Message], _ log: ServerLog) throws(Violation) {
        for reply in messages where reply.messageID != nil {
            guard let parent = reply.parentID else { continue }
            let entry = log.visible.first {
                $0.message.messageID == parent && $0.deletedAt == nil
            }
            let (shown, wanted) = (reply.details.parentPreview, entry?.message.preview)
            try expect(
                shown?.content == wanted?.content && shown?.data == wanted?.data
                    && shown?.customType == wanted?.customType
                    && shown?.sender?.id == wanted?.sender?.id,
                "\(place) shows “\(reply.text)” as an answer to \(String(describing: shown)), the "
                    + "log has \(String(describing: wanted))")
        }
    }

    // MARK: Lists

    /// Checks a list against the cached channels and against the sum of its changes.
    ///
    /// The held channels show the changes that wait. Those of `unsure` channels may not have
    /// reached the list yet, or may still be in it.
    func check(
        _ shown: ShownList, _ changes: Fold<GroupChannel>, _ held: [ChannelURL: GroupChannel],
        viewer: UserID, unsure: Set<ChannelURL>
    ) throws(Violation) {
        let keys = shown.channels.map(shown.order.key)
        try expect(
            zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 },
            "\(place) is out of order or has duplicates")
        try expect(
            changes.holds(shown.channels), "\(place) differs from the sum of its changes")
        try expect(changes.misfit == nil, "\(place) had \(changes.misfit ?? "")")
        for channel in shown.channels {
            try expect(
                shown.filter.matches(channel, viewer: viewer),
                "\(place) shows \(channel.url), which is none of its channels")
            try expect(
                unsure.contains(channel.url)
                    || held[channel.url]?.name == channel.name
                        && (channel.hasDeletedPreview
                            || held[channel.url]?.lastMessage == channel.lastMessage),
                "\(place) shows \(channel.url) in another state than the store's")
        }
        guard let last = keys.last else { return }
        let missing = held.values.first { channel in
            !unsure.contains(channel.url) && shown.filter.matches(channel, viewer: viewer)
                && shown.order.key(of: channel) < last
                && !shown.channels.contains { $0.url == channel.url }
        }
        try expect(missing == nil, "\(place) leaves out \(missing?.url.rawValue ?? "")")
    }

    /// Checks that a list at rest is the server's answer to the same query, and that its counts
    /// equal the server's.
    func checkRest(_ shown: ShownList, _ expected: [GroupChannel]) throws(Violation) {
        try expect(
            shown.channels.map(\.url) == expected.prefix(shown.channels.count).map(\.url)
                && (shown.hasMore || shown.channels.count == expected.count),
            "\(place) shows \(shown.channels.map(\.url)) and more: \(shown.hasMore), but the "
                + "server \(expected.map(\.url))")
        for (ours, theirs) in zip(shown.channels, expected) {
            try ChannelGlimpse(ours).check(against: ChannelGlimpse(theirs), in: place)
        }
    }
}

extension GroupChannel {
    /// Whether the last message is another one than the server's, because a deletion waits.
    fileprivate var hasDeletedPreview: Bool {
        pendingChanges.contains { if case .delete = $0.action { true } else { false } }
    }
}

/// The parts of a channel that are the same on a device at rest and at the server.
struct ChannelGlimpse: Equatable, CustomStringConvertible {
    private let url: ChannelURL
    private let name: String
    private let lastMessage: String?
    private let memberCount: Int
    private let unreadCount: Int

    init(_ channel: GroupChannel) {
        url = channel.url
        name = channel.name
        lastMessage = channel.lastMessage?.text
        memberCount = channel.memberCount
        unreadCount = channel.unreadMessageCount
    }

    func check(against server: ChannelGlimpse, in place: String) throws(Violation) {
        try expect(self == server, "\(place) has \(self), the server \(server)")
    }

    var description: String {
        "\(url) as “\(name)” with \(memberCount) members, “\(lastMessage ?? "")” "
            + "and \(unreadCount) unread"
    }
}

/// The sum of a collection's changes: it must equal the collection, and each change must fit the
/// sum of those before it.
struct Fold<Element: ListElement> {
    private var elements: [Element.Identity: Element] = [:]
    /// The first change that did not fit; nil without any.
    private(set) var misfit: String?

    init(_ elements: [Element]) {
        for element in elements { put(element) }
    }

    mutating func apply(_ diff: ListDiff<Element>) {
        for element in diff.deleted {
            note(!holds(element), "a removal of what it did not show", element)
            remove(element)
        }
        for update in diff.updated {
            note(update.before == update.after, "an update without a change", update.after)
            note(!holds(update.before), "an update of what it did not show", update.before)
            remove(update.before)
            put(update.after)
        }
        for element in diff.inserted {
            let isKnown = element.identities.contains { elements[$0] != nil }
            note(isKnown, "a new element that it showed already", element)
            put(element)
        }
    }

    private mutating func note(_ isMisfit: Bool, _ words: String, _ element: Element) {
        guard isMisfit, misfit == nil else { return }
        misfit = "\(words): \(element.identities)"
    }

    /// Whether the sum has an element in the same state.
    private func holds(_ element: Element) -> Bool {
        element.identities.allSatisfy { elements[$0] == element }
    }

    private mutating func remove(_ element: Element) {
        for identity in element.identities { elements[identity] = nil }
    }

    private mutating func put(_ element: Element) {
        for identity in element.identities { elements[identity] = element }
    }

    /// Whether the sum equals a list.
    func holds(_ list: [Element]) -> Bool {
        var count = 0
        for element in list {
            for identity in element.identities {
                guard elements[identity] == element else { return false }
                count += 1
            }
        }
        return elements.count == count
    }
}
