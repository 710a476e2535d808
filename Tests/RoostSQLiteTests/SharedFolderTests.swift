// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

@Suite(.serialized)
struct SharedFolderTests {
    @Test
    func `a lock is shared by many or held by one, and traded only when it is free (scar 52)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("lock")
        let first = try FolderLock(file: path, .shared)
        do {
            let second = try FolderLock(file: path, .shared)
            #expect(!isFree(path, .exclusive))
            // What was refused is gone, so that two who want the whole do not wait for each other.
            do throws(FileError) {
                _ = try second.changed(to: .exclusive)
                Issue.record("A lock that others share became exclusive.")
            } catch {
                #expect(error.isTaken)
            }
        }
        let whole = try first.changed(to: .exclusive)
        #expect(!isFree(path, .shared))
        let again = try whole.changed(to: .shared)
        #expect(isFree(path, .shared))
        #expect(!isFree(path, .exclusive))
        _ = consume again
        #expect(isFree(path, .exclusive))
    }

    private func isFree(_ path: String, _ mode: FolderLock.Mode) -> Bool {
        do throws(FileError) {
            _ = try FolderLock(file: path, mode)
            return true
        } catch {
            return false
        }
    }

    @Test func `a ring is heard by every listener, and by none that has gone (scar 53)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("bell")
        let bells = try (0..<3).map { _ in try FileBell(file: path) }
        for ringer in bells {
            let listeners = try bells.map { try $0.rings() }
            ringer.ring()
            for listener in listeners {
                var rings = listener.makeAsyncIterator()
                #expect(await rings.next() != nil)
            }
        }
        // Many rings are one for whoever was busy, and the file does not grow.
        let listener = try bells[0].rings()
        for _ in 0..<1_000 { bells[1].ring() }
        var rings = listener.makeAsyncIterator()
        #expect(await rings.next() != nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 1)
    }

    @Test func `nothing is written while nobody else has the bell`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("bell")
        func count() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: path)).count }
        let bell = try FileBell(file: path)
        bell.ring()
        #expect(try count() == 0)
        do {
            let other = try FileBell(file: path)
            other.ring()
            #expect(try count() == 1)
        }
        try Data().write(to: URL(fileURLWithPath: path))
        _ = try FileBell(file: path)  // Comes and goes.
        bell.ring()
        #expect(try count() == 0)
    }

    @Test func `any number of stores of a process listen, each to its own file (scar 145)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        // More than a user has watchers; each bell has somebody who rings and somebody who hears.
        let bells = try (0..<150).map { try FileBell(file: folder.file("bell \($0)")) }
        let others = try (0..<150).map { try FileBell(file: folder.file("bell \($0)")) }
        let rings = try bells.map { try $0.rings() }
        for (bell, listener) in zip(others, rings) {
            bell.ring()
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
        // Nobody was woken by another's bell.
        for listener in rings {
            let waiting = Task {
                for await _ in listener { return true }
                return false
            }
            waiting.cancel()
            #expect(await waiting.value == false)
        }
        // What has ended can be begun again.
        let again = try bells[0].rings()
        others[0].ring()
        var iterator = again.makeAsyncIterator()
        #expect(await iterator.next() != nil)
    }

    @Test func `pages of noise are read without a crash, and sound ones give all rows (scar 42)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("notes.sqlite")
        do {
            let connection = try NoteTable.open(.file(path))
            for index in 0..<400 {
                let body = [UInt8](repeating: UInt8(index % 256), count: index * 37 % 9_000)
                try connection.execute(.insertNote, (text: "note \(index)", body: body))
            }
            // With its log, as a process that was killed leaves it.
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: path + ".copy-wal")
        }
        for name in [path, path + ".copy"] {
            let sound = try PageSalvage(DatabaseFiles(name))
            let notes = sound.rows.filter { $0.values.count == 3 && $0.values[0] == .null }
                .sorted { $0.id < $1.id }
            try #require(notes.count == 400)
            for (index, note) in notes.enumerated() {
                #expect(note.values[1] == .text("note \(index)"))
                let count = index * 37 % 9_000
                #expect(
                    note.values[2]
                        == .blob([UInt8](repeating: UInt8(index % 256), count: count)))
            }
            #expect(sound.entries.count { $0.count == 2 } == 400)
        }
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SplitMix64(seed: 7)
        for _ in 0..<6 {
            var noisy = bytes
            for _ in 0..<2_000 {
                let page = Int(random.next() % UInt64(bytes.count / 4_096)) * 4_096
                let reach: UInt64 = random.next() % 2 == 0 ? 40 : 4_096
                noisy[page + Int(random.next() % reach)] = UInt8(truncatingIfNeeded: random.next())
            }
            try Data(noisy).write(to: URL(fileURLWithPath: path))
            #expect(try PageSalvage(DatabaseFiles(path)).rows.count < 10_000)
        }
    }
}
