// SPDX-License-Identifier: Apache-2.0

/// The outbox's own copy of a file of an unsent message.
package struct CopiedFile: Equatable, Codable, Sendable {
    /// The file's name in the outbox's folder; without the folder, which may move between two runs
    /// (scar 61).
    package let name: String
    /// The size before encryption.
    package let size: Int64
    /// The key of the copy, in an encrypted outbox: 32 bytes that encrypt no other file.
    package let key: [UInt8]?

    package init(name: String, size: Int64, key: [UInt8]?) {
        self.name = name
        self.size = size
        self.key = key
    }
}
