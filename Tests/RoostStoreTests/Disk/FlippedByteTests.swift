// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// Stores whose closed files were damaged.
struct FlippedByteTests {
    private static let itemCount = 120

    private static func text(_ number: Int) -> String {
        "unsent \(number) " + String(repeating: "word ", count: number % 7 == 0 ? 1_200 : 20)
    }

    /// Makes a store with all kinds of data, and an outbox of many pages, some of them overflow
    /// pages.
    private func usedFolder() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        for number in 1...ScriptedLife.commitCount {
            try await store.writer.commit(ScriptedLife.mutations(number))
        }
        for number in 1...Self.itemCount {
            _ = try await store.outbox.append(
                ScriptedLife.request(number), to: Fixture.channel,
                createdAt: Timestamp(milliseconds: Int64(number)),
                content: .userMessage(UserMessageParams(text: Self.text(number))))
        }
        // These items were sent; no salvage may restore them.
        for number in stride(from: 5, through: Self.itemCount, by: 5) {
            try await store.outbox.note(.removal(ScriptedLife.request(number)))
        }
        // These were refused, and their names are kept; none of them is lost.
        for number in (Self.itemCount + 1)...(Self.itemCount + 17) {
            try await ScriptedLife.append(number, to: store)
            try await store.outbox.note(.dropped(ScriptedLife.request(number)))
        }
        await store.close()
        return folder
    }

    private static let unsent = (1...itemCount).filter { $0 % 5 != 0 }

    private func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
        let copy = try TemporaryFolder(inMemory: true)
        try FileManager.default.copyItem(atPath: folder.file("app"), toPath: copy.file("app"))
        return copy
    }

    private func change(_ path: String, _ body: (inout Data) -> Void) throws {
        let url = URL(fileURLWithPath: path)
        var data = try Data(contentsOf: url)
        body(&data)
        try data.write(to: url)
    }

    private func pageCount(_ path: String) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: path)).count / 4_096
    }

    /// Opens a store with a check and reads all of it; unreadable values are errors.
    private func readAll(_ folder: TemporaryFolder) async throws -> StoreError? {
        var options = Fixture.options
        options.checksForDamage = true
        do {
            let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
            var failure: StoreError?
            do {
                _ = try await ScriptedLife.sight(of: store)
                _ = try await store.reader.inspection()
                _ = try await store.reader.channel(Fixture.channel)
                _ = try await store.reader.user("anna")
                _ = try await store.outbox.items()
                _ = try await store.writer.commit(ScriptedLife.mutations(7))
            } catch let error as StoreError {
                failure = error
            }
            await store.close()
            return failure
        } catch let error as StoreError {
            return error
        }
    }

    @Test(arguments: ["cache", "outbox"])
    func `one flipped byte anywhere causes no crash, and each error has a kind (scar 42)`(
        name: String
    ) async throws {
        let folder = try await usedFolder()
        let file = "app/anna/\(name).sqlite"
        let pages = try pageCount(folder.file(file))
        var random = SplitMix64(seed: 42)
        for page in 0..<pages {
            for _ in 0..<(Sample.isWhole ? 200 : 2) {
                let damaged = try copy(folder)
                // Half of the bytes are in the part of the page that describes its content.
                let reach: UInt64 = random.next() % 2 == 0 ? 110 : 4_096
                let offset = page * 4_096 + Int(random.next() % reach)
                let bit = UInt8(1) << UInt8(random.next() % 8)
                try change(damaged.file(file)) { $0[offset] ^= bit }
                let error = try await readAll(damaged)
                let allowed: [StoreError.Kind] = [
                    .damaged, .notADatabase, .newerSchema, .otherOwner,
                ]
                if let error {
                    #expect(allowed.contains(error.kind), "\(name) at \(offset): \(error)")
                }
            }
        }
    }

    @Test
    func `of an outbox with a lost page every other item is kept, and none twice (scar 42)`()
        async throws
    {
        let folder = try await usedFolder()
        let pages = try pageCount(folder.file("app/anna/outbox.sqlite"))
        #expect(pages > 10)
        var mostLost = 0
        for page in 0..<pages {
            let damaged = try copy(folder)
            try change(damaged.file("app/anna/outbox.sqlite")) { data in
                for offset in 0..<4_096 { data[page * 4_096 + offset] = 0xA5 }
            }
            let store = try await Store.test(.folder(damaged.path))
            let items = try await store.outbox.items()
            for item in items.items {
                let number = try #require(
                    Self.unsent.first { ScriptedLife.request($0) == item.requestID }, "\(page)")
                #expect(item.sequence == Int64(number))
                guard case .userMessage(let params) = item.content else { continue }
                #expect(params.text == Self.text(number), "\(page)")
            }
            if case .repaired(let path, _, let saved) = store.outboxReport {
                let (count, lost) = (saved.messages, saved.lost)
                #expect(count == items.items.count + items.unreadable.count)
                #expect(count + (lost ?? 0) == Self.unsent.count, "page \(page)")
                #expect(path == damaged.file("app/anna/outbox.sqlite.damaged-1"))
                mostLost = max(mostLost, lost ?? 0)
            } else {
                // A page without items.
                #expect(items.items.count == Self.unsent.count, "page \(page)")
            }
            // The new outbox works, continues the numbers, and is intact at the next opening.
            try await ScriptedLife.append(1_000, to: store)
            await store.close()
            let again = try await Store.test(.folder(damaged.path))
            #expect(again.outboxReport == .intact)
            #expect(try await again.outbox.items().items.count == items.items.count + 1)
            await again.close()
        }
        #expect(mostLost > 1 && mostLost < 60)
    }

    @Test func `an outbox that is no database is quarantined and reported (scars 42, 46)`()
        async throws
    {
        let folder = try await usedFolder()
        let letter = Data(String(repeating: "This is a letter. ", count: 500).utf8)
        let path = folder.file("app/anna/outbox.sqlite")
        try letter.write(to: URL(fileURLWithPath: path))
        let store = try await Store.test(.folder(folder.path))
        #expect(
            store.outboxReport
                == .repaired(
                    quarantine: path + ".damaged-1", because: "file is not a database",
                    saved: SavedContent(lost: nil)))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged-1")) == letter)
        #expect(store.report == .intact)
        await store.close()
    }

    @Test func `an interrupted salvage is completed at the next opening (scars 15, 42)`()
        async throws
    {
        let folder = try await usedFolder()
        let files = FileManager.default
        let base = folder.file("app/anna/outbox")
        // The state after a crash between the two renamings.
        try files.copyItem(atPath: "\(base).sqlite", toPath: "\(base).sqlite.damaged-1")
        try files.moveItem(atPath: "\(base).sqlite", toPath: "\(base).salvaged")
        let store = try await Store.test(.folder(folder.path))
        guard case .repaired(let path, _, let saved) = store.outboxReport else {
            Issue.record("The report should tell of the repair.")
            return
        }
        #expect(path == "\(base).sqlite.damaged-1")
        #expect(saved.messages == Self.unsent.count && saved.lost == nil)
        #expect(try await store.outbox.items().items.count == saved.messages)
        #expect(!files.fileExists(atPath: "\(base).salvaged"))
        await store.close()
    }
}
