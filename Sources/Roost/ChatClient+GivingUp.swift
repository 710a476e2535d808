// SPDX-License-Identifier: Apache-2.0

import RoostCore
package import RoostModel
import RoostStore

/// An unsent message with its number of attempts, for apps that limit the attempts.
package struct UnsentMessage: Equatable, Sendable {
    package let requestID: RequestID
    package let channel: ChannelURL
    package let createdAt: Timestamp
    /// The number of send attempts.
    package let attemptCount: Int
    package let hasFailed: Bool
}

extension ChatClient {
    /// Returns all messages that wait or have failed, in the order of their send calls.
    package func allUnsent() async throws(RoostError) -> [UnsentMessage] {
        try await unsentItems().filter { !$0.content.isChange && !$0.content.staysHere }.map {
            item in
            UnsentMessage(
                requestID: item.requestID, channel: item.channel, createdAt: item.createdAt,
                attemptCount: item.attemptCount, hasFailed: item.state != .pending)
        }
    }

    /// The messages that are being sent now, with a connection or without one.
    package var messagesOnTheirWay: Set<RequestID> {
        get async { await engine.read { $0.outbox.lanes.requestsOnTheirWay } }
    }

    /// Gives up a waiting message, as after its three days.
    ///
    /// A message in flight may arrive nevertheless and then counts as sent.
    package func giveUp(_ requestID: RequestID) async {
        await engine.receive(.outbox(.gaveUp(requestID)))
    }
}
