// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The names in a call that its admission looks up.
package struct AccessTarget: Equatable, Sendable {
    /// The user whom the path names.
    package var subject: UserID?
    /// The user in whose name the platform acts.
    package var actor: UserID?
    package var channel: ChannelURL?
    /// Whether the path names an open channel; nil if the path names no kind.
    var wantsOpenChannel: Bool?
    package var message: MessageID?
    var poll: Int64?
    var scheduled: Int64?
    /// The socket of the call.
    var session: SessionID?
    package var accessCode: String?
    /// The channel's members, if the caller has loaded them already.
    var members: [UserID]?

    package init() {}

    package init(channel: ChannelURL) { self.channel = channel }
}

/// The admission of calls: it loads the standing of a caller and lets the pure `AccessRule.decide` judge.
///
/// No other part decides about access.
struct Admission: ServerPart {
    let context: ServerContext
    let sessions: Sessions
    let rooms: Rooms
    let lanes: ChannelLanes

    /// Runs the work of a call if its rule admits the caller.
    ///
    /// - Throws: The refusal, or the error of the work.
    func admitted<T: Sendable>(
        _ rule: AccessRule, _ target: AccessTarget, _ caller: APICaller,
        _ work: (Standing) async throws(ServerError) -> T
    ) async throws(ServerError) -> T {
        let isOver = target.session.map(sessions.isOver) ?? false
        try rule.decideCaller(caller, isOver: isOver, subject: target.subject)
        switch rule.turn {
        case .inLog: return try await work(Standing(now: world.now(), caller: caller))
        case .atOnce: return try await work(try await admit(rule, target, caller))
        case .inLane:
            guard let url = try await lane(of: target) else {
                let standing = try await admit(rule, target, caller)
                // The poll may have been sent to a channel meanwhile; its lane is needed then.
                guard standing.channelURL == nil else {
                    return try await admitted(rule, target, caller, work)
                }
                return try await work(standing)
            }
            return try await lanes.inLane(of: url) { () async throws(ServerError) in
                // The socket may have ended while the call waited for the lane.
                if let session = target.session, !sessions.isOpen(session) { throw Self.ended }
                return try await work(try await admit(rule, target, caller))
            }
        }
    }

    /// Refuses a call that its rule does not admit.
    ///
    /// - Returns: The state that the decision was made on.
    @discardableResult
    func admit(
        _ rule: AccessRule, _ target: AccessTarget, _ caller: APICaller
    ) async throws(ServerError) -> Standing {
        let standing = try await standing(rule, target, caller)
        try rule.decide(standing)
        return standing
    }

    private static let ended = ServerError(.sessionRevoked, "The session has ended.")

    /// Returns the channel whose lane a call needs: the one it names, or that of its poll.
    private func lane(of target: AccessTarget) async throws(ServerError) -> ChannelURL? {
        guard let poll = target.poll else { return target.channel }
        return try await ask(try await storage.document(poll, .poll))?.channelURL
    }

    /// Loads the state that a rule judges.
    private func standing(
        _ rule: AccessRule, _ target: AccessTarget, _ caller: APICaller
    ) async throws(ServerError) -> Standing {
        var standing = Standing(now: world.now(), caller: caller)
        standing.subject = target.subject
        standing.channelURL = target.channel
        standing.wantsOpenChannel = target.wantsOpenChannel
        guard rule.caller != .anybody else { return standing }
        standing.isOver = target.session.map(sessions.isOver) ?? false
        switch rule.actor {
        case .caller: standing.actor = caller.userID
        case .named: standing.actor = caller.userID ?? target.actor
        case .subject: standing.actor = target.subject
        }
        if rule.actor == .named, standing.actor == nil {
            throw ServerError(.parameterMissing, "The parameter user_id is missing.")
        }
        if let id = standing.actor { standing.user = try await ask(try await storage.user(id)) }
        if let id = target.poll {
            standing.document = try await ask(try await storage.document(id, .poll))
            standing.channelURL = standing.document?.channelURL
        } else if let id = target.scheduled {
            standing.document = try await ask(try await storage.document(id, .scheduled))
        }
        try await loadPlace(&standing, rule, target)
        return standing
    }

    private func loadPlace(
        _ standing: inout Standing, _ rule: AccessRule, _ target: AccessTarget
    ) async throws(ServerError) {
        guard let url = standing.channelURL else { return }
        let actor = standing.actor
        standing.access = try await ask(try await storage.access(to: url, of: actor))
        guard let access = standing.access else { return }
        if rule.place == .newcomer, let code = access.record.traits.accessCode {
            standing.knowsAccessCode = world.matches(
                target.accessCode ?? "", code, as: .accessCode)
        }
        if access.record.traits.isOpen, let actor {
            // A frame comes from a socket here; a call may come from a user whose socket is elsewhere.
            standing.isInside =
                if let session = target.session {
                    rooms.contains(session, in: url)
                } else {
                    await rooms.containsAnywhere(actor, in: url)
                }
        }
        if let id = target.message {
            standing.message = try await ask(try await storage.message(id, in: url))
        }
        if target.poll != nil,
            let id = standing.document?.poll(for: nil, at: standing.now).messageID
        {
            standing.pollMoment = try await ask(
                try await storage.position(of: id, in: url))?.createdAt
        }
        if rule.speaks, let actor, !access.record.traits.isOpen {
            var members = target.members
            if members == nil {
                // A block counts in channels of two members only, so three IDs suffice.
                members = try await ask(try await storage.someMemberIDs(of: url, atMost: 3))
            }
            standing.isBlocked = try await isBlocked(actor, among: members ?? [])
        }
    }

    /// Whether the only other member has blocked a user.
    ///
    /// In larger channels, clients hide the messages of users whom they block.
    private func isBlocked(
        _ id: UserID, among members: [UserID]
    ) async throws(ServerError) -> Bool {
        guard members.count == 2, let other = members.first(where: { $0 != id }) else {
            return false
        }
        return try await ask(try await storage.userRecord(other))?.traits.blocked.contains(id)
            ?? false
    }
}
