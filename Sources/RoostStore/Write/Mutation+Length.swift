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
}
