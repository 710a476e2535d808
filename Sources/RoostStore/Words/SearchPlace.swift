// SPDX-License-Identifier: Apache-2.0

/// Where the index of a cache's words is.
enum SearchPlace: Sendable {
    /// In the cache's own database, kept in step by every commit.
    case database
    /// In memory, beside a file that must not hold words one can read.
    case memory
    /// This process does not search. It still updates an index that another process keeps in the file.
    case nowhere
}
