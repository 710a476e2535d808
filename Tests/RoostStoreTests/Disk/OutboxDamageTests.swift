// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// An outbox with damaged pages on the disk.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct OutboxDamageTests {
    private let folder: TemporaryFolder
    private let store: Store
    private var path: String { folder.file("app/anna/outbox.sqlite") }

    /// Makes items "r1" to "r40" under these numbers, four in a leaf.
    init() async throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try await Store.test(.folder(folder.path))
        for number in 1...40 { try await append(RequestID("r\(number)"), in: store) }
    }

    @discardableResult
    private func append(_ id: RequestID, in store: Store) async throws -> OutboxItem {
        let text = String(repeating: "x", count: 900)
        return try await store.outbox.append(
            id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
            content: .userMessage(UserMessageParams(text: text)))
    }

    @Test func `a damaged leaf keeps no note of another leaf from the disk (scar 65)`() async throws
    {
        // Done by another connection, after which the store has to read every page again.
        try Connection(.file(path)).emptyLog()
        let lost = try DamagedLeaf.destroy(2, 5, in: path)
        #expect(lost.count >= 4)
        let notes = (1...40).map { OutboxNote.state(RequestID("r\($0)"), .canceled) }
        let receipt = try await store.outbox.note(notes)
        #expect(receipt.refused.keys.sorted() == lost.map { $0 - 1 })
        let states = Query<Int64, Int64>(
            sql: "SELECT state FROM item WHERE sequence = ?1",
            bind: { number, bindings in bindings.append(number) },
            decode: { row in row.int64(0) })
        let connection = try Connection(.file(path))
        for number in 1...40 where !lost.contains(number) {
            #expect(try connection.first(states, Int64(number)) == 2, "\(number)")
        }
        await store.close()
    }

    @Test func `after a salvage no number of a lost item is given again (scar 42)`() async throws {
        await store.close()
        let lost = try DamagedLeaf.destroy(8, in: path)
        let again = try await Store.test(.folder(folder.path))
        guard case .repaired(_, _, let saved) = again.outboxReport else {
            return #expect(Bool(false))
        }
        #expect(saved.messages == 40 - lost.count && saved.lost == lost.count)
        #expect(try await append("new", in: again).sequence > 40)
        await again.close()
    }

    @Test func `no number is given again that the disk has lost meanwhile (scar 12)`()
        async throws
    {
        await store.suspend()
        try Connection(.file(path)).executeScript(
            "DELETE FROM item; UPDATE sqlite_sequence SET seq = 0 WHERE name = 'item'")
        try await store.resume()
        #expect(try await append("new", in: store).sequence > 40)
        await store.close()
    }

    @Test func `items that a salvage lost are reported until confirmed, and can be written again`()
        async throws
    {
        let items = try #require(try await store.outbox.news(regardless: true)).items
        await store.suspend()
        let lost = try DamagedLeaf.destroy(0, in: path)
        try await store.resume()
        var loss: OutboxLoss?
        for _ in 0..<2 {
            let news = try #require(try await store.outbox.news(regardless: true))
            loss = news.loss
            #expect(loss?.savedItems == Set(news.items.map(\.sequence)))
            #expect(news.items.count == items.count - lost.count)
        }
        // The number of the first lost item belongs to another item now.
        let first = items[0]
        try Connection(.file(path)).executeScript(
            "UPDATE item SET sequence = 1 WHERE sequence = 40")
        let notes = lost.map { OutboxNote.restored(items[$0 - 1]) }
        #expect(try await store.outbox.note(notes + notes).refused.isEmpty)
        await store.outbox.mend(try #require(loss))
        let news = try #require(try await store.outbox.news(regardless: true))
        #expect(news.loss == nil)
        #expect(Set(news.items.map(\.requestID)) == Set(items.map(\.requestID)))
        for item in items where lost.contains(Int(item.sequence)) && item != first {
            #expect(news.items.contains(item))
        }
        #expect(news.items.last?.requestID == first.requestID)
        await store.close()
    }

    @Test(arguments: [SimulatedDisk.Operation.write, .open, .sync])
    func `an interrupted repair is reported with every item once it is complete (scars 42, 45)`(
        operation: SimulatedDisk.Operation
    ) async throws {
        await store.close()
        let lost = try DamagedLeaf.destroy(2, 5, in: path).count
        func copy() throws -> TemporaryFolder {
            let copy = try TemporaryFolder(inMemory: true)
            try FileManager.default.copyItem(
                atPath: folder.file("app"), toPath: copy.file("app"))
            return copy
        }
        let whole = try copy()
        let counter = SimulatedDisk(whole.path)
        let code = operation == .write ? DiskFaultTests.Code.full : DiskFaultTests.Code.cannotOpen
        counter.plan(.init(operation, of: "outbox", nth: .max, code: code))
        await (try Store.test(.folder(whole.path))).close()
        var failed = 0
        for nth in 1...counter.matches {
            let trial = try copy()
            let disk = SimulatedDisk(trial.path)
            disk.plan(.init(operation, of: "outbox", nth: nth, code: code))
            var reports: [RepairReport] = []
            do throws(StoreError) {
                let store = try await Store.open(
                    .folder(trial.path), owner: Fixture.owner, Fixture.options)
                reports.append(store.outboxReport)
                await store.close()
            } catch {
                failed += 1
                reports.append(error.repairs.outbox)
            }
            disk.plan(nil)
            let store = try await Store.test(.folder(trial.path))
            reports.append(store.outboxReport)
            let told = reports.compactMap { report in
                if case .repaired(_, _, let saved) = report { saved.messages } else { nil }
            }
            #expect(told == [40 - lost], "\(nth): \(reports)")
            #expect(try await store.outbox.items().items.count == 40 - lost)
            await store.close()
        }
        #expect(counter.matches > 3 && failed > 1)
    }

    @Test(arguments: [false, true])
    func `a salvaged outbox that is damaged in its turn is salvaged once more (scar 42)`(
        isQuarantined: Bool
    ) async throws {
        await store.close()
        let lost = try DamagedLeaf.destroy(2, 5, in: path).count
        let original = try Data(contentsOf: URL(fileURLWithPath: path))
        await (try Store.test(.folder(folder.path))).close()
        // The state after a kill with the salvage complete, before or after the old file is moved.
        let saved = folder.file("app/anna/outbox.salvaged")
        try FileManager.default.moveItem(atPath: path, toPath: saved)
        if !isQuarantined {
            try original.write(to: URL(fileURLWithPath: path))
            try FileManager.default.removeItem(atPath: path + ".damaged-1")
        }
        _ = try DamagedLeaf.destroy(0, in: saved)
        let again = try await Store.test(.folder(folder.path))
        guard case .repaired(let quarantine?, _, let saved) = again.outboxReport
        else { return #expect(Bool(false), "\(again.outboxReport)") }
        #expect(
            saved.messages == 40 - lost && saved.lost == lost && quarantine == path + ".damaged-1")
        #expect(try await again.outbox.items().items.count == 40 - lost)
        await again.close()
    }

    @Test func `a second repair that finds no room is repeated (scars 42, 45)`()
        async throws
    {
        await store.close()
        let lost = try DamagedLeaf.destroy(2, 5, in: path).count
        await (try Store.test(.folder(folder.path))).close()
        let saved = folder.file("app/anna/outbox.salvaged")
        try FileManager.default.moveItem(atPath: path, toPath: saved)
        _ = try DamagedLeaf.destroy(0, in: saved)
        let disk = SimulatedDisk(folder.path)
        disk.plan(
            .init(.write, of: "outbox.unfinished", code: DiskFaultTests.Code.full, lasts: true))
        for _ in 0..<2 {
            await #expect(throws: StoreError.self) { try await Store.test(.folder(folder.path)) }
        }
        disk.plan(nil)
        let again = try await Store.test(.folder(folder.path))
        guard case .repaired(_, _, let saved) = again.outboxReport
        else { return #expect(Bool(false), "\(again.outboxReport)") }
        #expect(saved.messages == 40 - lost && saved.lost == lost)
        await again.close()
    }

    @Test func `a half quarantined outbox keeps its log (scars 36, 42)`() async throws {
        // No page of the log has been copied to the main file yet.
        let log = path + "-wal"
        let (whole, newest) = (
            try Data(contentsOf: URL(fileURLWithPath: path)),
            try Data(contentsOf: URL(fileURLWithPath: log))
        )
        #expect(newest.count > 40 * 900)
        await store.close()
        // The state after a kill between the two renamings.
        try FileManager.default.moveItem(
            atPath: path, toPath: folder.file("app/anna/outbox.salvaged"))
        try whole.write(to: URL(fileURLWithPath: path + ".damaged-1"))
        try newest.write(to: URL(fileURLWithPath: log))
        let again = try await Store.test(.folder(folder.path))
        guard case .repaired(let quarantine?, _, let saved) = again.outboxReport
        else { return #expect(Bool(false), "\(again.outboxReport)") }
        #expect(quarantine == path + ".damaged-1" && saved.messages == 40)
        await again.close()
        #expect(try PageSalvage(DatabaseFiles(quarantine)).rows.count >= 40)
        #expect(try Data(contentsOf: URL(fileURLWithPath: quarantine + "-wal")) == newest)
    }

    @Test func `an item replaces its own unreadable row (scar 42)`()
        async throws
    {
        let items = try await store.outbox.items().items
        let name = Query<Int64, Void>(
            sql: "UPDATE item SET payload = x'00' WHERE sequence = ?1",
            bind: { number, bindings in bindings.append(number) })
        try Connection(.file(path)).execute(name, items[2].sequence)
        #expect(try await store.outbox.items().items.count == 39)
        try await store.outbox.note(.restored(items[2]))
        #expect(try await store.outbox.items().items == items)
        await store.close()
    }
}
