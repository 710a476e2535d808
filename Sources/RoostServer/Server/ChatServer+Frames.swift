// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    /// Messages of one session that may be on their way at once.
    private static let postLimit = 256

    /// Takes a text frame of an open session; returns when everything in it is answered.
    package func receive(_ text: String, from id: SessionID) async {
        await take(text, from: id)
        await sessions.settle(id, to: 0)
    }

    /// Takes a text frame of an open session; returns when the next one may come.
    ///
    /// Frames of one session must be handed in one after the other: their order is that of the log.
    package func take(_ text: String, from id: SessionID) async {
        telemetry.metrics.frames += 1
        sessions.hear(from: id)
        for part in Frame.split(text) {
            // A part that is no command has no request to answer, and an error without one would log
            // some clients out (`docs/protocol` 2.10).
            guard let user = sessions.user(of: id) else { return }
            guard case .success(let frame) = part else {
                // It costs the same as one that can be read.
                try? rates.charge(user: user)
                continue
            }
            do throws(ServerError) {
                try chargeFrame(frame, of: user)
                let command = try decode(frame)
                if case .message(let command) = command {
                    await sessions.settle(id, to: Self.postLimit - 1)
                    // It may have been ended meanwhile; an ended session says no more.
                    guard sessions.isOpen(id) else { return }
                    // The rest of its rule is decided at its place in the log.
                    try AccessRule.message.decideCaller(
                        .user(user), isOver: sessions.isOver(id))
                    post(command, from: user, in: id)
                } else {
                    // Other commands may be about what it has just written.
                    if command.waitsForMessages { await sessions.settle(id, to: 0) }
                    guard sessions.isOpen(id) else { return }
                    try await admission.admitted(
                        command.rule, command.target(in: id), .user(user)
                    ) { standing throws(ServerError) in
                        try await answer(command, of: user, in: id, standing)
                    }
                }
            } catch {
                refuse(error, frame.requestID, in: id)
            }
        }
    }

    /// Counts a command before anything of it is read; a long one counts as several.
    ///
    /// Pings have an allowance of their own, as a client that waits for its turn must be able to say that
    /// it is there. A ping beyond the allowance counts as any other command.
    private func chargeFrame(_ frame: Frame, of user: UserID) throws(ServerError) {
        if frame.command == .ping, frame.byteCount <= Self.pingBytes, rates.takePing(of: user) {
            return
        }
        try rates.charge(user: user, count: 1 + frame.byteCount / Self.chargedBytes)
    }

    /// A ping has an ID and little else.
    private static let pingBytes = 256
    /// Bytes of a command that count as one question.
    private static let chargedBytes = 65_536

    private func post(_ command: MessageCommand, from user: UserID, in id: SessionID) {
        sessions.beginPost(of: id)
        let requestID = command.requestID
        var post = Post(command: command, rule: .message, caller: .user(user), sender: user) {
            [weak self] result in
            self?.assumeIsolated { server in
                if case .failure(let error) = result { server.refuse(error, requestID, in: id) }
                server.sessions.endPost(of: id)
            }
        }
        post.session = id
        self.post(post)
    }

    private func refuse(_ error: ServerError, _ requestID: RequestID?, in id: SessionID) {
        guard let requestID else { return }
        sessions.send(.error(error, acknowledges: requestID), to: id)
    }

    private func decode(_ frame: Frame) throws(ServerError) -> ClientCommand {
        do throws(WireError) {
            return try ClientCommand(decoding: frame)
        } catch {
            throw ServerError(error)
        }
    }

    private func answer(
        _ command: ClientCommand, of user: UserID, in session: SessionID, _ standing: Standing
    ) async throws(ServerError) {
        switch command {
        case .ping: sessions.send(.pong, to: session)
        case .message: preconditionFailure("Messages are posted.")
        case .edit(let edit): try await change(edit, in: session)
        case .read(let url, let requestID):
            _ = try await markRead(url, by: user, in: session, requestID)
        case .readThread(let url, let parentID, let requestID):
            try await markRead(parentID, in: url, by: user, in: session, requestID)
        case .typingStart(let url, _): try await tellTyping(user, in: url, isTyping: true)
        case .typingEnd(let url, _): try await tellTyping(user, in: url, isTyping: false)
        case .messageAcknowledgement(let url, let id):
            try await noteDelivery(of: id, in: url, to: user, standing.sight)
        case .refreshSession(let refresh):
            try await logins.renew(refresh, of: user, in: session)
        case .enter(let url, let requestID):
            try await enter(url, user, in: session, requestID)
        case .exit(let url, let requestID): await exit(url, user, in: session, requestID)
        case .vote(let command): try await vote(command, by: user, in: session, standing)
        case .unknown(let command, _):
            throw ServerError(
                .featureUnavailable, "This server does not know the command \(command.rawValue).")
        }
    }

    func tellTyping(
        _ id: UserID, in url: ChannelURL, isTyping: Bool
    ) async throws(ServerError) {
        guard let user = try await ask(try await storage.user(id)) else { return }
        let others = try await publisher.audience(of: url).readers.filter { $0 != id }
        let event = ChannelEvent(
            isTyping ? .typingStart : .typingEnd, channelURL: url, timestamp: world.now(),
            content: .typing(user, isTyping: isTyping))
        await publisher.publish(.channel(event), to: others)
    }

    private func enter(
        _ url: ChannelURL, _ id: UserID, in session: SessionID, _ requestID: RequestID?
    ) async throws(ServerError) {
        guard let user = try await ask(try await storage.user(id)), sessions.isOpen(session)
        else { return }
        let isNew = rooms.enter(session, of: id, url)
        answer(.enter, url, requestID, in: session)
        if isNew { await rooms.publishEntry(user, in: url, except: session) }
    }

    private func exit(
        _ url: ChannelURL, _ id: UserID, in session: SessionID, _ requestID: RequestID?
    ) async {
        rooms.exit(session, url)
        answer(.exit, url, requestID, in: session)
        await rooms.publishExit(id, from: url)
    }

    /// Acknowledges that a socket has entered or left an open channel.
    private func answer(
        _ command: Frame.Command, _ url: ChannelURL, _ requestID: RequestID?, in session: SessionID
    ) {
        guard let requestID else { return }
        let count = rooms.participants(of: url).count
        let now = world.now().milliseconds
        sessions.send(
            Frame.text(command, isOpen: true) { writer in
                writer.field("req_id", requestID.rawValue)
                writer.channel(url)
                writer.field("participant_count", count)
                writer.field("ts", now)
                writer.object("data") { writer in
                    writer.field("participant_count", count)
                    writer.field("edge_ts", now)
                }
            }, to: session)
    }

    private func noteDelivery(
        of id: MessageID, in url: ChannelURL, to user: UserID, _ sight: Sight
    ) async throws(ServerError) {
        guard let position = try await ask(try await storage.position(of: id, in: url)),
            sight.shows(position.createdAt)
        else { return }
        let moment = max(world.now(), position.createdAt)
        try await ask(try await storage.markDelivered(url, to: user, at: moment))
        await publisher.publish(
            .delivered(url, [user: moment]), to: try await publisher.audience(of: url).readers)
    }
}

extension ClientCommand {
    /// Whether it waits for the session's messages; a ping only says that a client is there.
    fileprivate var waitsForMessages: Bool { if case .ping = self { false } else { true } }
}
