// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

// A case without a declaration does not compile.

extension APICall {
    package var rule: AccessRule {
        switch self {
        case .createChannel, .listUsers: .user
        case .createUser: .platform
        // A session key is the answer to a token, and unlisted calls have an empty answer.
        case .refreshSessionKey, .unlisted: .anybody
        case .listMyChannels, .channelChangeLog: .oneself
        case .getChannel: AccessRule(.user, in: .visitor)
        case .updateChannel(let call):
            // Only operators change options that decide about entry and speech.
            call.options == ChannelOptions() ? .speech(in: .member) : .operator
        case .inviteMembers: AccessRule(.user, in: .member, .inLane)
        case .joinChannel: .own(.newcomer)
        case .leaveChannel: AccessRule(.user, in: .leaver, .inLane)
        case .listMessages(let call): .page(call.filter)
        case .messageGap(let call): .page(call.filter)
        case .messageChangeLog: .reader
        case .getMessage: AccessRule(.user, in: .reader, on: .message)
        case .sendMessage(let call):
            call.message.content.kind == MessageFilter.Kind.admin.rawValue
                ? .adminMessage : .message
        case .editMessage: .edit
        case .deleteMessage: AccessRule(.user, in: .reader, on: .moderatedMessage, .inLane)
        case .markAsRead(let call): .own(.member, on: call.unreadFrom == nil ? .nothing : .message)
        }
    }

    /// The names in a call that its admission looks up.
    package var target: AccessTarget {
        var target = AccessTarget()
        switch self {
        case .createChannel, .listUsers, .createUser, .refreshSessionKey, .unlisted: break
        case .listMyChannels(let call): target.subject = call.userID
        case .channelChangeLog(let call): target.subject = call.userID
        case .getChannel(let call): target.channel = call.channelURL
        case .updateChannel(let call): target.channel = call.channelURL
        case .inviteMembers(let call): target.channel = call.channelURL
        case .joinChannel(let call):
            target.channel = call.channelURL
            target.actor = call.userID
            target.accessCode = call.accessCode
        case .leaveChannel(let call): target.channel = call.channelURL
        case .listMessages(let call): target.channel = call.channelURL
        case .messageGap(let call): target.channel = call.channelURL
        case .messageChangeLog(let call): target.channel = call.channelURL
        case .getMessage(let call):
            target.channel = call.channelURL
            target.message = call.messageID
        case .sendMessage(let call):
            target.channel = call.message.channelURL
            target.actor = call.userID
        case .editMessage(let call):
            target.channel = call.edit.channelURL
            target.message = call.edit.messageID
        case .deleteMessage(let call):
            target.channel = call.channelURL
            target.message = call.messageID
        case .markAsRead(let call):
            target.channel = call.channelURL
            target.actor = call.userID
            target.message = call.unreadFrom
        }
        return target
    }
}

extension AccessRule {
    /// A page of a channel's log.
    ///
    /// Several look-ups in the storage make one answer. A change of the channel between them would
    /// make the answer claim a range that was never complete, so the page keeps the lane. A page
    /// with a filter may read five million messages, for which no other work waits. Clients take
    /// older messages from it, and hear of changes meanwhile by their events.
    fileprivate static func page(_ filter: MessageFilter) -> AccessRule {
        filter.readsManyRows ? .reader : AccessRule(.user, in: .reader, .inLane)
    }
}

extension ClientCommand {
    package var rule: AccessRule {
        switch self {
        // An expired session may be renewed, and pings keep its socket open until then.
        case .ping, .refreshSession: .anybody
        case .message: .message
        case .edit: .edit
        case .read: AccessRule(.user, in: .member, .inLane)
        case .readThread: AccessRule(.user, in: .member, on: .message)
        case .typingStart, .typingEnd: .typing
        case .messageAcknowledgement: .member
        case .enter: AccessRule(.user, in: .entrant, .inLane)
        case .exit: AccessRule(.user, in: .inside, .inLane)
        case .vote: .vote
        case .unknown: .user
        }
    }

    /// Returns the names in a command that its admission looks up.
    func target(in session: SessionID) -> AccessTarget {
        var target = AccessTarget()
        target.session = session
        switch self {
        case .ping, .refreshSession, .unknown: break
        case .message(let command): target.channel = command.channelURL
        case .edit(let command):
            target.channel = command.channelURL
            target.message = command.messageID
        case .readThread(let url, let parentID, _):
            target.channel = url
            target.message = parentID
        case .read(let url, _), .typingStart(let url, _), .typingEnd(let url, _),
            .messageAcknowledgement(let url, _), .enter(let url, _), .exit(let url, _):
            target.channel = url
        case .vote(let command): target.poll = command.pollID.rawValue
        }
        return target
    }
}

extension Route {
    /// Returns the rule of one call.
    func rule(of fields: RequestFields) throws(ServerError) -> AccessRule {
        guard let stricter, try fields.bool(stricter.flag) == true else { return rule }
        return stricter.rule
    }

    /// Returns the names in a call that its admission looks up.
    func target(_ fields: RequestFields, _ rule: AccessRule) throws(ServerError) -> AccessTarget {
        var target = AccessTarget()
        let parts = fields.pathParts
        let words = pattern.text.split(separator: "/")
        switch words.first(where: { $0 != "report" && $0 != "sdk" }) {
        case "users":
            target.subject = parts.first.map { UserID($0) }
            if rule.place != .nowhere, parts.count > 1 { target.channel = ChannelURL(parts[1]) }
        case "group_channels", "open_channels", "migration":
            target.channel = parts.first.map { ChannelURL($0) }
        case "storage":
            target.channel = fields.string("channel_url").flatMap {
                $0.isEmpty ? nil : ChannelURL($0)
            }
        default: break
        }
        switch rule.thing {
        case .nothing: break
        case .message, .ownMessage, .moderatedMessage:
            target.message = try fields.pathMessageID()
        case .poll, .ownPoll, .suggestingPoll: target.poll = Int64(parts.first ?? "") ?? 0
        case .scheduled: target.scheduled = Int64(parts.count > 1 ? parts[1] : "") ?? 0
        }
        target.actor = (fields.string("user_id") ?? fields.string("reporting_user_id"))
            .flatMap { $0.isEmpty ? nil : UserID($0) }
        return target
    }
}
