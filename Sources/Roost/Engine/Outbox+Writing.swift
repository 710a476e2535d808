// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore

// How what a person has written comes on the disk.
//
// The short way: straight to the disk's thread, which does the little this actor has to do in its place, and
// back to the caller; each change of threads costs a fifth of the transaction. The long way by this actor's
// thread is for what has to wait for something: while one call is on it every later one follows, so that the
// order of calls is the order on the disk.

extension Outbox {
    /// Queues a message, and returns it as a timeline shows it.
    nonisolated func send(
        _ content: OutboxContent, to channel: ChannelURL, as requestID: RequestID?
    ) async throws(RoostError) -> Message {
        try await send(content, to: channel, as: requestID ?? .random(world.entropy), on: store)
    }

    private func send(
        _ content: OutboxContent, to channel: ChannelURL, as requestID: RequestID,
        on disk: isolated OutboxStore
    ) async throws(RoostError) -> Message {
        var hasBegun = false
        if disk.hasNoDetours, !disk.copiesFiles(of: content),
            let leaves = here({ $0.begin(requestID, content, in: channel) })
        {
            let item: OutboxItem?
            let now = world.wallTime()
            do throws(StoreError) {
                item = try disk.appendNow(
                    requestID, to: channel, createdAt: now, content: content, leaves: leaves)
            } catch {
                await settle([requestID])
                throw RoostError(error)
            }
            if let item {
                // A name that was known may be of another time, and have left then.
                let isNoted = leaves && item.createdAt == now
                if let message = here({ $0.takeOver(item, isNoted) }) { return message }
                return await takeOver(item, isNoted)
            }
            hasBegun = true
        }
        disk.beginDetour()
        defer { disk.endDetour() }
        // Nothing is waited for before this: a call behind this one would pass it.
        return try await sendInTurn(content, to: channel, as: requestID, hasBegun: hasBegun)
    }

    /// Does something at once on the disk's thread, as if it ran on this actor's; nil where that is busy.
    private nonisolated func here<T: Sendable>(_ body: (isolated Outbox) -> T) -> T? {
        guard let thread = executor as? ThreadExecutor, thread.borrow() else { return nil }
        defer { thread.giveBack() }
        return assumeIsolated(body)
    }

    /// Whether a message would leave at once.
    private func begin(
        _ requestID: RequestID, _ content: OutboxContent, in channel: ChannelURL
    ) -> Bool {
        unsettle([requestID])
        return machine.wouldLeaveAtOnce(
            OutboxMachine.Lane(channel), hasUploads: content.hasUploads)
    }

    /// Takes over what has just come on the disk.
    private func takeOver(_ item: OutboxItem, _ isNoted: Bool) -> Message {
        defer { settle([item.requestID]) }
        let message = shown(item)
        let effects = adopt(item, isNoted, message)
        // Now, because who has called may look as soon as the call returns.
        if surroundings.isShown(item.channel) {
            surroundings.show(unsent(in: item.channel), item.channel)
        }
        if !effects.isEmpty {
            // Ends when its sending has begun.
            Task(executorPreference: executor) { await self.carryOut(effects) }
        }
        return message
    }

    private func sendInTurn(
        _ content: OutboxContent, to channel: ChannelURL, as requestID: RequestID, hasBegun: Bool
    ) async throws(RoostError) -> Message {
        if hasBegun { settle([requestID]) }
        return shown(try await append(content, to: channel, as: requestID))
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
        let isCopied = store.copiesFiles(of: content)
        if isCopied { _ = step(.announced(requestID, lane)) }
        unsettle([requestID])
        defer { settle([requestID]) }
        let item: OutboxItem
        let now = world.wallTime()
        // What waits for a message does not, though its lane be free.
        let leaves =
            content.awaited == nil
            && machine.wouldLeaveAtOnce(lane, hasUploads: content.hasUploads)
        do {
            item = try await store.append(
                requestID, to: channel, createdAt: now, content: content, leaves: leaves)
        } catch {
            if isCopied { await receive(.abandoned(requestID, lane)) }
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
