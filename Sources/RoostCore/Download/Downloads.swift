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
    case begin(DownloadRequest)
    /// Pauses the download after the request in progress.
    case pause
    case resume
    case cancel
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
        case .begin(let request):
            guard downloads[id] == nil else { return }
            downloads[id] = OngoingDownload()
            if isClosed { return end(id, .canceled) }
            start(.download(HistoryWalk(id, request)))
        case .pause: update(id) { $0.state = .paused }
        case .resume:
            guard downloads[id]?.progress.state == .paused else { return }
            update(id) { $0.state = .running }
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
    mutating func end(_ id: DownloadID, _ state: DownloadProgress.State) {
        guard let download = downloads[id] else { return }
        update(id) { $0.state = state }
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
