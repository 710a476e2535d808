// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

/// The quarantine of a damaged database, which moves its files together.
struct QuarantineTests {
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
    func `a quarantine killed after any file is completed and can be reverted (scars 36, 42)`(
        movedCount: Int
    ) throws {
        for (index, suffix) in Self.suffixes.enumerated() {
            try put("own\(suffix)", at: (index < movedCount ? aside : files.path) + suffix)
        }
        try files.finishQuarantine()
        let whole = ["own", "own-wal", "own-shm"]
        #expect(content(of: movedCount == 0 ? files.path : aside) == whole)
        #expect(content(of: movedCount == 0 ? aside : files.path) == [nil, nil, nil])
        try files.restore()
        #expect(content(of: files.path) == whole && content(of: aside) == [nil, nil, nil])
        #expect(try files.quarantine() == aside)
        #expect(content(of: files.path) == [nil, nil, nil] && content(of: aside) == whole)
    }

    @Test(arguments: 1...2)
    func `a restore killed after any file is reverted and can be repeated (scars 36, 42)`(
        movedCount: Int
    ) throws {
        try put("own", at: aside)
        for (index, suffix) in Self.suffixes.dropFirst().enumerated() {
            try put("own\(suffix)", at: (index < movedCount ? files.path : aside) + suffix)
        }
        try files.finishQuarantine()
        #expect(content(of: aside) == ["own", "own-wal", "own-shm"])
        try files.restore()
        #expect(content(of: files.path) == ["own", "own-wal", "own-shm"])
    }

    @Test
    func `a log without its database meets no other database and replaces no other log (scar 36)`()
        throws
    {
        try put("own", at: aside)
        try put("own-wal", at: aside + "-wal")
        try put("a stranger's", at: files.path + "-wal")
        try files.finishQuarantine()
        #expect(content(of: aside) == ["own", "own-wal", nil])
        try files.restore()
        #expect(content(of: files.path) == ["own", "own-wal", nil])
        // A main file exists now, so no file is moved over it.
        try put("older", at: aside)
        try files.restore()
        #expect(content(of: files.path) == ["own", "own-wal", nil])
    }

    @Test func `a quarantine has the number after the highest, whatever was deleted (scar 42)`()
        throws
    {
        for number in 1...3 {
            try put("\(number)", at: files.path)
            #expect(try files.quarantine() == "\(files.path).damaged-\(number)")
        }
        for name in ["damaged-", "damaged-x", "damaged-+7", "damaged-07", "damaged-99-wal"] {
            try put("foreign", at: "\(files.path).\(name)")
        }
        try FileManager.default.removeItem(atPath: aside)
        try put("4", at: files.path)
        #expect(try files.quarantine() == "\(files.path).damaged-4")
        #expect(files.lastQuarantine == "\(files.path).damaged-4")
        #expect(files.quarantined == (2...4).map { "\(files.path).damaged-\($0)" })
        try files.restore()
        #expect(content(of: files.path) == ["4", nil, nil])
    }
}
