// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostStore
import RoostTestKit

/// A comparison of the reference store with the real one: the same random mutations must lead to the
/// same commits and to the same answers.
package struct StoreContract {
    private static let channels: [ChannelURL] = ["a", "b"]
    private static let me: UserID = "me"
    private static let users = ["me", "other", "third"].map {
        User(id: UserID($0), nickname: "name of \($0)")
    }
    private static let filters = [
        MessageFilter(customTypes: ["a"], replyType: .all), MessageFilter(kind: .file),
        MessageFilter(senderIDs: ["me"], replyType: .all), MessageFilter(parentID: 3),
    ]

    private let random: SimulatedRandom
    private var model = ReferenceStore(me: Self.me)
    private var lastEdit: Int64 = 5_000

    private init(seed: UInt64) { random = SimulatedRandom(seed: seed) }

    /// Makes some commits on both stores.
    ///
    /// - Parameters:
    ///   - seed: The seed of all mutations.
    ///   - count: The number of commits.
    /// - Returns: The first difference, in one sentence; nil if there is none.
    /// - Throws: An error of the real store.
    package static func firstDifference(
        seed: UInt64, commits count: Int
    ) async throws -> String? {
        var contract = StoreContract(seed: seed)
        let store = try await Store.open(
            .memory, owner: StoreOwner(application: "contract", user: me.rawValue))
        var difference: String?
        for step in 0..<count where difference == nil {
            let mutations = contract.mutations()
            let real = try await store.writer.commit(mutations)
            let modelled = contract.model.commit(mutations)
            difference =
                Self.difference(modelled, real).map { "\($0) by \(mutations)" }
            if difference == nil, step % 4 == 3 {
                for _ in 0..<6 where difference == nil {
                    let question = contract.question()
                    let answer = try await store.readers[0].contractAnswer(question)
                    if let answer, answer != contract.model.answer(question).comparable {
                        difference =
                            "\(question): the model \(contract.model.answer(question)), "
                            + "the store \(answer)"
                    }
                }
            }
            if let found = difference { difference = "seed \(seed), commit \(step): \(found)" }
        }
        await store.close()
        return difference
    }

    // MARK: Mutations

    /// Returns the mutations of one commit; an eviction has a commit of its own.
    private mutating func mutations() -> [Mutation] {
        if random.pick(20) == 0 {
            return [.evicted(Self.channels[random.pick(2)], through: moment())]
        }
        return (0...random.pick(3)).map { _ in mutation() }
    }

    private mutating func mutation() -> Mutation {
        let url = Self.channels[random.pick(2)]
        switch random.pick(24) {
        case 0...4: return page(in: url)
        case 5...7:
            let message = message(in: url)
            return .liveMessage(
                message, predecessor: random.pick(4) == 0 ? nil : MessageID(Int64(random.pick(40))))
        case 8, 9: return .edited(message(in: url, isEdited: true))
        case 10:
            let change = ReactionChange(
                key: "\(random.pick(2))", userID: Self.users[random.pick(3)].id,
                isAdded: random.pick(3) > 0, updatedAt: Timestamp(milliseconds: edit()))
            return .reacted(url, someID(), change)
        case 11:
            return .replied(
                url, someID(), ThreadInfo(replyCount: random.pick(4)))
        case 12, 13: return .deleted(url, (0...random.pick(2)).map { _ in someID() })
        case 14, 15: return .channels([channel(url)])
        case 16: return random.pick(3) == 0 ? .removeChannel(url) : .clearMessages(url)
        case 17, 18: return .forgotten(url, range())
        case 19: return .historyCut(url, through: moment())
        case 20: return .cursor(.messageChanges(url), .token("t\(random.pick(9))"))
        case 21: return .firstCursor(.messageChanges(url), .moment(moment()))
        case 22:
            return random.pick(4) == 0 ? .clearAll : .removeCursor(.messageChanges(url))
        default: return .pinned(url, random.pick(2) == 0)
        }
    }

    private func someID() -> MessageID { MessageID(Int64(1 + random.pick(39))) }

    private func moment() -> Timestamp { Timestamp(milliseconds: Int64(random.pick(45) * 10)) }

    private mutating func edit() -> Int64 {
        lastEdit += 1
        return lastEdit
    }

    /// The message with a number: always at the same place, with one sender and one parent.
    private mutating func message(
        in url: ChannelURL, _ number: Int? = nil, isEdited: Bool = false
    ) -> Message {
        // Even numbers are those of the first channel.
        let place = (number ?? random.pick(20)) * 2 + (url == Self.channels[0] ? 2 : 1)
        var message = Message(
            delivery: .delivered(
                MessageID(Int64(place)), place % 5 == 0 ? RequestID("r\(place)") : nil),
            channelURL: url, createdAt: Timestamp(milliseconds: Int64(place / 4 * 40)),
            sender: Sender(user: Self.users[place % 3]),
            content: .user(text: "text \(place)"), customType: place % 7 == 0 ? "a" : "",
            parentID: place > 8 && place % 4 < 2 ? MessageID(Int64(place % 2 + 3)) : nil)
        guard isEdited || random.pick(6) == 0 else { return message }
        let moment = edit()
        message.updatedAt = Timestamp(milliseconds: moment)
        message.content = .user(text: "edited at \(moment)")
        message.customType = random.pick(3) == 0 ? "a" : ""
        return message
    }

    private mutating func page(in url: ChannelURL) -> Mutation {
        let start = random.pick(20)
        let count = 1 + random.pick(6)
        var messages = (start..<min(20, start + count)).map { message(in: url, $0) }
        let filter =
            random.pick(3) == 0
            ? Self.filters[random.pick(Self.filters.count)] : MessageFilter.everything
        messages = messages.filter(filter.matches)
        if random.pick(4) == 0 { messages.removeAll { _ in random.pick(3) == 0 } }
        let places = messages.compactMap(\.position)
        let range = places.min().flatMap { lower in
            places.max().map { upper in
                CoveredRange(lower: random.pick(5) == 0 ? .distantPast : lower, upper: upper)
            }
        }
        return .messages(
            url, messages, covering: random.pick(6) == 0 ? nil : range, under: filter)
    }

    private func range() -> CoveredRange {
        let ends = [moment(), moment()].sorted()
        return CoveredRange(
            lower: Position(createdAt: ends[0], messageID: MessageID(.min)),
            upper: Position(createdAt: ends[1], messageID: MessageID(.max)))
    }

    private func channel(_ url: ChannelURL) -> GroupChannel {
        var channel = GroupChannel(
            url: url, name: "name \(random.pick(3))", createdAt: Timestamp(milliseconds: 1),
            members: Self.users.prefix(1 + random.pick(3)).map { Member(user: $0) },
            memberCount: 3)
        channel.unreadMessageCount = random.pick(3)
        if random.pick(3) == 0 { channel.metadata = ["k": "\(random.pick(2))"] }
        if random.pick(6) == 0 { channel.messageOffset = moment() }
        return channel
    }

    // MARK: Questions

    private func question() -> StoreQuestion {
        let url = Self.channels[random.pick(2)]
        let filter =
            random.pick(2) == 0
            ? MessageFilter.everything : Self.filters[random.pick(Self.filters.count)]
        switch random.pick(9) {
        case 0: return .coverage(url, under: filter)
        case 1: return .message(someID())
        case 2: return .messageOfRequest(RequestID("r\(random.pick(8) * 5)"))
        case 3: return .oldestMessage(url)
        case 4:
            return .messageCount(
                url, from: moment(), through: Position(createdAt: moment(), messageID: someID()))
        case 5: return .channels(ChannelFilter(), .chronological, limit: 1 + random.pick(2))
        case 6: return .cursor(.messageChanges(url))
        case 7: return .channel(url)
        default:
            return .window(
                .around(
                    random.pick(3) == 0 ? .distantFuture : moment(), in: url, filter: filter,
                    olderCount: random.pick(5), newerCount: random.pick(5)))
        }
    }

    // MARK: Comparison

    /// Returns the first change that one of the commits has and the other has not.
    private static func difference(_ model: Commit, _ real: Commit) -> String? {
        let (ours, theirs) = (Changes(model), Changes(real))
        for url in channels where ours.messages[url] != theirs.messages[url] {
            return "the model changes \(url) by \(ours.messages[url] as Any), "
                + "the store by \(theirs.messages[url] as Any)"
        }
        guard ours.channels != theirs.channels else { return nil }
        return "the model changes channels by \(ours.channels as Any), "
            + "the store by \(theirs.channels as Any)"
    }

    /// The changes of a commit without an order between channels; the names of users never change.
    private struct Changes {
        struct OfMessages: Hashable {
            let inserted: [Message]
            let updated: [Update<Message>]
            let deleted: [Message]
            let cutThrough: Timestamp?
            let before: Coverage
            let after: Coverage
            let filters: Set<MessageFilter>
        }

        var messages: [ChannelURL: OfMessages] = [:]
        var channels: ChannelsChange?

        init(_ commit: Commit) {
            for change in commit.changes {
                switch change {
                case .messages(let change):
                    messages[change.channel] = OfMessages(
                        inserted: change.inserted, updated: change.updated,
                        deleted: change.deleted, cutThrough: change.cutThrough,
                        before: change.coverageBefore, after: change.coverageAfter,
                        filters: Set(change.filters))
                case .channels(let change):
                    channels = ChannelsChange(
                        inserted: change.inserted.sorted { $0.url < $1.url },
                        updated: change.updated.sorted { $0.after.url < $1.after.url },
                        deleted: change.deleted.sorted())
                case .users: break
                }
            }
        }
    }
}

