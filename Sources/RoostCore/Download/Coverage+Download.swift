// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension Coverage {
    /// The page that continues a download of everything since a moment; nil when all of it is known.
    ///
    /// It walks from the newest message back, over everything that is known already, so that a download
    /// that was cut goes on where it ended. `knowsEnd` says that the server has told the newest message
    /// since the connection was made; before that no range is known to be the last.
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
