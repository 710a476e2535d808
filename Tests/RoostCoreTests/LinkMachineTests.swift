// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

struct LinkMachineTests {
    typealias Machine = LinkMachine

    private static let settings = Machine.Settings(
        pingInterval: .seconds(15), pongTimeout: .seconds(5),
        backoff: Backoff(
            interval: .seconds(2), maxInterval: .seconds(20), multiplier: 2, retryCount: -1))
    private static let badToken = Machine.Refusal(code: .tokenInvalid, message: "no")
    private static let overload = Machine.Refusal(code: .internalServerError, message: "later")

    /// Returns a machine after these inputs, with the effects of the last one.
    private static func after(_ inputs: Machine.Input...) -> (Machine, [Machine.Effect]) {
        var machine = Machine()
        var effects: [Machine.Effect] = []
        for input in inputs { effects = machine.handle(input, entropy: 0) }
        return (machine, effects)
    }

    @Test func `connecting opens a socket and limits the time of the login`() {
        let (machine, effects) = Self.after(.connect)
        #expect(machine.state == .opening(attempt: 1))
        #expect(effects == [.arm(.login, .seconds(10)), .openSocket(1)])
    }

    @Test func `a sleep ends the wait for a token, and the next login asks for one again`() {
        var machine = Machine(tokenWait: .seconds(60))
        for input in [
            .connect, .opened(1), .loginRefused(1, Self.badToken), .appMoved(toForeground: false),
            .fired(.background), .appMoved(toForeground: true),
        ] as [Machine.Input] {
            _ = machine.handle(input, entropy: 0)
        }
        let epoch = machine.epoch
        _ = machine.handle(.opened(epoch), entropy: 0)
        let effects = machine.handle(.loginRefused(epoch, Self.badToken), entropy: 0)
        #expect(effects.contains(.askToken(epoch + 1)))
        let final = machine.handle(.token(epoch + 1, .denied), entropy: 0)
        #expect(final.contains(.disarm(.token)))
    }

