// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

struct OpeningFaultTests {
    @Test func `a file of another kind is refused unchanged (scar 42)`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("notes.sqlite")
        let content = Data(String(repeating: "This is a letter. ", count: 500).utf8)
        try content.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: SQLiteError.self) { try Connection(.file(path)) }
        #expect(error?.isNotADatabase == true)
        #expect(error?.isCorrupt == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
    }

    @Test(arguments: ["missing/notes.sqlite", "notes\0.sqlite", ""])
    func `a path that cannot be opened is an error`(name: String) throws {
        let folder = try TemporaryFolder()
        let path = name.isEmpty ? "" : folder.file(name)
        let error = #expect(throws: SQLiteError.self) { try Connection(.file(path)) }
        #expect(error?.isCannotOpen == true)
        #expect(try folder.contents() == [])
    }

    @Test func `a reader neither makes nor changes a file`() throws {
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        let reading = ConnectionOptions(access: .readOnly)
        let missing = #expect(throws: SQLiteError.self) { try Connection(file, reading) }
        #expect(missing?.isCannotOpen == true)
        #expect(try folder.contents() == [])
        let writer = try NoteTable.open(file)
        let reader = try Connection(file, reading)
        let refused = #expect(throws: SQLiteError.self) {
            try reader.execute(.insertNote, (text: "x", body: nil))
        }
        #expect(refused?.isReadOnly == true)
        #expect(try writer.first(.noteCount) == 0)
    }

    /// Places where no user can make a file, root included.
    @Test(arguments: ["/proc", "/dev/null"])
    func `an unwritable folder is an error`(folder: String) {
        let error = #expect(throws: SQLiteError.self) {
            try Connection(.file("\(folder)/notes.sqlite"))
        }
        #expect(error?.isCannotOpen == true)
    }

    @Test func `a read of a damaged page fails, and a check finds the page (scar 42)`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("notes.sqlite")
        do {
            let connection = try NoteTable.open(.file(path))
            for index in 0..<200 {
                try connection.execute(
                    .insertNote, (text: "note \(index)", body: Array(repeating: 1, count: 500)))
            }
            #expect(try connection.damage() == [])
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for offset in (4_096 + 1)..<bytes.count { bytes[offset] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))

        let connection = try Connection(.file(path))
        let error = #expect(throws: SQLiteError.self) { try connection.all(.noteTexts) }
        #expect(error?.isCorrupt == true)
        #expect(connection.busyStatementCount == 0)
        #expect(try !connection.damage().isEmpty)
    }
}
