// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Processes that share one folder.
struct TwoProcessTests {
    private static let count = Sample.isWhole ? 3_000 : 120

    @Test
    func `three processes write at once and see all writes (scars 51, 54)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let helpers = try (1...2).map { seed in
            try ChildProcess.onStore("write", folder.path, seed: seed, count: Self.count)
        }
        let store = try await Store.test(.folder(folder.path))
        for index in 0..<Self.count {
            let id = Int64(index) * 10 + 3
            try await store.writer.commit([Fixture.page(id...id)])
        }
        var unsent: [[String]] = []
        for helper in helpers {
            let lines = await helper.lines()
            #expect(lines.last == "done")
            unsent.append(
                lines.filter { $0.hasPrefix("unsent") }.map { String($0.dropFirst(7)) })
        }
        // Each commit has its number, and its messages are in a range of their own.
        let inspection = try await store.reader.inspection()
        #expect(inspection.sequence == Int64(3 * Self.count))
        #expect(try await store.reader.coverage(of: "channel").value.ranges.count == 3 * Self.count)
        for index in 0..<Self.count {
            for seed in 1...3 {
                let id = MessageID(Int64(index * 10 + seed))
                #expect(try await store.reader.message(id).value != nil)
            }
        }
        let items = try await store.outbox.items().items.map(\.requestID.rawValue)
        #expect(items.count == unsent.joined().count)
        // The items of each process have their order of writing.
        for unsent in unsent { #expect(items.filter(Set(unsent).contains) == unsent) }
        #expect(try await store.reader.damage() == [])
        await store.close()
    }

    @Test func `a killed process leaves a store with which others continue (scar 52)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        var unsent: [String] = []
        for seed in 1...5 {
            let helper = try ChildProcess.onStore(
                "write", folder.path, seed: seed, count: 1_000_000)
            let beginning = await helper.text { $0.contains("began\n") }
            #expect(beginning.contains("began\n"))
            for index in 0..<10 {
                let id = Int64(seed * 1_000 + index) * 10 + 9
                try await store.writer.commit([Fixture.page(id...id)])
            }
            helper.signal(SIGKILL)
            let lines = await helper.lines()
            // The last line may be incomplete.
            unsent += lines.dropLast().filter { $0.hasPrefix("unsent") }.map {
                String($0.dropFirst(7))
            }
            try await store.writer.commit([])
            _ = try await store.outbox.items()
        }
        #expect(try await store.reader.damage() == [])
        let items = try await store.outbox.items().items.map(\.requestID.rawValue)
        #expect(Set(unsent).isSubset(of: items))
        // Every message is covered, and no range overlaps another.
        let coverage = try await store.reader.coverage(of: "channel").value.ranges
        #expect(try await store.reader.inspection().sequence == Int64(coverage.count + 5))
        await store.close()
        // No process holds the folder any more.
        _ = try FolderLock(file: folder.file("app/anna/lock"), .exclusive)
    }

    @Test
    func `a lock of several processes has one owner and is free at the end (scar 52)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("lock")
        let helpers = try (1...4).map { seed in
            try ChildProcess.onStore("hold", path, seed: seed, count: Self.count / 3)
        }
        for helper in helpers {
            #expect(await helper.lines() == ["done"])
            #expect(await helper.end() == .exited(0))
        }
        _ = try FolderLock(file: path, .exclusive)
    }
}
