// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

/// The download of one channel's history from a viewpoint in both directions, in the background and
/// into the cache only (R177 to R181).
final class BackgroundSync: Sendable {
    /// The user at the creation; nil if none had logged in.
    let account = SBDMain.door.account
    private let channel: ChannelURL
    private let viewpoint: Guarded<Timestamp>
    private let download = Guarded<HistoryDownload?>(nil)
    private let isStopped = Guarded(false)
    /// The queue of the calls, which are performed in order: no download begins after the call that
    /// ends it.
    private let queue = WorkQueue()

    init(_ channel: ChannelURL, at viewpoint: Int64) {
        self.channel = channel
        self.viewpoint = Guarded(Timestamp(milliseconds: viewpoint))
    }

    /// Starts or continues the download of all messages of the channel; without effect after the
    /// login of another user.
    func resume() {
        // The client first: one that was captured before another login is the former user's.
        let client = SBDMain.door.capturedClient
        guard account == nil || account == SBDMain.door.account else { return }
        add { [self] in
            if let known = download.withLock({ $0 }), await !known.isOver {
                return await known.resume()
            }
            guard !isStopped.withLock({ $0 }), let client = try? await client() else { return }
            let new = await client.download(
                DownloadRequest(channels: [channel], startingAt: viewpoint.withLock { $0 }))
            download.withLock { $0 = new }
        }
    }

    func pause() {
        add { [self] in await download.withLock { $0 }?.pause() }
    }

    /// Moves the start to another viewpoint; the next `resume` downloads from there.
    func move(to viewpoint: Int64) {
        let new = Timestamp(milliseconds: viewpoint)
        add { [self] in
            let old = self.viewpoint.withLock { viewpoint in
                defer { viewpoint = new }
                return viewpoint
            }
            guard old != new else { return }
            let known = download.withLock { download in
                defer { download = nil }
                return download
            }
            await known?.cancel()
        }
    }

    /// Ends the download for good.
    func stop() {
        isStopped.withLock { $0 = true }
        add { [self] in await download.withLock { $0 }?.cancel() }
    }

    private func add(_ work: @escaping @Sendable () async -> Void) {
        queue.add(on: SBDMain.door, work)
    }
}

extension HistoryDownload {
    fileprivate var isOver: Bool {
        get async { [.finished, .canceled].contains(await progress.state) }
    }
}
