// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

/// A file system with protection classes.
///
/// A new file has the class of its folder, or the system's default.
private final class RecordedProtection: FileProtector {
    private let classes = Guarded<[String: FileProtection]>([:])
    private let calls = Guarded<[String]>([])
    private let refused: String?

    init(refusing path: String? = nil) { refused = path }

    func protect(_ path: String, as protection: FileProtection) throws(FileProtectionError) {
        if path == refused { throw FileProtectionError(path: path, reason: "refused") }
        calls.withLock { $0.append(path) }
        classes.withLock { $0[path] = protection }
    }

    /// Returns the class of a file: its own, or that of the folder in which it was made.
    func protection(of path: String) -> FileProtection? {
        classes.withLock { classes in
            var path = Substring(path)
            while !path.isEmpty {
                if let known = classes[String(path)] { return known }
                guard let slash = path.lastIndex(of: "/") else { break }
                path = path[..<slash]
            }
            return .completeUntilFirstUserAuthentication
        }
    }

    /// Returns the number of calls for a file.
    func callCount(of path: String) -> Int { calls.withLock { $0.count { $0 == path } } }

    var givenPaths: Set<String> { classes.withLock { Set($0.keys) } }
}

struct FolderProtectionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func files() throws -> Set<String> {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Set(names.map { folder.file($0) })
    }

    @Test func `each file of a store has the class, present and future (scar 48, R132, R136)`()
        async throws
    {
        for protection in [
            FileProtection.completeUnlessOpen, .completeUntilFirstUserAuthentication,
        ] {
            let recorder = RecordedProtection()
            let rule = FolderProtection(protection, by: recorder)
            try rule.apply(to: folder.path)  // The folder is empty, so all files come later.
            _ = try KeyFile(folder.file("keys/master")).readOrMake()
            let store = try await Store.open(
                .folder(folder.path), owner: StoreOwner(application: "app", user: "me"))
            for name in ["cache.sqlite.damaged-1", "cache.sqlite-journal", "left by a crash"] {
                try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
            }
            let present = try files()
            for suffix in ["cache.sqlite", "cache.sqlite-wal", "cache.sqlite-shm", "outbox.sqlite"]
            {
                #expect(present.contains { $0.hasSuffix(suffix) }, "\(suffix)")
            }
            for file in present { #expect(recorder.protection(of: file) == protection, "\(file)") }
            try rule.apply(to: folder.path)
            #expect(recorder.givenPaths == present.union([folder.path]))
            await store.close()
        }
    }

    @Test func `an opening names each downloaded file once, not twice (scars 48, 139)`()
        async throws
    {
        let paths = Guarded<[String]>([])
        struct Counting: FileProtector {
            let paths: Guarded<[String]>

            func protect(_ path: String, as protection: FileProtection) {
                paths.withLock { $0.append(path) }
            }
        }
        let owner = StoreOwner(application: "app", user: "me")
        let files = try #require(StoreLocation.folder(folder.path).files(of: owner))
        for name in [files.downloads, files.attachments] {
            try FileManager.default.createDirectory(
                atPath: name, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(name)/one"))
        }
        var options = Store.Options()
        options.fileProtection = .completeUnlessOpen
        options.fileProtector = Counting(paths: paths)
        let store = try await Store.open(.folder(folder.path), owner: owner, options)
        await store.close()
        func count(_ path: String) -> Int { paths.withLock { $0.count { $0 == path } } }
        #expect(count("\(files.downloads)/one") == 1)
        #expect(count("\(files.attachments)/one") == 2)
        #expect(count(files.cache) == 1)
    }

    @Test func `a later opening names no downloaded file, unless the class has changed (scar 48)`()
        async throws
    {
        let owner = StoreOwner(application: "app", user: "me")
        let files = try #require(StoreLocation.folder(folder.path).files(of: owner))
        try FileManager.default.createDirectory(
            atPath: files.downloads, withIntermediateDirectories: true)
        let file = "\(files.downloads)/one"
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        let recorder = RecordedProtection()
        var options = Store.Options()
        options.fileProtector = recorder
        let openings: [(FileProtection, callCount: Int)] = [
            (.completeUnlessOpen, 1), (.completeUnlessOpen, 1),
            (.completeUntilFirstUserAuthentication, 2),
        ]
        for (protection, count) in openings {
            options.fileProtection = protection
            let store = try await Store.open(.folder(folder.path), owner: owner, options)
            await store.close()
            #expect(recorder.callCount(of: file) == count)
            #expect(recorder.protection(of: file) == protection)
        }
    }

    /// File operations that note whether they run on the main actor's queue.
    private struct WatchedFiles: FileProtector {
        let onMain = Guarded<[Bool]>([])

        func protect(_ path: String, as protection: FileProtection) {
            onMain.withLock { $0.append(Self.isMain) }
        }

        private static let key = DispatchSpecificKey<Bool>()

        /// Marks the main queue, which runs the main actor on any thread.
        static func mark() { DispatchQueue.main.setSpecific(key: key, value: true) }

        static var isMain: Bool { DispatchQueue.getSpecific(key: key) == true }
    }

    @MainActor
    @Test func `opening a store does no work with files on the main actor (scar 139)`()
        async throws
    {
        WatchedFiles.mark()
        #expect(WatchedFiles.isMain)
        let files = WatchedFiles()
        var options = Store.Options()
        options.fileProtection = .completeUnlessOpen
        options.fileProtector = files
        let store = try await Store.open(
            .folder(folder.path), owner: StoreOwner(application: "app", user: "me"), options)
        let found = files.onMain.withLock { $0 }
        #expect(found.count > 4 && !found.contains(true))
        await store.close()
    }

    @Test func `a file that keeps another class is an error, and a vanished file is none`() throws {
        let path = folder.file("cache.sqlite")
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let refusing = FolderProtection(
            .completeUnlessOpen, by: RecordedProtection(refusing: path))
        #expect(throws: FileProtectionError(path: path, reason: "refused")) {
            try refusing.apply(to: folder.path)
        }
        let gone = FolderProtection(.completeUnlessOpen, by: VanishingFiles())
        try gone.apply(to: folder.path)
        #expect(try files().isEmpty)
    }

    @Test func `a link out of the folder is not followed`() throws {
        let outside = try TemporaryFolder()
        try Data("x".utf8).write(to: URL(fileURLWithPath: outside.file("theirs")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: outside.path)
        let recorder = RecordedProtection()
        try FolderProtection(.completeUnlessOpen, by: recorder).apply(to: folder.path)
        #expect(recorder.givenPaths == [folder.path, folder.file("link")])
    }

    /// File operations before which each file vanishes, as a log does when its database is closed.
    private struct VanishingFiles: FileProtector {
        func protect(_ path: String, as protection: FileProtection) throws(FileProtectionError) {
            guard path.hasSuffix(".sqlite") else { return }
            try? FileManager.default.removeItem(atPath: path)
            throw FileProtectionError(path: path, reason: "no such file")
        }
    }
}
