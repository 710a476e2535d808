// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The rates of requests and of failed logins, by user and by network address.
///
/// A request counts before any of it is read.
final class RequestRates: ServerPart {
    let context: ServerContext
    private let telemetry: Telemetry
    private var users: RateLimiter<UserID>
    private var pings: RateLimiter<UserID>
    private var acknowledgements: RateLimiter<UserID>
    private var refusals: RateLimiter<SessionID>
    private var addresses: RateLimiter<String>
    private var failedLogins: FailedLogins
    /// The number of servers over which the calls of a user spread.
    ///
    /// Each call costs as many here, so all servers together allow the whole rate. The frames of a
    /// socket all come to one server, and cost one.
    private var servers = 1
    /// The part of a burst that one call may cost, so that many servers do not refuse everyone.
    private static let shareOfBurst = 20

    /// The acknowledgements of messages by one user, all sockets together; others decide about their
    /// number.
    private static let acknowledgementRate = Rate(burst: 500, perSecond: 100)

    /// The pings of one user, all sockets together, that do not count as requests.
    private static let pingRate = Rate(burst: 60, perSecond: 10)

    /// The commands of one socket that are refused because of the rate before the socket is closed.
    ///
    /// Each refusal costs a reading and an answer, and clients wait as the answer says.
    private static let refusalRate = Rate(burst: 1_000, perSecond: 10)

    init(_ context: ServerContext, _ telemetry: Telemetry) {
        self.context = context
        self.telemetry = telemetry
        let configuration = context.configuration
        users = RateLimiter(configuration.userRate)
        pings = RateLimiter(configuration.userRate.map { _ in Self.pingRate })
        acknowledgements = RateLimiter(
            configuration.userRate.map { _ in Self.acknowledgementRate })
        refusals = RateLimiter(configuration.userRate.map { _ in Self.refusalRate })
        addresses = RateLimiter(configuration.addressRate)
        failedLogins = FailedLogins(configuration.failedLoginRate)
    }

    /// Sets the number of servers that share the rates; a socket's pings go to one of them only.
    func share(among servers: Int) { self.servers = max(servers, 1) }

    /// Half a burst is the most, so that a user at rest can make every call, whatever it names.
    private func userCost(_ count: Int) -> Int {
        let rate = configuration.userRate
        return min(cost(count, at: rate), max(1, (rate?.burst ?? 2) / 2))
    }
    private var addressCost: Int { cost(1, at: configuration.addressRate) }

    private func cost(_ count: Int, at rate: Rate?) -> Int {
        let most = max(1, (rate?.burst ?? 1) / Self.shareOfBurst)
        return count.multipliedSaturated(by: min(servers, most))
    }

    /// Takes a ping out of the user's allowance; returns false if the allowance is spent.
    func takePing(of user: UserID) -> Bool { pings.take(user, at: world.evenTime()) == nil }

    /// Takes an acknowledgement out of the user's allowance; returns false if the allowance is spent.
    func takeAcknowledgement(of user: UserID) -> Bool {
        acknowledgements.take(user, at: world.evenTime()) == nil
    }

    /// Counts a command that was refused because of the rate; returns false if its socket has had
    /// too many of them.
    func toleratesRefusal(of id: SessionID) -> Bool {
        refusals.take(id, at: world.evenTime()) == nil
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - user: The user of the request.
    ///   - address: The network address of the request.
    ///   - count: The number of requests that it counts as for the user.
    ///   - isFrame: Whether the request is a frame of a socket, all of which come here.
    /// - Throws: `.rateLimited`, with the wait until the next request.
    func charge(
        user: UserID? = nil, address: String? = nil, count: Int = 1, isFrame: Bool = false
    ) throws(ServerError) {
        let now = world.evenTime()
        let wait =
            user.flatMap { users.take($0, at: now, count: isFrame ? count : userCost(count)) }
            ?? address.flatMap { addresses.take($0, at: now, count: addressCost) }
        guard let wait else { return }
        telemetry.metrics.limited += 1
        log(
            .warning, "limited",
            address.map { [.init("peer", .string($0))] } ?? [.init("of", "user")])
        throw Self.tooOften(wait)
    }

    /// Counts the work for a call whose cost is known only after it.
    ///
    /// The call itself is not refused; the next ones wait.
    ///
    /// - Parameters:
    ///   - user: The user of the call.
    ///   - count: The number of requests that the call counts as, besides itself.
    func note(user: UserID?, count: Int) {
        guard let user, count > 0 else { return }
        users.note(user, at: world.evenTime(), count: userCost(count))
    }

    /// Counts a call as one under way, once.
    ///
    /// - Parameters:
    ///   - call: The call; nil if its host does not bound the calls under way.
    ///   - user: The user of the call; the platform's calls are not bounded.
    /// - Throws: `.rateLimited` if the user has too many calls under way.
    func begin(_ call: CallUnderWay?, by user: UserID?) throws(ServerError) {
        guard let call, let user, !call.begin(by: user, atMost: limits.callsAtOnce) else { return }
        telemetry.metrics.limited += 1
        log(.warning, "limited", [.init("of", "user")])
        throw Self.tooOften(.seconds(1))
    }

    /// Counts the users whom a call names, after the call itself.
    ///
    /// Each of them costs the storage a few statements, and many of them an event.
    ///
    /// - Parameters:
    ///   - user: The user of the call.
    ///   - count: The number of the users whom it names.
    /// - Throws: `.rateLimited`, with the wait until the call is allowed.
    func charge(user: UserID?, naming count: Int) throws(ServerError) {
        let more = count / Self.chargedNames
        // A burst of one request has no room for more than the call.
        guard more > 0, configuration.userRate?.burst ?? 2 > 1 else { return }
        try charge(user: user, count: more)
    }

    /// The bytes of a command, or of the body of a call, that count as one request more.
    ///
    /// A burst of the default rate then has 3.2 MiB, which fits into the queue of each receiver.
    static let chargedBytes = 16_384
    /// The users named in a call that count as one request more.
    static let chargedNames = 100
    /// The bytes of rows read for a call that count as one request more.
    static let chargedReadBytes = 1_048_576
    /// The members or channels read for a call that count as one request more.
    static let chargedRows = 2_000

    /// Refuses a user or an address whose next request would be refused; counts nothing.
    func check(user: UserID?, address: String?) throws(ServerError) {
        let now = world.evenTime()
        let wait =
            user.flatMap { users.wait(of: $0, at: now, count: userCost(1)) }
            ?? address.flatMap { addresses.wait(of: $0, at: now, count: addressCost) }
        if let wait { throw Self.tooOften(wait) }
    }

    /// Counts a failed proof of identity.
    ///
    /// - Returns: The refusal, or after many failures the order to wait.
    func failure(
        of user: UserID? = nil, from address: String?, _ refusal: ServerError
    ) -> ServerError {
        guard let wait = failedLogins.note(user: user, address: address, at: world.evenTime())
        else {
            return refusal
        }
        telemetry.metrics.limited += 1
        return Self.tooOften(wait)
    }

    /// Forgets users and addresses without recent requests.
    func forgetIdle() {
        let now = world.evenTime()
        users.forgetIdle(at: now)
        pings.forgetIdle(at: now)
        acknowledgements.forgetIdle(at: now)
        refusals.forgetIdle(at: now)
        addresses.forgetIdle(at: now)
        failedLogins.forgetIdle(at: now)
    }

    /// Returns the order to wait.
    private static func tooOften(_ wait: Duration) -> ServerError {
        ServerError(.rateLimited, "Too many requests; wait before the next one.", retryAfter: wait)
    }
}
