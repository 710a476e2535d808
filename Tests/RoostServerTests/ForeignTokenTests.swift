// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Tokens of change logs that the server has not given, such as those of a later folder.
struct ForeignTokenTests {
    /// Returns a token with a higher number; an era stays behind it.
    private static func raised(_ token: String, by count: Int64) throws -> String {
        let digits = token.dropFirst().prefix(while: \.isNumber)
        let number = try #require(Int64(digits), "\(token)")
        let rest = token.dropFirst(1 + digits.count)
        return "\(token.prefix(1))\(number + count)\(rest)"
    }

    @Test(arguments: StorageKind.allCases)
    func `a token ahead of the numbers of the server is refused, and the server's own are not`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        await scene.fixture.send("one", "r1", to: "g", on: scene.ann)
        for path in [
            "group_channels/g/messages/changelogs", "users/ann/my_group_channels/changelogs",
        ] {
            let now = scene.fixture.world.now.milliseconds + 1_000_000
            for moment in [0, now] {
                let page = try await scene.ask("GET", "\(path)?change_ts=\(moment)", as: scene.ann)
                let token = try #require(page["next"]?.string, "\(page)")
                let ahead = try Self.raised(token, by: 1_000_000_000_000)
                #expect(
                    try await scene.code("GET", "\(path)?token=\(token)", as: scene.ann) == nil)
                #expect(
                    try await scene.code("GET", "\(path)?token=\(ahead)", as: scene.ann)
                        == RoostError.Code.invalidValue.rawValue, "\(ahead)")
            }
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a token of another era is refused, so that no change is left out`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        await scene.fixture.send("one", "r1", to: "g", on: scene.ann)
        let path = "group_channels/g/messages/changelogs"
        let page = try await scene.ask("GET", "\(path)?change_ts=0", as: scene.ann)
        let token = try #require(page["next"]?.string, "\(page)")
        let bare = token.prefix { $0 != "-" }
        #expect((bare == token) == (kind != .postgres), "\(token)")
        #expect(try await scene.code("GET", "\(path)?token=\(token)", as: scene.ann) == nil)
        // The number was given in each of the eras, to another change.
        var others = ["\(bare)-0000000x"]
        if kind == .postgres { others.append(String(bare)) }
        for other in others {
            #expect(
                try await scene.code("GET", "\(path)?token=\(other)", as: scene.ann)
                    == RoostError.Code.invalidValue.rawValue, "\(other)")
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a page tells whether it begins behind all numbers of the storage`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let scene = try await BudgetScene(storage)
        await scene.fixture.send("one", "r1", to: "g", on: scene.ann)
        let now = scene.fixture.world.now.advanced(by: 1_000_000)
        let end = try await storage.messageChanges(in: "g", after: .time(now), limit: 9)
        #expect(!end.isAhead)
        let page = try await storage.messageChanges(in: "g", after: .sequence(end.end), limit: 9)
        #expect(!page.isAhead)
        let ahead = try await storage.messageChanges(
            in: "g", after: .sequence(end.end + 1), limit: 9)
        #expect(ahead.isAhead && ahead.changes.isEmpty)
        let missing = try await storage.messageChanges(
            in: "none", after: .sequence(.max), limit: 9)
        #expect(!missing.isAhead, "a channel of another time may have had the number")
        for listing in try await storage.listings(of: "ann") {
            // The number of a change is higher while an older transaction is open.
            #expect(
                listing.settledSequence >= listing.changeSequence || kind == .postgres)
            #expect(listing.settledSequence < .max)
        }
    }

    @Test func `a walk that was begun on another storage is refused too`() throws {
        let listing = ChannelListing(
            record: ChannelRecord(url: "c", createdAt: Timestamp(milliseconds: 0)),
            state: .joined, hidden: .unhidden, lastMessageAt: nil, changeSequence: 7,
            changedAt: Timestamp(milliseconds: 0), settledSequence: 10)
        func isTaken(_ place: ChannelChangePlace) -> Bool {
            let call = ChannelChangeLog(userID: "a", cursor: .token(place.token))
            return (try? ChannelChangePage(of: [listing], call)) != nil
        }
        #expect(isTaken(ChannelChangePlace(settled: 10)))
        #expect(!isTaken(ChannelChangePlace(settled: 11)))
        // Behind the settled numbers, a walk may have come to later ones already.
        #expect(isTaken(ChannelChangePlace(settled: 10, through: (12, "b"))))
        #expect(!isTaken(ChannelChangePlace(settled: 12, through: (12, "b"))))
    }
}
