// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer

// A cache is truthful: its messages and its coverage agree with the server's log, and no cursor is
// ahead of the data.

/// The invariants of one device's cache.
struct CacheInvariants {
    /// The device, in the sentences of violations.
    let device: String
    /// Whether the server's clock has gone back: a later change may have an earlier time then.
    let hasClockGoneBack: Bool

    /// Checks the changes of one commit against the log.
    ///
    /// `held` is the channel's history after the commit; nil if there is none. `needsReread` says
    /// that the coverage of filters is unknown.
    func checkTruth(
        of change: MessagesChange, _ held: (some HeldHistory)?, needsReread: Bool = false,
        _ log: ServerLog
    ) throws(Violation) {
        for message in change.inserted { try checkKept(message, held, needsReread, log) }
        for update in change.updated {
            try checkKept(update.after, held, needsReread, log)
            try checkProgress(update, log)
            try checkFollowed(update, held, log)
        }
        for message in change.deleted {
            // A message from before the user's own beginning does not exist for the user: the
            // server answers so.
            guard let place = message.position, let entry = log.visible.entry(at: place) else {
                continue
            }
            try expect(
                entry.deletedAt != nil || change.coverageAfter.range(containing: place) == nil,
                "\(device) dropped \(place) of \(change.channel), which is in the log")
        }
        for range in change.coverageAfter.ranges
        where !change.coverageBefore.ranges.contains(range) {
            // The earlier coverage was checked earlier.
            let old = change.coverageBefore.range(containing: range.lower)
            let start = old.map { $0.upper.next } ?? range.lower
            try checkComplete(from: start, through: range.upper, held, log)
        }
    }

    private func checkKept(
        _ message: Message, _ held: (some HeldHistory)?, _ needsReread: Bool, _ log: ServerLog
    ) throws(Violation) {
        guard let glimpse = Glimpse(message) else { return }
        try checkKnown(glimpse, log)
        try expect(
            needsReread || held?.covers(glimpse) ?? false,
            "\(device) holds \(glimpse) of \(log.channel) outside its coverage")
    }

    /// Checks that the cache has every message of the server in a covered stretch.
    func checkComplete(
        from lower: Position, through upper: Position, _ held: (some HeldHistory)?,
        _ log: ServerLog, under filter: MessageFilter = .everything
    ) throws(Violation) {
        var index = log.visible.firstIndex(atOrAfter: lower)
        while index < log.visible.endIndex, let place = log.visible[index].message.position,
            place <= upper
        {
            let entry = log.visible[index]
            // Whether an edit made it match the filter is not known on this device at once.
            let isMeant =
                filter == .everything
                || (filter.matches(entry.message) && entry.message.updatedAt == nil)
            try expect(
                entry.deletedAt != nil || !isMeant || held?.glimpse(of: place.messageID) != nil,
                "\(device) covers \(log.channel) from \(lower) through \(upper) without \(place)"
                    + (filter == .everything ? "" : " under \(filter)"))
            index += 1
        }
    }

    /// Checks that the server has had a message, and no older state than the cache's.
    private func checkKnown(_ glimpse: Glimpse, _ log: ServerLog) throws(Violation) {
        guard let entry = log.entries.entry(at: glimpse.place) else {
            throw Violation(sentence: "\(device) holds \(glimpse), which \(log.channel) never had")
        }
        guard entry.deletedAt == nil else { return }
        let now = entry.message.updatedAt ?? .distantPast
        let then = glimpse.updatedAt ?? .distantPast
        try expect(
            then < now || (then == now && glimpse.text == entry.message.text),
            "\(device) holds \(glimpse), the server “\(entry.message.text)” of \(now)")
    }

    // MARK: A newer state stays

