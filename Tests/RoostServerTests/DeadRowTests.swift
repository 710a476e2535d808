// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The rows of deleted and former channels, which stay for the change logs.
struct DeadRowTests {
    private static let start = StorageContractTests.start

    private func at(_ offset: Int64) -> Timestamp { Self.start.advanced(by: offset) }

    @Test(arguments: StorageKind.allCases)
    func `the present channels of a user are those of the whole list that are not former ones`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
        for url in ["kept", "left", "deleted", "again", "banned"] as [ChannelURL] {
            _ = try await storage.createChannel(
                StorageContractTests.channel(url, ["a", "b"]), now: Self.start)
        }
        _ = try await storage.createChannel(
            StorageContractTests.channel("invited", ["b"]), now: Self.start)
        _ = try await storage.addMembers(
            ["a"], as: .invited, inviter: "b", to: "invited", now: at(1))
        _ = try await storage.append(StorageContractTests.draft("x", to: "kept"), now: at(1))
        _ = try await storage.removeMember("a", from: "left", now: at(2))
        let ban = Restriction(startedAt: at(2))
        _ = try await storage.updateMember("a", of: "banned", now: at(2)) { $0.traits.ban = ban }
        _ = try await storage.removeMember("a", from: "banned", now: at(2))
        for url in ["deleted", "again"] as [ChannelURL] {
            #expect(try await storage.deleteChannel(url, now: at(3)))
        }
        _ = try await storage.createChannel(
            StorageContractTests.channel("again", ["a"]), now: at(4))
        let all = try await storage.listings(of: "a")
        #expect(
            all.map(\.record.url) == ["again", "banned", "deleted", "invited", "kept", "left"])
        let present = try await storage.presentListings(of: "a")
        #expect(present.map(\.record.url) == ["again", "invited", "kept"])
        #expect(present.map(\.settled) == all.filter { $0.state != .none }.map(\.settled))
        #expect(try await storage.presentListings(of: "nobody").isEmpty)
        let urls = try await storage.channels(after: "a", limit: 3).map(\.url)
        #expect(urls == ["again", "banned", "invited"], "deleted channels are no part of a page")
        #expect(try await storage.newestPlaces(of: "a", before: .distantFuture).count == 1)
        #expect(try await storage.unreadTotal(of: "b") == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `deleted channels count among those of their creator for a month`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
        func create(
            _ url: ChannelURL, by maker: UserID, _ now: Timestamp
        ) async throws -> CreateOutcome {
            var new = StorageContractTests.channel(url, ["a", "b"])
            new.record.createdBy = maker
            new.creatorLimit = 2
            return try await storage.createChannel(new, now: now)
        }
        for url in ["g1", "g2"] as [ChannelURL] {
            _ = try await create(url, by: "a", Self.start)
            #expect(try await storage.deleteChannel(url, now: at(10)))
        }
        #expect(try await create("g3", by: "a", at(11)) == .tooMany)
        // A channel in the place of a deleted one is that of its new creator.
        guard case .done = try await create("g1", by: "b", at(12)) else {
            Issue.record("Each user has a limit of their own.")
            return
        }
        guard case .done = try await create("g3", by: "a", at(13)) else {
            Issue.record("The row of the first channel belongs to another user.")
            return
        }
        #expect(try await create("g4", by: "a", at(14)) == .tooMany)
        let later = at(10 + StorageRules.deletionPeriod)
        guard case .done = try await create("g4", by: "a", later) else {
            Issue.record("The deletion is a month ago.")
            return
        }
        #expect(try await create("g5", by: "a", later) == .tooMany)
    }

    @Test func `lists and counts of channels read no former channels`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        _ = storage.takeCounts()
        for (method, path, body) in [
            ("GET", "users/ann/my_group_channels?show_empty=true", ""),
            ("GET", "users/ann/group_channel_count", ""),
            ("GET", "users/ann/unread_channel_count", ""),
            ("PUT", "users/ann/mark_as_read_all", "{}"),
            ("PUT", "users/ann/my_group_channels/leave", "{}"),
        ] {
            #expect(try await scene.code(method, path, body, as: scene.ann) == nil, "\(path)")
            let counts = storage.takeCounts()
            #expect(counts["presentListings"] == 1, "\(path): \(counts)")
            #expect(counts["listings"] == nil, "\(path): \(counts)")
        }
        // The change log tells the former member that the channel is gone.
        let log = try await scene.ask(
            "GET", "users/ann/my_group_channels/changelogs?change_ts=0", as: scene.ann)
        #expect(log["deleted"]?.array?.compactMap(\.string) == ["g"])
    }
}

extension ChannelListing {
    /// The listing without the moment of its reading.
    fileprivate var settled: ChannelListing {
        var listing = self
        listing.settledSequence = 0
        return listing
    }
}
