// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// The links between devices and the server: requests, sockets and their faults.

extension CoreWorld {
    private static let latency: ClosedRange<Int64> = 2...60
    private static let slowLatency: ClosedRange<Int64> = 500...12_000
    private static let slowAnswer: ClosedRange<Int64> = 100...3_000
    /// The time until the loss of a request or an answer is noticed.
    private static let notice: ClosedRange<Int64> = 5...3_000
    /// The time limit of a request, as the shell sets it.
    private static let timeLimit = Duration.seconds(8)

    private func happens(_ fault: KeyPath<Weather, UInt64>, _ device: CoreDevice) -> Bool {
        guard device.weather != .calm else { return false }
        let rate = device.weather[keyPath: fault]
        return rate > 0 && random.next() % 1000 < rate
    }

    private func latency(_ device: CoreDevice) -> Duration {
        random.duration(
            in: happens(\.slowCrossing, device) ? Self.slowLatency : Self.latency)
    }

    // MARK: Requests

    /// Sends a request; the reply comes in any case, within the time limit.
    func send(
        _ question: ServerQuestion, _ key: String?, for id: SyncMachine.OperationID,
        _ device: CoreDevice
    ) {
        device.requestCount += 1
        guard let key else { return reply(id, .answer(.failure(.notConnected)), device) }
        guard device.isLinkUp else { return fail(id, .unreachable, device) }
        if happens(\.expiry, device) { device.expiredKeys.insert(key) }
        if device.expiredKeys.contains(key) {
            let error = ServerError(.sessionKeyExpired, "The simulated session has expired.")
            return answer(id, .failure(RoostError(error)), device, after: latency(device))
        }
        if happens(\.refusedRequest, device) {
            let error = RoostError(
                .internalServerError, remedy: .retry, message: "The simulated server is busy.")
            return answer(id, .failure(error), device, after: latency(device))
        }
        if happens(\.lostRequest, device) {
            return fail(id, .lost, device, after: random.duration(in: Self.notice))
        }
        if happens(\.lateRequest, device) {
            schedule(
                .request(nil, question, RequestFate()), device,
                after: Self.timeLimit + .seconds(1))
            return fail(id, .timedOut, device, after: Self.timeLimit)
        }
        if question.isRepeatable, happens(\.repeatedRequest, device) {
            schedule(.request(nil, question, RequestFate()), device, after: latency(device))
        }
        let fate = RequestFate(
            isAnswerLost: happens(\.lostAnswer, device) || happens(\.cutAnswer, device),
            limit: now + Self.timeLimit.microseconds)
        let there = latency(device)
        let isLate = there >= Self.timeLimit
        schedule(.request(isLate ? nil : id, question, fate), device, after: there)
        if isLate { fail(id, .timedOut, device, after: Self.timeLimit) }
    }

    /// Lets the server answer a request that has arrived.
    private func arrive(
        _ id: SyncMachine.OperationID?, _ question: ServerQuestion, _ fate: RequestFate,
        _ device: CoreDevice, on storage: isolated MemoryStorage
    ) {
        // A request on its way is lost with the link.
        guard device.isLinkUp else {
            if let id { fail(id, .lost, device) }
            return
        }
        let result = server.answer(question, as: device.user, on: storage, at: serverTime)
        made.note(question, by: device.user, result)
        deliver()
        guard let id else { return }
        let left = Duration.microseconds(fate.limit - now)
        if fate.isAnswerLost {
            return fail(id, .lost, device, after: min(random.duration(in: Self.notice), left))
        }
        let isSlow = happens(\.slowAnswer, device)
        let back = isSlow ? random.duration(in: Self.slowAnswer) : latency(device)
        answer(id, result, device, after: back, atMost: left)
    }

    private func answer(
        _ id: SyncMachine.OperationID, _ result: Answered<ServerAnswer>, _ device: CoreDevice,
        after delay: Duration, atMost limit: Duration = timeLimit
    ) {
        guard delay < limit else { return fail(id, .timedOut, device, after: limit) }
        schedule(.input(.reply(id, .answer(result))), device, after: delay)
    }

    private enum Failure: String {
        case unreachable = "The simulated link is down."
        case lost = "The simulated connection broke."
        case timedOut = "The simulated answer did not come in time."
    }

    private func fail(
        _ id: SyncMachine.OperationID, _ failure: Failure, _ device: CoreDevice,
        after delay: Duration = .milliseconds(1)
    ) {
        let error = RoostError(
            .networkError, remedy: .retry, message: failure.rawValue,
            cause: failure == .unreachable ? .unreachable : .other)
        schedule(.input(.reply(id, .answer(.failure(error)))), device, after: delay)
    }

