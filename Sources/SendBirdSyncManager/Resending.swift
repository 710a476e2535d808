// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

/// Holds the outbox to what the options say of messages that could not be sent.
actor Resending {
    /// The options, as they were at set-up.
    struct Limits: Sendable {
        let policy: SBSMMessageResendPolicy
        let retries: Int
        let failedPerChannel: Int
        let retentionDays: Int64

        init(_ options: SBSMSyncManagerOptions) {
            policy = options.messageResendPolicy
            retries = Int(clamping: min(options.automaticMessageResendRetryCount, 50))
            failedPerChannel = Int(clamping: options.maxFailedMessageCountPerChannel)
            retentionDays = Int64(clamping: options.failedMessageRetentionDays)
        }

        /// Whether one that waits is given up, after so many tries.
        func givesUp(after attempts: Int) -> Bool {
            policy == .automatic ? attempts > retries : true
        }

        /// Which of a channel's failed messages are forgotten.
        func excess(of failed: [UnsentMessage], now: Timestamp) -> [UnsentMessage] {
            let limit = policy == .none ? 0 : failedPerChannel
            // Three days it may have waited before it failed.
            let days = min(retentionDays, 36_500) + 3
            let oldest = now.advanced(by: days.multipliedSaturated(by: -86_400_000))
            let tooMany = max(0, failed.count - limit)
            return failed.enumerated().filter { place, message in
                place < tooMany || message.createdAt < oldest
            }.map(\.element)
        }
    }

    private nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let door: Door
    private let limits: Limits
    private weak var client: ChatClient?
    private var isConnected = false

    init(_ door: Door, _ limits: Limits) {
        self.door = door
        executor = door.world.executor
        self.limits = limits
    }

    /// Follows a client until it closes.
    func follow(_ client: ChatClient) async {
        self.client = client
        let (events, states) = (await client.outboxEvents(), await client.connectionStates())
        // Both end with the client.
        Task(executorPreference: executor) {
            for await state in states { await self.take(state) }
        }
        Task(executorPreference: executor) {
            for await event in events { await self.take(event) }
        }
    }

    private func take(_ state: ConnectionState) async {
        if case .connected = state { isConnected = true } else { isConnected = false }
        await keep()
    }

    private func take(_ event: OutboxEvent) async {
        switch event {
        case .queued, .delayed, .failed: await keep()
        default: break
        }
    }

    private func keep() async {
        guard let client, let unsent = try? await client.allUnsent() else { return }
        let now = door.world.wallTime()
        for message in unsent where !message.hasFailed {
            // With a connection it is on its way, or about to be.
            if !isConnected, limits.givesUp(after: message.attemptCount) {
                await client.giveUp(message.requestID)
            }
        }
        let failed = Dictionary(grouping: unsent.filter(\.hasFailed), by: \.channel)
        for messages in failed.values {
            for message in limits.excess(of: messages, now: now) {
                await client.cancel(message.requestID)
            }
        }
    }
}
