// SPDX-License-Identifier: Apache-2.0

// One attempt to send an item. Its files are uploaded first; the address of each is on disk before
// the next step. The message then goes over the socket, or by HTTP if there is no socket.

package import RoostModel
import RoostWire

/// Delivers one item.
package struct OutboxDelivery: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case uploading(place: Int)
        /// The address of an uploaded file is being written.
        case keeping
        case sending
        case posting(MessageCommand, since: Int)
        /// The answer to a message sent by HTTP is being applied.
        case applying(Message, since: Int, wasOnline: Bool)
        /// The item is a change, which is being made.
        case changing
    }

    private let requestID: RequestID
    private var state = State.beginning

    package init(_ requestID: RequestID) { self.requestID = requestID }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.uploading(let place), .answer(.success(.uploaded(let found)))):
            return keep(found, at: place, &sync)
        case (.uploading, .answer(.failure(let error))): return endUpload(error, &sync)
        case (.keeping, .woken): return goOn(&sync)
        case (.sending, .sent(nil)):
            // The acknowledgement is due from now on.
            sync.moveOutbox(.left(requestID))
            return .end(.done)
        case (.sending, .sent(let error?)): return lose(error, &sync)
        case (.posting(let command, let beginning), .answer(let result)):
            return take(result, to: command, since: beginning, &sync)
        case (.applying(let message, let beginning, let wasOnline), .ended):
            return finishPosting(message, beginning, wasOnline, &sync)
        case (.changing, .ended(let outcome)): return .end(outcome)
        default: return .fail(reply)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        // An upload that outlived its connection continues, and its operation sends the message.
        guard sync.outbox.lanes.isOnItsWay(requestID), !sync.outbox.uploads.contains(requestID),
            let item = sync.outbox.order[requestID]
        else { return .end(.done) }
        guard sync.outbox.turn != nil else { return giveWay(&sync) }
        // The network may be lost since the decision, or the app has disconnected.
        guard sync.outbox.lanes.isOpen else { return fail(.notConnected, .socket, &sync) }
        guard item.hasUploads else { return deliver(&sync) }
        sync.outbox.uploads.insert(requestID)
        return upload(&sync)
    }

    /// Ends the attempt, because a suspension gave the turn away; `OutboxTurn` asks for it again.
    private func giveWay(_ sync: inout SyncState) -> Step {
        sync.moveOutbox(.wentOffline)
        // A file stays in flight without a connection, so it is put back in front of its lane here.
        if sync.outbox.lanes.isOnItsWay(requestID) {
            sync.moveOutbox(.failed(requestID, .connectionRequired, .socket))
        }
        return .end(.done)
    }

    // MARK: Files

    private mutating func upload(_ sync: inout SyncState) -> Step {
        guard let item = sync.outbox.order[requestID],
            case .fileMessage(let params, let copies) = item.content,
            let place = params.files.firstIndex(where: { $0.url == nil })
        else { return endUpload(nil, &sync) }
        let file = params.files[place]
        // The size of a file with an address is the app's own statement.
        func total(_ files: some Sequence<OutgoingFile>) -> Int64 {
            files.reduce(0) { $0.addingSaturated(max($1.size?.bytes ?? 0, 0)) }
        }
        state = .uploading(place: place)
        return .need(
            .ask(
                .upload(
                    FileUpload(
                        UploadFile(
                            channelURL: item.channel, requestID: requestID, name: file.name,
                            type: file.type, thumbnailSizes: file.thumbnailSizes),
                        of: file, copies[place],
                        before: total(params.files[..<place]), total: total(params.files))),
                .lastLogin))
    }

    /// Writes the address of a file; from here on the file is not uploaded again.
    private mutating func keep(
        _ found: UploadFile.Output, at place: Int, _ sync: inout SyncState
    ) -> Step {
        guard let item = sync.outbox.order[requestID],
            case .fileMessage(var params, var copies) = item.content
        else { return endUpload(nil, &sync) }
        let copy = copies[place]
        params.files[place].source = .url(found.url)
        params.files[place].thumbnails = found.thumbnails
        params.files[place].requiresAuth = found.requiresAuth
        if let size = found.size { params.files[place].size = ByteCount(bytes: size) }
        copies[place] = nil
        let content = OutboxContent.fileMessage(params, copies: copies)
        sync.outbox.order.change(requestID) { $0.content = content }
        sync.outbox.disk.note(
            .content(requestID, item.channel, content), [copy].compactMap { $0 },
            uploadedTo: found.url)
        sync.publish(.uploaded(requestID, file: place))
        sync.showUnsent(of: item.channel)
        guard let ticket = sync.writeNotes() else { return upload(&sync) }
        state = .keeping
        return .need(.wait(.outboxDisk(ticket)))
    }

    /// Uploads the next file, unless another process may have uploaded it or may do so now.
    private mutating func goOn(_ sync: inout SyncState) -> Step {
        guard sync.outbox.turn != nil else { return endUpload(nil, &sync) }
        guard sync.outbox.disk.mayHaveNews else { return upload(&sync) }
        // A new delivery begins when the other process's writes are read.
        sync.outbox.uploads.remove(requestID)
        sync.leave(requestID)
        return .end(.done)
    }

    private mutating func endUpload(_ error: RoostError?, _ sync: inout SyncState) -> Step {
        sync.outbox.uploads.remove(requestID)
        if let error { return fail(error, .upload, &sync) }
        // An upload outlives a suspension too.
        guard sync.outbox.turn != nil else { return giveWay(&sync) }
        return deliver(&sync)
    }

    // MARK: Messages

    private mutating func deliver(_ sync: inout SyncState) -> Step {
        // The item may have been canceled meanwhile, or delivered by another way.
        guard let item = sync.outbox.order[requestID], item.state == .pending, !item.hasUploads
        else { return .end(.done) }
        if case .change(let action) = item.content {
            state = .changing
            let change = OutboxChangeDelivery(requestID, action, in: item.channel)
            return .need(.run(.outbox(.changeDelivery(change))))
        }
        guard sync.outbox.lanes.isOnline else { return lose(.notConnected, &sync) }
        guard sync.outbox.lanes.isOnItsWay(requestID), let command = MessageCommand(item) else {
            return lose(.notConnected, &sync)
        }
        if case .fileMessage = item.content { sync.moveOutbox(.handedOver(requestID, .socket)) }
        state = .sending
        return .need(.send(.message(command)))
    }

    /// Handles the lack of a socket: a message with uploaded files goes by HTTP if there is a
    /// network (R146).
    private mutating func lose(_ error: RoostError, _ sync: inout SyncState) -> Step {
        guard let item = sync.outbox.order[requestID] else { return .end(.done) }
        guard case .fileMessage = item.content, let command = MessageCommand(item) else {
            return fail(error, .socket, &sync)
        }
        guard sync.link.sessionKey != nil, sync.link.hasNetwork else {
            return fail(.notConnected, .socket, &sync)
        }
        sync.moveOutbox(.handedOver(requestID, .http))
        state = .posting(command, since: sync.beginFetch(of: item.channel))
        return .need(.ask(.post(SendMessage(message: command)), .lastLogin))
    }

    /// Applies the answer to a message sent by HTTP as if the socket had delivered it (scar 121).
    ///
    /// Events of the socket that arrived meanwhile take precedence.
    private mutating func take(
        _ result: Answered<ServerAnswer>, to command: MessageCommand,
        since beginning: Int,
        _ sync: inout SyncState
    ) -> Step {
        switch result {
        case .success(.message(let message))
        where message.channelURL == command.channelURL && sync.session == nil
            && !sync.outbox.order.contains(requestID):
            // The message was canceled meanwhile, maybe with the whole cache (scar 35). A deletion
            // may wait for its ID.
            sync.endFetch(of: command.channelURL)
            sync.noteDelivery(message)
            return .end(.done)
        case .success(.message(let message)) where message.channelURL == command.channelURL:
            state = .applying(message, since: beginning, wasOnline: sync.session != nil)
            let event = MessageEvent(message: message, acknowledges: command.requestID)
            return .need(.run(.liveEvent(LiveEvent(.message(event), since: beginning))))
        case .success:
            sync.endFetch(of: command.channelURL)
            return fail(.unfitAnswer, .http, &sync)
        case .failure(let error):
            sync.endFetch(of: command.channelURL)
            // Without a route to the server the client is not connected (R147), and no request has
            // failed (R148). Without a socket, an unreadable answer may be a gateway's.
            let isLost = sync.session == nil && error.code == .malformedData
            if error.isUnreachable || isLost { return fail(.notConnected, .socket, &sync) }
            return fail(error, .http, &sync)
        }
    }

    private func finishPosting(
        _ message: Message, _ beginning: Int, _ wasOnline: Bool, _ sync: inout SyncState
    ) -> Step {
        sync.endFetch(of: message.channelURL)
        // Without a socket the predecessor is unknown, so a page is fetched to place the message.
        if !wasOnline { sync.start(.outbox(.newestPage(OutboxNewestPage(message.channelURL)))) }
        sync.noteDelivery(message)
        return .end(.done)
    }

    private func fail(_ error: RoostError, _ stage: SendStage, _ sync: inout SyncState) -> Step {
        sync.failAttempt(requestID, error, stage)
        return .end(.done)
    }
}