    /// Checks that an update takes nothing from a cached message that the server's message still
    /// has: no edit, no reaction and no count of replies.
    private func checkProgress(_ update: Update<Message>, _ log: ServerLog) throws(Violation) {
        let (before, after) = (update.before, update.after)
        guard let place = after.position else { return }
        try expect(
            after.updatedAt ?? .distantPast >= before.updatedAt ?? .distantPast,
            "\(device) replaced \(place) of \(log.channel), “\(before.text)”, by the older "
                + "“\(after.text)”")
        guard let entry = log.entries.entry(at: place) else { return }
        for reaction in entry.message.details.reactions ?? []
        where !hasClockGoneBack
            && (before.details.reactions?.contains(reaction) ?? false)
        {
            try expect(
                after.details.reactions?.contains(reaction) ?? false,
                "\(device) lost the reaction \(reaction.key) to \(place) of \(log.channel), which "
                    + "the log has")
        }
        if let thread = entry.message.details.threadInfo, before.details.threadInfo == thread {
            try expect(
                after.details.threadInfo == thread,
                "\(device) lost \(thread.replyCount) replies to \(place) of \(log.channel), which "
                    + "the log has")
        }
    }

    /// Checks that the cached replies to an edited message show the edit.
    private func checkFollowed(
        _ update: Update<Message>, _ held: (some HeldHistory)?, _ log: ServerLog
    ) throws(Violation) {
        let preview = update.after.preview
        guard let parent = update.after.messageID, let held, preview != update.before.preview
        else { return }
        for reply in held.glimpses(from: .distantPast, through: .distantFuture)
        where reply.message.parentID == parent {
            guard let shown = reply.message.details.parentPreview else { continue }
            try expect(
                shown.updatedAt ?? .distantPast >= preview.updatedAt ?? .distantPast,
                "\(device) holds \(reply) of \(log.channel) as an answer to \(shown.content), "
                    + "but the message itself as \(preview.content)")
        }
    }

    // MARK: Rest

    /// Checks that every cached message of a channel that was caught up is as in the log.
    func checkRest(_ held: some HeldHistory, _ log: ServerLog) throws(Violation) {
        for entry in log.visible {
            guard let place = entry.message.position,
                let glimpse = held.glimpse(of: place.messageID)
            else { continue }
            try expect(
                entry.deletedAt == nil,
                "\(device), at rest, holds \(glimpse) of \(log.channel), which is deleted")
            try expect(
                glimpse == Glimpse(entry.message),
                "\(device), at rest, holds \(glimpse) of \(log.channel), the log has "
                    + "\(Glimpse(entry.message)?.description ?? "")")
        }
        let messages = held.glimpses(from: .distantPast, through: .distantFuture).map(\.message)
        try CollectionInvariants(place: "\(device)'s cache of \(log.channel), at rest,")
            .checkReplies(messages, log)
    }

    /// Checks that after a comparison the cached messages exist and have the texts of the log.
    ///
    /// Fingerprints contain no reactions and no counts of replies.
    func checkCompared(_ held: some HeldHistory, _ log: ServerLog) throws(Violation) {
        for entry in log.visible {
            guard let place = entry.message.position,
                let glimpse = held.glimpse(of: place.messageID),
                // Messages of filtered views alone are not compared: their change log corrects them.
                held.coverage.range(containing: place) != nil
            else { continue }
            try expect(
                entry.deletedAt == nil && glimpse.text == entry.message.text
                    && glimpse.updatedAt == entry.message.updatedAt,
                "\(device) has compared \(log.channel) and holds \(glimpse), the log has "
                    + (entry.deletedAt == nil ? "“\(entry.message.text)”" : "deleted it"))
        }
    }

    /// Checks that the cached channels are those of the server, each in the server's state.
    ///
    /// All of the user's channels are on disk if `isFilled`.
    func checkRest(
        _ held: [ChannelURL: GroupChannel], isFilled: Bool, _ expected: [GroupChannel]
    ) throws(Violation) {
        for theirs in expected {
            guard let ours = held[theirs.url] else {
                try expect(!isFilled, "\(device), at rest, has no \(theirs.url)")
                continue
            }
            try ChannelGlimpse(ours).check(
                against: ChannelGlimpse(theirs), in: "\(device)'s cache, at rest,")
        }
        let gone = Set(held.keys).subtracting(expected.map(\.url)).min()
        try expect(gone == nil, "\(device), at rest, holds \(gone?.rawValue ?? ""), which is left")
    }

