// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The claim of a message on its way to a poll.
struct PollClaim: Sendable {
    let poll: Int64
    let number: Int64
}

// A poll is carried by one message.
extension Polls {
    /// Puts the poll into a message that names one, and claims it for the message.
    ///
    /// - Returns: The claim, to be released if the message is not written; nil for a message
    ///   without a new claim.
    func attach(
        to message: inout Message, by id: UserID?
    ) async throws(ServerError) -> PollClaim? {
        guard let text = message.unknownFields["poll_id"], let poll = Int64(text), poll > 0, let id
        else { return nil }
        let claim = PollClaim(poll: poll, number: Int64(world.entropy() >> 1))
        // Looked up and claimed in one step, before the message is published.
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
        // A message in the log is answered from the log.
        if let request = message.requestID,
            try await ask(
                try await storage.isKnown(request, of: id, in: message.channelURL))
        {
            return nil
        }
        throw ServerError(.notFound, "The sender has no unsent poll with this ID.")
    }

    /// Releases the claim of a message that does not carry the poll.
    func release(_ claim: PollClaim?) async {
        guard let claim else { return }
        do throws(StorageError) {
            _ = try await storage.updateDocument(claim.poll, .poll) { document in
                document.release(claim.number)
            }
        } catch {
            // The claim stays, and a repeat of the same message may still use it.
            _ = refusal(error)
        }
    }

    /// Makes a stored message the carrier of its poll.
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
