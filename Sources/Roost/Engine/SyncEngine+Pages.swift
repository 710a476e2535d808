// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Pages and gap answers: what the server states about stretches of history.

extension SyncEngine {
    /// Fetches a page, stores it with what it states, and returns the statement and how many messages came.
    @discardableResult
    func loadPage(_ fetch: PageFetch) async throws(RoostError) -> (
        statement: PageStatement, count: Int
    ) {
        guard case .page(let statement, let count) = try await run(.page(fetch)) else {
            throw .outOfStep
        }
        return (statement, count)
    }

    /// Asks what is missing after a known end, and fills it or tells the timeline.
    func fillGap(
        of timeline: Timeline, _ page: Timeline.FirstPage, from known: Position
    ) async throws(RoostError) {
        let fill = GapFill(
            timeline.channel, from: known, hasKnowledgeAbove: await timeline.hasKnowledgeAbove)
        switch try await run(.gap(fill)) {
        case .gap(.huge): await timeline.showHugeGap(page)
        case .gap(.reachedNewest): await timeline.reachedServer(page)
        default: throw .outOfStep
        }
    }

    func coverage(
        of channel: ChannelURL, under filter: MessageFilter = .everything
    ) async throws(RoostError) -> Coverage {
        do {
            return try await reader.coverage(of: channel, under: filter).value
        } catch {
            throw RoostError(error)
        }
    }
}