    /// Checks that the cached channels say whether their user is muted, as the server does.
    ///
    /// No event and no change log reports the end of a mute: after a relaunch it is known of the
    /// channels whose messages are shown.
    func checkMutes(
        of user: UserID, _ held: [ChannelURL: GroupChannel], shown: Set<ChannelURL>,
        _ expected: [GroupChannel], at now: Timestamp
    ) throws(Violation) {
        for theirs in expected {
            guard let ours = held[theirs.url], ours.isMuted != theirs.isMuted else { continue }
            let end = ours.members.first { $0.id == user }?.mutedUntil
            // The client asks about the end a second after it.
            try expect(
                ours.isMuted
                    && end.map { !shown.contains(ours.url) || now < $0 + .seconds(5) } ?? false,
                "\(device), at rest, has its user in \(ours.url) as "
                    + "\(ours.isMuted ? "muted" : "not muted"), unlike the server")
        }
    }

    /// Checks the sum of the unread messages of all channels.
    func checkUnread(_ total: Int, _ expected: Int) throws(Violation) {
        try expect(
            total == expected,
            "\(device), at rest, counts \(total) unread messages, the server \(expected)")
    }

    /// Checks the counts of the messages that the cache lacks.
    func checkSizes(_ sizes: [Hole: HoleSize], _ log: ServerLog) throws(Violation) {
        for (gap, size) in sizes {
            let count = log.living.count { message in
                message.position.map { gap.lower <= $0 && $0 <= gap.upper } ?? false
            }
            let isTrue =
                switch size {
                case .exactly(let number): count == number
                case .atLeast(let number): count >= number
                case .atMost(let number): count <= number
                case .unknown: true
                }
            try expect(
                isTrue,
                "\(device), at rest, has counted \(size) messages in \(gap) of \(log.channel), "
                    + "the log has \(count)")
        }
    }

    // MARK: No cursor is ahead of its data

    /// Checks that the cache has the changes before the cursor of a channel's messages.
    func checkCursor(
        _ cursor: Cursor, _ held: some HeldHistory, _ log: ServerLog
    ) throws(Violation) {
        for entry in log.visible where cursor.covers(entry.change) {
            guard let place = entry.message.position,
                let glimpse = held.glimpse(of: place.messageID)
            else { continue }
            try expect(
                entry.deletedAt == nil,
                "\(device) holds \(glimpse) of \(log.channel), deleted before its cursor \(cursor)")
            try expect(
                glimpse == Glimpse(entry.message),
                "\(device) holds \(glimpse) of \(log.channel), but its cursor \(cursor) is past "
                    + "“\(entry.message.text)”")
        }
    }

    /// Checks that the cache has the changes before the cursor of the user's channels.
    ///
    /// The device reads the log from the moment `began`; an earlier change belongs to the pages of
    /// the list, of which all are on disk if `isFilled`.
    func checkCursor(
        _ cursor: Cursor, of listing: ChannelListing, _ held: GroupChannel?, began: Timestamp?,
        isFilled: Bool
    ) throws(Violation) {
        guard cursor.covers((listing.changeSequence, listing.changedAt)) else { return }
        guard listing.state != .none else {
            return try expect(
                held == nil,
                "\(device) holds \(listing.record.url), left before its cursor \(cursor)")
        }
        if held == nil, !isFilled, began.map({ listing.changedAt <= $0 }) ?? true { return }
        try expect(
            held?.name == listing.record.name
                && held?.lastMessage?.createdAt == listing.lastMessageAt,
            "\(device) holds \(listing.record.url) as “\(held?.name ?? "nothing")” with "
                + "\(held?.lastMessage?.text ?? "nothing"), but its cursor \(cursor) is past "
                + "“\(listing.record.name)” with \(listing.lastMessageAt ?? .distantPast)")
    }
}

extension Collection<GroupChannel> {
    /// The unread messages that count in the user's total.
    var unreadTotal: Int {
        reduce(0) { total, channel in
            let isCounted = channel.hiddenState == .unhidden && channel.countPreference != .off
            return total + (isCounted ? channel.unreadMessageCount : 0)
        }
    }
}
