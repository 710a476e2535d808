// SPDX-License-Identifier: Apache-2.0

/// The place of the index of a cache's words.
enum SearchPlace: Sendable {
    /// The cache's own database; every commit updates the index.
    case database
    /// Memory, beside a file that must not contain plaintext words.
    case memory
    /// No search in this process. An index that another process keeps in the file is still updated.
    case nowhere
}
