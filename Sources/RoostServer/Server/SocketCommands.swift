// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The commands of sockets.
///
/// Each frame is counted, decoded and admitted, and its command goes to its owner.
struct SocketCommands: ServerPart {
    let context: ServerContext
    let parts: ServerParts

    /// The most messages of one socket without an answer.
    private static let postLimit = 256
    /// The most commands of one text frame; clients send one in each.
    private static let partLimit = 256

    /// Takes a text frame of an open socket; returns when the next one may come.
    ///
    /// The frames of one socket come one after the other: their order is that of the log. Commands
    /// beyond the limit of a frame are passed over.
    func take(_ text: String, from id: SessionID) async {
        parts.telemetry.metrics.frames += 1
        parts.sessions.noteFrame(from: id)
        let split = Frame.split(text, atMost: Self.partLimit)
        guard let user = parts.sessions.user(of: id) else { return }
        guard chargeRest(of: text, split, to: user) else { return await noteRefusal(in: id) }
        for part in split {
            // An unreadable part names no request, and an error without one would log some clients
            // out (`docs/protocol` 2.10).
            guard let user = parts.sessions.user(of: id) else { return }
            guard case .success(let frame) = part else {
                // An unreadable part costs as much as a readable one.
                guard (try? parts.rates.charge(user: user, isFrame: true)) != nil else {
                    return await noteRefusal(in: id)
                }
                continue
            }
            let start = world.now()
            do throws(ServerError) {
                guard try chargeFrame(frame, of: user) else { continue }
                parts.activity.note(user)
                let command = try decode(frame)
                if case .message(let command) = command {
                    await parts.sessions.settle(id, to: Self.postLimit - 1)
                    // The socket may have ended meanwhile.
                    guard parts.sessions.isOpen(id) else { return }
                    // The rest of the rule is decided at the message's place in the log.
                    try AccessRule.message.decideCaller(
                        .user(user), isOver: parts.sessions.isOver(id))
                    post(command, named: frame.command, from: user, in: id)
                } else {
                    // Other commands may refer to the messages before them.
                    if command.waitsForMessages { await parts.sessions.settle(id, to: 0) }
                    guard parts.sessions.isOpen(id) else { return }
                    try await parts.admission.admitted(
                        command.rule, command.target(in: id), .user(user)
                    ) { standing throws(ServerError) in
                        try await answer(command, of: user, in: id, standing)
                    }
                    traceCommand(frame.command, frame.requestID, since: start)
                }
            } catch {
                traceCommand(
                    frame.command, frame.requestID, since: start, code: error.code.rawValue)
                refuse(error, frame.requestID, in: id)
                if error.code == .rateLimited { await noteRefusal(in: id) }
            }
        }
    }

    /// Closes a socket whose client goes on sending although it is over its rate.
    private func noteRefusal(in id: SessionID) async {
        guard !parts.rates.toleratesRefusal(of: id) else { return }
        await parts.sessions.refuse(id)
    }

    /// Counts the bytes of a text that are in no command.
    ///
    /// - Returns: Whether the commands are to be read.
    private func chargeRest(
        of text: String, _ split: [Result<Frame, WireError>], to user: UserID
    ) -> Bool {
        let commands = split.reduce(0) { $0 + ((try? $1.get().byteCount) ?? 0) }
        let count = (text.utf8.count - commands) / RequestRates.chargedBytes
        guard count > 0 else { return true }
        return (try? parts.rates.charge(user: user, count: count, isFrame: true)) != nil
    }

    /// Counts a command before it is read; a long one counts as several.
    ///
    /// Pings have an allowance of their own, so a client over its rate can still show that it is
    /// alive. A ping beyond the allowance counts as any other command.
    ///
    /// So have acknowledgements of messages: their senders decide about the number, and they must not
    /// use up the receiver's rate. Those beyond the allowance are passed over, as nothing answers
    /// them.
    ///
    /// - Returns: Whether the command is to be read.
    private func chargeFrame(_ frame: Frame, of user: UserID) throws(ServerError) -> Bool {
        if frame.byteCount <= Self.smallBytes {
            if frame.command == .ping, parts.rates.takePing(of: user) { return true }
            if frame.command == .messageAcknowledgement {
                return parts.rates.takeAcknowledgement(of: user)
            }
        }
        try parts.rates.charge(
            user: user, count: 1 + frame.byteCount / RequestRates.chargedBytes, isFrame: true)
        return true
    }

    /// The most bytes of a command with an allowance of its own, which has an ID or two.
    private static let smallBytes = 1_024

    private func post(
        _ command: MessageCommand, named name: Frame.Command, from user: UserID, in id: SessionID
    ) {
        parts.sessions.beginPost(of: id)
        let (requestID, start) = (command.requestID, world.now())
        var post = Post(command: command, rule: .message, caller: .user(user), sender: user) {
            result in
            if case .failure(let error) = result {
                refuse(error, requestID, in: id)
                traceCommand(name, requestID, since: start, code: error.code.rawValue)
            } else {
                traceCommand(name, requestID, since: start)
            }
            parts.sessions.endPost(of: id)
        }
        post.session = id
        parts.logs.post(post)
    }

    private func refuse(_ error: ServerError, _ requestID: RequestID?, in id: SessionID) {
        parts.telemetry.note(error.code)
        guard let requestID else { return }
        parts.sessions.send(.error(error, acknowledges: requestID), to: id)
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
        case .ping: parts.sessions.send(.pong, to: session)
        case .message: preconditionFailure("Messages are posted.")
        case .edit(let edit): try await parts.messages.change(edit, in: session)
        case .read(let url, let requestID):
            _ = try await parts.receipts.markRead(url, by: user, in: session, requestID)
        case .readThread(let url, let parentID, let requestID):
            try await parts.receipts.markRead(parentID, in: url, by: user, in: session, requestID)
        case .typingStart(let url, _):
            try await parts.receipts.publishTyping(user, in: url, isTyping: true, standing)
        case .typingEnd(let url, _):
            try await parts.receipts.publishTyping(user, in: url, isTyping: false, standing)
        case .messageAcknowledgement(let url, let id):
            try await parts.receipts.noteDelivery(of: id, in: url, to: user, standing)
        case .refreshSession(let refresh):
            try await parts.logins.renew(refresh, of: user, in: session)
        case .enter(let url, let requestID):
            try await parts.openChannels.enter(url, user, in: session, requestID)
        case .exit(let url, let requestID):
            await parts.openChannels.exit(url, user, in: session, requestID)
        case .vote(let command):
            try await parts.polls.vote(command, by: user, in: session, standing)
        case .unknown(let command, _):
            throw ServerError(
                .featureUnavailable, "This server does not know the command \(command.rawValue).")
        }
    }
}

extension ClientCommand {
    /// Whether the command waits for the messages before it; a ping only shows that the client is
    /// alive.
    fileprivate var waitsForMessages: Bool { if case .ping = self { false } else { true } }
}
