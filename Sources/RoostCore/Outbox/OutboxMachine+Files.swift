// SPDX-License-Identifier: Apache-2.0

// Files without a socket.
//
// Files are uploaded by HTTP, and their message can go the same way (R144, R146). So the first item
// of a lane is sent without a socket if it has files and requests reach the server. Texts wait for
// the socket, and what is behind them waits too, so the order holds. A message that was sent once
// waits for the next connection, which looks it up before it is sent again (scars 10, 11).

package import RoostModel

extension OutboxMachine {
    /// Whether an item may be sent without a socket now, as far as its lane allows it.
    func goesWithoutSocket(_ item: Item) -> Bool {
        isOpenToFiles && item.kind == .file && item.handedTo == nil
    }

    /// Whether nothing happens to an item before there is a socket.
    func waitsForSocket(_ requestID: RequestID) -> Bool {
        guard !isOnItsWay(requestID) else { return false }
        return items[requestID].map { !goesWithoutSocket($0) } ?? true
    }

    /// The items in flight.
    package var requestsOnTheirWay: Set<RequestID> { Set(lanes.values.compactMap(\.onItsWay)) }

    /// Whether an attempt may begin: there is a connection, or files are sent without one.
    var isOpen: Bool { isOnline || isOpenToFiles }

    mutating func openedToFiles(now: Timestamp) -> [Effect] {
        isOpenToFiles = true
        let files = laneOrder.flatMap { lanes[$0]?.queue ?? [] }.filter { id in
            items[id].map { goesWithoutSocket($0) } ?? false
        }
        let effects = expire(files, now: now)
        return effects + laneOrder.flatMap { next(in: $0) }
    }

    /// Ends the sending without a socket; requests in flight report their end.
    mutating func closedToFiles() -> [Effect] {
        isOpenToFiles = false
        return []
    }

    /// Begins anew with files that failed without a connection, because a connection has begun.
    mutating func forgetFailuresOfFiles() {
        for lane in laneOrder {
            lanes[lane]?.rests = false
            for id in lanes[lane]?.queue ?? [] where items[id]?.kind == .file {
                items[id]?.failures = 0
            }
        }
    }

    mutating func handedOver(_ requestID: RequestID, _ stage: SendStage) -> [Effect] {
        items[requestID]?.handedTo = stage
        return []
    }

    /// Keeps the items behind a message waiting whose request may still arrive.
    mutating func awaitLateRequest(of item: Item) -> [Effect] {
        guard item.state == .pending, item.handedTo == .http else { return [] }
        withLane(item.lane) { $0.awaitsLateRequest = true }
        return [.armRest(item.lane, Self.lateness)]
    }
}
