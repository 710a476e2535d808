// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire

/// A model of the cache and the server for tests of the machine: one channel in memory.
///
/// It applies mutations and answers questions as the store and a server would, so that every answer
/// fits the ones before it.
struct ScriptedCache {
    private typealias Script = MachineScript

    static let channel = Script.channel

    /// The cached messages and the coverage of the channel.
    var messages: [MessageID: Message] = [:]
    var coverage = Coverage()
    /// The coverages of other channels, which have no messages here.
    var otherCoverages: [ChannelURL: Coverage] = [:]
    var cursors: [CursorKey: Cursor] = [:]
    var channels: [ChannelURL: GroupChannel] = [:]
    private var sequence: Int64 = 1

    /// The messages of the server, oldest first.
    var serverMessages: [Message] = []
    var serverChannels: [GroupChannel] = []

    init(messages ids: ClosedRange<Int64>) {
        serverMessages = ids.map { Self.message($0) }
        serverChannels = [Script.channel(Self.channel), Script.channel("d"), Script.channel("e")]
    }

    static func message(_ id: Int64) -> Message {
        var message = Script.message(id)
        message.sender = Sender(user: User(id: id.isMultiple(of: 3) ? "me" : "other"))
        return message
    }

    private var sorted: [Message] {
        messages.values.sorted { ($0.position ?? .distantPast) < ($1.position ?? .distantPast) }
    }

    // MARK: Commits

    /// Applies the mutations in one transaction.
    mutating func commit(_ mutations: [Mutation]) -> Commit {
        sequence += 1
        let before = coverage
        let (old, oldChannels) = (messages, channels)
        for mutation in mutations { apply(mutation) }
        var changes: [Change] = []
        let inserted = sorted.filter { old[$0.messageID ?? 0] == nil }
        let updated = sorted.compactMap { message in
            old[message.messageID ?? 0].flatMap {
                $0 == message ? nil : Update(before: $0, after: message)
            }
        }
        let cut = mutations.compactMap { mutation -> Timestamp? in
            guard case .historyCut(Self.channel, let moment) = mutation else { return nil }
            return moment
        }.max()
        let deleted = old.filter { messages[$0.key] == nil }.map(\.value)
            .filter { $0.createdAt > cut ?? .distantPast }
        if old != messages || before != coverage {
            changes.append(
                .messages(
                    MessagesChange(
                        channel: Self.channel, inserted: inserted, updated: updated,
                        deleted: deleted.sorted { $0.createdAt < $1.createdAt }, cutThrough: cut,
                        coverageBefore: before, coverageAfter: coverage)))
        }
        if oldChannels != channels {
            changes.append(
                .channels(
                    ChannelsChange(
                        inserted: channels.filter { oldChannels[$0.key] == nil }.map(\.value)
                            .sorted { $0.url < $1.url },
                        updated: channels.compactMap { url, channel in
                            oldChannels[url].flatMap {
                                $0 == channel ? nil : Update(before: $0, after: channel)
                            }
                        }.sorted { $0.after.url < $1.after.url },
                        deleted: oldChannels.keys.filter { channels[$0] == nil }.sorted())))
        }
        return Commit(sequence: sequence, changes: changes)
    }

    private mutating func apply(_ mutation: Mutation) {
        switch mutation {
        case .channels(let some): for channel in some { channels[channel.url] = channel }
        case .removeChannel(let url):
            channels[url] = nil
            if url == Self.channel { clear() }
        case .messages(Self.channel, let some, let range, _):
            for message in some { keep(message) }
            if let range { coverage.insert(range) }
        case .liveMessage(let message, let predecessor) where message.channelURL == Self.channel:
            guard let position = message.position else { return }
            let newest = coverage.newest?.upper
            keep(message)
            let joins = newest.map { $0.messageID == predecessor && $0 < position } ?? false
            coverage.insert(
                CoveredRange(
                    lower: joins ? newest ?? position : position, upper: position,
                    predecessor: predecessor))
        case .edited(let message):
            if let id = message.messageID, messages[id] != nil { messages[id] = message }
        case .deleted(Self.channel, let ids): for id in ids { messages[id] = nil }
        case .historyCut(Self.channel, let moment):
            messages = messages.filter { $0.value.createdAt > moment }
            coverage.cut(through: Position(createdAt: moment, messageID: MessageID(.max)))
        case .clearMessages(Self.channel), .clearAll: clear()
        case .forgotten(Self.channel, let range):
            messages = messages.filter { !range.contains($0.value.position ?? .distantPast) }
        case .cursor(let key, let cursor): cursors[key] = cursor
        case .firstCursor(let key, let cursor): cursors[key] = cursors[key] ?? cursor
        case .removeCursor(let key): cursors[key] = nil
        default: return
        }
    }

    private mutating func keep(_ message: Message) {
        if let id = message.messageID { messages[id] = message }
    }

