// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostHost
import RoostSQLite
import RoostServer
import RoostTestSupport
import Testing

struct BackupTests {
    @Test func `the numbers of a copy begin behind those that the original may still give`()
        async throws
    {
        let folder = try TemporaryFolder()
        let (data, copy) = (folder.file("d"), folder.file("copy"))
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true)
        let storage = try await SQLiteStorage(
            .file(data + "/server.sqlite"), on: ThreadExecutor(name: "storage"))
        _ = try ChatBackup.make(of: data, to: copy)

        func number(_ sql: SQL, in folder: String) throws -> Int64? {
            let connection = try Connection(.file(folder + "/server.sqlite"))
            return try connection.first(Query<Void, Int64>(sql: sql) { $0.int64(0) })
        }
        let changes: SQL = "SELECT sequence FROM clock"
        let messages: SQL = "SELECT seq FROM sqlite_sequence WHERE name = 'message'"
        #expect(try number(changes, in: data) == 0)
        #expect(try number(changes, in: copy) == 1_000_000_000)
        #expect(try number(messages, in: copy) == 1_000_000_000)
        // A server can use the copy.
        _ = try await SQLiteStorage(
            .file(copy + "/server.sqlite"), on: ThreadExecutor(name: "copy"))
        withExtendedLifetime(storage) {}
    }

    @Test func `a backup leaves other folders beside its target alone`() async throws {
        let folder = try TemporaryFolder()
        let (data, copy) = (folder.file("d"), folder.file("copy"))
        let manager = FileManager.default
        try manager.createDirectory(atPath: data, withIntermediateDirectories: true)
        let storage = try await SQLiteStorage(
            .file(data + "/server.sqlite"), on: ThreadExecutor(name: "storage"))
        let others = ["copy.part", "copy.1.part"]
        for name in others {
            try manager.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(filePath: folder.file(name + "/file")))
        }
        // The name of a folder may end in a slash.
        _ = try ChatBackup.make(of: data, to: copy + "/")
        #expect(manager.fileExists(atPath: copy + "/server.sqlite"))
        for name in others { #expect(manager.fileExists(atPath: folder.file(name + "/file"))) }
        let names = try manager.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["d", "copy", "copy.part", "copy.1.part"])
        withExtendedLifetime(storage) {}
    }

    @Test func `a file that is removed during a backup is left out of it`() throws {
        let folder = try TemporaryFolder()
        let (files, copies) = (folder.file("files"), folder.file("copies"))
        try FileManager.default.createDirectory(
            atPath: files, withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: URL(filePath: files + "/kept"))
        #expect(try ChatBackup.copyFiles(["gone", "kept"], of: files, to: copies) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == ["kept"])
    }
}
