// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer

/// The name of a message that a database can repeat: its channel, its sender and its request.
struct RequestName: Hashable, Sendable {
    let channel: Int64
    let sender: Int64
    /// The text that stands for the request ID in the database.
    ///
    /// Its type compares bytes, as the database does. Two texts of one character count as equal.
    let key: RequestID

    init(channel: Int64, sender: Int64, request: RequestID) {
        self.channel = channel
        self.sender = sender
        key = RequestID(PostgresStorage.key(request.rawValue))
    }
}

/// A place in a channel's log.
struct StoredName: Hashable, Sendable {
    let channel: Int64
    let id: MessageID
}

/// Messages on their way into the logs of locked channels, decided without the database.
struct AppendPlan {
    struct Channel {
        let row: Int64
        var seq: Int64
        var lastTime: Int64?
        var changedAt: Int64
        var lastLive: MessageID?
        /// The number of the first change here, and the transaction of the last change before it.
        let first: Int64
        let logChange: Int64
        /// The read marks of senders in their own messages, by the number of their row.
        var marks: [Int64: Int64] = [:]

        /// Returns the place of the last change.
        func place(in url: ChannelURL, _ change: Int64, _ era: String) -> LogPlace {
            LogPlace(
                channel: url, sequence: seq, first: first, change: change,
                previousChange: logChange, era: era)
        }
    }

    struct New {
        let name: StoredName
        let firstSeq: Int64
        let seq: Int64
        let changedAt: Int64
        let sender: Int64?
        let requestKey: String?
        var message: Message
        let previous: MessageID?
    }

    private let now: Timestamp
    /// The transaction of the plan, and the era of its number.
    private let change: Int64
    private let era: String
    private let users: [UserID: UserRow]
    private let known: [RequestName: KnownRequest]
    private var numbers: ArraySlice<Int64>
    private(set) var channels: [ChannelURL: Channel]
    /// The parents that live; nil for one that cannot be read.
    private var parents: [StoredName: Message?]
    /// The edits of the parents that were there before.
    let edits: [StoredName: MadeEdits]
    private var newOfRequest: [RequestName: Int] = [:]
    private var newOfName: [StoredName: Int] = [:]
    private(set) var new: [New] = []
    /// The new states of parents that were there before, each with the number of its change.
    private(set) var changedParents: [StoredName: (message: Message, seq: Int64, at: Int64)] = [:]
    /// The places of all changes, in their order.
    private(set) var places: [(id: MessageID, isThread: Bool, place: LogPlace)] = []
    /// The channels that another transaction holds; their messages are left out.
    var held: Set<ChannelURL> = []
    /// The URLs of channels that get a message.
    private(set) var touched: Set<ChannelURL> = []

    init(
        now: Timestamp, change: Int64, era: String, channels: [ChannelRow],
        lastLive: [Int64: MessageID], users: [UserID: UserRow],
        known: [RequestName: KnownRequest], parents: [StoredName: Message?],
        edits: [StoredName: MadeEdits], numbers: [Int64]
    ) {
        self.now = now
        self.change = change
        self.era = era
        self.users = users
        self.known = known
        self.parents = parents
        self.edits = edits
        self.numbers = numbers[...]
        self.channels = [:]
        for row in channels {
            self.channels[row.url] = Channel(
                row: row.id, seq: row.seq, lastTime: row.lastTime, changedAt: row.changedAt,
                lastLive: lastLive[row.id], first: row.seq + 1, logChange: row.logChange)
        }
    }

