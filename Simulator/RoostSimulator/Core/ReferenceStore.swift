// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

/// The cache of one device in memory: a model of `Store`, with the same commits and
/// answers.
struct ReferenceStore {
    /// One channel's messages and what is known of their completeness.
    struct History: HeldHistory {
        /// By position, oldest first.
        var messages: [Message] = []
        var places: [MessageID: Position] = [:]
        var coverage = Coverage()
        var filtered: [MessageFilter: Coverage] = [:]
        /// Messages up to this moment are gone for good.
        var cut: Timestamp?
        var accessedAt: Timestamp?
        var isPinned = false

        /// The coverage under each filter, without a filter first.
        var coverages: [(MessageFilter, Coverage)] {
            [(.everything, coverage)] + filtered.map { ($0.key, $0.value) }
        }

        func glimpse(of id: MessageID) -> Glimpse? { message(id).flatMap { Glimpse($0) } }

        func glimpses(from lower: Position, through upper: Position) -> [Glimpse] {
            guard lower <= upper else { return [] }
            let start = firstIndex(atOrAfter: lower)
            return messages[start...].prefix { ($0.position ?? .distantFuture) <= upper }
                .compactMap { Glimpse($0) }
        }

        func covers(_ glimpse: Glimpse) -> Bool { covers(glimpse.message, at: glimpse.place) }

        func covers(_ message: Message, at place: Position) -> Bool {
            if coverage.range(containing: place) != nil { return true }
            return filtered.contains { filter, coverage in
                coverage.range(containing: place) != nil && filter.matches(message)
            }
        }

