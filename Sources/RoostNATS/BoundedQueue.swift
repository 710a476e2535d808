// SPDX-License-Identifier: Apache-2.0

/// A queue between threads that is emptied by one drain at a time.
///
/// The adding side learns when it has to start a drain, and never waits. A drain may pause: until it
/// goes on and finds nothing, no other one starts.
struct BoundedQueue<Element: Sendable>: Sendable {
    /// The fate of an added element.
    enum Outcome: Equatable, Sendable {
        case added(startsDrain: Bool)
        /// The queue is full or closed.
        case refused
    }

    /// The bound; elements beyond a lower one stay.
    var limit: QueueLimit
    private var waiting: [Element] = []
    private var bytes = 0
    private var isDraining = false
    private(set) var isClosed = false

    init(_ limit: QueueLimit) { self.limit = limit }

    /// Adds all of some elements, or none.
    ///
    /// A small one, of which there are few, needs no room. An element larger than the limit still finds
    /// room in an empty queue, so a limit that is too low slows and does not stop.
    mutating func add(
        _ elements: [Element], bytes size: Int, isSmall: Bool = false
    ) -> Outcome {
        let (sum, isTooFar) = bytes.addingReportingOverflow(max(0, size))
        let fits =
            waiting.isEmpty || isSmall
            || (!isTooFar && sum <= limit.bytes && waiting.count + elements.count <= limit.count)
        guard !isClosed, fits, !elements.isEmpty else { return .refused }
        waiting += elements
        bytes = sum
        defer { isDraining = true }
        return .added(startsDrain: !isDraining)
    }

    /// Takes all elements; nil ends the drain.
    mutating func take() -> [Element]? {
        guard !waiting.isEmpty else {
            isDraining = false
            return nil
        }
        defer { (waiting, bytes) = ([], 0) }
        return waiting
    }

    /// Drops the waiting elements and refuses later ones.
    mutating func close() {
        isClosed = true
        (waiting, bytes) = ([], 0)
    }
}