extension StoreReader {
    /// Answers a question of the contract; nil for the others.
    fileprivate func contractAnswer(_ question: StoreQuestion) async throws -> StoreAnswer? {
        let answer: StoreAnswer? =
            switch question {
            case .coverage(let url, let filter):
                .coverage(try await coverage(of: url, under: filter).value)
            case .message(let id): .message(try await message(id).value)
            case .messageOfRequest(let id): .message(try await message(id).value)
            case .oldestMessage(let url): .moment(try await oldestMessage(in: url).value)
            case .messageCount(let url, let from, let through):
                .count(try await messageCount(in: url, from: from, through: through).value)
            case .channels(let filter, let order, let limit):
                .channels(
                    CachedChannels(
                        channels: Array(
                            try await channels(filter, order: order, limit: limit + 1).value
                                .prefix(limit)), hasMore: false, isWhole: false, sequence: 0))
            case .cursor(let key): .cursor(try await cursor(key).value)
            case .channel(let url): .channel(try await channel(url).value)
            case .window(let query): .window(try await window(query))
            case .holding, .stretches: nil
            }
        return answer?.comparable
    }
}

extension StoreAnswer {
    /// The answer without the numbers of commits, which begin elsewhere.
    fileprivate var comparable: StoreAnswer {
        switch self {
        case .window(let window):
            .window(
                CacheWindow(
                    extent: window.extent, messages: window.messages, coverage: window.coverage,
                    sequence: 0))
        case .channels(let channels):
            .channels(
                CachedChannels(
                    channels: channels.channels, hasMore: false, isWhole: false, sequence: 0))
        default: self
        }
    }
}
