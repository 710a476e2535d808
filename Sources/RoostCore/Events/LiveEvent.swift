// SPDX-License-Identifier: Apache-2.0

// One event of the server: applied to the cache first, then passed to the operation that waits for
// it, and to the app.
//
// An event that the disk refuses is not lost: the channel counts as not caught up, and no cursor
// passes the event. The catch-up brings it once the disk accepts it (scar 47).

package import RoostModel
package import RoostWire

/// The application of one event, or of an answer equivalent to one.
package struct LiveEvent: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingCursor(CursorKey, rest: [CursorKey])
        case readingOldest(CursorKey, rest: [CursorKey])
        /// Reads the channel of a deleted message, which may be its last one.
        case readingLast(MessageID)
        /// Reads the messages before a deleted last message.
        case readingPreview(MessageID, of: Message)
        case committing
        /// Reads the channels that the commit left unchanged, for effects that only the server
        /// knows.
        case readingChannel(ChannelURL)
    }

    package let event: ServerEvent
    private let origin: ChangeOrigin
    /// The mark of the request in the channel's ledger if the event is an answer over HTTP; only
    /// such an answer can be overtaken.
    private let beginning: Int?
    /// The change logs that the commit rewinds.
    private var rewinds: [Rewind] = []
    /// The channels to read after the commit, and the number of those whose read has begun.
    private var channels: [ChannelURL] = []
    private var begunReads = 0
    private var isOffline = false
    /// Whether the message's deletion is known already.
    private var isDeleted = false
    private var commit: Commit?
    /// Whether the channel of a message counts receipts; true for an unknown one.
    private var countsReceipts = true
    /// Whether the channel had the deleted message as its last one.
    private var hasLostPreview = false
    private var state = State.beginning

    package init(
        _ event: ServerEvent, from origin: ChangeOrigin = .event, since beginning: Int? = nil
    ) {
        self.event = event
        self.origin = event.acknowledges == nil ? origin : .answer
        self.beginning = beginning
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.readingCursor(let key, let rest), .read(.success(.cursor(let cursor)))):
            return takeCursor(cursor, of: key, rest, &sync)
        case (.readingOldest(let key, let rest), .read(.success(.moment(let moment)))):
            setBack(key, before: moment.map { max($0, .beginning) } ?? .distantFuture)
            return readCursors(rest, &sync)
        case (.readingLast(let id), .read(let result)):
            guard case .success(.channel(let channel?)) = result, let last = channel.lastMessage,
                last.messageID == id
            else { return commitDeletion(of: id, nil) }
            hasLostPreview = true
            state = .readingPreview(id, of: last)
            return .need(.read(.window(WindowQuery(before: last))))
        case (.readingPreview(let id, let last), .read(let result)):
            guard case .success(.window(let found)) = result else {
                return commitDeletion(of: id, nil)
            }
            return commitDeletion(
                of: id, ChannelMarks().preview(in: found.messages, before: last))
        case (.committing, .committed(let result)):
            sync.endRewinding(rewinds.map(\.key))
            guard case .success(let commit) = result else { return fail(&sync) }
            self.commit = commit
            sync.note(commit, of: event, from: origin)
            sync.follow(rewinds, in: event.channelURL)
            judgeUpdatedChannels(&sync)
            return readChannels(&sync)
        case (.readingChannel(let url), .read(.success(.channel(let channel)))):
            judge(channel, url, &sync)
            return readChannels(&sync)
        default: return fail(&sync)
        }
    }

    private mutating func commit(
        _ mutations: [Mutation], thenRead channels: [ChannelURL] = []
    ) -> Step {
        self.channels = channels
        state = .committing
        return .need(.commit(mutations, origin))
    }

    /// Judges the channels that the commit has changed; the others are left to be read.
    ///
    /// A frame may name thousands of channels, so each is looked up in a table.
    private mutating func judgeUpdatedChannels(_ sync: inout SyncState) {
        let updated = (commit?.updatedChannels ?? []).map { ($0.url, $0) }
        let known = Dictionary(updated) { first, _ in first }
        var unread: [ChannelURL] = []
        for url in channels {
            if let channel = known[url] {
                judge(channel, url, &sync)
            } else {
                unread.append(url)
            }
        }
        channels = unread
    }

    private mutating func readChannels(_ sync: inout SyncState) -> Step {
        guard begunReads < channels.count else {
            return isDeleted ? end(&sync) : announce(&sync)
        }
        let next = channels[begunReads]
        begunReads += 1
        state = .readingChannel(next)
        return .need(.read(.channel(next)))
    }

    private func fail(_ sync: inout SyncState) -> Step {
        if !isOffline {
            if let channel = event.channelURL {
                sync.session?.loseEnd(of: channel)
                sync.repairLater(channel)
            }
            sync.repairLater(nil)
        }
        return end(&sync)
    }

    private func end(_ sync: inout SyncState) -> Step {
        switch event {
        // The server has the message, even if this disk fails.
        case .message(let event): sync.noteDelivery(event.message)
        case .edited(let event):
            if let requestID = event.acknowledges { sync.noteMade(requestID) }
        default: break
        }
        sync.answer(event)
        return .end(.done)
    }
}