        func firstIndex(atOrAfter place: Position) -> Int {
            if let last = messages.last?.position, last < place { return messages.count }
            var (low, high) = (0, messages.count)
            while low < high {
                let middle = (low + high) / 2
                if (messages[middle].position ?? .distantPast) < place {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }

        func index(of id: MessageID) -> Int? { places[id].map { firstIndex(atOrAfter: $0) } }

        func message(_ id: MessageID) -> Message? { index(of: id).map { messages[$0] } }
    }

    /// The changes of a commit in one channel's messages.
    struct Changes {
        let coverageBefore: Coverage
        let filteredBefore: [MessageFilter: Coverage]
        var before: [MessageID: Message?] = [:]
        /// The messages that are new for readers without a filter.
        var entered: Set<MessageID> = []
        /// Messages whose deletion the coverage states.
        var isCleared = false
        var cutThrough: Timestamp?
    }

    let me: UserID
    var histories: [ChannelURL: History] = [:]
    var groupChannels: [ChannelURL: GroupChannel] = [:]
    var cursors: [CursorKey: Cursor] = [:]
    var users = Users()
    var sequence: Int64 = 0
    /// A trim in progress.
    struct Trim {
        let target: Int64
        var sizeBefore: Int64 = 0
        var left: [CachedChannel] = []
        var isDone = false
        var evicted: [CachedChannel] = []
    }
    var trims: [SyncMachine.OperationID: Trim] = [:]

    // The present commit.
    var changes: [ChannelURL: Changes] = [:]
    var order: [ChannelURL] = []
    var channelsBefore: [ChannelURL: GroupChannel?] = [:]
    var channelOrder: [ChannelURL] = []

    init(me: UserID) { self.me = me }

    func history(of channel: ChannelURL) -> History? { histories[channel] }
    func channel(_ url: ChannelURL) -> GroupChannel? { groupChannels[url] }
    func cursor(_ key: CursorKey) -> Cursor? { cursors[key] }

    // MARK: Commits

    /// Applies the mutations in one transaction.
    mutating func commit(_ mutations: [Mutation]) -> Commit {
        for (index, mutation) in mutations.enumerated() {
            apply(mutation, before: mutations[(index + 1)...])
        }
        sequence += 1
        return Commit(sequence: sequence, changes: takeChanges())
    }

    mutating func apply(_ mutation: Mutation, before rest: ArraySlice<Mutation>) {
        if users.areMixed { showPresentUsers() }
        switch mutation {
        case .channels(let channels): for channel in channels { put(channel) }
        case .removeChannel(let url): removeChannel(url, before: rest)
        case .messages(let url, let messages, let range, let filter):
            put(messages, in: url, covering: range, under: filter.normalized)
        case .liveMessage(let message, let predecessor): putLive(message, after: predecessor)
        case .edited(let message): putEdited(message)
        case .reacted(let url, let id, let change, let isLate):
            amend(id, in: url) { message in
                let known = message.details.reactions ?? []
                message.details.reactions = known.applying(change, isLate: isLate)
            }
        case .replied(let url, let id, let thread):
            amend(id, in: url) { message in
                let known = message.details.threadInfo
                message.details.threadInfo = known?.merged(with: thread) ?? thread
            }
        case .polled(let url, let id, let change):
            amend(id, in: url) { message in
                guard let poll = message.details.poll else { return }
                message.details.poll = poll.applying(change)
            }
        case .deleted(let url, let ids):
            guard histories[url] != nil else { return }
            for id in ids {
                if let old = histories[url]?.message(id) { remove(old, in: url) }
                follow(id, as: nil, in: url)
            }
        case .channelNews(let url, let news):
            if let channel = groupChannels[url] { put(channel.applying(news)) }
        case .clearMessages(let url): clear(url, before: rest)
        case .evicted(let url, let moment): evict(url, through: moment)
        case .unreadable: break
        case .forgotten(let url, let range): forget(range, of: url)
        case .historyCut(let url, let moment): cut(url, through: moment)
        case .accessed(let url, let moment):
            histories[url, default: History()].accessedAt = moment
        case .pinned(let url, let isPinned):
            histories[url, default: History()].isPinned = isPinned
        case .clearAll:
            let urls = Set(histories.keys).union(groupChannels.keys)
            for url in urls.sorted() { removeChannel(url, before: rest) }
            cursors = [:]
            users.areForgotten = true
        case .cursor(let key, let cursor): cursors[key] = cursor
        case .firstCursor(let key, let cursor): cursors[key] = cursors[key] ?? cursor
        case .removeCursor(let key): cursors[key] = nil
        case .users(let users): for user in users { self.users.learn(user, inFull: true) }
        }
    }

    // MARK: The journal

    mutating func takeChanges() -> [Change] {
        var found: [Change] = []
        if users.areMixed { showPresentUsers() }
        if !users.updates.isEmpty { found.append(.users(users.updates)) }
        if let change = channelsChange() { found.append(.channels(change)) }
        for url in order {
            if let change = messagesChange(of: url) { found.append(.messages(change)) }
        }
        changes = [:]
        order = []
        channelsBefore = [:]
        channelOrder = []
        users.settle()
        return found
    }

    func channelsChange() -> ChannelsChange? {
        var inserted: [GroupChannel] = []
        var updated: [Update<GroupChannel>] = []
        var deleted: [ChannelURL] = []
        for url in channelOrder {
            switch (channelsBefore[url] ?? nil, groupChannels[url]) {
            case (nil, let after?): inserted.append(after)
            case (.some, nil): deleted.append(url)
            case (let old?, let after?):
                // A new name of a member is reported by `Change.users` only.
                if users.now(old) != after {
                    updated.append(Update(before: users.past(old), after: after))
                }
            case (nil, nil): break
            }
        }
        guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty else { return nil }
        return ChannelsChange(inserted: inserted, updated: updated, deleted: deleted)
    }

    func messagesChange(of url: ChannelURL) -> MessagesChange? {
        guard let change = changes[url], let history = histories[url] else { return nil }
        var inserted: [Message] = []
        var updated: [Update<Message>] = []
        var deleted: [Message] = []
        for (id, before) in change.before {
            switch (before, history.message(id)) {
            case (nil, let after?): inserted.append(after)
            case (let old?, nil): if !change.isCleared { deleted.append(users.past(old)) }
            case (_?, let after?) where change.entered.contains(id): inserted.append(after)
            case (let old?, let after?):
                // A new name of a sender is reported by `Change.users` only.
                if users.now(old) != after {
                    updated.append(Update(before: users.past(old), after: after))
                }
            case (nil, nil): break
            }
        }
        let filters = Set(history.filtered.keys).union(change.filteredBefore.keys).filter {
            history.filtered[$0] ?? Coverage() != change.filteredBefore[$0] ?? Coverage()
        }
        guard
            !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || !filters.isEmpty
                || history.coverage != change.coverageBefore || change.cutThrough != nil
        else { return nil }
        func place(_ message: Message) -> Position { message.position ?? .distantFuture }
        return MessagesChange(
            channel: url, inserted: inserted.sorted { place($0) < place($1) },
            updated: updated.sorted { place($0.after) < place($1.after) },
            deleted: deleted.sorted { place($0) < place($1) }, cutThrough: change.cutThrough,
            coverageBefore: change.coverageBefore, coverageAfter: history.coverage,
            filters: Array(filters))
    }
}
