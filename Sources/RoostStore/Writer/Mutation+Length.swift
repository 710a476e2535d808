// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

extension [Mutation] {
    /// Whether these are a page of history or of a change log, of which more will come.
    var isBulk: Bool {
        count > 30
            || contains { mutation in
                if case .messages(_, let messages, _, _) = mutation {
                    messages.count > 30
                } else {
                    false
                }
            }
    }

    /// Whether to write them down takes less than two changes of threads.
    var isShort: Bool { count <= 8 && allSatisfy(\.isShort) }
}

extension Mutation {
    /// Only what touches a few rows, whatever the cache holds.
    fileprivate var isShort: Bool {
        switch self {
        case .liveMessage, .edited, .reacted, .replied, .polled, .channelNews, .accessed, .pinned,
            .cursor, .firstCursor, .removeCursor:
            true
        case .deleted(_, let ids): ids.count <= 2
        case .users(let users): users.count <= 4
        case .channels(let channels): channels.count == 1 && channels[0].members.count <= 10
        case .messages(_, let messages, _, _): messages.count <= 2
        case .removeChannel, .clearMessages, .evicted, .unreadable, .forgotten, .historyCut,
            .clearAll, .session:
            false
        }
    }
}
