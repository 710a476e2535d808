// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The unsent messages of a timeline, with look-up by request ID.
///
/// There may be ten thousand, so a message is added without a search.
struct UnsentList: Codable, Sendable {
    /// The messages, in the order in which they were written.
    private(set) var messages: [Message] = []
    private var names: Set<RequestID> = []

    init(_ messages: [Message] = []) {
        self.messages = messages
        names = Set(messages.compactMap(\.requestID))
    }

    func contains(_ requestID: RequestID) -> Bool { names.contains(requestID) }

    mutating func append(_ message: Message) {
        messages.append(message)
        if let requestID = message.requestID { names.insert(requestID) }
    }

    /// Removes a message; returns nil if the list does not have it.
    mutating func remove(_ requestID: RequestID) -> Message? {
        guard names.remove(requestID) != nil,
            let index = messages.firstIndex(where: { $0.requestID == requestID })
        else { return nil }
        return messages.remove(at: index)
    }

    mutating func remove(_ requestIDs: Set<RequestID>) {
        guard !names.isDisjoint(with: requestIDs) else { return }
        self = UnsentList(
            messages.filter { $0.requestID.map(requestIDs.contains) != true })
    }
}
