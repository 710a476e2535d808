// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

struct CheckpointPolicyTests {
    @Test
    func
        `a write-ahead log that a reader kept long is emptied soon after the read (scar 150)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("notes.sqlite")
        let writer = try NoteTable.open(.file(path))
        writer.checkpoint(every: 100)
        let reader = try Connection(.file(path), ConnectionOptions(access: .readOnly))
        var count = 0
        func write() throws {
            count += 1
            try writer.execute(.insertNote, (text: "note \(count)", body: nil))
        }
        func logPages() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
            return try #require(attributes[.size] as? Int) / 4_120
        }
        var failure: (any Error)?
        try reader.withSnapshot { () throws(SQLiteError) in
            _ = try reader.first(.noteCount)
            do { while try logPages() < 105 { try write() } } catch { failure = error }
        }
        #expect(failure == nil)
        for _ in 0..<200 { try write() }
        #expect(try logPages() < 150)
    }

    @Test
    func `single commits between pages of history do not shorten the log for the pages`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let writer = try NoteTable.open(.file(folder.file("notes.sqlite")))
        // The greatest length of the log during `count` commits, each with its stride.
        func longest(_ count: Int, _ stride: (Int) -> Int32) throws -> Int {
            writer.checkpointNow()
            var longest = 0
            for number in 0..<count {
                writer.checkpoint(every: stride(number))
                try writer.execute(.insertNote, (text: "\(count) \(number)", body: nil))
                longest = max(longest, writer.logPages)
            }
            return longest
        }
        #expect((40..<60).contains(try longest(400) { _ in 40 }))
        #expect((400..<420).contains(try longest(801) { _ in 400 }))
        // One commit in ten is ten times as large, so the average of all is about half as many
        // pages.
        #expect((180..<260).contains(try longest(802) { $0 % 10 == 0 ? 40 : 400 }))
    }

    @Test
    func
        `a read stays on the state of its first row and leaves no transaction open (scars 49, 50)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let writer = try NoteTable.open(.file(folder.file("notes.sqlite")))
        let reader = try Connection(
            .file(folder.file("notes.sqlite")), ConnectionOptions(access: .readOnly))
        for before in 0..<3 as Range<Int64> {
            try reader.withSnapshot(of: .noteCount) { count throws(SQLiteError) in
                #expect(count == before)
                try writer.execute(.insertNote, (text: "note \(before)", body: nil))
                #expect(try reader.first(.noteCount) == before)
            }
        }
        // The error of the body is thrown on, and the next read has the newest state.
        #expect(throws: SQLiteError.self) {
            try reader.withSnapshot(of: .noteCount) { _ throws(SQLiteError) in
                try reader.execute(.insertNote, (text: "refused", body: nil))
            }
        }
        try reader.withSnapshot(of: .noteCount) { count throws(SQLiteError) in
            #expect(count == 3)
        }
    }

    @Test func `a read without rows has a state too`() throws {
        let connection = try NoteTable.open()
        var found: Int64?
        try connection.withSnapshot(of: .noteTexts) { text throws(SQLiteError) in
            #expect(text == nil)
            found = try connection.first(.noteCount)
        }
        #expect(found == 0)
    }
}
