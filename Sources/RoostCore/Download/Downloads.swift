// SPDX-License-Identifier: Apache-2.0

// The downloads of history in progress, as the app steers and sees them.

package import RoostModel

/// The number of a download.
package struct DownloadID: Hashable, Comparable, Codable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A call of the app about a download.
package enum DownloadInput: Equatable, Codable, Sendable {
    case begin(DownloadPlan)
    /// Pauses the download after the request in progress.
    case pause
    case resume
    case cancel
}

/// The selection of history to download.
package struct DownloadPlan: Equatable, Codable, Sendable {
    /// The channels in the order of the download; nil for all channels of the user.
    package let channels: [ChannelURL]?
    package let since: Timestamp
    /// The moment to begin at, in both directions; nil for the newest message, and from it back.
    package let start: Timestamp?
    /// The pause between two requests.
    package let pause: Duration

    package init(
        channels: [ChannelURL]?, since: Timestamp, start: Timestamp? = nil, pause: Duration
    ) {
        self.channels = channels
        self.since = since
        self.start = start
        self.pause = pause
    }
}

/// The progress of a download.
package struct DownloadProgress: Equatable, Codable, Sendable {
    package enum Phase: Equatable, Codable, Sendable {
        case running
        case waitingForConnection
        case paused
        case finished
        case canceled
    }

    package var phase = Phase.running
    /// Nil until the user's channels are known.
    package var channelCount: Int?
    /// The number of channels that are complete or refused.
    package var finishedChannels = 0
    /// The number of messages fetched so far.
    package var messages = 0
    /// Nil between channels and at the end.
    package var channel: ChannelURL?
    /// The time back to which the channel is covered; nil before its first page.
    package var reached: Timestamp?
    /// The channels that the server refused for good.
    package var refused: [ChannelURL: RoostError.Code] = [:]

    package init() {}

    package var isOver: Bool { phase == .finished || phase == .canceled }
}

/// A download that has not ended.
package struct OngoingDownload: Equatable, Codable, Sendable {
    package fileprivate(set) var progress = DownloadProgress()
    /// Whether the next request waits for the download's timer.
    package fileprivate(set) var isResting = false
}

extension SyncState {
    /// Handles a call of the app about a download.
    mutating func take(_ input: DownloadInput, for id: DownloadID) {
        switch input {
        case .begin(let plan):
            guard downloads[id] == nil else { return }
            downloads[id] = OngoingDownload()
            if isClosed { return end(id, .canceled) }
            start(.download(HistoryWalk(id, plan)))
        case .pause: update(id) { $0.phase = .paused }
        case .resume:
            guard downloads[id]?.progress.phase == .paused else { return }
            update(id) { $0.phase = .running }
            wakeAll(.download(id), nil)
        case .cancel: end(id, .canceled)
        }
    }

    /// Changes the progress of a download and tells the app; nothing changes after its end.
    mutating func update(_ id: DownloadID, _ change: (inout DownloadProgress) -> Void) {
        guard let before = downloads[id]?.progress else { return }
        var progress = before
        change(&progress)
        guard progress != before else { return }
        downloads[id]?.progress = progress
        step.notices.append(.downloadChanged(id, progress))
    }

    /// Ends a download; its operation ends in the same step, or with the answer it waits for.
    mutating func end(_ id: DownloadID, _ phase: DownloadProgress.Phase) {
        guard let download = downloads[id] else { return }
        update(id) { $0.phase = phase }
        downloads[id] = nil
        if download.isResting { disarm(.download(id)) }
        wakeAll(.download(id), nil)
    }

    /// Delays the next request of a download.
    mutating func rest(_ id: DownloadID, for duration: Duration) {
        guard downloads[id] != nil, duration > .zero else { return }
        downloads[id]?.isResting = true
        arm(.download(id), for: duration)
    }

    /// Ends the rest of a download.
    mutating func endRest(of id: DownloadID) {
        guard downloads[id]?.isResting ?? false else { return }
        downloads[id]?.isResting = false
        wakeAll(.download(id), nil)
    }

    /// Wakes the downloads that wait, because a reason to wait may be gone.
    mutating func wakeDownloads() {
        for id in downloads.keys.sorted() { wakeAll(.download(id), nil) }
    }
}
