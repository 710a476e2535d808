// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel

extension Door {
    /// The client that was current when the call was made, whichever user logs in meanwhile.
    struct CurrentClient: Sendable {
        let opening: Task<Result<Opened, RoostError>, Never>?
        /// The error of a call without an opening.
        let absence: RoostError
        /// Whether extensions of the app use the cache too.
        let isShared: Bool

        func opened() async throws(RoostError) -> Opened {
            guard let opening else { throw absence }
            return try await opening.value.get()
        }
    }

    /// Returns the error of a list of a user, which is closed when another user logs in.
    func reason(_ error: RoostError, of account: UserID?) -> RoostError {
        error.code == .collectionDisposed && !isPresent(account)() ? .anotherUser : error
    }

    /// Returns the open client of a user and its observer; nil takes those of any user.
    ///
    /// - Throws: `.connectionCanceled` if another user has logged in meanwhile.
    func opened(of account: UserID?) async throws(RoostError) -> Opened {
        try await clientForCall(of: account).opened()
    }
}
