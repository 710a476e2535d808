// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A channel with the data of a view.
package struct ChannelState: Equatable, Sendable {
    /// The numbers of a channel's joined and invited users.
    package struct Tally: Equatable, Sendable {
        package var members: Int
        package var joined: Int

        package init(members: Int = 0, joined: Int = 0) {
            self.members = members
            self.joined = joined
        }
    }

    package var record: ChannelRecord
    /// The joined and invited users, in the order of their entries; with a `tally` a few of them.
    package var members: [MemberRecord]
    /// The numbers of a state without its members; nil if all members are here.
    package var tally: Tally?
    /// The newest message for a list of channels.
    package var lastMessage: Message?
    package var unreadCount: Int
    package var mentionCount: Int

    package init(record: ChannelRecord) {
        self.init(record: record, members: [], unreadCount: 0, mentionCount: 0)
    }

    init(
        record: ChannelRecord, members: [MemberRecord], lastMessage: Message? = nil,
        unreadCount: Int, mentionCount: Int
    ) {
        self.record = record
        self.members = members
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
        self.mentionCount = mentionCount
    }

    /// Returns the numbers of members.
    var counted: Tally {
        tally
            ?? Tally(
                members: members.count, joined: members.count { $0.state == .joined })
    }

    /// Returns the state without the members whom no view names.
    func brief(for viewer: UserID?) -> ChannelState {
        var brief = self
        brief.tally = counted
        let inviter = members.first { $0.user.id == viewer }?.traits.inviter
        let named = [viewer, record.createdBy, inviter]
        brief.members.removeAll { !named.contains($0.user.id) }
        return brief
    }
}

extension ChannelStorage {
    /// Returns channels with all their members.
    package func channelStates(
        _ urls: [ChannelURL], viewer: UserID?
    ) async throws(StorageError) -> [ChannelState] {
        try await channelStates(urls, viewer: viewer, withMembers: true)
    }
}
