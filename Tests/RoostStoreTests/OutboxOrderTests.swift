// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSealing
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// The numbers of the order of writing, which every process takes from the file.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct OutboxOrderTests {
    @discardableResult
    private func send(_ id: RequestID, in store: Store) async throws -> OutboxItem {
        let content = OutboxContent.userMessage(UserMessageParams(text: id.rawValue))
        return try await store.outbox.append(
            id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1), content: content)
    }

    @Test(arguments: [.none, .sealed(MasterKeys(Fixture.key(7)))] as [StoreProtection])
    func `items of two alternating processes have the order of writing (scar 12)`(
        _ protection: StoreProtection
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Fixture.options
        options.protection = protection
        let stores = [
            try await Store.open(.folder(folder.path), owner: Fixture.owner, options),
            try await Store.open(.folder(folder.path), owner: Fixture.owner, options),
        ]
        var asked: [RequestID] = []
        for (turn, count) in [1, 1, 20, 2, 3, 40, 1, 1, 7].enumerated() {
            for _ in 0..<count {
                let id = RequestID("message \(asked.count)")
                asked.append(id)
                try await send(id, in: stores[turn % 2])
            }
        }
        // A resent item is behind all others.
        #expect(
            try await stores[0].outbox.requeue(asked[3], createdAt: Timestamp(milliseconds: 2))
                != nil)
        asked.append(asked.remove(at: 3))
        try await send("last", in: stores[1])
        asked.append("last")
        #expect(try await stores[1].outbox.items().items.map(\.requestID) == asked)
        for store in stores { await store.close() }
    }

    @Test func `a number that a full disk rolled back is given again (scars 12, 40)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        let ours = try await Store.test(.folder(folder.path))
        let theirs = try await Store.test(.folder(folder.path))
        disk.plan(
            .init(.write, of: "outbox", code: DiskFaultTests.Code.full, lasts: true))
        await #expect(throws: StoreError.self) { try await send("refused", in: ours) }
        disk.plan(nil)
        var asked: [RequestID] = []
        for number in 0..<3 {
            for (name, store) in [("theirs", theirs), ("ours", ours), ("ours too", ours)] {
                let id = RequestID("\(name) \(number)")
                asked.append(id)
                try await send(id, in: store)
            }
        }
        #expect(try await ours.outbox.items().items.map(\.requestID) == asked)
        await theirs.close()
        await ours.close()
    }
}
