// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct LedgerTests {
    private static func message(_ id: Int64, text: String = "", editedAt: Int64? = nil) -> Message {
        Message(
            delivery: .delivered(MessageID(id), nil), channelURL: "c",
            createdAt: Timestamp(milliseconds: id),
            updatedAt: editedAt.map { Timestamp(milliseconds: $0) }, content: .user(text: text))
    }

    @Test func `an older page does not undo a deletion`() {
        var ledger = FetchLedger()
        ledger.begin()
        ledger.note(deletionOf: 2)
        #expect(ledger.upToDate([Self.message(1), Self.message(2)]) == [Self.message(1)])
        #expect(ledger.hasDeletions)
    }

    @Test func `a page requested before the user left is dropped (scar 58)`() {
        var ledger = FetchLedger()
        let before = ledger.begin()
        ledger.noteDeparture()
        let after = ledger.begin()
        #expect(ledger.since(before).hasDeparture)
        #expect(!ledger.since(after).hasDeparture, "who is back asks as anybody does")
        ledger.end()
        ledger.end()
        #expect(!ledger.since(ledger.begin()).hasDeparture)
    }

    @Test func `an older page does not undo an edit (scar 119)`() {
        var ledger = FetchLedger()
        ledger.begin()
        let edited = Self.message(1, text: "new", editedAt: 50)
        ledger.note(editOf: edited)
        #expect(ledger.upToDate([Self.message(1, text: "old")]) == [edited])
        let newer = Self.message(1, text: "newest", editedAt: 60)
        #expect(ledger.upToDate([newer]) == [newer])
        let translated = Self.message(1, text: "new and translated", editedAt: 50)
        ledger.note(editOf: translated)
        #expect(ledger.upToDate([edited]) == [translated])
    }

    @Test func `an older page does not undo a change of details, which has no time`() {
        var ledger = FetchLedger()
        ledger.begin()
        var reacted = Self.message(1)
        reacted.details.reactions = [
            Reaction(key: "ok", userIDs: ["a"], updatedAt: Timestamp(milliseconds: 9))
        ]
        ledger.note(editOf: reacted)
        #expect(ledger.upToDate([Self.message(1)]) == [reacted])
        let edited = Self.message(1, text: "new", editedAt: 50)
        #expect(ledger.upToDate([edited]) == [edited])
    }

    @Test func `two answers in flight add their reactions, for neither is known to be newer`() {
        func copy(_ keys: String...) -> Message {
            var copy = Self.message(1)
            copy.details.reactions = keys.map {
                Reaction(key: $0, userIDs: ["a"], updatedAt: Timestamp(milliseconds: 9))
            }
            return copy
        }
        var ledger = FetchLedger()
        let beginning = ledger.begin()
        ledger.note(answer: [copy("ok")], overtakenBy: FetchLedger())
        let news = ledger.since(beginning)
        let other = [copy("like")]
        #expect(news.upToDate(other) == other)
        let added = ReactionChange(
            key: "ok", userID: "a", isAdded: true, updatedAt: Timestamp(milliseconds: 9))
        #expect(news.amendments(to: other).map(\.1) == [.reaction(added)])
    }

    @Test func `a loss of the cache is known to the fetches that were in flight`() {
        var ledger = FetchLedger()
        let before = ledger.begin()
        ledger.noteLoss()
        let after = ledger.begin()
        #expect(ledger.since(before).hasLoss)
        #expect(!ledger.since(after).hasLoss)
        ledger.forget()
        #expect(!ledger.since(before).hasLoss)
    }

    @Test func `an older preview of a parent takes no edit from a reply (scar 116)`() {
        let (old, new) = (Self.message(1, text: "old"), Self.message(1, text: "new", editedAt: 50))
        var noted = Self.message(2)
        noted.parentID = 1
        noted.details.parentPreview = old.preview
        var paged = noted
        paged.details.parentPreview = new.preview
        var ledger = FetchLedger()
        ledger.begin()
        ledger.note(answer: [noted], overtakenBy: FetchLedger())
        #expect(ledger.upToDate([paged]).map(\.details.parentPreview) == [new.preview])
    }

    @Test func `a later reaction of a user outweighs the answer to an earlier one`() {
        func word(_ isAdded: Bool, _ user: UserID = "a", at moment: Int64) -> ReactionChange {
            ReactionChange(
                key: "like", userID: user, isAdded: isAdded,
                updatedAt: Timestamp(milliseconds: moment))
        }
        var ledger = FetchLedger()
        let beginning = ledger.begin()
        ledger.note(.reaction(word(false, at: 20)), to: 1)
        let news = ledger.since(beginning)
        #expect(news.overtakes(word(true, at: 10), of: 1))
        #expect(news.overtakes(word(false, at: 20), of: 1), "it is that very word")
        #expect(!news.overtakes(word(true, at: 30), of: 1))
        #expect(!news.overtakes(word(true, "b", at: 10), of: 1))
        #expect(!news.overtakes(word(true, at: 10), of: 2))
        #expect(!ledger.since(ledger.begin()).overtakes(word(true, at: 10), of: 1))
    }

    @Test func `a change of a parent reaches an older page of its replies (scar 116)`() {
        let (old, new) = (Self.message(1, text: "old"), Self.message(1, text: "new", editedAt: 50))
        var reply = Self.message(2)
        reply.parentID = 1
        reply.details.parentPreview = old.preview
        func preview(_ ledger: FetchLedger) -> ParentPreview? {
            ledger.upToDate([reply]).first?.details.parentPreview
        }
        var ledger = FetchLedger()
        ledger.begin()
        #expect(preview(ledger) == old.preview)
        ledger.replace(editOf: new)
        #expect(preview(ledger) == old.preview)
        ledger.note(editOf: old)
        ledger.replace(editOf: new)
        #expect(preview(ledger) == new.preview)
        // The page may be newer than the edit, and contain a later one.
        let newest = Self.message(1, text: "newest", editedAt: 60)
        reply.details.parentPreview = newest.preview
        #expect(preview(ledger) == newest.preview)
        ledger.note(deletionOf: 1)
        #expect(ledger.upToDate([reply]).map(\.details.parentPreview) == [nil])
    }

    @Test func `a reaction or reply that overtook a page is repeated after it (scar 119)`() {
        let reaction = MessageAmendment.reaction(
            ReactionChange(
                key: "k", userID: "bob", isAdded: true, updatedAt: Timestamp(milliseconds: 5)))
        let reply = MessageAmendment.thread(ThreadInfo(replyCount: 1))
        var ledger = FetchLedger()
        ledger.note(reply, to: 1)
        ledger.begin()
        ledger.note(reaction, to: 1)
        ledger.note(reply, to: 1)
        ledger.note(reply, to: 2)
        let amendments = ledger.amendments(to: [Self.message(3), Self.message(1)])
        #expect(amendments.map(\.0) == [1, 1])
        #expect(amendments.map(\.1) == [reaction, reply])
    }

    @Test func `an event from before a page's request is not repeated after it (scar 119)`() {
        var ledger = FetchLedger()
        ledger.begin()
        ledger.note(.thread(ThreadInfo(replyCount: 1)), to: 1)
        ledger.note(editOf: Self.message(2, text: "old", editedAt: 50))
        ledger.note(deletionOf: 3)
        let beginning = ledger.begin()
        ledger.note(.thread(ThreadInfo(replyCount: 2)), to: 4)
        let news = ledger.since(beginning)
        let page =
            [1, 3, 4].map { Self.message($0) } + [Self.message(2, text: "new", editedAt: 50)]
        #expect(news.amendments(to: page).map(\.0) == [4])
        #expect(news.upToDate(page) == page)
    }

    @Test func `an edit that overtook a page keeps fields that only the page has (scar 119)`() {
        var ledger = FetchLedger()
        ledger.begin()
        ledger.note(editOf: Self.message(1, text: "new", editedAt: 50))
        var paged = Self.message(1, text: "old")
        paged.details.reactions = [
            Reaction(key: "k", userIDs: ["bob"], updatedAt: Timestamp(milliseconds: 5))
        ]
        let known = ledger.upToDate([paged])[0]
        #expect(known.text == "new" && known.details.reactions == paged.details.reactions)
    }

    @Test func `an edit that makes a message match a page's filter adds it to the page`() {
        var ledger = FetchLedger()
        ledger.begin()
        var entered = Self.message(2, editedAt: 50)
        entered.customType = "note"
        ledger.note(editOf: entered)
        func place(_ id: Int64) -> Position {
            Position(createdAt: Timestamp(milliseconds: id), messageID: MessageID(id))
        }
        let filter = MessageFilter(customTypes: ["note"])
        let near = CoveredRange(lower: place(1), upper: place(3))
        let far = CoveredRange(lower: place(3), upper: place(4))
        #expect(ledger.upToDate([], under: filter, in: near) == [entered])
        #expect(ledger.upToDate([], under: filter, in: far) == [])
        #expect(ledger.upToDate([], under: MessageFilter(kind: .file), in: near) == [])
    }

    @Test func `an event before a fetch began, or after all have ended, is not recorded`() {
        var ledger = FetchLedger()
        ledger.note(deletionOf: 1)
        ledger.begin()
        ledger.begin()
        ledger.note(deletionOf: 2)
        ledger.end()
        #expect(ledger.upToDate([Self.message(1), Self.message(2)]) == [Self.message(1)])
        ledger.end()
        #expect(ledger.isIdle && !ledger.hasDeletions)
    }

    @Test func `an answer of a new connection is not changed by earlier records (scar 134)`() {
        let reaction = MessageAmendment.reaction(
            ReactionChange(
                key: "k", userID: "bob", isAdded: true, updatedAt: Timestamp(milliseconds: 5)))
        var ledger = FetchLedger()
        ledger.begin()
        ledger.note(reaction, to: 1)
        ledger.note(deletionOf: 2)
        ledger.forget()
        #expect(ledger.amendments(to: [Self.message(1)]).isEmpty)
        #expect(ledger.upToDate([Self.message(2)]) == [Self.message(2)])
        ledger.note(reaction, to: 1)
        #expect(ledger.amendments(to: [Self.message(1)]).count == 1)
        ledger.end()
        #expect(ledger.isIdle)
    }

    private static func channel(
        _ url: ChannelURL, last: Message? = nil, unread: Int = 0
    ) -> GroupChannel {
        GroupChannel(url: url, unreadMessageCount: unread, lastMessage: last)
    }

    @Test func `an answer overtaken by events gets their changes (scars 55, 112)`() {
        var ledger = ChannelLedger()
        let mark = ledger.begin()
        let news = ChannelNews.received(Self.message(5), .init(isUnread: true))
        ledger.note(news, in: "b")
        let older = Self.channel("b", last: Self.message(4), unread: 1)
        let newer = Self.channel("b", last: Self.message(6), unread: 3)
        let untouched = Self.channel("a")
        let (fresh, stale) = ledger.parted([untouched, older, newer], since: mark)
        #expect(
            fresh == [untouched, Self.channel("b", last: Self.message(5), unread: 2), newer])
        #expect(stale.isEmpty)
    }

    @Test
    func `a field of the server's is looked up again after an event (scars 55, 58, 109)`() {
        var ledger = ChannelLedger()
        let mark = ledger.begin()
        ledger.note(.deleted([4]), in: "b")
        ledger.note(changeOf: "c")
        let preview = Self.channel("b", last: Self.message(4))
        let counted = Self.channel("b", last: Self.message(5), unread: 1)
        let safe = Self.channel("b", last: Self.message(5))
        let (fresh, stale) = ledger.parted(
            [preview, counted, safe, Self.channel("c")], since: mark)
        #expect(fresh == [safe])
        #expect(stale == ["b", "b", "c"])
        #expect(ledger.isUnsure("c", since: mark) && !ledger.isUnsure("b", since: mark))
    }

    @Test func `a last message that came and was deleted meanwhile is looked up again (scar 55)`() {
        var ledger = ChannelLedger()
        let mark = ledger.begin()
        ledger.note(.received(Self.message(5), .init(isUnread: false)), in: "b")
        ledger.note(.deleted([5]), in: "b")
        let parted = ledger.parted([Self.channel("b", last: Self.message(4))], since: mark)
        #expect(parted.fresh.isEmpty && parted.stale == ["b"])
    }

    @Test func `a channel hidden before or after a message is looked up again`() {
        var ledger = ChannelLedger()
        let mark = ledger.begin()
        ledger.note(.received(Self.message(5), .init(isUnread: true)), in: "b")
        var channel = Self.channel("b", last: Self.message(4))
        channel.hiddenState = .untilNextMessage
        #expect(ledger.parted([channel], since: mark).stale == ["b"])
        // Only a call shows this one, so the order does not matter.
        channel.hiddenState = .untilShown
        #expect(ledger.parted([channel], since: mark).fresh.map(\.hiddenState) == [.untilShown])
    }

    @Test func `an answer is newer than records from before its request (scar 55)`() {
        var ledger = ChannelLedger()
        let first = ledger.begin()
        ledger.note(changeOf: "a")
        // The first request keeps the ledger open, as a second look-up does.
        let second = ledger.begin()
        #expect(ledger.parted([Self.channel("a")], since: first).stale == ["a"])
        #expect(ledger.parted([Self.channel("a")], since: second).fresh.count == 1)
    }

    @Test func `requests that overlap for hours keep few records, and no old answer is stored`() {
        var ledger = ChannelLedger()
        let first = ledger.begin()
        for _ in 1...5_000 {
            _ = ledger.begin()
            ledger.note(.received(Self.message(5), .init(isUnread: true)), in: "b")
            ledger.end()
        }
        #expect(ledger.count <= ChannelLedger.limit)
        #expect(ledger.parted([Self.channel("a")], since: first).stale == ["a"])
        #expect(ledger.isUnsure("a", since: first))
        #expect(ledger.hasOvertaken(.frozen(true), in: "a", since: first))
        let last = ledger.begin()
        ledger.note(changeOf: "b")
        let (fresh, stale) = ledger.parted([Self.channel("a"), Self.channel("b")], since: last)
        #expect(fresh.map(\.url) == ["a"] && stale == ["b"])
    }
}

