// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

// The downloads of history: their handles, and the notices for them.

extension SyncEngine {
    /// Starts a download; a closed client's is canceled from the beginning.
    func download(_ request: DownloadRequest) -> HistoryDownload {
        lastDownload += 1
        let id = DownloadID(lastDownload)
        let download = HistoryDownload(request, id, engine: self)
        downloads[id] = download.feed
        receive(.download(id, .begin(DownloadPlan(request))))
        if isClosed { receive(.download(id, .cancel)) }
        return download
    }

    /// Tells the readers of a download of its progress.
    func tell(_ progress: DownloadProgress, of id: DownloadID) {
        downloads[id]?.publish(progress)
        if progress.isOver { downloads[id] = nil }
    }

    func downloadEstimate(of channel: ChannelURL) async throws(RoostError) -> DownloadEstimate {
        let outcome = try await run(.downloadEstimating(DownloadEstimating(channel)))
        guard case .estimated(let size) = outcome else { throw .outOfStep }
        return DownloadEstimate(missingMessages: size.messages, bytes: size.bytes)
    }
}

extension DownloadPlan {
    fileprivate init(_ request: DownloadRequest) {
        self.init(channels: request.channels, since: request.since, pause: request.pause)
    }
}
