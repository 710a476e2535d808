// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// The random steps of the server's contract.

extension ServerContract {
    func step(on storage: isolated MemoryStorage) -> Step {
        if connections.count < 2 || random.pick(25) == 0, connections.count < 6 {
            return .connect(user())
        }
        if random.pick(40) == 0 { return .disconnect(random.pick(connections.count)) }
        let url = channel()
        guard storage.channelURLs.contains(url) || random.pick(10) == 0 else {
            return .question(user(), .create(creation(of: url)))
        }
        if random.pick(5) < 2 {
            let index = random.pick(connections.count)
            return .command(index, command(in: url, by: connections[index].user, on: storage))
        }
        let user = user()
        return .question(user, question(in: url, by: user, on: storage))
    }

    private func user() -> UserID { Self.users[random.pick(Self.users.count)] }

    private func channel() -> ChannelURL { Self.channels[random.pick(Self.channels.count)] }

    private func moment() -> Timestamp { random.past(until: world.server.world.now()) }

    /// A message of a channel: mostly one of the newest, sometimes an unknown one.
    private func message(
        in url: ChannelURL, by sender: UserID? = nil, on storage: isolated MemoryStorage
    ) -> MessageID {
        let id = random.message(storage.entries(of: url), by: random.pick(4) > 0 ? sender : nil)
        guard let id, random.pick(20) > 0 else { return MessageID(Int64(1 + random.pick(60))) }
        return id
    }

    private func creation(of url: ChannelURL) -> CreateChannel {
        var create = CreateChannel(
            userIDs: Self.users.filter { _ in random.pick(3) > 0 }, name: "name \(random.pick(9))",
            customType: random.customType(), isPublic: random.pick(3) == 0)
        create.channelURL = url
        create.operatorIDs = create.userIDs.filter { _ in random.pick(2) == 0 }
        return create
    }

    private func composition(
        to url: ChannelURL, on storage: isolated MemoryStorage
    ) -> MessageCommand {
        let parent = random.pick(4) == 0 ? message(in: url, on: storage) : nil
        let number = random.pick(1_000)
        let content: MessageContent =
            random.pick(4) == 0
            ? .file(
                FileContent(
                    url: "https://files.example/\(number)", name: "\(number).txt",
                    type: "text/plain", size: ByteCount(bytes: Int64(number))))
            : .user(text: "text \(number)")
        var command = MessageCommand(
            channelURL: url,
            // Few, so that some are repeated.
            requestID: random.pick(4) > 0 ? RequestID("r\(random.pick(30))") : nil,
            content: content, data: random.pick(2) == 0 ? "data" : "",
            customType: random.customType(), parentID: parent,
            isReplyToChannel: parent != nil && random.pick(2) == 0)
        if random.pick(8) == 0 { command.mention = Mention(userIDs: [user()]) }
        command.isSilent = random.pick(10) == 0
        return command
    }

    private func command(
        in url: ChannelURL, by user: UserID, on storage: isolated MemoryStorage
    ) -> ClientCommand {
        let requestID = random.pick(3) > 0 ? RequestID("c\(random.pick(1_000))") : nil
        switch random.pick(12) {
        case 0: return .ping(Ping(id: 1))
        case 1, 2:
            return .edit(
                EditCommand(
                    channelURL: url, messageID: message(in: url, by: user, on: storage),
                    requestID: requestID, text: "edit \(random.pick(1_000))",
                    customType: random.pick(3) == 0 ? random.customType() : nil))
        case 3, 4: return .read(url, requestID)
        case 5: return .typingStart(url, time: moment())
        case 6: return .typingEnd(url, time: moment())
        case 7: return .messageAcknowledgement(url, message(in: url, on: storage))
        default: return .message(composition(to: url, on: storage))
        }
    }