// MARK: - The effects of an event

extension LiveEvent {
    private mutating func begin(_ sync: inout SyncState) -> Step {
        switch event {
        case .message(let event):
            guard event.message.hasPossibleTimes else { return fail(&sync) }
            isOffline = sync.session == nil
            return readCursors(sync.logsToRewind(for: event), &sync)
        case .edited(let event):
            guard event.message.hasPossibleTimes else { return fail(&sync) }
            let channel = event.message.channelURL
            // Each reaction has a frame of its own. An answer may have overtaken this frame, with
            // reactions that came after the edit.
            let message = event.message.withoutReactions
            sync.ledgers[channel]?.note(editOf: message)
            sync.recentChanges.replace(editOf: message)
            return commit([.edited(message)] + sync.record(.edited(message), in: channel))
        case .deleted(let event):
            let channel = event.channelURL
            sync.noteDeletion(of: event.messageID, in: channel)
            sync.channelLedger.note(.deleted([event.messageID]), in: channel)
            state = .readingLast(event.messageID)
            return .need(.read(.channel(channel)))
        case .read(let event): return applyMark(event, &sync)
        case .delivered(let channel, let moments):
            return commit(sync.record(.deliveredTo(moments), in: channel))
        case .memberCounts(let counts, _):
            let mutations = counts.flatMap {
                sync.recordUnsure(
                    .memberCounts(all: $0.memberCount, joined: $0.joinedMemberCount),
                    of: $0.channelURL)
            }
            return commit(mutations, thenRead: counts.map(\.channelURL))
        case .channel(let event): return applyChannelEvent(event, &sync)
        case .reaction(let event):
            guard let mutation = sync.recordReaction(event, from: origin) else { return end(&sync) }
            return commit([mutation])
        case .thread(let event):
            sync.ledgers[event.channelURL]?.note(.thread(event.threadInfo), to: event.parentID)
            return commit([.replied(event.channelURL, event.parentID, event.threadInfo)])
        case .poll(let event):
            // Without the message's ID only the change log reports the change of the poll.
            guard let id = event.messageID else { return end(&sync) }
            sync.ledgers[event.channelURL]?.note(.poll(event.change), to: id)
            return commit([.polled(event.channelURL, id, event.change)])
        case .user, .error, .expired, .login, .pong, .busy, .room, .inOpenChannel, .unknown:
            return announce(&sync)
        }
    }

    private mutating func commitDeletion(of id: MessageID, _ preview: Message?) -> Step {
        guard let channel = event.channelURL else { return .fail(.outOfStep) }
        // The device knows the message before only as far as its cache goes; the server is asked,
        // too. Meanwhile the channel keeps its place in lists.
        return commit(
            [
                .deleted(channel, [id]),
                .channelNews(channel, .deleted([id], preview: preview)),
            ], thenRead: [channel])
    }

