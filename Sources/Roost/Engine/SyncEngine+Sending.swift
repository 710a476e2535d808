// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// How what waits in the outbox reaches the server: messages and edits over the socket, the rest by HTTP.

extension SyncEngine {
    func deliver(_ item: OutboxItem, isOnline: Bool) async -> Outbox.Outcome {
        switch item.content {
        case .userMessage, .fileMessage: return await deliverMessage(item, isOnline: isOnline)
        case .change(let action):
            do throws(RoostError) {
                return try await make(action, item)
            } catch {
                return .failed(error, .change)
            }
        }
    }

    private func deliverMessage(_ item: OutboxItem, isOnline: Bool) async -> Outbox.Outcome {
        guard let command = MessageCommand(item) else { return .isMoot }
        var lost = RoostError.notConnected
        if isOnline {
            do throws(RoostError) {
                try await send(.message(command))
                return .awaitsAnswer
            } catch {
                lost = error
            }
        }
        guard case .fileMessage = item.content else { return .failed(lost, .socket) }
        return await deliverByHTTP(command)
    }

    /// The file is there but the socket is lost: the message goes by HTTP, if there is a network (R146).
    private func deliverByHTTP(_ command: MessageCommand) async -> Outbox.Outcome {
        let epoch = sync.link.loginEpoch
        guard let key = sync.link.sessionKey, sync.link.hasNetwork else {
            return .failed(.notConnected, .socket)
        }
        let channel = command.channelURL
        let beginning = sync.beginFetch(of: channel)
        defer { sync.endFetch(of: channel) }
        do throws(RoostError) {
            let message = try await api.call(SendMessage(message: command), sessionKey: key)
            await takeAnswer(message, to: command.requestID, since: beginning)
            return .done(message)
        } catch {
            // Nothing leads to the server: that is not being connected (R147), and not a request that
            // failed (R148).
            if error.isUnreachable { return .failed(.notConnected, .socket) }
            receive(.refusedKey(error, epoch))
            return .failed(error, .http)
        }
    }

    /// The answer to a message sent by HTTP comes into the cache as the socket's would (scar 121), but for
    /// what the socket told while it was on its way.
    private func takeAnswer(
        _ message: Message, to requestID: RequestID?, since beginning: Int
    ) async {
        let event = MessageEvent(message: message, acknowledges: requestID)
        let wasOnline = isOnline
        _ = try? await run(.liveEvent(LiveEvent(.message(event), since: beginning)))
        if wasOnline { return }
        // What stands before it nobody tells without a socket; only a page shows it where it belongs.
        run { engine in await engine.meet(event.message.channelURL) }
    }

    /// Has the newest messages meet what a timeline shows, while there is no socket.
    private func meet(_ channel: ChannelURL) async {
        for id in sync.timelines.ids(of: channel)
        where sync.timelines[id]?.list.hasHoleAbove ?? false {
            // What fails is made good by the next catch-up.
            _ = try? await run(
                .page(
                    PageFetch(
                        channel, .around(.distantFuture, older: Self.lookBack, newer: 0),
                        isOffline: true)))
            return
        }
    }

