// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension History {
    /// Answers with the fingerprints of ranges of the log.
    func fingerprints(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let found = try await fingerprints(
            of: try FingerprintMessages.stretches(call.fields), in: call.channelURL,
            call.standing)
        return APIResponse { writer in FingerprintMessages.write(found, &writer) }
    }

    /// Returns the fingerprints of the first ranges as the caller sees them.
    ///
    /// The answer ends behind the range that reaches the bound of bytes, so it always has one.
    private func fingerprints(
        of stretches: [FingerprintMessages.Stretch], in url: ChannelURL, _ standing: Standing
    ) async throws(ServerError) -> [MessageFingerprint] {
        let offset = standing.sight.beginning
        var found: [MessageFingerprint] = []
        let limit = configuration.limits.fingerprintBytes
        var bytes = 0
        defer {
            rates.note(
                user: standing.caller.userID, count: bytes / RequestRates.chargedReadBytes)
        }
        for stretch in stretches where bytes < limit {
            // By position: messages of the two moments may lie outside the stretch.
            let (lower, upper) = (stretch.lower, stretch.upper)
            let range = PositionRange(
                after: Position(createdAt: lower.createdAt, messageID: lower.messageID.previous),
                before: Position(createdAt: upper.createdAt, messageID: upper.messageID.next))
            var fingerprint = MessageFingerprint()
            try await walk(
                url, range.hiding(through: offset), atMost: FingerprintMessages.countLimit + 1
            ) { message in
                bytes += message.weight
                guard let place = message.position else { return }
                fingerprint.add(place, editedAt: message.updatedAt)
            }
            found.append(fingerprint)
        }
        return found
    }

    /// Calls a closure with the messages of a range, oldest first; few of them are in memory at a
    /// time.
    func walk(
        _ url: ChannelURL, _ range: PositionRange, atMost limit: Int,
        _ body: (Message) -> Void
    ) async throws(ServerError) {
        var (range, left) = (range, limit)
        while left > 0 {
            try stopIfCancelled()
            let (stretch, count) = (range, min(left, Self.gapSlice))
            let slice = try await ask(
                try await storage.messages(
                    in: url, stretch, .everything, newestFirst: false, limit: count))
            for message in slice { body(message) }
            guard slice.count == count, let last = slice.last?.position else { return }
            range.after = last
            left -= count
        }
    }
}
