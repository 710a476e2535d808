// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Dates, URLs and identities of Foundation and SwiftUI for Roost's own values.
struct FoundationTypesTests {
    @Test(arguments: [
        0, 1, -1, 1_700_000_000_123, 1_795_182_705_957, -62_135_596_800_000, 253_402_300_799_999,
    ])
    func `a moment is the same after a way through a date`(milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(moment.date) == moment)
        #expect(Timestamp(Date(moment)) == moment)
        #expect(abs(moment.date.timeIntervalSince1970 - Double(milliseconds) / 1000) < 0.000_5)
    }

    @Test func `a date beyond all moments becomes the first or the last one`() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) == .distantFuture)
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)) == .distantPast)
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) == .distantFuture)
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)) == .distantFuture)
        #expect(Timestamp(Timestamp.distantPast.date) == .distantPast)
        #expect(Timestamp(Timestamp.distantFuture.date) == .distantFuture)
    }

    @Test func `a moment is described by its milliseconds, and the ends of time by words`() {
        #expect("\(Timestamp(milliseconds: 1_700_000_000_123))" == "1700000000123")
        #expect("\(Timestamp.distantPast)" == "distant past")
        #expect("\(Timestamp.distantFuture)" == "distant future")
        #expect(Timestamp(seconds: .max).description == "distant future")
    }

    @Test func `a message keeps its identity through the delivery`() throws {
        try SimulatedWorld.play(seed: 21) { world in
            let client = try await world.launch(world.device(of: "alice"))
            try await client.connect()
            let channel = try await client.createChannel(ChannelCreateParams(memberIDs: [])).url
            let sent = try await client.send("hello", to: channel)
            let timeline = try await client.timeline(of: channel)
            await client.waitUntilIdle()
            let shown = try #require(await timeline.snapshot.messages.last)
            #expect(shown.messageID != nil)
            #expect(shown.id == sent.id)
            var other = shown
            other.delivery = .delivered(7, nil)
            #expect(other.id == .message(7))
            await client.close()
        }
    }

    @Test func `a folder is named by a path or by a URL`() {
        let url = URL(fileURLWithPath: "/data/chat")
        #expect(Configuration.Cache.folder(at: url) == .folder("/data/chat"))
        #expect(OutgoingFile.Source.copy(ofFileAt: url) == .copy(of: "/data/chat"))
        #expect(OutgoingFile.Source.reference(toFileAt: url) == .reference(to: "/data/chat"))
    }

    private static func error(
        _ cache: Configuration.Cache, _ protection: Protection = .none
    ) async -> RoostError? {
        let configuration = Configuration(
            applicationID: "a", server: "http://127.0.0.1:1", userID: "alice", cache: cache,
            protection: protection)
        do {
            try await ChatClient.open(configuration).close()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a folder that only a shell understands is refused, and so is a web address`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let home = await Self.error(.folder("~/chat"))
        #expect(home?.code == .invalidParameter)
        #expect(home?.message.contains("whole path") == true)
        let key = await Self.error(.folder(folder.path), .keyFile(in: "~/key"))
        #expect(key?.code == .invalidParameter)
        let web = try #require(URL(string: "https://example.org/chat"))
        #expect(await Self.error(.folder(at: web))?.code == .invalidParameter)
        let sealed = await Self.error(.folder(folder.path), .keyFile(inFolderAt: web))
        #expect(sealed?.code == .invalidParameter)
        #expect(try folder.contents() == [])
    }
}