    private mutating func applyMark(_ event: ReadEvent, _ sync: inout SyncState) -> Step {
        let channel = event.channelURL
        // Only the user's own devices get it; the server alone knows the new count of unread
        // messages.
        if event.isExcluded {
            sync.marks.unreadMarks.insert(channel)
            sync.lookUp(channel)
            return end(&sync)
        }
        var mutations = sync.record(.readBy([event.user.id: event.timestamp]), in: channel)
        if event.user.id == sync.me {
            mutations += sync.record(.read(event.timestamp), in: channel)
        }
        return commit(mutations)
    }

    private mutating func applyChannelEvent(
        _ event: ChannelEvent, _ sync: inout SyncState
    ) -> Step {
        let url = event.channelURL
        sync.note(event.unread)
        switch event.meaning(for: sync.me) {
        case .nothing: return announce(&sync)
        case .typing(let user, let isTyping):
            sync.noteTyping(of: user, isTyping, in: url)
            return end(&sync)
        case .departure:
            // All of the channel is removed (scar 58).
            sync.noteDeparture(from: url, isLeaving: event.category != .deleted)
            return commit([.removeChannel(url)])
        case .news(let news): return commit(sync.recordUnsure(news, of: url), thenRead: [url])
        case .unknown:
            if case .left(let user, _) = event.content {
                sync.noteTyping(of: user, false, in: url)
            }
            sync.noteMute(event)
            sync.channelLedger.note(changeOf: url)
            if let announcement = event.announcement {
                sync.emit(announcement, afterLookUpOf: url)
            } else {
                sync.lookUp(url)
            }
            return end(&sync)
        }
    }

    // MARK: Messages

    private mutating func readCursors(_ keys: [CursorKey], _ sync: inout SyncState) -> Step {
        guard let key = keys.first else { return applyMessage(&sync) }
        state = .readingCursor(key, rest: Array(keys.dropFirst()))
        return .need(.read(.cursor(key)))
    }

    private mutating func takeCursor(
        _ cursor: Cursor?, of key: CursorKey, _ rest: [CursorKey], _ sync: inout SyncState
    ) -> Step {
        guard let cursor else { return readCursors(rest, &sync) }
        if let moment = sync.logPlace(at: cursor, of: key).moment {
            setBack(key, before: moment)
            return readCursors(rest, &sync)
        }
        guard case .messageChanges(let channel) = key else {
            // Channels are few: their log is read from its beginning.
            setBack(key, before: .beginning)
            return readCursors(rest, &sync)
        }
        // Every change of a cached message is later than the oldest cached message.
        state = .readingOldest(key, rest: rest)
        return .need(.read(.oldestMessage(channel)))
    }

    private mutating func setBack(_ key: CursorKey, before moment: Timestamp) {
        guard case .message(let event) = event else { return }
        // A later place would skip changes that were never read.
        let start = max(min(moment, event.message.createdAt), .beginning)
        rewinds.append(Rewind(key: key, start: .moment(start)))
    }

