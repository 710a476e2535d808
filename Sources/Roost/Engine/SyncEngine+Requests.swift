// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// What a caller asks for that needs the server's answer.

extension SyncEngine {
    /// Makes a channel and stores it.
    func createChannel(_ params: ChannelCreateParams) async throws(RoostError) -> GroupChannel {
        let mark = sync.channelLedger.begin()
        defer { sync.channelLedger.end() }
        // The answer to something done is kept, even if the connection changed meanwhile.
        let made = try await call(CreateChannel(params, by: me))
        try await store([made.channel], since: mark)
        // News of it may have overtaken the answer, which then was too old to be stored.
        let url = made.channel.url
        let isKnown: Bool
        do {
            isKnown = try await reader.channel(url).value != nil
        } catch {
            throw RoostError(error)
        }
        // The channel is made, whether or not the server describes it in time. Both waits together stay
        // below ten seconds.
        if !isKnown {
            try? await inTime(within: .seconds(1)) { engine throws(RoostError) in
                await engine.lookUpNow(url)
            }
        }
        return made.channel
    }

    /// A channel from disk, or from the server when the disk has none.
    func channel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel {
        let cached: GroupChannel?
        do { cached = try await reader.channel(url).value } catch { throw RoostError(error) }
        if let cached { return cached }
        let mark = sync.channelLedger.begin()
        defer { sync.channelLedger.end() }
        let found = try await call(GetChannel(channelURL: url))
        try await store([found], since: mark)
        return found
    }

    /// Stores what an answer said of channels, up to date with what happened meanwhile.
    ///
    /// - Parameters:
    ///   - channels: As the answer has them.
    ///   - mark: When the question was asked.
    ///   - origin: What brought it.
    /// - Throws: When the disk fails; nothing was written then.
    func store(
        _ channels: [GroupChannel], since mark: ChannelLedger.Mark,
        from origin: ChangeOrigin = .answer
    ) async throws(RoostError) {
        let (mutations, stale) = sync.take(channels, since: mark)
        try await commit(mutations + sync.firstListCursor, from: origin)
        for channel in stale { lookUp(channel) }
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

extension CreateChannel {
    fileprivate init(_ params: ChannelCreateParams, by me: UserID) {
        self.init(
            channelURL: params.url, userIDs: [me] + params.memberIDs.filter { $0 != me },
            operatorIDs: params.operatorIDs, name: params.name, coverURL: params.coverURL,
            data: params.data, customType: params.customType, isDistinct: params.isDistinct,
            isSuper: params.isSuper, isPublic: params.isPublic)
        // What is not set is left to the server.
        if params.isBroadcast { options.isBroadcast = true }
        if params.isExclusive { options.isExclusive = true }
        if params.isEphemeral { options.isEphemeral = true }
        options.isDiscoverable = params.isDiscoverable
        options.accessCode = params.accessCode
        options.survivalSeconds = params.messageSurvivalSeconds
    }
}
