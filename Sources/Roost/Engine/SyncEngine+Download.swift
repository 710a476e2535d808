// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Fetching history that nobody looks at.

extension SyncEngine {
    /// How often one request of a download is tried again on one connection.
    private static let downloadRetries = 8

    /// Bytes of a message on disk where none is known to measure.
    private static let assumedBytes: Int64 = 400

    /// Returns when there is a connection; false when the client closed before.
    func waitForConnection() async -> Bool {
        if isClosed { return false }
        if isOnline { return true }
        return await withCheckedContinuation { connectionWaiters.append($0) }
    }

    func resumeDownloads(isOnline: Bool) {
        let waiters = connectionWaiters
        connectionWaiters = []
        for waiter in waiters { waiter.resume(returning: isOnline) }
    }

    /// How long to wait until the next try after a failure; nil when there is none.
    func waitBeforeRetry(after error: RoostError, _ failures: Int) -> Duration? {
        guard error.remedy == .retry || error.mayPassWithDisk, failures <= Self.downloadRetries
        else { return nil }
        return Backoff.standard.delay(beforeAttempt: failures, entropy: world.entropy())
    }

    func rest(for duration: Duration) async {
        // Cut short or not, whoever rests looks again at what is to be done.
        _ = try? await world.clock.sleep(for: duration)
        // What is on screen goes first.
        while isOnline, machine.isCatchingUp {
            guard (try? await world.clock.sleep(for: .milliseconds(50))) != nil else { return }
        }
    }

    /// The user's channels, last written first, as the server lists them now.
    func allChannels() async throws(RoostError) -> [ChannelURL] {
        try await run(.fill(ListFill()))
        guard try await reader.isChannelListWhole else {
            throw RoostError(
                .requestFailed, remedy: .retry,
                message: "The user's channels are being fetched; the download begins after that.")
        }
        do {
            let all = try await reader.channels(
                .everything, order: .latestLastMessage, limit: .max - 1)
            return all.value.map(\.url)
        } catch {
            throw RoostError(error)
        }
    }

    /// Fetches the next page on the way from the newest message back to a moment.
    func downloadPage(
        of channel: ChannelURL, since: Timestamp, knowingEndSince connection: LinkMachine.Epoch?
    ) async throws(RoostError) -> DownloadStep {
        let page = DownloadPage(channel, since: since, knowingEndSince: connection)
        guard case .downloaded(let step) = try await run(.downloadPage(page)) else {
            throw .outOfStep
        }
        return step
    }

    func downloadEstimate(of channel: ChannelURL) async throws(RoostError) -> DownloadEstimate {
        let total: Int
        do throws(RoostError) {
            total = try await call(CountMessages(channelURL: channel))
        } catch {
            // Some servers count for their own tools only.
            guard error.remedy != .retry, isOnline else { throw error }
            return DownloadEstimate(missingMessages: nil, bytes: nil)
        }
        let known = try await holding(of: channel)
        let missing = max(0, total - known.messages)
        let each = known.messages > 0 ? known.bytes / Int64(known.messages) : Self.assumedBytes
        return DownloadEstimate(missingMessages: missing, bytes: Int64(missing) * each)
    }

    private func holding(
        of channel: ChannelURL
    ) async throws(RoostError) -> (messages: Int, bytes: Int64) {
        do {
            return try await reader.holding(of: channel).value
        } catch {
            throw RoostError(error)
        }
    }
}
