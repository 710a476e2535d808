// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

// Events of channels: the effect on the cache, and the announcement to the app.

extension ChannelEvent {
    /// The effect of an event on the cache.
    enum Meaning: Equatable, Sendable {
        case nothing
        case typing(User, isTyping: Bool)
        /// The user has left or lost the channel.
        case departure
        case news(ChannelNews)
        /// Only the server knows the channel's present state.
        case unknown
    }

    func meaning(for me: UserID) -> Meaning {
        if isDeparture(of: me) { return .departure }
        switch content {
        case .typing(let user, let isTyping): return .typing(user, isTyping: isTyping)
        case .frozen(let isFrozen): return .news(.frozen(isFrozen))
        case .hidden(let hidesPrevious, let allowsAutoUnhide):
            return .news(
                .hidden(
                    allowsAutoUnhide ? .untilNextMessage : .untilShown,
                    through: hidesPrevious ? messageOffset : nil))
        case .metadata(let created, let updated, let deleted):
            return .news(.metadata(set: created.merging(updated) { $1 }, removed: deleted))
        case .counters, .entered, .exited: return .nothing
        case .left, .joined, .invited, .declined, .operators, .restricted, .other:
            return category == .unhidden ? .news(.hidden(.unhidden, through: nil)) : .unknown
        }
    }

    private func isDeparture(of me: UserID) -> Bool {
        switch content {
        case .left(let user, _), .declined(_, let user, _): user.id == me
        case .restricted(let user, _): category == .banned && user.user.id == me
        case .joined, .invited, .operators, .frozen, .typing, .hidden, .metadata, .counters,
            .entered, .exited, .other:
            category == .deleted
        }
    }

    /// The event for the app; nil for none.
    var announcement: ChatEvent? {
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
        case .typing, .entered, .exited: return nil
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

extension ChannelNews {
    /// The moment up to which all messages are gone for the user.
    private var offset: Timestamp? {
        switch self {
        case .hidden(_, let offset): offset
        case .historyReset(let offset): offset
        default: nil
        }
    }

    /// Returns the change as mutations of a channel.
    fileprivate func mutations(of channel: ChannelURL, me: UserID) -> [Mutation] {
        // Removed messages count as read, in the receipts too.
        [.channelNews(channel, self)]
            + (offset.map { [.channelNews(channel, .readBy([me: $0]))] } ?? [])
    }
}

extension SyncState {
    /// Returns the change of a channel as mutations, and records it for answers in flight.
    package mutating func record(_ news: ChannelNews, in channel: ChannelURL) -> [Mutation] {
        channelLedger.note(news, in: channel)
        return [.channelNews(channel, news)]
    }

    /// Records a change that answers in flight may lack or contain, and returns its mutations.
    ///
    /// The channels of such answers are looked up again.
    package mutating func recordUnsure(_ news: ChannelNews, of channel: ChannelURL) -> [Mutation] {
        channelLedger.note(changeOf: channel, by: news)
        return news.mutations(of: channel, me: me)
    }
}
