// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

/// The lanes of messages with files, while requests reach the server and there is no socket.
struct OutboxFileLaneTests {
    private typealias Machine = OutboxMachine

    private static let now = Timestamp(milliseconds: 1_000_000_000)
    private static let lane = Machine.Lane("c")

    private static func item(
        _ id: RequestID, in channel: ChannelURL = "c", _ kind: Machine.Item.Kind = .file,
        age: Duration = .zero, hasLeft: Bool = false
    ) -> Machine.Item {
        let createdAt = now.milliseconds - age.components.seconds * 1_000
        return Machine.Item(
            requestID: id, channel: channel, kind: kind,
            createdAt: Timestamp(milliseconds: createdAt), state: .pending, hasLeft: hasLeft)
    }

    /// Returns a machine without any way to the server, with these items queued.
    private static func machine(_ items: Machine.Item...) -> Machine {
        var machine = Machine()
        for item in items { _ = machine.handle(.queued(item)) }
        return machine
    }

    private static func transmitted(_ effects: [Machine.Effect]) -> [RequestID] {
        effects.compactMap { if case .transmit(let id) = $0 { id } else { nil } }
    }

    /// Gives a machine an input, and returns the items that are sent.
    private static func give(_ input: Machine.Input, _ machine: inout Machine) -> [RequestID] {
        transmitted(machine.handle(input))
    }

    /// Opens the lanes to files, and returns the items that are sent.
    private static func open(_ machine: inout Machine) -> [RequestID] {
        give(.openedToFiles(now: now), &machine)
    }

    /// Makes a connection, and returns the items that are sent.
    private static func connect(_ machine: inout Machine) -> [RequestID] {
        give(.closedToFiles, &machine) + give(.wentOnline(now: now), &machine)
    }

    @Test func `without a socket files are sent, and texts and changes wait (R144)`() {
        var machine = Self.machine(
            Self.item("f"), Self.item("t", in: "d", .message), Self.item("e", in: "d", .change))
        let opened = Self.open(&machine)
        #expect(opened == ["f"])
        let file = Self.give(.queued(Self.item("g", in: "g")), &machine)
        let text = Self.give(.queued(Self.item("u", in: "u", .message)), &machine)
        #expect(file == ["g"] && text == [])
        let connected = Self.connect(&machine)
        #expect(connected == ["t", "e", "u"])
        #expect(machine.isOnItsWay("f") && machine.isOnItsWay("g"))
    }

    @Test func `a file behind a text waits for it, and a text behind a file too (scar 12)`() {
        var machine = Self.machine(Self.item("t", .message), Self.item("f"))
        var opened = Self.open(&machine)
        var connected = Self.connect(&machine)
        var next = Self.give(.delivered("t", 1), &machine)
        #expect(opened == [] && connected == ["t"] && next == ["f"])

        machine = Self.machine(Self.item("f"), Self.item("t", .message))
        opened = Self.open(&machine)
        next = Self.give(.delivered("f", 1), &machine)
        connected = Self.connect(&machine)
        #expect(opened == ["f"] && next == [] && connected == ["t"])
    }

    @Test func `a file that may have arrived waits for a connection, which looks it up (scar 11)`()
    {
        var machine = Self.machine(Self.item("f", hasLeft: true))
        var opened = Self.open(&machine)
        #expect(opened == [])

        machine = Self.machine(Self.item("f"))
        var connected = Self.connect(&machine)
        #expect(connected == ["f"])
        _ = machine.handle(.handedOver("f", .socket))
        let lost = machine.handle(.wentOffline)
        #expect(lost == [.disarmAckTimer("f")])
        opened = Self.open(&machine)
        connected = Self.connect(&machine)
        #expect(opened == [] && connected == ["f"])
    }

    @Test func `an upload and the post of its message outlive the connection`() {
        var machine = Self.machine(Self.item("f"))
        _ = Self.connect(&machine)
        let lost = machine.handle(.wentOffline)
        let opened = Self.open(&machine)
        let closed = machine.handle(.closedToFiles)
        #expect(lost == [] && opened == [] && closed == [])
        #expect(machine.isOnItsWay("f"))
        _ = Self.open(&machine)
        _ = machine.handle(.handedOver("f", .http))
        let closedAgain = machine.handle(.closedToFiles)
        #expect(closedAgain == [])
        #expect(machine.isOnItsWay("f"))
    }

