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
        let page = try await changedPolls(in: url, after: known.milliseconds)
        var polls = page.polls.map { $0.poll(for: call.caller.userID, at: world.now()) }
        let sight = call.standing.sight
        if sight != .whole {
            let shown = Set(try await views.visible(polls.compactMap(\.messageID), in: url, sight))
            polls.removeAll { $0.messageID.map { !shown.contains($0) } ?? false }
        }
        let end = page.polls.last?.changedAt ?? known.milliseconds
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
            writer.field("next", ChangeToken.text(max(0, end), kind: "p"))
        }
    }

    /// Returns the first polls of a channel that changed after a time, in order, and whether there
    /// are more.
    private func changedPolls(
        in url: ChannelURL, after moment: Int64
    ) async throws(ServerError) -> (polls: [Document], hasMore: Bool) {
        let limit = Self.pollPage
        var place: (at: Int64, id: Int64) = (moment, .max)
        var polls: [Document] = []
        while true {
            try stopIfCancelled()
            let start = place
            let slice = try await ask(
                try await storage.documents(
                    .poll, in: url, changedAfter: start, limit: limit + 1))
            // Changes of one time stay in one page, because the token is a time.
            for poll in slice {
                if polls.count >= limit, let last = polls.last, last.changedAt < poll.changedAt {
                    return (polls, true)
                }
                polls.append(poll)
            }
            guard slice.count > limit, let end = slice.last else { return (polls, false) }
            place = (end.changedAt, end.id)
        }
    }

    /// The polls, with all their votes, of one page.
    private static let pollPage = 100
}
