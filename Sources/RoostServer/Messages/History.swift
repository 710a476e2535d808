// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The questions about channels' logs.
///
/// All answers show the same: the live messages behind the viewer's offset.
struct History: ServerPart {
    let context: ServerContext
    let views: ChannelViews
    let polls: Polls
    let rates: RequestRates

    /// Returns a page of messages around an anchor.
    func list(
        _ call: ListMessages, _ standing: Standing
    ) async throws(ServerError) -> MessagePage {
        let (url, sight, caller) = (call.channelURL, standing.sight, standing.caller)
        let offset = sight.beginning
        let anchor = try await anchorRange(call, sight)
        let before = PositionRange(before: anchor.start).hiding(through: offset)
        let after = PositionRange(after: anchor.end).hiding(through: offset)
        var messages = Array(
            try await find(
                in: url, before, call.filter, newestFirst: true, limit: call.previousLimit,
                for: caller
            ).reversed())
        if call.includesAnchor, let inside = anchor.inside {
            messages += try await ask(
                try await storage.messages(
                    in: url, inside.hiding(through: offset), call.filter, newestFirst: false,
                    limit: .max))
        }
        let newer = try await find(
            in: url, after, call.filter, newestFirst: false, limit: call.nextLimit, for: caller)
        // The older side has no flag for more messages: a short side means the end of history. So
        // it is complete, and the newer side with its `has_next` takes the rest of the room.
        if call.checksHasNext, isHeavy(messages.count + newer.count) {
            let left = configuration.limits.answerBytes - messages.reduce(0) { $0 + $1.weight }
            messages += newer.prefix(within: left, \.weight)
        } else {
            messages += newer
        }
        var page = MessagePage(messages: messages)
        if call.checksHasNext {
            // A probe behind the last message: a full page is no evidence (scar 28).
            let end = messages.last?.position ?? anchor.end
            let probe = PositionRange(after: end).hiding(through: offset)
            let found = try await search(
                in: url, probe, call.filter, newestFirst: false, limit: 1, for: caller)
            // A probe that has ended early leaves the end open, and the page is found all the same.
            page.hasNext = !found.messages.isEmpty || !found.isWhole
        }
        if call.checksContinuity {
            page.isContinuous = try await isContinuous(messages, call.filter, in: url, offset)
        }
        if let parentID = call.filter.parentID,
            let parent = try await ask(try await storage.message(parentID, in: url)),
            sight.shows(parent.createdAt)
        {
            page.messages.insert(parent, at: 0)
        }
        if call.isReversed { page.messages.reverse() }
        return page
    }

    /// Reads a log, and counts long reading among the caller's requests, also if the caller has gone
    /// meanwhile.
    private func charge<Read: LogRead>(
        _ caller: APICaller, for read: @autoclosure () async throws(StorageError) -> Read
    ) async throws(ServerError) -> Read {
        do throws(StorageError) {
            let result = try await read()
            rates.note(user: caller.userID, count: result.stretches)
            return result
        } catch {
            rates.note(user: caller.userID, count: error.stretches)
            throw refusal(error)
        }
    }

    /// Searches a range for the first messages that match a filter.
    private func search(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int, for caller: APICaller
    ) async throws(ServerError) -> FoundMessages {
        try await charge(
            caller,
            for: try await storage.findMessages(
                in: url, range, filter, newestFirst: newestFirst, limit: limit))
    }

    /// Returns the first messages of a range that match a filter; refuses a search that ends early.
    private func find(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int, for caller: APICaller
    ) async throws(ServerError) -> [Message] {
        let found = try await search(
            in: url, range, filter, newestFirst: newestFirst, limit: limit, for: caller)
        // A short page would mean the end of the history.
        guard found.isWhole else {
            throw ServerError(
                .invalidValue,
                "The filter leaves out too many messages for one call; ask for all messages.")
        }
        return found.messages
    }

    /// Whether a number of messages may be too large for an answer.
    private func isHeavy(_ count: Int) -> Bool {
        count * ServerLimits.messageBytes > configuration.limits.answerBytes
    }

    /// Returns the start and the end of a page's anchor, and the range between them.
    private func anchorRange(
        _ call: ListMessages, _ sight: Sight
    ) async throws(ServerError) -> (start: Position, end: Position, inside: PositionRange?) {
        switch call.anchor {
        case .time(let moment):
            let inside = PositionRange(from: moment, through: moment)
            return (inside.after, inside.before, inside)
        case .message(let id):
            guard
                let place = try await ask(
                    try await storage.position(of: id, in: call.channelURL)),
                sight.shows(place.createdAt)
            else { throw ServerError(.messageNotFound, "There is no such message.") }
            let inside = PositionRange(
                after: Position(
                    createdAt: place.createdAt, messageID: id.previous),
                before: Position(
                    createdAt: place.createdAt, messageID: id.next))
            return (place, place, inside)
        }
    }

