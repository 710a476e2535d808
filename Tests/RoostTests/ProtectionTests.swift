// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// An app's calls to seal its cache.
struct ProtectionTests {
    private static let words = "Nobody-Reads-Sandpiper"
    private static let unsent = "Nobody-Sends-Whinchat"

    private static func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    /// Returns a file of the folder that shows a text; nil if none does.
    private static func open(in folder: TemporaryFolder) -> String? {
        let base = URL(fileURLWithPath: folder.path)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        return names?.first { name in
            let data = (try? Data(contentsOf: base.appendingPathComponent(name))) ?? Data()
            // As plain text, and in the form of an index of words.
            return [words, unsent, "andpiper"].contains { data.range(of: Data($0.utf8)) != nil }
        }
    }

    /// Opens and closes a client, which sends a message or reads the earlier ones.
    private static func visit(
        _ folder: TemporaryFolder, _ protection: Protection, writes: Bool = false,
        _ look: @escaping @Sendable (ChatClient, ChannelURL) async throws -> Void = { _, _ in }
    ) throws {
        try SimulatedWorld.play(seed: 8) { world in
            let device = world.device(
                of: "alice", folder: folder.path, protection: protection)
            let client = try await world.launch(device)
            #expect(client.storageReport == [])
            if writes {
                try await client.connect()
                let channel = try await client.createChannel(
                    ChannelCreateParams(memberIDs: [], name: "Sandpiper")
                ).url
                try await client.send(words, to: channel)
                await world.pass()
                await device.network.cut()
                try await client.send(unsent, to: channel)
            }
            let list = try await client.channelList()
            let channel = try #require(await list.snapshot.channels.first?.url)
            let timeline = try await client.timeline(of: channel)
            #expect(await timeline.snapshot.messages.map(\.text) == [words, unsent])
            try await look(client, channel)
            await client.close()
        }
    }

    /// Returns the error of a client's opening.
    private static func error(
        _ folder: TemporaryFolder, _ protection: Protection
    ) throws -> RoostError? {
        try SimulatedWorld.play(seed: 9) { world in
            do throws(RoostError) {
                let client = try await world.launch(
                    world.device(of: "alice", folder: folder.path, protection: protection))
                await client.close()
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func `an app seals, rotates the key, and removes the encryption (R131, R136)`() throws {
        let folder = try TemporaryFolder()
        let (old, new) = (Self.bytes(1), Self.bytes(2))
        try Self.visit(folder, .none, writes: true)
        #expect(Self.open(in: folder) != nil)
        try Self.visit(folder, try .key(old))
        #expect(Self.open(in: folder) == nil)
        try Self.visit(folder, try .key(new, replacing: old))
        try Self.visit(folder, try .key(new))
        #expect(Self.open(in: folder) == nil)
        #expect(try Self.error(folder, .key(old))?.remedy == .correctInput)
        try Self.visit(folder, try Protection.key(new).takenOff())
        try Self.visit(folder, .none)
        #expect(Self.open(in: folder) != nil)
    }

    @Test func `without its key a client does not open, and no data are lost (scars 43, 44)`()
        throws
    {
        let (folder, keys) = (try TemporaryFolder(), try TemporaryFolder())
        let protection = Protection.keyFile(in: keys.path)
        try Self.visit(folder, protection, writes: true)
        let other = try TemporaryFolder()
        for (wrong, part) in [
            (Protection.none, "`Configuration.protection` to the key that it was encrypted with"),
            (.keyFile(in: other.path), "no key was given"),
            (try .key(Self.bytes(3)), "encrypted with another key"),
        ] {
            let error = try #require(try Self.error(folder, wrong))
            #expect(error.code == .localDatabaseError && error.remedy == .correctInput)
            #expect(error.message.contains(part) && error.message.contains("Nothing was deleted"))
        }
        try Self.visit(folder, .keyFile(in: keys.path, replacesKey: true))
        try Self.visit(folder, protection) { client, channel in
            #expect(try await client.eraseCache(of: channel))
            let timeline = try await client.timeline(of: channel)
            #expect(await timeline.snapshot.messages.map(\.text) == [Self.unsent])
        }
        #expect(Self.open(in: folder) == nil)
    }

    @Test func `an invalid key, or one inside the sealed folder, is refused at once`() throws {
        for count in [0, 31, 33] {
            let error = #expect(throws: RoostError.self) {
                try Protection.key([UInt8](repeating: 1, count: count))
            }
            #expect(error?.code == .invalidParameter)
        }
        let folder = try TemporaryFolder()
        for place in ["", folder.path] {
            #expect(try Self.error(folder, .keyFile(in: place))?.code == .invalidParameter)
        }
        let outside = try TemporaryFolder()
        let link = outside.path + "/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.path)
        for place in [
            folder.path + "/keys", folder.path + "/", link, link + "/new/keys",
            outside.path + "/none/../../" + (folder.path as NSString).lastPathComponent + "/keys",
        ] {
            let error = try Self.error(folder, .keyFile(in: place))
            #expect(error?.code == .invalidParameter && error?.remedy == .correctInput, "\(place)")
            #expect(error?.message.contains("a copy of the cache would contain the key") == true)
        }
        #expect(try folder.contents() == [])
        // A name with the same beginning is another folder.
        #expect(try Self.error(folder, .keyFile(in: folder.path + "-keys")) == nil)
        try FileManager.default.removeItem(atPath: folder.path + "-keys")
    }
}
