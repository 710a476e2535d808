// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

@Suite(.serialized)
struct SharedFolderTests {
    @Test
    func
        `a lock has many shared owners or one exclusive one, and upgrades only when free (scar 52)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("lock")
        let first = try FolderLock(file: path, .shared)
        do {
            let second = try FolderLock(file: path, .shared)
            #expect(!isFree(path, .exclusive))
            // A refused lock is released, so two owners that upgrade do not wait for each other.
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

    @Test func `each open listener hears a ring (scar 53)`()
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
        // Many rings are one for a busy listener, and the file does not grow.
        let listener = try bells[0].rings()
        for _ in 0..<1_000 { bells[1].ring() }
        var rings = listener.makeAsyncIterator()
        #expect(await rings.next() != nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 1)
    }

    @Test func `a ring without other listeners writes nothing`() throws {
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
        _ = try FileBell(file: path)  // Opens and closes.
        bell.ring()
        #expect(try count() == 0)
    }

    @Test func `any number of stores in a process listen, each to its own file (scar 145)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        // More than the number of watchers of a user; each bell rings and listens.
        let bells = try (0..<150).map { try FileBell(file: folder.file("bell \($0)")) }
        let others = try (0..<150).map { try FileBell(file: folder.file("bell \($0)")) }
        let rings = try bells.map { try $0.rings() }
        for (bell, listener) in zip(others, rings) {
            bell.ring()
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
        // No bell woke another bell's listener.
        for listener in rings {
            let waiting = Task {
                for await _ in listener { return true }
                return false
            }
            waiting.cancel()
            #expect(await waiting.value == false)
        }
        // A listener can start again after its end.
        let again = try bells[0].rings()
        others[0].ring()
        var iterator = again.makeAsyncIterator()
        #expect(await iterator.next() != nil)
    }

    @Test func `noise in pages does not crash a read, and intact pages give all rows (scar 42)`()
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
            // The copy includes the log, as after a killed process.
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
