// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel

/// An event that a client reports to the door.
package enum ClientEvent: Sendable {
    case connection(ConnectionStep, ConnectionState, UserID)
    /// An event, with its channel as in the cache or, if it is an open one, as last reported.
    case event(ChatEvent, GroupChannel?)
}

/// A change of the connection, as delegates get it.
package enum ConnectionStep: Equatable, Sendable {
    case connected
    /// The connection is lost or the first attempt has failed, and the client retries.
    case lost
    case regained
    /// The server has refused an attempt to regain the connection, or ended it for good.
    case givenUp
    /// The server has refused the first attempt.
    case refused
    case disconnected

    /// Creates the step that a change of state means; nil for none.
    package init?(from old: ConnectionState, to new: ConnectionState) {
        switch (old, new) {
        case (.connected, .connected), (.disconnected, .disconnected),
            (.reconnecting, .reconnecting), (_, .connecting):
            return nil
        case (.reconnecting, .connected): self = .regained
        case (_, .connected): self = .connected
        case (_, .reconnecting): self = .lost
        case (.connected, .refused), (.reconnecting, .refused): self = .givenUp
        case (_, .refused): self = .refused
        case (_, .disconnected): self = .disconnected
        }
    }
}

/// A step in the upload of a message's files.
package enum UploadStep: Sendable {
    /// Bytes were sent.
    case sent(RequestID, UploadProgress)
    /// The server has the file at this index.
    case uploaded(RequestID, file: Int)
}

