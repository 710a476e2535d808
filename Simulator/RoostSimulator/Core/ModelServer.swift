// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostWire

/// The server of a core world: the rules of `ChatServer` as plain calls over a storage in memory.
///
/// It answers decoded questions at once, and collects the events for connected users until
/// `takeDeliveries`. A change of a rule in `ChatServer` is made here too; `ServerContract` compares
/// the two.
struct ModelServer {
    /// An event on its way to a connection.
    struct Delivery {
        let connection: Int
        let event: ServerEvent
    }

    private struct Connection {
        let number: Int
        let user: UserID
    }

    /// In the order of the logins.
    private var connections: [Connection] = []
    private var deliveries: [Delivery] = []
    private let configuration = ChatServer.Configuration(applicationID: "simulation")

    func isConnected(_ number: Int) -> Bool { connections.contains { $0.number == number } }

    /// Returns the events since the last call, in order.
    mutating func takeDeliveries() -> [Delivery] {
        defer { deliveries.removeAll(keepingCapacity: true) }
        return deliveries
    }

    mutating func connect(
        _ number: Int, as user: UserID, on storage: isolated MemoryStorage, at now: Timestamp
    ) -> LoginSuccess {
        connections.append(Connection(number: number, user: user))
        return configuration.greeting(
            storage.user(user) ?? User(id: user), key: "key \(number)", fileKey: "",
            unread: UnreadCount(all: storage.unreadTotal(of: user), timestamp: now), at: now)
    }

    mutating func disconnect(_ number: Int) { connections.removeAll { $0.number == number } }

    // MARK: Events

    mutating func publish(
        _ event: ServerEvent, to users: [UserID], except: Int? = nil
    ) {
        for connection in connections
        where connection.number != except && users.contains(connection.user) {
            deliveries.append(Delivery(connection: connection.number, event: event))
        }
    }

    private mutating func send(_ event: ServerEvent, to connection: Int) {
        guard isConnected(connection) else { return }
        deliveries.append(Delivery(connection: connection, event: event))
    }

    mutating func publish(_ announcements: [Announcement]) {
        for item in announcements { publish(item.event.asOnTheWire, to: item.recipients) }
    }

    /// Publishes a message to the users who see it, each without the parts of hidden messages in
    /// it.
    private mutating func publish(
        _ message: Message, to audience: Audience, except: Int?,
        as event: (Message) -> ServerEvent
    ) {
        let (whole, partial, part) = audience.shares(of: message)
        publish(event(message), to: whole, except: except)
        if let part { publish(event(part), to: partial, except: except) }
    }

    mutating func publishThread(
        of parent: Message?, in url: ChannelURL, to audience: Audience
    ) {
        guard let parent, let id = parent.messageID, let thread = parent.details.threadInfo else {
            return
        }
        let event = ThreadEvent(channelURL: url, parentID: id, threadInfo: thread)
        publish(.thread(event), to: audience.readers(of: parent.createdAt))
    }

    // MARK: Questions

    /// Answers a request of a user.
    mutating func answer(
        _ question: ServerQuestion, as user: UserID, on storage: isolated MemoryStorage,
        at now: Timestamp
    ) -> Answered<ServerAnswer> {
        do throws(ServerError) {
            return .success(try reply(to: question, user, storage, now))
        } catch {
            guard [.notFound, .channelNotFound].contains(error.code) else {
                return .failure(RoostError(error))
            }
            // REST has one number for all missing objects; the client knows when it is a channel.
            let code: RoostError.Code = question.namesOnlyChannel ? .channelNotFound : .notFound
            return .failure(RoostError(ServerError(code, error.message)))
        }
    }

