// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

extension StoreReader {
    /// Returns the fingerprints of a channel's coverage without a filter, oldest first.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - range: The range to read; nil for all.
    ///   - size: The highest number of messages in a stretch.
    /// - Returns: Adjacent stretches where there is no hole; also one of a range without messages.
    /// - Throws: If the file cannot be read.
    /// - Complexity: Walks the channel's rows, without decoding messages.
    package func stretches(
        of channel: ChannelURL, in range: CoveredRange? = nil, size: Int
    ) async throws(StoreError) -> Snapshot<[CachedStretch]> {
        try await snapshot { session throws(SQLiteError) in
            guard let row = try session.channelRow(channel) else { return [] }
            var stretches: [CachedStretch] = []
            for known in try session.coverage(ofRow: row).ranges {
                let lower = max(known.lower, range?.lower ?? .distantPast)
                let upper = min(known.upper, range?.upper ?? .distantFuture)
                if lower <= upper {
                    stretches += try session.stretches(ofRow: row, lower, upper, size: size)
                }
            }
            return stretches
        }
    }
}

extension ReadSession {
    fileprivate func stretches(
        ofRow row: Int64, _ lower: Position, _ upper: Position, size: Int
    ) throws(SQLiteError) -> [CachedStretch] {
        var stretches: [CachedStretch] = []
        var (start, end) = (lower, lower)
        var fingerprint = MessageFingerprint()
        let all = MessageStretch(channelRow: row, lower: lower, upper: upper)
        try connection.forEach(.messageEdits, all) { edit in
            if fingerprint.count == size {
                stretches.append(
                    CachedStretch(lower: start, upper: end, fingerprint: fingerprint))
                (start, fingerprint) = (end.next, MessageFingerprint())
            }
            fingerprint.add(edit.place, editedAt: edit.editedAt)
            end = edit.place
        }
        stretches.append(CachedStretch(lower: start, upper: upper, fingerprint: fingerprint))
        return stretches
    }
}
