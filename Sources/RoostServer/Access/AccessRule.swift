// SPDX-License-Identifier: Apache-2.0

/// The access rule of a route, a call or a command: its callers, and the states in which they may
/// make it.
///
/// Every `Route`, `APICall` and `ClientCommand` has one, and `decide` is the only judge of it. The
/// actions behind them check no right themselves.
package struct AccessRule: Hashable, Sendable {
    /// The callers; each value includes the platform.
    package enum Caller: Equatable, Sendable {
        /// Callers without credentials too: the call proves itself, or its answer is empty.
        case anybody
        case user
        /// The user whom the call names.
        case oneself
        case platform
    }

    /// The user whose place in the channel the rule judges.
    package enum Actor: Equatable, Sendable {
        /// The caller. The platform needs no place.
        case caller
        /// The caller, or the user in whose name the platform acts.
        case named
        /// The user whom the path names.
        case subject
    }

    /// The place in the channel that the actor needs.
    ///
    /// A banned user has none. An open channel has no members, so each place names its meaning
    /// there.
    package enum Place: Equatable, Sendable {
        /// The call is about no channel.
        case nowhere
        /// Users who may know of the channel: members, invited users, and all users if it is
        /// public.
        case visitor
        /// Joined members; in an open channel every user.
        case reader
        /// Joined members; in an open channel the users inside it and its operators.
        case participant
        /// Joined members; in an open channel its operators.
        case caretaker
        /// Joined members of a group channel.
        case member
        case `operator`
        /// Users with an invitation.
        case invited
        /// Users who may join: by invitation, or a public channel with its access code.
        case newcomer
        /// Joined members and invited users.
        case leaver
        /// Every user, into an open channel.
        case entrant
        /// The connection that has entered the open channel.
        case inside
    }

    /// The object in the channel that the call names, and the right to it that the actor needs.
    package enum Thing: Equatable, Sendable {
        case nothing
        /// A message that the actor can see.
        case message
        /// A visible message of the caller.
        case ownMessage
        /// A visible message of the caller; operators may name every visible one.
        case moderatedMessage
        /// A poll in a message that the actor can see, or the caller's own before it is sent.
        case poll
        /// A visible poll of the caller; operators may name every visible one.
        case ownPoll
        /// A visible poll that takes suggestions of the actor.
        case suggestingPoll
        /// A scheduled message of the caller.
        case scheduled
    }

    /// The moment of the decision.
    package enum Turn: Equatable, Sendable {
        case atOnce
        /// In the channel's lane, which the call keeps until its end, so a ban cannot come in
        /// between.
        case inLane
        /// The time at which the message comes to its place in the channel's log.
        case inLog
    }

    package var caller: Caller
    package var actor: Actor
    package var place: Place
    package var thing: Thing
    /// Whether other users read words of the actor: a muted actor is refused, and a frozen channel
    /// too.
    package var speaks: Bool
    package var turn: Turn

    package init(
        _ caller: Caller, as actor: Actor = .caller, in place: Place = .nowhere,
        on thing: Thing = .nothing, speaks: Bool = false, _ turn: Turn = .atOnce
    ) {
        self.caller = caller
        self.actor = actor
        self.place = place
        self.thing = thing
        self.speaks = speaks
        self.turn = turn
    }
}

extension AccessRule {
    package static let anybody = AccessRule(.anybody)
    package static let platform = AccessRule(.platform)
    package static let user = AccessRule(.user)
    package static let oneself = AccessRule(.oneself)

    /// A question about a channel.
    package static let reader = AccessRule(.user, in: .reader)
    /// A question about a group channel's members.
    package static let member = AccessRule(.user, in: .member)
    /// A change of a channel by its operators.
    package static let `operator` = AccessRule(.user, in: .operator, .inLane)
    /// A change that other users read.
    package static func speech(
        in place: Place, as actor: Actor = .caller, on thing: Thing = .nothing
    ) -> AccessRule {
        AccessRule(.user, as: actor, in: place, on: thing, speaks: true, .inLane)
    }
    /// A change of the actor's own place in a channel.
    package static func own(_ place: Place, on thing: Thing = .nothing) -> AccessRule {
        AccessRule(.user, as: .named, in: place, on: thing, .inLane)
    }

    /// A message on its way into a log, from a socket, by REST, or when it is due.
    package static let message = AccessRule(
        .user, as: .named, in: .participant, speaks: true, .inLog)
    package static let adminMessage = AccessRule(.platform, in: .reader, .inLog)
    package static let edit = speech(in: .reader, on: .ownMessage)
    package static let reaction = speech(in: .participant, as: .named, on: .message)
    /// A question about a poll.
    package static let poll = AccessRule(.user, in: .reader, on: .poll)
    package static let vote = speech(in: .participant, as: .named, on: .poll)
    package static let typing = AccessRule(.user, in: .member, speaks: true)
    /// A user's settings for a channel.
    package static let setting = AccessRule(.oneself, as: .subject, in: .member)
    /// A report about an object in a channel.
    package static func report(on thing: Thing = .nothing) -> AccessRule {
        AccessRule(.user, as: .named, in: .reader, on: thing)
    }
}
