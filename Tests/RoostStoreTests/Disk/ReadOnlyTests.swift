// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

/// A store with data in a read-only folder.
struct ReadOnlyTests {
    private func filled() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit(ScriptedLife.mutations(1))
        try await ScriptedLife.append(1, to: store)
        await store.close()
        return folder
    }

    private func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
        let home = folder.file("app/anna")
        let names = try FileManager.default.contentsOfDirectory(atPath: home)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try Data(contentsOf: URL(fileURLWithPath: "\(home)/\(name)")))
            })
    }

    private func allow(_ folder: TemporaryFolder, writing: Bool) throws {
        let files = FileManager.default
        let home = folder.file("app/anna")
        for name in try files.contentsOfDirectory(atPath: home) {
            try files.setAttributes(
                [.posixPermissions: writing ? 0o600 : 0o444], ofItemAtPath: "\(home)/\(name)")
        }
        for path in [folder.path, folder.file("app"), home] {
            try files.setAttributes(
                [.posixPermissions: writing ? 0o700 : 0o555], ofItemAtPath: path)
        }
    }

    @Test func `a read-only folder is named, and no file in it changes (scar 46)`()
        async throws
    {
        let folder = try await filled()
        let before = try contents(folder)
        try allow(folder, writing: false)
        let visitor = try ChildProcess.onStore("visit", folder.path, seed: 0, count: 0)
        let said = await visitor.lines()
        try allow(folder, writing: true)
        #expect(said.first == "folderNotWritable")
        #expect(said.last?.contains(folder.file("app/anna")) == true)
        #expect(said.last?.contains("name another folder") == true)
        #expect(try contents(folder) == before)
        let store = try await Store.test(.folder(folder.path))
        #expect(store.report == .intact && store.outboxReport == .intact)
        #expect(try await store.outbox.items().items.count == 1)
        await store.close()
    }
}
