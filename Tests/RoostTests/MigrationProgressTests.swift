// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostExecutors
import RoostModel
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// The progress reports of an opening that changes the cache.
struct MigrationProgressTests {
    /// Makes a plain folder with 600 messages and an unsent one.
    private func filled() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.open(
            .folder(folder.path), owner: StoreOwner(application: "app", user: "anna"))
        let messages = (1...600).map { number in
            Message(
                delivery: .delivered(MessageID(Int64(number)), nil), channelURL: "channel",
                createdAt: Timestamp(milliseconds: Int64(number)), sender: nil,
                content: .user(text: "text \(number)"))
        }
        try await store.writer.commit([
            .messages(
                "channel", messages,
                covering: CoveredRange(
                    lower: try #require(messages.first?.position),
                    upper: try #require(messages.last?.position)))
        ])
        _ = try await store.outbox.append(
            "waiting", to: "channel", createdAt: Timestamp(milliseconds: 1),
            content: .userMessage(UserMessageParams(text: "unsent words")))
        await store.close()
        return folder
    }

    private func heard(
        _ folder: TemporaryFolder, _ protection: Protection = .none
    ) async throws -> [String] {
        var configuration = Configuration(
            applicationID: "app", server: "http://127.0.0.1:1", userID: "anna",
            cache: .folder(folder.path), protection: protection)
        let told = Guarded<[String]>([])
        configuration.migrating = { step in
            told.withLock { $0.append("\(step.done)/\(step.total)") }
        }
        let client = try await ChatClient.open(configuration)
        #expect(client.storageReport == [])
        #expect(await client.unsentMessages(in: "channel").count == 1)
        await client.close()
        return told.withLock { $0 }
    }

    @Test func `an opening that seals a large cache reports its progress (scar 154)`()
        async throws
    {
        let folder = try await filled()
        #expect(try await heard(folder) == [])
        let protection = try Protection.key([UInt8](repeating: 7, count: 32))
        #expect(try await heard(folder, protection) == ["0/600", "600/600"])
        #expect(try await heard(folder, protection) == [])
    }
}
