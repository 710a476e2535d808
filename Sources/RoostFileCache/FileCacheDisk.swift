// SPDX-License-Identifier: Apache-2.0

/// The disk of a file cache; a test provides one that fails.
package protocol FileCacheDisk: Sendable {
    func exists(_ path: String) -> Bool
    /// Returns the names of the files in a folder; none if it cannot be read.
    func names(in folder: String) -> [String]
    /// Creates one folder, whose parent must exist.
    func makeFolder(_ path: String) throws
    func read(_ path: String) throws -> String
    func write(_ text: String, to path: String) throws
    /// Makes an empty file; a file that exists stays as it is.
    func make(_ path: String) throws
    /// Moves a file over another, which it replaces atomically, also before a loss of power.
    func move(_ path: String, to other: String) throws
    func remove(_ path: String) throws
    /// Returns an unused file name.
    func freshName() -> String
    /// Removes the remains of earlier crashes beside a file that was just written.
    func sweep(beside path: String)
}

extension FileCacheDisk {
    /// Returns whether the work succeeded; the cause of a failure is of no use to a cache.
    func attempt(_ work: (any FileCacheDisk) throws -> Void) -> Bool {
        do {
            try work(self)
            return true
        } catch {
            return false
        }
    }
}
