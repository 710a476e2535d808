// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel

/// What a client tells the door besides answers.
package enum ClientNews: Sendable {
    case connection(ConnectionStep, UserID)
    /// An event, and the channel it is about, as far as the cache knows it.
    case event(ChatEvent, GroupChannel?)
}

/// What a delegate was told of the connection.
package enum ConnectionStep: Hashable, Sendable {
    case connected
    case lost
    case regained
    case givenUp
    case disconnected

    /// What a change of state means; nil for nothing to tell.
    package init?(from old: ConnectionState, to new: ConnectionState) {
        switch (old, new) {
        case (.connected, .connected), (.disconnected, .disconnected): return nil
        case (.reconnecting, .connected): self = .regained
        case (_, .connected): self = .connected
        case (.connected, .reconnecting): self = .lost
        case (_, .refused): self = .givenUp
        case (_, .disconnected): self = .disconnected
        default: return nil
        }
    }
}

/// Hands on what one client tells, in its order, until it closes.
actor ClientEar {
    private weak var door: Door?
    private let user: UserID
    private var state = ConnectionState.disconnected
    /// Who waits for what becomes of a message; of one message several may, such as two who resend it.
    private var senders: [Sender] = []
    private var senderCount = 0

    typealias Outcome = (message: Message, error: RoostError?)

    private struct Sender {
        let number: Int
        let id: RequestID
        let callback: Callback<Outcome>
        let progress: Callback<UploadProgress>
        /// As it was written down; nil while it is.
        var message: Message?
    }

    init(_ door: Door, of user: UserID) {
        self.door = door
        self.user = user
    }

    func listen(to client: ChatClient) async {
        guard let executor = door?.world.executor else { return }
        let (states, events) = (await client.connectionStates(), await client.events())
        let outbox = await client.outboxEvents()
        // All three end with the client.
        Task(executorPreference: executor) { [weak self] in
            for await state in states { await self?.take(state) }
        }
        Task(executorPreference: executor) { [weak self] in
            for await event in outbox { await self?.take(event) }
        }
        Task(executorPreference: executor) { [weak self, weak client] in
            for await event in events {
                var channel: GroupChannel?
                // One that is gone is told by its URL alone.
                if let url = event.channel {
                    channel = try? await client?.cachedChannel(url)
                    channel = channel ?? GroupChannel(url: url)
                }
                await self?.tell(.event(event, channel))
            }
        }
    }

    private func tell(_ news: ClientNews) { door?.hear(news) }

    private func take(_ new: ConnectionState) {
        defer { state = new }
        if let step = ConnectionStep(from: state, to: new) { tell(.connection(step, user)) }
        guard case .connected = new else { return failSenders() }
    }

    // MARK: What becomes of messages

    /// Expects to hear of a message that is about to be written down.
    ///
    /// - Returns: A number by which the one who expects it is known.
    func expect(
        _ id: RequestID, _ callback: Callback<Outcome>,
        progress: Callback<UploadProgress> = .none
    ) -> Int {
        senderCount += 1
        senders.append(
            Sender(number: senderCount, id: id, callback: callback, progress: progress))
        return senderCount
    }

    /// It could not be written down; whether nobody has told the sender of it yet.
    func forget(_ number: Int) -> Bool {
        guard let index = senders.firstIndex(where: { $0.number == number }) else { return false }
        senders.remove(at: index)
        return true
    }

    /// It is written down; without a connection it has to wait for one (R142).
    func queued(_ message: Message, for number: Int) {
        guard let index = senders.firstIndex(where: { $0.number == number }) else { return }
        senders[index].message = message
        if case .connected = state { return }
        failSenders()
    }

    private func failSenders() {
        for sender in senders {
            guard let message = sender.message else { continue }
            door?.tell(sender.callback, (message, .waiting))
        }
        senders.removeAll { $0.message != nil }
    }

    private func take(_ event: OutboxEvent) {
        switch event {
        case .delivered(let message): settle(message, nil)
        case .failed(let message):
            guard case .unsent(_, .failed(let code)) = message.delivery else { return }
            settle(message, RoostError(code, remedy: .none, message: "It was not sent."))
        case .delayed(let message, let code):
            settle(
                message,
                RoostError(code, remedy: .retry, message: "It waits, and is sent later."))
        case .canceled(let message):
            settle(
                message,
                RoostError(.requestCanceled, remedy: .none, message: "It was taken back."))
        case .uploading(let id, let progress):
            for sender in senders where sender.id == id { door?.tell(sender.progress, progress) }
        case .queued, .retried, .changeQueued, .changeMade, .changeRefused,
            .changeDropped, .unrecorded:
            break
        }
    }

    private func settle(_ message: Message, _ error: RoostError?) {
        guard let id = message.requestID else { return }
        for sender in senders where sender.id == id {
            door?.tell(sender.callback, (message, error))
        }
        senders.removeAll { $0.id == id }
    }
}

extension RoostError {
    static let waiting = RoostError(
        .connectionRequired, remedy: .retry,
        message: "There is no connection; the message is kept and sent when there is one.")
}