    @Test func `an error that may be a gateway's fails no file without a connection (R140)`() {
        var machine = Self.machine(Self.item("f"))
        _ = Self.open(&machine)
        for _ in 1...6 {
            let failed = machine.handle(.failed("f", .malformedData, .upload))
            #expect(failed.contains { if case .armRest = $0 { true } else { false } })
            _ = machine.handle(.rested(Self.lane))
        }
        // The attempts do not count when there is a connection again.
        _ = machine.handle(.closedToFiles)
        _ = machine.handle(.failed("f", .networkError, .upload))
        _ = Self.connect(&machine)
        let failed = machine.handle(.failed("f", .internalServerError, .upload))
        #expect(failed.contains { if case .armRest = $0 { true } else { false } })
    }

    @Test func `a failed attempt to connect changes nothing for files in flight`() {
        var machine = Self.machine(Self.item("f"))
        _ = Self.open(&machine)
        _ = machine.handle(.handedOver("f", .http))
        let lost = machine.handle(.wentOffline)
        #expect(lost == [])
        #expect(machine.isOnItsWay("f"))
    }

    @Test func `a failed upload is repeated after growing rests, and at once when connected`() {
        var machine = Self.machine(Self.item("f"))
        _ = Self.open(&machine)
        for rest in [2, 4, 8] {
            let failed = machine.handle(.failed("f", .networkError, .upload))
            #expect(failed.contains(.armRest(Self.lane, .seconds(rest))))
            #expect(machine.isResting)
            // Neither another item nor another attempt to connect shortens the rest.
            let text = Self.item(RequestID("t\(rest)"), .message)
            let early = Self.give(.queued(text), &machine) + Self.give(.wentOffline, &machine)
            let rested = Self.give(.rested(Self.lane), &machine)
            #expect(early == [] && rested == ["f"])
        }
        _ = machine.handle(.failed("f", .networkError, .upload))
        let connected = Self.connect(&machine)
        #expect(connected == ["f"])
    }

    @Test func `an answer that there is no connection causes no repetition without a rest`() {
        var machine = Self.machine(Self.item("f"))
        _ = Self.open(&machine)
        let effects = machine.handle(.failed("f", .connectionRequired, .upload))
        #expect(effects.contains(.armRest(Self.lane, Machine.rest)))
        #expect(Self.transmitted(effects) == [])
    }

    @Test func `a file that waited for more than three days fails instead of being sent (R151)`() {
        let old = Machine.lifetime + .seconds(1)
        var machine = Self.machine(
            Self.item("f", age: old), Self.item("t", in: "d", .message, age: old),
            Self.item("g", in: "e", age: Machine.lifetime))
        let effects = machine.handle(.openedToFiles(now: Self.now))
        #expect(Self.transmitted(effects) == ["g"])
        #expect(effects.contains(.store("f", .failed(.pendingError))))
        // A text fails with the next connection.
        #expect(machine.item("t")?.state == .pending)
    }

    @Test func `files have four places without a socket, too`() {
        let files = (0..<Machine.uploads + 2).map { number in
            Self.item(RequestID("f\(number)"), in: ChannelURL("c\(number)"))
        }
        var machine = Machine()
        for file in files { _ = machine.handle(.queued(file)) }
        let opened = Self.open(&machine)
        #expect(opened == files.prefix(Machine.uploads).map(\.requestID))
        let next = Self.give(.delivered("f0", 1), &machine)
        #expect(next == [RequestID("f\(Machine.uploads)")])
    }

    @Test func `the catch-up of a channel holds its files until it ends`() {
        var machine = Self.machine(Self.item("f"))
        _ = machine.handle(.hold("c"))
        let opened = Self.open(&machine)
        let released = Self.give(.release("c"), &machine)
        #expect(opened == [] && released == ["f"])
    }

    // MARK: Late requests

    @Test(arguments: [
        OutboxMachine.Input.failed("f", .networkError, .http),
        .failed("f", .pendingError, .socket), .canceled("f"),
    ])
    func `items wait for a while behind a request that was given up (scar 12)`(
        _ end: OutboxMachine.Input
    ) {
        var machine = Self.machine(Self.item("f"), Self.item("t", .message))
        _ = Self.connect(&machine)
        _ = machine.handle(.handedOver("f", .http))
        let ended = machine.handle(end)
        #expect(ended.contains(.armRest(Self.lane, Machine.lateness)))
        #expect(Self.transmitted(ended) == [])
        // Neither the record of the failure nor another connection ends the wait.
        let recorded = Self.give(.recorded("f"), &machine)
        let lost = Self.give(.wentOffline, &machine)
        let connected = Self.connect(&machine)
        let rested = Self.give(.rested(Self.lane), &machine)
        #expect(recorded + lost + connected == [] && rested == ["t"])
    }

