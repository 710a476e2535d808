// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

extension MemoryStorage {
    package func append(
        _ messages: [Message], now: Timestamp
    ) -> [Result<Appended?, StorageError>] {
        messages.map { .success(append($0, now: now)) }
    }

    package func importMessages(
        _ messages: [Message], into url: ChannelURL, _ marks: ImportMarks, now: Timestamp
    ) -> ImportOutcome {
        guard let channel = channels[url] else { return .notFound }
        guard let first = messages.first?.createdAt else { return .imported([]) }
        if let last = channel.log.last?.message.createdAt, first <= last { return .tooOld(last) }
        let results = messages.compactMap { append($0, at: $0.createdAt, now: now) }
        if marks != ImportMarks(), let end = channel.log.last?.message.createdAt {
            for id in channel.memberOrder where channel.memberships[id]?.state == .joined {
                let mark = channel.memberships[id]?.lastRead ?? Timestamp(milliseconds: 0)
                channel.memberships[id]?.lastRead = marks.mark(mark, from: first, through: end)
            }
        }
        return .imported(results)
    }

    /// Appends a message, an old one at its own moment.
    private func append(
        _ message: Message, at moment: Timestamp? = nil, now: Timestamp
    ) -> Appended? {
        guard let channel = channels[message.channelURL] else { return nil }
        let request: MemoryChannel.Request? = message.requestID.flatMap { id in
            message.sender.map { MemoryChannel.Request(sender: $0.user.id, id: id) }
        }
        if let request, let index = channel.requests[request] {
            return repeated(message, channel, at: index)
        }
        let last = channel.log.last?.message.createdAt
        let createdAt =
            last.map { last in
                max(moment ?? now, last.advanced(by: spacesTimes ? 1 : 0))
            } ?? moment ?? now
        lastMessageID += 1
        var stored = message
        stored.createdAt = createdAt
        stored.delivery = .delivered(MessageID(lastMessageID), message.requestID)
        let previous = channel.log.last { $0.deletedAt == nil }?.message.messageID
        let change = nextChange(max(now, createdAt))
        if let request { channel.requests[request] = channel.log.count }
        channel.log.append(MemoryChannel.Entry(message: stored, change: change))
        channel.change = change
        for id in channel.memberOrder
        where moment == nil && channel.memberships[id]?.hidden == .untilNextMessage {
            channel.memberships[id]?.hidden = .unhidden
        }
        let reply = withSender(stored)
        let parent = reply.parentID.flatMap { parent in
            updateMessage(parent, in: message.channelURL, now: max(now, createdAt)) {
                $0.note(reply: reply)
            }
        }
        if let sender = stored.sender?.user.id, channel.memberships[sender]?.state == .joined {
            let mark = channel.memberships[sender]?.lastRead ?? createdAt
            channel.memberships[sender]?.lastRead = max(mark, createdAt)
        }
        return Appended(
            message: reply, previousID: previous, isRepeat: false, isDeleted: false,
            parent: parent)
    }

