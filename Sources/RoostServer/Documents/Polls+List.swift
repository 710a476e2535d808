// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension Polls {
    /// The polls that one call of a list reads; a user who has left a channel may have many in it.
    private static let listedDocuments = 500

    /// Answers with the polls of the channel that the call names, as far as the caller sees them.
    ///
    /// Without a channel the answer has the caller's own polls, without those in channels that the
    /// caller cannot read; the platform sees all polls. A page may be short, or empty, and have a
    /// next one.
    func listPolls(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (viewer, limit) = (call.caller.userID, try call.fields.int("limit", in: 1...100) ?? 20)
        let channel = call.fields.string("channel_url")
            .flatMap { $0.isEmpty ? nil : ChannelURL($0) }
        if let channel {
            try await admission.admit(.reader, AccessTarget(channel: channel), call.caller)
        }
        let owner = channel == nil ? viewer : nil
        var last = try call.fields.int64("token") ?? 0
        var polls: [Poll] = []
        var (hasMore, left) = (true, Self.listedDocuments)
        while hasMore, polls.count < limit, left > 0 {
            try stopIfCancelled()
            let (start, wanted) = (last, min(limit - polls.count, Self.documentsAtOnce))
            left -= wanted
            let found = try await ask(
                try await storage.documents(
                    .poll, of: owner, in: channel, after: start, limit: wanted + 1))
            hasMore = found.count > wanted
            for document in found.prefix(wanted) {
                last = document.id
                guard try await isShown(document, to: call.caller) else { continue }
                polls.append(document.poll(for: viewer, at: world.now()))
            }
        }
        let (shown, next) = (polls, hasMore ? String(last) : "")
        return APIResponse { writer in
            writer.array("polls") { writer in
                for poll in shown { writer.object { writer in writer.fields(of: poll) } }
            }
            writer.field("next", next)
        }
    }

    /// Whether a caller may look up a poll.
    private func isShown(
        _ document: Document, to caller: APICaller
    ) async throws(ServerError) -> Bool {
        guard document.channelURL != nil else { return true }
        var target = AccessTarget()
        target.poll = document.id
        do throws(ServerError) {
            try await admission.admit(.poll, target, caller)
            return true
        } catch {
            guard error.code != .internalServerError else { throw error }
            return false
        }
    }
}
