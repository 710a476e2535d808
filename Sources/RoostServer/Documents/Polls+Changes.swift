// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// The change log of polls.
extension Polls {
    /// Answers with the polls of a channel that changed since a time; a page that is not full is
    /// the last.
    func pollChanges(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let token = call.fields.string("token") ?? ""
        // The time of the last known change; the next change is later.
        let known =
            token.isEmpty
            ? try call.fields.moment("change_ts")?.advanced(by: -1) ?? .distantPast
            : Timestamp(milliseconds: try ChangeToken.sequence(token, kind: "p"))
        let page = try await changedPolls(
            in: url, after: known.milliseconds, for: call.caller.userID)
        var polls = page.polls
        let sight = call.standing.sight
        if sight != .whole {
            let shown = Set(try await views.visible(polls.compactMap(\.messageID), in: url, sight))
            polls.removeAll { $0.messageID.map { !shown.contains($0) } ?? false }
        }
        return APIResponse { [polls, page] writer in
            writer.array("updated") { writer in
                for poll in polls where poll.status != .removed {
                    writer.object { writer in writer.fields(of: poll) }
                }
            }
            writer.array("deleted") { writer in
                for poll in polls where poll.status == .removed { writer.int(poll.id.rawValue) }
            }
            writer.field("has_more", page.hasMore)
            writer.field("next", ChangeToken.text(max(0, page.end), kind: "p"))
        }
    }

    /// Returns the first polls of a channel that changed after a time, in order, with the time of
    /// the last change, and whether there are more.
    private func changedPolls(
        in url: ChannelURL, after moment: Int64, for viewer: UserID?
    ) async throws(ServerError) -> (polls: [Poll], end: Int64, hasMore: Bool) {
        let (limit, now) = (Self.documentsAtOnce, world.now())
        var place: (at: Int64, id: Int64) = (moment, .max)
        var polls: [Poll] = []
        while true {
            try stopIfCancelled()
            let start = place
            let slice = try await ask(
                try await storage.documents(.poll, in: url, changedAfter: start, limit: limit))
            // Changes of one time stay in one page, because the token is a time.
            for document in slice {
                if polls.count >= Self.pollPage, place.at < document.changedAt {
                    return (polls, place.at, true)
                }
                polls.append(document.poll(for: viewer, at: now))
                place = (document.changedAt, document.id)
            }
            guard slice.count == limit else { return (polls, place.at, false) }
        }
    }

    /// The polls of one page.
    private static let pollPage = 100
}
