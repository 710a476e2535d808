// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Damage that an opening does not meet and a later read does.
@Suite(.enabled(if: !Fixture.isSealed, "looks for words in the file"))
struct DamageInUseTests {
    private static let other: ChannelURL = "other"

    /// Makes a cache of some hundred messages, and an unsent message.
    private func filled() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        for (url, first) in [(Fixture.channel, Int64(1)), (Self.other, 1_000)] {
            let messages = (first...(first + 299)).map { id in
                Fixture.message(
                    id, in: url, text: "the text of \(id) " + String(repeating: "x", count: 80))
            }
            try await store.writer.commit([
                .channels([Fixture.group(url, name: "name of \(url)")]),
                .messages(url, messages, covering: Fixture.range(first, first + 299)),
            ])
        }
        try await ScriptedLife.append(1, to: store)
        await store.close()
        return folder
    }

    /// Makes the same cache with a destroyed leaf.
    private func damaged() async throws -> TemporaryFolder {
        let folder = try await filled()
        try DamagedLeaf.destroy(
            holding: "the text of 150 ", in: folder.file("app/anna/cache.sqlite"))
        return folder
    }

    private func count(_ store: Store, _ url: ChannelURL = Fixture.channel) async throws -> Int {
        try await store.reader.messages(MessageQuery(in: url, limit: 1_000)).value.count
    }

    private func expectDamage(_ store: Store) async {
        let error = await #expect(throws: StoreError.self) { try await count(store) }
        #expect(error?.kind == .damaged)
    }

    /// Expects that certain messages were kept and that no lost one is covered.
    private func expectMended(_ store: Store) async throws {
        let left = try await count(store)
        #expect(left > 100 && left < 300)
        #expect(try await count(store, Self.other) == 300)
        let coverage = try await store.reader.coverage(of: Fixture.channel).value
        #expect(coverage.range(containing: Fixture.place(150)) == nil)
        #expect(try await store.verify().findings == [])
        #expect(try await store.outbox.items().items.count == 1)
    }

    private func isRebuilt(_ report: RepairReport?) -> Bool {
        if case .repaired = report { true } else { false }
    }

    @Test
    func `damage met by a read is reported and repaired while the cache is in use (scars 42, 43)`()
        async throws
    {
        let folder = try await damaged()
        let store = try await Store.test(.folder(folder.path))
        #expect(store.report == .intact)
        #expect(try await store.mend() == nil)
        var damage = store.damage().makeAsyncIterator()
        let missed = await store.writer.missedCommits()
        await expectDamage(store)
        await expectDamage(store)
        guard case .suspected? = await damage.next() else {
            Issue.record("Nobody was told.")
            return
        }
        // Calls during the repair are done before or after it.
        async let commit = store.writer.commit([Fixture.page(2_000...2_010, in: "new")])
        async let rest = store.reader.newest(in: Self.other)
        #expect(isRebuilt(try await store.mend()))
        _ = try await (commit, rest)
        try await expectMended(store)
        #expect(try await count(store, "new") == 11)
        var entries = missed.makeAsyncIterator()
        guard case .missed? = await entries.next() else {
            Issue.record("Lists go on showing what was lost.")
            return
        }
        #expect(try await store.mend() == nil)
        await store.close()
        #expect(await damage.next() == nil)
        let again = try await Store.test(.folder(folder.path))
        #expect(again.report == .intact)
        await again.close()
    }

    @Test func `the next opening does a repair that the process did not (scar 43)`()
        async throws
    {
        let folder = try await damaged()
        for isFirst in [true, false] {
            let store = try await Store.test(.folder(folder.path))
            #expect(isRebuilt(store.report) == !isFirst)
            if isFirst { await expectDamage(store) } else { try await expectMended(store) }
            await store.close()
        }
        let again = try await Store.test(.folder(folder.path))
        #expect(again.report == .intact)
        await again.close()
    }

    /// The other channel, whose answers leave its receipts out.
    private static func otherGroup(isAnswer: Bool = false) -> GroupChannel {
        var group = Fixture.group(other, members: [User(id: "anna", nickname: "Anna")], name: "n")
        if !isAnswer { group.readReceipts = ["anna": Timestamp(milliseconds: 3)] }
        return group
    }

    /// Makes a cache of two channels, of which the first names a missing user and breaks off.
    private func withMisreadChannel() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let group = Fixture.group(Fixture.channel, members: [User(id: "bob")], name: "n")
        try await store.writer.commit([
            .channels([group, Self.otherGroup()]), Fixture.page(1...5),
            Fixture.page(1_000...1_009, in: Self.other),
        ])
        await store.close()
        var payload: [UInt8] = []
        ChannelPayload.write(group, to: &payload) { _ in 9_999 }
        let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try connection.execute(
            Query<[UInt8], Void>(
                sql: "UPDATE channel SET payload = ?1 WHERE url = 'channel'",
                bind: { payload, bindings in bindings.append(payload) }),
            Array(payload.dropLast()))
        return folder
    }

    @Test func `a channel that cannot be read leaves the next one of a commit alone (scar 110)`()
        async throws
    {
        let folder = try await withMisreadChannel()
        let store = try await Store.test(.folder(folder.path))
        let commit = try await store.writer.commit([
            .channels([Fixture.group(Fixture.channel), Self.otherGroup(isAnswer: true)])
        ])
        #expect(commit.channels?.inserted.map(\.url) == [Fixture.channel])
        #expect(try await store.reader.channel(Self.other).value == Self.otherGroup())
        await store.close()
    }

    @Test func `a repair leaves out a channel that cannot be read, but not its messages (scar 43)`()
        async throws
    {
        let folder = try await withMisreadChannel()
        let store = try await Store.test(.folder(folder.path))
        let findings = try await store.verify().findings
        #expect(findings.count == 1, "\(findings)")
        #expect(findings.first?.channel == Fixture.channel)
        await #expect(throws: StoreError.self) {
            try await store.reader.channels(order: .chronological, limit: 9)
        }
        #expect(isRebuilt(try await store.mend()))
        let listed = try await store.reader.channels(order: .chronological, limit: 9).value
        #expect(listed == [Self.otherGroup()])
        #expect(try await store.reader.newest(in: Self.other).count == 10)
        #expect(try await store.reader.newest().count == 5)
        await store.close()
    }

    /// Makes a cache with three messages of a user whose row cannot be read.
    private func withBrokenUser() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit([Fixture.page(1...3)])
        await store.close()
        let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try connection.executeScript("UPDATE user SET payload = x'00'")
        return folder
    }

    @Test func `a message heals the unreadable row of its sender (scar 43)`() async throws {
        let folder = try await withBrokenUser()
        let store = try await Store.test(.folder(folder.path))
        let message = Fixture.message(4)
        try await store.writer.commit([.liveMessage(message, predecessor: 3)])
        for _ in 0..<2 { #expect(try await store.reader.message(4).value == message) }
        #expect(try await store.reader.newest() == (1...4).map { Fixture.message($0) })
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `a check finds an unreadable user of no channel (scar 43)`() async throws {
        let folder = try await withBrokenUser()
        let store = try await Store.test(.folder(folder.path))
        #expect(try await store.verify().findings.map(\.kind).contains(.payload))
        let error = await #expect(throws: StoreError.self) { try await store.reader.user("anna") }
        #expect(error?.kind == .damaged)
        #expect(isRebuilt(try await store.mend()))
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `a cache in use by other stores stays as it is, and the last store repairs it`()
        async throws
    {
        let folder = try await damaged()
        let first = try await Store.test(.folder(folder.path))
        await expectDamage(first)
        let second = try await Store.test(.folder(folder.path))
        #expect(second.report == .intact)
        #expect(try await first.mend() == nil)
        #expect(try await count(first, Self.other) == 300)
        await second.close()
        #expect(isRebuilt(try await first.mend()))
        try await expectMended(first)
        await first.close()
    }

    @Test func `a suspended cache is repaired when it resumes (scar 49)`()
        async throws
    {
        let folder = try await damaged()
        let store = try await Store.test(.folder(folder.path))
        await expectDamage(store)
        await store.suspend()
        #expect(try await store.mend() == nil)
        #expect(isRebuilt(try await store.resume().cache))
        try await expectMended(store)
        await store.close()
    }

    @Test func `a suspension ends a repair, and the resumption repeats it`()
        async throws
    {
        for _ in 0..<10 {
            let folder = try await damaged()
            let store = try await Store.test(.folder(folder.path))
            await expectDamage(store)
            async let mended = store.mend()
            await store.suspend()
            let found = try await (mended, store.resume().cache)
            #expect([found.0, found.1].count { isRebuilt($0) } == 1)
            try await expectMended(store)
            await store.close()
        }
    }

    @Test func `a suspension does not wait for the end of a long repair (scar 49)`()
        async throws
    {
        let folder = try await filled()
        let many: ChannelURL = "many"
        let full = try await Store.test(.folder(folder.path))
        try await full.writer.commit([.channels([Fixture.group(many)])])
        for first in stride(from: Int64(10_001), to: 30_000, by: 1_000) {
            try await full.writer.commit([Fixture.page(first...(first + 999), in: many)])
        }
        await full.close()
        try DamagedLeaf.destroy(
            holding: "the text of 150 ", in: folder.file("app/anna/cache.sqlite"))
        let disk = SimulatedDisk(folder.path)
        let store = try await Store.test(.folder(folder.path))
        await expectDamage(store)
        // No fault, but a count of the writes of the repair.
        disk.plan(.init(.write, of: "cache.unfinished", nth: .max, code: DiskFaultTests.Code.full))
        async let mended = store.mend()
        while disk.matches < 50 { await Task.yield() }
        await store.suspend()
        let written = disk.matches
        #expect(try await mended == nil)
        #expect(isRebuilt(try await store.resume().cache))
        #expect(disk.matches - written > written)
        try await expectMended(store)
        #expect(try await store.reader.inspection().channels.map(\.messageCount).max() == 20_000)
        await store.close()
    }

    @Test func `without room for a repair the cache continues as it is (scar 45)`()
        async throws
    {
        let folder = try await damaged()
        let disk = SimulatedDisk(folder.path)
        let store = try await Store.test(.folder(folder.path))
        await expectDamage(store)
        disk.plan(
            .init(.write, of: "cache.unfinished", code: DiskFaultTests.Code.full, lasts: true))
        #expect(try await store.mend() == nil)
        #expect(try await count(store, Self.other) == 300)
        disk.plan(nil)
        #expect(isRebuilt(try await store.mend()))
        try await expectMended(store)
        await store.close()
    }

    @Test func `a failed reopening of the file is repeated, and no write is lost meanwhile`()
        async throws
    {
        let folder = try await damaged()
        let disk = SimulatedDisk(folder.path)
        let store = try await Store.test(.folder(folder.path))
        await expectDamage(store)
        disk.plan(.init(.open, of: "cache", code: DiskFaultTests.Code.cannotOpen, lasts: true))
        await #expect(throws: StoreError.self) { try await store.mend() }
        async let waiting = store.reader.newest(in: Self.other)
        try await ScriptedLife.append(2, to: store)
        disk.plan(nil)
        #expect(isRebuilt(try await store.mend()))
        #expect(try await waiting.count == 300)
        #expect(try await store.outbox.items().items.count == 2)
        await store.close()
    }

    @Test func `damage that no check finds is reported once, and the next opening checks again`()
        async throws
    {
        let folder = try await filled()
        let disk = SimulatedDisk(folder.path)
        let store = try await Store.test(.folder(folder.path))
        let damage = store.damage()
        // The file is intact; the connection to the disk is not.
        for (reader, isFirst) in zip(store.readers, [true, false]) {
            disk.plan(.init(.read, of: "cache.sqlite", code: 11, lasts: true))
            // Each opens a connection, and so reads.
            let error = await #expect(throws: StoreError.self) { try await reader.user("anna") }
            #expect(error?.kind == .damaged)
            disk.plan(nil)
            if isFirst { #expect(try await store.mend() == .intact) }
            #expect(try await count(store) == 300)
        }
        await store.close()
        var told = 0
        for await _ in damage { told += 1 }
        #expect(told == 1)
        let mark = folder.file("app/anna/cache.suspect")
        #expect(FileManager.default.fileExists(atPath: mark))
        let again = try await Store.test(.folder(folder.path))
        #expect(again.report == .intact)
        #expect(!FileManager.default.fileExists(atPath: mark))
        await again.close()
    }
}