    private func question(
        in url: ChannelURL, by user: UserID, on storage: isolated MemoryStorage
    ) -> ServerQuestion {
        switch random.pick(32) {
        case 0...3: return .post(SendMessage(message: composition(to: url, on: storage)))
        case 4, 5:
            return .delete(
                DeleteMessage(
                    channelURL: url, messageID: message(in: url, by: user, on: storage)))
        case 6, 7:
            return .react(
                ReactToMessage(
                    channelURL: url, messageID: message(in: url, on: storage),
                    key: "\(random.pick(2))", isAdded: random.pick(3) > 0))
        case 8:
            let first = random.pick(2) == 0 ? message(in: url, on: storage) : nil
            return .markAsRead(MarkAsRead(channelURL: url, unreadFrom: first))
        case 9: return .update(UpdateChannel(channelURL: url, name: "name \(random.pick(99))"))
        case 10, 11:
            return .invite(
                InviteMembers(
                    channelURL: url,
                    userIDs: Self.users.filter { _ in random.pick(2) == 0 } + [user]))
        case 12: return .join(JoinChannel(channelURL: url))
        case 13: return .leave(LeaveChannel(channelURL: url))
        case 14:
            return .moment(
                .hide(
                    url, hidesPrevious: random.pick(2) == 0,
                    allowsAutoUnhide: random.pick(2) == 0))
        case 15: return .request(.unhide(url))
        case 16: return .moment(.resetHistory(url, ofEverybody: false))
        case 17: return .create(creation(of: url))
        case 18, 19: return .request(random.muteRequest(of: self.user(), in: url))
        default: return reading(of: url, by: user, on: storage)
        }
    }

    /// A question that changes nothing.
    private func reading(
        of url: ChannelURL, by user: UserID, on storage: isolated MemoryStorage
    ) -> ServerQuestion {
        let filter = random.messageFilter(senders: Self.users, storage.entries(of: url))
        switch random.pick(12) {
        case 0:
            return .channel(GetChannel(channelURL: url, isInternal: random.pick(2) == 0))
        case 1, 2:
            let anchor: ListMessages.Anchor =
                switch random.pick(4) {
                case 0: .message(message(in: url, on: storage))
                case 1: .time(.distantFuture)
                default: .time(moment())
                }
            return .messages(
                ListMessages(
                    channelURL: url, anchor: anchor, previousLimit: random.pick(6),
                    nextLimit: random.pick(6), includesAnchor: random.pick(2) == 0,
                    isReversed: random.pick(4) == 0, filter: filter,
                    checksContinuity: random.pick(2) == 0))
        case 3:
            return .gap(
                MessageGap(
                    channelURL: url, previous: random.pick(2) == 0 ? nil : side(),
                    next: random.pick(4) == 0 ? nil : side(), filter: filter,
                    isReversed: random.pick(4) == 0))
        case 4, 5:
            return .messageChanges(
                MessageChangeLog(
                    channelURL: url, cursor: cursor(),
                    filter: random.pick(2) == 0 ? .everything : filter))
        case 6, 7:
            return .channelChanges(
                ChannelChangeLog(
                    userID: user, cursor: cursor(), showsEmpty: random.pick(4) > 0))
        case 8, 9:
            let query = random.listQuery()
            return .myChannels(
                ListMyChannels(
                    userID: user, token: random.pick(2) == 0 ? "" : token(),
                    limit: query.pageSize, order: query.order,
                    showsEmpty: query.filter.includesEmpty,
                    showsFrozen: query.filter.includesFrozen, filters: query.filter.query))
        case 10:
            let ends = [moment(), moment()].sorted()
            let stretch = FingerprintMessages.Stretch(
                from: Position(createdAt: ends[0], messageID: 1),
                through: Position(createdAt: ends[1], messageID: 40))
            return .fingerprints(FingerprintMessages(channelURL: url, stretches: [stretch]))
        default:
            return random.pick(2) == 0
                ? .countMessages(CountMessages(channelURL: url))
                : .mute(AskMute(channelURL: url, userID: self.user()))
        }
    }

    private func side() -> MessageGap.Side {
        let ends = [moment(), moment()].sorted()
        return MessageGap.Side(start: ends[0], end: ends[1], cachedCount: random.pick(6))
    }

    private func cursor() -> ChangeLogCursor {
        let token = token()
        return token.isEmpty || random.pick(3) == 0 ? .since(moment()) : .token(token)
    }

    /// A recent token, of the same call or of another one.
    private func token() -> String { random.pick(of: tokens.suffix(6)) ?? "" }
}
