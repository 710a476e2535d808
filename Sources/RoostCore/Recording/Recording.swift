// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The last inputs of a machine with its effects, and the machine as it was before the first of them.
///
/// The same machine answers the same inputs with the same effects, so a recording can be replayed. Its size is
/// bounded: the oldest part goes when a new one begins.
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
        /// The messages and channels that the inputs hold, as a measure of their memory.
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
    /// The machine before the input is needed where a part begins.
    package mutating func note(
        _ input: SyncMachine.Input, at moment: Timestamp, _ effects: [SyncMachine.Effect],
        of machine: SyncMachine?
    ) {
        count += 1
        if let machine {
            if parts.count == Self.partLimit { parts.removeFirst() }
            parts.append(Part(base: machine))
        }
        let last = parts.count - 1
        guard last >= 0 else { return }
        parts[last].entries.append(
            Entry(number: count, at: moment, input: input, effects: effects))
        parts[last].weight += input.weight
    }

    /// Whether the next input begins a part, and the machine before it is needed.
    package var needsMachine: Bool { parts.last?.isFull ?? true }

    /// The machine before the first entry; nil before the first input.
    package var base: SyncMachine? { parts.first?.base }

    package var entries: [Entry] { parts.flatMap(\.entries) }

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
    /// The number of messages and channels that the input holds.
    fileprivate var weight: Int {
        guard case .reply(_, let reply) = self else { return 1 }
        switch reply {
        case .read(.success(.window(let window))): return window.messages.count
        case .read(.success(.channels(let cached))): return cached.channels.count
        case .answer(.success(.messages(let page))): return page.messages.count
        case .answer(.success(.gap(let answer))):
            return answer.next.messages.count + answer.previous.messages.count
        case .answer(.success(.messageChanges(let changes))): return changes.updated.count
        case .answer(.success(.channelChanges(let changes))): return changes.updated.count
        case .answer(.success(.myChannels(let page))): return page.channels.count
        case .committed(.success(let commit?)): return commit.changes.reduce(0) { $0 + $1.weight }
        default: return 1
        }
    }
}

extension Change {
    fileprivate var weight: Int {
        switch self {
        case .messages(let change):
            change.inserted.count + 2 * change.updated.count + change.deleted.count
        case .channels(let change):
            change.inserted.count + 2 * change.updated.count + change.deleted.count
        case .users(let updates): updates.count
        }
    }
}