    /// Appends a message, an old one at its own moment.
    ///
    /// - Returns: The stored message, new or known; nil if there is no such channel.
    /// - Throws: `.malformed` if a row that the message needs cannot be read; the plan is unchanged.
    mutating func append(
        _ message: Message, at moment: Timestamp? = nil
    ) throws(PostgresError) -> Appended? {
        let url = message.channelURL
        guard var channel = channels[url] else { return nil }
        let sender = message.sender.flatMap { users[$0.user.id] }
        let request = sender.flatMap { sender in
            message.requestID.map {
                RequestName(channel: channel.row, sender: sender.id, request: $0)
            }
        }
        if let request {
            if let stored = known[request] { return try repeated(message, stored, channel.row) }
            if let index = newOfRequest[request] { return repeated(new[index]) }
        }
        let parent = try message.parentID.flatMap { id throws(PostgresError) in
            try self.parent(StoredName(channel: channel.row, id: id))
        }
        guard let number = numbers.popFirst() else {
            throw .malformed("message numbers", because: "There are fewer than messages.")
        }
        let after = channel.lastTime.map { Timestamp(milliseconds: $0).advanced(by: 1) }
        let createdAt = max(moment ?? now, after ?? .distantPast)
        channel.seq += 1
        channel.changedAt = max(
            channel.changedAt, createdAt.milliseconds, now.milliseconds)
        let name = StoredName(channel: channel.row, id: MessageID(number))
        var stored = message
        stored.createdAt = createdAt
        stored.delivery = .delivered(name.id, message.requestID)
        if let sender { stored.sender?.user = sender.user }
        let entry = New(
            name: name, firstSeq: channel.seq, seq: channel.seq, changedAt: channel.changedAt,
            sender: sender?.id,
            requestKey: message.requestID.map { PostgresStorage.key($0.rawValue) },
            message: stored, previous: channel.lastLive)
        if let request { newOfRequest[request] = new.count }
        newOfName[name] = new.count
        new.append(entry)
        places.append((name.id, false, channel.place(in: url, change, era)))
        // A message may name its own number, which its sender guessed.
        let own = message.parentID == name.id
        var row = stored
        if message.parentID != nil {
            row.details.parentPreview = (own ? stored : parent)?.shownPreview
        }
        parents[name] = row
        channel.lastTime = createdAt.milliseconds
        channel.lastLive = name.id
        if let sender { channel.marks[sender.id] = createdAt.milliseconds }
        var answered: Message?
        if var parent = own ? row : parent, let id = parent.messageID {
            parent.note(reply: stored)
            channel.seq += 1
            keep(parent, StoredName(channel: channel.row, id: id), channel)
            places.append((id, true, channel.place(in: url, change, era)))
            answered = parent
        }
        channels[url] = channel
        touched.insert(url)
        return Appended(
            message: stored, previousID: entry.previous, isRepeat: false, isDeleted: false,
            parent: answered)
    }

    private func parent(_ name: StoredName) throws(PostgresError) -> Message? {
        guard let found = parents[name] else { return nil }
        guard let message = found else {
            throw .malformed("message \(name.id)", because: "It has replies.")
        }
        return message
    }

    /// Keeps the new state of a parent.
    private mutating func keep(_ parent: Message, _ name: StoredName, _ channel: Channel) {
        parents[name] = parent
        if let index = newOfName[name] {
            let old = new[index]
            new[index] = New(
                name: name, firstSeq: old.firstSeq, seq: channel.seq, changedAt: channel.changedAt,
                sender: old.sender,
                requestKey: old.requestKey, message: parent, previous: old.previous)
        } else {
            changedParents[name] = (parent, channel.seq, channel.changedAt)
        }
    }

    private func repeated(
        _ message: Message, _ known: KnownRequest, _ channel: Int64
    ) throws(PostgresError) -> Appended {
        let row = known.message
        let name = StoredName(channel: channel, id: MessageID(row.id))
        if let changed = changedParents[name]?.message {
            return row.answer(changed, to: message, after: known.previous)
        }
        return row.answer(try row.message(), to: message, after: known.previous)
    }

    private func repeated(_ entry: New) -> Appended {
        Appended(
            message: entry.message, previousID: entry.previous, isRepeat: true, isDeleted: false)
    }
}
