// SPDX-License-Identifier: Apache-2.0

// The walk of a download through channels and pages.
//
// One request is made at a time. Before each request the walk waits while the app has paused it,
// without a connection, during the rest between two requests, and while open timelines catch up.
// All these waits are one state: each event that ends one of the reasons wakes the walk, and the
// walk looks at all of them again.

package import RoostModel

/// The download of all selected channels, each from its newest message back, or from a start in
/// both directions.
package struct HistoryWalk: SyncOperation {
    /// The number of retries of one request on one connection.
    private static let retryLimit = 8

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case waiting
        case fillingList
        case readingList
        case fetching(ChannelURL)
    }

    private let id: DownloadID
    private let request: DownloadRequest
    /// The selected channels; nil until they are known.
    private var channels: [ChannelURL]?
    /// The place of the present channel.
    private var place = 0
    /// The connection of the last request.
    private var epoch: LinkMachine.Epoch?
    /// The number of failures in a row of one request on that connection.
    private var failures = 0
    /// The connection on which the server has named the channel's newest message.
    private var knownEnd: LinkMachine.Epoch?
    /// The pages of the channel on that connection.
    ///
    /// Live messages may lead a download over the same stretch again, so only the walk's own steps
    /// are places.
    private var pages = PageWalk<Int, Timestamp>(from: nil, pageLimit: .max)
    private var pageCount = 0
    private var state = State.beginning

    package init(_ id: DownloadID, _ request: DownloadRequest) {
        self.id = id
        self.request = request
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard sync.downloads[id] != nil else { return .end(.done) }
        switch (state, reply) {
        case (.beginning, .begin):
            guard let chosen = request.channels else { return goOn(&sync) }
            return begin(chosen, &sync)
        case (.waiting, .woken): return goOn(&sync)
        case (.fillingList, .ended(.done)):
            state = .readingList
            return .need(.read(.everyChannel))
        case (.readingList, .read(.success(.channels(let list)))):
            guard list.isWhole else { return recover(from: .partialList, &sync) }
            failures = 0
            return begin(list.channels.map(\.url), &sync)
        case (.fetching(let channel), .ended(.downloaded(let step))):
            return take(step, of: channel, &sync)
        case (.fillingList, _), (.readingList, _), (.fetching, _):
            return recover(from: reply.error, &sync)
        case (.beginning, _), (.waiting, _):
            sync.end(id, .canceled)
            return .fail(reply)
        }
    }

    /// Begins with the first channel.
    private mutating func begin(_ channels: [ChannelURL], _ sync: inout SyncState) -> Step {
        self.channels = channels
        sync.update(id) { $0.channelCount = channels.count }
        return visit(&sync)
    }

    /// Goes to the present channel, or ends behind the last one.
    private mutating func visit(_ sync: inout SyncState) -> Step {
        (knownEnd, failures) = (nil, 0)
        pages = PageWalk(from: nil, pageLimit: .max)
        guard let channel else {
            sync.update(id) { $0.channel = nil }
            sync.end(id, .finished)
            return .end(.done)
        }
        sync.update(id) { ($0.channel, $0.reached) = (channel, nil) }
        return goOn(&sync)
    }

    private var channel: ChannelURL? {
        guard let channels, channels.indices.contains(place) else { return nil }
        return channels[place]
    }

    private mutating func leaveChannel(_ sync: inout SyncState) -> Step {
        place += 1
        sync.update(id) { $0.finishedChannels += 1 }
        return visit(&sync)
    }

    // MARK: Requests

    /// Makes the next request, or waits.
    private mutating func goOn(_ sync: inout SyncState) -> Step {
        guard let download = sync.downloads[id] else { return .end(.done) }
        state = .waiting
        let wait = Step.need(.wait(.download(id)))
        if download.progress.state == .paused { return wait }
        guard let session = sync.session else {
            sync.update(id) { $0.state = .waitingForConnection }
            return wait
        }
        sync.update(id) { $0.state = .running }
        // Open timelines go first.
        if download.isResting || sync.isCatchingUp { return wait }
        if epoch != session.epoch { (epoch, failures) = (session.epoch, 0) }
        if let channel {
            state = .fetching(channel)
            return .need(
                .run(
                    .downloadPage(
                        DownloadPage(
                            channel, since: request.since, from: start,
                            knowingEndSince: knownEnd))))
        }
        // The list has one walk at a time, and its end wakes the download.
        if session.isFilling { return wait }
        state = .fillingList
        return .need(.run(.fill(ListFill())))
    }

    /// The start of the next page; the directions take turns, the older one first.
    private var start: DownloadStart? {
        request.fixedStart.map {
            DownloadStart($0, next: pageCount.isMultiple(of: 2) ? .newer : .older)
        }
    }

    private mutating func take(
        _ step: DownloadStep, of channel: ChannelURL, _ sync: inout SyncState
    ) -> Step {
        failures = 0
        guard let reached = step.reached else { return leaveChannel(&sync) }
        // A new connection leads to the newest message again.
        if let connection = step.connection, knownEnd != connection {
            pages = PageWalk(from: nil, pageLimit: .max)
            knownEnd = connection
        }
        pageCount += 1
        sync.update(id) {
            $0.messages += max(step.added, 0)
            $0.reached = reached
        }
        guard pages.goesOn(to: pageCount, after: [step.reachedNewer ?? reached]) else {
            sync.update(id) { $0.refused[channel] = .malformedData }
            return leaveChannel(&sync)
        }
        sync.rest(id, for: request.pause)
        return goOn(&sync)
    }

    /// Repeats a failed request, or gives the channel up.
    private mutating func recover(from error: RoostError, _ sync: inout SyncState) -> Step {
        // The connection of the request is lost: the next one makes it again.
        guard sync.isPresent(epoch) else { return goOn(&sync) }
        failures += 1
        if error.remedy == .retry || error.mayPassWithDisk, failures <= Self.retryLimit {
            sync.rest(
                id,
                for: Backoff.standard.wait(
                    beforeAttempt: failures, entropy: sync.random.next()))
            return goOn(&sync)
        }
        guard let channel else {
            sync.end(id, .canceled)
            return .end(.done)
        }
        sync.update(id) { $0.refused[channel] = error.code }
        return leaveChannel(&sync)
    }
}

extension RoostError {
    fileprivate static let partialList = RoostError(
        .requestFailed, remedy: .retry,
        message: "The user's channels are being fetched; the download begins after that.")
}
