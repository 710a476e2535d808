// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostStore

/// What a comparison of the cache with the server came to.
public struct CacheComparison: Hashable, Sendable {
    /// Messages that were cached when it began.
    public internal(set) var comparedMessages = 0
    /// How many had to be fetched, because of a difference or because the server has no fingerprints.
    public internal(set) var fetchedMessages = 0
    /// Stretches in which something was missing, too many or not as it was edited last; 0 is all well.
    public internal(set) var differingStretches = 0
}

extension ChatClient {
    /// Bytes that the cache takes on disk, its log included; unsent messages are not part of it.
    public func cacheSize() async throws(RoostError) -> Int64 {
        try await engine.cacheSize()
    }

    /// What `trimCache` with the same argument would do now; nothing is changed.
    public func evictionPlan(downTo bytes: Int64? = nil) async throws(RoostError) -> CacheTrim {
        try await engine.evictionPlan(downTo: bytes)
    }

    /// Makes the cache smaller, at once.
    ///
    /// Without a size it does what happens by itself at the configured limit: nothing below it. With one
    /// it goes down to that many bytes, if that can be. Messages may come and be sent meanwhile; when
    /// most of the cache has to go, they wait for a second or more.
    ///
    /// - Throws: `.localDatabaseError` when the disk refuses; what was done until then stays done.
    @discardableResult
    public func trimCache(downTo bytes: Int64? = nil) async throws(RoostError) -> CacheTrim {
        try await engine.trimCache(downTo: bytes)
    }

    /// Compares what is cached of a channel with the server, and fetches anew what differs.
    ///
    /// For whoever has lost trust in what is shown. A Roost server is asked for fingerprints of stretches of 150
    /// messages, and only those that differ are fetched; of another server all that is cached is fetched again,
    /// 200 messages a call. What is missing above or below what is known is no difference: see `explain`.
    ///
    /// - Throws: `.connectionRequired` without a connection, `.notAMember` and other refusals of the server;
    ///   what was put right until then stays so.
    @discardableResult
    public func compareCache(
        of channel: ChannelURL
    ) async throws(RoostError) -> CacheComparison {
        try await engine.compare(channel)
    }

    /// Forgets the cached messages of one channel, pinned or not; the channel stays.
    ///
    /// An open timeline of it becomes empty, and fetches them again as if it had just been opened.
    public func clearCache(of channel: ChannelURL) async throws(RoostError) {
        try await engine.clearCache(of: channel)
    }

    /// Forgets the cached messages of one channel as `clearCache(of:)` does, and destroys the key that
    /// sealed them: nothing that is left of them on the disk can be opened any more.
    ///
    /// A copy made before, together with the key, can still be read. In a client without protection it
    /// only forgets.
    ///
    /// - Returns: False while somebody still reads, and the key stands in a log: call it again.
    @discardableResult
    public func eraseCache(of channel: ChannelURL) async throws(RoostError) -> Bool {
        try await engine.eraseCache(of: channel)
    }

    /// Forgets everything that can be fetched again: channels, messages, users, the last login.
    ///
    /// Unsent messages stay, unless they are asked for: then they are lost, those being sent right now
    /// excepted. Open collections become empty; what they showed comes back from the server.
    public func clearCache(includingUnsent: Bool) async throws(RoostError) {
        if includingUnsent {
            for item in try await unsentMessages() { await cancel(item.requestID) }
        }
        try await engine.clearCache()
    }

    /// Keeps a channel's messages whatever the limit says, until it is unpinned.
    public func pin(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.commit([.pinned(channel, true)], from: .local)
    }

    /// Lets a channel's messages go again when the cache is too large.
    public func unpin(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.commit([.pinned(channel, false)], from: .local)
    }
}
