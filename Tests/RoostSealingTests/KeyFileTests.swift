// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSealing
import RoostTestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct KeyFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("keys/master.key")
    }

    private struct Crash {
        static let error = KeyFileError.system("the process ended here")
    }

    private func rights(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func setRights(_ rights: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
    }

    @Test func `a new key is in the file afterwards, readable for its owner alone (R136)`() throws {
        #expect(try KeyFile(path).read() == nil)
        let made = try KeyFile(path).readOrMake()
        let found = try #require(try KeyFile(path).read())
        #expect(found.isSame(as: made))
        #expect(try KeyFile(path).readOrMake().isSame(as: made))
        #expect(try rights(path) == 0o600)
        #expect(try rights(folder.file("keys")) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("keys")).count == 2)
    }

    @Test func `a process that keeps the key locked makes others fail in time`() throws {
        _ = try KeyFile(path).readOrMake()
        // SAFETY: the path is valid during the call.
        let held = unsafe open("\(path).lock", O_RDWR | O_CLOEXEC)
        try #require(held >= 0)
        defer { close(held) }
        let isHeld = flock(held, LOCK_EX) == 0
        try #require(isHeld)
        let error = #expect(throws: KeyFileError.self) {
            _ = try KeyFile(path, patience: .milliseconds(20)).beginReplacement()
        }
        #expect(error?.description.contains("Another process") == true)
        let isFree = flock(held, LOCK_UN) == 0
        #expect(isFree)
        let keys = try KeyFile(path).beginReplacement()
        #expect(keys.previous.count == 1)
    }

    @Test func `a key file readable for others is refused with the command that helps`() throws {
        _ = try KeyFile(path).readOrMake()
        for mode in [0o640, 0o604, 0o660, 0o644] {
            try setRights(mode, path)
            #expect(
                throws: KeyFileError.exposed(
                    "Others may read the key in \(path): run: chmod 600 '\(path)'")
            ) { try KeyFile(path).read() }
        }
        try setRights(0o600, path)
        try setRights(0o770, folder.file("keys"))
        #expect(
            throws: KeyFileError.exposed(
                "Others may change the folder of the key: run: chmod 700 '\(folder.file("keys"))'")
        ) { try KeyFile(path).read() }
        try setRights(0o755, folder.file("keys"))
        #expect(try KeyFile(path).read() != nil)
    }

    @Test func `a damaged key file differs from a missing one and stays as it is (scars 43, 44)`()
        throws
    {
        _ = try KeyFile(path).readOrMake()
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in sound.indices {
            var broken = sound
            broken[index] ^= 0x01
            try broken.write(to: URL(fileURLWithPath: path))
            #expect(throws: KeyFileError.self, "byte \(index)") { try KeyFile(path).readOrMake() }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == broken)
        }
        for count in 0..<sound.count {
            try sound.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(throws: KeyFileError.self) { try KeyFile(path).read() }
        }
    }

    @Test func `a link to a foreign key is not followed`() throws {
        _ = try KeyFile(path).readOrMake()
        let link = folder.file("keys/link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: KeyFileError.self) { try KeyFile(link).read() }
    }

    @Test func `a crash at any step of making a key leaves no key or a complete one`() throws {
        for step in KeyFile.Step.allCases {
            let path = folder.file("made at \(step)/key")
            let crashing = KeyFile(path) { reached throws(KeyFileError) in
                if reached == step { throw Crash.error }
            }
            #expect(throws: Crash.error) { try crashing.readOrMake() }
            let left = try KeyFile(path).read()
            #expect((left != nil) == (step == .synchronizeFolder))
            let made = try KeyFile(path).readOrMake()
            if let left { #expect(left.isSame(as: made)) }
        }
    }

    @Test func `a crash at any step of a replacement never loses the key in use`() throws {
        for step in KeyFile.Step.allCases {
            let path = folder.file("begun at \(step)/key")
            let old = try KeyFile(path).readOrMake()
            let crashing = KeyFile(path) { reached throws(KeyFileError) in
                if reached == step { throw Crash.error }
            }
            #expect(throws: Crash.error) { try crashing.beginReplacement() }
            let left = try #require(try KeyFile(path).read())
            #expect(left.all.contains { $0.isSame(as: old.current) })

            let both = try KeyFile(path).beginReplacement()
            #expect(both.previous.count == 1)
            #expect(both.previous[0].isSame(as: old.current))
            #expect(!both.current.isSame(as: old.current))
            #expect(try KeyFile(path).beginReplacement().isSame(as: both), "begun once")

            #expect(throws: Crash.error) { try crashing.finishReplacement { _ in true } }
            let kept = try #require(try KeyFile(path).read())
            #expect(kept.current.isSame(as: both.current))
            try KeyFile(path).finishReplacement { _ in true }
            let final = try #require(try KeyFile(path).read())
            #expect(final.isSame(as: MasterKeys(both.current)))
            let names = try FileManager.default.contentsOfDirectory(
                atPath: folder.file("begun at \(step)"))
            #expect(Set(names) == ["key", "key.lock"], "no copy of a key is left behind")
        }
    }

    @Test func `a key that is not in use does not replace the old one`() throws {
        let old = try KeyFile(path).readOrMake()
        let both = try KeyFile(path).beginReplacement()
        try KeyFile(path).finishReplacement { $0.isSame(as: old.current) }
        #expect(try #require(try KeyFile(path).read()).isSame(as: both))
        try KeyFile(path).finishReplacement { $0.isSame(as: both.current) }
        #expect(try #require(try KeyFile(path).read()).isSame(as: MasterKeys(both.current)))
    }

    @Test func `simultaneous threads that make a key get the same one`() async throws {
        let path = path
        let keys = try await withThrowingTaskGroup(of: MasterKeys.self) { group in
            for _ in 0..<8 { group.addTask { try KeyFile(path).readOrMake() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(keys.count == 8)
        #expect(keys.allSatisfy { $0.isSame(as: keys[0]) })
    }

    @Test func `an unreadable source is unavailable, not without a key (scars 44, 47)`()
        throws
    {
        #expect(try KeyFile(path).masterKeys(makesMissing: false) == nil)
        let made = try #require(try KeyFile(path).masterKeys(makesMissing: true))
        #expect(try #require(try KeyFile(path).masterKeys(makesMissing: false)).isSame(as: made))
        try setRights(0o644, path)
        #expect(throws: MasterKeyError.self) { try KeyFile(path).masterKeys(makesMissing: true) }
    }

    @Test func `a key has exactly 32 bytes`() throws {
        for count in [0, 16, 31, 33, 64] {
            #expect(throws: MasterKeyError.length(count)) {
                try MasterKey([UInt8](repeating: 1, count: count))
            }
        }
        let bytes: [UInt8] = .random(count: 32)
        #expect(try MasterKey(bytes).isSame(as: MasterKey(bytes)))
        #expect(!(try MasterKey(bytes).isSame(as: .random())))
    }
}
