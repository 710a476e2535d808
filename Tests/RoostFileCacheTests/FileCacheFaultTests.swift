// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostFileCache
import RoostModel
import RoostTestSupport
import Testing

/// The remains of a save if the disk refuses a step, or the process ends at one.
struct FileCacheFaultTests {
    private static func list(_ text: String) -> [Message] {
        [
            Message(
                delivery: .delivered(1, "r"), channelURL: "c",
                createdAt: Timestamp(milliseconds: 1), content: .user(text: text))
        ]
    }

    /// Saves "old" on a sound disk and "new" on a faulty one.
    private static func save(
        over folder: TemporaryFolder, _ fault: FaultyDisk.Fault
    ) -> (isSaved: Bool, disk: FaultyDisk) {
        FileCache(folder: folder.path, application: "app", user: "ann").save(list("old"), in: "c")
        let disk = FaultyDisk(fault)
        let cache = FileCache(folder: folder.path, application: "app", user: "ann", disk: disk)
        return (cache.save(list("new"), in: "c"), disk)
    }

    private static func load(_ folder: TemporaryFolder) -> FileCache.Loaded<Message>? {
        FileCache(folder: folder.path, application: "app", user: "ann").loadMessages(in: "c")
    }

    private static func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("app"))
    }

    @Test(arguments: 1...2)
    func `a refused temporary file leaves the old list and no remains (R32, R35, R38)`(
        step: Int
    ) throws {
        let folder = try TemporaryFolder()
        let (isSaved, disk) = Self.save(over: folder, .refuses(step: step))
        #expect(!isSaved)
        #expect(disk.steps.prefix(step).last == (step == 1 ? "write .data" : "write .hash"))
        #expect(Self.load(folder)?.values.map(\.text) == ["old"])
        #expect(Self.load(folder)?.isConsistent == true)
        #expect(try Self.names(folder).count == 2)
    }

    @Test(arguments: 3...4)
    func `a refused move leaves no half state: all four files are removed (R36, R37)`(step: Int)
        throws
    {
        let folder = try TemporaryFolder()
        let (isSaved, disk) = Self.save(over: folder, .refuses(step: step))
        #expect(!isSaved)
        #expect(disk.steps.prefix(step).last == (step == 3 ? "move .data" : "move .hash"))
        #expect(Self.load(folder) == nil)
        #expect(try Self.names(folder).isEmpty)
    }

    @Test(arguments: 1...5)
    func `the end of the process at any step leaves the old list or the new one, complete (R39)`(
        step: Int
    ) throws {
        let folder = try TemporaryFolder()
        _ = Self.save(over: folder, .dies(step: step))
        let loaded = try #require(Self.load(folder))
        #expect(loaded.values.map(\.text) == [step <= 3 ? "old" : "new"])
        #expect(loaded.damagedLineCount == 0)
        // The two files disagree only between the moves, and the load reports it.
        #expect(loaded.isConsistent == (step != 4))
        // A later save succeeds, although the sidecar may already have its checksum.
        let cache = FileCache(folder: folder.path, application: "app", user: "ann")
        #expect(cache.save(Self.list("old"), in: "c"))
        #expect(Self.load(folder)?.values.map(\.text) == ["old"])
        #expect(Self.load(folder)?.isConsistent == true)
    }

    @Test func `an interrupted first save leaves no list (R39)`()
        throws
    {
        for step in 1...5 {
            let folder = try TemporaryFolder()
            let disk = FaultyDisk(.dies(step: step))
            FileCache(folder: folder.path, application: "app", user: "ann", disk: disk)
                .save(Self.list("new"), in: "c")
            #expect(Self.load(folder) == nil)
        }
    }

    @Test(arguments: [[], ["data"], ["hash"], ["data", "hash"]])
    func `missing files are made empty first, and only an earlier hash is read (R33)`(
        present: [String]
    ) throws {
        let folder = try TemporaryFolder()
        func save(_ text: String) -> FaultyDisk {
            let disk = FaultyDisk()
            let cache = FileCache(
                folder: folder.path, application: "app", user: "ann", disk: disk)
            #expect(cache.save(Self.list(text), in: "c"))
            return disk
        }
        let name = try #require(save("old").written.first).dropLast(".data".count)
        let missing = ["data", "hash"].filter { !present.contains($0) }
        for kind in missing {
            try FileManager.default.removeItem(atPath: folder.file("app/\(name).\(kind)"))
        }
        let disk = save("new")
        #expect(disk.written.dropLast(2) == missing.map { "\(name).\($0)" }[...])
        // Without data an earlier hash has nothing to tell.
        #expect(disk.read.contains("\(name).hash") == missing.isEmpty)
        #expect(Self.load(folder)?.values.map(\.text) == ["new"])
        // The empty files stay if the disk refuses what comes next.
        let other = FaultyDisk(.refuses(step: 3))
        let cache = FileCache(folder: folder.path, application: "app", user: "bob", disk: other)
        #expect(!cache.save(Self.list("new"), in: "c"))
        let empty = try #require(other.written.first)
        #expect(FileManager.default.contents(atPath: folder.file("app/\(empty)")) == Data())
        #expect(Self.load(folder)?.values.map(\.text) == ["new"])
    }

    @Test func `a first save that fails keeps the list that another one has saved since (R33)`()
        throws
    {
        for step in 1...4 {
            let folder = try TemporaryFolder()
            func cache(_ disk: FaultyDisk) -> FileCache {
                FileCache(folder: folder.path, application: "app", user: "ann", disk: disk)
            }
            #expect(cache(FaultyDisk()).save(Self.list("saved"), in: "c"))
            let late = FaultyDisk(.refuses(step: step), overlooksFiles: true)
            #expect(!cache(late).save(Self.list("late"), in: "c"))
            #expect(Self.load(folder)?.values.map(\.text) == ["saved"])
        }
    }

    @Test func `each save writes beside its files under unused names (R32, R50)`() throws {
        let folder = try TemporaryFolder()
        let disk = FaultyDisk()
        let cache = FileCache(folder: folder.path, application: "app", user: "ann", disk: disk)
        for text in ["one", "two"] {
            cache.save(Self.list(text), in: "c")
            cache.save([GroupChannel(url: "c", name: text)])
        }
        let fresh = disk.written.filter { UUID(uuidString: String($0.prefix(36))) != nil }
        let endings = [".data", ".hash", "_channellist.data", "_channellist.hash"]
        #expect(fresh.map { String($0.dropFirst(36)) } == endings + endings)
        // The two files of a save share a name with no other save.
        #expect(Set(fresh.map { $0.prefix(36) }).count == 4)
        #expect(try Self.names(folder).allSatisfy { !fresh.contains($0) })
    }

    @Test func `remains of a crash are removed, files being written and of the app are not (R38)`()
        throws
    {
        let folder = try TemporaryFolder()
        let cache = FileCache(folder: folder.path, application: "app", user: "ann")
        cache.save(Self.list("old"), in: "c")
        let (stale, fresh) = (UUID().uuidString + "_channellist.data", UUID().uuidString + ".hash")
        let (photo, album) = (UUID().uuidString + ".jpg", UUID().uuidString + ".data")
        for name in [stale, fresh, photo] { try Data("x".utf8).write(to: file(name)) }
        try FileManager.default.createDirectory(
            at: file(album), withIntermediateDirectories: false)
        for name in [stale, photo, album] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)],
                ofItemAtPath: file(name).path)
        }
        cache.save(Self.list("new"), in: "c")
        let names = try Self.names(folder)
        #expect(!names.contains(stale))
        #expect([fresh, photo, album].allSatisfy(names.contains))

        func file(_ name: String) -> URL { URL(filePath: folder.file("app/\(name)")) }
    }
}
