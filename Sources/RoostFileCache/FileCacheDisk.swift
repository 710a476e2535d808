// SPDX-License-Identifier: Apache-2.0

/// The disk as a file cache sees it; a test hands in one that fails.
package protocol FileCacheDisk: Sendable {
    func exists(_ path: String) -> Bool
    /// Makes one folder, and none above it.
    func makeFolder(_ path: String) throws
    func read(_ path: String) throws -> String
    func write(_ text: String, to path: String) throws
    /// Puts a file in the place of another, which is gone at that moment.
    func move(_ path: String, to other: String) throws
    func remove(_ path: String) throws
    /// A name that nobody has made.
    func freshName() -> String
    /// Removes what earlier crashes left behind in the folder of a file that was just written.
    func sweep(beside path: String)
}

extension FileCacheDisk {
    /// Whether it went well; a cache has nobody to tell why not.
    func attempt(_ work: (any FileCacheDisk) throws -> Void) -> Bool {
        do {
            try work(self)
            return true
        } catch {
            return false
        }
    }
}
