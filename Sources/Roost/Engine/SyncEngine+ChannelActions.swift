// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// What a user does to channels. Each needs a connection, and is on disk when it returns.

extension SyncEngine {
    /// Asks for something whose answer is the channel as it is now, and stores that.
    func change<Call: ChannelAnswering>(_ question: Call) async throws(RoostError) -> GroupChannel {
        try await inTime { engine throws(RoostError) in try await engine.keepAnswer(to: question) }
    }

    private func keepAnswer<Call: ChannelAnswering>(
        to question: Call
    ) async throws(RoostError) -> GroupChannel {
        let mark = sync.channelLedger.begin()
        defer { sync.channelLedger.end() }
        // The answer to something done is kept, even if the connection changed meanwhile.
        let answer = try await call(question)
        try await store([answer], since: mark)
        // What was told live meanwhile made the answer old; then it was asked for again.
        await finishLookUp(of: answer.url)
        return try await cachedChannel(answer.url) ?? answer
    }

    func update(
        _ url: ChannelURL, _ params: ChannelUpdateParams
    ) async throws(RoostError) -> GroupChannel {
        var question = UpdateChannel(
            channelURL: url, name: params.name, coverURL: params.coverURL, data: params.data,
            customType: params.customType)
        question.options.isPublic = params.isPublic
        question.options.isDiscoverable = params.isDiscoverable
        question.options.accessCode = params.accessCode
        question.options.survivalSeconds = params.messageSurvivalSeconds
        question.options.operatorIDs = params.operatorIDs
        return try await change(question)
    }

    func join(_ url: ChannelURL, accessCode: String?) async throws(RoostError) -> GroupChannel {
        var question = JoinChannel(channelURL: url)
        question.accessCode = accessCode
        return try await change(question)
    }

    func leaveChannel(_ url: ChannelURL) async throws(RoostError) {
        _ = try await call(LeaveChannel(channelURL: url))
        try await leave(url, from: .answer)
    }

    /// Asks for something after which the channel is no longer the user's.
    func end(_ request: ChannelRequest, _ url: ChannelURL) async throws(RoostError) {
        _ = try await call(request)
        try await leave(url, from: .answer)
    }

    /// Asks for something whose outcome is known once it is accepted.
    func request(
        _ request: ChannelRequest, _ news: ChannelNews, of url: ChannelURL
    ) async throws(RoostError) {
        _ = try await call(request)
        try await learn(news, of: url, from: .answer)
    }

    /// Asks for something of which the server alone knows what it makes of the channel.
    func request(
        _ request: ChannelRequest, thenLookUp url: ChannelURL
    ) async throws(RoostError) {
        try await inTime { engine throws(RoostError) in
            _ = try await engine.call(request)
            await engine.lookUpChanged(url)
        }
    }

    private func lookUpChanged(_ url: ChannelURL) async {
        sync.channelLedger.note(changeOf: url)
        await lookUpNow(url)
    }

    func hide(
        _ url: ChannelURL, hidesPrevious: Bool, allowsAutoUnhide: Bool
    ) async throws(RoostError) {
        let offset = try await call(
            MomentRequest.hide(
                url, hidesPrevious: hidesPrevious, allowsAutoUnhide: allowsAutoUnhide))
        try await learn(
            .hidden(
                allowsAutoUnhide ? .untilNextMessage : .untilShown,
                through: hidesPrevious ? offset : nil), of: url, from: .answer)
    }

    func resetHistory(of url: ChannelURL, forEverybody: Bool) async throws(RoostError) {
        let offset = try await call(MomentRequest.resetHistory(url, ofEverybody: forEverybody))
        if let offset { try await learn(.historyReset(through: offset), of: url, from: .answer) }
    }

    func markAsDelivered(_ url: ChannelURL) async throws(RoostError) {
        guard let moment = try await call(MomentRequest.markAsDelivered(url)) else { return }
        try await commit(tell(.deliveredTo([me: moment]), in: url), from: .answer)
    }

    func writeMetadata(
        _ metadata: [String: String], of url: ChannelURL, _ write: KeyedWrite
    ) async throws(RoostError) -> [String: String] {
        let written = try await call(MetadataQuestion.write(url, metadata, write))
        try await learn(.metadata(set: written, removed: []), of: url, from: .answer)
        return written
    }

    func deleteMetadata(_ key: String?, of url: ChannelURL) async throws(RoostError) {
        let known = try await cachedChannel(url)?.metadata?.keys.sorted() ?? []
        try await request(
            .deleteMetadata(url, key: key),
            .metadata(set: [:], removed: key.map { [$0] } ?? known), of: url)
    }

    // MARK: What is not read

    /// The sum over the cached channels, as the server would make it.
    func unreadTotals(customTypes: Set<String>) async throws(RoostError) -> UnreadTotals {
        var filter = ChannelFilter()
        filter.customTypes = customTypes
        let channels: [GroupChannel]
        do {
            channels = try await reader.channels(filter, order: .chronological, limit: .max).value
        } catch {
            throw RoostError(error)
        }
        return UnreadTotals(channels)
    }

    func fetchUnreadTotals(customTypes: Set<String>) async throws(RoostError) -> UnreadTotals {
        let types = customTypes.sorted()
        return try await inTime { [me] engine throws(RoostError) in
            var totals = try await engine.call(CountUnread(userID: me, customTypes: types))
            totals.channels = try await engine.call(
                CountUnreadChannels(userID: me, customTypes: types))
            return totals
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