    private mutating func reply(
        to question: ServerQuestion, _ user: UserID, _ storage: isolated MemoryStorage,
        _ now: Timestamp
    ) throws(ServerError) -> ServerAnswer {
        let desk = Desk(user: user, now: now)
        switch question {
        case .channel(let call):
            _ = try desk.admit(AccessRule(.user, in: .visitor), call.channelURL, on: storage)
            return .channel(try desk.view(call.channelURL, call.extras, on: storage))
        case .openChannel: throw ServerError(.notFound, "The model has no open channels.")
        case .messages(let call):
            let standing = try desk.admit(.reader, call.channelURL, on: storage)
            return .messages(try desk.list(call, standing.sight, on: storage))
        case .gap(let call):
            let standing = try desk.admit(.reader, call.channelURL, on: storage)
            return .gap(desk.gap(call, standing.sight, on: storage))
        case .messageChanges(let call):
            let standing = try desk.admit(.reader, call.channelURL, on: storage)
            return .messageChanges(try desk.changes(call, standing.sight, on: storage))
        case .channelChanges(let call):
            return .channelChanges(try desk.changes(call, on: storage))
        case .myChannels(let call): return .myChannels(try desk.list(call, on: storage))
        case .fingerprints(let call):
            let standing = try desk.admit(.reader, call.channelURL, on: storage)
            return .fingerprints(desk.fingerprints(call, standing.sight, on: storage))
        case .countMessages(let call):
            let standing = try desk.admit(.reader, call.channelURL, on: storage)
            return .count(desk.count(call.channelURL, standing.sight, on: storage))
        case .mute(let call):
            _ = try desk.admit(.reader, call.channelURL, on: storage)
            return .mute(desk.mute(of: call.userID, in: call.channelURL, on: storage))
        case .markAsRead(let call):
            if let first = call.unreadFrom {
                try markUnread(from: first, call, by: desk, on: storage)
            } else {
                _ = try desk.admit(.own(.member), call.channelURL, on: storage)
                try markRead(call.channelURL, by: desk, from: nil, nil, on: storage)
            }
            return .done
        case .post(let call):
            return .message(try accept(call.message, from: nil, desk, on: storage))
        case .delete(let call):
            try delete(call, desk, on: storage)
            return .done
        case .react(let call): return .reaction(try react(call, desk, on: storage))
        case .upload:
            return .uploaded(UploadFile.Output(url: "https://files.example/\(now.milliseconds)"))
        case .create(let call): return .channel(try create(call, desk, on: storage))
        case .update(let call):
            _ = try desk.admit(.speech(in: .member), call.channelURL, on: storage)
            _ = storage.updateChannel(call.channelURL, now: now) { $0.apply(call, code: nil) }
            let event = ChannelEvent(
                .propertiesChanged, channelURL: call.channelURL, timestamp: now)
            publish(.channel(event), to: storage.memberIDs(of: call.channelURL))
            return .channel(try desk.view(call.channelURL, on: storage))
        case .join(let call):
            _ = try desk.admit(.own(.newcomer), call.channelURL, on: storage)
            return try .channel(
                add([user], to: call.channelURL, inviter: nil, by: user, desk, on: storage))
        case .invite(let call):
            _ = try desk.admit(AccessRule(.user, in: .member), call.channelURL, on: storage)
            let channel = try add(
                call.userIDs, to: call.channelURL, inviter: user, by: user, desk, on: storage)
            // The server adds the users who have to accept, of whom there are none; the number of
            // that change stands in later tokens.
            _ = storage.addMembers(
                [], as: .invited, inviter: user, to: call.channelURL, now: now)
            return .channel(channel)
        case .leave(let call):
            try leave(call.channelURL, desk, on: storage)
            return .done
        case .request(.unhide(let url)):
            _ = try desk.admit(.own(.member), url, on: storage)
            _ = storage.updateMember(user, of: url, now: now) { $0.hidden = .unhidden }
            publish(
                .channel(ChannelEvent(.unhidden, channelURL: url, timestamp: now)), to: [user])
            return .done
        case .request(.mute(let url, let id, let seconds, let reason)):
            try mute(id, in: url, seconds: seconds, reason: reason, desk, on: storage)
            return .done
        case .request(.unmute(let url, let id)):
            try unmute(id, in: url, desk, on: storage)
            return .done
        case .moment(.hide(let url, let hidesPrevious, let returns)):
            let offset = try hide(url, hidesPrevious, returns, desk, on: storage)
            return .moment(offset)
        case .moment(.resetHistory(let url, ofEverybody: _)):
            _ = try desk.admit(.own(.member), url, on: storage)
            let end = desk.endOfLog(of: url, on: storage)
            let changed = storage.updateMember(user, of: url, now: now) { $0.forget(through: end) }
            let event = ChannelEvent(.propertiesChanged, channelURL: url, timestamp: now)
            publish(.channel(event), to: [user])
            return .moment(changed?.traits.messageOffset)
        case .request, .moment, .writeMetadata:
            preconditionFailure("The model of the server has no answer to \(question).")
        }
    }

