// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestKit

// The random mutations and questions of the store's contract.

extension StoreContract {
    // MARK: Mutations

    /// Returns the mutations of one commit; an eviction and a clearing have commits of their own.
    mutating func mutations() -> [Mutation] {
        switch random.pick(80) {
        case 0...3: return [.evicted(Self.channels[random.pick(2)], through: moment())]
        case 4: return [.clearAll]
        default: break
        }
        return (0...random.pick(3)).map { _ in mutation() }
    }

    private mutating func mutation() -> Mutation {
        let url = Self.channels[random.pick(2)]
        switch random.pick(30) {
        case 0...4: return page(in: url)
        case 5...7:
            let message = message(in: url)
            return .liveMessage(
                message, predecessor: random.pick(4) == 0 ? nil : MessageID(Int64(random.pick(40))))
        case 8, 9: return .edited(message(in: url, isEdited: true))
        case 10:
            let change = ReactionChange(
                key: "\(random.pick(2))", userID: Self.users[random.pick(3)],
                isAdded: random.pick(3) > 0, updatedAt: Timestamp(milliseconds: edit()))
            return .reacted(url, someID(), change)
        case 11:
            return .replied(
                url, someID(), thread())
        case 12, 13: return .deleted(url, (0...random.pick(2)).map { _ in someID() })
        case 14, 15:
            return .channels(
                (0...random.pick(2)).map { _ in channel(Self.listed[random.pick(4)]) })
        case 16: return random.pick(3) == 0 ? .removeChannel(url) : .clearMessages(url)
        case 17, 18: return .forgotten(url, range())
        case 19: return .historyCut(url, through: moment())
        case 20: return .cursor(.messageChanges(url), .token("t\(random.pick(9))"))
        case 21: return .firstCursor(.messageChanges(url), .moment(moment()))
        case 22: return .removeCursor(.messageChanges(url))
        case 23, 24:
            let listed = Self.listed[random.pick(4)]
            return .channelNews(listed, news(of: listed))
        case 25:
            // Half of the new names come with messages and channels only.
            let user = renamedUser()
            return random.pick(2) == 0 ? .users([user]) : .unreadable(url)
        case 26, 27: return .accessed(url, at: moment())
        case 28: return .cursor(.channelFill, random.pick(2) == 0 ? .listEnd : .token("t"))
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
            sender: Sender(user: user(Self.users[place % 3])),
            content: content(place), customType: place % 7 == 0 ? "a" : "",
            parentID: place > 8 && place % 4 < 2 ? MessageID(Int64(place % 2 + 3)) : nil)
        dress(&message, place)
        guard isEdited || random.pick(6) == 0 else { return message }
        let moment = edit()
        message.updatedAt = Timestamp(milliseconds: moment)
        if case .user = message.content { message.content = .user(text: "edited at \(moment)") }
        message.customType = random.pick(3) == 0 ? "a" : ""
        return message
    }

    private func content(_ place: Int) -> MessageContent {
        switch place % 6 {
        case 4:
            var file = FileContent(
                url: "https://files.example/\(place)", name: "\(place).txt", type: "text/plain",
                size: ByteCount(bytes: Int64(place)))
            file.caption = "caption \(place)"
            return .file(file)
        case 5: return .admin(text: "admin \(place)")
        default: return .user(text: "text \(place)")
        }
    }

    /// Gives a message the fields that few messages have; they depend on its number alone.
    private func dress(_ message: inout Message, _ place: Int) {
        message.data = place % 4 == 0 ? "data \(place)" : ""
        message.isSilent = place % 11 == 0
        message.isReplyToChannel = message.parentID != nil && place % 3 == 0
        if place % 9 == 0 { message.metaArrays = [MetaArray(key: "k", values: ["1", "2"])] }
        if place % 8 == 0 {
            message.mention = Mention(userIDs: [Self.me])
            message.details.mentionedUsers = [user(Self.me)]
        }
        if place % 13 == 0 {
            message.unknownFields.keep(.init(name: "new_field", json: "[1, 2]"))
        }
        if place % 3 == 0, message.parentID == nil, random.pick(2) == 0 {
            message.details.threadInfo = thread()
        }
    }

    private func thread() -> ThreadInfo {
        var thread = ThreadInfo(replyCount: random.pick(4))
        if random.pick(3) == 0 { thread.mostReplies = [user(Self.users[random.pick(3)])] }
        return thread
    }

    private func user(_ id: UserID) -> User { people[id] ?? User(id: id) }

    /// Gives a user a new name or picture.
    private mutating func renamedUser() -> User {
        let id = Self.users[random.pick(3)]
        var user = user(id)
        user.nickname = "renamed \(random.pick(3))"
        if random.pick(2) == 0 { user.profileURL = "https://files.example/\(random.pick(2))" }
        people[id] = user
        return user
    }

    private mutating func news(of url: ChannelURL) -> ChannelNews {
        switch random.pick(8) {
        case 0, 1:
            return .received(message(in: url), .init(isUnread: random.pick(2) == 0))
        case 2: return .edited(message(in: url, isEdited: true))
        case 3: return .deleted([someID(), someID()])
        case 4: return .read(moment())
        case 5: return .readBy([Self.users[random.pick(3)]: moment()])
        case 6: return .historyReset(through: moment())
        default: return .frozen(random.pick(2) == 0)
        }
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

    private mutating func channel(_ url: ChannelURL) -> GroupChannel {
        var channel = GroupChannel(
            url: url, name: "name \(random.pick(3))", customType: random.customType(),
            createdAt: Timestamp(milliseconds: Int64(url.rawValue.utf8.first ?? 0) % 3),
            members: Self.users.prefix(1 + random.pick(3)).map { Member(user: user($0)) },
            memberCount: 3)
        channel.unreadMessageCount = random.pick(3)
        channel.hiddenState =
            [.unhidden, .unhidden, .untilShown, .untilNextMessage][random.pick(4)]
        if random.pick(2) == 0 { channel.lastMessage = message(in: url) }
        if random.pick(3) == 0 { channel.metadata = ["k": "\(random.pick(2))"] }
        if random.pick(3) == 0 { channel.readReceipts = [Self.me: moment()] }
        if random.pick(6) == 0 { channel.messageOffset = moment() }
        return channel
    }

    // MARK: Questions

    func question() -> StoreQuestion {
        let url = Self.channels[random.pick(2)]
        let filter =
            random.pick(2) == 0
            ? MessageFilter.everything : Self.filters[random.pick(Self.filters.count)]
        switch random.pick(14) {
        case 0: return .coverage(url, under: filter)
        case 1, 2: return .message(someID())
        case 3: return .messageOfRequest(RequestID("r\(random.pick(8) * 5)"))
        case 4: return .oldestMessage(url)
        case 5:
            return .messageCount(
                url, from: moment(), through: Position(createdAt: moment(), messageID: someID()))
        case 6, 7:
            let query = random.listQuery()
            return .channels(query.filter, query.order, limit: 1 + random.pick(4))
        case 8: return .cursor(random.pick(2) == 0 ? .messageChanges(url) : .channelFill)
        case 9: return .channel(Self.listed[random.pick(4)])
        case 10: return .holding(url)
        case 12: return .figures
        case 11:
            return .stretches(
                url, in: random.pick(2) == 0 ? nil : range(), size: 1 + random.pick(4))
        default:
            return .window(
                .around(
                    random.pick(3) == 0 ? .distantFuture : moment(), in: url, filter: filter,
                    olderCount: random.pick(5), newerCount: random.pick(5)))
        }
    }
}
