// SPDX-License-Identifier: Apache-2.0

import RoostRequests
import RoostWire

extension Story {
    /// Ada's changes while Bo was away.
    struct Changes {
        let added: [String]
        /// New texts by message ID.
        let edited: [(id: Int64, text: String)]
        let deleted: Int64
    }

    // MARK: Ada continues

    func goOnWithout(_ cast: Cast) throws(DemoFailure) -> Changes {
        let ada = cast.ada
        try stage.chapter("Meanwhile, at Ada's")
        let own = try ada.snapshot().messages.filter { $0.sender == "ada" }.compactMap(\.id)
        guard own.count >= 3 else {
            throw .expected("three messages of Ada's", seen: "\(own.count)")
        }
        let added = (1...20).map { "Postcard \($0)" }
        try stage.step("Ada writes twenty messages") { () throws(DemoFailure) in
            try write(added, by: ada)
        }
        let edited = [
            (id: own[0], text: "Are you on the night train?"), (id: own[1], text: "Aisle seat?"),
        ]
        try stage.step("edits two that Bo has read, and deletes a third") {
            () throws(DemoFailure) in
            for edit in edited {
                try ada.ask(
                    .edit, [("message_id", .int(edit.id)), ("text", .string(edit.text))])
            }
            try ada.ask(.delete, [("message_id", .int(own[2]))])
            try ada.awaitSnapshot("the edits and the deletion at Ada's own") { timeline in
                edited.allSatisfy { edit in timeline.text(of: edit.id) == edit.text }
                    && timeline.text(of: own[2]) == nil
            }
        }
        try stage.draw()
        return Changes(added: added, edited: edited, deleted: own[2])
    }

    // MARK: Bo is back

    func comeBack(_ cast: Cast, written: [String], changes: Changes) throws(DemoFailure) {
        let (ada, bo) = (cast.ada, cast.bo)
        try stage.chapter("The end of the tunnel")
        try stage.step("Bo connects again") { () throws(DemoFailure) in try bo.ask(.connect) }
        try stage.step("the gap is filled with the twenty, in order") {
            () throws(DemoFailure) in
            try bo.awaitSnapshot("Ada's twenty messages, in order") { timeline in
                timeline.texts.filter { changes.added.contains($0) } == changes.added
            }
        }
        try stage.step("both edits and the deletion are applied") { () throws(DemoFailure) in
            try bo.awaitSnapshot("the new texts, and the third gone") { timeline in
                changes.edited.allSatisfy { edit in timeline.text(of: edit.id) == edit.text }
                    && timeline.text(of: changes.deleted) == nil
            }
        }
        try stage.step("Bo's three are delivered, once and in order") { () throws(DemoFailure) in
            for reader in [bo, ada] {
                try reader.awaitSnapshot("Bo's three at \(reader.user)'s, once and in order") {
                    timeline in
                    let own = timeline.messages.filter { written.contains($0.text) }
                    return own.map(\.text) == written && own.allSatisfy(\.isDelivered)
                }
            }
        }
        try stage.step("Ada and Bo see the same, message by message") {
            () throws(DemoFailure) in try checkEqual(ada, bo)
        }
        try stage.draw()
    }

    // MARK: Helpers

    /// Sends texts and waits until the server has them all.
    func write(_ texts: [String], by writer: ScriptedClient) throws(DemoFailure) {
        for text in texts { try writer.ask(.send, [("text", .string(text))]) }
        try writer.ask(.waitIdle)
        try writer.awaitSnapshot("\(texts.count) more delivered messages at \(writer.user)'s") {
            $0.messages.allSatisfy(\.isDelivered) && Array($0.texts.suffix(texts.count)) == texts
        }
    }

    /// Pages both back to the beginning and compares them; returns their number of messages.
    @discardableResult
    func checkEqual(
        _ one: ScriptedClient, _ other: ScriptedClient
    ) throws(DemoFailure) -> Int {
        let expected = try wholeHistory(of: one).agreed
        let seen = try wholeHistory(of: other).agreed
        guard expected == seen else {
            throw .different(
                "the same at \(other.user)'s as at \(one.user)'s", expected: expected, seen: seen)
        }
        return seen.count
    }

    private func wholeHistory(of client: ScriptedClient) throws(DemoFailure) -> ShownTimeline {
        try client.ask(.waitIdle)
        while try client.snapshot().hasOlder { try client.ask(.older) }
        return try client.snapshot()
    }
}

extension ShownTimeline {
    /// Returns a message's text; nil if the message is missing.
    func text(of id: Int64) -> String? { messages.first { $0.id == id }?.text }
}