    /// Whether the log has no other message between the first and the last of these messages, which
    /// a filter has selected.
    private func isContinuous(
        _ messages: [Message], _ filter: MessageFilter, in url: ChannelURL, _ offset: Timestamp?
    ) async throws(ServerError) -> Bool {
        guard let first = messages.first?.position, let last = messages.last?.position else {
            return true
        }
        // By position: a page may end between two messages of one time.
        let range = PositionRange(
            after: Position(
                createdAt: first.createdAt, messageID: first.messageID.previous),
            before: Position(
                createdAt: last.createdAt, messageID: last.messageID.next)
        ).hiding(through: offset)
        let count = try await ask(
            try await storage.messageCount(
                in: url, range, MessageFilter(replyType: .all), atMost: messages.count))
        guard count == messages.count else { return false }
        guard filter.readsManyRows else { return true }
        // The page has no lane. The count also fits if a message of the page was deleted meanwhile
        // and the filter has left one out.
        var ids = messages.compactMap(\.messageID)[...]
        var isSame = true
        try await walk(url, range, atMost: count + 1) { message in
            isSame = message.messageID == ids.popFirst() && isSame
        }
        return isSame && ids.isEmpty
    }

    /// Answers with the number of messages that the actor sees.
    func count(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let offset = call.standing.sight.beginning
        let total = try await charge(
            call.caller,
            for: try await storage.countMessages(
                in: call.channelURL, PositionRange().hiding(through: offset),
                MessageFilter(replyType: .all), atMost: .max))
        return APIResponse { writer in CountMessages.write(total.count, &writer) }
    }

    /// Returns a page of a channel's change log.
    func changes(
        _ call: MessageChangeLog, _ sight: Sight
    ) async throws(ServerError) -> MessageChanges {
        let point = try call.point
        let page = try await ask(
            try await storage.messageChanges(
                in: call.channelURL, after: point, limit: ChangeToken.pageLimit))
        let visible = try await views.visible(page.deletedIDs, in: call.channelURL, sight)
        return try MessageChanges(page, call, sight, visible: visible)
    }

    /// Returns the messages that a view lacks (`docs/protocol` 3.9).
    ///
    /// A side that lacks messages is answered as a whole, edges included, and never in pages. One
    /// kind of client replaces its messages by the answer; another would request further pages
    /// without end.
    func gap(
        _ call: MessageGap, _ standing: Standing
    ) async throws(ServerError) -> MessageGapAnswer {
        let (offset, caller) = (standing.sight.beginning, standing.caller)
        let previous = try await missing(call.previous, call, offset, caller)
        let next = try await missing(call.next, call, offset, caller)
        let empty = MessageGapAnswer.Part(isContinuous: false)
        let huge = MessageGapAnswer(isHuge: true, previous: empty, next: empty)
        guard previous + next <= MessageGapAnswer.hugeThreshold else { return huge }
        // A side is answered as a whole or not at all, so a side beyond one answer is a huge gap
        // too.
        var budget = AnswerBudget(configuration.limits.answerBytes)
        guard let older = try await part(call.previous, previous, call, standing, &budget),
            let newer = try await part(call.next, next, call, standing, &budget)
        else { return huge }
        return MessageGapAnswer(isHuge: false, previous: older, next: newer)
    }

    /// The messages of a gap or of a fingerprint that are in memory at a time.
    static let gapSlice = 100

    /// The messages of one side in an answer; a view has fewer.
    private static let gapLimit = 5_000

    /// The most messages of a view's side; a count behind more of them ends early.
    private static let viewLimit = 20_000

    private func missing(
        _ side: MessageGap.Side?, _ call: MessageGap, _ offset: Timestamp?, _ caller: APICaller
    ) async throws(ServerError) -> Int {
        guard let side else { return 0 }
        let range = PositionRange(from: side.start, through: side.end).hiding(through: offset)
        // The channel's lane may wait for the count, so it ends where the gap is huge in any case.
        let cached = min(max(side.cachedCount, 0), Self.viewLimit)
        let limit = cached + MessageGapAnswer.hugeThreshold
        let counted = try await charge(
            caller,
            for: try await storage.countMessages(
                in: call.channelURL, range, call.filter, atMost: limit))
        return max(0, counted.count - (counted.count > limit ? cached : side.cachedCount))
    }

    /// Returns all messages of a side that lacks some; nil if the answer has no room for them.
    private func part(
        _ side: MessageGap.Side?, _ missing: Int, _ call: MessageGap, _ standing: Standing,
        _ budget: inout AnswerBudget
    ) async throws(ServerError) -> MessageGapAnswer.Part? {
        guard let side, missing > 0 else { return MessageGapAnswer.Part() }
        let offset = standing.sight.beginning
        var range = PositionRange(from: side.start, through: side.end).hiding(through: offset)
        var messages: [Message] = []
        while true {
            try stopIfCancelled()
            let stretch = range
            let slice = try await find(
                in: call.channelURL, stretch, call.filter, newestFirst: call.isReversed,
                limit: Self.gapSlice, for: standing.caller)
            for message in slice where !budget.take(message.weight) { return nil }
            messages += slice
            guard messages.count <= Self.gapLimit else { return nil }
            guard slice.count == Self.gapSlice, let last = slice.last?.position else { break }
            if call.isReversed { range.before = last } else { range.after = last }
        }
        let ascending = call.isReversed ? messages.reversed() : messages
        return MessageGapAnswer.Part(
            messages: messages,
            isContinuous: try await isContinuous(
                ascending, call.filter, in: call.channelURL, offset))
    }

