// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What one transaction of the store changed: the only news a collection ever gets.
package struct Commit: Hashable, Sendable {
    /// Grows by one with each transaction and is stored in it, so that a read can say which commits
    /// it has already seen.
    package let sequence: Int64
    package let changes: [Change]

    package init(sequence: Int64, changes: [Change]) {
        self.sequence = sequence
        self.changes = changes
    }
}

/// One kind of news inside a commit; rows that stayed as they were are not news (scar 83).
package enum Change: Hashable, Sendable {
    case messages(MessagesChange)
    case channels(ChannelsChange)
    /// Users whose name or picture changed; every message and member of theirs changed with them.
    case users([Update<User>])
}

/// What changed among one channel's messages and in the knowledge about them.
package struct MessagesChange: Hashable, Sendable {
    package let channel: ChannelURL
    /// By position, oldest first.
    package let inserted: [Message]
    package let updated: [Update<Message>]
    package let deleted: [Message]
    /// Everything at or before this moment is gone and stays so; `deleted` does not list it.
    package let cutThrough: Timestamp?
    /// What is known under no filter.
    package let coverageBefore: Coverage
    package let coverageAfter: Coverage
    /// The filters under which more or less is known now: who shows one of them reads it again.
    package let filters: [MessageFilter]

    package init(
        channel: ChannelURL, inserted: [Message] = [], updated: [Update<Message>] = [],
        deleted: [Message] = [], cutThrough: Timestamp? = nil, coverageBefore: Coverage,
        coverageAfter: Coverage, filters: [MessageFilter] = []
    ) {
        self.channel = channel
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.cutThrough = cutThrough
        self.coverageBefore = coverageBefore
        self.coverageAfter = coverageAfter
        self.filters = filters
    }
}

/// What changed in the set of channels.
package struct ChannelsChange: Hashable, Sendable {
    package let inserted: [GroupChannel]
    package let updated: [Update<GroupChannel>]
    package let deleted: [ChannelURL]

    package init(
        inserted: [GroupChannel] = [], updated: [Update<GroupChannel>] = [],
        deleted: [ChannelURL] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}