    @Test func `nothing waits behind a refusal, or behind a message of the socket`() {
        var machine = Self.machine(Self.item("f"), Self.item("t", .message))
        _ = Self.connect(&machine)
        _ = machine.handle(.handedOver("f", .http))
        _ = machine.handle(.failed("f", .notAMember, .http))
        let recorded = Self.give(.recorded("f"), &machine)
        #expect(recorded == ["t"])

        machine = Self.machine(Self.item("f"), Self.item("t", .message))
        _ = Self.connect(&machine)
        _ = machine.handle(.handedOver("f", .socket))
        let canceled = Self.give(.canceled("f"), &machine)
        #expect(canceled == ["t"])
    }

    // MARK: Random ways

    private enum Way: CaseIterable { case none, requests, socket }

    /// A machine with a model of the server.
    private struct Scene {
        var machine = Machine()
        var way = Way.none
        /// The messages that the server has, by their numbers in the order of the calls.
        var log: [ChannelURL: [Int]] = [:]
        var inFlight: [RequestID] = []
        /// The files in flight whose messages were sent.
        var sent: Set<RequestID> = []
        var written = 0
        var textsWithoutSocket = 0

        mutating func give(_ input: Machine.Input) {
            for case .transmit(let id) in machine.handle(input) {
                inFlight.append(id)
                sent.remove(id)
                if way != .socket, machine.item(id)?.kind != .file { textsWithoutSocket += 1 }
            }
        }

        mutating func arrive(_ id: RequestID) {
            guard let item = machine.item(id), let number = Int(id.rawValue) else { return }
            if log[item.channel]?.contains(number) != true {
                log[item.channel, default: []].append(number)
            }
        }

        func mayArrive(_ id: RequestID) -> Bool {
            sent.contains(id) || machine.item(id)?.kind != .file
        }

        mutating func write(_ random: inout SplitMix64) {
            let channel = ChannelURL("\(random.next() % 3)")
            let kind: Machine.Item.Kind = random.next() % 2 == 0 ? .file : .message
            let id = RequestID("\(written)")
            written += 1
            give(.queued(OutboxFileLaneTests.item(id, in: channel, kind)))
        }

        mutating func go(_ next: Way, _ random: inout SplitMix64) {
            guard next != way else { return }
            // A message in flight may have arrived before its way was lost.
            for id in inFlight where mayArrive(id) && random.next() % 2 == 0 { arrive(id) }
            let last = way
            way = .none
            switch last {
            case .none: break
            case .requests: give(.closedToFiles)
            case .socket: give(.wentOffline)
            }
            way = next
            switch next {
            case .none: break
            case .requests: give(.openedToFiles(now: OutboxFileLaneTests.now))
            case .socket: give(.wentOnline(now: OutboxFileLaneTests.now))
            }
            inFlight = inFlight.filter { machine.isOnItsWay($0) }
        }

        /// Ends the first upload: its message is sent, or waits if there is no way.
        mutating func endUpload() {
            guard let id = inFlight.first(where: { !mayArrive($0) }) else { return }
            if way == .none {
                inFlight = inFlight.filter { $0 != id }
                give(.failed(id, .connectionRequired, .socket))
            } else {
                sent.insert(id)
                give(.handedOver(id, way == .socket ? .socket : .http))
            }
        }

        mutating func deliver() {
            guard let id = inFlight.first(where: { mayArrive($0) }) else { return }
            inFlight = inFlight.filter { $0 != id }
            arrive(id)
            give(.delivered(id, 1))
        }

        mutating func step(_ random: inout SplitMix64) {
            switch random.next() % 8 {
            case 0, 1: write(&random)
            case 2: go(Way.allCases[Int(random.next() % 3)], &random)
            case 3, 4: endUpload()
            default: deliver()
            }
        }

        mutating func settle(_ random: inout SplitMix64) {
            go(.socket, &random)
            while !inFlight.isEmpty {
                endUpload()
                deliver()
            }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `random ways to the server keep the order of texts and files (R144, scars 12, 13)`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        var scene = Scene()
        for _ in 0..<300 { scene.step(&random) }
        scene.settle(&random)
        #expect(scene.textsWithoutSocket == 0)
        #expect(scene.log.values.reduce(0) { $0 + $1.count } == scene.written)
        for numbers in scene.log.values { #expect(numbers == numbers.sorted()) }
    }
}
