// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The events of entries into a channel and of exits from it, in the order of their publication.
///
/// Large channels publish the number of members in place of entries and exits (`docs/protocol` 2.7).
extension ChannelState {
    /// Returns the events of entries and invitations, after which this is the state.
    ///
    /// - Parameters:
    ///   - records: The newcomers, in the order of their entries; former members are left out.
    ///   - everybody: All members, the newcomers included.
    ///   - inviter: The user who has brought them in; nil for the platform.
    ///   - isAcceptance: Whether the newcomers have accepted an invitation.
    ///   - now: The time of the events.
    /// - Returns: The events with their recipients.
    package func newsOfEntries(
        of records: [MemberRecord], to everybody: [UserID], inviter: User?, isAcceptance: Bool,
        at now: Timestamp
    ) -> [Announcement] {
        let newcomers = records.filter { $0.state != .none }.map { $0.member(at: now) }
        let guests = newcomers.filter { $0.id != inviter?.id }
        let counts = counts
        let isLarge = record.countsMembersOnly
        let recipients = isLarge ? newcomers.map(\.id) + (inviter.map { [$0.id] } ?? []) : everybody
        var news: [Announcement] = []
        func add(_ category: ChannelEvent.Category, _ content: ChannelEvent.Content) {
            let event = ChannelEvent(
                category, channelURL: record.url, timestamp: now, content: content)
            news.append(Announcement(event: .channel(event), recipients: recipients))
        }
        // Each frame has as many newcomers as a client can read.
        for part in guests.parts(of: ServerLimits.frameMemberBytes, \.weight) {
            add(.invited, .invited(inviter: inviter, invitees: part, at: now, counts))
        }
        if isLarge { news.append(newsOfCounts(to: everybody, at: now)) }
        let arrived = newcomers.filter { $0.state == .joined }
        for part in arrived.parts(of: ServerLimits.frameMemberBytes, \.weight) {
            add(.joined, .joined(part, counts))
            // Most clients know only the event of the entry.
            if isAcceptance { add(.invitationAccepted, .joined(part, counts)) }
        }
        return news
    }

    /// Returns the events of an exit, after which this is the state with the other members.
    package func newsOfExit(
        of user: User, to others: [UserID], at now: Timestamp
    ) -> [Announcement] {
        let event = ServerEvent.channel(
            ChannelEvent(
                .left, channelURL: record.url, timestamp: now, content: .left(user, counts)))
        guard record.countsMembersOnly else {
            return [Announcement(event: event, recipients: others + [user.id])]
        }
        return [
            Announcement(event: event, recipients: [user.id]), newsOfCounts(to: others, at: now),
        ]
    }

    private func newsOfCounts(to users: [UserID], at now: Timestamp) -> Announcement {
        let counts = MemberCounts(
            channelURL: record.url, memberCount: counts.members ?? 0,
            joinedMemberCount: counts.joinedMembers ?? 0, timestamp: now)
        return Announcement(event: .memberCounts([counts], []), recipients: users)
    }
}

extension ChannelRecord {
    /// Whether the channel publishes the number of members in place of entries and exits.
    fileprivate var countsMembersOnly: Bool { isSuper || traits.isBroadcast }
}
