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

    @Test func `a deletion that overtook a page is not undone by it`() {
        var ledger = FetchLedger()
        ledger.begin()
        ledger.note(deletionOf: 2)
        #expect(ledger.upToDate([Self.message(1), Self.message(2)]) == [Self.message(1)])
        #expect(ledger.hasDeletions)
    }

    @Test func `an edit that overtook a page is not undone by it (scar 119)`() {
        var ledger = FetchLedger()
        ledger.begin()
        let edited = Self.message(1, text: "new", editedAt: 50)
        ledger.note(editOf: edited)
        #expect(ledger.upToDate([Self.message(1, text: "old")]) == [edited])
        let newer = Self.message(1, text: "newest", editedAt: 60)
        #expect(ledger.upToDate([newer]) == [newer])
    }

    @Test func `what happened before a fetch began, or after all have ended, is not remembered`() {
        var ledger = FetchLedger()
        ledger.note(deletionOf: 1)
        ledger.begin()
        ledger.begin()
        ledger.note(deletionOf: 2)
        ledger.end()
        #expect(ledger.upToDate([Self.message(1), Self.message(2)]) == [Self.message(1)])
        ledger.end()
        #expect(ledger.isEmpty && !ledger.hasDeletions)
    }

    @Test func `an answer about a channel that had news meanwhile is asked for again (scar 55)`() {
        var ledger = ChannelLedger()
        ledger.begin()
        ledger.note("b")
        let (fresh, stale) = ledger.parted([GroupChannel(url: "a"), GroupChannel(url: "b")])
        #expect(fresh.map(\.url) == ["a"])
        #expect(stale == ["b"])
        ledger.end()
        ledger.begin()
        #expect(ledger.parted([GroupChannel(url: "b")]).stale.isEmpty)
    }
}
