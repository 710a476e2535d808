// SPDX-License-Identifier: Apache-2.0

import RoostCommand
import RoostCommandLine
import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SearchCommandTests {
    private static func message(_ id: Int64, _ text: String, in channel: ChannelURL) -> Message {
        Message(
            delivery: .delivered(MessageID(id), nil), channelURL: channel,
            createdAt: Timestamp(milliseconds: 1_700_000_000_000 + id),
            sender: Sender(user: User(id: "ada", nickname: "Ada")), content: .user(text: text))
    }

    @Test func `a search of a folder finds words and lists uncached ranges at the end (R136)`()
        async throws
    {
        let program = try Program()
        let store = try await Store.open(
            .folder(program.path("cache")), owner: StoreOwner(application: "demo", user: "ada"))
        let known = CoveredRange(lower: .distantPast, upper: .distantFuture)
        try await store.writer.commit([
            .messages(
                "a",
                [
                    Self.message(1, "lunch\u{1B}[2J at noon", in: "a"),
                    Self.message(2, "noon, not lunch", in: "a"),
                ], covering: known),
            .messages(
                "b",
                [Self.message(3, "Lunch again", in: "b"), Self.message(60_003, "bye", in: "b")],
                covering: CoveredRange(
                    lower: Position(
                        createdAt: Timestamp(milliseconds: 1_700_000_000_003), messageID: 3),
                    upper: Position(
                        createdAt: Timestamp(milliseconds: 1_700_000_060_003), messageID: 60_003))),
        ])
        await store.close()
        func lines(_ words: String...) async throws -> [String] {
            let outcome = try await program.run(["cache", "search"] + words)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        let all = try await lines("cache", "lun")
        try #require(all.count == 8, "\(all)")
        #expect(all[1].hasSuffix("b  Ada: Lunch again"))
        #expect(all[3].hasSuffix("a  Ada: lunch [2J at noon"), "no command reaches the terminal")
        #expect(all[4] == "3 messages")
        #expect(all[6].contains("b: from the beginning to 2023-11-14 22:13:20"))
        #expect(all[7].hasSuffix("22:14:20 to now, not in the cache"))
        let phrase = try await lines("cache", "at noon", "--channel", "a", "--limit", "1")
        #expect(
            phrase.suffix(2) == [
                "1 message, and perhaps more: see --limit",
                "Every message of these channels was searched.",
            ])
        #expect(try await lines("cache", "lunch", "--", "-again", "-not").contains("1 message"))
        let unknown = try await program.run(["cache", "search", "cache", "noon", "--channel", "z"])
        #expect(unknown.status == ExitCode.storage.rawValue && unknown.output.isEmpty)
        #expect(
            unknown.errors == [
                "roost: No cache in cache has a channel z: roost cache inspect cache lists the "
                    + "channels."
            ])
        try program.remove()
    }

    @Test func `search, clear and inspect show a channel's name beside its URL`() async throws {
        let program = try Program()
        let store = try await Store.open(
            .folder(program.path("cache")), owner: StoreOwner(application: "demo", user: "ada"))
        let known = CoveredRange(
            lower: .distantPast,
            upper: Position(
                createdAt: Timestamp(milliseconds: 1_700_000_000_001), messageID: 1))
        try await store.writer.commit([
            .channels([GroupChannel(url: "a", name: "Lunch\u{1B}club")]),
            .messages("a", [Self.message(1, "noon", in: "a")], covering: known),
        ])
        await store.close()
        func lines(_ words: String...) async throws -> [String] {
            let outcome = try await program.run(["cache"] + words)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        let found = try await lines("search", "cache", "noon")
        #expect(found.contains { $0.hasSuffix("  a “Lunch club”  Ada: noon") }, "\(found)")
        #expect(found.contains { $0.hasPrefix("  a “Lunch club”: from ") })
        let inspected = try await lines("inspect", "cache", "--text")
        #expect(inspected.contains { $0.hasPrefix("  a “Lunch club”  1 message") }, "\(inspected)")
        #expect(try await lines("inspect", "cache").contains { $0.hasPrefix("  a  1 message") })
        let cleared = try await lines("clear", "cache", "--dry-run")
        #expect(cleared.contains { $0.contains(" a “Lunch club”  1 message") }, "\(cleared)")
        try program.remove()
    }

    @Test func `a search of a cache without an index is an error`() async throws {
        let program = try Program()
        var options = Store.Options()
        options.isSearchable = false
        let store = try await Store.open(
            .folder(program.path("cache")), owner: StoreOwner(application: "demo", user: "ada"),
            options)
        await store.close()
        let outcome = try await program.run(["cache", "search", "cache", "word"])
        #expect(outcome.status == ExitCode.storage.rawValue)
        #expect(outcome.errors.first?.contains("no index of words") == true)
        try program.remove()
    }

    @Test func `a search of a cache without channels does not claim to be complete`() async throws {
        let program = try Program()
        let store = try await Store.open(
            .folder(program.path("cache")), owner: StoreOwner(application: "demo", user: "ada"))
        await store.close()
        let outcome = try await program.run(["cache", "search", "cache", "word"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.last?.hasPrefix("No channel is cached in this folder") == true)
        try program.remove()
    }
}
