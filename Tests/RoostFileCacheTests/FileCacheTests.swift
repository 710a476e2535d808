// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostFileCache
import RoostModel
import RoostTestSupport
import Testing

struct FileCacheTests {
    private static func sent(
        _ number: Int, _ text: String = "", in channel: ChannelURL = "c"
    ) -> Message {
        Message(
            delivery: .delivered(MessageID(Int64(number)), RequestID("r\(number)")),
            channelURL: channel, createdAt: Timestamp(milliseconds: Int64(number)),
            sender: Sender(user: User(id: "ann")),
            content: .user(text: text.isEmpty ? "m\(number)" : text))
    }

    private static func channel(_ number: Int) -> GroupChannel {
        GroupChannel(url: ChannelURL("c\(number)"), name: "channel \(number)")
    }

    private static func cache(
        _ folder: TemporaryFolder, user: UserID = "ann", disk: (any FileCacheDisk)? = nil
    ) -> FileCache {
        FileCache(
            folder: folder.path, application: "app", user: user, disk: disk ?? SystemDisk())
    }

    private static func text(_ folder: TemporaryFolder, _ name: String) throws -> String {
        try String(contentsOfFile: folder.file("app/\(name)"), encoding: .utf8)
    }

    private static func names(_ folder: TemporaryFolder) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.file("app")) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.file("app")).sorted()
    }

    private static func digest(_ text: String) async throws -> String {
        try await Shasum.digest(text)
    }

    @Test
    func `messages return in order with all their fields (R1, R21, R24, R40, R41, R43, R47)`()
        throws
    {
        let folder = try TemporaryFolder()
        let messages = (1...5).map { Self.sent($0) }
        #expect(Self.cache(folder).save(messages, in: "c"))
        #expect(Self.cache(folder).save([Self.sent(9, in: "d")], in: "d"))
        let loaded = try #require(Self.cache(folder).loadMessages(in: "c"))
        #expect(loaded.values == messages)
        #expect(loaded.damagedLineCount == 0)
        #expect(loaded.isConsistent)
        #expect(try Self.names(folder).count == 4)
    }

    @Test
    func `the last 100 of a list stay in order, and an empty list changes nothing (R25, R26)`()
        throws
    {
        let folder = try TemporaryFolder()
        #expect(!Self.cache(folder).save([], in: "c"))
        #expect(try Self.names(folder).isEmpty)
        Self.cache(folder).save((1...100).map { Self.sent($0) }, in: "c")
        #expect(Self.cache(folder).loadMessages(in: "c")?.values.count == 100)
        // Any order of the list is kept.
        let list = (1...101).reversed().map { Self.sent($0) }
        Self.cache(folder).save(list, in: "c")
        #expect(Self.cache(folder).loadMessages(in: "c")?.values == Array(list.dropFirst()))
        Self.cache(folder).save([], in: "c")
        #expect(Self.cache(folder).loadMessages(in: "c")?.values.count == 100)
    }

    @Test func `unsent messages are left out and displace no sent ones (R46)`() throws {
        let folder = try TemporaryFolder()
        var unsent = Self.sent(500)
        unsent.delivery = .unsent("r500", .pending)
        let sent = (1...100).map { Self.sent($0) }
        Self.cache(folder).save(sent + [unsent], in: "c")
        #expect(Self.cache(folder).loadMessages(in: "c")?.values == sent)
        #expect(!Self.cache(folder).save([unsent], in: "d"))
        #expect(Self.cache(folder).loadMessages(in: "d") == nil)
    }

    @Test
    func
        `names and contents are those of the guide, so that other programs can read them (R22, R27 to R31)`()
        async throws
    {
        let folder = try TemporaryFolder()
        Self.cache(folder).save([Self.sent(1), Self.sent(2)], in: "c")
        let name = try await Self.digest("ann_c")
        #expect(try folder.contents() == ["app"])
        #expect(try Self.names(folder) == ["\(name).data", "\(name).hash"])
        let text = try Self.text(folder, "\(name).data")
        let digest = try await Self.digest(text)
        #expect(try Self.text(folder, "\(name).hash") == digest)
        let lines = text.components(separatedBy: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { Data(base64Encoded: $0) != nil && !$0.contains("\r") })
    }

    @Test
    func `channels have a file of their own with 100 at most (R6, R15, R49, R51 to R53)`()
        async throws
    {
        let folder = try TemporaryFolder()
        #expect(Self.cache(folder).loadChannels() == nil)
        #expect(!Self.cache(folder).save([GroupChannel]()))
        let channels = (1...101).map { Self.channel($0) }
        #expect(Self.cache(folder).save(channels))
        #expect(Self.cache(folder).loadChannels()?.values == Array(channels.dropFirst()))
        let name = try await Self.digest("ann") + "_channellist"
        #expect(try Self.names(folder) == ["\(name).data", "\(name).hash"])
    }

    @Test func `the files of another user or application are invisible (R30, R51)`() async throws {
        let folder = try TemporaryFolder()
        Self.cache(folder).save([Self.sent(1)], in: "c")
        Self.cache(folder).save([Self.channel(1)])
        #expect(Self.cache(folder, user: "bob").loadMessages(in: "c") == nil)
        #expect(Self.cache(folder, user: "bob").loadChannels() == nil)
        let other = FileCache(folder: folder.path, application: "other", user: "ann")
        #expect(other.loadMessages(in: "c") == nil)
        // A file under the right name with a foreign channel in it.
        Self.cache(folder).save([Self.sent(1, in: "d")], in: "d")
        for kind in ["data", "hash"] {
            let from = try await Self.digest("ann_d")
            let to = try await Self.digest("ann_c")
            try FileManager.default.removeItem(atPath: folder.file("app/\(to).\(kind)"))
            try FileManager.default.copyItem(
                atPath: folder.file("app/\(from).\(kind)"),
                toPath: folder.file("app/\(to).\(kind)"))
        }
        let loaded = try #require(Self.cache(folder).loadMessages(in: "c"))
        #expect(loaded.values.isEmpty)
        #expect(loaded.damagedLineCount == 1)
    }

    @Test func `a removal leaves no list of any user, and every other file`() throws {
        let folder = try TemporaryFolder()
        #expect(Self.cache(folder).removeAll())
        for user in ["ann", "ben"] as [UserID] {
            #expect(Self.cache(folder, user: user).save([Self.sent(1)], in: "c"))
            #expect(Self.cache(folder, user: user).save([Self.channel(1)]))
        }
        let photo = "cat.data"
        try Data("x".utf8).write(to: URL(filePath: folder.file("app/\(photo)")))
        #expect(Self.cache(folder).removeAll())
        #expect(try Self.names(folder) == [photo])
        #expect(Self.cache(folder, user: "ben").loadMessages(in: "c") == nil)
        // Another list can be saved afterwards.
        #expect(Self.cache(folder).save([Self.sent(2)], in: "c"))
    }

    @Test func `the folder is created without its parents, and no name leads out of it (R23)`()
        throws
    {
        let folder = try TemporaryFolder()
        let below = FileCache(
            folder: folder.file("missing"), application: "app", user: "ann")
        #expect(!below.save([Self.sent(1)], in: "c"))
        #expect(try folder.contents().isEmpty)
        for name in ["..", ".", "", "a/b", "../x"] {
            let cache = FileCache(folder: folder.path, application: name, user: "ann")
            #expect(!cache.save([Self.sent(1)], in: "c"))
            #expect(cache.loadMessages(in: "c") == nil)
        }
        #expect(try folder.contents().isEmpty)
    }

    @Test func `a missing, empty or unreadable file gives nil (R42)`() async throws {
        let folder = try TemporaryFolder()
        #expect(Self.cache(folder).loadMessages(in: "c") == nil)
        Self.cache(folder).save([Self.sent(1)], in: "c")
        let path = try await folder.file("app/\(Self.digest("ann_c")).data")
        try Data().write(to: URL(filePath: path))
        #expect(Self.cache(folder).loadMessages(in: "c") == nil)
        try Data([0xFF, 0xFE, 0xC0]).write(to: URL(filePath: path))
        #expect(Self.cache(folder).loadMessages(in: "c") == nil)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        #expect(Self.cache(folder).loadMessages(in: "c") == nil)
    }

    @Test func `a damaged line is left out and counted, and the others stay (R44, R17)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let messages = (1...4).map { Self.sent($0) }
        Self.cache(folder).save(messages, in: "c")
        let name = try await "\(Self.digest("ann_c")).data"
        var lines = try Self.text(folder, name).components(separatedBy: "\n")
        lines[1] = String(lines[1].dropLast(8))
        lines[2] = "no Base64 at all!"
        try Data(lines.joined(separator: "\n").utf8)
            .write(to: URL(filePath: folder.file("app/\(name)")))
        let loaded = try #require(Self.cache(folder).loadMessages(in: "c"))
        #expect(loaded.values == [messages[0], messages[3]])
        #expect(loaded.damagedLineCount == 2)
        #expect(!loaded.isConsistent)
    }

    @Test func `an equal list is not written again (R29, R34)`() throws {
        let folder = try TemporaryFolder()
        let disk = FaultyDisk()
        let cache = Self.cache(folder, disk: disk)
        cache.save([Self.sent(1)], in: "c")
        let count = disk.writeCount
        #expect(cache.save([Self.sent(1)], in: "c"))
        #expect(disk.writeCount == count)
        #expect(cache.save([Self.sent(1, "edited")], in: "c"))
        #expect(disk.writeCount > count)
    }
}
