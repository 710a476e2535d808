// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostNATS

/// The decisions of a connection to the bus, without sockets and clock.
struct NATSMachineTests {
    private static let lost = SocketError(.connectionLost, "cut")
    private static let info = NATSServerInfo()

    private func address(_ text: String) throws -> NATSAddress { try #require(NATSAddress(text)) }

    private func settings(
        _ addresses: [String] = ["nats://a:1", "nats://b:2"], startsDisconnected: Bool = false
    ) -> NATSSettings {
        var settings = NATSSettings(addresses, subject: "s")
        settings.startsDisconnected = startsDisconnected
        return settings
    }

    /// Returns a machine with a connection to its first address.
    private func connected(_ settings: NATSSettings) throws -> NATSMachine {
        var machine = try NATSMachine(settings)
        _ = machine.handle(.start)
        let effects = join(&machine)
        #expect(effects.contains(.opened(nil)))
        #expect(machine.phase == .connected)
        return machine
    }

    /// Leads an attempt to a connection.
    private func join(
        _ machine: inout NATSMachine, _ info: NATSServerInfo = info
    ) -> [NATSMachine.Effect] {
        machine.handle(.dialed) + machine.handle(.frame(.info(info)))
            + machine.handle(.frame(.pong))
    }

    private func dialed(_ effects: [NATSMachine.Effect]) -> [String] {
        effects.compactMap { if case .dial(let address, _) = $0 { address.host } else { nil } }
    }

    @Test func `a connection stands when the server has answered behind the subscription`() throws {
        var machine = try NATSMachine(settings(["nats://u:p@a:1"]))
        #expect(
            machine.handle(.start).first
                == .dial(try address("nats://u:p@a:1"), within: .seconds(5)))
        #expect(machine.handle(.dialed) == [])
        let effects = machine.handle(.frame(.info(Self.info)))
        guard case .write(let bytes)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                CONNECT {"verbose":false,"pedantic":false,"tls_required":false,"name":"roost",\
                "lang":"swift","version":"1","protocol":1,"echo":false,"user":"u","pass":"p"}\r
                SUB s 1\r
                PING\r

                """)
        #expect(machine.handle(.frame(.ping)) == [.write(Array("PONG\r\n".utf8))])
        #expect(
            machine.handle(.frame(.pong)) == [
                .resume(maxPayload: 1_048_576), .opened(nil), .wait(.seconds(1)),
            ])
    }

    @Test func `the opening tries each address once, and tells the most telling failure`() throws {
        var machine = try NATSMachine(settings(["nats://a:1", "nats://b:2", "nats://c:3"]))
        #expect(dialed(machine.handle(.start)) == ["a"])
        #expect(dialed(machine.handle(.failed(Self.lost))) == ["b"])
        _ = machine.handle(.dialed)
        _ = machine.handle(.frame(.info(Self.info)))
        #expect(dialed(machine.handle(.frame(.error("Authorization Violation")))) == ["c"])
        let effects = machine.handle(.timer)
        #expect(machine.phase == .closed)
        guard case .opened(let error?)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.kind == .refused)
    }

    @Test func `an opening without a bus succeeds if it may, but not with a wrong password`() throws
    {
        var machine = try NATSMachine(settings(["nats://a:1"], startsDisconnected: true))
        _ = machine.handle(.start)
        #expect(machine.handle(.timer) == [.drop, .opened(nil), .wait(.milliseconds(100))])
        #expect(dialed(machine.handle(.timer)) == ["a"])
        #expect(join(&machine).contains(.deliver(.connected)))

        machine = try NATSMachine(settings(["nats://a:1"], startsDisconnected: true))
        _ = machine.handle(.start)
        _ = machine.handle(.dialed)
        let effects = machine.handle(.frame(.error("Authorization Violation")))
        #expect(effects.contains { if case .opened(.some) = $0 { true } else { false } })
        #expect(machine.phase == .closed)
    }

    @Test func `a lost connection moves on at once, and pauses grow while nobody answers`() throws {
        var machine = try connected(settings())
        _ = machine.handle(.timer)
        _ = machine.handle(.heard)
        let effects = machine.handle(.failed(Self.lost))
        #expect(effects.prefix(3) == [.drop, .hold, .deliver(.disconnected)])
        #expect(dialed(effects) == ["b"])
        var pauses: [Duration] = []
        for _ in 0..<8 {
            #expect(dialed(machine.handle(.failed(Self.lost))).count == 1)
            guard case .wait(let pause)? = machine.handle(.failed(Self.lost)).last else { break }
            pauses.append(pause)
            #expect(dialed(machine.handle(.timer)).count == 1)
        }
        #expect(
            pauses.map(\.components.seconds) == [0, 0, 0, 0, 1, 2, 2, 2])
        #expect(pauses.first == .milliseconds(100))
        #expect(join(&machine).contains(.deliver(.reconnected)))
    }

    @Test func `a server that drops everyone is not asked without end`() throws {
        var machine = try connected(settings(["nats://a:1"]))
        var pauses: [Duration] = []
        for _ in 0..<6 {
            let effects = machine.handle(.failed(Self.lost))
            guard case .wait(let pause)? = effects.last, dialed(effects) == [] else {
                Issue.record("\(effects)")
                return
            }
            pauses.append(pause)
            _ = machine.handle(.timer)
            _ = join(&machine)
        }
        #expect(pauses == pauses.sorted())
        #expect(pauses.last == .seconds(2))
        // A connection that lasts forgets the pauses.
        _ = machine.handle(.timer)
        #expect(dialed(machine.handle(.failed(Self.lost))) == ["a"])
    }

    @Test func `three intervals without a word are the end, and any byte is a word`() throws {
        var machine = try connected(settings())
        #expect(machine.handle(.timer) == [.write(NATSRequest.ping), .wait(.seconds(1))])
        // One ping at a time: a server that answers none costs no memory.
        #expect(machine.handle(.timer) == [.wait(.seconds(1))])
        _ = machine.handle(.heard)
        #expect(machine.handle(.timer) == [.wait(.seconds(1))])
        #expect(machine.handle(.timer) == [.wait(.seconds(1))])
        #expect(machine.handle(.timer).contains(.deliver(.disconnected)))
    }

    @Test func `answers go to the pings in their order`() throws {
        var machine = try connected(settings())
        _ = machine.handle(.asked(1))
        _ = machine.handle(.timer)
        _ = machine.handle(.asked(2))
        #expect(machine.handle(.frame(.pong)) == [.answered(1)])
        #expect(machine.handle(.frame(.pong)) == [.answered(2)])
        #expect(machine.handle(.frame(.pong)) == [])
        _ = machine.handle(.asked(3))
        // The answers of a lost connection never come.
        _ = machine.handle(.stalled)
        _ = join(&machine)
        #expect(machine.handle(.frame(.pong)) == [])
    }

    @Test func `a server that freezes in the middle of a login is given up`() throws {
        var machine = try NATSMachine(settings())
        _ = machine.handle(.start)
        _ = machine.handle(.dialed)
        _ = machine.handle(.frame(.info(Self.info)))
        #expect(dialed(machine.handle(.timer)) == ["b"])
        _ = machine.handle(.dialed)
        #expect(machine.handle(.timer).last == .opened(.unreachable(["nats://a:1", "nats://b:2"])))
    }

    @Test func `the servers that a server tells of are tried too, with its login`() throws {
        var machine = try NATSMachine(settings(["tls://u:p@a:1"]))
        var info = NATSServerInfo()
        (info.requiresTLS, info.places) = (true, ["a:1", "b:2", "no place"])
        _ = machine.handle(.start)
        _ = machine.handle(.dialed)
        #expect(machine.handle(.frame(.info(info))) == [.secure(try address("tls://u:p@a:1"))])
        _ = machine.handle(.secured)
        _ = machine.handle(.frame(.pong))
        _ = machine.handle(.timer)
        let effects = machine.handle(.failed(Self.lost))
        let told = try #require(try address("tls://u:p@a:1").moved(to: "b:2"))
        #expect(effects.contains(.dial(told, within: .milliseconds(2_500))))
        // Anyone can write the list of places, so the certificate must be that of the named server.
        #expect(told.certificateName == "a")
        #expect(dialed(machine.handle(.failed(Self.lost))) == ["a"])
        // A server that has left the cluster is forgotten.
        info.places = ["c:3"]
        _ = machine.handle(.dialed)
        _ = machine.handle(.frame(.info(info)))
        _ = machine.handle(.secured)
        _ = machine.handle(.frame(.pong))
        _ = machine.handle(.timer)
        #expect(dialed(machine.handle(.failed(Self.lost))) == ["c"])
    }

    @Test(arguments: [("nats://a", true), ("tls://a", false)])
    func `ends that disagree about TLS send no password`(text: String, requiresTLS: Bool) throws {
        var machine = try NATSMachine(settings([text]))
        var info = NATSServerInfo()
        info.requiresTLS = requiresTLS
        _ = machine.handle(.start)
        _ = machine.handle(.dialed)
        let effects = machine.handle(.frame(.info(info)))
        #expect(!effects.contains { if case .write = $0 { true } else { false } })
        guard case .opened(let error?)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.kind == .tlsFailure)
    }

    @Test func `a peer of another protocol is named, and an old server too`() throws {
        for (input, kind) in [
            (NATSMachine.Input.violation("x"), NATSError.Kind.violation),
            (.frame(.pong), .violation),
            (.frame(.info(NATSServerInfo(Array(#"{"proto":0}"#.utf8)) ?? Self.info)), .tooOld),
            (.frame(.error("maximum connections exceeded")), .unreachable),
            (.failed(SocketError(.untrusted, "x")), .tlsFailure),
        ] {
            var machine = try NATSMachine(settings(["nats://a"]))
            _ = machine.handle(.start)
            _ = machine.handle(.dialed)
            guard case .opened(let error?)? = machine.handle(input).last else {
                Issue.record("\(input)")
                continue
            }
            #expect(error.kind == kind)
        }
    }

    @Test func `a server that ends in the middle of the TLS handshake may come back`() throws {
        for input in [
            NATSMachine.Input.violation("x"), .failed(SocketError(.tlsFailure, "x")), .timer,
        ] {
            var machine = try NATSMachine(settings(["tls://a"], startsDisconnected: true))
            var info = NATSServerInfo()
            info.requiresTLS = true
            _ = machine.handle(.start)
            _ = machine.handle(.dialed)
            _ = machine.handle(.frame(.info(info)))
            #expect(machine.handle(input).contains(.opened(nil)))
            #expect(machine.phase == .pausing)
        }
    }

    @Test func `a server whose messages are too small is refused`() throws {
        var machine = try NATSMachine(settings(["nats://a"], startsDisconnected: true))
        var info = NATSServerInfo()
        info.maxPayload = 1_023
        _ = machine.handle(.start)
        _ = machine.handle(.dialed)
        guard case .opened(let error?)? = machine.handle(.frame(.info(info))).last else {
            Issue.record("no error")
            return
        }
        #expect(error.message.contains("raise max_payload"))
    }

    @Test func `servers that were told of and are gone do not stretch a round`() throws {
        var machine = try connected(settings(["nats://a"]))
        var info = NATSServerInfo()
        info.places = (1...9).map { "10.0.0.\($0):4222" }
        _ = machine.handle(.frame(.info(info)))
        _ = machine.handle(.timer)
        var effects = machine.handle(.failed(Self.lost))
        var sum = Duration.zero
        while case .wait(let time)? = effects.last, machine.phase == .dialing {
            sum += time
            effects = machine.handle(.timer)
        }
        #expect(machine.phase == .pausing)
        #expect(sum == .seconds(5))
    }

    @Test func `a right that is missing is told once, and the connection goes on`() throws {
        let text = "Permissions Violation for Publish to s"
        var machine = try NATSMachine(settings())
        _ = machine.handle(.start)
        _ = machine.handle(.dialed)
        _ = machine.handle(.frame(.info(Self.info)))
        #expect(machine.handle(.frame(.error(text))) == [.deliver(.failure(text))])
        _ = machine.handle(.frame(.pong))
        #expect(machine.handle(.frame(.error(text))) == [.deliver(.failure(text))])
        #expect(machine.handle(.frame(.error(text))) == [])
        #expect(machine.phase == .connected)
        // A violation is told with the loss of the connection.
        let effects = machine.handle(.violation("words"))
        #expect(effects.contains { if case .deliver(.failure) = $0 { true } else { false } })
    }

    @Test func `a refusal of later attempts is told once`() throws {
        var machine = try connected(settings(["nats://a"]))
        _ = machine.handle(.failed(Self.lost))
        var told = 0
        for _ in 0..<3 {
            _ = machine.handle(.timer)
            _ = machine.handle(.dialed)
            let effects = machine.handle(.frame(.error("Authorization Violation")))
            told += effects.count { if case .deliver(.failure) = $0 { true } else { false } }
        }
        #expect(told == 1)
    }

    @Test func `a closed machine does nothing`() throws {
        var machine = try connected(settings())
        #expect(machine.handle(.close) == [.drop, .hold])
        for input in [
            NATSMachine.Input.start, .dialed, .secured, .heard, .frame(.ping), .timer, .stalled,
            .violation(""), .failed(Self.lost), .asked(1), .close,
        ] { #expect(machine.handle(input) == []) }
        // The end of the loop is the end of the connection.
        var other = try NATSMachine(settings(startsDisconnected: true))
        _ = other.handle(.start)
        let stopped = SocketError(.loopStopped, "")
        #expect(other.handle(.failed(stopped)).last == .opened(.closed))
    }

    @Test(arguments: 0..<200)
    func `no order of inputs traps or leaves the machine without a next step`(seed: Int) throws {
        var numbers = SplitMix64(seed: UInt64(seed))
        var machine = try NATSMachine(settings(startsDisconnected: true))
        var (isWaiting, isDialing) = (false, false)
        let inputs: [NATSMachine.Input] = [
            .dialed, .secured, .heard, .frame(.ping), .frame(.pong), .frame(.info(Self.info)),
            .frame(.error("x")), .frame(.message([1])), .violation("x"), .failed(Self.lost),
            .stalled, .timer, .asked(1),
        ]
        for step in 0..<300 {
            let input = step == 0 ? .start : inputs[Int(numbers.next() % UInt64(inputs.count))]
            for effect in machine.handle(input) {
                if case .wait = effect { isWaiting = true }
                if case .dial = effect { isDialing = true }
            }
            // A timer runs from the start on, so whatever is lost, there is a next step.
            #expect(isWaiting && isDialing)
        }
    }
}
