// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension BaseChannel {
    /// Calls the client about this channel.
    func ask<Answer: Sendable>(
        _ callback: Callback<Result<Answer, RoostError>>,
        _ work: @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError) -> Answer
    ) {
        let url = value.url
        SendbirdChat.door.perform(on: shown, then: callback) { client throws(RoostError) in
            try await work(client, url)
        }
    }

    /// Calls the client about this channel.
    func act(
        _ handler: SBErrorHandler?,
        _ work: @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError) -> Void
    ) { ask(.done(handler), work) }

    /// The channels whose objects show the effect of a call: this one, if the cache has its kind.
    private var shown: [ChannelURL] { isOpenChannel() ? [] : [value.url] }

    /// The channel for calls that both kinds of channel have.
    var address: ChannelAddress { ChannelAddress(value.url, isOpen: isOpenChannel()) }

    /// Calls the client about this channel of either kind.
    func askEither<Answer: Sendable>(
        _ callback: Callback<Result<Answer, RoostError>>,
        _ work: @escaping @Sendable (ChatClient, ChannelAddress) async throws(RoostError) -> Answer
    ) {
        let address = address
        SendbirdChat.door.perform(on: shown, then: callback) { client throws(RoostError) in
            try await work(client, address)
        }
    }

    /// Calls the client about this channel of either kind.
    func actEither(
        _ handler: SBErrorHandler?,
        _ work: @escaping @Sendable (ChatClient, ChannelAddress) async throws(RoostError) -> Void
    ) { askEither(.done(handler), work) }

    // MARK: Metadata

    /// Adds texts to the channel's metadata; fails if one of the keys exists.
    public func createMetaData(
        _ metaData: [String: String],
        completionHandler: (([String: String]?, SBError?) -> Void)? = nil
    ) {
        askEither(.answer(completionHandler) { $0 }) { client, channel throws(RoostError) in
            try await client.createMetadata(metaData, of: channel)
        }
    }

    /// Changes the channel's metadata; missing keys are added.
    public func updateMetaData(
        _ metaData: [String: String],
        completionHandler: (([String: String]?, SBError?) -> Void)? = nil
    ) {
        askEither(.answer(completionHandler) { $0 }) { client, channel throws(RoostError) in
            try await client.updateMetadata(metaData, of: channel, addsMissing: true)
        }
    }

    /// Fetches the channel's metadata under some keys, as far as they exist.
    public func getMetaData(
        keys: [String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil
    ) {
        askEither(.answer(completionHandler) { $0 }) { client, channel throws(RoostError) in
            try await client.metadata(of: channel, keys: keys)
        }
    }

    /// Fetches all metadata of the channel.
    public func getAllMetaData(
        completionHandler: (([String: String]?, SBError?) -> Void)? = nil
    ) {
        askEither(.answer(completionHandler) { $0 }) { client, channel throws(RoostError) in
            try await client.metadata(of: channel)
        }
    }

    /// Deletes the channel's metadata under a key.
    public func deleteMetaData(key: String, completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.deleteMetadata(key, of: channel)
        }
    }

    /// Deletes all metadata of the channel.
    public func deleteAllMetaData(completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.deleteMetadata(of: channel)
        }
    }

    // MARK: Counters

    /// Adds counters to the channel; fails if one of the keys exists.
    public func createMetaCounters(
        _ metaCounters: [String: Int],
        completionHandler: (([String: Int]?, SBError?) -> Void)? = nil
    ) {
        askEither(.answer(completionHandler) { $0.counts }) { client, channel throws(RoostError) in
            try await client.createCounters(metaCounters.wide, of: channel)
        }
    }

    /// Sets counters of the channel; missing keys are added.
    public func updateMetaCounters(
        _ metaCounters: [String: Int],
        completionHandler: (([String: Int]?, SBError?) -> Void)? = nil
    ) { change(.set, metaCounters, completionHandler) }

    /// Adds to counters of the channel; a missing key counts from 0.
    public func increaseMetaCounters(
        _ metaCounters: [String: Int],
        completionHandler: (([String: Int]?, SBError?) -> Void)? = nil
    ) { change(.increase, metaCounters, completionHandler) }

    /// Subtracts from counters of the channel; a missing key counts from 0.
    public func decreaseMetaCounters(
        _ metaCounters: [String: Int],
        completionHandler: (([String: Int]?, SBError?) -> Void)? = nil
    ) { change(.decrease, metaCounters, completionHandler) }

    private func change(
        _ change: ChatClient.CounterChange, _ counters: [String: Int],
        _ handler: (([String: Int]?, SBError?) -> Void)?
    ) {
        askEither(.answer(handler) { $0.counts }) { client, channel throws(RoostError) in
            try await client.changeCounters(counters.wide, of: channel, change, addsMissing: true)
        }
    }

    /// Fetches the channel's counters under some keys, as far as they exist; nil for all.
    public func getMetaCounters(
        keys: [String]?, completionHandler: (([String: Int]?, SBError?) -> Void)? = nil
    ) {
        askEither(.answer(completionHandler) { $0.counts }) { client, channel throws(RoostError) in
            try await client.counters(of: channel, keys: keys)
        }
    }

    /// Fetches all counters of the channel.
    public func getAllMetaCounters(
        completionHandler: (([String: Int]?, SBError?) -> Void)? = nil
    ) { getMetaCounters(keys: nil, completionHandler: completionHandler) }

    /// Deletes the channel's counter under a key.
    public func deleteMetaCounters(key: String, completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.deleteCounters(key, of: channel)
        }
    }

    /// Deletes all counters of the channel.
    public func deleteAllMetaCounters(completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            try await client.deleteCounters(of: channel)
        }
    }
}

extension [String: Int64] {
    /// The counters; one beyond the range of `Int`, which has 32 bits on watches, is its bound.
    var counts: [String: Int] { mapValues { Int(clamping: $0) } }
}

extension [String: Int] {
    fileprivate var wide: [String: Int64] { mapValues { Int64($0) } }
}
