// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The moment that a download begins at, and the direction of its next page.
package struct DownloadStart: Equatable, Codable, Sendable {
    package let moment: Timestamp
    /// The direction of the next page; the other one follows if this one is complete.
    package let next: PageDirection

    package init(_ moment: Timestamp, next: PageDirection) {
        self.moment = moment
        self.next = next
    }
}

extension Coverage {
    /// Returns the page that continues a download of everything since a moment; nil if all of it is
    /// covered.
    ///
    /// Without a start the download walks from the newest message back, over covered ranges, so
    /// that an interrupted download resumes. With a start the range of that moment grows at both
    /// ends. `knowsEnd` is whether the server has named the newest message since the connection was
    /// made; before that no range is known to be the last.
    package func pageToDownload(
        since: Timestamp, from start: DownloadStart? = nil, knowsEnd: Bool, limit: Int
    ) -> PageQuestion? {
        if let start { return page(from: start, since: since, knowsEnd, limit: limit) }
        guard knowsEnd else { return .newest(limit) }
        guard let newest, newest.lower != .distantPast, newest.lower.createdAt >= since else {
            return nil
        }
        return .older(than: newest.lower, limit: limit)
    }

    private func page(
        from start: DownloadStart, since: Timestamp, _ knowsEnd: Bool, limit: Int
    ) -> PageQuestion? {
        let moment = max(start.moment, since)
        guard let range = downloadedRange(around: moment, knowsEnd: knowsEnd) else {
            return .around(moment, older: limit / 2, newer: limit - limit / 2)
        }
        let isOldestCovered = range.startsHistory || range.lower.createdAt < since
        let isNewestCovered = knowsEnd && range == newest
        switch (start.next, isOldestCovered, isNewestCovered) {
        case (_, true, true): return nil
        case (.older, false, _), (.newer, false, true):
            return .older(than: range.lower, limit: limit)
        case (.newer, _, false), (.older, true, false):
            return .newer(than: range.upper, limit: limit)
        }
    }

    /// Returns the range that a download from a moment extends; nil if the moment is in a hole.
    ///
    /// No message is behind the newest range if the server has named its end, so that range is the
    /// one of every later moment.
    private func downloadedRange(around moment: Timestamp, knowsEnd: Bool) -> CoveredRange? {
        let position = Position(createdAt: moment, messageID: MessageID(.min))
        if let range = range(containing: position) { return range }
        guard knowsEnd, let newest, newest.upper < position else { return nil }
        return newest
    }
}
