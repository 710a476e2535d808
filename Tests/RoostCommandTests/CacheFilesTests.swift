// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostCommand
import RoostCommandLine
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Synchronization
import Testing

/// Inspection, verification, repair and export of a cache's files by the command.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct CacheFilesTests {
    private static let owner = StoreOwner(application: "demo", user: "ada")

    /// Writes two channels with some messages, and one unsent message.
    private func fill(_ program: Program) async throws -> Store {
        let store = try await Store.open(.folder(program.path("cache")), owner: Self.owner)
        for url in ["a", "b"] as [ChannelURL] {
            let messages = (1...50).map { number in
                Message(
                    delivery: .delivered(MessageID(number + (url == "a" ? 0 : 100)), nil),
                    channelURL: url, createdAt: Timestamp(milliseconds: number),
                    sender: Sender(user: User(id: "bob", nickname: "Bob")),
                    content: .user(text: "\(url) \(number)"))
            }
            try await store.writer.commit([
                .channels([
                    GroupChannel(
                        url: url, name: "name of \(url)", createdAt: Timestamp(milliseconds: 1),
                        myState: .joined)
                ]),
                .messages(
                    url, messages,
                    covering: CoveredRange(
                        lower: .distantPast, upper: messages.last?.position ?? .distantPast)),
            ])
        }
        _ = try await store.outbox.append(
            "unsent", to: "b", createdAt: Timestamp(milliseconds: 60),
            content: .userMessage(UserMessageParams(text: "not sent yet")))
        return store
    }

    private func file(_ name: String, of program: Program) -> String {
        program.path("cache/demo/ada/\(name)")
    }

    /// Writes noise over the second half of a database.
    private func damage(_ path: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        for offset in (bytes.count / 2)..<bytes.count { bytes[offset] = UInt8(offset * 7 % 251) }
        try bytes.write(to: URL(filePath: path))
    }

    @Test func `verify names a damaged cache and rebuilds it on request (scars 42, 43)`()
        async throws
    {
        let program = try Program()
        let store = try await fill(program)
        let sound = try await program.run(["cache", "verify", "cache"])
        #expect(sound.status == 0)
        #expect(sound.output.first?.hasSuffix(": 100 messages, no findings") == true)
        await store.close()
        try damage(file("cache.sqlite", of: program))
        let found = try await program.run(["cache", "verify", "cache"])
        #expect(found.status == 1)
        #expect(
            found.output.contains { $0.contains("file  ") || $0.contains("is damaged") },
            "\(found.output)")
        #expect(found.errors.last?.contains("--repair") == true)
        let repaired = try await program.run(["cache", "verify", "cache", "--repair"])
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(repaired.output.contains { $0.contains("the old file is at ") })
        #expect(repaired.output.last?.hasSuffix(" messages, no findings") == true)
        let again = try await program.run(["cache", "verify", "cache"])
        #expect(again.status == 0, "\(again.output)")
        let left = try await Store.open(.folder(program.path("cache")), owner: Self.owner)
        #expect(left.report == .intact)
        #expect(try await left.outbox.items().items.map(\.requestID) == ["unsent"])
        await left.close()
        try program.remove()
    }

    @Test func `verify names a damaged outbox and never rebuilds it (scar 42)`() async throws {
        let program = try Program()
        await (try fill(program)).close()
        let path = file("outbox.sqlite", of: program)
        try damage(path)
        let before = try Data(contentsOf: URL(filePath: path))
        for words in [["cache", "verify", "cache"], ["cache", "verify", "cache", "--repair"]] {
            let found = try await program.run(words)
            #expect(found.status == 1)
            #expect(found.output.contains { $0.contains("outbox  ") }, "\(found.output)")
            #expect(found.errors.last?.contains("with a client") == true, "\(found.errors)")
            #expect(!found.output.contains { $0.contains("close the store") }, "\(found.output)")
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        try program.remove()
    }

    @Test func `a repair of the cache does not hide a damaged outbox`() async throws {
        let program = try Program()
        await (try fill(program)).close()
        for name in ["cache.sqlite", "outbox.sqlite"] { try damage(file(name, of: program)) }
        let found = try await program.run(["cache", "verify", "cache"])
        #expect(found.status == 1 && found.errors.last?.contains("--repair") == true)
        for words in [["cache", "verify", "cache", "--repair"], ["cache", "verify", "cache"]] {
            let left = try await program.run(words)
            #expect(left.status == 1, "\(left.output)")
            #expect(left.output.contains { $0.contains("outbox  ") }, "\(left.output)")
            #expect(left.errors.count == 1, "\(left.errors)")
            #expect(left.errors.last?.contains("with a client") == true, "\(left.errors)")
        }
        try program.remove()
    }

    @Test func `a finding in a channel with a hostile name sends the terminal no command`()
        async throws
    {
        let program = try Program()
        let url: ChannelURL = "a\u{1B}]52;c;\u{7}"
        let store = try await Store.open(.folder(program.path("cache")), owner: Self.owner)
        try await store.writer.commit([
            .channels([
                GroupChannel(
                    url: url, name: "name", createdAt: Timestamp(milliseconds: 1),
                    myState: .joined)
            ])
        ])
        await store.close()
        try Connection(.file(file("cache.sqlite", of: program))).executeScript(
            "UPDATE channel SET last_message_at = 5")
        let found = try await program.run(["cache", "verify", "cache"])
        #expect(found.status == 1, "\(found.errors)")
        #expect(found.output.contains { $0.contains("a ]52;c; : ") }, "\(found.output)")
        #expect(!found.output.contains { $0.contains("\u{1B}") || $0.contains("\u{7}") })
        try program.remove()
    }

    @Test func `an export writes the whole cache, one line per object, while a client has it open`()
        async throws
    {
        let program = try Program()
        let store = try await fill(program)
        let all = try await program.run(["cache", "export", "cache"])
        #expect(all.status == 0, "\(all.errors)")
        #expect(all.output.count == 2 + 100 + 1)
        let channel = try #require(all.output.first)
        #expect(channel.hasPrefix(#"{"channel":{"#) && channel.contains(#""name":"name of a""#))
        #expect(channel.hasSuffix(#","complete":[[null,50]]}"#))
        let texts = all.output.filter { $0.hasPrefix(#"{"message":{"#) }
        #expect(texts.count == 100)
        #expect(texts[0].contains(#""message":"a 1""#) && texts[99].contains(#""message":"b 50""#))
        #expect(texts.allSatisfy { $0.contains(#""nickname":"Bob""#) })
        let last = try #require(all.output.last)
        #expect(last.hasPrefix(#"{"unsent":{"#) && last.contains(#""message":"not sent yet""#))
        for line in all.output {
            #expect(throws: Never.self) {
                try JSONSerialization.jsonObject(with: Data(line.utf8))
            }
        }
        let one = try await program.run(["cache", "export", "cache", "--channel", "a"])
        #expect(one.output == Array(all.output.prefix(51)))
        let none = try await program.run(["cache", "export", "cache", "--channel", "c"])
        #expect(none.status == 3 && none.output == [])
        await store.close()
        let cleared = try await program.run(["cache", "clear", "cache", "--channel", "c"])
        #expect(cleared.status == 3 && cleared.output == [])
        #expect(cleared.errors == none.errors)
        let small = try await program.run(["cache", "clear", "cache", "--to", "64", "--dry-run"])
        #expect(small.output.contains { $0.contains("0 messages of 0 channels") })
        #expect(!small.output.contains { $0.contains("→") }, "nothing would change")
        let known = try await program.run(["cache", "clear", "cache", "--channel", "a"])
        #expect(known.status == 0 && known.output.contains { $0.contains("50 messages") })
        let drawn = try await program.run(["cache", "inspect", "cache"])
        #expect(drawn.output.contains("  a  0 messages, its history is unknown"))
        try program.remove()
    }

    @Test func `an export ends with its reader and buffers nothing in between`()
        async throws
    {
        let program = try Program()
        await (try fill(program)).close()
        let taken = Mutex(0)
        let count = try await FolderInspection.export(program.path("cache/demo/ada")) { _ in
            taken.withLock { count in
                count += 1
                return count < 10
            }
        }
        #expect(taken.withLock { $0 } == 10)
        #expect(count.channels == 1 && count.messages == 8 && count.unsent == 0)
        try program.remove()
    }

    @Test(arguments: ["inspect", "export", "verify", "clear"])
    func `a full output device is one reported failure`(command: String) async throws {
        let program = try Program()
        await (try fill(program)).close()
        let outcome = try await program.run(["cache", command, "cache"], to: "/dev/full")
        #expect(outcome.status == ExitCode.storage.rawValue)
        #expect(outcome.errors.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("incomplete") == true)
        try program.remove()
    }

    @Test func `a full output device is no missing channel`() async throws {
        let program = try Program()
        await (try fill(program)).close()
        let outcome = try await program.run(
            ["cache", "export", "cache", "--channel", "a"], to: "/dev/full")
        #expect(outcome.status == ExitCode.storage.rawValue)
        #expect(outcome.errors.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("incomplete") == true, "\(outcome.errors)")
        try program.remove()
    }

    @Test(arguments: [[], ["--channel", "a"]] as [[String]])
    func `a closed output pipe is no failure`(options: [String]) async throws {
        let program = try Program()
        await (try fill(program)).close()
        // The reader exits before the first line is written.
        let script = "{ sleep 0.3; \"$@\" 2> \"$0/errors\"; echo $? > \"$0/status\"; } | true"
        let shell = try ChildProcess(
            "/bin/sh",
            [
                "-c", script, program.folder.path, try ChildProcess.built("roost"), "cache",
                "export", program.path("cache"),
            ] + options)
        #expect(await shell.end() == .exited(0))
        #expect(try String(contentsOfFile: program.path("status"), encoding: .utf8) == "0\n")
        #expect(try String(contentsOfFile: program.path("errors"), encoding: .utf8) == "")
        try program.remove()
    }

    @Test(arguments: [["inspect", "all"], ["search", "all", "a"], ["export", "all"]])
    func `a broken cache does not hide other caches`(words: [String]) async throws {
        let program = try Program()
        await (try fill(program)).close()
        for name in ["1-broken", "2-sound", "3-broken"] {
            try FileManager.default.createDirectory(
                atPath: program.path("all/demo"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: program.path("cache/demo/ada"), toPath: program.path("all/demo/\(name)"))
        }
        for name in ["1-broken", "3-broken"] {
            try Data("no database".utf8).write(
                to: URL(filePath: program.path("all/demo/\(name)/cache.sqlite")))
        }
        let alone = try await program.run(
            ["cache", words[0], "all/demo/2-sound"] + words.dropFirst(2))
        #expect(alone.status == 0 && alone.output.count > 3, "\(alone.errors)")
        let outcome = try await program.run(["cache"] + words)
        #expect(outcome.output == alone.output)
        #expect(outcome.status == ExitCode.storage.rawValue)
        try #require(outcome.errors.count == 2, "\(outcome.errors)")
        #expect(outcome.errors[0].hasPrefix("roost: all/demo/1-broken/cache.sqlite is damaged"))
        #expect(outcome.errors[1].hasPrefix("roost: all/demo/3-broken/cache.sqlite is damaged"))
        try program.remove()
    }

    /// Copies the cache to a folder with others, and returns the lines of its verification.
    private func place(_ program: Program, at path: String) async throws -> [String] {
        await (try fill(program)).close()
        try FileManager.default.createDirectory(
            atPath: program.path("all/demo"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: program.path("cache/demo/ada"), toPath: program.path(path))
        let alone = try await program.run(["cache", "verify", path])
        #expect(alone.status == 0 && alone.output.count == 1, "\(alone.errors)")
        return alone.output
    }

    @Test func `a folder that cannot be listed is reported beside the other caches`() async throws {
        let program = try Program()
        let lines = try await place(program, at: "all/demo/ada")
        // Not even root can list a link to itself.
        try FileManager.default.createSymbolicLink(
            atPath: program.path("all/loop"), withDestinationPath: "loop")
        let outcome = try await program.run(["cache", "verify", "all"])
        #expect(outcome.output == lines)
        #expect(outcome.status == ExitCode.storage.rawValue)
        #expect(outcome.errors.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.first?.hasPrefix("roost: all/loop cannot be listed (") == true)
        try program.remove()
    }

    @Test(.enabled(if: geteuid() != 0, "Rights do not bind root."))
    func `a folder without the right to list it is not one without a cache`() async throws {
        let program = try Program()
        let lines = try await place(program, at: "all/demo/ada")
        let closed = program.path("all/closed")
        try FileManager.default.createDirectory(
            atPath: closed, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o300])
        let beside = try await program.run(["cache", "verify", "all"])
        #expect(beside.output == lines)
        let alone = try await program.run(["cache", "verify", "all/closed"])
        for outcome in [beside, alone] {
            #expect(outcome.status == ExitCode.storage.rawValue)
            #expect(outcome.errors.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.first?.hasPrefix("roost: all/closed cannot be listed (") == true)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed)
        try program.remove()
    }

    @Test func `a page adds up channels that it leaves out, and shows the next one to be evicted`()
        async throws
    {
        let program = try Program()
        let store = try await Store.open(.folder(program.path("cache")), owner: Self.owner)
        for number in 0...201 as ClosedRange<Int64> {
            // The smallest channel is evicted first: none was ever opened, so the URL decides.
            let url = number == 0 ? "a" : ChannelURL("b\(number)")
            let count: Int64 = number == 0 ? 1 : 3
            let messages = (1...count).map { moment in
                Message(
                    delivery: .delivered(MessageID(number * 10 + moment), nil), channelURL: url,
                    createdAt: Timestamp(milliseconds: moment),
                    sender: Sender(user: User(id: "bob", nickname: "Bob")),
                    content: .user(text: "of \(url)"))
            }
            try await store.writer.commit([
                .channels([
                    GroupChannel(
                        url: url, createdAt: Timestamp(milliseconds: 1), myState: .joined)
                ]),
                .messages(
                    url, messages,
                    covering: CoveredRange(
                        lower: .distantPast, upper: messages.last?.position ?? .distantPast)),
            ])
        }
        await store.close()
        let outcome = try await program.run(["cache", "inspect", "cache", "--html", "page"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let page = try String(contentsOf: URL(filePath: program.path("page")), encoding: .utf8)
        for (number, name) in [(202, "channels"), (604, "messages"), (202, "holes")] {
            #expect(page.contains("<strong>\(number)</strong> <span>\(name)</span>"), "\(name)")
        }
        #expect(page.contains(/The first to go would be <bdi[^>]*>a<\/bdi>/))
        #expect(page.contains("eviction place 1<"))
        #expect(page.contains("2 of the smaller channels are left out here."))
        try program.remove()
    }

    @Test func `an inspection of a damaged outbox names its file`() async throws {
        let program = try Program()
        await (try fill(program)).close()
        try Data("no database".utf8).write(
            to: URL(filePath: file("outbox.sqlite", of: program)))
        for command in ["inspect", "export"] {
            let outcome = try await program.run(["cache", command, "cache"])
            #expect(outcome.status == ExitCode.storage.rawValue)
            let sentence = try #require(outcome.errors.first)
            #expect(sentence.hasPrefix("roost: cache/demo/ada/outbox.sqlite is damaged"))
            #expect(sentence.contains("saves each unsent message that can be read"))
            #expect(!sentence.contains("cache.sqlite"))
        }
        try program.remove()
    }

    @Test func `a path without a cache names the commands that make one`() async throws {
        let program = try Program()
        try FileManager.default.createDirectory(
            atPath: program.path("empty"), withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: program.path("file")))
        for (path, words) in [
            ("none", "There is no folder none"), ("file", "file is a file"),
            ("empty", "There is no cache in empty"),
        ] {
            let outcome = try await program.run(["cache", "inspect", path])
            #expect(outcome.status == ExitCode.storage.rawValue)
            let sentence =
                "roost: \(words): name the folder given to roost chat or roost client as --cache."
            #expect(outcome.errors == [sentence])
        }
        try program.remove()
    }

    @Test func `an unreadable cache path gets no advice to repair`() async throws {
        let program = try Program()
        let folder = program.path("cache/demo/ada")
        try FileManager.default.createDirectory(
            atPath: folder + "/cache.sqlite", withIntermediateDirectories: true)
        let outcome = try await program.run(["cache", "verify", "cache", "--repair"])
        #expect(outcome.status == ExitCode.storage.rawValue, "\(outcome.errors)")
        #expect(!outcome.errors.contains { $0.contains("--repair") }, "\(outcome.errors)")
        try program.remove()
    }
}
