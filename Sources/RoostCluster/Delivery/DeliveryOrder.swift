// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostServer

/// The order in which one server delivers the notices about channels' logs.
///
/// Notices come from several servers, so they may come out of order, or not at all. A channel's changes
/// are numbered without holes: a notice is delivered when all changes before it were. A hole that lasts
/// is read from the database, and so is a change that only a sweep over the database shows.
package struct DeliveryOrder: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// The wait for the missing notices of a hole, after which the database is asked.
    package static let patience = Duration.milliseconds(50)
    /// The time after which the state of a quiet channel is forgotten.
    package static let memory = Duration.seconds(60)
    /// The most notices that wait in one channel; with more, the database is asked at once.
    package static let heldLimit = 1_000

    /// A question to the database.
    package struct Reading: Equatable, Sendable {
        package let url: ChannelURL
        package let start: LogStart
    }

    fileprivate struct Channel {
        /// The number up to which all changes are delivered; nil if only its transaction is known.
        var delivered: Int64?
        /// The transactions whose changes are delivered.
        let baseline: Int64
        /// The changes that the database gave; late notices about them are dropped.
        var read: [ClosedRange<Int64>] = []
        var held: [Int64: [Notice]] = [:]
        var heldCount = 0
        /// The highest number that the channel is known to have.
        var target: Int64 = 0
        var behindSince: Instant?
        var isReading = false
        var lastUse: Instant
    }

    private var channels: [ChannelURL: Channel] = [:]
    /// The transactions whose changes are delivered or known to be missing.
    package private(set) var swept: Int64

    /// Makes the order of a server that starts now.
    ///
    /// - Parameter swept: The number up to which all transactions have ended.
    package init(swept: Int64) { self.swept = swept }

    /// The number of channels whose state is kept.
    package var count: Int { channels.count }

    /// Takes a notice.
    ///
    /// - Returns: The notices to deliver, in order.
    package mutating func take(_ notice: Notice, _ place: LogPlace, at now: Instant) -> [Notice] {
        let url = place.channel
        var channel = channels[url] ?? Channel(baseline: swept, lastUse: now)
        defer { channels[url] = channel }
        channel.lastUse = now
        channel.target = max(channel.target, place.sequence)
        if channel.delivered == nil, place.previousChange <= channel.baseline {
            channel.delivered = place.first - 1
        }
        if let delivered = channel.delivered, place.sequence <= delivered {
            // A change may have several notices, for different users.
            return channel.read.contains { $0.contains(place.sequence) } ? [] : [notice]
        }
        channel.hold(notice, place.sequence)
        let ready = channel.drain()
        channel.judge(at: now)
        return ready
    }

    /// Takes the result of a sweep.
    ///
    /// - Parameters:
    ///   - news: The channels that have changed since the last sweep.
    ///   - through: The number up to which all transactions have ended.
    ///   - isUrgent: Whether no notices come, as without a bus.
    ///   - now: The present moment.
    package mutating func sweep(
        _ news: [ChannelNews], through: Int64, isUrgent: Bool, at now: Instant
    ) {
        for item in news where item.logChange > swept {
            var channel = channels[item.url] ?? Channel(baseline: swept, lastUse: now)
            channel.lastUse = now
            channel.target = max(channel.target, item.sequence)
            channel.judge(at: isUrgent ? now - Self.patience : now)
            channels[item.url] = channel
        }
        swept = max(swept, through)
        channels = channels.filter { _, channel in
            channel.behindSince != nil || channel.isReading
                || channel.lastUse.duration(to: now) < Self.memory
        }
    }

    /// Returns the questions to the database that are due, and notes that they are asked.
    package mutating func readings(at now: Instant, limit: Int = 64) -> [Reading] {
        let due = channels.filter { _, channel in
            guard let since = channel.behindSince, !channel.isReading else { return false }
            return since.duration(to: now) >= Self.patience || channel.heldCount > Self.heldLimit
        }
        return due.keys.sorted { $0.rawValue < $1.rawValue }.prefix(limit).compactMap { url in
            guard var channel = channels[url] else { return nil }
            channel.isReading = true
            channels[url] = channel
            return Reading(
                url: url,
                start: channel.delivered.map { .sequence($0) } ?? .transaction(channel.baseline))
        }
    }

    /// Takes the answer to a question.
    ///
    /// - Parameters:
    ///   - changes: The notices of each change in the answer; nil after a failure.
    ///   - url: The channel.
    ///   - through: The number up to which the answer is complete; the highest there is if the channel
    ///     is deleted.
    ///   - now: The present moment.
    /// - Returns: The notices to deliver, in order.
    package mutating func take(
        _ changes: [(sequence: Int64, notices: [Notice])]?, of url: ChannelURL, through: Int64,
        at now: Instant
    ) -> [Notice] {
        guard var channel = channels[url] else { return [] }
        // A deleted channel has no log; a new one of the URL begins anew.
        guard through < .max else {
            channels[url] = nil
            return []
        }
        defer { channels[url] = channel }
        channel.isReading = false
        guard let changes else {
            // The question is asked again after the patience.
            channel.behindSince = now
            return []
        }
        var ready: [Notice] = []
        let start = channel.delivered ?? .min
        for (sequence, notices) in changes where sequence > start {
            // A notice that waits here has come from the change's own server.
            ready += channel.release(sequence) ?? notices
        }
        if through > start {
            channel.noteRead(start, through)
            channel.delivered = through
            channel.forgetHeld(through: through)
        }
        ready += channel.drain()
        channel.behindSince = nil
        channel.judge(at: now)
        return ready
    }
}

extension DeliveryOrder.Channel {
    fileprivate mutating func hold(_ notice: Notice, _ sequence: Int64) {
        held[sequence, default: []].append(notice)
        heldCount += 1
    }

    fileprivate mutating func release(_ sequence: Int64) -> [Notice]? {
        guard let notices = held.removeValue(forKey: sequence) else { return nil }
        heldCount -= notices.count
        return notices
    }

    /// Drops the notices about changes whose messages changed again: the later change shows them.
    fileprivate mutating func forgetHeld(through sequence: Int64) {
        for key in held.keys where key <= sequence { _ = release(key) }
    }

    /// Returns the notices that follow on the delivered ones.
    fileprivate mutating func drain() -> [Notice] {
        var ready: [Notice] = []
        while let last = delivered, let next = release(last + 1) {
            ready += next
            delivered = last + 1
        }
        return ready
    }

    /// Notes the changes that the database gave.
    fileprivate mutating func noteRead(_ start: Int64, _ through: Int64) {
        read.append((start == .min ? start : start + 1)...through)
        // Notices are late by seconds at most.
        if read.count > 16 { read.removeFirst() }
    }

    /// Notes since when changes are missing.
    fileprivate mutating func judge(at now: DeliveryOrder.Instant) {
        if (delivered ?? .min) >= target {
            behindSince = nil
        } else {
            behindSince = min(behindSince ?? now, now)
        }
    }
}
