// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The latest edits in the change logs since the last login, and the latest deletions.
///
/// Older frames may still be in flight, and must not undo them. A frame is in flight for seconds,
/// so the oldest changes can be forgotten; a connection that stays for days would keep all of them.
package struct RecentChanges: Codable, Sendable {
    /// The least number of changed messages that are kept, in all channels; never more than twice
    /// as many.
    ///
    /// A catch-up reads pages of 100 changes while frames arrive, so there is room for 40 of them.
    /// A repeated send may be acknowledged hours later with a message that was deleted meanwhile;
    /// the server then sends the deletion as well.
    package static let limit = 4_000

    private var older: [ChannelURL: FetchLedger] = [:]
    private var newer: [ChannelURL: FetchLedger] = [:]
    /// The number of messages noted in `newer`.
    private var count = 0

    package init() {}

    /// Notes changes, of which only edits are of use here.
    ///
    /// A message that was never edited has changed in its details alone; a frame of it takes none
    /// of them from the cache.
    package mutating func note(
        edited: [Message], deleted: [MessageID], in channel: ChannelURL
    ) {
        for message in edited where message.updatedAt != nil {
            guard let id = message.messageID else { continue }
            note(id, in: channel) { $0.note(editOf: message) }
        }
        for id in deleted { note(id, in: channel) { $0.note(deletionOf: id) } }
    }

    /// Forgets the edits, because no frame of an earlier connection arrives on the next one.
    ///
    /// Deletions stay: a repeated send may be acknowledged with a message that was deleted before
    /// the login.
    package mutating func beginSession() {
        for channel in older.keys { older[channel]?.forgetEdits() }
        for channel in newer.keys { newer[channel]?.forgetEdits() }
        older = older.filter { $0.value.hasDeletions }
        newer = newer.filter { $0.value.hasDeletions }
        count = newer.values.reduce(0) { $0 + $1.deletionCount }
    }

    private mutating func note(
        _ id: MessageID, in channel: ChannelURL, _ body: (inout FetchLedger) -> Void
    ) {
        // A page may be read several times.
        let isNew = newer[channel]?.hasNote(of: id) != true
        if isNew, count == Self.limit {
            older = newer
            newer = [:]
            count = 0
        }
        if newer[channel] == nil { newer[channel, default: FetchLedger()].begin() }
        body(&newer[channel, default: FetchLedger()])
        if isNew { count += 1 }
    }

    /// Replaces the noted edit of a message, if there is one.
    package mutating func replace(editOf message: Message) {
        older[message.channelURL]?.replace(editOf: message)
        newer[message.channelURL]?.replace(editOf: message)
    }

    /// Returns the state of a message after the noted changes; nil if it is deleted.
    package func upToDate(_ message: Message) -> Message? {
        let channel = message.channelURL
        let known = older[channel]?.upToDate([message]) ?? [message]
        return (newer[channel]?.upToDate(known) ?? known).first
    }
}
