// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The look-up after a repeated send was acknowledged with a message of an earlier connection.
///
/// The catch-up before the send did not find the message, so it may be deleted. The server sends the
/// deletion behind the acknowledgement, but the message must not come back until then.
package struct LateAcknowledgement: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, fetching }

    private let message: Message
    private var state = State.beginning

    package init(_ message: Message) { self.message = message }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            state = .fetching
            let page = PageQuestion.around(message.createdAt, older: 1, newer: 1)
            return .need(.run(.page(PageFetch(message.channelURL, page))))
        case (.fetching, .ended):
            // Also after a failure: the server has the message, and the next catch-up brings it.
            sync.noteDelivery(message)
            return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Looks the message of an acknowledgement up if it is older than the connection.
    ///
    /// - Returns: Whether it is.
    mutating func looksUp(_ event: MessageEvent) -> Bool {
        guard event.acknowledges != nil, let loginAt = session?.loginAt,
            event.message.createdAt < loginAt
        else { return false }
        start(.outbox(.lateAcknowledgement(LateAcknowledgement(event.message))))
        answer(.message(event))
        return true
    }
}
