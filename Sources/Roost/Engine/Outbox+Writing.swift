// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

extension Outbox {
    /// Queues a message, and returns it as a timeline shows it.
    func send(
        _ content: OutboxContent, to channel: ChannelURL, as requestID: RequestID?
    ) async throws(RoostError) -> Message {
        shown(try await append(content, to: channel, as: requestID))
    }

    private func shown(_ item: OutboxItem) -> Message {
        guard let message = message(item) else {
            preconditionFailure("What was sent is a message.")
        }
        return message
    }

    /// Writes something down and queues it; when this returns it survives a crash.
    func append(
        _ content: OutboxContent, to channel: ChannelURL, as requestID: RequestID? = nil
    ) async throws(RoostError) -> OutboxItem {
        let lane = OutboxMachine.Lane(channel, isForChanges: content.isChange)
        let requestID = requestID ?? .random(world.entropy)
        if let index = index(of: requestID) { return items[index] }
        // A change that waits for a message takes no place in its lane before the message is sent.
        let hasPlace = content.awaited == nil
        let leaves = hasPlace && machine.wouldLeaveAtOnce(lane, hasUploads: content.hasUploads)
        // The place is taken before the disk is asked: a later call finds the lane occupied.
        if hasPlace { _ = step(.announced(requestID, lane)) }
        unsettle([requestID])
        defer { settle([requestID]) }
        let item: OutboxItem
        let now = world.wallTime()
        do {
            item = try await store.append(
                requestID, to: channel, createdAt: now, content: content, leaves: leaves)
        } catch {
            if hasPlace { await receive(.abandoned(requestID, lane)) }
            throw RoostError(error)
        }
        if let index = index(of: requestID) { return items[index] }
        let effects = adopt(item, leaves && item.createdAt == now, message(item))
        if !content.isChange { await surroundings.changed(channel) }
        await carryOut(effects)
        return item
    }

    /// Puts an item in its place and tells of it, before anything else can come between.
    private func adopt(
        _ item: OutboxItem, _ isNoted: Bool, _ message: Message?
    ) -> [OutboxMachine.Effect] {
        guard index(of: item.requestID) == nil else { return [] }
        place(item)
        let effects = step(.queued(OutboxMachine.Item(item, isNoted: isNoted)))
        if let message { observers.publish(.queued(message)) }
        if let change = item.change { observers.publish(.changeQueued(change)) }
        return effects
    }
}
