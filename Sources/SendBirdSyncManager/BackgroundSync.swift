// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

/// The download of one channel's history, in the background and into the cache only (R178 to R181).
final class BackgroundSync: Sendable {
    private let channel: ChannelURL
    private let download = Guarded<HistoryDownload?>(nil)
    private let isStopped = Guarded(false)
    /// The queue of the calls, which are performed in order: no download begins after the call that
    /// ends it.
    private let queue = WorkQueue()

    init(_ channel: ChannelURL) { self.channel = channel }

    /// Starts or continues the download to the first message of the channel.
    func resume() {
        let client = SBDMain.door.capturedClient
        add { [self] in
            if let known = download.withLock({ $0 }), await !known.isOver {
                return await known.resume()
            }
            guard !isStopped.withLock({ $0 }), let client = try? await client() else { return }
            let new = await client.download(DownloadRequest(channels: [channel]))
            download.withLock { $0 = new }
        }
    }

    func pause() {
        add { [self] in await download.withLock { $0 }?.pause() }
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
