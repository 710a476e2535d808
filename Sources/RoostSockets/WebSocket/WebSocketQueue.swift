// SPDX-License-Identifier: Apache-2.0

/// The queue of messages for the receiver, which also decides whether to read more from the socket.
///
/// It never refuses a message: bytes that were read must be kept. `hasRoom` stops the socket, so
/// the queue exceeds its limit by one read at most.
struct WebSocketQueue {
    private let messageLimit: Int
    private let byteLimit: Int
    private var messages: [WebSocketMessage] = []
    private var first = 0
    private var byteCount = 0

    init(messageLimit: Int, byteLimit: Int) {
        precondition(messageLimit > 0 && byteLimit > 0, "A queue without room stops for ever.")
        self.messageLimit = messageLimit
        self.byteLimit = byteLimit
    }

    var hasRoom: Bool { messages.count - first < messageLimit && byteCount < byteLimit }

    mutating func append(_ message: WebSocketMessage) {
        messages.append(message)
        byteCount += message.byteCount
    }

    /// Returns and removes the oldest message; constant time on average, because the front is cut
    /// off by halves.
    mutating func removeFirst() -> WebSocketMessage? {
        guard first < messages.count else { return nil }
        let message = messages[first]
        messages[first] = .text("")  // Frees its bytes before the next compaction.
        first += 1
        byteCount -= message.byteCount
        if first * 2 >= messages.count {
            messages.removeSubrange(..<first)
            first = 0
        }
        return message
    }

    mutating func removeAll() {
        messages = []
        first = 0
        byteCount = 0
    }
}
