// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Counts failed proofs of identity, by network address and by the user whose name was tried.
///
/// Tokens and keys have 160 random bits, so guesses are never many enough; the count keeps them from
/// costing and from filling the log. Nothing here refuses a right secret.
struct FailedLogins {
    private var addresses: RateLimiter<String>
    private var users: RateLimiter<UserID>

    /// - Parameter rate: Failures of one address, and of one name; nil is without bound.
    init(_ rate: Rate?) {
        addresses = RateLimiter(rate)
        users = RateLimiter(rate)
    }

    /// Notes a failure.
    ///
    /// The failures of strangers do not count against an address that has failed for the first time: a
    /// user with an old token learns that it is old while others guess under the user's name.
    ///
    /// - Returns: How long to wait before the next attempt; nil while there were few.
    mutating func note(user: UserID?, address: String?, at now: Timestamp) -> Duration? {
        let isKnown = address.map { addresses.owes($0, at: now) } ?? true
        if let address, let wait = addresses.take(address, at: now) { return wait }
        let wait = user.flatMap { users.take($0, at: now) }
        return isKnown ? wait : nil
    }

    /// Forgets addresses and users whose failures lie back long enough.
    mutating func forgetIdle(at now: Timestamp) {
        addresses.forgetIdle(at: now)
        users.forgetIdle(at: now)
    }
}
