// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What one step changed in the list a timeline shows; replaying all of them rebuilds the list.
package struct TimelineDiff: Hashable, Sendable {
    /// In list order.
    package var inserted: [Message] = []
    /// A message that was sent stands here with its unsent form before and its delivered form after.
    package var updated: [Update<Message>] = []
    package var deleted: [Message] = []

    package init() {}

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// The difference between two lists whose members are told apart by `Message.identity`.
    package init(from old: [Message], to new: [Message]) {
        var remaining: [Message.Identity: Message] = [:]
        for message in old {
            for identity in message.identities { remaining[identity] = message }
        }
        for message in new {
            let known = message.identities.lazy.compactMap { remaining[$0] }.first
            guard let known else {
                inserted.append(message)
                continue
            }
            for identity in known.identities { remaining[identity] = nil }
            if known != message { updated.append(Update(before: known, after: message)) }
        }
        deleted = old.filter { message in
            message.identities.contains { remaining[$0] == message }
        }
    }
}

extension Message {
    /// A name a message can be found again by, before and after delivery.
    package enum Identity: Hashable, Sendable {
        case request(RequestID)
        case message(MessageID)
    }

    /// Every name this message is known by; a delivered own message has two.
    package var identities: [Identity] {
        switch delivery {
        case .unsent(let requestID, _): [.request(requestID)]
        case .delivered(let id, let requestID?): [.message(id), .request(requestID)]
        case .delivered(let id, nil): [.message(id)]
        }
    }
}
