// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

// Drafts lie in the outbox of this device: on disk when a call returns, sealed like unsent
// messages, and sent to no server.

extension ChatClient {
    /// Saves the draft of a channel or thread, in place of the one before.
    ///
    /// A send call does not remove it: save an empty text afterwards. A draft outlives restarts and
    /// a cleared cache, and is removed when the user's membership of the channel ends. Channel
    /// lists show a channel's own draft (`GroupChannel.draft`).
    ///
    /// - Parameters:
    ///   - text: The text; an empty one that answers no message removes the draft.
    ///   - mention: The users whom the text mentions.
    ///   - message: The message that the text answers; nil for none.
    ///   - place: The channel or thread.
    /// - Throws: `.invalidParameter` for a text longer than `MessageDraft.maxByteCount` and for an
    ///   empty channel URL; `.localDatabaseError`. Nothing was saved then.
    public func saveDraft(
        _ text: String, mentioning mention: Mention = Mention(),
        replyingTo message: MessageID? = nil, at place: DraftPlace
    ) async throws(RoostError) {
        guard text.utf8.count <= MessageDraft.maxByteCount else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "This draft has \(text.utf8.count) bytes, and "
                    + "\(MessageDraft.maxByteCount) are allowed: shorten it.")
        }
        let content = DraftContent(
            text, replyingTo: message, mentioning: mention, in: place.thread)
        try await engine.run(.outbox(.drafting(OutboxDrafting(content, in: place.channel))))
    }

    /// Sends a draft as a message, with its mentioned users (`MessageDraft.params`), and removes
    /// the draft.
    ///
    /// Another draft that was saved at its place meanwhile stays. The message is on disk when the
    /// call returns. If the process ends between the two steps, or the disk refuses the second one,
    /// the draft is still there beside the message.
    ///
    /// - Returns: The message with its request ID.
    /// - Throws: As `send(_:to:)`; the draft is kept then.
    @discardableResult
    public func send(_ draft: MessageDraft) async throws(RoostError) -> Message {
        let message = try await send(draft.params, to: draft.place.channel)
        let sent = DraftContent(
            draft.text, replyingTo: draft.replyingTo, mentioning: draft.mention,
            in: draft.place.thread)
        // The message is on its way: a failure would only make the caller send it again.
        _ = try? await engine.run(
            .outbox(.drafting(OutboxDrafting(removing: sent, in: draft.place.channel))))
        return message
    }

    /// Removes the draft of a channel or thread, if there is one.
    ///
    /// - Throws: `.invalidParameter` for an empty channel URL; `.localDatabaseError`. The draft is
    ///   kept then.
    public func removeDraft(at place: DraftPlace) async throws(RoostError) {
        try await saveDraft("", at: place)
    }

    /// Returns the draft of a channel or thread; nil without one.
    public func draft(at place: DraftPlace) async -> MessageDraft? {
        await engine.read { $0.outbox.draft(at: place) }
    }

    /// Returns the drafts of a channel and its threads, or all; the one edited last is first.
    ///
    /// `OutboxEvent.draftChanged` reports changes.
    public func drafts(in channel: ChannelURL? = nil) async -> [MessageDraft] {
        await engine.read { $0.outbox.drafts(in: channel) }
    }
}
