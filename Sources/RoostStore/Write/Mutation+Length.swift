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