struct RecentChangesTests {
    private static func message(_ id: Int64, editedAt: Int64? = nil) -> Message {
        Message(
            delivery: .delivered(MessageID(id), nil), channelURL: "c",
            createdAt: Timestamp(milliseconds: id),
            updatedAt: editedAt.map { Timestamp(milliseconds: $0) }, content: .user(text: ""))
    }

    @Test func `a late frame undoes none of the latest changes, and old ones are forgotten`() {
        var changes = RecentChanges()
        changes.note(edited: [], deleted: [1], in: "c")
        let limit = RecentChanges.limit
        changes.note(edited: [], deleted: (2...limit + 1).map { MessageID(Int64($0)) }, in: "d")
        #expect(changes.upToDate(Self.message(1)) == nil, "still one of twice as many")
        changes.note(edited: [], deleted: (1...limit).map { MessageID(Int64($0)) }, in: "e")
        #expect(changes.upToDate(Self.message(1)) == Self.message(1))
        var other = Self.message(Int64(limit))
        other.channelURL = "e"
        #expect(changes.upToDate(other) == nil)
    }

    @Test func `an edit known from before is replaced by a newer one`() {
        var changes = RecentChanges()
        changes.note(edited: [Self.message(1, editedAt: 5)], deleted: [], in: "c")
        for _ in 0..<RecentChanges.limit {
            changes.note(edited: [], deleted: [7], in: "d")
        }
        #expect(changes.upToDate(Self.message(1, editedAt: 4))?.updatedAt?.milliseconds == 5)
        changes.replace(editOf: Self.message(1, editedAt: 6))
        #expect(changes.upToDate(Self.message(1, editedAt: 5))?.updatedAt?.milliseconds == 6)
        changes.replace(editOf: Self.message(2, editedAt: 6))
        #expect(changes.upToDate(Self.message(2)) == Self.message(2), "of that no edit was noted")
    }
}
