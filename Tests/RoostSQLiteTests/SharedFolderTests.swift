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

    @Test func `a lock that cannot be traded is released, and is traded later (scar 52)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("lock")
        let first = try FolderLock(file: path, .shared)
        let second = try FolderLock(file: path, .shared)
        let isRefused = try !second.trade(for: .exclusive, patience: .zero)
        #expect(isRefused)
        let isWhole = try first.trade(for: .exclusive, patience: .zero)
        #expect(isWhole)
        #expect(!isFree(path, .shared))
        let isRefusedAgain = try !second.trade(for: .shared, patience: .zero)
        #expect(isRefusedAgain)
        let areShared = (
            try first.trade(for: .shared, patience: .zero),
            try second.trade(for: .shared, patience: .zero)
        )
        #expect(areShared.0 && areShared.1)
        #expect(isFree(path, .shared))
        #expect(!isFree(path, .exclusive))
        _ = consume first
        _ = consume second
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

    @Test func `each open listener receives a signal (scar 53)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("signal")
        let signals = try (0..<3).map { _ in try ChangeSignal(file: path) }
        for sender in signals {
            let listeners = try signals.map { try $0.signals() }
            sender.send()
            for listener in listeners {
                var received = listener.makeAsyncIterator()
                #expect(await received.next() != nil)
            }
        }
        // Many signals are one for a busy listener, and the file does not grow.
        let listener = try signals[0].signals()
        for _ in 0..<1_000 { signals[1].send() }
        var received = listener.makeAsyncIterator()
        #expect(await received.next() != nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 1)
    }

    @Test func `a signal without other listeners writes nothing`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("signal")
        func count() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: path)).count }
        let signal = try ChangeSignal(file: path)
        signal.send()
        #expect(try count() == 0)
        do {
            let other = try ChangeSignal(file: path)
            other.send()
            #expect(try count() == 1)
        }
        try Data().write(to: URL(fileURLWithPath: path))
        _ = try ChangeSignal(file: path)  // Opens and closes.
        signal.send()
        #expect(try count() == 0)
    }

    @Test func `any number of stores in a process listen, each to its own file (scar 145)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        // More than the number of watchers of a user; each end sends and listens.
        let signals = try (0..<150).map { try ChangeSignal(file: folder.file("signal \($0)")) }
        let others = try (0..<150).map { try ChangeSignal(file: folder.file("signal \($0)")) }
        let received = try signals.map { try $0.signals() }
        for (signal, listener) in zip(others, received) {
            signal.send()
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
        // No file woke the listener of another.
        for listener in received {
            let waiting = Task {
                for await _ in listener { return true }
                return false
            }
            waiting.cancel()
            #expect(await waiting.value == false)
        }
        // A listener can start again after its end.
        let again = try signals[0].signals()
        others[0].send()
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
            #expect(sound.entries.count { $0.values.count == 2 } == 400)
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
