// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension Coverage {
    /// Returns the page that continues a download of everything since a moment; nil if all of it is
    /// covered.
    ///
    /// The download walks from the newest message back, over covered ranges, so that an interrupted
    /// download resumes. `knowsEnd` is whether the server has named the newest message since the
    /// connection was made; before that no range is known to be the last.
    package func pageToDownload(
        since: Timestamp, knowsEnd: Bool, limit: Int
    ) -> PageQuestion? {
        guard knowsEnd else { return .around(.distantFuture, older: limit, newer: 0) }
        guard let newest, newest.lower != .distantPast, newest.lower.createdAt >= since else {
            return nil
        }
        return .older(than: newest.lower, limit: limit)
    }
}