    // MARK: Commands

    /// Performs a command from a connection; connection 0 is a user outside the world.
    mutating func take(
        _ command: ClientCommand, from connection: Int, as user: UserID,
        on storage: isolated MemoryStorage, at now: Timestamp
    ) {
        do throws(ServerError) {
            try perform(command, from: connection, Desk(user: user, now: now), on: storage)
        } catch {
            guard let requestID = command.requestID else { return }
            send(.error(error, acknowledges: requestID), to: connection)
        }
    }

    private mutating func perform(
        _ command: ClientCommand, from connection: Int, _ desk: Desk,
        on storage: isolated MemoryStorage
    ) throws(ServerError) {
        switch command {
        case .ping: send(.pong, to: connection)
        case .message(let message):
            _ = try accept(message, from: connection, desk, on: storage)
        case .edit(let edit): try change(edit, from: connection, desk, on: storage)
        case .read(let url, let requestID):
            _ = try desk.admit(AccessRule(.user, in: .member), url, on: storage)
            try markRead(url, by: desk, from: connection, requestID, on: storage)
        case .typingStart(let url, _):
            try publishTyping(in: url, isTyping: true, desk, on: storage)
        case .typingEnd(let url, _):
            try publishTyping(in: url, isTyping: false, desk, on: storage)
        case .messageAcknowledgement(let url, let id):
            let standing = try desk.admit(.member, url, on: storage)
            guard standing.access?.record.countsReceipts == true,
                let place = storage.position(of: id, in: url),
                standing.sight.shows(place.createdAt)
            else { return }
            let moment = max(desk.now, place.createdAt)
            let mark = DeliveryMark(
                channel: url, user: desk.user, moment: moment, place: place.createdAt)
            guard !storage.markDelivered([mark]).isEmpty else { return }
            publish(
                .delivered(url, [desk.user: moment]),
                to: Audience(audienceMembers: storage.audienceMembers(of: url)).readers)
        case .readThread, .refreshSession, .enter, .exit, .vote, .unknown:
            preconditionFailure("The model of the server does not take \(command).")
        }
    }

    private mutating func publishTyping(
        in url: ChannelURL, isTyping: Bool, _ desk: Desk, on storage: isolated MemoryStorage
    ) throws(ServerError) {
        _ = try desk.admit(.typing, url, on: storage)
        guard let user = storage.user(desk.user) else { return }
        let event = ChannelEvent(
            isTyping ? .typingStart : .typingEnd, channelURL: url, timestamp: desk.now,
            content: .typing(user, isTyping: isTyping))
        let readers = Audience(audienceMembers: storage.audienceMembers(of: url)).readers
        publish(.channel(event), to: readers.filter { $0 != desk.user })
    }

    // MARK: Messages

