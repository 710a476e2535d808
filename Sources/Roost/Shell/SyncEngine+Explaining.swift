// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// Missing parts of the history, and explanations of invisible messages and channels.

extension SyncEngine {
    func holes(in channel: ChannelURL) async throws(RoostError) -> [HistoryHole] {
        let coverage = try await reader.covered(channel)
        let known: GroupChannel?
        let count: Int
        do {
            known = try await reader.channel(channel).value
            count = try await reader.holding(of: channel).value.messages
        } catch {
            throw RoostError(error)
        }
        let view = SearchedChannel(
            url: channel, coverage: coverage, isLive: session?.caughtUp.contains(channel) ?? false,
            visibleFrom: known?.messageOffset)
        let gaps = view.gaps(
            messageCount: count, madeAt: known?.createdAt,
            now: session.map { _ in world.wallTime() })
        return gaps.map {
            HistoryHole($0, in: channel, lastAttempt: sync.attempts[channel].map { .init($0) })
        }
    }

    func explain(
        _ name: Message.Identity, in channel: ChannelURL, under filter: MessageFilter
    ) async throws(RoostError) -> MessageExplanation {
        let cached: Message?
        do {
            switch name {
            case .message(let id): cached = try await reader.message(id).value
            case .request(let id): cached = try await reader.message(id).value
            }
        } catch {
            throw RoostError(error)
        }
        if let cached, cached.channelURL == channel {
            return .cached(cached, passes: filter.matches(cached))
        }
        let unsent = sync.outbox.unsent(in: channel)
        if let message = unsent.first(where: { $0.identities.contains(name) }) {
            guard message.status == .pending else { return .failed(message) }
            let ahead = unsent.prefix { $0 != message }.count { $0.status == .pending }
            return .pending(message, ahead: ahead, isOnline ? .server : .connection)
        }
        let holes = try await holes(in: channel)
        return holes.isEmpty ? .notInChannel : .perhapsIn(holes)
    }

    func explain(
        _ channel: ChannelURL, in query: ChannelListQuery
    ) async throws(RoostError) -> ChannelExplanation {
        let known: GroupChannel?
        do { known = try await reader.channel(channel).value } catch { throw RoostError(error) }
        guard let known, known.myState != .none else {
            return .unknown(isListWhole: try await reader.isChannelListWhole)
        }
        let unmet = query.filter.criteria(unmetBy: known, viewer: me)
        return unmet.isEmpty ? .shown : .leftOut(unmet)
    }
}