    @Test func `a login makes the link online and starts the heartbeat`() {
        let (machine, effects) = Self.after(
            .connect, .opened(1), .loginSucceeded(1, Self.settings))
        #expect(machine.state == .online(awaitsPong: false))
        #expect(
            effects == [
                .disarm(.login), .arm(.ping, .seconds(15)), .arm(.proof, .seconds(10)),
                .wentOnline(1),
            ])
    }

    @Test func `silence leads to a ping, and a missing pong ends the socket (scar 131)`() {
        var (machine, _) = Self.after(.connect, .opened(1), .loginSucceeded(1, Self.settings))
        let ping = machine.handle(.fired(.ping), entropy: 0)
        #expect(ping == [.sendPing, .arm(.pong, .seconds(5))])
        let dead = machine.handle(.fired(.pong), entropy: 0)
        #expect(dead.prefix(3) == [.disarm(.ping), .disarm(.proof), .closeSocket])
        #expect(machine.state == .backingOff(attempt: 2))
    }

    @Test func `any received frame counts as a pong`() {
        var (machine, _) = Self.after(
            .connect, .opened(1), .loginSucceeded(1, Self.settings), .fired(.ping))
        let effects = machine.handle(.received(1), entropy: 0)
        #expect(effects == [.disarm(.pong), .arm(.ping, .seconds(15))])
        #expect(machine.state == .online(awaitsPong: false))
    }

    @Test func `a lost link is retried, a refused login is not (R149)`() {
        let (lost, _) = Self.after(
            .connect, .opened(1), .loginSucceeded(1, Self.settings), .fired(.proof),
            .lost(1, .closed))
        #expect(lost.state == .backingOff(attempt: 1))
        let (refused, effects) = Self.after(.connect, .opened(1), .loginRefused(1, Self.badToken))
        var final = Self.badToken
        final.isFinal = true
        #expect(refused.state == .refused(final))
        #expect(effects.last == .wentOffline(reason: final))
    }

    @Test func `a passing error is retried`() {
        let (machine, _) = Self.after(.connect, .opened(1), .loginRefused(1, Self.overload))
        #expect(machine.state == .backingOff(attempt: 2))
    }

    @Test func `a server whose certificate is not trusted ends the attempt (scar 39)`() {
        let (machine, _) = Self.after(.connect, .lost(1, .untrusted("certificate")))
        guard case .refused(let refusal) = machine.state else {
            Issue.record("The link went on: \(machine.state)")
            return
        }
        #expect(refusal.code == .untrustedServer)
    }

    @Test(arguments: [
        Machine.Input.opened(1), .loginSucceeded(1, settings), .loginRefused(1, badToken),
        .received(1), .lost(1, .closed), .busy(1, retryAfter: .seconds(9)),
    ])
    func `inputs of an earlier socket change nothing (scar 134)`(late: Machine.Input) {
        var (machine, _) = Self.after(.connect, .lost(1, .closed), .fired(.retry), .opened(3))
        let before = machine.state
        let effects = machine.handle(late, entropy: 0)
        #expect(effects.isEmpty)
        #expect(machine.state == before)
    }

    @Test func `a busy server gets the pause it named, and longer (scar 133)`() {
        let (machine, effects) = Self.after(.connect, .opened(1), .busy(1, retryAfter: .seconds(9)))
        #expect(machine.state == .backingOff(attempt: 2))
        guard case .arm(.retry, let wait) = effects.last else {
            Issue.record("No timer was armed: \(effects)")
            return
        }
        #expect(wait > .seconds(9))
    }

    @Test func `without a network the link waits for one instead of retrying`() {
        var (machine, _) = Self.after(.networkChanged(isUp: false), .connect)
        #expect(machine.state == .awaitingNetwork(attempt: 1))
        let effects = machine.handle(.networkChanged(isUp: true), entropy: 0)
        #expect(effects.contains(.openSocket(1)))
    }

    @Test func `a repeated report of a network does not shorten a wait (scar 133)`() {
        var (machine, _) = Self.after(.connect, .opened(1), .busy(1, retryAfter: .seconds(60)))
        #expect(machine.handle(.networkChanged(isUp: true), entropy: 0).isEmpty)
        #expect(machine.state == .backingOff(attempt: 2))
    }

    @Test func `an expired session leads to a login after the shortest wait (scar 132)`() {
        var (machine, effects) = Self.after(
            .connect, .opened(1), .loginSucceeded(1, Self.settings), .fired(.proof), .expired(1))
        #expect(machine.state == .backingOff(attempt: 1))
        #expect(effects.contains(.closeSocket))
        #expect(effects.last == .arm(.retry, .seconds(1)))
        effects = machine.handle(.fired(.retry), entropy: 0)
        #expect(machine.state == .opening(attempt: 1))
        #expect(effects.last == .openSocket(machine.epoch))
    }

    /// The ways in which a server ends a connection right after its login.
    private static let endings: [@Sendable (Machine.Epoch) -> Machine.Input] = [
        { .expired($0) }, { .lost($0, .closed) }, { .busy($0, retryAfter: .zero) },
        { .busy($0, retryAfter: .seconds(-9)) },
    ]

    @Test(arguments: endings.indices)
    func `connections that end right after the login lead to growing waits`(ending: Int) {
        var machine = Machine()
        var waits: [Duration] = []
        _ = machine.handle(.connect, entropy: 0)
        for _ in 0..<8 {
            _ = machine.handle(.opened(machine.epoch), entropy: 0)
            _ = machine.handle(.loginSucceeded(machine.epoch, Self.settings), entropy: 0)
            let end = Self.endings[ending](machine.epoch)
            for case .arm(.retry, let wait) in machine.handle(end, entropy: 0) {
                waits.append(wait)
            }
            _ = machine.handle(.fired(.retry), entropy: 0)
        }
        #expect(waits == [1, 2, 4, 8, 10, 10, 10, 10].map { .seconds($0) })
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 9, 86_400, .max])
    func `a pause named by a busy server has an upper bound`(seconds: Int64) {
        let (_, effects) = Self.after(
            .connect, .opened(1), .busy(1, retryAfter: .seconds(seconds)))
        guard case .arm(.retry, let wait) = effects.last else {
            Issue.record("No timer was armed: \(effects)")
            return
        }
        #expect(wait >= .seconds(1) && wait <= Backoff.longestBusyWait + .seconds(600))
        #expect(wait >= .seconds(min(seconds, 3_600)))
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 15, 600, 601, .max])
    func `the intervals of a login are kept within bounds`(seconds: Int64) {
        let named = Duration.seconds(seconds)
        let settings = Machine.Settings(
            pingInterval: named, pongTimeout: named,
            backoff: Backoff(
                interval: named, maxInterval: named, multiplier: Int(seconds), retryCount: -1),
            backgroundStay: named)
        #expect(settings.pingInterval >= .seconds(1) && settings.pingInterval <= .seconds(600))
        #expect(settings.pongTimeout >= .milliseconds(100) && settings.pongTimeout <= .seconds(60))
        #expect(settings.backgroundStay >= .zero && settings.backgroundStay <= .seconds(600))
        for attempt in [Int.min, 0, 1, 2, 60, .max] {
            let wait = settings.backoff.wait(beforeAttempt: attempt, entropy: .max)
            #expect(wait >= .seconds(1) && wait <= .seconds(600))
        }
    }

    @Test func `waits named by a server are bounded (scar 140)`() {
        let absurd = Backoff(
            interval: .seconds(Int64.max / 2), maxInterval: .seconds(Int64.max / 2),
            multiplier: .max, retryCount: -1)
        let delay = absurd.delay(beforeAttempt: 60, entropy: .max)
        #expect(delay.map { $0 <= .seconds(600) } == true)
    }

    @Test func `retries end at the server's limit, and the app gets the reason`() {
        let twice = Machine.Settings(
            pingInterval: .seconds(15), pongTimeout: .seconds(5),
            backoff: Backoff(
                interval: .seconds(1), maxInterval: .seconds(4), multiplier: 2, retryCount: 2))
        var (machine, _) = Self.after(.connect, .opened(1), .loginSucceeded(1, twice))
        _ = machine.handle(.lost(1, .closed), entropy: 0)
        for _ in 0..<2 {
            _ = machine.handle(.fired(.retry), entropy: 0)
            _ = machine.handle(.lost(machine.epoch, .unreachable("gone")), entropy: 0)
        }
        var gone = Machine.Refusal(code: .networkError, message: "gone")
        gone.isFinal = true
        #expect(machine.state == .refused(gone))
    }

    @Test func `waits grow to the ceiling, with jitter between half and all (scar 133)`() {
        let backoff = Self.settings.backoff
        let nominal: [Int64] = [2, 2, 4, 8, 16, 20, 20]
        for (index, seconds) in nominal.enumerated() {
            let shortest = backoff.delay(beforeAttempt: index + 1, entropy: 0)
            let longest = backoff.delay(beforeAttempt: index + 1, entropy: 1023)
            #expect(shortest == .milliseconds(seconds * 500))
            let upper = Duration.seconds(seconds)
            #expect(longest.map { $0 < upper && $0 > upper * 9 / 10 } == true)
        }
    }

    /// Every state of a link, reached by inputs.
    private static let everyState: [(name: String, machine: Machine)] = [
        ("idle", after(.disconnect).0),
        ("opening", after(.connect).0),
        ("authenticating", after(.connect, .opened(1)).0),
        ("online", after(.connect, .opened(1), .loginSucceeded(1, settings)).0),
        (
            "awaits pong",
            after(.connect, .opened(1), .loginSucceeded(1, settings), .fired(.ping)).0
        ),
        ("backing off", after(.connect, .lost(1, .closed)).0),
        ("awaiting network", after(.networkChanged(isUp: false), .connect).0),
        ("refused", after(.connect, .opened(1), .loginRefused(1, badToken)).0),
    ]

    @Test func `disconnecting ends every state and leaves no timer that could reconnect`() {
        for (name, start) in Self.everyState {
            var machine = start
            _ = machine.handle(.disconnect, entropy: 0)
            #expect(machine.state == .idle, "\(name)")
            for timer in Machine.Timer.allCases {
                #expect(machine.handle(.fired(timer), entropy: 0).isEmpty, "\(name) \(timer)")
            }
        }
    }

    @Test func `connecting ends every waiting state, and never opens two sockets`() {
        for (name, start) in Self.everyState {
            var machine = start
            let first = machine.handle(.connect, entropy: 0)
            let second = machine.handle(.connect, entropy: 0)
            let opened = (first + second).count { effect in
                if case .openSocket = effect { true } else { false }
            }
            #expect(opened <= 1, "\(name)")
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `random inputs keep one socket at most and end connected (scars 130, 143)`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var machine = Machine()
        var open: Set<Int> = []
        func perform(_ effects: [Machine.Effect]) {
            for effect in effects {
                if case .openSocket(let epoch) = effect { open.insert(epoch) }
                if effect == .closeSocket { open.removeAll() }
            }
            #expect(open.count <= 1)
        }
        for _ in 0..<200 {
            let epoch = machine.epoch
            let input: Machine.Input =
                switch random.next() % 10 {
                case 0: .connect
                case 1: .disconnect
                case 2: .networkChanged(isUp: random.next() % 2 == 0)
                case 3: .opened(epoch)
                case 4: .loginSucceeded(epoch, Self.settings)
                case 5: .received(epoch)
                case 6: .busy(epoch, retryAfter: .seconds(1))
                case 7: .fired(.retry)
                case 8: .fired(random.next() % 2 == 0 ? .ping : .pong)
                default: .lost(epoch, .closed)
                }
            if case .lost(let epoch, _) = input { open.remove(epoch) }
            perform(machine.handle(input, entropy: random.next()))
        }
        perform(machine.handle(.networkChanged(isUp: true), entropy: 0))
        perform(machine.handle(.connect, entropy: 0))
        perform(machine.handle(.loginSucceeded(machine.epoch, Self.settings), entropy: 0))
        guard case .online = machine.state else {
            Issue.record("The link did not come back: \(machine.state)")
            return
        }
    }
}
