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

    init(_ channel: ChannelURL) { self.channel = channel }

    /// Goes on, or begins, until the first message of the channel.
    func resume() {
        SBDMain.door.start { [self] in
            if let known = download.withLock({ $0 }), await !known.isOver {
                return await known.resume()
            }
            guard let client = try? await SBDMain.door.client() else { return }
            let new = await client.download(DownloadRequest(channels: [channel]))
            download.withLock { $0 = new }
        }
    }

    func pause() {
        SBDMain.door.start { [self] in await download.withLock { $0 }?.pause() }
    }

    func stop() {
        SBDMain.door.start { [self] in await download.withLock { $0 }?.cancel() }
    }
}

extension HistoryDownload {
    fileprivate var isOver: Bool { progress.state == .finished || progress.state == .canceled }
}
