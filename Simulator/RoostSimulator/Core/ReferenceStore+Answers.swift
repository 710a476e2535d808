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
        case .stretches: .stretches([])
        case .window(let query): .window(window(query))
        case .channels(let filter, let order, let limit):
            .channels(channels(filter, order, limit: limit))
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

    func channels(
        _ filter: ChannelFilter, _ order: ChannelOrder, limit: Int
    ) -> CachedChannels {
        let matching = groupChannels.values.filter { filter.matches($0, viewer: me) }
            .sorted { order.key(of: $0) < order.key(of: $1) }
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

    var size: Int64 {
        histories.values.reduce(0) { $0 + Int64($1.messages.count) * Self.messageBytes }
    }

    mutating func keep(_ task: CacheTask, of id: SyncMachine.OperationID) -> CacheTaskAnswer {
        switch task {
        case .checkLimit: return .limit(isReached: false)
        case .beginTrim(let target, let open):
            let channels = histories.map {
                info(of: $0.key, $0.value, isOpen: open.contains($0.key))
            }
            let plan = EvictionPlan(
                downTo: target ?? .max, channels: channels.sorted { $0.url < $1.url },
                size: CacheSize(used: size, other: 0), order: .messageCollectionAccessedAt,
                only: .slices)
            trims[id] = Trim(sizeBefore: size, left: plan.channels.map(\.url))
            return progress(of: id, nil)
        case .advanceTrim:
            guard let url = trims[id]?.left.first, let history = histories[url] else {
                return progress(of: id, nil)
            }
            trims[id]?.left.removeFirst()
            let evicted = info(of: url, history, isOpen: false)
            trims[id]?.evicted.append(evicted)
            return progress(of: id, commit([.evicted(url, through: .distantFuture)]))
        case .erase(let url):
            return .erased(isComplete: true, commit([.clearMessages(url)]))
        }
    }

    func info(
        of url: ChannelURL, _ history: History, isOpen: Bool
    ) -> CachedChannelInfo {
        CachedChannelInfo(
            url: url, cachedMessageCount: Int64(history.messages.count),
            byteCount: Int64(history.messages.count) * Self.messageBytes,
            accessedAt: history.accessedAt?.milliseconds,
            lastMessageAt: history.messages.last?.createdAt, isPinned: history.isPinned,
            isOpen: isOpen)
    }

    mutating func progress(
        of id: SyncMachine.OperationID, _ commit: Commit?
    ) -> CacheTaskAnswer {
        let trim = trims[id] ?? Trim(sizeBefore: size)
        if trim.left.isEmpty { trims[id] = nil }
        return .trim(
            TrimProgress(
                isDone: trim.left.isEmpty, evicted: trim.evicted, sizeBefore: trim.sizeBefore,
                size: size), commit)
    }
}
