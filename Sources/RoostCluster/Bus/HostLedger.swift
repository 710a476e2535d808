// SPDX-License-Identifier: Apache-2.0

/// A host that has been heard of late.
package struct HostInfo: Equatable, Sendable {
    package let id: HostID
    /// The name from its heartbeats; empty before the first one.
    package var name: String
    package var lastHeard: ContinuousClock.Instant
}

/// A reason to believe that notices of other hosts did not arrive, or own ones did not leave.
///
/// It says nothing about content: the database has that.
package struct Loss: Equatable, Sendable {
    package enum Reason: Int, Hashable, Sendable, CaseIterable {
        /// A host's numbers have a hole.
        case hole
        /// A host was first heard after it had sent messages.
        case lateMeeting
        /// A host has fallen silent, or too many hosts are heard at once.
        case silence
        /// A host has left, and may commit its last changes without a notice.
        case departure
        /// The bus is gone; nothing arrives until `reconnection`.
        case disconnection
        case reconnection
        /// The queue in front of this server was full.
        case slowConsumer
        /// A message could not be decoded, or a part of it is missing.
        case undecodable
        /// Messages of this host did not leave; the other hosts see a hole.
        case refusal
    }

    package let reason: Reason
    /// The host whose messages are missing; nil if it can be any.
    package let host: HostID?
    /// The number of lost messages; zero if it is unknown.
    package var count: UInt64

    package init(_ reason: Reason, of host: HostID? = nil, count: UInt64 = 0) {
        self.reason = reason
        self.host = host
        self.count = count
    }
}

/// The record of the other hosts' numbers, which decides whether messages are missing.
package struct HostLedger: Sendable {
    private struct Entry {
        var info: HostInfo
        /// The number of the newest message that arrived or is known to be lost.
        var last: UInt64
    }

    private let own: HostID
    private let silence: Duration
    private let limit: Int
    private var entries: [HostID: Entry] = [:]

    /// Makes an empty record.
    ///
    /// - Parameters:
    ///   - own: The host itself, whose messages do not count.
    ///   - silence: The time after which an unheard host counts as gone.
    ///   - limit: The most hosts. One more displaces the host that was heard longest ago.
    package init(own: HostID, silence: Duration, limit: Int = 1_024) {
        self.own = own
        self.silence = silence
        self.limit = max(1, limit)
    }

    /// The hosts, in the order of their IDs.
    package var hosts: [HostInfo] {
        entries.values.map(\.info).sorted { $0.id < $1.id }
    }

    /// Takes the number of a message.
    ///
    /// - Returns: Whether the message is the newest of its host and may be delivered, and the
    ///   losses. An older one comes too late to keep the order, and was reported as lost.
    package mutating func message(
        _ number: UInt64, from host: HostID, at now: ContinuousClock.Instant
    ) -> (isInOrder: Bool, losses: [Loss]) {
        guard host != own else { return (false, []) }
        guard let last = entries[host]?.last else {
            let losses = enter(host, last: number, missed: number &- 1, at: now)
            return (true, losses)
        }
        entries[host]?.info.lastHeard = now
        guard number > last else { return (false, []) }
        entries[host]?.last = number
        let missed = number - last - 1
        return (true, missed > 0 ? [Loss(.hole, of: host, count: missed)] : [])
    }

    /// Takes a heartbeat with the number of the host's last message, and returns the losses.
    package mutating func heartbeat(
        last: UInt64, name: String, from host: HostID, at now: ContinuousClock.Instant
    ) -> [Loss] {
        guard host != own else { return [] }
        guard let known = entries[host]?.last else {
            let losses = enter(host, last: last, missed: last, at: now)
            entries[host]?.info.name = name
            return losses
        }
        entries[host]?.info.lastHeard = now
        entries[host]?.info.name = name
        guard last > known else { return [] }
        entries[host]?.last = last
        return [Loss(.hole, of: host, count: last - known)]
    }

    /// Removes a host that has said that it leaves, and returns the loss.
    ///
    /// Calls that wait for a lock or a standby meanwhile send no notice any more, and no number.
    package mutating func leave(_ host: HostID) -> Loss {
        entries[host] = nil
        return Loss(.departure, of: host)
    }

    /// Removes the hosts that have fallen silent, and returns a loss for each.
    package mutating func beat(at now: ContinuousClock.Instant) -> [Loss] {
        let silent = hosts.filter { $0.lastHeard.duration(to: now) >= silence }
        for host in silent { entries[host.id] = nil }
        return silent.map { Loss(.silence, of: $0.id) }
    }

    private mutating func enter(
        _ host: HostID, last: UInt64, missed: UInt64, at now: ContinuousClock.Instant
    ) -> [Loss] {
        var losses: [Loss] = []
        if entries.count >= limit, let oldest = hosts.min(by: { $0.lastHeard < $1.lastHeard }) {
            entries[oldest.id] = nil
            losses.append(Loss(.silence, of: oldest.id))
        }
        entries[host] = Entry(info: HostInfo(id: host, name: "", lastHeard: now), last: last)
        if missed > 0 { losses.append(Loss(.lateMeeting, of: host, count: missed)) }
        return losses
    }
}

/// The losses that wait for the handler; equal ones are joined.
struct LossQueue: Sendable {
    private var waiting: [Loss] = []

    /// The most losses; with more, those of single hosts become losses of any host.
    static let limit = 64

    /// Adds a loss.
    mutating func add(_ loss: Loss) {
        if join(loss) { return }
        guard waiting.count >= Self.limit else { return waiting.append(loss) }
        let ofAny = Loss(loss.reason, count: loss.count)
        if join(ofAny) { return }
        // One per reason, so the list stays bounded by the number of reasons beyond the limit.
        waiting.append(ofAny)
    }

    mutating func next() -> Loss? { waiting.isEmpty ? nil : waiting.removeFirst() }

    private mutating func join(_ loss: Loss) -> Bool {
        let place = waiting.firstIndex { $0.reason == loss.reason && $0.host == loss.host }
        guard let place else { return false }
        // An unknown number stays unknown.
        let (old, new) = (waiting[place].count, loss.count)
        let (sum, isTooFar) = old.addingReportingOverflow(new)
        waiting[place].count = old == 0 || new == 0 ? 0 : isTooFar ? .max : sum
        return true
    }
}
