// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The last inputs of a machine with its effects, and the machine as it was before the first of
/// them.
///
/// The same machine answers the same inputs with the same effects, so a recording can be replayed.
/// Its size is bounded: the oldest part goes when a new one begins.
package struct Recording: Sendable {
    package struct Entry: Sendable {
        /// The place among all inputs of the machine, from 1.
        package let number: Int
        package let at: Timestamp
        package let input: SyncMachine.Input
        package let effects: [SyncMachine.Effect]
    }

    private struct Part: Sendable {
        let base: SyncMachine
        var entries: [Entry] = []
        /// The messages, channels and members that inputs and effects hold, as a measure of memory.
        var weight = 0

        var isFull: Bool { entries.count >= Recording.partLength || weight >= Recording.partWeight }
    }

    package static let partLength = 1_000
    package static let partWeight = 2_000
    package static let partLimit = 4

    private var parts: [Part] = []
    private var count = 0

    package init() {}

    /// Notes an input with its effects.
    ///
    /// A part begins with a copy of the machine as it was before the input; see `needsMachine`.
    /// The bytes of files are left out.
    package mutating func note(
        _ input: SyncMachine.Input, at moment: Timestamp, _ effects: [SyncMachine.Effect],
        of machine: SyncMachine?
    ) {
        count += 1
        let (input, effects) = (input.withoutBytes, effects.map(\.withoutBytes))
        if let machine {
            if parts.count == Self.partLimit { parts.removeFirst() }
            parts.append(Part(base: machine.withoutBytes))
        }
        let last = parts.count - 1
        guard last >= 0 else { return }
        parts[last].entries.append(
            Entry(number: count, at: moment, input: input, effects: effects))
        parts[last].weight += input.weight + effects.reduce(0) { $0 + $1.weight }
    }

    /// Whether the next input begins a part, and the machine before it is needed.
    package var needsMachine: Bool { parts.last?.isFull ?? true }

    /// The machine before the first entry; nil before the first input.
    package var base: SyncMachine? { parts.first?.base }

    package var entries: [Entry] { parts.flatMap(\.entries) }

    /// The number of recorded inputs, and the last of them.
    package func last(_ limit: Int) -> (count: Int, entries: [Entry]) {
        var last: [Entry] = []
        for part in parts.reversed() where last.count < limit {
            last = part.entries.suffix(limit - last.count) + last
        }
        return (count, last)
    }

    /// Gives all inputs to the first machine again.
    ///
    /// - Returns: The first entry with other effects, and these; nil where all are as recorded.
    package func firstDifference() -> (entry: Entry, replayed: [SyncMachine.Effect])? {
        guard var machine = base else { return nil }
        for entry in entries {
            let effects = machine.receive(entry.input, at: entry.at)
            if effects != entry.effects { return (entry, effects) }
        }
        return nil
    }
}

extension SyncMachine.Input {
    /// The input without the bytes of files that are sent from memory.
    fileprivate var withoutBytes: Self {
        switch self {
        case .start(let id, .outbox(.sending(let sending))):
            .start(id, .outbox(.sending(sending.withoutBytes)))
        case .reply(let id, .outbox(.success(let answer))):
            .reply(id, .outbox(.success(answer.withoutBytes)))
        default: self
        }
    }

    /// The number of messages, channels and members that the input holds.
    fileprivate var weight: Int {
        if case .frame(_, .delivered(_, let times), _) = self { return 1 + times.count }
        if case .frame(_, .memberCounts(let counts, let participants), _) = self {
            return 1 + counts.count + participants.count
        }
        guard case .reply(_, let reply) = self else { return 1 }
        switch reply {
        case .read(.success(.stretches(let stretches))): return stretches.count
        case .answer(.success(.fingerprints(let stretches))): return stretches.count
        case .answer(.success(.channel(let channel))): return channel.weight
        case .outbox(.success(.news(let items))): return items?.items.count ?? 1
        case .kept(.success(let answer)): return answer.commit?.weight ?? 1
        case .read(.success(.channel(let channel))): return channel?.weight ?? 1
        case .read(.success(.window(let window))): return window.messages.count
        case .read(.success(.channels(let cached))): return cached.channels.weight
        case .answer(.success(.messages(let page))): return page.messages.count
        case .answer(.success(.gap(let answer))):
            return answer.next.messages.count + answer.previous.messages.count
        case .answer(.success(.messageChanges(let changes))): return changes.updated.count
        case .answer(.success(.channelChanges(let changes))):
            return changes.updated.weight
        case .answer(.success(.myChannels(let page))): return page.channels.weight
        case .committed(.success(let commit?)): return commit.weight
        default: return 1
        }
    }
}

extension SyncMachine.Effect {
    /// The effect without the bytes of files that are sent from memory.
    fileprivate var withoutBytes: Self {
        switch self {
        case .outbox(let id, .copyFiles(let params, let requestID, let sequence)):
            .outbox(id, .copyFiles(params.withoutBytes, requestID, sequence: sequence))
        case .outbox(let id, .write(let writes)): .outbox(id, .write(writes.withoutBytes))
        case .ask(let id, .upload(let upload), let credentials):
            .ask(id, .upload(upload.withoutBytes), credentials)
        case .finish(let id, .item(let item)): .finish(id, .item(item.withoutBytes))
        case .notice(.timelineChanged(let id, let diff)):
            .notice(.timelineChanged(id, diff.withoutBytes))
        case .notice(.outbox(let event)): .notice(.outbox(event.withoutBytes))
        default: self
        }
    }

    fileprivate var weight: Int {
        switch self {
        case .commit(_, let mutations, _, unless: _):
            mutations.reduce(0) { sum, mutation in
                switch mutation {
                case .messages(_, let messages, _, _): sum + messages.count
                case .channels(let channels): sum + channels.weight
                default: sum + 1
                }
            }
        case .notice(.timelineChanged(_, let diff)): diff.weight
        case .notice(.listChanged(_, let diff)): diff.weight
        default: 0
        }
    }
}

extension ListDiff<Message> {
    fileprivate var weight: Int { inserted.count + 2 * updated.count + deleted.count }
}

extension ListDiff<GroupChannel> {
    fileprivate var weight: Int {
        inserted.weight + updated.weight + deleted.weight + counterparts.weight
    }
}

extension GroupChannel {
    /// The channel and its members; a member's receipts are part of the member.
    fileprivate var weight: Int {
        1 + max(members.count, readReceipts?.count ?? 0, deliveryReceipts?.count ?? 0)
    }
}

extension [GroupChannel] {
    fileprivate var weight: Int { reduce(0) { $0 + $1.weight } }
}

extension [Update<GroupChannel>] {
    fileprivate var weight: Int { reduce(0) { $0 + $1.before.weight + $1.after.weight } }
}

extension Commit {
    fileprivate var weight: Int { changes.reduce(0) { $0 + $1.weight } }
}

extension Change {
    fileprivate var weight: Int {
        switch self {
        case .messages(let change):
            change.inserted.count + 2 * change.updated.count + change.deleted.count
        case .channels(let change):
            change.inserted.weight + change.updated.weight + change.deleted.count
        case .users(let updates): updates.count
        }
    }
}
