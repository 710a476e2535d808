// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The user and the group to whom a file belongs.
package struct FileOwner: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32

    /// Reads the owner of a file or a folder.
    package init(of path: String) throws(FileError) {
        var status = stat()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        guard unsafe stat(path, &status) == 0 else { throw FileError(action: "look at \(path)") }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        user = UInt32(status.st_uid)
        group = UInt32(status.st_gid)
    }

    /// Whether this process may give files away, as only the administrator may.
    package static var canGive: Bool { geteuid() == 0 }
}

extension PlainFile {
    /// Gives the file to an owner, if it has another one.
    ///
    /// A file with several names stays as it is, because the other names may be in other hands.
    package func give(to owner: FileOwner) throws(FileError) {
        var status = stat()
        // SAFETY: the struct is filled in before it is read.
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw FileError(action: "look at \(path)")
        }
        guard FileOwner(status) != owner else { return }
        guard status.st_nlink == 1 || status.st_mode & S_IFMT == S_IFDIR else { return }
        guard fchown(descriptor, owner.user, owner.group) == 0 else {
            throw FileError(action: "give \(path) to its folder's owner")
        }
    }
}