    private mutating func clear() {
        (messages, coverage, cursors) = ([:], Coverage(), [:])
    }

    // MARK: Answers

    func answer(_ question: StoreQuestion) -> StoreAnswer {
        switch question {
        case .cursor(let key): .cursor(cursors[key])
        case .coverage(let channel, under: _): .coverage(otherCoverages[channel] ?? coverage)
        case .channel(let url): .channel(channels[url])
        case .message(let id): .message(messages[id])
        case .messageOfRequest: .message(nil)
        case .oldestMessage: .moment(sorted.first?.createdAt)
        case .messageCount(_, let from, let through):
            .count(
                sorted.count {
                    $0.createdAt >= from && ($0.position ?? .distantFuture) <= through
                })
        case .holding: .holding(ChannelHolding(messages: messages.count, bytes: 100))
        case .stretches:
            .stretches(
                coverage.ranges.map {
                    CachedStretch(
                        lower: $0.lower, upper: $0.upper, fingerprint: MessageFingerprint())
                })
        case .window(let query): .window(window(query))
        case .channels(_, _, let limit):
            .channels(
                CachedChannels(
                    channels: Array(
                        channels.values.sorted { $0.url < $1.url }.prefix(limit ?? .max)),
                    hasMore: limit.map { channels.count > $0 } ?? false, isWhole: false,
                    sequence: sequence))
        case .figures:
            .figures(
                CacheFigures(bytes: 4_096, channelsWithHoles: coverage.ranges.count > 1 ? 1 : 0))
        }
    }

    private func window(_ query: WindowQuery) -> CacheWindow {
        guard let range = query.range(in: coverage) else {
            return CacheWindow(
                extent: nil, messages: [], coverage: coverage, sequence: sequence)
        }
        let all = sorted.filter { $0.position.map { range.contains($0) } ?? false }
        let lower = all.filter { ($0.position ?? .distantPast) < query.lower }
        let upper = all.filter { ($0.position ?? .distantPast) > query.upper }
        return CacheWindow(
            range: range,
            older: (
                Array(lower.reversed().prefix(query.olderCount)), lower.count > query.olderCount
            ),
            inside: all.filter {
                ($0.position ?? .distantPast) >= query.lower
                    && ($0.position ?? .distantPast) <= query.upper
            },
            newer: (Array(upper.prefix(query.newerCount)), upper.count > query.newerCount),
            coverage: coverage, sequence: sequence)
    }

    func answer(_ question: ServerQuestion) -> ServerAnswer {
        switch question {
        case .channel(let call):
            return .channel(
                serverChannels.first { $0.url == call.channelURL }
                    ?? MachineScript.channel(call.channelURL))
        case .messages(let call):
            guard case .time(let anchor) = call.anchor else { return .done }
            let older = serverMessages.filter { $0.createdAt < anchor }.suffix(call.previousLimit)
            let newer = serverMessages.filter { $0.createdAt > anchor }
            let here = serverMessages.filter { $0.createdAt == anchor }
            return .messages(
                MessagePage(
                    messages: older + here + newer.prefix(call.nextLimit),
                    hasNext: newer.count > call.nextLimit, isContinuous: true))
        case .gap(let call):
            let start = call.next?.start ?? .beginning
            let end = call.next?.end ?? .distantFuture
            let missing = serverMessages.filter { $0.createdAt > start && $0.createdAt <= end }
            return .gap(
                MessageGapAnswer(
                    isHuge: false,
                    next: .init(messages: Array(missing.prefix(5)), hasMore: missing.count > 5)))
        case .messageChanges:
            return .messageChanges(
                MessageChanges(updated: [], deleted: [], hasMore: false, next: "n"))
        case .channelChanges:
            return .channelChanges(
                ChannelChanges(updated: serverChannels, deleted: [], hasMore: false, next: "n"))
        case .myChannels(let call):
            let place = Int(call.token) ?? 0
            let rest = serverChannels.dropFirst(place)
            let isLast = rest.count <= 2
            return .myChannels(
                RoostWire.ChannelPage(
                    channels: Array(rest.prefix(2)), next: isLast ? "" : "\(place + 2)"))
        case .openChannel(let call): return .openChannel(OpenChannel(url: call.channelURL))
        case .fingerprints: return .fingerprints([MessageFingerprint(count: 1, digest: 7)])
        case .countMessages: return .count(serverMessages.count)
        case .mute: return .mute(AskMute.Answer(isMuted: false, remaining: nil))
        case .markAsRead, .moment: return .moment(MachineScript.loginAt)
        case .create, .update, .join, .invite:
            return .channel(MachineScript.channel(Self.channel))
        case .writeMetadata: return .metadata(["a": "b"])
        case .post, .delete, .react, .upload, .leave, .request: return .done
        }
    }
}
