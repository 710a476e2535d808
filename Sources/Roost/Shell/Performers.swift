// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore

/// The performers of a client's effects, each with its own state.
///
/// They decide nothing. Their results are inputs of the engine.
struct Performers: Sendable {
    let api: ServerAPI
    let cache: CachePerformer
    let outbox: OutboxPerformer
    let socket: SocketPerformer
    let notices = AppNotices()
    private let uploads: UploadPerformer
    private let timers: TimerPerformer
    private let feed: InputFeed

    init(
        _ world: World, _ configuration: Configuration, _ store: Store, _ api: ServerAPI,
        _ feed: InputFeed
    ) {
        self.api = api
        self.feed = feed
        cache = CachePerformer(store, feed)
        outbox = OutboxPerformer(store, feed)
        socket = SocketPerformer(world.sockets, api.address, configuration, feed)
        uploads = UploadPerformer(store.outbox, api, notices.outboxEvents, feed)
        timers = TimerPerformer(world.clock, feed)
    }

    /// Performs an effect; returns at once.
    ///
    /// The state is that after the step of the effect.
    func perform(_ effect: SyncMachine.Effect, _ state: () -> SyncState) {
        switch effect {
        case .read(let id, let question): cache.read(question, for: id)
        case .commit(let id, let mutations, _, let condition):
            cache.commit(mutations, unless: condition, for: id)
        case .keep(let id, let task): cache.keep(task, for: id)
        case .mend(let id): cache.mend(for: id)
        case .outbox(let id, let question): outbox.answer(question, for: id)
        case .ask(let id, let question, let credentials):
            ask(question, sessionKey: state().sessionKey(for: credentials), for: id)
        case .send(let id, let command): socket.send(command, for: id)
        case .pause(let id, let duration, _): timers.arm(.pause(id), for: duration)
        case .endPause(let id): timers.disarm(.pause(id))
        case .limit(let id, let duration): timers.arm(.limit(id), for: duration)
        case .endLimit(let id): timers.disarm(.limit(id))
        case .notice(let notice): perform(notice, state)
        // The engine has the callers.
        case .finish: break
        }
    }

    private func perform(_ notice: Notice, _ state: () -> SyncState) {
        switch notice {
        case .openSocket(let epoch, let key, let isInForeground):
            socket.open(epoch, sessionKey: key, isInForeground: isInForeground)
        case .closeSocket: socket.close()
        case .askToken(let epoch): socket.askToken(for: epoch)
        case .send(let command): socket.send(command, for: nil)
        case .fillIndex: cache.fillIndex()
        case .deleteFiles(let copies): outbox.deleteFiles(copies)
        case .keepUploaded(let copy, let address): outbox.keepUploaded(copy, at: address)
        case .cancelUpload(let requestID): uploads.cancel(requestID)
        case .arm(let timer, let duration): timers.arm(.machine(timer), for: duration)
        case .disarm(let timer): timers.disarm(.machine(timer))
        case .forgotten, .connection, .event, .outbox, .timelineChanged, .listChanged,
            .downloadChanged, .refused:
            notices.publish(notice, state)
        }
    }

    /// Ends the work that would outlive the client.
    func close() { uploads.close() }

    private func ask(
        _ question: ServerQuestion, sessionKey: String?, for id: SyncMachine.OperationID
    ) {
        if case .upload(let file) = question {
            return uploads.upload(file, sessionKey: sessionKey, for: id)
        }
        feed.reply(to: id, Reply.answer) { [api] () async throws(RoostError) in
            guard let sessionKey else { throw .notConnected }
            return try await api.answer(question, sessionKey: sessionKey)
        }
    }
}
