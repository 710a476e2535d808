// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The record of lost notices, which decides the reports that sweeps make up for them.
///
/// A loss is noticed late, so a sweep goes back behind it. While notices of a host may be missing,
/// each sweep reports the changed channels; that time is the mistrust. A report costs a call of
/// every client. So a channel has few of them, and the mistrust ends once the bus hears all servers
/// that live.
package struct NoticeLosses: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// The time by which a loss may be older than its report, such as of a server that fell silent.
    package static let lateness = Duration.seconds(10)
    /// The longest time for which a host that has fallen silent may still write.
    package static let mistrustTime = Duration.seconds(600)
    /// The time between two reports of one channel while notices cannot come or are mistrusted.
    ///
    /// A read mark is a change too, and each report costs a call of every client in the channel.
    package static let pause = Duration.seconds(10)

    /// The time between two checks of the session keys while no loss is known.
    package static let sessionPause = Duration.seconds(5)

    /// A report to clients that a channel has changed.
    package struct Report: Equatable, Sendable {
        package let url: ChannelURL
        /// The transaction of the change.
        package let change: Int64
        /// The transaction behind which users who have left the channel are told too.
        package let start: Int64

        package init(url: ChannelURL, change: Int64, start: Int64) {
            self.url = url
            self.change = change
            self.start = start
        }
    }

    /// A lasting difference between the servers of the bus and those of the database.
    package enum Disagreement: Equatable, Sendable {
        /// The bus does not hear all servers that live.
        case unheard
        /// The bus hears servers that the database does not know, such as those of another cluster.
        case unknown
    }

    /// The ends of the last sweeps.
    private var past: [(at: Instant, swept: Int64)] = []
    /// The transaction behind which changes of channels may be unknown to clients here.
    private var lostSince: Int64?
    /// The end of the mistrust.
    private var mistrust: Instant?
    /// The number of times in a row that the database knew of more servers than the bus.
    private var disagreements = 0
    /// The number of times in a row that the bus heard more servers than the database knew.
    private var excesses = 0
    /// The number of times in a row that the bus heard all servers that the database knew.
    private var agreements = 0
    /// The reports that are due, or wait for their pause.
    private var waiting: [ChannelURL: Report] = [:]
    /// The last report of each channel, as long as it may tell that another one is needless.
    private var made: [ChannelURL: (report: Report, at: Instant)] = [:]
    /// Whether sessions may have ended unseen since the last check.
    private var owesSessionCheck = false
    private var sessionCheck: Instant?

    package init() {}

    /// Whether notices may be missing at a moment.
    package func isMistrusting(at now: Instant) -> Bool { mistrust.map { now < $0 } ?? false }

    // MARK: Losses

    /// Notes that notices may have been lost.
    ///
    /// - Parameters:
    ///   - swept: The transaction up to which sweeps know all changes.
    ///   - time: The time for which more may be lost; nil for none.
    ///   - now: The present moment.
    package mutating func note(swept: Int64, mistrustingFor time: Duration?, at now: Instant) {
        let limit = now - Self.lateness
        putBack(past.last { $0.at <= limit }?.swept ?? past.first?.swept ?? swept)
        guard let time else { return }
        mistrust = max(mistrust ?? now, now + time)
        agreements = 0
    }

    /// Compares the servers that the bus hears with those that the database knows to be alive.
    ///
    /// A part of the bus that is cut off reports nothing, and may be so from the start. A server
    /// that has just started may not be heard yet, so the first difference alone does not last.
    /// After a failover the database knows no other server for a moment, so the first agreement
    /// alone ends nothing.
    ///
    /// - Returns: The disagreement, once, when it has lasted; nil otherwise.
    package mutating func compare(
        alive: Int, heard: Int, swept: Int64, at now: Instant
    ) -> Disagreement? {
        excesses = alive < heard ? excesses + 1 : 0
        guard alive > heard else {
            (disagreements, agreements) = (0, agreements + 1)
            // The reason of the mistrust has died. Its last commits may still become visible.
            if agreements >= 2 { mistrust = mistrust.map { min($0, now + Self.lateness) } }
            return excesses == 4 ? .unknown : nil
        }
        (disagreements, agreements) = (disagreements + 1, 0)
        note(
            swept: swept, mistrustingFor: disagreements > 1 ? Self.mistrustTime : nil, at: now)
        // The lease of a server that has died lasts for three renewals.
        return disagreements == 4 ? .unheard : nil
    }

    /// Returns the transaction to which the next sweep goes back, and forgets it; nil for no loss.
    package mutating func take() -> Int64? {
        defer { lostSince = nil }
        return lostSince
    }

    /// Lets the next sweep go back to a transaction, such as after a failure of this one.
    package mutating func putBack(_ start: Int64?) {
        lostSince = [start, lostSince].compactMap(\.self).min()
    }

    /// Notes the end of a sweep.
    package mutating func noteSweep(to swept: Int64, at now: Instant) {
        past.append((now, swept))
        past.removeAll { $0.at < now - Self.lateness * 2 }
        // As long as an older transaction is open, a sweep behind a loss names a change again.
        made = made.filter { _, last in
            last.report.change > swept || last.at >= now - Self.lateness * 2
        }
    }

    /// Goes back to the beginning of a new era, whose numbers follow on that of its start.
    package mutating func goBack(to start: Int64) {
        past = past.map { ($0.at, min($0.swept, start)) }
        lostSince = lostSince.map { min($0, start) }
        made = made.filter { $0.value.report.change <= start }
        waiting = waiting.mapValues {
            Report(url: $0.url, change: min($0.change, start), start: min($0.start, start))
        }
    }

    // MARK: Reports

    /// Adds the changes that a sweep has found and clients may not know.
    ///
    /// - Parameters:
    ///   - channels: The channels that have changed.
    ///   - start: The transaction behind which clients may not know the changes.
    package mutating func want(_ channels: [ChannelNews], since start: Int64) {
        for item in channels where item.viewChange > start {
            // A lower number is news too: that of a transaction which has waited for the row.
            if let last = made[item.url]?.report, last.change == item.viewChange,
                last.start <= start
            {
                continue
            }
            waiting[item.url] = Report(
                url: item.url, change: item.viewChange,
                start: min(start, waiting[item.url]?.start ?? start))
        }
    }

    /// Returns the reports that are due, in the order of the changes.
    ///
    /// - Parameters:
    ///   - isConnected: Whether notices come at all.
    ///   - now: The present moment.
    /// - Returns: The reports.
    package func due(isConnected: Bool, at now: Instant) -> [Report] {
        let isPaced = !isConnected || isMistrusting(at: now)
        return waiting.values.filter { report in
            guard isPaced, let last = made[report.url] else { return true }
            return last.at + Self.pause <= now
        }
        .sorted { ($0.change, $0.url.rawValue) < ($1.change, $1.url.rawValue) }
    }

    /// Notes that clients were told.
    package mutating func noteReport(_ report: Report, at now: Instant) {
        // A change during the report waits for the next one.
        if waiting[report.url] == report { waiting[report.url] = nil }
        var start = report.start
        // Two reports without a gap between them tell as much as a long one.
        if let last = made[report.url]?.report, start <= last.change {
            start = min(start, last.start)
        }
        made[report.url] = (Report(url: report.url, change: report.change, start: start), now)
    }

    // MARK: Sessions

    /// Returns whether the session keys are to be compared with the database now.
    ///
    /// A loss is checked at once. While notices cannot come, any session may have ended, so checks
    /// have a pause between them, and a last one follows when notices come again.
    ///
    /// - Parameters:
    ///   - isLoss: Whether the sweep makes up for a loss.
    ///   - isBlind: Whether notices may be missing at the moment.
    ///   - now: The present moment.
    /// - Returns: Whether a check is due.
    package mutating func isSessionCheckDue(
        isLoss: Bool, isBlind: Bool, at now: Instant
    ) -> Bool {
        if isLoss || isBlind { owesSessionCheck = true }
        guard owesSessionCheck else { return false }
        return isLoss || sessionCheck.map { $0 + Self.sessionPause <= now } ?? true
    }

    /// Notes that the session keys were compared with the database.
    package mutating func noteSessionCheck(at now: Instant) {
        (owesSessionCheck, sessionCheck) = (false, now)
    }
}

extension Loss {
    /// The time for which more notices may be missing; nil if the loss is over.
    ///
    /// A host that has fallen silent may be cut off from the bus only, and write on. One that has
    /// left ends within moments.
    package var mistrust: Duration? {
        switch reason {
        case .silence: NoticeLosses.mistrustTime
        case .departure: NoticeLosses.lateness
        case .hole, .lateMeeting, .disconnection, .reconnection, .slowConsumer, .undecodable,
            .refusal:
            nil
        }
    }
}
