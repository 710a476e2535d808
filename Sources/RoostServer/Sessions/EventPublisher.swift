// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The users who get the events of a channel: the members of a group channel, or the sockets in an
/// open one.
package struct Audience {
    package var audienceMembers: [AudienceMember]
    /// The open channel; nil for a group channel.
    var room: ChannelURL?

    package init(audienceMembers: [AudienceMember] = []) { self.audienceMembers = audienceMembers }

    init(audienceMembers: [AudienceMember] = [], room: ChannelURL?) {
        self.audienceMembers = audienceMembers
        self.room = room
    }

    package var members: [UserID] { audienceMembers.map(\.id) }

    /// The joined members, who read the messages.
    package var readers: [UserID] { audienceMembers.filter(\.isJoined).map(\.id) }

    /// Returns the joined members who see a message of a moment.
    package func readers(of moment: Timestamp) -> [UserID] {
        audienceMembers.filter { $0.isJoined && Sight(beginning: $0.beginning).shows(moment) }.map(
            \.id)
    }

    /// Returns the users who see a message as a whole, and those who see a part of it.
    package func shares(
        of message: Message
    ) -> (whole: [UserID], partial: [UserID], part: Message?) {
        var whole: [UserID] = []
        var partial: [UserID] = []
        var part: Message?
        for member in audienceMembers where member.isJoined {
            // Few members hide anything, so most of them cost no comparison.
            let sight = Sight(beginning: member.beginning)
            let shown = sight == .whole ? message : sight.shown(message)
            if sight == .whole || shown == message {
                whole.append(member.id)
            } else if let shown {
                // Only the preview of a hidden parent can be missing, so all parts are equal.
                part = shown
                partial.append(member.id)
            }
        }
        return (whole, partial, part)
    }
}

/// The part of an event that users get whom its channel only invites.
enum InvitedShare {
    /// Nothing: only members can look the data up.
    case nothing
    /// A change without details: the client looks up the part of the channel that it may see.
    case hint
    /// The event: invited users can look all of it up.
    case whole
}

/// An event with its recipients.
package struct Announcement: Equatable, Sendable {
    package let event: ServerEvent
    package let recipients: [UserID]
}

/// The publisher of events to the sockets of all servers.
///
/// It has no state. Its caller holds the channel's lane, so events leave in the order of the log.
struct EventPublisher: ServerPart {
    let context: ServerContext
    let fanOut: any FanOut
    let telemetry: Telemetry

    /// Hands a notice to all servers.
    ///
    /// A frame that no client can read is dropped, because it would close the socket of every reader.
    /// Clients learn of its content from their change logs. Stored content is weighed, so only old data
    /// makes such frames.
    func publish(_ notice: Notice) async {
        guard notice.frame.utf8.count <= WireLimits.frameBytes else {
            telemetry.metrics.oversized += 1
            log(.error, "oversized", [.init("bytes", .int(Int64(notice.frame.utf8.count)))])
            return
        }
        await fanOut.publish(notice)
    }

    /// Sends an event to all sockets of users but one.
    func publish(_ event: ServerEvent, to users: [UserID], except: SessionID? = nil) async {
        let subject = event.subject
        // Other servers count the changes of a log, those without readers too.
        guard !users.isEmpty || subject != nil else { return }
        await publish(
            Notice(
                frame: event.encoded, recipients: users, except: except, subject: subject
            ).named(by: event))
    }

    /// Sends events to all sockets of their recipients.
    func publish(_ news: [Announcement]) async {
        var portion = telemetry.work
        for item in news {
            await publish(item.event, to: item.recipients)
            await telemetry.pause(since: &portion)
        }
    }

    /// Sends an event to the audience of a channel, invited users included.
    func publish(_ event: ServerEvent, to audience: Audience, except: SessionID? = nil) async {
        await publish(event, to: audience.members, in: audience.room, except: except)
    }

    /// Sends an event about a message to the users who see messages of its time.
    func publish(
        _ event: ServerEvent, about moment: Timestamp, to audience: Audience,
        except: SessionID? = nil
    ) async {
        await publish(event, to: audience.readers(of: moment), in: audience.room, except: except)
    }

    private func publish(
        _ event: ServerEvent, to users: [UserID], in room: ChannelURL?, except: SessionID?
    ) async {
        guard let room else { return await publish(event, to: users, except: except) }
        await publish(
            Notice(
                frame: event.encoded(isOpen: true), recipients: users, room: room, except: except,
                subject: event.subject
            ).named(by: event))
    }

    /// Sends a message to the users who see it, each without the parts of hidden messages in it.
    func publish(
        _ message: Message, to audience: Audience, except: SessionID? = nil,
        as event: (Message) -> ServerEvent
    ) async {
        let (whole, partial, part) = audience.shares(of: message)
        await publish(event(message), to: whole, in: audience.room, except: except)
        if let part { await publish(event(part), to: partial, in: nil, except: except) }
    }

    /// Sends the new state of a thread to the users who see its parent.
    func publishThread(of parent: Message?, in url: ChannelURL, to audience: Audience) async {
        guard let parent, let id = parent.messageID, let thread = parent.details.threadInfo else {
            return
        }
        let event = ThreadEvent(channelURL: url, parentID: id, threadInfo: thread)
        await publish(.thread(event), about: parent.createdAt, to: audience)
    }

    /// Sends an event to the joined members of a channel or the sockets in it, and to some other
    /// users.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - category: The kind of the event.
    ///   - content: The details of the event.
    ///   - others: The users who get the event without being joined members.
    ///   - share: The part of the event for users whom the channel only invites.
    /// - Throws: A failure of the storage.
    func publish(
        in url: ChannelURL, _ category: ChannelEvent.Category,
        _ content: ChannelEvent.Content = .other(data: "{}"), and others: [UserID] = [],
        withInvited share: InvitedShare = .whole
    ) async throws(ServerError) {
        var audience = try await audience(of: url)
        let event = ChannelEvent(
            category, channelURL: url, timestamp: world.now(), content: content)
        let invited = audience.audienceMembers.filter { !$0.isJoined }.map(\.id)
        if share != .whole { audience.audienceMembers.removeAll { !$0.isJoined } }
        let known = Set(audience.members)
        audience.audienceMembers += others.filter { !known.contains($0) }.map {
            AudienceMember(id: $0, isJoined: false)
        }
        await publish(.channel(event), to: audience)
        guard share == .hint else { return }
        let hint = ChannelEvent(.propertiesChanged, channelURL: url, timestamp: world.now())
        await publish(.channel(hint), to: invited.filter { !others.contains($0) })
    }

    /// Returns the users who receive the events of a channel.
    func audience(of url: ChannelURL) async throws(ServerError) -> Audience {
        let audienceMembers = try await ask(try await storage.audienceMembers(of: url))
        // A group channel with events has members, so the second question is rare.
        guard audienceMembers.isEmpty else { return Audience(audienceMembers: audienceMembers) }
        let access = try await ask(try await storage.access(to: url, of: nil))
        return Audience(room: access?.record.traits.isOpen == true ? url : nil)
    }
}
