// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// Reports about unsent messages that are unreadable or lost.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct OutboxLossTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("app/anna/outbox.sqlite") }

    /// Makes items "r1" to "r40", four in a leaf, of a client that has sent.
    init() async throws {
        folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        for number in 1...40 {
            _ = try await store.outbox.append(
                RequestID("r\(number)"), to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
                content: .userMessage(UserMessageParams(text: String(repeating: "x", count: 900))))
        }
        _ = await store.outbox.maySend()
        await store.close()
    }

    private func change(_ body: (inout Data) -> Void) throws {
        let file = URL(fileURLWithPath: path)
        var data = try Data(contentsOf: file)
        body(&data)
        try data.write(to: file)
    }

    /// The findings of `roost cache inspect`.
    private func inspection() async throws -> FolderInspection {
        try await FolderInspection.of(
            folder.file("app/anna"), Fixture.options.protection)
    }

    /// Changes of the second item, and whether a newer release may have made them.
    private static let changes: [(SQL, Bool)] = [
        ("UPDATE item SET payload = x'00' WHERE sequence = 2", false),
        ("UPDATE item SET payload = x'63' WHERE sequence = 2", false),
        ("UPDATE item SET payload = substr(payload, 1, 30) WHERE sequence = 2", false),
        ("UPDATE item SET state = -1 WHERE sequence = 2", false),
        ("UPDATE item SET state = 3 WHERE sequence = 2", true),
        (
            Fixture.isSealed
                ? """
                UPDATE item SET payload = CAST(x'82' || substr(payload, 2) AS BLOB)
                WHERE sequence = 2
                """
                : """
                UPDATE item SET payload = CAST(x'03' || substr(payload, 2) AS BLOB)
                WHERE sequence = 2
                """, true
        ),
    ]

    @Test(arguments: changes)
    func `a damaged row is distinct from one of a newer release (scar 65)`(
        change: SQL, isNewer: Bool
    ) async throws {
        try Connection(.file(path)).executeScript(change)
        let store = try await Store.test(.folder(folder.path))
        let items = try await store.outbox.items()
        #expect(items.damaged.count == (isNewer ? 0 : 1))
        #expect(items.newer.count == (isNewer ? 1 : 0))
        #expect(items.items.count == 39)
        let found = try await store.verify().findings.map(\.sentence)
        #expect(found.count == 1 && found[0].contains(isNewer ? "newer release" : "damaged"))
        await store.close()
        #expect(try await inspection().outbox.unreadable == items.unreadable)
    }

    @Test func `an unreadable item is not absent, and a note reaches it (scar 65)`() async throws {
        try Connection(.file(path)).executeScript(
            "UPDATE item SET payload = x'00' WHERE sequence = 2")
        let store = try await Store.test(.folder(folder.path))
        #expect(try await store.outbox.absent(["r1", "r2", "nowhere"]) == ["nowhere"])
        try await store.outbox.note(.removal("r2"))
        #expect(try await store.outbox.absent(["r1", "r2"]) == ["r2"])
        await store.close()
    }

    @Test func `if only rows are lost, their number is known and stays known (scar 42)`()
        async throws
    {
        let lost = try DamagedLeaf.destroy(2, 5, in: path)
        let store = try await Store.test(.folder(folder.path))
        guard case .repaired(let quarantine?, _, let saved) = store.outboxReport
        else { return #expect(Bool(false), "\(store.outboxReport)") }
        #expect(saved.messages == 40 - lost.count && saved.lost == lost.count)
        await store.close()
        let found = try await inspection().quarantined
        #expect(found.map(\.path) == [quarantine] && found.map(\.lost) == [lost.count])
    }

    @Test func `dropped changes do not count as lost messages (scar 42)`() async throws {
        var store = try await Store.test(.folder(folder.path))
        for number in 41...57 {
            let id = RequestID("r\(number)")
            _ = try await store.outbox.append(
                id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
                content: .userMessage(UserMessageParams(text: "dropped")))
            try await store.outbox.note(.dropped(id))
        }
        await store.close()
        let lost = try DamagedLeaf.destroy(2, 5, in: path)
        store = try await Store.test(.folder(folder.path))
        guard case .repaired(_, _, let saved) = store.outboxReport
        else { return #expect(Bool(false), "\(store.outboxReport)") }
        #expect(saved.messages == 40 - lost.count && saved.lost == lost.count)
        await store.close()
    }

    @Test func `copies of lost items stay as long as the damaged file does (scars 42, 61)`()
        async throws
    {
        _ = try DamagedLeaf.destroy(2, 5, in: path)
        let store = try await Store.test(.folder(folder.path))
        guard case .repaired(let quarantine?, _, _) = store.outboxReport
        else { return #expect(Bool(false), "\(store.outboxReport)") }
        let files = try #require(store.outbox.attachments)
        try FileManager.default.createDirectory(
            atPath: files, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: "\(files)/copy"))
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: files)
        }
        // A process that was suspended during the repair may write its item again.
        try await store.outbox.tidyFiles(madeBefore: .distantFuture)
        #expect(try names() == ["copy"])
        try FileManager.default.removeItem(atPath: quarantine)
        try await store.outbox.tidyFiles(madeBefore: .distantFuture)
        #expect(try names() == [])
        await store.close()
    }

    @Test func `if rows and names are lost, their number is unknown (scar 42)`()
        async throws
    {
        _ = try DamagedLeaf.destroy(2, in: path)
        try change { data in
            // The leaves of indexes.
            for page in stride(from: 4_096, to: data.count, by: 4_096) where data[page] == 0x0A {
                data[page] = 0
            }
        }
        let store = try await Store.test(.folder(folder.path))
        guard case .repaired(let quarantine?, _, let saved) = store.outboxReport
        else { return #expect(Bool(false), "\(store.outboxReport)") }
        #expect(saved.lost == nil)
        await store.close()
        let found = try await inspection().quarantined
        #expect(found.map(\.path) == [quarantine] && found.map(\.lost) == [nil])
    }

    @Test(arguments: [false, true])
    func `a missing outbox is reported once, with an unknown number of messages (scar 46)`(
        isEmpty: Bool
    ) async throws {
        #expect(try await inspection().hasOutbox)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        if isEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
        if !isEmpty, !Fixture.isSealed {
            let found = try await inspection()
            #expect(!found.hasOutbox && found.outbox.items.isEmpty)
        }
        for report in [RepairReport.gone, .intact] {
            let store = try await Store.test(.folder(folder.path))
            #expect(store.outboxReport == report)
            await store.close()
        }
    }

    @Test func `a store that has never sent reports no lost outbox`() async throws {
        let fresh = try TemporaryFolder(inMemory: true)
        for _ in 0..<2 {
            let store = try await Store.test(.folder(fresh.path))
            #expect(store.outboxReport == .intact)
            await store.close()
        }
    }
}