    // MARK: Views

    /// Returns the time of a channel's newest message; nil without messages.
    ///
    /// Every later message has a later time.
    func endOfLog(of url: ChannelURL) async throws(ServerError) -> Timestamp? {
        let filter = MessageFilter(replyType: .all)
        return try await ask(
            try await storage.messages(
                in: url, PositionRange(), filter, newestFirst: true, limit: 1)
        ).first?.createdAt
    }

    /// Returns the messages as the actor sees them.
    ///
    /// Hidden messages are left out, also as previews in other messages. Polls have their present state and the caller's own votes.
    func seen(
        _ messages: [Message], _ standing: Standing
    ) async throws(ServerError) -> [Message] {
        let messages =
            standing.sight == .whole ? messages : messages.compactMap(standing.sight.shown)
        return try await polls.showing(votesOf: standing.caller.userID, in: messages)
    }

    /// Returns a message as the actor sees it.
    func seen(_ message: Message, _ standing: Standing) async throws(ServerError) -> Message {
        guard let seen = try await seen([message], standing).first else {
            throw ServerError(.messageNotFound, "There is no such message.")
        }
        return seen
    }
}

/// The tokens of change logs; each is valid more than once, and for ever in its era.
package enum ChangeToken {
    /// The changes in one answer of a change log.
    package static let pageLimit = 100

    /// Returns the token of a place in a change log.
    ///
    /// - Parameters:
    ///   - sequence: The number of the place.
    ///   - kind: The letter of the log.
    ///   - era: The time in which the number names one change; empty without eras.
    /// - Returns: The token.
    package static func text(_ sequence: Int64, kind: Character, era: String = "") -> String {
        era.isEmpty ? "\(kind)\(sequence)" : "\(kind)\(sequence)-\(era)"
    }

    /// Returns the place of a token, and its era; empty without one.
    ///
    /// - Throws: `.invalidValue` for a text that is no token of this kind.
    package static func place(
        _ text: String, kind: Character
    ) throws(ServerError) -> (sequence: Int64, era: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let era = parts.count == 2 ? String(parts[1]) : ""
        return (try sequence(String(parts[0]), kind: kind), era)
    }

    /// Returns the place of a token without an era.
    ///
    /// - Throws: `.invalidValue` for a text that is no token of this kind.
    package static func sequence(_ text: String, kind: Character) throws(ServerError) -> Int64 {
        guard text.first == kind, let sequence = Int64(text.dropFirst()), sequence >= 0 else {
            throw foreign
        }
        return sequence
    }

    static let foreign = ServerError(
        .invalidValue, "The token is not from this server; start from a time.")
}

extension MessageGapAnswer {
    /// The most missing messages, both sides of a view together, that are not a huge gap
    /// (`docs/protocol` 3.9).
    package static let hugeThreshold = 300
}

extension MessageChangeLog {
    /// The place in the change log at which the answer begins.
    package var point: ChangePoint {
        get throws(ServerError) {
            switch cursor {
            case .token(let token): .sequence(try ChangeToken.place(token, kind: "m").sequence)
            case .since(let moment): .time(moment)
            }
        }
    }

    /// Whether the answer may begin at the cursor, if the numbers of changes are those of an era.
    ///
    /// In another era the number of a token may be that of another change: those up to it could be
    /// unknown to the client, and would be left out for ever.
    fileprivate func isPlace(in era: String) throws(ServerError) -> Bool {
        guard case .token(let token) = cursor else { return true }
        return try ChangeToken.place(token, kind: "m").era == era
    }
}

extension MessageChangePage {
    package var deletedIDs: [MessageID] {
        changes.compactMap { if case .deleted(let id, _) = $0 { id } else { nil } }
    }
}

extension MessageChanges {
    /// Makes the answer of a page of the change log.
    ///
    /// `visible` are the deleted messages of the page that the viewer saw.
    ///
    /// - Throws: `.invalidValue` for the page of a token that this server has not given.
    package init(
        _ page: MessageChangePage, _ call: MessageChangeLog, _ sight: Sight, visible: [MessageID]
    ) throws(ServerError) {
        // The changes up to its number would be left out for ever.
        guard !page.isAhead, try call.isPlace(in: page.era) else { throw ChangeToken.foreign }
        self.init(
            updated: [], deleted: [], hasMore: page.hasMore,
            next: ChangeToken.text(page.end, kind: "m", era: page.era))
        let visible = Set(visible)
        for change in page.changes {
            switch change {
            case .deleted(let id, let moment):
                if visible.contains(id) { deleted.append(Deletion(id: id, at: moment)) }
            case .current(let message):
                if sight.shows(message.createdAt), call.filter.matches(message) {
                    updated.append(message)
                }
            }
        }
    }
}