    private mutating func accept(
        _ command: MessageCommand, from connection: Int?, _ desk: Desk,
        on storage: isolated MemoryStorage
    ) throws(ServerError) -> Message {
        let url = command.channelURL
        let audience = Audience(audienceMembers: storage.audienceMembers(of: url))
        var message: Message
        var sight: Sight?
        do throws(ServerError) {
            let standing = try desk.admit(.message, url, on: storage)
            sight = standing.sight
            let sender = standing.user.map { Sender(user: $0, role: standing.role) }
            message = Message(
                command, from: sender, mentioning: storage.users(command.mention.userIDs),
                at: desk.now)
            if let parent = command.parentID {
                try message.answer(storage.message(parent, in: url), standing.sight)
            }
        } catch {
            // A message in the log is acknowledged even if it would be refused now.
            guard let request = command.requestID,
                storage.isKnown(request, of: desk.user, in: url),
                let user = storage.user(desk.user)
            else { throw error }
            // Without the right to read, the answer has nothing that a look-up would show.
            sight = try? desk.admit(.reader, url, on: storage).sight
            message = Message(
                delivery: .delivered(0, request), channelURL: url, createdAt: desk.now,
                sender: Sender(user: user), content: command.content)
        }
        guard case .success(let appended?)? = storage.append([message], now: desk.now).first else {
            throw ServerError(.channelNotFound, "There is no such channel.")
        }
        if let connection, let requestID = command.requestID {
            acknowledge(appended, sight, requestID, in: url, to: connection, desk)
        }
        if !appended.isRepeat {
            let except = command.requestID == nil ? nil : connection
            let previous = appended.previousID
            if appended.parent == nil {
                let event = MessageEvent(message: appended.message, previousMessageID: previous)
                publish(
                    .message(event), to: audience.readers(of: appended.message.createdAt),
                    except: except)
            } else {
                publish(appended.message, to: audience, except: except) {
                    .message(MessageEvent(message: $0, previousMessageID: previous))
                }
            }
            publishThread(of: appended.parent, in: url, to: audience)
        }
        return appended.answer(in: sight)
    }

    private mutating func acknowledge(
        _ appended: Appended, _ sight: Sight?, _ requestID: RequestID, in url: ChannelURL,
        to connection: Int, _ desk: Desk
    ) {
        var answer = MessageEvent(
            message: appended.answer(in: sight), previousMessageID: appended.previousID)
        answer.acknowledges = requestID
        send(.message(answer), to: connection)
        guard appended.isDeleted, let id = appended.message.messageID else { return }
        let deletion = DeletionEvent(
            channelURL: url, messageID: id, timestamp: desk.now,
            messageCreatedAt: appended.message.createdAt, senderID: desk.user)
        send(.deleted(deletion), to: connection)
    }

    private mutating func change(
        _ edit: EditCommand, from connection: Int, _ desk: Desk,
        on storage: isolated MemoryStorage
    ) throws(ServerError) {
        _ = try desk.admit(.edit, edit.channelURL, edit.messageID, on: storage)
        let mentioned = storage.users(edit.mentionedUserIDs ?? [])
        var event: EditEvent
        switch storage.edit(edit, mentioned: mentioned, now: desk.now) {
        case .edited(let message, let mention):
            event = EditEvent(message: message, oldMention: mention)
            let audience = Audience(audienceMembers: storage.audienceMembers(of: edit.channelURL))
            publish(message, to: audience, except: edit.requestID == nil ? nil : connection) {
                .edited(EditEvent(message: $0, oldMention: mention))
            }
        case .repeated(let message):
            event = EditEvent(message: message, oldMention: message.mention)
        case .notFound: throw ServerError(.messageNotFound, "There is no such message.")
        }
        guard let requestID = edit.requestID else { return }
        // The request ID of the answer belongs to the edit; the message's own is not sent.
        event.message.delivery = .delivered(edit.messageID, nil)
        event.acknowledges = requestID
        send(.edited(event), to: connection)
    }

    private mutating func markRead(
        _ url: ChannelURL, by desk: Desk, from connection: Int?, _ requestID: RequestID?,
        on storage: isolated MemoryStorage
    ) throws(ServerError) {
        guard let user = storage.user(desk.user),
            let mark = storage.markRead(url, by: desk.user, now: desk.now)
        else { throw ServerError(.notAMember, "Only members of the channel may do this.") }
        var event = ReadEvent(channelURL: url, user: user, timestamp: mark)
        publish(
            .read(event), to: Audience(audienceMembers: storage.audienceMembers(of: url)).readers,
            except: requestID == nil ? nil : connection)
        if let connection, let requestID {
            event.acknowledges = requestID
            send(.read(event), to: connection)
        }
        let total = storage.unreadTotal(of: desk.user)
        let counts = ChannelEvent(
            .propertiesChanged, channelURL: url, timestamp: mark,
            unread: UnreadCount(all: total, timestamp: desk.now))
        publish(.channel(counts), to: [desk.user])
    }
}
