// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// What a caller asks for that needs the server's answer.

extension SyncEngine {
    /// Makes a channel and stores it.
    func createChannel(_ params: ChannelCreateParams) async throws(RoostError) -> GroupChannel {
        let mark = channelLedger.begin()
        defer { channelLedger.end() }
        // The answer to something done is kept, even if the connection changed meanwhile.
        let made = try await call(
            CreateChannel(
                userIDs: [me] + params.memberIDs.filter { $0 != me }, name: params.name,
                coverURL: params.coverURL, data: params.data, customType: params.customType,
                isDistinct: params.isDistinct))
        try await store([made.channel], since: mark)
        return made.channel
    }

    /// A channel from disk, or from the server when the disk has none.
    func channel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel {
        let cached: GroupChannel?
        do { cached = try await reader.channel(url).value } catch { throw RoostError(error) }
        if let cached { return cached }
        let mark = channelLedger.begin()
        defer { channelLedger.end() }
        let found = try await call(GetChannel(channelURL: url))
        try await store([found], since: mark)
        return found
    }

    /// Stores what an answer said of channels, up to date with what happened meanwhile.
    func store(
        _ channels: [GroupChannel], since mark: ChannelLedger.Mark, and others: [Mutation] = []
    ) async throws(RoostError) {
        let (fresh, stale) = channelLedger.parted(channels, since: mark)
        // Other answers on their way may be older than this one.
        for channel in fresh { channelLedger.note(changeOf: channel.url) }
        try await commit([.channels(fresh)] + others + firstListCursor)
        for channel in stale { lookUp(channel) }
    }

    /// Changes the text of an own message; returns when the server has accepted it.
    func edit(
        _ messageID: MessageID, in channel: ChannelURL, text: String
    ) async throws(RoostError) {
        guard isOnline else { throw .notConnected }
        let requestID = RequestID.random(world.entropy)
        _ = try await ask(
            .edit(
                EditCommand(
                    channelURL: channel, messageID: messageID, requestID: requestID, text: text)),
            requestID)
    }

    /// Deletes a message; returns when the server has and the disk has forgotten it.
    func delete(_ messageID: MessageID, in channel: ChannelURL) async throws(RoostError) {
        do throws(RoostError) {
            _ = try await call(DeleteMessage(channelURL: channel, messageID: messageID))
        } catch {
            guard error.code == .messageNotFound else { throw error }  // It is gone already.
        }
        try await forget([messageID], in: channel)
    }

    /// Makes one call as the user of the present connection.
    func call<Call: Question>(_ call: Call) async throws(RoostError) -> Call.Output {
        guard let session else { throw .notConnected }
        do throws(RoostError) {
            return try await api.call(call, sessionKey: session.login.sessionKey)
        } catch {
            await renewSession(after: error)
            throw error
        }
    }
}
