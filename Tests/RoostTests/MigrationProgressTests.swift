// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostExecutors
import RoostTestSupport
import Testing

/// What an app hears while its cache is brought up to date.
struct MigrationProgressTests {
    /// A folder as the first release left it: 600 messages and an unsent one.
    private func released() throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("RoostStoreTests/Released")
        let target = URL(fileURLWithPath: folder.file("app/anna"))
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for name in ["cache", "outbox"] {
            try FileManager.default.copyItem(
                at: source.appendingPathComponent("\(name)-1.sqlite"),
                to: target.appendingPathComponent("\(name).sqlite"))
        }
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
        #expect(await client.unsentMessages(in: "channel-0").count == 1)
        await client.close()
        return told.withLock { $0 }
    }

    @Test func `an app hears how far the update of a large cache has come (scar 154)`()
        async throws
    {
        let folder = try released()
        #expect(try await heard(folder) == ["0/600", "600/600"])
        #expect(try await heard(folder) == [])
        let protection = try Protection.key([UInt8](repeating: 7, count: 32))
        #expect(try await heard(folder, protection) == ["0/600", "600/600"])
        #expect(try await heard(folder, protection) == [])
    }
}
