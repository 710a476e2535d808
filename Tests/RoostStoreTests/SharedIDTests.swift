// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

/// One message ID in two channels.
///
/// IDs are unique in an application, but a server may break that.
struct SharedIDTests {
    private static let shared: MessageID = 3

    /// Returns the shared message in a channel.
    private static func message(in url: ChannelURL, at moment: Int64 = 3, edit: Int64? = nil)
        -> Message
    {
        Fixture.message(
            3, at: moment, in: url, text: "apple \(edit == nil ? "early" : "late") \(url)",
            updatedAt: edit)
    }

    /// Messages 2, 3 and 4 or 12, 3 and 14; the others have IDs of their own.
    private static func page(of url: ChannelURL) -> Mutation {
        let base: Int64 = url == "a" ? 0 : 10
        let messages = [
            Fixture.message(base + 2, at: 2, in: url, text: "apple"), message(in: url),
            Fixture.message(base + 4, at: 4, in: url, text: "apple"),
        ]
        return .messages(
            url, messages,
            covering: CoveredRange(
                lower: Fixture.place(2, base + 2), upper: Fixture.place(4, base + 4)))
    }

    /// The server's commits, and the channel that has the shared message at the end.
    private static let ways: [String: (commits: [[Mutation]], owner: ChannelURL?)] = [
        "a, b": ([[page(of: "a")], [page(of: "b")]], "b"),
        "b, a": ([[page(of: "b")], [page(of: "a")]], "a"),
        "a and b": ([[page(of: "a"), page(of: "b")]], "b"),
        "b and a": ([[page(of: "b"), page(of: "a")]], "a"),
        "a, b and a": ([[page(of: "a")], [page(of: "b"), page(of: "a")]], "a"),
        "a and b and a": ([[page(of: "a"), page(of: "b"), page(of: "a")]], "a"),
        "a, b, a, b": ([[page(of: "a")], [page(of: "b")], [page(of: "a")], [page(of: "b")]], "b"),
        "a, live in b": (
            [[page(of: "a")], [.liveMessage(message(in: "b"), predecessor: nil)]], "b"
        ),
        "a, twice in b": (
            [
                [page(of: "a")],
                [
                    .messages(
                        "b", [message(in: "b"), message(in: "b", at: 5)],
                        covering: Fixture.range(1, 9))
                ],
            ], "b"
        ),
        "b under a filter, a": (
            [
                [
                    .messages(
                        "b", [message(in: "b")], covering: Fixture.range(1, 9),
                        under: MessageFilter(kind: .user))
                ], [page(of: "a")],
            ], "a"
        ),
        "a, b and a without it": (
            [
                [page(of: "a")],
                [
                    page(of: "b"), .forgotten("a", Fixture.range(1, 4)),
                    .messages(
                        "a", [Fixture.message(2, in: "a"), Fixture.message(4, in: "a")],
                        covering: Fixture.range(2, 4)),
                ],
            ], "b"
        ),
    ]

    @Test(arguments: ways.keys.sorted(), [false, true])
    func `one message ID in two channels belongs to the channel that named it last`(
        way: String, isInMemory: Bool
    ) async throws {
        let (commits, owner) = try #require(Self.ways[way])
        let folder = try TemporaryFolder(inMemory: true)
        defer { withExtendedLifetime(folder) {} }
        var options = Fixture.options
        options.keepsIndexInMemory = isInMemory
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await store.writer.commit([
            .channels([Fixture.group("a"), Fixture.group("b")])
        ])
        try await expectAnswers(of: store, owner: nil)
        for commit in commits {
            try await store.writer.commit(commit)
            try await expectSound(store)
        }
        try await expectAnswers(of: store, owner: owner)
        // Both channels get an edit and a deletion; one of them has the message.
        for url in ["a", "b"] as [ChannelURL] {
            try await store.writer.commit([.edited(Self.message(in: url, edit: 100))])
            try await expectSound(store)
        }
        try await expectAnswers(of: store, owner: owner)
        for url in ["a", "b"] as [ChannelURL] {
            try await store.writer.commit([.deleted(url, [Self.shared])])
            try await expectSound(store)
        }
        try await expectAnswers(of: store, owner: nil)
        await store.close()
    }

    @Test(arguments: [["a", "b"], ["b", "a"]] as [[ChannelURL]])
    func `a channel that loses a message to another has a hole at its place`(
        order: [ChannelURL]
    ) async throws {
        let store = try await Store.test()
        for url in order { try await store.writer.commit([Self.page(of: url)]) }
        let place = Fixture.place(3)
        let lost = try await store.reader.coverage(of: order[0]).value
        #expect(lost.range(containing: place) == nil)
        #expect(lost.ranges.count == 2, "the messages on both sides are known as before")
        let kept = try await store.reader.coverage(of: order[1]).value
        #expect(kept.range(containing: place) != nil)
        // The server states that the message was never there.
        try await store.writer.commit([
            .messages(order[0], [], covering: CoveredRange(lower: place, upper: place))
        ])
        let told = try await store.reader.coverage(of: order[0]).value
        #expect(told.range(containing: place) != nil)
        #expect(try await store.reader.newest(in: order[1]).map(\.messageID).contains(Self.shared))
        try await expectSound(store)
        await store.close()
    }

    private func expectSound(_ store: Store) async throws {
        #expect(try await store.verify().findings == [])
        #expect(try await store.reader.searchFindings() == [])
    }

    /// Expects that a search and a plain look find the shared message in its channel only.
    private func expectAnswers(of store: Store, owner: ChannelURL?) async throws {
        try await store.finishIndex(stepSize: 2)
        let question = SearchQuestion("apple", liveEnds: ["a": .distantPast, "b": .distantPast])
        let found = try await store.reader.search(question).value.found.map(\.message)
        #expect(
            found.filter { $0.messageID == Self.shared }.map(\.channelURL)
                == [owner].compactMap(\.self))
        #expect(try await store.reader.message(Self.shared).value?.channelURL == owner)
    }
}
