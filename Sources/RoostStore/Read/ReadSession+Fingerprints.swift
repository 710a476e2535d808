// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

extension StoreReader {
    /// The fingerprints of all that is known of a channel without a filter, oldest first.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - range: Looks at what is known of this only; nil for all.
    ///   - size: Messages in a stretch at most.
    /// - Returns: Stretches that meet where no hole is between them; one of a range without messages too.
    /// - Throws: When the file cannot be read.
    /// - Complexity: Walks the channel's rows, and reads none of their messages.
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