    private func make(
        _ action: PendingChange.Action, _ item: OutboxItem
    ) async throws(RoostError) -> Outbox.Outcome {
        let channel = item.channel
        switch action {
        case .edit(.delivered(let id), let edit):
            let isFile = if case .file? = await held(id)?.content { true } else { false }
            try await send(
                .edit(
                    EditCommand(
                        channelURL: channel, messageID: id, requestID: item.requestID,
                        isFile: isFile, text: edit.text, data: edit.data,
                        customType: edit.customType, mentionKind: edit.mention?.kind,
                        mentionedUserIDs: edit.mention?.userIDs)))
            return .awaitsAnswer
        case .delete(.delivered(let id)):
            do throws(RoostError) {
                _ = try await call(DeleteMessage(channelURL: channel, messageID: id))
            } catch {
                guard error.code == .messageNotFound else { throw error }  // It is gone already.
            }
            // It is done, whatever this disk says; what it refuses is repaired later.
            try await run(
                .liveEvent(
                    LiveEvent(
                        .deleted(DeletionEvent(channelURL: channel, messageID: id)), from: .answer))
            )
            return .done(nil)
        case .addReaction(let key, .delivered(let id)):
            return try await react(key, to: id, in: channel, isAdded: true)
        case .removeReaction(let key, .delivered(let id)):
            return try await react(key, to: id, in: channel, isAdded: false)
        case .markAsRead(let moment):
            // The server marks everything there is: what came later was not read. The cache may not know
            // of it yet.
            let last = try await call(GetChannel(channelURL: channel, isInternal: true)).lastMessage
            if let last, last.createdAt > moment, last.sender?.user.id != me { return .isMoot }
            _ = try await call(MarkAsRead(channelURL: channel))
            return .done(nil)
        case .edit, .delete, .addReaction, .removeReaction: return .isMoot
        }
    }

    private func react(
        _ key: String, to id: MessageID, in channel: ChannelURL, isAdded: Bool
    ) async throws(RoostError) -> Outbox.Outcome {
        let beginning = sync.beginFetch(of: channel)
        defer { sync.endFetch(of: channel) }
        let change = try await call(
            ReactToMessage(channelURL: channel, messageID: id, key: key, isAdded: isAdded))
        // What another device of the user's did after it may have come first.
        if sync.news(of: channel, since: beginning).overtakes(change, of: id) {
            try await commit([], from: .answer)
            return .done(nil)
        }
        try await run(
            .liveEvent(
                LiveEvent(
                    .reaction(ReactionEvent(channelURL: channel, messageID: id, change: change)),
                    from: .answer)))
        return .done(nil)
    }

    // MARK: Files

    func upload(
        _ upload: UploadFile, _ source: HTTPBodySource
    ) async throws(RoostError) -> UploadFile.Output {
        let epoch = sync.link.loginEpoch
        guard let key = sync.link.sessionKey else { throw .notConnected }
        do throws(RoostError) {
            return try await api.upload(upload, source.body(of: upload), sessionKey: key)
        } catch {
            receive(.refusedKey(error, epoch))
            throw error
        }
    }

    // MARK: What may have arrived

    /// Messages looked at for one that may have arrived; older ones are the server's ledger's business.
    private static let lookBack = 100

    /// Looks for messages whose fate is unknown before they are sent again; a channel whose catch-up runs
    /// is held by it and looked through by it.
    func lookForUnsure(in channels: [ChannelURL]) async {
        let unsure = channels.filter { sync.catchUps[$0] == nil }
        guard !unsure.isEmpty else { return }
        for channel in unsure { await outbox?.receive(.hold(channel)) }
        run { engine in
            for channel in unsure {
                // What stands in the page is settled by it. Without an answer the server tells a copy by
                // its request ID.
                _ = try? await engine.run(
                    .page(
                        PageFetch(channel, .around(.distantFuture, older: Self.lookBack, newer: 0)))
                )
                guard await engine.sync.catchUps[channel] == nil else { continue }
                await engine.outbox?.receive(.release(channel))
            }
        }
    }

    // MARK: What the cache knows

    func held(_ id: MessageID) async -> Message? { try? await reader.message(id).value }

    func find(_ requestID: RequestID) async throws(RoostError) -> MessageID? {
        do { return try await reader.message(requestID).value?.messageID } catch {
            throw RoostError(error)
        }
    }
}

extension MessageCommand {
    /// Nil for a change, and for a message whose files are not uploaded.
    init?(_ item: OutboxItem) {
        guard !item.hasUploads, let message = item.message(from: nil) else { return nil }
        self.init(
            channelURL: item.channel, requestID: item.requestID, content: message.content,
            data: message.data, customType: message.customType, mention: message.mention,
            metaArrays: message.metaArrays, parentID: message.parentID,
            isReplyToChannel: message.isReplyToChannel, isSilent: message.isSilent)
    }
}
