// SPDX-License-Identifier: Apache-2.0

/// The look-ups of names under way, with the callers that wait for each.
///
/// Equal questions share a look-up, because those that callers have given up still take a thread
/// each until the system's name servers time out. But a look-up that began before a change of
/// network asks a name server that may be out of reach, so after a while an equal question begins a
/// second one.
struct LookUpTable<Caller> {
    typealias Instant = ContinuousClock.Instant

    struct Question: Hashable {
        let host: String
        let port: UInt16
    }

    private struct LookUp {
        let question: Question
        let start: Instant
        var callers: [Caller]
    }

    /// The time for which equal questions share a look-up; healthy name servers answer sooner.
    private static var sharedTime: Duration { .seconds(2) }
    /// The greatest number of look-ups of one question, so that a dead name server takes few threads.
    private static var limit: Int { 2 }

    private var lookUps: [Int: LookUp] = [:]
    private var lastID = 0

    /// Adds a caller to the youngest look-up of its question, or to a new one.
    ///
    /// - Returns: The ID of a new look-up, which the caller begins; nil if it waits for another.
    mutating func add(_ caller: Caller, asking question: Question, at now: Instant) -> Int? {
        let equal = lookUps.filter { $0.value.question == question }
        if let (id, youngest) = equal.max(by: { $0.key < $1.key }),
            equal.count >= Self.limit || youngest.start + Self.sharedTime > now
        {
            lookUps[id]?.callers.append(caller)
            return nil
        }
        lastID += 1
        lookUps[lastID] = LookUp(question: question, start: now, callers: [caller])
        return lastID
    }

    /// Removes a look-up that has ended, and returns its callers.
    mutating func end(_ id: Int) -> [Caller] { lookUps.removeValue(forKey: id)?.callers ?? [] }
}
