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
    /// The most notices that wait in one channel; the database has the changes of more.
    package static let heldLimit = 1_000
    /// The most channels of one look for quiet ones.
    package static let forgetLimit = 1_000

    /// A question to the database.
    package struct Reading: Equatable, Sendable {
        package let url: ChannelURL
        package let start: LogStart

        package init(url: ChannelURL, start: LogStart) {
            self.url = url
            self.start = start
        }
    }

    fileprivate struct Channel {
        /// The number up to which all changes are delivered; nil if only its transaction is known.
        var delivered: Int64?
        /// The transactions whose changes are delivered.
        var baseline: Int64
        /// The highest transaction of a change that is known.
        var lastChange: Int64 = 0
        /// The changes that the database gave, in order; late notices about them are dropped.
        var read: [ClosedRange<Int64>] = []
        var held: [Int64: [Notice]] = [:]
        var heldCount = 0
        /// The highest number that the channel is known to have.
        var target: Int64 = 0
        var behindSince: Instant?
        /// The place from which the database was asked, and the target then; nil without a question.
        var asked: (start: LogStart, target: Int64)?
        var lastUse: Instant
    }

    private var channels: [ChannelURL: Channel] = [:]
    /// The channels that lack changes, so that a look for them passes over no others.
    package private(set) var behind: Set<ChannelURL> = []
    /// All channels in turn, each once, for the looks for quiet ones.
    private var turns: [ChannelURL] = []
    /// The next channel of `turns`.
    private var turn = 0
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
        // A notice from before the state: it is delivered, or was read from the database.
        guard place.change > channel.baseline else { return [] }
        defer { keep(channel, of: url) }
        channel.lastUse = now
        channel.lastChange = max(channel.lastChange, place.change)
        channel.target = max(channel.target, place.sequence)
        if channel.delivered == nil, place.previousChange <= channel.baseline {
            channel.delivered = place.first - 1
        }
        if let delivered = channel.delivered, place.sequence <= delivered {
            // A change may have several notices, for different users.
            return channel.hasRead(place.sequence) ? [] : [notice]
        }
        channel.hold(notice, place.sequence, at: now)
        let ready = channel.drain()
        channel.judge(at: now)
        return ready
    }

    /// Takes the result of a sweep.
    ///
    /// - Parameters:
    ///   - news: The channels that have changed since the last sweep.
    ///   - settled: The number up to which all transactions have ended.
    ///   - isUrgent: Whether no notices come, as without a bus.
    ///   - now: The present moment.
    package mutating func sweep(
        _ news: [ChannelNews], settled: Int64, isUrgent: Bool, at now: Instant
    ) {
        for item in news where item.logChange > swept {
            var channel = channels[item.url] ?? Channel(baseline: swept, lastUse: now)
            channel.lastUse = now
            channel.lastChange = max(channel.lastChange, item.logChange)
            channel.target = max(channel.target, item.sequence)
            channel.judge(at: isUrgent ? now - Self.patience : now)
            keep(channel, of: item.url)
        }
        swept = max(swept, settled)
        forgetQuiet(at: now)
    }

    /// Keeps the state of a channel; only here a channel begins or ceases to lack changes.
    private mutating func keep(_ channel: Channel, of url: ChannelURL) {
        let before = channels.updateValue(channel, forKey: url)
        if before == nil { turns.append(url) }
        let isBehind = channel.behindSince != nil
        guard isBehind != (before?.behindSince != nil) else { return }
        if isBehind { behind.insert(url) } else { behind.remove(url) }
    }

    /// Forgets quiet channels among the next ones in turn.
    ///
    /// A large application has 100,000 channels of the last minute. A look at all of them would
    /// hold up the server's only loop.
    private mutating func forgetQuiet(at now: Instant) {
        for _ in 0..<min(Self.forgetLimit, turns.count) {
            if turn >= turns.count { turn = 0 }
            let url = turns[turn]
            if let channel = channels[url], channel.isNeeded(behind: swept, at: now) {
                turn += 1
            } else {
                channels[url] = nil
                turns.swapAt(turn, turns.count - 1)
                turns.removeLast()
            }
        }
    }

    /// Goes back to the beginning of a new era, which gives later numbers of transactions again.
    ///
    /// Changes behind that number in the era before are gone, so nothing of the new era is known.
    package mutating func goBack(to start: Int64) {
        swept = min(swept, start)
        for (url, channel) in channels {
            channels[url]?.baseline = min(channel.baseline, start)
            channels[url]?.lastChange = min(channel.lastChange, start)
        }
    }

    /// Returns the questions to the database that are due, and notes that they are asked.
    package mutating func readings(at now: Instant, limit: Int = 64) -> [Reading] {
        let due = behind.compactMap { url -> (url: ChannelURL, since: Instant)? in
            guard let channel = channels[url], let since = channel.behindSince,
                channel.asked == nil, since.duration(to: now) >= Self.patience
            else { return nil }
            return (url, since)
        }
        // The longest wait comes first.
        let first = due.sorted { ($0.since, $0.url.rawValue) < ($1.since, $1.url.rawValue) }
        return first.prefix(limit).compactMap { url, _ in
            guard let channel = channels[url] else { return nil }
            let start = channel.start
            channels[url]?.asked = (start, channel.target)
            return Reading(url: url, start: start)
        }
    }

    /// Takes the answer to a question.
    ///
    /// The database's changes take the place of notices that wait: a message may have changed again since
    /// its notice, and a later notice may show a part of the change only.
    ///
    /// - Parameters:
    ///   - changes: The notices of each change in the answer; nil after a failure.
    ///   - url: The channel.
    ///   - through: The number up to which the answer is complete.
    ///   - isWhole: Whether the log had no change behind that number.
    ///   - now: The present moment.
    /// - Returns: The notices to deliver, in order.
    package mutating func take(
        _ changes: [(sequence: Int64, notices: [Notice])]?, of url: ChannelURL, through: Int64,
        isWhole: Bool = false, at now: Instant
    ) -> [Notice] {
        guard var channel = channels[url], let asked = channel.asked else { return [] }
        defer {
            channel.judge(at: now)
            keep(channel, of: url)
        }
        channel.asked = nil
        channel.behindSince = nil
        // After a failure, and if notices have come meanwhile, the question is asked again.
        guard let changes, asked.start == channel.start else { return [] }
        var ready: [Notice] = []
        for (sequence, notices) in changes {
            let except = channel.held[sequence]?.lazy.compactMap(\.except).first
            ready += notices.map { $0.leavingOut(except) }
        }
        channel.noteRead(through: through)
        if isWhole, through < asked.target { channel.forget(asked.target, through: through) }
        ready += channel.drain()
        return ready
    }
}

