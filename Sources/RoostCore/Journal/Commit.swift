// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The changes of one transaction of the store: the only changes that a collection learns of.
package struct Commit: Equatable, Codable, Sendable {
    /// The number of the transaction, stored in it, so that a read can name the last commit it
    /// contains.
    package let sequence: Int64
    package let changes: [Change]

    package init(sequence: Int64, changes: [Change]) {
        self.sequence = sequence
        self.changes = changes
    }
}

extension Commit {
    /// Returns the end of a channel's coverage after the commit; nil if the commit has no change of
    /// its messages, or leaves no coverage.
    package func coverageEnd(of channel: ChannelURL) -> Position? {
        for case .messages(let change) in changes.reversed() where change.channel == channel {
            return change.coverageAfter.newest?.upper
        }
        return nil
    }
}

/// One kind of change inside a commit; unchanged rows are no changes (scar 83).
package enum Change: Equatable, Codable, Sendable {
    case messages(MessagesChange)
    case channels(ChannelsChange)
    /// Users whose name or picture changed, in all their messages and memberships.
    case users([Update<User>])
}

/// The changes of one channel's messages and coverage.
package struct MessagesChange: Equatable, Codable, Sendable {
    package let channel: ChannelURL
    /// By position, oldest first.
    package let inserted: [Message]
    package let updated: [Update<Message>]
    package let deleted: [Message]
    /// The moment up to which all messages are gone for good; `deleted` does not list them.
    package let cutThrough: Timestamp?
    /// The coverage without a filter.
    package let coverageBefore: Coverage
    package let coverageAfter: Coverage
    /// The filters whose coverage changed; a timeline under one of them reads again.
    package let filters: [MessageFilter]
    /// The earlier states of inserted messages that were cached under filters only, with another
    /// searchable text; nil for none.
    package let reworded: [Message]?

    package init(
        channel: ChannelURL, inserted: [Message] = [], updated: [Update<Message>] = [],
        deleted: [Message] = [], cutThrough: Timestamp? = nil, coverageBefore: Coverage,
        coverageAfter: Coverage, filters: [MessageFilter] = [], reworded: [Message]? = nil
    ) {
        self.channel = channel
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.cutThrough = cutThrough
        self.coverageBefore = coverageBefore
        self.coverageAfter = coverageAfter
        self.filters = filters
        self.reworded = reworded
    }
}

/// The changes of the set of channels.
package struct ChannelsChange: Equatable, Codable, Sendable {
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
