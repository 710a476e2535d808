// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

/// The enforcement of the options for retries and for failed messages on the outbox.
///
/// With another policy than `.automatic` the door gives up messages that would wait.
actor Resending {
    /// The options as of the set-up.
    struct Limits: Sendable {
        let policy: SBSMMessageResendPolicy
        let retries: Int
        let failedPerChannel: Int
        let retentionDays: Int64

        init(_ options: SBSMSyncManagerOptions) {
            policy = options.messageResendPolicy
            retries = Int(clamping: min(options.automaticResendMessageRetryCount, 50))
            failedPerChannel = Int(clamping: options.maxFailedMessageCountPerChannel)
            retentionDays = Int64(clamping: options.failedMessageRetentionDays)
        }

        /// Returns whether a waiting message is given up after this many attempts.
        func givesUp(after attempts: Int) -> Bool { policy == .automatic && attempts > retries }

        /// Returns the messages that are deleted among the failed ones of a channel, which are in
        /// the order of their send calls.
        func excess(of failed: [Failed], now: Timestamp) -> [RequestID] {
            let limit = policy == .none ? 0 : failedPerChannel
            // The message may have waited three days before it failed.
            let days = min(retentionDays, 36_500) + 3
            let oldest = now.advanced(by: days.multipliedSaturated(by: -86_400_000))
            let tooMany = max(0, failed.count - limit)
            return failed.enumerated().filter { place, message in
                place < tooMany || message.createdAt < oldest
            }.map { $0.element.id }
        }
    }

    /// A failed message.
    typealias Failed = (id: RequestID, createdAt: Timestamp)

    private nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as the actor.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let door: Door
    private let limits: Limits
    private weak var client: ChatClient?
    private var isConnected = false
    /// The attempts of messages before the app sent them again; after a relaunch all attempts count.
    private var formerAttempts: [RequestID: Int] = [:]
    private nonisolated let isOver = Guarded(false)
    /// The readers of the client's streams.
    private nonisolated let readers = Guarded<[Task<Void, Never>]>([])

    init(_ door: Door, _ limits: Limits) {
        self.door = door
        executor = door.world.executor
        self.limits = limits
    }

    /// Ends the enforcement, because other limits have replaced these.
    nonisolated func end() {
        isOver.withLock { $0 = true }
        for reader in readers.withLock({ $0 }) { reader.cancel() }
    }

    /// Follows a client until it is closed; a client that is followed already changes nothing.
    func follow(_ client: ChatClient) async {
        guard self.client !== client else { return }
        (self.client, isConnected) = (client, false)
        let (events, states) = (await client.outboxEvents(), await client.connectionStates())
        // Both tasks end with the client, or with these limits.
        let new = [
            Task(executorPreference: executor) {
                for await state in states { await self.take(state) }
            },
            Task(executorPreference: executor) {
                for await event in events { await self.take(event) }
            },
        ]
        readers.withLock { $0 = new }
        if isOver.withLock({ $0 }) { end() }
    }

    private func take(_ state: ConnectionState) async {
        if case .connected = state { isConnected = true } else { isConnected = false }
        await keep()
    }

    private func take(_ event: OutboxEvent) async {
        switch event {
        case .delayed:
            // With a connection no message is given up.
            if limits.policy == .automatic, !isConnected { await keep() }
        case .retried(let message):
            if limits.policy == .automatic { await keep(afterRetryOf: message.requestID) }
        case .failed(let message): await keepFailed(in: message.channelURL)
        // A new message has no attempt and has not failed.
        case .queued, .uploading, .uploaded, .delivered, .canceled, .changeQueued, .changeMade,
            .changeRefused, .changeDropped, .draftChanged, .unrecorded:
            break
        }
    }

    /// Enforces the limits on all unsent messages, which are read from the disk.
    private func keep(afterRetryOf retried: RequestID? = nil) async {
        guard !isOver.withLock({ $0 }), let client, let unsent = try? await client.allUnsent()
        else { return }
        let attempts = Dictionary(
            uniqueKeysWithValues: unsent.map { ($0.requestID, $0.attemptCount) })
        formerAttempts = formerAttempts.filter { attempts[$0.key] != nil }
        if let retried { formerAttempts[retried] = attempts[retried] }
        for message in unsent where !message.hasFailed {
            // With a connection the message is being sent or about to be.
            let count = message.attemptCount - (formerAttempts[message.requestID] ?? 0)
            if !isConnected, limits.givesUp(after: count) {
                await client.giveUp(message.requestID)
            }
        }
        let failed = Dictionary(grouping: unsent.filter(\.hasFailed), by: \.channel)
        for messages in failed.values {
            await delete(
                from: messages.map { (id: $0.requestID, createdAt: $0.createdAt) }, client)
        }
    }

    /// Enforces the limits on the failed messages of a channel, which the client has in memory.
    private func keepFailed(in channel: ChannelURL) async {
        guard !isOver.withLock({ $0 }), let client else { return }
        let failed = await client.failedMessages(in: channel).compactMap { message in
            message.requestID.map { (id: $0, createdAt: message.createdAt) }
        }
        await delete(from: failed, client)
    }

    private func delete(from failed: [Failed], _ client: ChatClient) async {
        for id in limits.excess(of: failed, now: door.world.wallTime()) { await client.cancel(id) }
    }
}
