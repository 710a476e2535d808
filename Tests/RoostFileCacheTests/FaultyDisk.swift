// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostFileCache
import RoostTestSupport
import Synchronization

/// The real disk with a step at which it refuses once or the process ends.
final class FaultyDisk: FileCacheDisk {
    enum Fault: Hashable, Sendable {
        /// The disk refuses this step only.
        case refuses(step: Int)
        /// Nothing happens from this step on.
        case dies(step: Int)
    }

    struct Refusal: Error {}

    private struct State {
        var steps: [String] = []
        var writeCount = 0
        var written: [String] = []
        var read: [String] = []
    }

    private let fault: Fault?
    private let disk = SystemDisk()
    private let state = Mutex(State())

    /// Whether files seem to be missing, as if another process saved them after the look.
    private let overlooksFiles: Bool

    init(_ fault: Fault? = nil, overlooksFiles: Bool = false) {
        (self.fault, self.overlooksFiles) = (fault, overlooksFiles)
    }

    /// The steps in order, each with the end of its path.
    var steps: [String] { state.withLock { $0.steps } }
    var writeCount: Int { state.withLock { $0.writeCount } }
    /// The names of the written files, in order.
    var written: [String] { state.withLock { $0.written } }
    /// The names of the read files, in order; reading is no step.
    var read: [String] { state.withLock { $0.read } }

    private func step(_ name: String, _ path: String) throws {
        let number = state.withLock { state in
            state.steps.append("\(name) \(path.suffix(5))")
            if name != "make" { state.writeCount += 1 }
            return state.steps.count
        }
        switch fault {
        case .refuses(number): throw Refusal()
        case .dies(let first) where number >= first: throw Refusal()
        default: break
        }
    }

    func exists(_ path: String) -> Bool {
        disk.exists(path) && !(overlooksFiles && (path as NSString).pathExtension != "")
    }

    func names(in folder: String) -> [String] { disk.names(in: folder) }

    func read(_ path: String) throws -> String {
        state.withLock { $0.read.append(URL(filePath: path).lastPathComponent) }
        return try disk.read(path)
    }
    func freshName() -> String { disk.freshName() }
    func sweep(beside path: String) { disk.sweep(beside: path) }

    func makeFolder(_ path: String) throws {
        try step("make", path)
        try disk.makeFolder(path)
    }

    func write(_ text: String, to path: String) throws {
        try step("write", path)
        state.withLock { $0.written.append(URL(filePath: path).lastPathComponent) }
        try disk.write(text, to: path)
    }

    func make(_ path: String) throws {
        try step("write", path)
        state.withLock { $0.written.append(URL(filePath: path).lastPathComponent) }
        try disk.make(path)
    }

    func move(_ path: String, to other: String) throws {
        try step("move", other)
        try disk.move(path, to: other)
    }

    func remove(_ path: String) throws {
        try step("remove", path)
        try disk.remove(path)
    }
}

/// SHA-256 by the machine's own program, as an independent implementation.
enum Shasum {
    static func digest(_ text: String) async throws -> String {
        let folder = try TemporaryFolder(inMemory: true)
        let input = folder.file("text")
        try Data(text.utf8).write(to: URL(filePath: input))
        let program = try ChildProcess(
            "/usr/bin/env", ["sh", "-c", "sha256sum 2>/dev/null || shasum -a 256"], input: input)
        return String(await program.text { _ in false }.prefix(64))
    }
}
