// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// Binds a poll to the one message on its way that brings it.
struct PollClaim: Sendable {
    let poll: Int64
    let number: Int64
}

// The one message that carries a poll.
extension Polls {
    /// Puts the poll into a message that names one, which from then on no other message may carry.
    ///
    /// - Returns: What to give back unless the message comes to carry it; nil when there is nothing to.
    func attach(
        to message: inout Message, by id: UserID?
    ) async throws(ServerError) -> PollClaim? {
        guard let text = message.unknownFields["poll_id"], let poll = Int64(text), poll > 0, let id
        else { return nil }
        let claim = PollClaim(poll: poll, number: Int64(world.entropy() >> 1))
        // Decided before anybody is told of the message, in one step with looking.
        let claimed = try await ask(
            try await storage.updateDocument(poll, .poll) { [message] document in
                if document.owner == id, document.channelURL == nil {
                    document.come(with: message, claim: claim.number)
                }
            })
        let isNew = claimed?.claim == claim.number
        message.unknownFields = message.unknownFields.removing("poll_id")
        if let claimed, claimed.owner == id, isNew || claimed.mayCome(with: message) {
            message.details.poll = claimed.poll(for: nil, at: world.now())
            return isNew ? claim : nil
        }
        // One that is in the log already is answered as it stands there.
        if let request = message.requestID,
            try await ask(
                try await storage.isKnown(request, of: id, in: message.channelURL))
        {
            return nil
        }
        throw ServerError(.notFound, "There is no such poll of yours to be sent.")
    }

    /// Gives back what a message claimed that does not carry it after all.
    func release(_ claim: PollClaim?) async {
        guard let claim else { return }
        do throws(StorageError) {
            _ = try await storage.updateDocument(claim.poll, .poll) { document in
                document.release(claim.number)
            }
        } catch {
            // The same message may still come with it, and it is the one that is sent again.
            _ = refusal(error)
        }
    }

    /// Notes which message carries a poll, once it has its place.
    func carry(_ message: Message) async throws(ServerError) {
        guard let poll = message.details.poll, let id = message.messageID else { return }
        let now = world.now()
        let carried = try await ask(
            try await storage.updateDocument(poll.id, .poll) { document in
                var poll = document.poll(for: nil, at: now)
                guard document.isClaimed(for: message), poll.messageID == nil else { return }
                poll.messageID = id
                document.come(with: message)
                document = document.with(poll, at: now)
            })
        guard let poll = carried?.poll(for: nil, at: now) else { return }
        // Only one message may show a poll, because no change of the poll reaches a second one.
        try await show(poll.messageID == id ? poll : nil, in: id, of: message.channelURL)
    }
}
