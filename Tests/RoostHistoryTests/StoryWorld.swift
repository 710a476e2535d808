// SPDX-License-Identifier: Apache-2.0

import RoostHistory
import RoostTestSupport

/// A faultless server with clients that record histories.
struct StoryWorld {
    private struct Pending {
        var channel: Int
        var text: String
        var request: String
    }

    private struct Client {
        let name: String
        let user: String
        var number: Int64 = 0
        var outbox: [Pending] = []
        /// The messages of each channel, as this client has them.
        var known: [[HistoryMessage]]
        /// The messages that it does not show while their deletions wait, oldest first.
        var waiting: [(channel: Int, id: Int64)] = []

        /// The messages of a channel without those whose deletions wait.
        func shown(_ messages: [HistoryMessage], of channel: Int) -> [HistoryMessage] {
            messages.filter { message in
                !waiting.contains { $0.channel == channel && $0.id == message.id }
            }
        }
    }

    let channels = ["first", "second"]
    private(set) var files: [[HistoryLine]] = [[], [], [], []]
    private var random: SplitMix64
    private var clients: [Client]
    private var server: [[HistoryMessage]]
    private var now: Int64 = 1_795_000_000_000
    private var lastID: Int64 = 40
    private var lastText = 0
    private var lastRefusal = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        let empty = [[HistoryMessage]](repeating: [], count: channels.count)
        server = empty
        // The last client is a second device of the first one's user.
        clients = ["ada", "bo", "cy", "ada"].enumerated().map { number, user in
            Client(name: "\(user)@\(number)", user: user, known: empty)
        }
        for client in clients.indices { start(client) }
    }

    mutating func act() {
        let client = random.below(clients.count)
        let channel = random.below(channels.count)
        switch random.below(100) {
        case ..<30: send(client, channel)
        case ..<60: deliver(client)
        case ..<62: refuse(client)
        case ..<70: edit(client, channel)
        case ..<74: delete(client, channel)
        case ..<85: learn(client, channel)
        default: show(client, channel)
        }
    }

    mutating func end(hasLog: Bool) {
        for client in clients.indices {
            while !clients[client].outbox.isEmpty { deliver(client) }
            while !clients[client].waiting.isEmpty { refuse(client) }
        }
        for client in clients.indices {
            for channel in channels.indices {
                learn(client, channel)
                show(client, channel, isAtEnd: true)
            }
        }
        guard hasLog else { return }
        var lines = [HistoryLine(client: "platform", number: 1, .start(HistoryStart(user: nil)))]
        for (channel, name) in channels.enumerated() {
            let middle = server[channel].count / 2
            let parts = [server[channel][..<middle], server[channel][middle...]]
            for (number, part) in parts.enumerated() {
                let view = HistoryView(
                    channel: name, messages: Array(part), hasOlder: number == 1,
                    hasNewer: number == 0)
                lines.append(
                    HistoryLine(
                        client: "platform", number: Int64(lines.count + 1), .log(view)))
            }
        }
        files.append(lines)
    }

    // MARK: Actions

    @discardableResult
    private mutating func record(_ fact: HistoryFact, _ client: Int) -> Int64 {
        clients[client].number += 1
        let number = clients[client].number
        files[client].append(HistoryLine(client: clients[client].name, number: number, fact))
        return number
    }

    private mutating func start(_ client: Int) {
        record(.start(HistoryStart(user: clients[client].user, application: "demo")), client)
    }

    private mutating func send(_ client: Int, _ channel: Int) {
        lastText += 1
        let text = random.below(5) == 0 ? "ok" : "text \(lastText)"
        let call = record(
            .call(HistoryCall("send", channel: channels[channel], text: text)), client)
        let message = Pending(channel: channel, text: text, request: "request-\(lastText)")
        guard random.below(30) > 0 else {
            // The process is killed: the message may be on disk already.
            if random.below(2) == 0 { clients[client].outbox.append(message) }
            return start(client)
        }
        clients[client].outbox.append(message)
        record(
            .answer(HistoryAnswer(call: call, isOK: true, request: message.request)), client)
    }

    private mutating func deliver(_ client: Int) {
        guard !clients[client].outbox.isEmpty else { return }
        let pending = clients[client].outbox.removeFirst()
        now += Int64(2 + random.below(50))
        lastID += Int64(1 + random.below(3))
        let message = HistoryMessage(
            id: lastID, createdAt: now, request: pending.request, sender: clients[client].user,
            text: pending.text)
        server[pending.channel].append(message)
        learn(client, pending.channel)
        // A killed process may lose the acknowledgement of a message that is there.
        if random.below(12) > 0 {
            record(.acknowledged(message, channel: channels[pending.channel]), client)
        }
    }

    /// Returns the place of a message that the client knows and may change.
    private mutating func ownMessage(_ client: Int, _ channel: Int) -> Int? {
        let own = server[channel].indices.filter { index in
            server[channel][index].sender == clients[client].user
                && clients[client].known[channel].contains { $0.id == server[channel][index].id }
        }
        return own.isEmpty ? nil : own[random.below(own.count)]
    }

    private mutating func edit(_ client: Int, _ channel: Int) {
        guard let index = ownMessage(client, channel) else { return }
        lastText += 1
        let (id, text, name) = (server[channel][index].id, "edit \(lastText)", channels[channel])
        let call = record(
            .call(HistoryCall("edit", channel: name, text: text, message: id)), client)
        record(.answer(HistoryAnswer(call: call, isOK: true)), client)
        guard random.below(8) > 0 else {
            record(
                .refused(
                    id, code: 400_108, channel: name, action: "edit", request: "edit-\(lastText)"),
                client)
            return
        }
        now += 2
        server[channel][index].text = text
        server[channel][index].updatedAt = now
        learn(client, channel)
        record(.edited(id, text: text, channel: name), client)
    }

    private mutating func delete(_ client: Int, _ channel: Int) {
        guard let index = ownMessage(client, channel) else { return }
        let (id, name) = (server[channel][index].id, channels[channel])
        let call = record(.call(HistoryCall("delete", channel: name, message: id)), client)
        record(.answer(HistoryAnswer(call: call, isOK: true)), client)
        guard random.below(6) > 0 else {
            // The client is offline, and the server will refuse.
            clients[client].waiting.append((channel, id))
            return take(clients[client].known[channel], client, channel)
        }
        server[channel].remove(at: index)
        learn(client, channel)
        record(.deleted(id, channel: name), client)
    }

    /// Refuses the oldest waiting deletion of a client, which shows the message again.
    private mutating func refuse(_ client: Int) {
        guard !clients[client].waiting.isEmpty else { return }
        let (channel, id) = clients[client].waiting.removeFirst()
        lastRefusal += 1
        record(
            .refused(
                id, code: 400_108, channel: channels[channel], action: "delete",
                request: "delete-\(lastRefusal)"), client)
        learn(client, channel)
    }

    /// Brings a client up to date.
    private mutating func learn(_ client: Int, _ channel: Int) {
        take(server[channel], client, channel)
    }

    /// Gives a client the messages of a channel, of which it shows those that it may.
    private mutating func take(_ messages: [HistoryMessage], _ client: Int, _ channel: Int) {
        let old = clients[client].known[channel]
        let new = clients[client].shown(messages, of: channel)
        guard old != new else { return }
        clients[client].known[channel] = new
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
        let left = Set(new.map(\.id))
        record(
            .change(
                HistoryChange(
                    channel: channels[channel], inserted: new.filter { before[$0.id] == nil },
                    updated: new.filter { before[$0.id] != nil && before[$0.id] != $0 },
                    deleted: old.map(\.id).filter { !left.contains($0) })), client)
    }

    private mutating func show(_ client: Int, _ channel: Int, isAtEnd: Bool = false) {
        let call = record(.call(HistoryCall("snapshot", channel: channels[channel])), client)
        let known = clients[client].known[channel]
        let isWhole = isAtEnd || known.count < 6 || random.below(4) == 0
        let length = isWhole ? known.count : 3 + random.below(known.count - 3)
        let isCut = !isAtEnd && random.below(4) == 0
        let end = isCut ? max(length, known.count - 2) : known.count
        let view = HistoryView(
            channel: channels[channel], call: call,
            messages: Array(known[(end - length)..<end]), hasOlder: end > length,
            hasNewer: end < known.count,
            isCaughtUp: end == known.count && clients[client].waiting.isEmpty
                && (isAtEnd || random.below(3) > 0))
        // An acknowledgement may come while the snapshot is on its way to the file.
        if !isAtEnd, random.below(6) == 0 { deliver(client) }
        record(.snapshot(view), client)
        record(.answer(HistoryAnswer(call: call, isOK: true)), client)
    }
}