/// The observer of one client, which passes on its events in order until the client is closed.
actor ClientObserver {
    private weak var door: Door?
    private weak var client: ChatClient?
    private let user: UserID
    /// The client's number among those of the door.
    private let number: Int
    /// Whether unsent messages wait for a connection, unless the door has another rule.
    private let resendsByDefault: Bool
    private var state = ConnectionState.disconnected
    private var calls = SendCalls()
    /// The messages of an earlier run that were given up at the opening.
    private var formerMessages: [RequestID] = []
    /// The unsent messages that this client has saved; other processes may share its files.
    private var own: Set<RequestID> = []
    private let sharesFiles: Bool
    /// Whether the client is closed, so that no outcome follows.
    private var isOver = false

    typealias Outcome = SendCalls.Outcome

    init(_ door: Door, of user: UserID, number: Int, settings: Door.Settings) {
        self.door = door
        self.user = user
        self.number = number
        resendsByDefault = settings.resendsUnsent
        sharesFiles = settings.isShared
    }

    /// Whether unsent messages wait for a connection (R138).
    private var resends: Bool { door?.resendsUnsent(of: user) ?? resendsByDefault }

    private var isConnected: Bool { state == .connected }

    func listen(to client: ChatClient) async {
        self.client = client
        guard let executor = door?.world.executor else { return }
        let (states, events) = (await client.connectionStates(), await client.events())
        let outbox = await client.outboxEvents()
        // All three tasks end with the client.
        Task(executorPreference: executor) { [weak self] in
            for await state in states { await self?.take(state) }
        }
        Task(executorPreference: executor) {
            for await event in outbox { await self.take(event) }
            await self.end()
        }
        Task(executorPreference: executor) { [weak self, weak client] in
            for await event in events {
                let moment = KeptChannels.Moment.next()
                await self?.take(event, of: await client?.channel(of: event), askedAt: moment)
            }
        }
    }

    private func take(
        _ event: ChatEvent, of channel: GroupChannel?, askedAt moment: KeptChannels.Moment
    ) {
        switch event {
        case .typing(let users, let url):
            door?.note(of: number) { $0.typing[url] = users.isEmpty ? nil : users }
        case .unreadTotalChanged(let count):
            door?.note(of: number) { $0.unreadTotal = count }
        default: break
        }
        door?.receive(.event(event, channel), of: user, askedAt: moment)
    }

    /// Takes over the profile and the application's settings of the last login.
    func learn() async {
        guard let client else { return }
        let login = await client.loginFacts
        door?.note(of: number) { $0.login = login ?? $0.login }
        // Without a readable profile the door keeps the one that it has.
        if let me = try? await client.userOfLastLogin { door?.update(me) }
    }

    /// Reports the present state of the connection.
    ///
    /// The states of the stream come later: a call that connects or disconnects reports before its
    /// callback, and no older state follows.
    func report() async {
        await client?.withConnectionState { [weak door, number] state in
            let now = door?.world.wallTime()
            door?.note(of: number) { report in
                if case .connected = report.connection {
                } else if case .connected = state {
                    report.lastConnected = now
                }
                report.connection = state
            }
        }
    }

    private func take(_ new: ConnectionState) async {
        // Delegates can read the user and the settings of the login that they are called for.
        if case .connected = new { await learn() }
        let old = state
        state = new
        await report()
        if let step = ConnectionStep(from: old, to: new) {
            door?.log.note(step, new)
            door?.receive(.connection(step, new, user), of: user)
        }
        if !isConnected { await endWaiting() }
    }

    // MARK: Outcomes of messages

    /// Registers a call that waits for the outcome of a message about to be saved, or sent again.
    ///
    /// - Returns: The number of the registration.
    func expect(
        _ id: RequestID, _ callback: Callback<Outcome>, progress: Callback<UploadStep>,
        isRetry: Bool = false
    ) -> Int {
        calls.add(id, callback, progress: progress, isRetry: isRetry)
    }

    /// Removes the registration of a message that could not be saved; returns whether its caller
    /// has no outcome yet.
    func forget(_ number: Int) -> Bool { calls.remove(number) }

    /// Records that the message is on disk; without a connection the handler of its call gets
    /// `.waiting` at once, if the message waits for one (R142).
    func queued(_ message: Message, for number: Int) async {
        guard calls.save(message, for: number) else { return }
        if isOver { return answerWaiting() }
        // A message that does not wait is given up as soon as its event comes.
        if resends, !isConnected { await endWaiting() }
    }

    private func take(_ event: OutboxEvent) async {
        door?.log.note(event)
        switch event {
        case .queued(let message): await takeSaved(message)
        case .retried(let message):
            if let id = message.requestID { calls.noteRetry(of: id) }
            await takeSaved(message)
        case .delivered(let message):
            // The calls are settled, even if the connection is lost in the meantime.
            let callbacks = takeCallbacks(of: message)
            if let client { await door?.show(message.channelURL, of: client, for: user) }
            for callback in callbacks { door?.notify(callback, (message, nil)) }
        case .failed(let message): takeFailed(message)
        case .delayed(let message, let code): await takeDelayed(message, code)
        case .canceled(let message):
            settle(
                message,
                RoostError(.requestCanceled, remedy: .none, message: "The message was canceled."))
        case .uploading(let id, let progress):
            report(.sent(id, progress), of: id)
        case .uploaded(let id, let file):
            report(.uploaded(id, file: file), of: id)
        case .changeQueued, .changeMade, .changeRefused, .changeDropped, .draftChanged,
            .unrecorded:
            break
        }
    }

    private func report(_ step: UploadStep, of id: RequestID) {
        for progress in calls.progress(of: id) { door?.notify(progress, step) }
    }

    private func settle(_ message: Message, _ error: RoostError?) {
        for callback in takeCallbacks(of: message) { door?.notify(callback, (message, error)) }
    }

    /// Removes the calls that wait for the outcome of a message, and returns the callbacks of those
    /// without an answer.
    private func takeCallbacks(of message: Message) -> [Callback<Outcome>] {
        if let id = message.requestID, message.status != .pending { own.remove(id) }
        return calls.settle(message)
    }

    // MARK: Messages without a connection

    /// Calls the handlers of all messages that wait, or gives these messages up.
    ///
    /// A file in flight goes on without a connection, and its handler gets the outcome (R146).
    private func endWaiting() async {
        let onTheirWay = await client?.messagesOnTheirWay ?? []
        // A connection may have been made meanwhile.
        guard !isConnected else { return }
        if resends { return answerWaiting(except: onTheirWay) }
        await giveUp(await waitingMessages().filter { !onTheirWay.contains($0) })
    }

    /// Calls the handlers of all messages that are on disk, except for some.
    private func answerWaiting(except onTheirWay: Set<RequestID> = []) {
        for (callback, message) in calls.answerSaved(except: onTheirWay) {
            door?.notify(callback, outcomeOffline(of: message))
        }
    }

    /// The outcome of a message that is on disk, as far as it is known without a connection.
    private func outcomeOffline(of message: Message) -> Outcome {
        guard resends else {
            return (message.failed(by: .connectionRequired), RoostError.unsent(.connectionRequired))
        }
        return (message, RoostError.waiting)
    }

    private func waitingMessages() async -> [RequestID] {
        let unsent = await client?.unsentMessages() ?? []
        return unsent.filter { $0.status == .pending }.compactMap(\.requestID)
            .filter { !sharesFiles || own.contains($0) }
    }

    /// Gives up messages, unless there is a connection: from then on they are being sent.
    private func giveUp(_ requestIDs: [RequestID]) async {
        for id in requestIDs {
            guard let client, await client.connectionState != .connected else { return }
            await client.giveUp(id)
        }
    }

    /// Gives up the messages that an earlier run has left, unless they wait for a connection.
    ///
    /// Call it before the client can be connected.
    func giveUpFormer() async {
        guard !resends else { return }
        formerMessages = await waitingMessages()
        await giveUp(formerMessages)
    }

    /// Applies another rule of the door to the messages that wait, and to those of an earlier run.
    func applyRule() async {
        let former = formerMessages
        formerMessages = []
        guard resends else { return await endWaiting() }
        for id in former { await client?.resend(id) }
    }

    /// Gives up a message that was saved or sent again without a connection, unless it waits.
    private func takeSaved(_ message: Message) async {
        guard let id = message.requestID else { return }
        formerMessages.removeAll { $0 == id }
        own.insert(id)
        // A file can be sent without a connection.
        guard !resends, let client, await !client.messagesOnTheirWay.contains(id) else { return }
        await giveUp([id])
    }

    /// Reports a failure; a message that was given up has failed for the lack of a connection, or
    /// with its upload.
    private func takeFailed(_ message: Message) {
        guard case .unsent(let id, .failed(let code)) = message.delivery else { return }
        guard code == .pendingError, !resends else {
            return settle(
                message, RoostError(code, remedy: .none, message: "The message was not sent."))
        }
        let reason = calls.reason(of: id) ?? .connectionRequired
        settle(message.failed(by: reason), RoostError.unsent(reason))
    }

    /// Reports that the outbox makes another attempt later, or gives the message up.
    private func takeDelayed(_ message: Message, _ code: RoostError.Code) async {
        guard !resends, let id = message.requestID else {
            return settle(
                message, RoostError(code, remedy: .retry, message: "The message is sent later."))
        }
        // A server that limits the rate only asks for a pause on the same connection, so the
        // outcome follows; an app without automatic resending would take an error for a failure.
        if isConnected, code == .rateLimited || code == .tooManyMessages { return }
        // A file needs no connection, so its own error is the reason.
        if case .file = message.content { calls.note(code, of: id) }
        await client?.giveUp(id)
    }

    /// Calls the handlers that wait, because the client is closed.
    private func end() async {
        isOver = true
        answerWaiting()
    }
}
