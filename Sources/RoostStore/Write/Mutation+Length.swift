// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

extension [Mutation] {
    /// Whether the mutation is a page of history or of a change log, so more pages follow.
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
}

extension Mutation {
    /// Whether the mutation removes all messages of a channel up to a moment.
    ///
    /// Their words are only marked in the index until it is merged. `clearAll` empties the index.
    var clearsMessages: Bool {
        switch self {
        case .clearMessages, .removeChannel, .historyCut, .evicted: true
        default: false
        }
    }
}
