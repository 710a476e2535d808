// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Calls of the app that need the server.

extension SyncEngine {
    /// Requests a change of a channel; the effect is on disk at the return.
    @discardableResult
    func act(
        _ question: ServerQuestion, _ effect: ChannelAct.Effect
    ) async throws(RoostError) -> Outcome {
        try await run(.channelAct(ChannelAct(question, effect)))
    }

    /// Requests a change of a channel, and returns the changed channel.
    func change(_ question: ServerQuestion) async throws(RoostError) -> GroupChannel {
        try await channel(.inTime(InTime(.channelAct(ChannelAct(question, .answered)))))
    }

    /// Requests a change of a channel, and looks the channel up.
    func request(
        _ request: ChannelRequest, thenLookUp channel: ChannelURL
    ) async throws(RoostError) {
        try await run(
            .inTime(InTime(.channelAct(ChannelAct(.request(request), .unknown(channel))))))
    }

    /// Runs an operation that ends with a channel.
    func channel(_ operation: Operation) async throws(RoostError) -> GroupChannel {
        guard case .channel(let channel) = try await run(operation) else { throw .outOfStep }
        return channel
    }

    /// Runs an operation that ends with metadata.
    func metadata(
        _ question: MetadataQuestion, of channel: ChannelURL
    ) async throws(RoostError) -> [String: String] {
        let outcome = try await act(.writeMetadata(question), .metadata(channel))
        guard case .metadata(let written) = outcome else { throw .outOfStep }
        return written
    }

    /// Makes one call as the user of the present connection; stores nothing of the answer.
    func call<Call: Question>(_ call: Call) async throws(RoostError) -> Call.Output {
        guard let session else { throw .notConnected }
        let epoch = session.epoch
        do throws(RoostError) {
            return try await api.call(call, sessionKey: session.login.sessionKey)
        } catch {
            receive(.refusedKey(error, epoch))
            throw error
        }
    }

    // MARK: Unread totals

    /// The sum over the cached channels, by the server's rules of counting.
    func unreadTotals(customTypes: Set<String>) async throws(RoostError) -> UnreadTotals {
        var filter = ChannelFilter()
        filter.customTypes = customTypes
        do {
            return UnreadTotals(
                try await reader.channels(filter, order: .chronological, limit: .max).value)
        } catch {
            throw RoostError(error)
        }
    }

    func fetchUnreadTotals(customTypes: Set<String>) async throws(RoostError) -> UnreadTotals {
        let types = customTypes.sorted()
        // Both questions are asked at once, so the caller waits only as long as for one.
        async let counts = Result(calling: CountUnread(userID: me, customTypes: types), by: self)
        async let channels = Result(
            calling: CountUnreadChannels(userID: me, customTypes: types), by: self)
        var totals = try await counts.get()
        totals.channels = try await channels.get()
        return totals
    }
}

extension Result where Failure == RoostError {
    fileprivate init<Call: Question>(
        calling call: Call, by engine: SyncEngine
    ) async where Call.Output == Success, Success: Sendable {
        do throws(RoostError) {
            self = .success(try await engine.call(call))
        } catch {
            self = .failure(error)
        }
    }
}

extension UnreadTotals {
    fileprivate init(_ channels: [GroupChannel]) {
        self.init()
        for channel in channels where channel.countPreference != .off {
            messages = messages.addingSaturated(channel.unreadMessageCount)
            mentions = mentions.addingSaturated(channel.unreadMentionCount)
            if channel.unreadMessageCount > 0 { self.channels += 1 }
            if channel.myState == .invited { invitations += 1 }
        }
    }
}

extension CreateChannel {
    init(_ params: ChannelCreateParams, by me: UserID) {
        self.init(
            channelURL: params.url, userIDs: [me] + params.memberIDs.filter { $0 != me },
            operatorIDs: params.operatorIDs, name: params.name, coverURL: params.coverURL,
            data: params.data, customType: params.customType, isDistinct: params.isDistinct,
            isSuper: params.isSuper, isPublic: params.isPublic)
        // The server chooses the values of the other options.
        if params.isBroadcast { options.isBroadcast = true }
        if params.isExclusive { options.isExclusive = true }
        if params.isEphemeral { options.isEphemeral = true }
        options.isDiscoverable = params.isDiscoverable
        options.accessCode = params.accessCode
        options.survivalSeconds = params.messageSurvivalSeconds
    }
}

extension UpdateChannel {
    init(_ url: ChannelURL, _ params: ChannelUpdateParams) {
        self.init(
            channelURL: url, name: params.name, coverURL: params.coverURL, data: params.data,
            customType: params.customType)
        options.isPublic = params.isPublic
        options.isDiscoverable = params.isDiscoverable
        options.accessCode = params.accessCode
        options.survivalSeconds = params.messageSurvivalSeconds
        options.operatorIDs = params.operatorIDs
    }
}

extension JoinChannel {
    init(_ url: ChannelURL, accessCode: String?) {
        self.init(channelURL: url)
        self.accessCode = accessCode
    }
}
