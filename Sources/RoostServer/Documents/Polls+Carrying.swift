// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A poll's reservation for a message that is not stored yet.
struct PollClaim: Sendable {
    /// The ID of the poll.
    let poll: Int64
    /// A random number, by which `release` recognises the claim.
    let number: Int64
}

// A poll is carried by one message, which has a copy of it. The message claims the poll before it
// is stored (`attach`), and becomes its carrier afterwards (`carry`). A message that could not be
// stored loses its claim (`release`).
extension Polls {
    /// Puts the poll into a message that names one, and claims it for the message.
    ///
    /// - Returns: The claim, to be released if the message is not written; nil for a message
    ///   without a new claim.
    /// - Throws: `.notFound` if the sender has no such poll, or another message has claimed it.
    func attach(
        to message: inout Message, by id: UserID?
    ) async throws(ServerError) -> PollClaim? {
        guard let text = message.unknownFields["poll_id"], let poll = Int64(text), poll > 0, let id
        else { return nil }
        let claim = PollClaim(poll: poll, number: Int64(world.entropy() >> 1))
        let now = world.now()
        // One step of the storage looks the poll up and claims it, so that two messages cannot.
        let claimed = try await ask(
            try await storage.updateDocument(poll, .poll) { [message] document in
                guard document.owner == id, document.isFree(at: now) else { return }
                var poll = document.poll(for: nil, at: now)
                guard poll.status != .removed else { return }
                if poll.messageID != nil {
                    // The poll's channel was deleted with the message that carried the poll.
                    poll.messageID = nil
                    document = document.with(poll, at: now)
                }
                document.come(with: message, claim: claim.number, at: now)
            })
        let isNew = claimed?.claim == claim.number
        message.unknownFields = message.unknownFields.removing("poll_id")
        if let claimed, claimed.owner == id, isNew || claimed.mayCome(with: message) {
            message.details.poll = claimed.poll(for: nil, at: now)
            return isNew ? claim : nil
        }
        // The repeat of a stored message needs no claim: the log answers it.
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
    ///
    /// A change of the poll that another server has made before this step has found no message, so
    /// it is published here.
    func carry(_ message: Message) async throws(ServerError) {
        guard let poll = message.details.poll, let id = message.messageID else { return }
        let now = world.now()
        let carried = try await ask(
            try await storage.updateDocument(poll.id.rawValue, .poll) { document in
                var poll = document.poll(for: nil, at: now)
                guard document.isClaimed(for: message), poll.messageID == nil else { return }
                poll.messageID = id
                document.come(with: message)
                document = document.with(poll, at: now)
            })
        guard let poll = carried?.poll(for: nil, at: now) else { return }
        // Only one message may show a poll, because no change of the poll reaches a second one.
        let isCarrier = poll.messageID == id
        try await show(isCarrier ? poll : nil, in: id, of: message.channelURL)
        guard isCarrier, var sent = message.details.poll else { return }
        (sent.messageID, sent.updatedAt) = (poll.messageID, poll.updatedAt)
        guard poll != sent else { return }
        try await publish(poll, in: message.channelURL, sentAt: message.createdAt)
    }
}
