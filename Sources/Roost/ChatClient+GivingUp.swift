// SPDX-License-Identifier: Apache-2.0

import RoostCore
package import RoostModel
import RoostStore

/// What the outbox holds of a message, for whoever limits how long it is tried.
package struct UnsentMessage: Hashable, Sendable {
    package let requestID: RequestID
    package let channel: ChannelURL
    package let createdAt: Timestamp
    /// How often sending was begun.
    package let attemptCount: Int
    package let hasFailed: Bool
}

extension ChatClient {
    /// All messages that wait or have failed, in the order they were written.
    package func allUnsent() async throws(RoostError) -> [UnsentMessage] {
        try await unsentMessages().filter { !$0.content.isChange }.map { item in
            UnsentMessage(
                requestID: item.requestID, channel: item.channel, createdAt: item.createdAt,
                attemptCount: item.attemptCount, hasFailed: item.state != .pending)
        }
    }

    /// Gives up a message that waits, as its three days would; one on its way may arrive all the same, and is
    /// sent then.
    package func giveUp(_ requestID: RequestID) async {
        await outbox.receive(.failed(requestID, .pendingError, .socket))
    }
}