    package func updateMessage(
        _ id: MessageID, in url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout Message) -> Void
    ) -> Message? {
        guard let channel = channels[url], let index = channel.index(of: id),
            channel.log[index].deletedAt == nil
        else { return nil }
        change(&channel.log[index].message)
        channel.log[index].change = nextChange(now)
        channel.change = channel.log[index].change
        return current(channel.log[index].message)
    }

    private func repeated(_ message: Message, _ channel: MemoryChannel, at index: Int) -> Appended {
        let entry = channel.log[index]
        var answer = entry.message
        if entry.deletedAt != nil {
            answer = message
            answer.createdAt = entry.message.createdAt
            answer.delivery = entry.message.delivery
        }
        let previous = channel.log[..<index].last { $0.deletedAt == nil }?.message.messageID
        return Appended(
            message: current(answer), previousID: previous, isRepeat: true,
            isDeleted: entry.deletedAt != nil)
    }

    package func edit(
        _ edit: EditCommand, mentioned: [User], now: Timestamp
    ) -> EditOutcome {
        guard let channel = channels[edit.channelURL],
            let index = channel.index(of: edit.messageID), channel.log[index].deletedAt == nil
        else { return .notFound }
        let before = channel.log[index].message
        let edits = channel.log[index].edits
        if edits.contains(edit) { return .repeated(current(before)) }
        var after = before
        after.apply(edit, mentioned: mentioned, at: now)
        channel.log[index].message = after
        channel.log[index].edits = edits.noting(edit)
        channel.log[index].change = nextChange(now)
        channel.change = channel.log[index].change
        return .edited(current(after), oldMention: before.mention)
    }

    package func delete(
        _ id: MessageID, in url: ChannelURL, now: Timestamp
    ) -> DeleteOutcome {
        guard let channel = channels[url], let index = channel.index(of: id),
            channel.log[index].deletedAt == nil
        else { return .notFound }
        let before = channel.log[index].message
        channel.log[index].message = before.tombstone
        channel.log[index].deletedAt = now
        channel.log[index].change = nextChange(now)
        channel.change = channel.log[index].change
        let parent = before.parentID.flatMap { parent in
            let filter = MessageFilter(parentID: parent)
            let replies = live(in: url, PositionRange(), filter).map(current)
            var users: [User] = []
            for user in replies.compactMap(\.sender?.user) where !users.contains(user) {
                users.append(user)
            }
            let repliers = Array(users.prefix(ThreadInfo.mostRepliers))
            return updateMessage(parent, in: url, now: now) { message in
                message.setReplies(
                    replies.count, lastAt: replies.last?.createdAt, by: repliers, now: now)
            }
        }
        return .deleted(current(before), parent: parent)
    }

    package func isKnown(_ request: RequestID, of sender: UserID, in url: ChannelURL) -> Bool {
        channels[url]?.requests[MemoryChannel.Request(sender: sender, id: request)] != nil
    }

    package func message(_ id: MessageID, in url: ChannelURL) -> Message? {
        stored(id, in: url).map(current)
    }

    /// Returns a live message as it was stored.
    private func stored(_ id: MessageID, in url: ChannelURL) -> Message? {
        guard let channel = channels[url], let index = channel.index(of: id),
            channel.log[index].deletedAt == nil
        else { return nil }
        return channel.log[index].message
    }

    package func position(of id: MessageID, in url: ChannelURL) -> Position? {
        channels[url].flatMap { channel in
            channel.index(of: id).flatMap { channel.log[$0].message.position }
        }
    }

    package func positions(of ids: [MessageID], in url: ChannelURL) -> [MessageID: Position] {
        var positions: [MessageID: Position] = [:]
        for id in ids { positions[id] = position(of: id, in: url) }
        return positions
    }

    package func messages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) -> [Message] {
        let found = live(in: url, range, filter)
        let wanted =
            newestFirst ? Array(found.reversed().prefix(limit)) : Array(found.prefix(limit))
        return wanted.map(current)
    }

    package func findMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) -> FoundMessages {
        FoundMessages(messages(in: url, range, filter, newestFirst: newestFirst, limit: limit))
    }

    package func countMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, atMost limit: Int
    ) -> CountedMessages {
        CountedMessages(live(in: url, range, filter).count)
    }

    package func messageCount(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter
    ) -> Int {
        live(in: url, range, filter).count
    }

    package func messageCount(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, atMost limit: Int
    ) -> Int {
        messageCount(in: url, range, filter)
    }

    private func live(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter
    ) -> [Message] {
        (channels[url]?.log ?? []).compactMap { entry in
            guard entry.deletedAt == nil, let position = entry.message.position,
                range.contains(position), filter.matches(entry.message)
            else { return nil }
            return entry.message
        }
    }

    package func messageChanges(
        in url: ChannelURL, after point: ChangePoint, limit: Int
    ) -> MessageChangePage {
        let channel = channels[url]
        let entries = (channel?.log ?? [])
            .filter { entry in
                switch point {
                case .sequence(let sequence): entry.change.sequence > sequence
                case .time(let moment): entry.change.at >= moment
                }
            }
            .sorted { $0.change.sequence < $1.change.sequence }
        let page = entries.prefix(limit)
        let changes = page.compactMap { entry -> MessageChangePage.Change? in
            guard let deletedAt = entry.deletedAt else { return .current(current(entry.message)) }
            return entry.message.messageID.map { .deleted($0, at: deletedAt) }
        }
        let start: Int64 =
            switch point {
            case .sequence(let sequence): sequence
            case .time: currentSequence
            }
        return MessageChangePage(
            changes: changes, hasMore: entries.count > limit,
            end: page.last?.change.sequence ?? start,
            isAhead: channel != nil && start > currentSequence)
    }

    package func log(of url: ChannelURL) -> [LogEntry] {
        (channels[url]?.log ?? []).map {
            LogEntry(message: current($0.message), deletedAt: $0.deletedAt)
        }
    }

    package func log(of url: ChannelURL, before place: Position, limit: Int) -> [LogEntry] {
        log(of: url).filter { ($0.message.position ?? .distantPast) < place }.suffix(limit)
            .reversed()
    }

    /// Returns a message with the present name of its sender and the present state of its parent.
    ///
    /// The parent's own parent is not loaded, because two messages may answer each other.
    func current(_ message: Message) -> Message {
        var message = withSender(message)
        if let parent = message.parentID {
            message.details.parentPreview =
                stored(parent, in: message.channelURL).map { withSender($0).shownPreview }
        }
        return message
    }

    private func withSender(_ message: Message) -> Message {
        guard let id = message.sender?.user.id, let user = users[id] else { return message }
        var message = message
        message.sender?.user = user
        return message
    }
}
