// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Live events about channels and those in them. What an event tells in full is applied; of the rest
// the server is asked.

extension SyncEngine {
    func receive(_ event: ChannelEvent) async throws(RoostError) {
        let url = event.channelURL
        note(event.unread)
        if event.isTheEnd(for: me) {
            try await leave(url)
            if let told = event.told { emit(told) }
            return
        }
        switch event.content {
        case .typing(let user, let isTyping): return noteTyping(of: user, isTyping, in: url)
        case .frozen(let isFrozen): try await learn(.frozen(isFrozen), of: url)
        case .hidden(let hidesPrevious, let allowsAutoUnhide):
            try await learn(
                .hidden(
                    allowsAutoUnhide ? .untilNextMessage : .untilShown,
                    through: hidesPrevious ? event.messageOffset : nil), of: url)
        case .metadata(let created, let updated, let deleted):
            try await learn(
                .metadata(set: created.merging(updated) { $1 }, removed: deleted), of: url)
        case .counters: break
        case .left(let user, _):
            noteTyping(of: user, false, in: url)
            return askAbout(event)
        case .joined, .invited, .declined, .operators, .restricted, .other:
            guard event.category == .unhidden else {
                return askAbout(event)
            }
            try await learn(.hidden(.unhidden, through: nil), of: url)
        }
        if let told = event.told { emit(told) }
    }

    /// Only the server can say what the channel is now.
    private func askAbout(_ event: ChannelEvent) {
        noteMute(event)
        sync.channelLedger.note(changeOf: event.channelURL)
        if let told = event.told {
            emit(told, afterLookUpOf: event.channelURL)
        } else {
            lookUp(event.channelURL)
        }
    }

    /// Applies what is certain; answers that are on their way may be older, and are asked for again.
    func learn(
        _ news: ChannelNews, of channel: ChannelURL, from origin: ChangeOrigin = .event
    ) async throws(RoostError) {
        sync.channelLedger.note(changeOf: channel)
        var mutations = [Mutation.channelNews(channel, news)]
        // What is gone counts as read, as everybody's receipts have it.
        if let offset = news.offset {
            mutations.append(.channelNews(channel, .readBy([me: offset])))
        }
        try await commit(mutations, from: origin)
        if try await cachedChannel(channel) == nil { lookUp(channel) }
    }

    /// The channel is no longer the user's: nothing of it stays (scar 58).
    func leave(
        _ channel: ChannelURL, from origin: ChangeOrigin = .event
    ) async throws(RoostError) {
        sync.noteDeparture(from: channel)
        try await commit([.removeChannel(channel)], from: origin)
    }

    // MARK: Receipts and counts

    func receive(_ event: ReadEvent, from origin: ChangeOrigin) async throws(RoostError) {
        let channel = event.channelURL
        // Told to the user's own devices alone: what is unread again the server counts.
        if event.isExcluded {
            watch.retreats.insert(channel)
            return lookUp(channel)
        }
        var mutations = tell(.readBy([event.user.id: event.timestamp]), in: channel)
        if event.user.id == me { mutations += tell(.read(event.timestamp), in: channel) }
        let commit = try await commit(mutations, from: origin)
        // What came after the mark is counted by the server alone.
        if event.user.id == me,
            commit.updatedChannels.contains(where: { $0.unreadMessageCount > 0 })
        {
            lookUp(channel)
        }
        emit(.read(event.user, through: event.timestamp, channel))
    }

    func receiveDelivery(
        _ moments: [UserID: Timestamp], in channel: ChannelURL
    ) async throws(RoostError) {
        try await commit(tell(.deliveredTo(moments), in: channel), from: .event)
        emit(.delivered(moments, channel))
    }

    func receive(_ counts: [MemberCounts]) async throws(RoostError) {
        for count in counts {
            try await learn(
                .memberCounts(all: count.memberCount, joined: count.joinedMemberCount),
                of: count.channelURL)
            emit(.memberCountsChanged(count.channelURL))
        }
    }

    func receiveUserEvent(_ category: Int, _ data: String) {
        guard let block = BlockEvent(category: category, data: data) else { return }
        emit(
            block.isBlocked
                ? .blocked(block.blockee, by: block.blocker)
                : .unblocked(block.blockee, by: block.blocker))
    }
}

extension ChannelNews {
    /// The moment up to which everything is gone for the user.
    fileprivate var offset: Timestamp? {
        switch self {
        case .hidden(_, let offset): offset
        case .historyReset(let offset): offset
        default: nil
        }
    }
}

extension Commit {
    /// The channels it changed, as they are now.
    var updatedChannels: [GroupChannel] {
        changes.flatMap { change -> [GroupChannel] in
            guard case .channels(let change) = change else { return [] }
            return change.updated.map(\.after)
        }
    }
}

extension ChannelEvent {
    /// Whether the channel is no longer this user's.
    fileprivate func isTheEnd(for me: UserID) -> Bool {
        switch content {
        case .left(let user, _), .declined(_, let user, _): user.id == me
        case .restricted(let user, _): category == .banned && user.id == me
        case .joined, .invited, .operators, .frozen, .typing, .hidden, .metadata, .counters,
            .other:
            category == .deleted
        }
    }

    /// What an app is told; nil for what it need not know.
    fileprivate var told: ChatEvent? {
        let url = channelURL
        switch content {
        case .joined(let members, _): return .joined(members, url)
        case .left(let user, _): return .left(user, url)
        case .invited(let inviter, let invitees, _, _):
            return .invited(invitees, by: inviter, url)
        case .declined(let inviter, let invitee, _):
            return .declined(invitee, inviter: inviter, url)
        case .operators(let users): return .operatorsChanged(users, url)
        case .frozen(let isFrozen): return .frozen(isFrozen, url)
        case .hidden: return .hidden(url)
        case .metadata(let created, let updated, let deleted):
            return .metadataChanged(created: created, updated: updated, deleted: deleted, url)
        case .counters(let created, let updated, let deleted):
            return .countersChanged(created: created, updated: updated, deleted: deleted, url)
        case .restricted(let user, _):
            return switch category {
            case .muted: .muted(user, url)
            case .unmuted: .unmuted(user.user, url)
            case .banned: .banned(user, url)
            default: .unbanned(user.user, url)
            }
        case .typing: return nil
        case .other:
            return switch category {
            case .propertiesChanged: .channelChanged(url)
            case .pinsChanged: .pinsChanged(url)
            case .deleted: .channelDeleted(url)
            case .unhidden: .unhidden(url)
            default: nil
            }
        }
    }
}
