// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// Open channels: whoever is logged in and not banned may enter and listen; nobody is a member.
extension ChatServer {
    /// Users in an open channel, each once, in the order they came.
    func participants(of url: ChannelURL) -> [UserID] {
        var seen: Set<UserID> = []
        return rooms.sessions(in: url).compactMap { sessions[$0]?.user }
            .filter { seen.insert($0).inserted }
    }

    func enter(
        _ url: ChannelURL, _ id: UserID, in session: SessionID, _ requestID: RequestID?
    ) async throws(ServerError) {
        guard let user = try await ask(try await storage.user(id)), sessions[session] != nil
        else { return }
        let isNew = !participants(of: url).contains(id)
        rooms.enter(session, url)
        answer(.enter, url, requestID, in: session)
        if isNew { await tellPresence(.entered, user, in: url, except: session) }
    }

    func exit(
        _ url: ChannelURL, _ id: UserID, in session: SessionID, _ requestID: RequestID?
    ) async throws(ServerError) {
        rooms.exit(session, url)
        answer(.exit, url, requestID, in: session)
        await tellExit(id, from: url)
    }

    /// Tells of a user whose last connection in a room has gone.
    func tellExit(_ id: UserID, from url: ChannelURL) async {
        guard !participants(of: url).contains(id), let user = try? await storage.user(id) else {
            return
        }
        await tellPresence(.exited, user, in: url)
    }

    /// Takes a user out who may not be there any more.
    func evict(_ id: UserID, from url: ChannelURL) async {
        let gone = rooms.sessions(in: url).filter { sessions[$0]?.user == id }
        for session in gone { rooms.exit(session, url) }
        if !gone.isEmpty { await tellExit(id, from: url) }
    }

    private func answer(
        _ command: Frame.Command, _ url: ChannelURL, _ requestID: RequestID?, in session: SessionID
    ) {
        guard let requestID else { return }
        let count = participants(of: url).count
        let now = world.now().milliseconds
        sessions[session]?.outlet.deliver(
            Frame.text(command, isOpen: true) { writer in
                writer.field("req_id", requestID.rawValue)
                writer.channel(url)
                writer.field("participant_count", count)
                writer.field("ts", now)
                writer.object("data") { writer in
                    writer.field("participant_count", count)
                    writer.field("edge_ts", now)
                }
            })
    }

    private func tellPresence(
        _ category: ChannelEvent.Category, _ user: User, in url: ChannelURL,
        except: SessionID? = nil
    ) async {
        var data = JSONWriter()
        let (now, count) = (world.now(), participants(of: url).count)
        data.object { writer in
            writer.fields(of: user)
            writer.field("participant_count", count)
            writer.field("edge_ts", now.milliseconds)
        }
        let event = ChannelEvent(
            category, channelURL: url, timestamp: now, content: .other(data: data.text))
        await publish(.channel(event), to: Audience(room: url), except: except)
    }
}

/// The users who hear of a channel: those in a group channel, or the connections in an open one.
struct Audience {
    var hearers: [Hearer] = []
    /// The open channel, when it is one.
    var room: ChannelURL?

    var members: [UserID] { hearers.map(\.id) }

    /// The users who hear what is said: the joined ones.
    var readers: [UserID] { hearers.filter(\.isJoined).map(\.id) }

    /// The users who hear of a message of this time.
    func readers(of moment: Timestamp) -> [UserID] {
        hearers.filter { $0.isJoined && Sight(beginning: $0.beginning).shows(moment) }.map(\.id)
    }
}

extension ChatServer {
    func audience(of url: ChannelURL) async throws(ServerError) -> Audience {
        let hearers = try await ask(try await storage.hearers(of: url))
        // A group channel has members when anything happens in it, so the question is rarely asked.
        guard hearers.isEmpty else { return Audience(hearers: hearers) }
        let access = try await ask(try await storage.access(to: url, of: nil))
        return Audience(room: access?.record.traits.isOpen == true ? url : nil)
    }

    /// Tells everybody who hears of a channel.
    func publish(_ event: ServerEvent, to audience: Audience, except: SessionID? = nil) async {
        await publish(event, to: audience.members, in: audience.room, except: except)
    }

    /// Tells of a message, or of a change of it, those who can see a message of this time.
    func publish(
        _ event: ServerEvent, about moment: Timestamp, to audience: Audience,
        except: SessionID? = nil
    ) async {
        await publish(event, to: audience.readers(of: moment), in: audience.room, except: except)
    }

    func publish(
        _ event: ServerEvent, to users: [UserID], in room: ChannelURL?, except: SessionID?
    ) async {
        guard let room else { return await publish(event, to: users, except: except) }
        await publish(
            Notice(
                frame: event.encoded(isOpen: true), recipients: users, room: room, except: except))
    }
}
