// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer

/// The places of the changes that this server has stored of late, for the notices about them.
///
/// Each channel's lane publishes a change before it makes the next one, so the last place of a message
/// is that of the notice.
final class PlaceLedger: Sendable {
    private struct State {
        var places: [MessageName: LogPlace] = [:]
        /// The names in the order of their entry, as a ring.
        var order: [MessageName] = []
        var next = 0
    }

    private let limit: Int
    private let state = Guarded(State())

    init(limit: Int = 16_384) { self.limit = max(1, limit) }

    func note(_ id: MessageID, _ place: LogPlace) {
        let name = MessageName(channel: place.channel, message: id)
        state.withLock { state in
            guard state.places.updateValue(place, forKey: name) == nil else { return }
            if state.order.count < limit {
                state.order.append(name)
            } else {
                state.places[state.order[state.next]] = nil
                state.order[state.next] = name
                state.next = (state.next + 1) % limit
            }
        }
    }

    func place(of name: MessageName) -> LogPlace? { state.withLock { $0.places[name] } }
}

extension ChannelRow {
    /// Returns the place of a change in this channel's log, made by the transaction that read the row.
    func place(_ sequence: Int64) -> LogPlace {
        LogPlace(
            channel: url, sequence: sequence, first: seq + 1, previousChange: logChange)
    }
}
