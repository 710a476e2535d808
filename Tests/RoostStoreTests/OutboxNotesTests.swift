// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// Notes about items; the row of one item refuses changes.
struct OutboxNotesTests {
    private let folder: TemporaryFolder
    private let disk: SimulatedDisk
    private let store: Store

    /// Makes the items "a", "b" and "c"; the row of "b" can be deleted but not changed.
    init() async throws {
        folder = try TemporaryFolder(inMemory: true)
        disk = SimulatedDisk(folder.path)
        store = try await Store.test(.folder(folder.path))
        for id: RequestID in ["a", "b", "c"] {
            _ = try await store.outbox.append(
                id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
                content: Self.content(id.rawValue))
        }
        try script(
            """
            CREATE TRIGGER stuck BEFORE UPDATE ON item WHEN old.sequence = 2
            BEGIN SELECT RAISE(ABORT, 'stuck'); END
            """)
    }

    private static func content(_ text: String) -> OutboxContent {
        .userMessage(UserMessageParams(text: text))
    }

    private func script(_ sql: SQL) throws {
        let connection = try Connection(.file(folder.file("app/anna/outbox.sqlite")))
        try connection.executeScript(sql)
    }

    private func row(_ id: RequestID) async throws -> OutboxItem? {
        try await store.outbox.items().items.first { $0.requestID == id }
    }

    @Test
    func `notes of one write are one flush, and a refused one costs no other (scar 65)`()
        async throws
    {
        func writes(_ names: RequestID...) -> [OutboxWrite] {
            names.map { name in
                .append(
                    OutboxDraft(
                        name, to: Fixture.channel, createdAt: Timestamp(milliseconds: 2),
                        content: Self.content(name.rawValue)))
            }
        }
        func texts(_ results: [Result<OutboxResult, StoreError>]) -> [String] {
            results.map { result in
                switch result {
                case .success(.item(let item)): item?.requestID.rawValue ?? "none"
                case .success(.noted(let receipt)): "noted, \(receipt.refused.count) refused"
                case .success(.place), .success(.takenBack): "other"
                case .failure: "failed"
                }
            }
        }
        #expect(texts(await store.outbox.perform(writes("d", "e", "a"))) == ["d", "e", "a"])
        let refused = await store.outbox.perform(
            writes("f") + [
                .fold(MessageEdit(text: "x"), into: "b", at: .distantPast),
                .notes([.attempt("b"), .attempt("c")]),
            ] + writes("g"))
        #expect(texts(refused) == ["f", "failed", "noted, 1 refused", "g"])
        let items = try await store.outbox.items().items
        #expect(items.map(\.requestID) == ["a", "b", "c", "d", "e", "f", "g"])
        #expect(items.map(\.hasLeft) == [false, false, true, false, false, false, false])
        await store.close()
    }

    @Test func `an unwritable note keeps no other note from the disk (scar 65)`() async throws {
        let refused = UnsentState.failed(.notAMember)
        let receipt = try await store.outbox.note([
            .attempt("a"), .state("b", refused), .state("c", refused), .removal("a"),
        ])
        #expect(receipt.refused.keys.sorted() == [1])
        #expect(try await store.outbox.items().items.map(\.requestID) == ["b", "c"])
        #expect(try await row("b")?.state == .pending)
        #expect(try await row("c")?.state == refused)
        // A call with this note alone gets the error.
        await #expect(throws: StoreError.self) {
            try await store.outbox.note(.state("b", refused))
        }
        try script("DROP TRIGGER stuck")
        #expect(try await store.outbox.note([.state("b", refused)]).refused.isEmpty)
        #expect(try await row("b")?.state == refused)
        await store.close()
    }

    @Test func `later notes of an item wait with the refused one (scar 65)`()
        async throws
    {
        try script(
            """
            DROP TRIGGER stuck;
            CREATE TRIGGER stuck BEFORE UPDATE OF payload ON item WHEN old.sequence = 2
            BEGIN SELECT RAISE(ABORT, 'stuck'); END
            """)
        let notes: [OutboxNote] = [
            .content("b", Fixture.channel, Self.content("new")), .attempt("c"), .attempt("b"),
        ]
        #expect(try await store.outbox.note(notes).refused.keys.sorted() == [0, 2])
        #expect(try await row("b")?.attemptCount == 0)
        #expect(try await row("c")?.attemptCount == 1)
        // A removal leaves nothing to report.
        let ended = try await store.outbox.note(notes + [.removal("b")])
        #expect(ended.refused.isEmpty)
        #expect(try await store.outbox.items().items.map(\.requestID) == ["a", "c"])
        await store.close()
    }

    @Test func `a full disk writes none of the notes, and all can be repeated`()
        async throws
    {
        let notes: [OutboxNote] = [.attempt("a"), .attempt("b"), .removal("c")]
        disk.plan(SimulatedDisk.Fault(.write, of: "outbox", code: 13, lasts: true))
        let error = await #expect(throws: StoreError.self) {
            try await store.outbox.note(notes)
        }
        #expect(error?.kind == .full)
        disk.plan(nil)
        #expect(try await store.outbox.items().items.map(\.attemptCount) == [0, 0, 0])
        #expect(try await store.outbox.note(notes).refused.keys.sorted() == [1])
        #expect(try await store.outbox.items().items.map(\.attemptCount) == [1, 0])
        await store.close()
    }

    @Test func `the numbers of a refused note go to the next call (scars 12, 65)`()
        async throws
    {
        // No number is reserved by this process any more.
        await store.suspend()
        try await store.resume()
        let notes: [OutboxNote] = [
            .requeued("b", createdAt: Timestamp(milliseconds: 2)), .attempt("a"),
        ]
        #expect(try await store.outbox.note(notes).refused.keys.sorted() == [0])
        let other = try await Store.test(.folder(folder.path))
        var numbers: [Int64] = []
        for round in 0..<3 {
            for (name, store) in [("theirs", other), ("ours", store)] {
                let item = try await store.outbox.append(
                    RequestID("\(name) \(round)"), to: Fixture.channel,
                    createdAt: Timestamp(milliseconds: 3), content: Self.content(name))
                numbers.append(item.sequence)
            }
        }
        #expect(numbers == Set(numbers).sorted())
        await other.close()
        await store.close()
    }
}