extension Notice {
    /// Returns the notice without a socket that has its answer already.
    fileprivate func leavingOut(_ session: SessionID?) -> Notice {
        guard let session, except == nil else { return self }
        var notice = Notice(
            frame: frame, recipients: recipients, room: room, except: session, subject: subject)
        notice.isOfThread = isOfThread
        return notice
    }
}

extension DeliveryOrder.Channel {
    /// Whether the state still serves: changes are missing, or notices have come of late.
    ///
    /// While an old transaction is open, `swept` stays before changes that are delivered already.
    /// Without the state they would be read and delivered again.
    fileprivate func isNeeded(behind swept: Int64, at now: DeliveryOrder.Instant) -> Bool {
        behindSince != nil || asked != nil || lastChange > swept
            || lastUse.duration(to: now) < DeliveryOrder.memory
    }

    /// The place from which changes are missing.
    fileprivate var start: LogStart {
        delivered.map { .sequence($0) } ?? .transaction(baseline)
    }

    fileprivate mutating func hold(
        _ notice: Notice, _ sequence: Int64, at now: DeliveryOrder.Instant
    ) {
        held[sequence, default: []].append(notice)
        heldCount += 1
        guard heldCount > DeliveryOrder.heldLimit else { return }
        held = [:]
        heldCount = 0
    }

    fileprivate mutating func release(_ sequence: Int64) -> [Notice]? {
        guard let notices = held.removeValue(forKey: sequence) else { return nil }
        heldCount -= notices.count
        return notices
    }

    /// Returns the notices that follow on the delivered ones.
    fileprivate mutating func drain() -> [Notice] {
        var ready: [Notice] = []
        while let last = delivered, last < .max, let next = release(last + 1) {
            ready += next
            delivered = last + 1
        }
        return ready
    }

    /// Whether the database gave a change.
    fileprivate func hasRead(_ sequence: Int64) -> Bool {
        read.contains { $0.contains(sequence) }
    }

    /// Notes that the database gave all changes up to a number.
    fileprivate mutating func noteRead(through: Int64) {
        let start = delivered.map { $0 + 1 } ?? .min
        guard through >= start else { return }
        delivered = through
        for sequence in held.keys where sequence <= through { _ = release(sequence) }
        if let last = read.last, last.upperBound + 1 == start {
            read[read.count - 1] = last.lowerBound...through
        } else {
            read.append(start...through)
        }
        // Notices are late by seconds at most.
        if read.count > 64 { read.removeFirst() }
    }

    /// Forgets a number that the log lacks, as that of a commit that went with the primary.
    fileprivate mutating func forget(_ number: Int64, through: Int64) {
        _ = release(number)
        guard target == number else { return }
        target = held.keys.reduce(through, max)
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
