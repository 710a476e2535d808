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
        let limit = 100
        let changed = try await changedPolls(in: url, after: known.milliseconds)
        var page = changed.prefix(limit)
        // Changes of one time stay in one page, because the token is a time.
        if let last = page.last?.at {
            page = changed.prefix { $0.at <= last }
        }
        let ids = page.map(\.id)
        let found = try await ask(try await storage.documents(.poll, among: ids))
        var polls = found.sorted { $0.changedAt < $1.changedAt }
            .map { $0.poll(for: call.caller.userID, at: world.now()) }
        let sight = call.standing.sight
        if sight != .whole {
            let shown = Set(try await views.visible(polls.compactMap(\.messageID), in: url, sight))
            polls.removeAll { $0.messageID.map { !shown.contains($0) } ?? false }
        }
        let end = page.last?.at ?? known.milliseconds
        let hasMore = changed.count > page.count
        return APIResponse { [polls] writer in
            writer.array("updated") { writer in
                for poll in polls where poll.status != .removed {
                    writer.object { writer in writer.fields(of: poll) }
                }
            }
            writer.array("deleted") { writer in
                for poll in polls where poll.status == .removed { writer.int(poll.id) }
            }
            writer.field("has_more", hasMore)
            writer.field("next", ChangeToken.text(max(0, end), kind: "p"))
        }
    }

    /// Returns the polls of a channel that changed after a time, in order, without their contents.
    private func changedPolls(
        in url: ChannelURL, after moment: Int64
    ) async throws(ServerError) -> [(id: Int64, at: Int64)] {
        var changed: [(id: Int64, at: Int64)] = []
        var last: Int64 = 0
        while true {
            try stopIfCancelled()
            let start = last
            let slice = try await ask(
                try await storage.documents(
                    .poll, of: nil, in: url, after: start, limit: Self.pollSlice))
            for poll in slice where poll.changedAt > moment {
                changed.append((poll.id, poll.changedAt))
            }
            guard slice.count == Self.pollSlice, let end = slice.last?.id else { break }
            last = end
        }
        return changed.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
    }

    /// The polls, with all their votes, that are in memory at a time.
    private static let pollSlice = 50
}
