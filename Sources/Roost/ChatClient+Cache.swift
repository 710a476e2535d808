// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

extension ChatClient {
    /// Returns the size of the cache on disk, its write-ahead log included and unsent messages
    /// excluded.
    ///
    /// `CacheTrim.sizeBefore` is another figure: the bytes in use, without free room in the files.
    ///
    /// - Throws: `.localDatabaseError`.
    public func cacheSize() async throws(RoostError) -> ByteCount {
        let bytes = try await onDisk { store throws(StoreError) in
            try await store.writer.cacheBytes()
        }
        return ByteCount(bytes: bytes)
    }

    /// Returns the effect that `trimCache(downTo:)` would have now, without changing anything.
    ///
    /// - Throws: `.localDatabaseError`.
    public func evictionPlan(downTo size: ByteCount? = nil) async throws(RoostError) -> CacheTrim {
        let open = await engine.read { $0.channelsInUse }
        let plan = try await onDisk { store throws(StoreError) in
            try await store.writer.evictionPlan(downTo: size?.bytes, sparing: open)
        }
        return CacheTrim(
            channels: plan.channels, sizeBefore: ByteCount(bytes: plan.sizeBefore),
            sizeAfter: ByteCount(bytes: plan.expectedSize))
    }

    /// Evicts messages from the cache now.
    ///
    /// Without a size it applies the configured limit: below it nothing happens. With a size it
    /// evicts down to that size, if possible. Messages may arrive and be sent meanwhile; if
    /// most of the cache goes, they wait for a second or more.
    ///
    /// - Returns: The evicted channels and the sizes.
    /// - Throws: `.localDatabaseError`; evictions up to then are durable.
    @discardableResult
    public func trimCache(downTo size: ByteCount? = nil) async throws(RoostError) -> CacheTrim {
        let trim = try await engine.run(.cacheTrimming(CacheTrimming(downTo: size?.bytes)), \.trim)
        return CacheTrim(
            channels: trim.evicted, sizeBefore: ByteCount(bytes: trim.sizeBefore),
            sizeAfter: ByteCount(bytes: trim.size))
    }

    /// Compares the cached messages of a channel with the server, and fetches those that differ.
    ///
    /// A Roost server compares fingerprints of 150 messages each, and only differing ranges are
    /// fetched. From another server all cached messages are fetched again, 200 a request. Holes
    /// between covered ranges are not differences: `holes(in:)` lists them. A fingerprint covers
    /// places and edits, and no reactions or counts of replies: the change log brings those.
    /// It also corrects messages that only a filtered collection has fetched, which are not
    /// compared.
    ///
    /// - Returns: The number of differences.
    /// - Throws: `.connectionRequired` without a connection; `.notAMember` and other refusals of
    ///   the server. Corrections up to then are durable.
    @discardableResult
    public func compareCache(
        of channel: ChannelURL
    ) async throws(RoostError) -> CacheComparison {
        try await engine.run(.comparison(Comparison(channel)), \.comparison)
    }

    /// Removes the cached messages of a channel, pinned or not; the channel stays.
    ///
    /// An open timeline of the channel becomes empty and fetches messages as if it had just been
    /// opened. If the process ends before the return, words of the messages may stay in the index
    /// of the search: repeat the call then.
    ///
    /// - Throws: `.localDatabaseError`; nothing was removed then.
    public func clearCache(of channel: ChannelURL) async throws(RoostError) {
        try await engine.run(.cacheClearing(CacheClearing(.channel(channel))))
    }

    /// Removes the cached messages of a channel, and destroys the key that sealed them.
    ///
    /// Remains of the messages on the disk cannot be decrypted afterwards; a copy of the files made
    /// before, together with the key, can. Without protection the call does the same as
    /// `clearCache(of:)`.
    ///
    /// - Returns: Whether the key is destroyed; false while a read in progress keeps it in the
    ///   write-ahead log. Repeat the call then. Without protection there is no key: true says that
    ///   the messages are removed, and blocks of the disk may keep their text until they are
    ///   overwritten.
    /// - Throws: `.localDatabaseError`.
    @discardableResult
    public func eraseCache(of channel: ChannelURL) async throws(RoostError) -> Bool {
        try await engine.run(.cacheClearing(CacheClearing(.erasure(channel))), \.isErased)
    }

    /// Removes everything that the server can restore: channels, messages, users, the last login
    /// and downloaded files.
    ///
    /// Downloads in progress end, and damaged files that repairs have put aside are deleted. Unsent
    /// messages stay unless `includingUnsent` is true; then all but those being sent right now are
    /// lost. Inboxes stay where they are (`removeInbox(_:)`). A connected client fetches the
    /// channel list and the contents of open collections again: when a user signs out, disconnect
    /// first.
    ///
    /// - Throws: `.localDatabaseError`.
    public func clearCache(includingUnsent: Bool) async throws(RoostError) {
        if includingUnsent {
            for item in try await unsentItems() where item.inboxMark == nil {
                await cancel(item.requestID)
            }
        }
        await files.cancelAll()
        await engine.performers.outbox.finishKeeping()
        // First, because deleting files needs no room on a full disk.
        try await clearDownloads()
        try await clearRemains(includingUnsent: includingUnsent)
        try await engine.run(.cacheClearing(CacheClearing(.all)))
        // Once more, because a repair during the clearing puts the damaged file aside.
        try await clearRemains(includingUnsent: includingUnsent)
    }

    private func clearRemains(includingUnsent: Bool) async throws(RoostError) {
        try await onDisk { store throws(StoreError) in
            try await store.clearRemains(includingUnsent: includingUnsent)
        }
    }

    /// Exempts a channel's messages from eviction until it is unpinned; durable.
    ///
    /// - Throws: `.localDatabaseError`.
    public func pinCache(of channel: ChannelURL) async throws(RoostError) {
        try await commit([.pinned(channel, true)])
    }

    /// Allows the eviction of a channel's messages again.
    ///
    /// - Throws: `.localDatabaseError`.
    public func unpinCache(of channel: ChannelURL) async throws(RoostError) {
        try await commit([.pinned(channel, false)])
    }
}
