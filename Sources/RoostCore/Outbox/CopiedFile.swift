// SPDX-License-Identifier: Apache-2.0

/// The outbox's own copy of a file that is to be sent.
package struct CopiedFile: Hashable, Codable, Sendable {
    /// Its name in the outbox's folder, which may move between two runs (scar 61).
    package let name: String
    /// Its bytes, in the clear.
    package let size: Int64
    /// What seals it, where the outbox is sealed; 32 bytes that nothing else was sealed with.
    package let key: [UInt8]?

    package init(name: String, size: Int64, key: [UInt8]?) {
        self.name = name
        self.size = size
        self.key = key
    }
}
