// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostServer
import RoostWire
import Testing

/// The same random history on two storages, compared by all queries.
struct StorageDifferenceTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ (state >> 31)) &* 0x9E37_79B9_7F4A_7C15
        }

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
    }

    private static let users: [UserID] = ["a", "b", "c"]
    private static let urls: [ChannelURL] = ["g1", "g2", "g3"]

    @Test(arguments: 0..<12 as Range<UInt64>, [StorageKind.sqlite, .postgres])
    func `random histories leave both storages in the same state`(
        seed: UInt64, kind: StorageKind
    ) async throws {
        let storages = [try await StorageKind.memory.make(), try await kind.make()]
        for storage in storages {
            for id in Self.users { try await storage.addUser(User(id: id)) }
        }
        var now: Int64 = 1_000
        for step in 0..<120 {
            now += Int64(step % 3)
            let moment = Timestamp(milliseconds: now)
            var answers: [String] = []
            for storage in storages {
                var dice = Dice(state: seed &* 1_000 &+ UInt64(step))
                answers.append(try await act(on: storage, &dice, moment, kind))
            }
            #expect(answers[0] == answers[1].withoutTimeline, "seed \(seed), step \(step)")
        }
        for url in Self.urls {
            let logs = (try await storages[0].log(of: url), try await storages[1].log(of: url))
            #expect("\(logs.0)" == "\(logs.1)".withoutTimeline)
            for (storage, log) in zip(storages, [logs.0, logs.1]) {
                var (paged, place): ([LogEntry], Position) = ([], .distantFuture)
                while case let page = try await storage.log(of: url, before: place, limit: 7),
                    let last = page.last?.message.position
                {
                    paged += page
                    place = last
                }
                #expect(paged.reversed() == log, "deleted messages are in the pages too")
            }
        }
        for id in Self.users {
            var states: [[ChannelState]] = []
            for storage in storages {
                states.append(try await storage.channelStates(Self.urls, viewer: id))
            }
            #expect(states[0].map(\.withoutMessage) == states[1].map(\.withoutMessage))
            let last = states.map { "\($0.map(\.lastMessage))" }
            #expect(last[0] == last[1].withoutTimeline)
            for state in states[0] {
                let counts = try await storages[0].unreadCounts(
                    in: state.record.url, of: Set(Self.users + ["nobody"]))
                #expect(
                    try await storages[1].unreadCounts(
                        in: state.record.url, of: Set(Self.users + ["nobody"])) == counts)
                let isJoined = state.members.contains { $0.user.id == id && $0.state == .joined }
                #expect(counts[id] == (isJoined ? state.unreadCount : nil))
            }
            let listings = (
                try await storages[0].listings(of: id), try await storages[1].listings(of: id)
            )
            #expect(listings.0.map(\.content) == listings.1.map(\.content))
            // Only the numbers of transactions differ from those of changes.
            #expect(kind == .postgres || listings.0 == listings.1)
            let total = try await storages[0].unreadTotal(of: id)
            #expect(try await storages[1].unreadTotal(of: id) == total)
            let joined = states[0].filter { state in
                state.members.contains { $0.user.id == id && $0.state == .joined }
            }
            let counted = joined.filter { state in
                state.members.contains {
                    $0.user.id == id && $0.hidden == .unhidden && $0.traits.countPreference != .off
                }
            }
            #expect(counted.reduce(0) { $0 + $1.unreadCount } == total)
            for state in joined {
                #expect(state.unreadCount == (try await recount(state, id, storages[0])))
            }
        }
    }

    private func recount(
        _ state: ChannelState, _ id: UserID, _ storage: any Storage
    ) async throws -> Int {
        let mark = state.members.first { $0.user.id == id }?.lastRead ?? .distantPast
        return try await storage.log(of: state.record.url).count { entry in
            entry.deletedAt == nil && entry.message.createdAt > mark && !entry.message.isSilent
                && entry.message.sender?.user.id != id
                && (entry.message.parentID == nil || entry.message.isReplyToChannel)
        }
    }

    private func act(
        on storage: any Storage, _ dice: inout Dice, _ now: Timestamp, _ kind: StorageKind
    ) async throws -> String {
        let url = Self.urls[dice.roll(3)]
        let id = Self.users[dice.roll(3)]
        let message = storage.number(dice.roll(60) + 1)
        switch dice.roll(17) {
        case 0:
            let members = Array(Self.users.prefix(dice.roll(3) + 1))
            let new = StorageContractTests.channel(url, members, isDistinct: dice.roll(4) == 0)
            return "\(try await storage.createChannel(new, now: now))"
        case 1:
            let state: MembershipState = dice.roll(2) == 0 ? .joined : .invited
            return
                "\(try await storage.addMembers([id], as: state, inviter: nil, to: url, now: now))"
        case 2: return "\(try await storage.removeMember(id, from: url, now: now))"
        case 3: return "\(String(describing: try await storage.markRead(url, by: id, now: now)))"
        case 4: return "\(try await storage.delete(message, in: url, now: now))"
        case 5:
            var edit = EditCommand(channelURL: url, messageID: message, requestID: nil, text: "e")
            edit.customType = "t\(dice.roll(3))"
            edit.mentionedUserIDs = [id]
            edit.metaArrays = .init(
                arrays: [MetaArray(key: "k", values: ["v\(dice.roll(3))"])],
                mode: dice.roll(2) == 0 ? .add : .remove, isUpsert: true)
            return
                "\(try await storage.edit(edit, mentioned: [User(id: id)], now: now))"
        case 6:
            let point: ChangePoint =
                dice.roll(2) == 0
                ? .sequence(Int64(dice.roll(80)))
                : .time(Timestamp(milliseconds: Int64(1_000 + dice.roll(120))))
            let limit = dice.roll(9) + 1
            guard kind == .postgres else {
                return "\(try await storage.messageChanges(in: url, after: point, limit: limit))"
            }
            // Its numbers of changes are those of the channel.
            let page = try await storage.messageChanges(in: url, after: .sequence(0), limit: limit)
            return "\(page.changes) \(page.hasMore)"
        case 7: return try await ask(storage, url, &dice)
        case 8: return try await bend(storage, url, id, &dice, now)
        case 9:
            let key = "k\(dice.roll(2))"
            let changed = try await storage.updateMessage(message, in: url, now: now) {
                $0.details.reactions = [Reaction(key: key, userIDs: [id], updatedAt: now)]
            }
            return String(describing: changed)
        case 10 where dice.roll(4) == 0:
            return "\(try await storage.deleteChannel(url, now: now))"
        case 11: return "\(try await storage.memberRecords(of: url))"
        case 12 where dice.roll(3) == 0:
            let end = Timestamp(milliseconds: now.milliseconds - Int64(dice.roll(9)))
            return "\(try await storage.forgetHistory(of: url, through: end, now: now))"
        default:
            return
                "\(String(describing: try await storage.append(draft(url, id, &dice, for: storage), now: now)))"
        }
    }

    /// Changes a channel or a user's place in it.
    private func bend(
        _ storage: any Storage, _ url: ChannelURL, _ id: UserID, _ dice: inout Dice,
        _ now: Timestamp
    ) async throws -> String {
        let number = dice.roll(9)
        if dice.roll(3) == 0 {
            let record = try await storage.updateChannel(url, now: now) { record in
                record.name = "n\(number)"
                record.traits.isFrozen.toggle()
                record.traits.metadata["k\(number)"] = "'\(number)"
                record.traits.counters["c", default: 0] += Int64(number)
            }
            guard let record else { return "none" }
            let metadata = record.traits.metadata.sorted { $0.key < $1.key }
            return "\(record.name) \(record.traits.isFrozen) \(metadata) \(record.traits.counters)"
        }
        let hidden = HiddenState.allCases[dice.roll(3)]
        let counts = CountPreference.allCases[dice.roll(4)]
        let member = try await storage.updateMember(id, of: url, now: now) { member in
            member.hidden = hidden
            member.traits.countPreference = counts
            member.role = number % 2 == 0 ? .operator : .none
            member.traits.messageOffset = number == 1 ? now : nil
            member.traits.mute = number == 2 ? Restriction(startedAt: now, note: "\"") : nil
            member.state = .joined
        }
        return String(describing: member)
    }

    private func draft(
        _ url: ChannelURL, _ id: UserID, _ dice: inout Dice, for storage: any Storage
    ) -> Message {
        var draft = StorageContractTests.draft(
            "m\(dice.roll(99))", from: dice.roll(9) == 0 ? nil : id,
            request: dice.roll(2) == 0 ? RequestID("r\(dice.roll(20))") : nil, to: url)
        if draft.sender == nil { draft.content = .admin(text: draft.text) }
        draft.customType = "t\(dice.roll(3))"
        draft.isSilent = dice.roll(6) == 0
        if dice.roll(3) == 0 {
            draft.parentID = storage.number(dice.roll(20) + 1)
            draft.isReplyToChannel = dice.roll(2) == 0
        }
        draft.setMention(
            dice.roll(5) == 0 ? .channel : .users, users: [User(id: Self.users[dice.roll(3)])])
        return draft
    }

    private func ask(
        _ storage: any Storage, _ url: ChannelURL, _ dice: inout Dice
    ) async throws -> String {
        let kinds: [MessageFilter.Kind] = [.all, .user, .admin]
        let replies: [MessageFilter.ReplyType] = [.none, .all, .onlyReplyToChannel]
        var filter = MessageFilter(kind: kinds[dice.roll(3)], replyType: replies[dice.roll(3)])
        if dice.roll(2) == 0 { filter.customTypes = ["t\(dice.roll(3))"] }
        if dice.roll(3) == 0 { filter.senderIDs = [Self.users[dice.roll(3)]] }
        if dice.roll(5) == 0 { filter.parentID = storage.number(dice.roll(20) + 1) }
        let start = Timestamp(milliseconds: Int64(1_000 + dice.roll(120)))
        let range = PositionRange(
            from: start, through: Timestamp(milliseconds: start.milliseconds + 60))
        let (newestFirst, limit) = (dice.roll(2) == 0, dice.roll(9) + 1)
        let found = try await storage.messages(
            in: url, range, filter, newestFirst: newestFirst, limit: limit)
        let count = try await storage.messageCount(in: url, range, filter)
        #expect(found.count == min(count, limit))
        return "\(found) \(count)"
    }
}

/// The part of a message's number that a database adds on its first timeline.
private let firstTimeline: Int64 = 1 << 42

extension Storage {
    /// Returns the number that a storage gives to one of its first messages.
    fileprivate func number(_ place: Int) -> MessageID {
        MessageID((self is PostgresStorage ? firstTimeline : 0) + Int64(place))
    }
}

extension String {
    /// The text with the numbers of messages as other storages give them.
    fileprivate var withoutTimeline: String {
        replacing(/439804651\d{4}/) { match in
            String((Int64(match.output) ?? firstTimeline) - firstTimeline)
        }
    }
}

extension ChannelState {
    fileprivate var withoutMessage: ChannelState {
        var state = self
        state.lastMessage = nil
        return state
    }
}

extension ChannelListing {
    /// The listing without the numbers and times of changes.
    fileprivate var content: ChannelListing {
        ChannelListing(
            record: record, state: state, hidden: hidden, lastMessageAt: lastMessageAt,
            changeSequence: 0, changedAt: .distantPast)
    }
}
