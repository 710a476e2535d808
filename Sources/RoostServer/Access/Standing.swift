// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The state that a decision on access judges, loaded once for a call.
package struct Standing: Sendable {
    package let now: Timestamp
    package var caller: APICaller
    /// Whether the session has expired; its socket may still be open.
    package var isOver = false
    /// The user whom the call names.
    package var subject: UserID?
    /// The user whose place the rule judges; nil if the platform acts for no user.
    package var actor: UserID?
    /// The actor; nil if there is no such user.
    package var user: User?
    /// The channel that the call names.
    package var channelURL: ChannelURL?
    /// Whether the call names an open channel; nil if it names no kind.
    package var wantsOpenChannel: Bool?
    /// The channel and the actor's place in it; nil if there is no such channel.
    package var access: ChannelAccess?
    /// Whether the actor is inside the open channel; for a command, whether its socket is.
    var isInside = false
    /// Whether the call names the channel's access code; true for a channel without one.
    package var knowsAccessCode = true
    package var message: Message?
    /// The poll or the scheduled message that the call names.
    var document: Document?
    /// The time of the message that carries the poll.
    var pollMoment: Timestamp?
    /// Whether the only other member has blocked the actor.
    package var isBlocked = false

    package init(now: Timestamp, caller: APICaller) {
        self.now = now
        self.caller = caller
    }

    /// Returns the actor of a call that needs one.
    func namedActor() throws(ServerError) -> UserID {
        guard let actor else {
            throw ServerError(.parameterMissing, "The parameter user_id is missing.")
        }
        return actor
    }

    /// Returns the message of a call that names one.
    package func namedMessage() throws(ServerError) -> Message {
        guard let message else {
            throw ServerError(.messageNotFound, "There is no such message.")
        }
        return message
    }

    /// The part of the channel's history that the actor sees.
    package var sight: Sight { Sight(beginning: access?.messageOffset) }

    /// The actor's role; none while banned.
    package var role: Role { isBanned ? .none : access?.role ?? .none }

    var isBanned: Bool { access?.traits.isBanned(at: now) ?? false }
}

/// The part of a channel's history that a viewer sees.
package struct Sight: Hashable, Sendable {
    /// Messages at or before this are hidden; nil hides none.
    package let beginning: Timestamp?

    package init(beginning: Timestamp?) { self.beginning = beginning }

    /// The whole history.
    package static let whole = Sight(beginning: nil)

    /// Whether a message of a moment is visible.
    package func shows(_ moment: Timestamp) -> Bool { beginning.map { moment > $0 } ?? true }

    /// Returns the visible ones of some messages, in their order.
    func visible(_ ids: [MessageID], _ positions: [MessageID: Position]) -> [MessageID] {
        guard self != .whole else { return ids }
        return ids.filter { id in positions[id].map { shows($0.createdAt) } ?? false }
    }

    /// Returns the message without previews of hidden messages; nil if it is hidden itself.
    package func shown(_ message: Message) -> Message? {
        guard let beginning else { return message }
        guard message.createdAt > beginning else { return nil }
        guard !message.hasNoDetails, let preview = message.details.parentPreview,
            preview.createdAt.map({ $0 <= beginning }) ?? true
        else { return message }
        var message = message
        message.details.parentPreview = nil
        return message
    }
}

extension Appended {
    /// Returns the message in the answer to its sender.
    ///
    /// The reactions, thread, poll and parent of a repeated message are those of now. The sender may
    /// no longer see them, and the acknowledgement needs the ID and the time only.
    ///
    /// - Parameter sight: The part of the history that the sender sees; nil for none.
    /// - Returns: The message, for a repeat without the parts that the sender does not see.
    package func answer(in sight: Sight?) -> Message {
        guard isRepeat else { return message }
        if let shown = sight?.shown(message) { return shown }
        guard !message.hasNoDetails else { return message }
        var bare = message
        bare.details.reactions = nil
        bare.details.threadInfo = nil
        bare.details.parentPreview = nil
        bare.details.poll = nil
        return bare
    }
}
