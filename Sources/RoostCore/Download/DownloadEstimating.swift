// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The estimate of a channel's missing messages.
package struct DownloadEstimating: SyncOperation {
    /// The bytes of a message on disk if no message is cached.
    private static let assumedBytes: Int64 = 400

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case counting
        case measuring(total: Int)
    }

    private let channel: ChannelURL
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.session != nil else { return .fail(.notConnected) }
            state = .counting
            return .need(.ask(.countMessages(CountMessages(channelURL: channel))))
        case (.counting, .answer(.success(.count(let total)))):
            state = .measuring(total: total)
            return .need(.read(.holding(channel)))
        case (.counting, .answer(.failure(let error))):
            // Some servers count for their own tools only.
            guard error.remedy != .retry, sync.session != nil else { return .fail(error) }
            return .end(.estimated(DownloadEstimate(missingMessages: nil, size: nil)))
        case (.measuring(let total), .read(.success(.holding(let held)))):
            return .end(.estimated(Self.estimate(of: total, besides: held)))
        default: return .fail(reply)
        }
    }

    private static func estimate(of total: Int, besides held: ChannelHolding) -> DownloadEstimate {
        let missing = max(0, max(0, total) - held.messages)
        let each = held.messages > 0 ? held.bytes / Int64(held.messages) : assumedBytes
        // The server may name any number.
        let (bytes, overflow) = Int64(missing).multipliedReportingOverflow(by: max(0, each))
        return DownloadEstimate(
            missingMessages: missing, size: ByteCount(bytes: overflow ? .max : bytes))
    }
}
