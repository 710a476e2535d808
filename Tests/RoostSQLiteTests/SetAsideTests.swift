// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

/// The files of a damaged database go out of the way together.
struct SetAsideTests {
    private static let suffixes = ["", "-wal", "-shm"]
    private let folder: TemporaryFolder
    private let files: DatabaseFiles
    private var aside: String { files.path + ".damaged-1" }

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        files = DatabaseFiles(folder.file("notes.sqlite"))
    }

    private func put(_ content: String, at path: String) throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func content(of path: String) -> [String?] {
        Self.suffixes.map { suffix in
            try? String(contentsOfFile: path + suffix, encoding: .utf8)
        }
    }

    @Test(arguments: 0...3)
    func `a setting aside that is killed after any file is ended, and can be undone (scars 36, 42)`(
        movedCount: Int
    ) throws {
        for (index, suffix) in Self.suffixes.enumerated() {
            try put("own\(suffix)", at: (index < movedCount ? aside : files.path) + suffix)
        }
        try files.finishSettingAside()
        let whole = ["own", "own-wal", "own-shm"]
        #expect(content(of: movedCount == 0 ? files.path : aside) == whole)
        #expect(content(of: movedCount == 0 ? aside : files.path) == [nil, nil, nil])
        try files.bringBack()
        #expect(content(of: files.path) == whole && content(of: aside) == [nil, nil, nil])
        #expect(try files.setAside() == aside)
        #expect(content(of: files.path) == [nil, nil, nil] && content(of: aside) == whole)
    }

    @Test(arguments: 1...2)
    func `a bringing back that is killed after any file is undone, and can be done (scars 36, 42)`(
        movedCount: Int
    ) throws {
        try put("own", at: aside)
        for (index, suffix) in Self.suffixes.dropFirst().enumerated() {
            try put("own\(suffix)", at: (index < movedCount ? files.path : aside) + suffix)
        }
        try files.finishSettingAside()
        #expect(content(of: aside) == ["own", "own-wal", "own-shm"])
        try files.bringBack()
        #expect(content(of: files.path) == ["own", "own-wal", "own-shm"])
    }

    @Test func `a log that belongs to no database meets none, and replaces no other (scar 36)`()
        throws
    {
        try put("own", at: aside)
        try put("own-wal", at: aside + "-wal")
        try put("a stranger's", at: files.path + "-wal")
        try files.finishSettingAside()
        #expect(content(of: aside) == ["own", "own-wal", nil])
        try files.bringBack()
        #expect(content(of: files.path) == ["own", "own-wal", nil])
        // There is a main file now: nothing is brought over it.
        try put("older", at: aside)
        try files.bringBack()
        #expect(content(of: files.path) == ["own", "own-wal", nil])
    }
}