    // MARK: Sockets

    func open(_ epoch: LinkMachine.Epoch, _ key: String?, _ device: CoreDevice) {
        close(device)
        guard device.isLinkUp else {
            let loss = LinkMachine.Loss.unreachable(Failure.unreachable.rawValue)
            return schedule(
                .input(.link(.lost(epoch, loss))), device, after: .milliseconds(1))
        }
        schedule(.opening(epoch, sessionKey: key), device, after: latency(device))
    }

    /// Answers a request for a socket that has arrived.
    private func accept(
        _ epoch: LinkMachine.Epoch, _ key: String?, _ device: CoreDevice,
        on storage: isolated MemoryStorage
    ) {
        guard device.state.link.machine.epoch == epoch else { return }
        guard device.isLinkUp else {
            return give(.link(.lost(epoch, .unreachable(Failure.lost.rawValue))), device)
        }
        lastConnection += 1
        let connection = lastConnection
        device.connection = CoreDevice.Connection(number: connection, epoch: epoch)
        give(.link(.opened(epoch)), device)
        if happens(\.busyLogin, device) {
            let wait = BusyEvent(
                retryAfter: .seconds(Int64(1 + random.next() % 20)), reason: 0, message: "busy")
            return send(.busy(wait), to: connection, device)
        }
        if let key, device.expiredKeys.contains(key) {
            let error = ServerError(.sessionKeyExpired, "The simulated session has expired.")
            return send(.login(.failure(error, acknowledges: nil)), to: connection, device)
        }
        let login = server.connect(connection, as: device.user, on: storage, at: serverTime)
        device.hasLostFrame = false
        device.lastLoginAt = serverTime
        send(.login(.success(login)), to: connection, device)
        deliver()
    }

    /// Ends the device's end of its socket; the server notices a moment later.
    func close(_ device: CoreDevice) {
        guard let connection = device.connection else { return }
        device.connection = nil
        schedule(.hangUp(connection: connection.number), device, after: latency(device))
    }

    /// Cuts the link: frames and requests on their way are lost in both directions.
    func cut(_ device: CoreDevice) {
        device.isLinkUp = false
        guard let connection = device.connection else { return }
        device.connection?.inbox = []
        server.disconnect(connection.number)
        schedule(.end(connection: connection.number, .closed), device)
    }

    /// Sends a frame of the device.
    ///
    /// - Returns: False without a connection.
    func send(_ command: ClientCommand, _ device: CoreDevice) -> Bool {
        guard case .online = device.state.link.state, let connection = device.connection,
            connection.loss == nil
        else { return false }
        connection.arrivalUp = max(connection.arrivalUp, now + latency(device).microseconds)
        schedule(
            .command(connection: connection.number, command), device, at: connection.arrivalUp)
        return true
    }

    /// Sends the frames that the server has made.
    func deliver() {
        for delivery in server.takeDeliveries() {
            guard
                let device = devices.first(where: {
                    $0.connection?.number == delivery.connection
                })
            else { continue }
            send(delivery.event, to: delivery.connection, device)
        }
    }

    private func send(_ event: ServerEvent, to connection: Int, _ device: CoreDevice) {
        guard let open = device.connection, open.number == connection else { return }
        open.arrivalDown = max(open.arrivalDown, now + latency(device).microseconds)
        schedule(.frame(connection: connection, event), device, at: open.arrivalDown)
    }

    /// Handles an event of the link.
    func cross(_ event: Event, _ device: CoreDevice, on storage: isolated MemoryStorage) {
        switch event {
        case .request(let id, let question, let fate):
            arrive(id, question, fate, device, on: storage)
        case .opening(let epoch, let key): accept(epoch, key, device, on: storage)
        case .frame(let connection, let event):
            guard device.connection?.number == connection else { return }
            arrive(event, device)
        case .release(let connection):
            guard device.connection?.number == connection,
                let event = device.connection?.overtaken
            else { return }
            device.connection?.overtaken = nil
            append(event, device)
        case .end(let connection, let loss):
            guard device.connection?.number == connection else { return }
            device.connection?.loss = loss
            takeFrame(device)
        case .command(let connection, let command):
            arrive(command, connection, device, on: storage)
        case .hangUp(let connection):
            server.disconnect(connection)
        default: preconditionFailure("\(event) does not cross a link.")
        }
    }

