// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// An app and its extension may have one outbox. Both write to it; one of them sends.

extension Outbox {
    /// Takes over what another process wrote, and forgets what it has seen to.
    func hearOthers() async {
        // What the disk says may be old when it arrives: only what was known before can be missing, and
        // what was written down since is no news.
        let known = items.map(\.requestID)
        let hadMissedNews = hasMissedNews
        (hasMissedNews, hasNews) = (false, false)
        hearing += 1
        let stored: OutboxItems?
        var isRead = true
        do {
            stored = try await store.news(regardless: hadMissedNews)
        } catch {
            (stored, isRead) = (nil, false)
            hasMissedNews = hasMissedNews || hadMissedNews  // The next ring asks again.
        }
        hearing -= 1
        defer { if hearing == 0 { endHearing(isRead: isRead) } }
        guard let stored else { return }
        var channels: Set<ChannelURL> = []
        var effects: [OutboxMachine.Effect] = []
        var news: [News] = []
        for item in stored.items {
            let index = index(of: item.requestID)
            guard index.map({ items[$0] != item }) ?? true else { continue }
            guard isSettled(item.requestID) else {
                missNews(of: item.requestID)
                continue
            }
            if item.change == nil { channels.insert(item.channel) }
            guard let index else {
                place(item)
                effects += step(.queued(OutboxMachine.Item(item)))
                continue
            }
            let old = takeOut(at: index)
            place(item)
            let isMoved = item.sequence != old.sequence
            effects += step(.revised(OutboxMachine.Item(item), isMoved: isMoved))
            if old.state != item.state { news.append(.state(item)) }
            if case .failed = old.state, item.state == .pending, let message = message(item) {
                reasons[item.requestID] = nil
                observers.publish(.retried(message))
            }
        }
        // An item that cannot be read is there all the same.
        let names = Set(stored.items.map(\.requestID))
        let missing = known.filter { !names.contains($0) }
        await carryOut(effects)
        for item in news { await tell(item) }
        for channel in channels.sorted() { await surroundings.changed(channel) }
        if let loss = stored.loss {
            await restore(missing, after: loss)
        } else {
            guard stored.unreadable.isEmpty else { return }
            for requestID in missing { await missed(requestID) }
        }
        await aimStranded()
    }

    /// The disk has to be asked again when what is being written down of an item has come on it; of one of
    /// which it takes nothing, when it does.
    private func missNews(of requestID: RequestID) {
        if refusal(of: requestID) == nil { hasMissedNews = true }
    }

    /// A damaged file has lost items, and nobody has seen to them: what the cache does not know as delivered
    /// is written again.
    ///
    /// What the repair had saved and is missing since another process has seen to.
    private func restore(_ missing: [RequestID], after loss: OutboxLoss) async {
        var delivered: [RequestID: MessageID] = [:]
        for requestID in missing { delivered[requestID] = await surroundings.find(requestID) }
        var lost: [Debt] = []
        var gone: [RequestID] = []
        var isWhole = true
        for requestID in missing where delivered[requestID] == nil {
            guard let index = index(of: requestID) else { continue }
            guard !loss.carriedOver.contains(items[index].sequence) else {
                gone.append(requestID)
                continue
            }
            guard isSettled(requestID) else {
                isWhole = false
                missNews(of: requestID)
                continue
            }
            lost.append(Debt(note: .restored(items[index])))
        }
        owe(lost)
        if isWhole { await store.mend(loss) }
        await payDebts()
        for (requestID, messageID) in delivered.sorted(by: { $0.key < $1.key }) {
            await arrived(requestID, as: messageID)
        }
        for requestID in gone { await missed(requestID) }
    }

    /// Another process has seen to an item: it was delivered, and the cache knows, or taken back.
    private func missed(_ requestID: RequestID) async {
        guard let index = index(of: requestID) else { return }
        guard isSettled(requestID) else { return missNews(of: requestID) }
        if items[index].change != nil {
            await made(requestID)
        } else if let messageID = await surroundings.find(requestID) {
            await arrived(requestID, as: messageID)
        } else {
            await cancel(requestID)
        }
    }

    /// The cache knows a message as delivered.
    private func arrived(_ requestID: RequestID, as messageID: MessageID) async {
        guard index(of: requestID) != nil else { return }
        await receive(.delivered(requestID, messageID))
        if let message = await surroundings.held(messageID) {
            observers.publish(.delivered(message))
        }
    }

    /// Changes of a message that another process saw to are told its ID by the cache.
    func aimStranded() async {
        let awaited = Set(
            items.compactMap { item -> RequestID? in
                guard case .unsent(let id)? = item.change?.action.target else { return nil }
                return index(of: id) == nil ? id : nil
            })
        for id in awaited.sorted() {
            guard let messageID = await surroundings.find(id) else { continue }
            await receive(.delivered(id, messageID))
        }
    }

    /// Channels with messages of which it is not known whether the server has them.
    var unsureChannels: [ChannelURL] {
        var seen: Set<ChannelURL> = []
        return items.filter {
            $0.hasLeft && $0.state == .pending && $0.change == nil
                && !machine.isOnItsWay($0.requestID)
        }.map(\.channel).filter { seen.insert($0).inserted }
    }
}
