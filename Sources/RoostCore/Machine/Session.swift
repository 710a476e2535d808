// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The state of one connection; losing the connection drops it whole.
package struct Session: Codable, Sendable {
    /// The number of the connection, by which late answers of an earlier one are recognised (scar
    /// 134).
    package let epoch: LinkMachine.Epoch
    package internal(set) var login: LoginSuccess
    /// The moment up to which the frames of this connection have come; nil if the server names no
    /// time of the login.
    package var frameClock: FrameClock?
    /// The ends of the channels whose newest message the server has named; later ones come live.
    ///
    /// A channel is complete at its end only while its newest covered range reaches this position.
    package private(set) var liveEnds: [ChannelURL: Position] = [:]
    /// The commits after which a channel's coverage reached further than before.
    ///
    /// A later one that reaches as far replaces an earlier one, so the older ones reach further.
    private var rises: [ChannelURL: [Rise]] = [:]
    /// The number of all rises so far.
    package private(set) var riseCount = 0

    /// The greatest number of older rises of a channel.
    ///
    /// Each is higher than the last one, because the cache has lost the messages there.
    private static let keptRises = 4

    private struct Rise: Codable, Sendable {
        let place: Position
        let number: Int
    }

    /// The server's counts of the messages in holes, until a hole changes.
    package internal(set) var holeSizes = HoleSizes()
    /// Whether the server counts the messages of single stretches; true until it refuses.
    var countsStretches = true
    /// Ends of channels after which no message is missing, by the server's count of messages.
    ///
    /// A deletion among them that is reported after the answer makes the count wrong.
    package var gapEnds: [ChannelURL: Position] = [:]
    var absences = Absences()
    var answeredReactions = AnsweredReactions()
    /// The channels that the server has described in look-ups.
    package var lookedUp: Set<ChannelURL> = []
    /// Whether the change log of the user's channels has been read.
    package var isChannelLogRead = false
    /// Whether the walk through the list of the user's channels is running.
    package var isFilling = false
    /// Whether the walk has come to the end of the list.
    var isFilled = false
    /// The number of channels that the walk has fetched.
    var fetchedChannels = 0
    /// The number of channels that were caught up.
    var finishedCatchUps = 0

    package init(epoch: LinkMachine.Epoch, login: LoginSuccess, now: Timestamp) {
        self.epoch = epoch
        self.login = login
        frameClock = loginAt.map { FrameClock(since: $0, now: now) }
    }

    /// Notes the position of a channel's newest message.
    package mutating func noteEnd(of channel: ChannelURL, at end: Position) {
        liveEnds[channel] = end
    }

    /// Notes a commit: the end of a channel that is caught up goes up with its coverage.
    mutating func noteCoverage(after change: MessagesChange) {
        if change.cutThrough != nil { holeSizes.drop(change.channel) }
        guard let end = change.coverageAfter.newest?.upper else { return }
        if end > change.coverageBefore.newest?.upper ?? .distantPast {
            riseCount += 1
            let higher = rises[change.channel, default: []].filter { $0.place > end }
            let rise = Rise(place: end, number: riseCount)
            rises[change.channel] = higher.suffix(Self.keptRises) + [rise]
        }
        guard let known = liveEnds[change.channel], end > known else { return }
        liveEnds[change.channel] = end
    }

    /// Returns the highest end of a channel's coverage after a number of rises; nil for none.
    ///
    /// The cache may have lost the messages there since then, also to another process.
    package func risenEnd(of channel: ChannelURL, since count: Int) -> Position? {
        // The higher ones are the older ones.
        rises[channel]?.first { $0.number > count }?.place
    }

    /// Notes that messages of a channel may be missing at its end.
    mutating func loseEnd(of channel: ChannelURL) { liveEnds[channel] = nil }

    /// Notes that messages may be missing at the end of any channel.
    mutating func loseEnds() { liveEnds = [:] }

    /// The server's time of the login; nil if it is absent or impossible.
    package var loginAt: Timestamp? { login.loginAt.flatMap { $0.isOfMessages ? $0 : nil } }
}

/// The moment up to which the frames of one connection have come.
package struct FrameClock: Equatable, Codable, Sendable {
    private let loginAt: Timestamp
    /// The login by the device's clock.
    private let beganAt: Timestamp
    package private(set) var until: Timestamp

    /// The greatest difference between the clocks of one service: an hour.
    private static let clockSlackMS: Int64 = 3_600_000

    package init(since loginAt: Timestamp, now: Timestamp) {
        (self.loginAt, beganAt, until) = (loginAt, now, loginAt)
    }

    /// Notes a frame by the server's clock.
    ///
    /// The moment grows by no more than the time since the login. Otherwise one message dated in
    /// the future would hide all changes until then.
    package mutating func note(_ moment: Timestamp, now: Timestamp) {
        until = max(until, min(moment, present(now: now)))
    }

    /// Returns whether a moment is in the future of the server's clock, by more than the clocks may
    /// differ.
    package func isAhead(_ moment: Timestamp, now: Timestamp) -> Bool {
        moment > present(now: now).advanced(by: Self.clockSlackMS)
    }

    /// Returns the server's present time, computed with the device's clock since the login.
    private func present(now: Timestamp) -> Timestamp {
        loginAt.advanced(by: max(now.milliseconds(since: beganAt), 0))
    }
}
