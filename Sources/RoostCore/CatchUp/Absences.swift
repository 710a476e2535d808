// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The channels with open timelines that the user has left or lost during this connection.
///
/// A return shows in the cache only if the departure did. The disk may have refused the removal of
/// the channel, or the user was back before the device learnt of the departure. The messages of the
/// time between are missing then, so the next answer with the user as a member makes the open
/// timelines be caught up.
struct Absences: Equatable, Codable, Sendable {
    private var channels: Set<ChannelURL> = []
    /// The channels that were looked up after a refusal and have answered no request since.
    private var lookedUp: Set<ChannelURL> = []

    mutating func note(_ channel: ChannelURL) { channels.insert(channel) }

    /// Notes that the cache has lost the channel: its return will show.
    mutating func noteRemoval(of channel: ChannelURL) { channels.remove(channel) }

    /// Notes that the server has given the user messages of a channel.
    mutating func noteAccess(to channel: ChannelURL) { lookedUp.remove(channel) }

    /// Notes that the server refuses the messages of a channel to the user.
    ///
    /// - Returns: Whether the channel has to be looked up, which is so once until the next access.
    ///   Otherwise a server that contradicts itself would be asked for ever.
    mutating func noteRefusal(of channel: ChannelURL) -> Bool {
        channels.insert(channel)
        return lookedUp.insert(channel).inserted
    }

    /// Ends the absence from a channel; returns whether there was one.
    mutating func end(_ channel: ChannelURL) -> Bool { channels.remove(channel) != nil }
}

extension SyncState {
    /// Notes the server's answer to a request for the messages of an open timeline.
    mutating func noteAccess(to channel: ChannelURL, _ refusal: RoostError?) {
        guard let refusal else {
            session?.absences.noteAccess(to: channel)
            return
        }
        guard refusal.code.deniesMessages else { return }
        session?.loseEnd(of: channel)
        // The user may be back already, and the refusal may have come late.
        if session?.absences.noteRefusal(of: channel) == true { lookUp(channel) }
    }

    /// Catches up the open timelines of channels that have the user as a member again.
    mutating func followReturns(to channels: [GroupChannel]) {
        for channel in channels where channel.myState == .joined {
            guard session?.absences.end(channel.url) == true,
                !timelines.ids(of: channel.url).isEmpty
            else { continue }
            catchUp(channel.url, .anyway)
        }
    }
}

extension RoostError.Code {
    /// Whether the server refuses a channel's messages to users who are no members: 900020, 900023
    /// before the invitation is accepted, 900100 for a banned user (`docs/protocol` 5.2).
    fileprivate var deniesMessages: Bool {
        [.notAMember, Self(900_023), .banned].contains(self)
    }
}