    private mutating func applyMessage(_ sync: inout SyncState) -> Step {
        guard case .message(let event) = event else { return .fail(.outOfStep) }
        let channel = event.message.channelURL
        guard sync.session != nil || isOffline else { return end(&sync) }
        if let position = event.message.position {
            sync.session?.holeSizes.drop(channel, around: position)
        }
        guard let (message, amendments) = sync.upToDate(event.message, since: beginning) else {
            // The message is deleted, but it has brought a hidden channel back all the same.
            isDeleted = true
            channels = isOffline ? [] : [channel]
            return readChannels(&sync)
        }
        var mutations: [Mutation] = [
            .liveMessage(message, predecessor: isOffline ? nil : event.previousMessageID)
        ]
        mutations += amendments
        if let session = sync.session, !isOffline {
            let isMine = message.sender?.user.id == sync.me
            let reception = sync.reception(of: message, event, session.login)
            mutations += sync.record(.received(message, reception), in: channel)
            // A sender has read all earlier messages (`docs/protocol` 3.11).
            if isMine { mutations += sync.record(.read(message.createdAt), in: channel) }
            mutations += sync.firstCursor(of: channel, before: message, since: session.loginAt)
        } else {
            mutations += sync.firstCursor(of: channel, before: message, since: sync.firstLoginAt)
        }
        mutations += rewinds.map { .cursor($0.key, $0.start) }
        sync.beginRewinding(rewinds.map(\.key))
        return commit(mutations, thenRead: isOffline ? [] : [channel])
    }
}

// MARK: - The consequences

extension LiveEvent {
    /// Requests a look-up if the cache cannot know the effect of the event.
    private mutating func judge(
        _ channel: GroupChannel?, _ url: ChannelURL, _ sync: inout SyncState
    ) {
        switch event {
        case .message:
            countsReceipts = channel?.countsReceipts ?? true
            // A message without a preview may bring its channel back all the same.
            if channel == nil || channel?.hiddenState == .untilNextMessage { sync.lookUp(url) }
        case .deleted:
            // The deleted message may have counted as unread. A page may have brought it as the last
            // one after the channel was read.
            guard let channel else { return }
            if hasLostPreview || channel.lastMessage == nil || channel.unreadMessageCount > 0 {
                sync.lookUp(url)
            }
        default: if channel == nil { sync.lookUp(url) }
        }
    }

    private func announce(_ sync: inout SyncState) -> Step {
        switch event {
        case .message(let event):
            if !isOffline { sync.announce(event, countsReceipts: countsReceipts) }
        case .edited(let event):
            // Only the server knows whether the edit mentioned the user while the message was
            // unread.
            if let before = event.oldMention,
                before.calls(sync.me) != event.message.mention.calls(sync.me)
            {
                sync.lookUp(event.message.channelURL)
            }
            if event.acknowledges == nil {
                sync.noteFrame(at: event.message.updatedAt)
                sync.emit(.messageUpdated(event.message))
            }
        case .deleted(let event):
            // The server sends the deletion to the deleting device too.
            if origin == .event {
                sync.noteFrame(at: event.timestamp)
                sync.emit(.messageDeleted(event.messageID, event.channelURL))
            }
        case .read(let event):
            // The server alone counts the messages behind the mark.
            if event.user.id == sync.me,
                commit?.updatedChannels.contains(where: { $0.unreadMessageCount > 0 }) == true
            {
                sync.lookUp(event.channelURL)
            }
            sync.emit(.read(event.user, through: event.timestamp, event.channelURL))
        case .delivered(let channel, let moments): sync.emit(.delivered(moments, channel))
        case .memberCounts(let counts, _):
            for count in counts { sync.emit(.memberCountsChanged(count.channelURL)) }
        case .channel(let event):
            if let announcement = event.announcement { sync.emit(announcement) }
        case .user(let category, let data): sync.emitBlock(category, data)
        case .reaction(let event) where origin == .event:
            sync.noteFrame(at: event.change.updatedAt)
            sync.emit(.reactionChanged(event.change, event.messageID, event.channelURL))
        case .thread(let event):
            sync.emit(.threadChanged(event.threadInfo, event.parentID, event.channelURL))
        case .error(let error, acknowledges: let requestID?):
            let error = RoostError(error)
            sync.noteRefusal(of: requestID, error)
            if error.code.endsSessionKey { sync.renewSession() }
        case .expired: sync.renewSession()
        case .poll(let event): if origin == .event { sync.emit(event) }
        case .reaction, .login, .pong, .error, .busy, .room, .inOpenChannel, .unknown: break
        }
        return end(&sync)
    }
}
