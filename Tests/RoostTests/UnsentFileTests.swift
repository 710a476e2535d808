// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostTestKit
import RoostTestSupport
import RoostWire
import Testing

/// The files of unsent messages, as an app shows them while they wait.
struct UnsentFileTests {
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private enum Origin: CaseIterable { case bytes, copy, reference }

    /// Saves a message with a file, restarts the app without a network, and plays on.
    private static func play(
        _ origin: Origin, isSealed: Bool,
        _ story:
            @escaping @Sendable (
                SimulatedWorld, SimulatedWorld.Device, ChatClient, ChannelURL
            ) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("original.png")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let source: OutgoingFile.Source =
            switch origin {
            case .bytes: .bytes(bytes)
            case .copy: .copy(of: path)
            case .reference: .reference(to: path)
            }
        try SimulatedWorld.play(seed: 1) { world in
            let phone = world.device(
                of: "alice", folder: folder.file("disk"),
                protection: isSealed ? try .key([UInt8](repeating: 3, count: 32)) : .none)
            let client = try await world.launch(phone)
            try await client.connect()
            let channel = try await client.createChannel(
                ChannelCreateParams(memberIDs: ["bob"])
            ).url
            await phone.network.cut()
            try await client.send(
                FileMessageParams(files: [OutgoingFile(source, name: "a.png", type: "image/png")]),
                to: channel)
            await client.close()
            if origin == .copy { try FileManager.default.removeItem(atPath: path) }
            let again = try await world.launch(phone)
            try await story(world, phone, again, channel)
            await again.close()
        }
    }

    private static func files(of message: Message?) throws -> [OutgoingFile] {
        guard case .file(let params)? = message?.params else { return [] }
        return params.files
    }

    @Test(arguments: [false, true])
    func `the bytes of an unsent file are given back, from each origin (R116)`(isSealed: Bool)
        throws
    {
        for origin in Origin.allCases {
            try Self.play(origin, isSealed: isSealed) { world, phone, client, channel in
                let unsent = await client.unsentMessages(in: channel).first
                let file = try #require(try Self.files(of: unsent).first)
                #expect(try await client.contents(of: file) == Self.bytes)
                phone.network.restore()
                try await client.connect()
                await client.waitUntilIdle()
                await world.pass()
                let log = try await world.log(of: channel)
                guard case .file(let sent)? = log.first?.content else {
                    return #expect(Bool(false))
                }
                #expect(try await world.file(at: sent.url) == Self.bytes)
                // The outbox's copy is deleted with its message.
                guard origin != .reference else { return }
                await #expect(throws: RoostError.self) { try await client.contents(of: file) }
            }
        }
    }

    @Test func `a sealed file is sent again from its parameters, under a key of its own`() throws {
        try Self.play(.bytes, isSealed: true) { world, phone, client, channel in
            let unsent = try #require(await client.unsentMessages(in: channel).first)
            let copy = try await client.send(try #require(unsent.params), to: channel)
            let both = try [unsent, copy].map { try #require(try Self.files(of: $0).first) }
            for file in both { #expect(try await client.contents(of: file) == Self.bytes) }
            let copies = try both.map { try #require($0.sealedCopy) }
            #expect(copies[0].path != copies[1].path)
            #expect(copies[0].key != copies[1].key)
            phone.network.restore()
            try await client.connect()
            await client.waitUntilIdle()
            await world.pass()
            for message in try await world.log(of: channel) {
                guard case .file(let sent) = message.content else { return #expect(Bool(false)) }
                #expect(try await world.file(at: sent.url) == Self.bytes)
            }
        }
    }

    @Test func `the key of a sealed file is in no description and no stored form`() throws {
        try Self.play(.bytes, isSealed: true) { _, _, client, channel in
            let unsent = try #require(await client.unsentMessages(in: channel).first)
            let file = try #require(try Self.files(of: unsent).first)
            let sealed = try #require(file.sealedCopy)
            let key = sealed.key.map { "\($0)" }.joined(separator: ", ")
            var dumped = ""
            dump(unsent, to: &dumped)
            for text in ["\(unsent)", String(reflecting: unsent), dumped] {
                #expect(!text.contains(key))
                #expect(!text.contains(sealed.path))
            }
            let stored = [
                SerializedObject.message(unsent).bytes, Array(try JSONEncoder().encode(file)),
            ]
            for bytes in stored {
                #expect(Data(bytes).range(of: Data(sealed.key)) == nil)
                #expect(Data(bytes).range(of: Data(sealed.path.utf8)) == nil)
            }
            let decoded = try JSONDecoder().decode(
                OutgoingFile.self, from: try JSONEncoder().encode(file))
            #expect(decoded.sealedCopy == nil)
        }
    }
}