    private func arrive(
        _ command: ClientCommand, _ connection: Int, _ device: CoreDevice,
        on storage: isolated MemoryStorage
    ) {
        guard device.isLinkUp, server.isConnected(connection) else { return }
        if device.connection?.number == connection {
            if device.connection?.isHalfOpen == true { return }
            if happens(\.halfOpen, device) {
                device.connection?.isHalfOpen = true
                return
            }
            if happens(\.cutFrame, device) {
                server.disconnect(connection)
                return schedule(.end(connection: connection, .closed), device)
            }
        }
        if case .message = command, happens(\.refusedMessage, device) {
            let error = ServerError(.channelFrozen, "The simulated server refuses the message.")
            return send(
                .error(error, acknowledges: command.requestID), to: connection, device)
        }
        server.take(command, from: connection, as: device.user, on: storage, at: serverTime)
        if case .message = command, happens(\.repeatedFrame, device) {
            server.take(command, from: connection, as: device.user, on: storage, at: serverTime)
        }
        if case .edit(let edit) = command,
            let message = storage.message(edit.messageID, in: edit.channelURL)
        {
            made.note(text: message.text)
        }
        deliver()
    }

    /// Lets a frame arrive on its device, in the present weather.
    private func arrive(_ event: ServerEvent, _ device: CoreDevice) {
        guard device.isLinkUp, device.connection?.isHalfOpen == false else { return }
        if case .login = event { return append(event, device) }
        guard device.weather != .calm else { return append(event, device) }
        if happens(\.halfOpen, device) {
            device.connection?.isHalfOpen = true
            return
        }
        if happens(\.cutFrame, device), let connection = device.connection?.number {
            server.disconnect(connection)
            return schedule(.end(connection: connection, .closed), device)
        }
        if event.isAcknowledgement, happens(\.lostAcknowledgement, device) {
            device.hasLostFrame = true
            return
        }
        if happens(\.expiry, device), let key = device.state.link.sessionKey {
            device.expiredKeys.insert(key)
            append(event, device)
            return append(.expired(reason: nil, expiresIn: nil), device)
        }
        guard let channel = event.channel, let connection = device.connection?.number else {
            return append(event, device)
        }
        if let waiting = device.connection?.overtaken {
            device.connection?.overtaken = nil
            let isOther = waiting.channel != channel
            for frame in isOther ? [event, waiting] : [waiting, event] { append(frame, device) }
        } else if happens(\.overtakenFrame, device) {
            device.connection?.overtaken = event
            // It arrives late if no frame overtakes it.
            schedule(.release(connection: connection), device, after: .milliseconds(300))
        } else {
            append(event, device)
            if happens(\.repeatedFrame, device) { append(event, device) }
        }
    }

    private func append(_ event: ServerEvent, _ device: CoreDevice) {
        if let waiting = device.connection?.overtaken {
            device.connection?.overtaken = nil
            device.connection?.inbox.append(waiting)
        }
        device.connection?.inbox.append(event)
        takeFrame(device)
    }

    /// Applies the next frame, once the machine has applied the last one.
    func takeFrame(_ device: CoreDevice) {
        while let connection = device.connection, connection.frame == nil {
            guard !connection.inbox.isEmpty else {
                guard let loss = connection.loss else { return }
                device.connection = nil
                return give(.link(.lost(connection.epoch, loss)), device)
            }
            let event = connection.inbox.removeFirst()
            let id = SyncMachine.OperationID(number())
            connection.frame = id
            note("    \(device.name) << \(event)")
            give(.frame(id, event, connection.epoch), device)
        }
    }
}

extension ServerQuestion {
    /// Whether a proxy may send the request twice.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .channel, .messages, .gap, .messageChanges, .channelChanges, .myChannels,
            .fingerprints, .countMessages, .mute, .delete, .openChannel:
            true
        case .markAsRead, .post, .react, .upload, .create, .update, .join, .invite, .leave,
            .request, .moment, .writeMetadata:
            false
        }
    }
}

extension ServerEvent {
    fileprivate var isAcknowledgement: Bool {
        switch self {
        case .message(let event): event.acknowledges != nil
        case .edited(let event): event.acknowledges != nil
        default: false
        }
    }

    fileprivate var channel: ChannelURL? {
        switch self {
        case .message(let event): event.message.channelURL
        case .edited(let event): event.message.channelURL
        case .deleted(let event): event.channelURL
        case .read(let event): event.channelURL
        case .channel(let event): event.channelURL
        case .reaction(let event): event.channelURL
        case .thread(let event): event.channelURL
        default: nil
        }
    }
}
