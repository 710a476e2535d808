// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

extension AccessRule {
    /// Decides on a call.
    ///
    /// - Throws: The refusal for the client.
    package func decide(_ standing: Standing) throws(ServerError) {
        try decideCaller(standing.caller, isOver: standing.isOver, subject: standing.subject)
        try decideUser(standing)
        try decidePlace(standing)
        try decideThing(standing)
        if speaks { try decideSpeech(standing) }
    }

    /// Decides on the caller alone, before any look-up.
    func decideCaller(
        _ caller: APICaller, isOver: Bool = false, subject: UserID? = nil
    ) throws(ServerError) {
        guard self.caller != .anybody else { return }
        guard !isOver else {
            throw ServerError(.sessionKeyExpired, "The session has expired; renew it.")
        }
        switch (self.caller, caller) {
        case (_, .platform), (.anybody, _), (.user, _): return
        case (.oneself, .user(let id)):
            guard id == subject else {
                throw ServerError(.notAuthorized, "A user may do this for themselves only.")
            }
        case (.platform, .user):
            throw ServerError(.notAuthorized, "Only the platform may do this.")
        }
    }

    private func decideUser(_ standing: Standing) throws(ServerError) {
        // The platform may change the settings of a deactivated user.
        guard standing.actor != nil, standing.caller != .platform || actor == .named else { return }
        guard let user = standing.user else {
            throw ServerError(
                standing.caller == .platform ? .notFound : .userNotFound, "There is no such user.")
        }
        guard user.isActive else {
            throw ServerError(.userDeactivated, "The user has been deactivated.")
        }
    }

    // MARK: Place

    private func decidePlace(_ standing: Standing) throws(ServerError) {
        guard place != .nowhere, standing.channelURL != nil else { return }
        guard let access = standing.access else {
            throw ServerError(.channelNotFound, "There is no such channel.")
        }
        let isOpen = access.record.traits.isOpen
        if let wantsOpen = standing.wantsOpenChannel, wantsOpen != isOpen {
            throw ServerError(.notFound, "There is no such channel of this kind.")
        }
        guard standing.actor != nil else { return }
        if isOpen {
            try decideOpenPlace(standing)
        } else {
            try decideGroupPlace(standing, access)
        }
    }

    private func decideOpenPlace(_ standing: Standing) throws(ServerError) {
        guard !standing.isBanned else {
            throw ServerError(.banned, "You are banned from this channel.")
        }
        switch place {
        case .nowhere, .reader, .entrant: return
        case .participant:
            guard
                standing.isInside || standing.role == .operator || standing.caller == .platform
            else { throw ServerError(.notAMember, "Enter the channel before writing in it.") }
        case .inside:
            guard standing.isInside else {
                throw ServerError(.notAMember, "Enter the channel before leaving it.")
            }
        case .operator, .caretaker:
            guard standing.role == .operator else { throw Self.forOperators }
        case .visitor, .member, .invited, .newcomer, .leaver:
            throw ServerError(RoostError.Code(900_090), "Only group channels have members.")
        }
    }

    private func decideGroupPlace(
        _ standing: Standing, _ access: ChannelAccess
    ) throws(ServerError) {
        switch place {
        case .nowhere: return
        case .entrant:
            throw ServerError(RoostError.Code(900_090), "Only open channels can be entered.")
        case .inside:
            throw ServerError(.notAMember, "Enter the channel before leaving it.")
        case .visitor:
            guard access.state == .none else { return }
            guard access.record.isPublic, !standing.isBanned else { throw Self.forMembers }
        case .newcomer: try decideNewcomer(standing, access)
        case .leaver:
            guard access.state != .none else { throw Self.forMembers }
        case .invited:
            guard access.state == .invited else {
                throw ServerError(.notAMember, "Only invited users can decline.")
            }
        case .reader, .participant, .caretaker, .member, .operator:
            guard access.state != .invited else {
                throw ServerError(
                    RoostError.Code(900_023), "The invitation to this channel is not accepted yet.")
            }
            // A ban counts from its moment on, before the user is removed.
            guard access.state == .joined, !standing.isBanned else { throw Self.forMembers }
            guard place != .operator || standing.role == .operator else {
                throw Self.forOperators
            }
        }
    }

    private func decideNewcomer(
        _ standing: Standing, _ access: ChannelAccess
    ) throws(ServerError) {
        guard !standing.isBanned else {
            throw ServerError(.bannedFromChannel, "The user is banned from this channel.")
        }
        guard standing.caller != .platform, access.state == .none else { return }
        guard access.record.isPublic else {
            throw ServerError(.notAMember, "Only invited users may join this channel.")
        }
        guard standing.knowsAccessCode else {
            throw ServerError(.notAuthorized, "The access code is not this channel's.")
        }
    }

    private static let forMembers = ServerError(
        .notAMember, "Only members of the channel may do this.")
    private static let forOperators = ServerError(
        .notAuthorized, "Only operators of the channel may do this.")

    // MARK: Things

    private func decideThing(_ standing: Standing) throws(ServerError) {
        switch thing {
        case .nothing: return
        case .message, .ownMessage, .moderatedMessage:
            guard let message = standing.message, standing.sight.shows(message.createdAt) else {
                throw ServerError(.messageNotFound, "There is no such message.")
            }
            let isOwn = standing.caller.userID.map { $0 == message.sender?.user.id } ?? true
            let isModerator = thing == .moderatedMessage && standing.role == .operator
            guard thing == .message || isOwn || isModerator else {
                throw ServerError(.notTheOwner, "Only its sender may change a message.")
            }
        case .poll, .ownPoll, .suggestingPoll: try decidePoll(standing)
        case .scheduled:
            guard let document = standing.document, document.channelURL == standing.channelURL,
                standing.caller.userID.map({ $0 == document.owner }) ?? true
            else { throw ServerError(.notFound, "There is no such scheduled message.") }
        }
    }

    private func decidePoll(_ standing: Standing) throws(ServerError) {
        guard let document = standing.document else { throw Self.noPoll }
        guard let actor = standing.actor else { return }
        let isOwn = document.owner == actor
        let isVisible =
            document.channelURL == nil
            ? isOwn : standing.pollMoment.map(standing.sight.shows) ?? true
        guard isVisible else { throw Self.noPoll }
        switch thing {
        case .ownPoll:
            guard isOwn || standing.role == .operator else {
                throw ServerError(.notAuthorized, "Only the creator of a poll may change it.")
            }
        case .suggestingPoll:
            guard isOwn || document.poll(for: nil, at: standing.now).allowsSuggestions else {
                throw ServerError(.invalidValue, "The poll does not allow this.")
            }
        default: return
        }
    }

    private static let noPoll = ServerError(.notFound, "There is no such poll.")

    // MARK: Speech

    private func decideSpeech(_ standing: Standing) throws(ServerError) {
        guard standing.actor != nil, let access = standing.access else { return }
        guard access.traits.mute?.isActive(at: standing.now) != true else {
            throw ServerError(.mutedInChannel, "You are muted in this channel.")
        }
        let traits = access.record.traits
        guard standing.role == .operator || !traits.isFrozen && !traits.isBroadcast else {
            throw ServerError(
                .channelFrozen, "Only operators write here while the channel is frozen.")
        }
        guard !standing.isBlocked else {
            throw ServerError(.blockedByReceiver, "The other member has blocked you.")
        }
    }
}
