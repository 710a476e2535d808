// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostPostgres
import RoostServer

/// The places of the changes that this server has stored of late, for the notices about them.
///
/// Each channel's lane publishes what it has stored before it stores more, so the last place of a
/// message is that of its notice. Only one batch can have several replies to a message: their thread
/// notices take the places one after the other.
final class PlaceLedger: Sendable {
    fileprivate struct Entry {
        var place: LogPlace?
        var threads: [LogPlace] = []
        /// The number of the last entry about the message.
        var number: Int
    }

    fileprivate struct State {
        var entries: [MessageName: Entry] = [:]
        /// The messages in the order of their entries, as a ring.
        var order: [(name: MessageName, number: Int)] = []
        var next = 0
        var lastNumber = 0
    }

    private let limit: Int
    private let state = Guarded(State())

    init(limit: Int = 16_384) { self.limit = max(1, limit) }

    /// Notes the place of a message's arrival, edit or deletion.
    func note(_ id: MessageID, _ place: LogPlace) {
        state.withLock { state in
            state.change(id, place, limit) { $0.place = place }
        }
    }

    /// Notes the place of a change of a message's thread.
    func noteThread(_ id: MessageID, _ place: LogPlace) {
        state.withLock { state in
            state.change(id, place, limit) { entry in
                // A repeated transaction gives its numbers again. The notices of an earlier one are
                // published, or it has failed and there are none.
                entry.threads.removeAll {
                    $0.sequence >= place.sequence || $0.change != place.change
                        || $0.era != place.era
                }
                entry.threads.append(place)
            }
        }
    }

    func place(of name: MessageName) -> LogPlace? { state.withLock { $0.entries[name]?.place } }

    /// Returns the place of the next notice about a message's thread.
    func takeThread(of name: MessageName) -> LogPlace? {
        state.withLock { state in
            guard let first = state.entries[name]?.threads.first else { return nil }
            state.entries[name]?.threads.removeFirst()
            return first
        }
    }
}

extension PlaceLedger.State {
    fileprivate mutating func change(
        _ id: MessageID, _ place: LogPlace, _ limit: Int,
        _ change: (inout PlaceLedger.Entry) -> Void
    ) {
        let name = MessageName(channel: place.channel, message: id)
        lastNumber += 1
        var entry = entries[name] ?? PlaceLedger.Entry(number: lastNumber)
        entry.number = lastNumber
        change(&entry)
        entries[name] = entry
        guard order.count == limit else { return order.append((name, lastNumber)) }
        let old = order[next]
        // A later entry about the same message has a slot of its own.
        if entries[old.name]?.number == old.number { entries[old.name] = nil }
        order[next] = (name, lastNumber)
        next = (next + 1) % limit
    }
}

extension ChannelRow {
    /// Returns the place of a change in this channel's log.
    ///
    /// - Parameters:
    ///   - sequence: The number of the change.
    ///   - transaction: The transaction, which has read the row.
    /// - Returns: The place.
    func place(_ sequence: Int64, by transaction: PostgresTransaction) -> LogPlace {
        LogPlace(
            channel: url, sequence: sequence, first: seq + 1, change: transaction.change,
            previousChange: logChange, era: transaction.era?.shortName ?? "")
    }
}
