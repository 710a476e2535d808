// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// Every call and command is counted before it is read.
extension ChatServer {
    /// The pings of a user, on all sockets together, that count as no question.
    static let pingRate = Rate(burst: 60, perSecond: 10)

    /// Takes a ping out of the user's allowance; false when the allowance is spent.
    func takePing(of user: UserID) -> Bool { pingRates.take(user, at: world.now()) == nil }

    /// Counts a question against those who ask it.
    ///
    /// - Parameters:
    ///   - user: The user who asks.
    ///   - address: The network address from which they ask.
    ///   - count: How many questions it counts as for the user.
    /// - Throws: `.rateLimited`, with when it may be asked again.
    func charge(
        user: UserID? = nil, address: String? = nil, count: Int = 1
    ) throws(ServerError) {
        let now = world.now()
        let wait =
            user.flatMap { userRates.take($0, at: now, count: count) }
            ?? address.flatMap { addressRates.take($0, at: now) }
        guard let wait else { return }
        counted.limited += 1
        log(
            .warning, "limited",
            address.map { [.init("peer", .string($0))] } ?? [.init("of", "user")])
        throw Self.tooOften(wait)
    }

    /// Refuses a user or an address whose next question would be refused; counts none.
    func checkRate(user: UserID?, address: String?) throws(ServerError) {
        let now = world.now()
        let wait =
            user.flatMap { userRates.wait(of: $0, at: now) }
            ?? address.flatMap { addressRates.wait(of: $0, at: now) }
        if let wait { throw Self.tooOften(wait) }
    }

    /// Returns the order to wait.
    static func tooOften(_ wait: Duration) -> ServerError {
        ServerError(.rateLimited, "Too many requests; wait before the next one.", retryAfter: wait)
    }
}
