// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// An app and its extension may have one outbox. Both write to it; one of them sends.

extension Outbox {
    /// Takes over what another process wrote, and forgets what it has seen to.
    func hearOthers() async {
        // What the disk says may be old when it arrives: only what was known before can be missing, and
        // what was forgotten since is no news.
        let known = items.map(\.requestID)
        hearing += 1
        let stored = try? await store.items()
        hearing -= 1
        defer { if hearing == 0 { forgotten = [] } }
        guard let stored else { return }  // The next ring asks again.
        var channels: Set<ChannelURL> = []
        var effects: [OutboxMachine.Effect] = []
        for item in stored.items where index(of: item.requestID) == nil {
            guard !unsettled.contains(item.requestID), !forgotten.contains(item.requestID) else {
                continue
            }
            place(item)
            effects += machine.handle(.queued(OutboxMachine.Item(item)))
            channels.insert(item.channel)
        }
        await carryOut(effects)
        for channel in channels.sorted() { await surroundings.changed(channel) }
        // An item that cannot be read is there all the same.
        guard stored.unreadable.isEmpty else { return }
        let names = Set(stored.items.map(\.requestID))
        for requestID in known where !names.contains(requestID) { await missed(requestID) }
    }

    /// Another process has seen to an item: it was delivered, and the cache knows, or taken back.
    private func missed(_ requestID: RequestID) async {
        guard !unsettled.contains(requestID), let index = index(of: requestID) else { return }
        if items[index].change != nil {
            await made(requestID)
        } else if let messageID = await surroundings.find(requestID) {
            await receive(.delivered(requestID, messageID))
            if let message = await surroundings.held(messageID) {
                observers.publish(.delivered(message))
            }
        } else {
            await cancel(requestID)
        }
    }

    /// Channels with messages of which it is not known whether the server has them.
    var unsureChannels: [ChannelURL] {
        var seen: Set<ChannelURL> = []
        return items.filter { $0.hasLeft && $0.state == .pending && $0.change == nil }
            .map(\.channel).filter { seen.insert($0).inserted }
    }
}
