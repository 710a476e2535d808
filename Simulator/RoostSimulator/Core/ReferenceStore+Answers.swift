// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

extension ReferenceStore {
    func answer(_ question: StoreQuestion) -> StoreAnswer {
        switch question {
        case .cursor(let key): .cursor(cursors[key])
        case .coverage(let url, let filter): .coverage(coverage(of: url, under: filter))
        case .channel(let url): .channel(groupChannels[url])
        case .message(let id):
            .message(histories.values.lazy.compactMap { $0.message(id) }.first)
        case .messageOfRequest(let id):
            .message(
                histories.values.lazy.compactMap { history in
                    history.messages.last {
                        $0.requestID == id && $0.sender?.user.id == me
                    }
                }.first)
        case .oldestMessage(let url): .moment(histories[url]?.messages.first?.createdAt)
        case .messageCount(let url, let from, let through):
            .count(
                histories[url]?.messages.count {
                    $0.createdAt >= from && ($0.position ?? .distantFuture) <= through
                } ?? 0)
        case .holding(let url): .holding(holding(of: url))
        case .stretches(let url, let range, let size):
            .stretches(stretches(of: url, in: range, size: size))
        case .window(let query): .window(window(query))
        case .channels(let filter, let order, let limit):
            .channels(channels(filter, order, limit: limit))
        case .figures:
            .figures(
                CacheFigures(
                    bytes: 0,
                    channelsWithHoles: histories.values.count { $0.coverage.ranges.count > 1 }))
        }
    }

    /// Whether a commit with this condition is left out.
    func meets(_ condition: CommitCondition) -> Bool {
        switch condition {
        case .cursorMoved(let key, let place): cursors[key] != place
        case .channelsKnown(let urls):
            cursors[.channelChanges] != nil || urls.contains { groupChannels[$0] != nil }
        case .messagesKnown(let channel):
            groupChannels[channel] == nil || cursors[.messageChanges(channel)] != nil
                || histories[channel]?.coverage.ranges.isEmpty == false
        }
    }

    func coverage(of url: ChannelURL, under filter: MessageFilter) -> Coverage {
        guard let history = histories[url] else { return Coverage() }
        guard filter != .everything, let known = history.filtered[filter.normalized] else {
            return history.coverage
        }
        return known.union(history.coverage)
    }

    func holding(of url: ChannelURL) -> ChannelHolding {
        let count = histories[url]?.messages.count ?? 0
        return ChannelHolding(messages: count, bytes: Int64(count) * Self.messageBytes)
    }

    /// Returns the fingerprints of a channel's coverage, at most `size` messages in each.
    private func stretches(
        of url: ChannelURL, in range: CoveredRange?, size: Int
    ) -> [CachedStretch] {
        var found: [CachedStretch] = []
        for known in histories[url]?.coverage.ranges ?? [] {
            let lower = max(known.lower, range?.lower ?? .distantPast)
            let upper = min(known.upper, range?.upper ?? .distantFuture)
            guard lower <= upper else { continue }
            var (start, end) = (lower, lower)
            var fingerprint = MessageFingerprint()
            for glimpse in histories[url]?.glimpses(from: lower, through: upper) ?? [] {
                if fingerprint.count == size {
                    found.append(CachedStretch(lower: start, upper: end, fingerprint: fingerprint))
                    (start, fingerprint) = (end.next, MessageFingerprint())
                }
                fingerprint.add(glimpse.place, editedAt: glimpse.updatedAt)
                end = glimpse.place
            }
            found.append(CachedStretch(lower: start, upper: upper, fingerprint: fingerprint))
        }
        return found
    }

    func channels(
        _ filter: ChannelFilter, _ order: ChannelOrder, limit: Int?
    ) -> CachedChannels {
        let matching = groupChannels.values.filter { filter.matches($0, viewer: me) }
            .sorted { order.key(of: $0) < order.key(of: $1) }
        let limit = limit ?? .max
        return CachedChannels(
            channels: Array(matching.prefix(limit)), hasMore: matching.count > limit,
            isWhole: cursors[.channelFill] == .listEnd, sequence: sequence)
    }

