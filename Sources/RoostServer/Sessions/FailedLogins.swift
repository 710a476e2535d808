// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The counts of failed logins, by network address and by the user ID of the attempt.
///
/// Tokens and keys have 160 random bits, so no number of guesses is enough. The counts bound the
/// cost of guesses and their lines in the log. A right secret is never refused.
struct FailedLogins {
    private var addresses: RateLimiter<String>
    private var users: RateLimiter<UserID>

    /// - Parameter rate: The failures of one address, and of one user ID; nil is without bound.
    init(_ rate: Rate?) {
        addresses = RateLimiter(rate)
        users = RateLimiter(rate)
    }

    /// Counts a failure.
    ///
    /// Failures of other addresses do not count against an address that fails for the first time. A
    /// user with an old token gets that answer even while strangers guess under the same user ID.
    ///
    /// - Returns: The wait until the next attempt; nil after few failures.
    mutating func note(user: UserID?, address: String?, at now: Timestamp) -> Duration? {
        let isKnown = address.map { addresses.owes($0, at: now) } ?? true
        if let address, let wait = addresses.take(address, at: now) { return wait }
        let wait = user.flatMap { users.take($0, at: now) }
        return isKnown ? wait : nil
    }

    /// Forgets addresses and users without recent failures.
    mutating func forgetIdle(at now: Timestamp) {
        addresses.forgetIdle(at: now)
        users.forgetIdle(at: now)
    }
}
