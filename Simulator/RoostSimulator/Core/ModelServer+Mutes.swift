// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire

// The mutes of members, by the channel's operators.

extension ModelServer {
    /// Mutes a member; nil seconds mean no end.
    mutating func mute(
        _ id: UserID, in url: ChannelURL, seconds: Int?, reason: String, _ desk: Desk,
        on storage: isolated MemoryStorage
    ) throws(ServerError) {
        _ = try desk.admit(.operator, url, on: storage)
        guard storage.memberIDs(of: url).contains(id) else {
            throw ServerError(.notFound, "Only members can be muted.")
        }
        let mute = Restriction(
            startedAt: desk.now, endsAt: seconds.map { desk.now + .seconds($0) }, note: reason)
        let changed = storage.updateMember(id, of: url, now: desk.now) { $0.traits.mute = mute }
        guard let changed else { return }
        publish(.muted, of: changed, in: url, desk, on: storage)
    }

    mutating func unmute(
        _ id: UserID, in url: ChannelURL, _ desk: Desk, on storage: isolated MemoryStorage
    ) throws(ServerError) {
        _ = try desk.admit(.operator, url, on: storage)
        let known = storage.memberRecords(of: url).first { $0.user.id == id }
        guard let known, known.traits.mute != nil else {
            throw ServerError(.notFound, "The user has no such restriction.")
        }
        _ = storage.updateMember(id, of: url, now: desk.now) { $0.traits.mute = nil }
        publish(.unmuted, of: known, in: url, desk, on: storage)
    }

    private mutating func publish(
        _ category: ChannelEvent.Category, of member: MemberRecord, in url: ChannelURL,
        _ desk: Desk, on storage: isolated MemoryStorage
    ) {
        // Only bans change the counts of members.
        let event = ChannelEvent(
            category, channelURL: url, timestamp: desk.now,
            content: .restricted(member.restricted(isBan: false), .init()))
        publish(.channel(event), to: storage.memberIDs(of: url))
    }
}

extension ModelServer.Desk {
    /// The mute of a user in a channel, as the server answers it.
    func mute(
        of id: UserID, in url: ChannelURL, on storage: isolated MemoryStorage
    ) -> AskMute.Answer {
        let member = storage.memberRecords(of: url).first { $0.user.id == id }
        guard let mute = member?.traits.mute, mute.isActive(at: now) else {
            return AskMute.Answer(isMuted: false, remaining: nil)
        }
        return AskMute.Answer(
            isMuted: true, reason: mute.note, start: mute.startedAt, end: mute.endsAt,
            remaining: mute.endsAt.map { .milliseconds(max(0, $0.milliseconds(since: now))) })
    }
}