    func window(_ query: WindowQuery) -> CacheWindow {
        let coverage = coverage(of: query.channel, under: query.filter)
        guard let history = histories[query.channel], let range = query.range(in: coverage) else {
            return CacheWindow(
                extent: nil, messages: [], coverage: coverage, sequence: sequence)
        }
        let all = history.glimpses(from: range.lower, through: range.upper).map(\.message)
            .filter(query.filter.matches)
        func place(_ message: Message) -> Position { message.position ?? .distantPast }
        let older = all.filter { place($0) < query.lower }
        let newer = all.filter { place($0) > query.upper }
        let end =
            query.newerCount == 0
            ? min(range.upper, max(min(query.upper, range.upper), range.lower)) : range.upper
        return CacheWindow(
            range: CoveredRange(lower: range.lower, upper: end),
            older: (
                Array(older.reversed().prefix(query.olderCount)), older.count > query.olderCount
            ),
            inside: all.filter { place($0) >= query.lower && place($0) <= query.upper },
            newer: query.newerCount == 0
                ? ([], false)
                : (Array(newer.prefix(query.newerCount)), newer.count > query.newerCount),
            coverage: coverage, sequence: sequence)
    }

    // MARK: Size

    static let messageBytes: Int64 = 300
    /// The size of everything but messages.
    private static let otherBytes: Int64 = 4_096

    var size: Int64 {
        histories.values.reduce(Self.otherBytes) {
            $0 + Int64($1.messages.count) * Self.messageBytes
        }
    }

    mutating func keep(_ task: CacheTask, of id: SyncMachine.OperationID) -> CacheTaskAnswer {
        switch task {
        case .checkLimit: return .limit(isReached: false)
        case .beginTrim(let target, let open):
            var trim = Trim(target: target ?? .max, sizeBefore: size)
            trim.left = channelsToEvict(for: trim, sparing: open)
            trim.isDone = size <= trim.target
            return keep(trim, of: id, nil)
        case .advanceTrim(let open):
            guard var trim = trims[id] else {
                preconditionFailure("A trim is begun before it is advanced.")
            }
            let commit = evictNext(of: &trim, sparing: open)
            // Channels that were filled or opened meanwhile go in a second round.
            if trim.left.isEmpty { trim.left = channelsToEvict(for: trim, sparing: open) }
            trim.isDone = trim.left.isEmpty
            return keep(trim, of: id, commit)
        case .erase(let url):
            return .erased(isComplete: true, commit([.clearMessages(url)]))
        }
    }

    /// Evicts the next channel of a trim, unless it was pinned or opened after the plan was made.
    private mutating func evictNext(of trim: inout Trim, sparing open: Set<ChannelURL>) -> Commit? {
        guard let channel = trim.left.first, size > trim.target else {
            trim.left = []
            return nil
        }
        trim.left.removeFirst()
        let isOpenedSince = !channel.isOpen && open.contains(channel.url)
        if isOpenedSince || histories[channel.url]?.isPinned ?? true { return nil }
        trim.evicted.append(channel)
        return commit([.evicted(channel.url, through: .distantFuture)])
    }

    private func channelsToEvict(
        for trim: Trim, sparing open: Set<ChannelURL>
    ) -> [CachedChannel] {
        let gone = Set(trim.evicted.map(\.url))
        let channels = histories.map { url, history in
            info(of: url, history, isOpen: open.contains(url))
        }
        let plan = EvictionPlan(
            downTo: trim.target, channels: channels.sorted { $0.url < $1.url },
            size: CacheSize(used: size, other: Self.otherBytes),
            order: .lastOpened,
            only: .slices)
        return plan.channels.filter { !gone.contains($0.url) }
    }

    private func info(
        of url: ChannelURL, _ history: History, isOpen: Bool
    ) -> CachedChannel {
        CachedChannel(
            url: url, cachedMessageCount: Int64(history.messages.count),
            size: ByteCount(bytes: Int64(history.messages.count) * Self.messageBytes),
            openedAt: history.accessedAt,
            // A channel of which only messages are known counts as old.
            lastMessageAt: groupChannels[url].map { $0.lastMessage?.createdAt }
                ?? Timestamp(milliseconds: 0),
            isPinned: history.isPinned, isOpen: isOpen)
    }

    private mutating func keep(
        _ trim: Trim, of id: SyncMachine.OperationID, _ commit: Commit?
    ) -> CacheTaskAnswer {
        trims[id] = trim.isDone ? nil : trim
        return .trim(
            TrimProgress(
                isDone: trim.isDone, evicted: trim.evicted, sizeBefore: trim.sizeBefore,
                size: size), commit)
    }
}
