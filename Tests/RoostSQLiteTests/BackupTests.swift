// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

struct BackupTests {
    @Test func `a backup is one committed state, and the writer continues meanwhile`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let live = try NoteTable.open(.file(path))
        try live.execute(.insertNote, (text: "before", body: [1]))
        let reader = try Connection(.file(path), ConnectionOptions(access: .readOnly))
        try live.transaction { () throws(SQLiteError) in
            try live.execute(.insertNote, (text: "open", body: [2]))
            // A copy by another connection neither waits for the transaction nor contains its
            // changes.
            try reader.backUp(to: folder.file("copy.sqlite"))
        }
        try live.execute(.insertNote, (text: "after", body: [3]))
        let copy = try Connection(.file(folder.file("copy.sqlite")))
        #expect(try copy.first(.noteBody, "before") == [1])
        #expect(try copy.first(.noteBody, "open") == nil)
        #expect(try copy.first(.noteBody, "after") == nil)
        #expect(try copy.damage(comparesIndices: true).isEmpty)
        #expect(try live.first(.noteBody, "after") == [3])
    }

    @Test func `other users cannot read a database, its side files or a copy of it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let live = try NoteTable.open(.file(path))
        try live.execute(.insertNote, (text: "secret", body: [1]))
        try live.backUp(to: folder.file("copy.sqlite"))
        let files = ["live.sqlite", "live.sqlite-wal", "live.sqlite-shm", "copy.sqlite"]
        for name in files { #expect(try Self.rights(folder.file(name)) == 0o600, "\(name)") }
        // A file made by another program has the mode of that process.
        for name in files {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o664], ofItemAtPath: folder.file(name))
        }
        let again = try Connection(.file(path))
        try again.backUp(to: folder.file("copy.sqlite"))
        for name in files { #expect(try Self.rights(folder.file(name)) == 0o600, "\(name)") }
    }

    private static func rights(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `an unwritable backup is an error`() throws {
        let live = try NoteTable.open()
        let error = #expect(throws: SQLiteError.self) {
            try live.backUp(to: "/nowhere/copy.sqlite")
        }
        #expect(error?.isCannotOpen == true)
    }
}
