// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Salvage of a cache with destroyed pages, and the findings of `verify`.
struct SalvageTests {
    private static let channels: [ChannelURL] = ["a", "b", "c", "d"]

    private static func request(_ url: ChannelURL, _ id: Int64) -> RequestID {
        RequestID("\(url) \(id)")
    }

    /// The files of a cache of some hundred pages: two ranges in each channel, cursors, users.
    ///
    /// Made once for all tests, each of which gets a copy.
    private static let filledFiles = Task {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        for (index, url) in channels.enumerated() {
            let base = Int64(index) * 10_000
            try await store.writer.commit([
                .channels([Fixture.group(url, name: "name of \(url)")]),
                .cursor(.messageChanges(url), .token("token \(url)")), .pinned(url, index == 1),
            ])
            for (lower, upper) in [(base + 1, base + 300), (base + 1_000, base + 1_200)] {
                let messages = (lower...upper).map { id in
                    let sender = User(id: UserID("user \(id % 5)"), nickname: "Name \(id % 5)")
                    let length = id % 40 == 0 ? 6_000 : 60
                    return Fixture.message(
                        id, in: url, text: "\(id) " + String(repeating: "word ", count: length / 5),
                        from: id % 9 == 0 ? User(id: "anna") : sender,
                        request: request(url, id))
                }
                try await store.writer.commit([
                    .messages(url, messages, covering: Fixture.range(lower, upper))
                ])
            }
        }
        try await store.writer.commit([.cursor(.channelChanges, .token("all"))])
        await store.close()
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            // A folder has no content.
            files[path] = try? Data(contentsOf: URL(filePath: folder.file(path)))
        }
        return files
    }

    /// A folder of the test's own with the filled cache.
    private func filled() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        for (path, content) in try await Self.filledFiles.value {
            let url = URL(filePath: folder.file(path))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: url)
        }
        return folder
    }

    private struct Content {
        var messages: [ChannelURL: [MessageID: Message]] = [:]
        var coverage: [ChannelURL: Coverage] = [:]
    }

    private func content(_ store: Store) async throws -> Content {
        var content = Content()
        for url in Self.channels {
            let messages = try await store.reader.messages(
                MessageQuery(in: url, limit: 10_000)
            ).value
            content.messages[url] = Dictionary(
                messages.compactMap { message in message.messageID.map { ($0, message) } }
            ) { first, _ in first }
            content.coverage[url] = try await store.reader.coverage(of: url).value
        }
        return content
    }

    private func openChecked(_ folder: TemporaryFolder) async throws -> Store {
        try await Store.open(.folder(folder.path), owner: Fixture.owner, checking)
    }

    private var checking: Store.Options {
        var options = Fixture.options
        options.checksForDamage = true
        return options
    }

    @Test
    func `of a cache with destroyed pages only certain data are kept (scars 42, 43)`()
        async throws
    {
        let folder = try await filled()
        let before = try await Store.test(.folder(folder.path))
        let model = try await content(before)
        await before.close()
        let path = "app/anna/cache.sqlite"
        let original = try Data(contentsOf: URL(fileURLWithPath: folder.file(path)))
        let pages = original.count / 4_096
        #expect(pages > 60)
        var random = SplitMix64(seed: 43)
        var (rebuilt, kept, cut) = (0, 0, 0)
        let rounds = Sample.isWhole ? 600 : 16
        for round in 0..<rounds {
            let damaged = try TemporaryFolder(inMemory: true)
            try FileManager.default.copyItem(
                atPath: folder.file("app"), toPath: damaged.file("app"))
            var bytes = original
            for _ in 0...(random.next() % 4) {
                // The first page has the cache's owner; without it the whole cache is void.
                let page = 1 + Int(random.next() % UInt64(pages - 1))
                for offset in 0..<4_096 {
                    bytes[page * 4_096 + offset] = UInt8(random.next() & 0xFF)
                }
            }
            try bytes.write(to: URL(fileURLWithPath: damaged.file(path)))
            let store = try await openChecked(damaged)
            if case .repaired(_, _, let salvaged) = store.report {
                rebuilt += 1
                kept += salvaged.messages
                if !salvaged.isWhole { cut += 1 }
                let found = try await content(store)
                #expect(
                    salvaged.messages == found.messages.values.reduce(0) { $0 + $1.count })
                for url in Self.channels {
                    let (old, new) = (model.messages[url] ?? [:], found.messages[url] ?? [:])
                    let changed = new.filter { id, message in
                        old[id]?.text != message.text || old[id]?.sender != message.sender
                    }
                    #expect(changed.isEmpty, "round \(round): \(url)")
                    // Covered messages are there.
                    let coverage = found.coverage[url] ?? Coverage()
                    let lost = old.filter { id, message in
                        guard new[id] == nil, let place = message.position else { return false }
                        return coverage.range(containing: place) != nil
                    }
                    #expect(lost.isEmpty, "round \(round): \(url)")
                    // Covered ranges were covered before.
                    for range in coverage.ranges {
                        let known = model.coverage[url]?.range(containing: range.lower)
                        #expect(known?.contains(range.upper) == true, "round \(round): \(url)")
                    }
                    // The change log is read again from the salvage, for any number of messages.
                    let cursor = try await store.reader.cursor(.messageChanges(url)).value
                    let isOld = cursor == .token("token \(url)") || cursor == .moment(.start)
                    #expect(isOld || found.messages[url]?.isEmpty != false, "round \(round)")
                }
                let cursor = try await store.reader.cursor(.channelChanges).value
                let isOld = cursor == .token("all") || cursor == .moment(.start)
                #expect(isOld || salvaged.channels == 0, "round \(round): \(cursor as Any)")
                #expect(try await store.verify().findings == [], "round \(round)")
            }
            await store.close()
        }
        #expect(rebuilt > rounds / 2 && cut > rounds / 4)
        #expect(kept > rebuilt * 500, "\(kept) of \(rebuilt) were kept")
    }

    @Test
    func `a cache with damage in its free pages only is kept whole (scar 43)`()
        async throws
    {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        let model = try await content(store)
        await store.close()
        let report = try await FolderInspection.repair(
            folder.file("app/anna"), owner: Fixture.owner,
            Fixture.options.protection)
        guard case .repaired(let path, _, let salvaged) = report else {
            Issue.record("A repair should tell of itself.")
            return
        }
        #expect(path == folder.file("app/anna/cache.sqlite.damaged-1"))
        #expect(salvaged.isWhole && salvaged.channels == 4 && salvaged.messages == 2_004)
        let again = try await Store.test(.folder(folder.path))
        let found = try await content(again)
        #expect(found.messages == model.messages && found.coverage == model.coverage)
        #expect(try await again.reader.cursor(.channelChanges).value == .token("all"))
        #expect(try await again.reader.cursor(.messageChanges("b")).value == .token("token b"))
        let mine = try await again.reader.message(Self.request("b", 10_008)).value
        #expect(mine?.messageID == MessageID(10_008))
        #expect(try await again.verify().findings == [])
        await again.close()
        // Only the newest of the old files is kept, because they contain messages.
        _ = try await FolderInspection.repair(
            folder.file("app/anna"), owner: Fixture.owner, Fixture.options.protection)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("app/anna"))
        #expect(files.filter { $0.hasSuffix(".damaged-2") } == [])
    }

    @Test func `a cache whose users cannot be read keeps all messages (scar 43)`() async throws {
        let folder = try await filled()
        do {
            let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
            try connection.executeScript("UPDATE user SET payload = x'00'")
        }
        let store = try await openChecked(folder)
        let saved = try #require(salvaged(store.report))
        #expect(saved.messages == 2_004 && saved.channels == 4 && !saved.isWhole)
        let message = try await store.reader.message(MessageID(7)).value
        #expect(message?.sender?.user == User(id: "user 2"))
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    /// A cache with one changed page in the middle of its messages.
    private func damaged() async throws -> TemporaryFolder {
        let folder = try await filled()
        let path = folder.file("app/anna/cache.sqlite")
        let connection = try Connection(.file(path))
        let roots = Query<Void, Int64>(
            sql: "SELECT rootpage FROM sqlite_master WHERE name = 'message'"
        ) { row in row.int64(0) }
        let root = try #require(try connection.first(roots))
        try connection.emptyLog()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let size = 4_096
        let page = bytes[(Int(root) - 1) * size..<Int(root) * size]
        // A cell of an inner page begins with the number of a child page.
        let cells = (0..<(Int(page[page.startIndex + 3]) << 8 | Int(page[page.startIndex + 4])))
        let place = page.startIndex + 12 + 2 * (cells.count / 2)
        let cell = page.startIndex + (Int(page[place]) << 8 | Int(page[place + 1]))
        let leaf = page[cell..<(cell + 4)].reduce(0) { $0 << 8 | Int($1) }
        bytes.replaceSubrange(
            (leaf - 1) * size..<leaf * size, with: Data(repeating: 0x2A, count: size))
        try bytes.write(to: URL(fileURLWithPath: path))
        return folder
    }

    @Test(.enabled(if: !Fixture.isSealed, "a sealed file is opened more often"))
    func `a damaged cache is checked once before it is copied (scar 43)`() async throws {
        let folder = try await damaged()
        let disk = SimulatedDisk(folder.path)
        // No fault, but a count of the openings.
        disk.plan(
            .init(
                .open, of: "cache", suffix: ".sqlite", nth: .max,
                code: DiskFaultTests.Code.cannotOpen))
        let store = try await openChecked(folder)
        // For the check, the keys and the copy, then twice for the new file.
        #expect(disk.matches == 5)
        #expect(salvaged(store.report) != nil)
        await store.close()
    }

    private func copy(of folder: TemporaryFolder) throws -> TemporaryFolder {
        let copy = try TemporaryFolder(inMemory: true)
        try FileManager.default.copyItem(atPath: folder.file("app"), toPath: copy.file("app"))
        return copy
    }

    private func salvaged(_ report: RepairReport) -> SavedContent? {
        guard case .repaired(_, _, let salvaged) = report else { return nil }
        return salvaged
    }

    @Test(arguments: [DiskFaultTests.Code.full, DiskFaultTests.Code.cannotOpen])
    func `an interrupted salvage is reported and repeated (scars 42, 43, 45)`(
        code: Int32
    ) async throws {
        let operation: SimulatedDisk.Operation =
            code == DiskFaultTests.Code.full ? .write : .open
        let original = try await damaged()
        let whole = try copy(of: original)
        let counter = SimulatedDisk(whole.path)
        counter.plan(.init(operation, nth: .max, code: code))
        let undisturbed = try await openChecked(whole)
        let expected = try #require(salvaged(undisturbed.report))
        #expect(expected.messages > 1_000 && expected.messages < 2_004)
        await undisturbed.close()
        var (failed, told) = (0, 0)
        for nth in ScriptedLife.sample(1...counter.matches, quick: 16, seed: UInt64(code)) {
            let folder = try copy(of: original)
            let disk = SimulatedDisk(folder.path)
            disk.plan(.init(operation, nth: nth, code: code))
            var reports: [RepairReport] = []
            do throws(StoreError) {
                let store = try await Store.open(
                    .folder(folder.path), owner: Fixture.owner, checking)
                reports.append(store.report)
                await store.close()
            } catch {
                failed += 1
                if error.repairs.cache != .intact { told += 1 }
                reports.append(error.repairs.cache)
            }
            disk.plan(nil)
            let store = try await openChecked(folder)
            reports.append(store.report)
            #expect(reports.compactMap { salvaged($0) } == [expected], "\(nth)")
            let found = try await content(store)
            #expect(found.messages.values.reduce(0) { $0 + $1.count } == expected.messages)
            #expect(try await store.verify().findings == [])
            await store.close()
            let files = try FileManager.default.contentsOfDirectory(
                atPath: folder.file("app/anna"))
            #expect(files.filter { $0.contains("unfinished") } == [])
        }
        #expect(failed > 2)
        #expect(told > 0 || operation == .write)
    }

    @Test
    func `a killed salvage restarts, or is completed (scar 43)`()
        async throws
    {
        let original = try await damaged()
        let path = "app/anna/cache.sqlite"
        let whole = try copy(of: original)
        let undisturbed = try await openChecked(whole)
        let expected = try #require(salvaged(undisturbed.report))
        await undisturbed.close()
        // A partial salvage, with the damaged cache still in its place.
        let early = try copy(of: original)
        try Data("half a file".utf8).write(
            to: URL(fileURLWithPath: early.file("app/anna/cache.unfinished")))
        let again = try await openChecked(early)
        #expect(salvaged(again.report) == expected)
        await again.close()
        // A complete salvage, with the damaged cache quarantined.
        try FileManager.default.moveItem(
            atPath: whole.file(path), toPath: whole.file("app/anna/cache.unfinished"))
        let late = try await openChecked(whole)
        guard case .repaired(let quarantine, let reason, let taken) = late.report else {
            return #expect(Bool(false), "\(late.report)")
        }
        #expect(quarantine == whole.file("\(path).damaged-1") && reason.contains("interrupted"))
        #expect(taken.messages == expected.messages && taken.channels == expected.channels)
        #expect(try await content(late).messages["a"]?.isEmpty == false)
        await late.close()
        // The same, and the salvaged file is damaged in its turn.
        try FileManager.default.removeItem(atPath: whole.file(path))
        try Data("no database".utf8).write(
            to: URL(fileURLWithPath: whole.file("app/anna/cache.unfinished")))
        let twice = try await openChecked(whole)
        #expect(salvaged(twice.report) == expected)
        await twice.close()
        // Once more, with a full disk at first.
        try FileManager.default.removeItem(atPath: whole.file(path))
        try Data("no database".utf8).write(
            to: URL(fileURLWithPath: whole.file("app/anna/cache.unfinished")))
        let disk = SimulatedDisk(whole.path)
        disk.plan(
            .init(.write, of: "cache.unfinished", code: DiskFaultTests.Code.full, lasts: true))
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) { try await openChecked(whole) }
            #expect(error?.kind == .full)
        }
        disk.plan(nil)
        let thrice = try await openChecked(whole)
        #expect(salvaged(thrice.report) == expected)
        await thrice.close()
        // A superfluous salvage is not reported.
        try Data("half a file".utf8).write(
            to: URL(fileURLWithPath: whole.file("app/anna/cache.unfinished")))
        let last = try await openChecked(whole)
        #expect(last.report == .intact)
        await last.close()
        #expect(
            !FileManager.default.fileExists(atPath: whole.file("app/anna/cache.unfinished")))
    }

    @Test func `a salvage that cannot be moved into place keeps both files (scars 42, 43)`()
        async throws
    {
        let folder = try await damaged()
        let path = folder.file("app/anna/cache.sqlite")
        let expected = try await openChecked(folder)
        let report = try #require(salvaged(expected.report))
        await expected.close()
        try FileManager.default.moveItem(
            atPath: path, toPath: folder.file("app/anna/cache.unfinished"))
        // A folder in the place of the log cannot be removed.
        let obstacle = path + "-wal"
        try FileManager.default.createDirectory(
            atPath: obstacle, withIntermediateDirectories: false)
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) { try await openChecked(folder) }
            #expect(error?.kind == .notAccessible)
        }
        try FileManager.default.removeItem(atPath: obstacle)
        let store = try await openChecked(folder)
        #expect(salvaged(store.report)?.messages == report.messages)
        await store.close()
    }

    @Test func `a salvage of a failed resume is reported by the next resume (scar 43)`()
        async throws
    {
        let good = try await filled()
        let other = try await damaged()
        let bad = try Data(
            contentsOf: URL(fileURLWithPath: other.file("app/anna/cache.sqlite")))
        var failed = 0
        for nth in 1...20 {
            let folder = try copy(of: good)
            let store = try await openChecked(folder)
            await store.suspend()
            try bad.write(to: URL(fileURLWithPath: folder.file("app/anna/cache.sqlite")))
            let disk = SimulatedDisk(folder.path)
            disk.plan(.init(.open, nth: nth, code: DiskFaultTests.Code.cannotOpen))
            var reports: [RepairReport] = []
            do {
                reports.append(try await store.resume().cache)
            } catch {
                failed += 1
                disk.plan(nil)
                reports.append(try await store.resume().cache)
            }
            #expect(reports.compactMap { salvaged($0) }.count == 1, "\(nth)")
            await store.close()
        }
        #expect(failed > 5)
    }

    @Test(arguments: [60, 68, 71])
    func `a cache with a wrong header is not opened, and a repair replaces it (scar 43)`(
        offset: Int
    ) async throws {
        let folder = try await filled()
        let url = URL(fileURLWithPath: folder.file("app/anna/cache.sqlite"))
        var bytes = try Data(contentsOf: url)
        bytes[offset] ^= 0x40
        try bytes.write(to: url)
        await #expect(throws: StoreError.self) { try await Store.test(.folder(folder.path)) }
        #expect(try Data(contentsOf: url) == bytes)
        _ = try await FolderInspection.repair(
            folder.file("app/anna"), owner: Fixture.owner, Fixture.options.protection)
        let store = try await Store.test(.folder(folder.path))
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `a cache of another owner reveals nothing when it is replaced (scar 34)`()
        async throws
    {
        let folder = try await filled()
        let report = try await FolderInspection.repair(
            folder.file("app/anna"), owner: StoreOwner(application: "app", user: "bob"),
            Fixture.options.protection)
        guard case .repaired(_, _, let salvaged) = report else { return }
        #expect(salvaged.messages == 0 && salvaged.channels == 0 && !salvaged.isWhole)
    }

    /// Statements that each break one invariant.
    private static let breaks: [(sql: SQL, kind: CacheVerification.Kind)] = [
        ("UPDATE coverage SET upper_at = lower_at, upper_id = lower_id", .uncovered),
        ("UPDATE coverage SET upper_at = -5 WHERE channel_id = 1", .coverage),
        ("UPDATE holding SET payload_bytes = payload_bytes + 1", .holding),
        ("INSERT INTO cursor (kind, channel_id, token) VALUES (2, 999, 'x')", .cursor),
        ("DELETE FROM user WHERE id = 2", .missingRow),
        ("UPDATE message SET payload = x'00ff' WHERE message_id = 7", .payload),
        ("UPDATE message SET request_key = 1 WHERE message_id = 9", .requestKey),
        ("UPDATE channel SET flags = 77 WHERE id = 2", .channelColumns),
        ("UPDATE message SET custom_type_id = 5 WHERE message_id = 7", .payload),
        ("UPDATE message SET parent_id = 5 WHERE message_id = 7", .messageColumns),
        ("UPDATE message SET updated_at = 5 WHERE message_id = 7", .messageColumns),
        ("UPDATE message SET sender_id = NULL WHERE message_id = 7", .messageColumns),
        ("UPDATE message SET kind = 3 WHERE message_id = 7", .messageColumns),
        ("UPDATE message SET is_reply_to_channel = 1 WHERE message_id = 7", .messageColumns),
        ("UPDATE message SET mentions_me = 1 WHERE message_id = 7", .messageColumns),
        ("UPDATE channel SET cut_at = 9000000000000000 WHERE id = 1", .uncovered),
        ("DELETE FROM message WHERE message_id = 7", .searchIndex),
        ("UPDATE message_text_state SET floor = 500", .searchIndex),
        // The same words as before, with one at another place.
        (
            """
            INSERT INTO message_text (message_text, rowid, text, tag)
                VALUES ('delete', 7, '7 word word word word word word word word word word word word', 'c1');
            INSERT INTO message_text (rowid, text, tag)
                VALUES (7, 'word 7 word word word word word word word word word word word', 'c1')
            """, .searchIndex
        ),
    ]

    /// A sealed file has no index of words that could be wrong.
    private static let breakable = breaks.indices.filter {
        !Fixture.isSealed || breaks[$0].kind != .searchIndex
    }

    @Test(arguments: breakable)
    func `each broken invariant is found and named (scars 42, 43)`(index: Int) async throws {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        let sound = try await store.verify()
        #expect(sound.findings == [])
        #expect(sound.checkedMessages == 2_004)
        let other = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try other.executeScript("PRAGMA foreign_keys = OFF")
        try other.executeScript(Self.breaks[index].sql)
        let findings = try await store.verify().findings
        #expect(findings.contains { $0.kind == Self.breaks[index].kind }, "\(findings)")
        // No finding contains a word of a message.
        #expect(!findings.contains { $0.sentence.contains("word ") })
        await store.close()
    }
}

extension Timestamp {
    /// The beginning of a change log without any known time.
    fileprivate static let start = Timestamp(milliseconds: 0)
}
