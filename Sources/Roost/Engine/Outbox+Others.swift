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
        lastLook += 1
        let look = lastLook
        looks[look] = []
        let stored: OutboxItems?
        var isRead = true
        do {
            stored = try await store.news(regardless: hadMissedNews)
        } catch {
            (stored, isRead) = (nil, false)
            hasMissedNews = hasMissedNews || hadMissedNews  // The next ring asks again.
        }
        let touched = looks.removeValue(forKey: look) ?? []
        if looks.isEmpty { endLooks() }
        defer { if looks.isEmpty { endHearing(isRead: isRead) } }
        guard let stored else { return }
        var channels: Set<ChannelURL> = []
        var effects: [OutboxMachine.Effect] = []
        var news: [News] = []
        for item in stored.items {
            let index = index(of: item.requestID)
            guard index.map({ items[$0] != item }) ?? true else { continue }
            guard isSettled(item.requestID, touched) else {
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
        let names = Set(stored.items.map(\.requestID))
        let missing = known.filter { !names.contains($0) }
        await carryOut(effects)
        for item in news { await tell(item) }
        for channel in channels.sorted() { await surroundings.changed(channel) }
        var isCertain = true
        if let loss = stored.loss {
            isCertain = await restore(missing, touched, after: loss)
        } else {
            let gone = await goneOf(missing, stored)
            for requestID in gone ?? [] where await !missed(requestID, touched) {
                isCertain = false
            }
            if gone == nil { isCertain = false }
        }
        // Nobody could say what became of one: the next ring asks again.
        if !isCertain { (isRead, hasMissedNews) = (false, true) }
        await aimStranded()
    }

    /// Those that are missing and not just unreadable, which are there all the same; nil when the disk could not
    /// be asked.
    private func goneOf(_ missing: [RequestID], _ stored: OutboxItems) async -> [RequestID]? {
        stored.unreadable.isEmpty ? missing : try? await store.absent(missing)
    }

    /// Returns when nobody looks at the disk; what the last look has found is known then, or known to be missed.
    func waitForLooks() async {
        while !looks.isEmpty { await withCheckedContinuation { lookers.append($0) } }
    }

    private func endLooks() {
        for looker in lookers { looker.resume() }
        lookers = []
    }

    /// The disk has to be asked again when what is being written down of an item has come on it; of one of
    /// which it takes nothing, when it does.
    private func missNews(of requestID: RequestID) {
        if refusal(of: requestID) == nil { hasMissedNews = true }
    }

    /// A damaged file has lost items, and nobody has seen to them: what the cache does not know as delivered
    /// is written again.
    ///
    /// What the repair had saved and is missing since another process has seen to. Answers whether the cache
    /// could be asked; nothing was done otherwise.
    private func restore(
        _ missing: [RequestID], _ touched: Set<RequestID>, after loss: OutboxLoss
    ) async -> Bool {
        var delivered: [RequestID: MessageID] = [:]
        do {
            for requestID in missing {
                delivered[requestID] = try await surroundings.find(requestID)
            }
        } catch {
            return false
        }
        var lost: [Debt] = []
        var gone: [RequestID] = []
        var isWhole = true
        for requestID in missing where delivered[requestID] == nil {
            guard let index = index(of: requestID) else { continue }
            guard !loss.carriedOver.contains(items[index].sequence) else {
                gone.append(requestID)
                continue
            }
            guard isSettled(requestID, touched) else {
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
        var isCertain = true
        for requestID in gone where await !missed(requestID, touched) { isCertain = false }
        return isCertain
    }

    /// Another process has seen to an item: it was delivered, and the cache knows, or taken back.
    ///
    /// Answers whether the cache could be asked; the item stays otherwise.
    private func missed(_ requestID: RequestID, _ touched: Set<RequestID>) async -> Bool {
        guard let index = index(of: requestID) else { return true }
        guard isSettled(requestID, touched) else {
            missNews(of: requestID)
            return true
        }
        if items[index].change != nil {
            await made(requestID)
            return true
        }
        do {
            if let messageID = try await surroundings.find(requestID) {
                await arrived(requestID, as: messageID)
            } else {
                await cancel(requestID)
            }
            return true
        } catch {
            return false
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
            guard let messageID = try? await surroundings.find(id) else { continue }
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
