// SPDX-License-Identifier: Apache-2.0

/// The result of a comparison between the cache and the server.
public struct CacheComparison: Hashable, Codable, Sendable {
    /// The number of messages in the cache at the start.
    public package(set) var comparedMessages = 0
    /// The number of messages fetched, because of a difference or because the server has no
    /// fingerprints.
    public package(set) var fetchedMessages = 0
    /// The number of stretches with missing, surplus or differently edited messages; 0 if the cache
    /// is right.
    public package(set) var differingStretches = 0

    package init() {}
}
