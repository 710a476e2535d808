// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Each call needs a connection unless it says otherwise, and throws `.connectionRequired` without
// one. Its effect is in the cache, durable, when it returns. If the connection ends before the
// channel is looked up, the next connection fetches the effect.

extension ChatClient {
    /// Returns a channel's metadata from the server; the cached copy is in `GroupChannel.metadata`.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - keys: The keys; nil for all.
    /// - Returns: The metadata under these keys, as far as they exist.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func metadata(
        of channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: String] {
        try await ask(MetadataQuestion.get(channel, keys: keys))
    }

    /// Adds metadata to a channel.
    ///
    /// - Returns: The metadata as written.
    /// - Throws: `.connectionRequired`, or the server's refusal, as if one of the keys exists;
    ///   nothing was added then.
    @discardableResult
    public func createMetadata(
        _ metadata: [String: String], of channel: ChannelURL
    ) async throws(RoostError) -> [String: String] {
        try await write(metadata, .create, to: channel)
    }

    /// Changes metadata of a channel.
    ///
    /// - Parameters:
    ///   - metadata: The new values.
    ///   - channel: The channel.
    ///   - addsMissing: Whether keys that do not exist are added; otherwise they are ignored.
    /// - Returns: The metadata as written.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func updateMetadata(
        _ metadata: [String: String], of channel: ChannelURL, addsMissing: Bool = false
    ) async throws(RoostError) -> [String: String] {
        try await write(metadata, .update(isUpsert: addsMissing), to: channel)
    }

    private func write(
        _ metadata: [String: String], _ mode: KeyedWrite, to channel: ChannelURL
    ) async throws(RoostError) -> [String: String] {
        let question = MetadataQuestion.write(channel, metadata, mode)
        let outcome = try await act(.writeMetadata(question), .metadata(channel))
        guard let written = outcome.metadata else { throw .outOfStep }
        return written
    }

    /// Deletes the metadata under a key, or all of them if `key` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteMetadata(
        _ key: String? = nil, of channel: ChannelURL
    ) async throws(RoostError) {
        try await act(
            .request(.deleteMetadata(channel, key: key)), .metadataDeleted(key, channel))
    }

    /// Returns a channel's counters from the server; they are never cached.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - keys: The keys; nil for all.
    /// - Returns: The counters under these keys, as far as they exist.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func counters(
        of channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: Int64] {
        try await ask(CounterQuestion.get(channel, keys: keys))
    }

    /// Adds counters to a channel; existing ones stay as they are.
    ///
    /// - Returns: The counters under these keys.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func createCounters(
        _ counters: [String: Int64], of channel: ChannelURL
    ) async throws(RoostError) -> [String: Int64] {
        try await ask(CounterQuestion.write(channel, counters, .create, .set))
    }

    /// The way in which a counter changes.
    public enum CounterChange: Hashable, Sendable {
        /// The counter takes the value.
        case set
        /// The value is added to the counter.
        case increase
        /// The value is subtracted from the counter.
        case decrease
    }

    /// Changes counters of a channel.
    ///
    /// - Parameters:
    ///   - counters: The values by key.
    ///   - channel: The channel.
    ///   - change: The way in which the values are applied.
    ///   - addsMissing: Whether keys that do not exist are added; otherwise they are ignored.
    /// - Returns: The counters after the change.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func changeCounters(
        _ counters: [String: Int64], of channel: ChannelURL, _ change: CounterChange,
        addsMissing: Bool = false
    ) async throws(RoostError) -> [String: Int64] {
        try await ask(
            CounterQuestion.write(
                channel, counters, .update(isUpsert: addsMissing), change.mode))
    }

    /// Deletes the counter under a key, or all of them if `key` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteCounters(
        _ key: String? = nil, of channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(ChannelRequest.deleteCounters(channel, key: key))
    }
}

extension ChatClient.CounterChange {
    var mode: CounterQuestion.Mode {
        switch self {
        case .set: .set
        case .increase: .increase
        case .decrease: .decrease
        }
    }
}
